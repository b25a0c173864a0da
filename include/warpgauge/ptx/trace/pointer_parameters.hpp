// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_POINTER_PARAMETERS_HPP
#define WARPGAUGE_PTX_TRACE_POINTER_PARAMETERS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/routine_rows.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/text/value_type.hpp>
#include <warpgauge/ptx/trace/loaded_rooms.hpp>

/// \file Which parameters of a kernel, and which fields of those that are structures, are pointers: those that flow into
/// an address.
///
/// A value flows through moves, sums, selections, calls and what is spilled to local memory, not through products and
/// shifts: those make an index an offset. Of two terms of an address, the one that comes from a pointer is it.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::nowhere, ptx::link::program, ptx::link::step;
using ptx::text::action;

using ptx::link::of_call;

/// Where a kernel's parameters have a pointer.
struct pointer_field {
    std::uint32_t parameter{};
    std::uint32_t offset{};  ///< B, in the parameter
};

template <class Used = core::when_used>
class pointer_flow {
public:
    /// The program must outlive it.
    explicit pointer_flow(const program& p) : program_(p), rooms_(p), rows_(p) {
        marks_.resize(rows_.size());
        from_pointer_.resize(rows_.size());
        find();
    }

    /// Those that are as wide as an address, in the order in which the text reads them.
    [[nodiscard]] core::late<Used, std::vector<pointer_field>> fields() const {
        core::late<Used, std::vector<pointer_field>> all;
        if (program_.routines.empty()) return all;
        for (const ptx::link::preset& p : program_.routines[0].presets) {
            if (is_wide(p) && marks_[p.row & ~of_call] != 0) all.push_back({p.parameter, p.offset});
        }
        return all;
    }

    /// Does the text do more with some of a parameter than to read it, to store it where nothing loads it, or to ask for the size of the texture that it is a handle of?
    [[nodiscard]] bool is_used(std::uint32_t parameter) const {
        if (program_.routines.empty()) return false;
        for (const ptx::link::preset& p : program_.routines[0].presets) {
            if (p.parameter == parameter && is_read(p.row)) return true;
        }
        return false;
    }

private:
    static constexpr int max_passes =
        64;  // of a loop, one for each step back; longer ones are left

    void find() {
        const auto passes = [this](auto pass) {
            for (int n = 0; n < max_passes; ++n) {
                changed_ = false;
                pass();
                if (!changed_) break;
            }
        };
        // What becomes a generic address, or of one, is a pointer.
        for_each_step([this](const step& s, std::size_t r) {
            if (s.what == action::convert_address && is_global(s)) mark(r, source(s, 0));
        });
        passes([this] { go_back(); });
        mark_from_pointers();
        passes([this] { go_on(); });
        for_each_step([this](const step& s, std::size_t r) {
            if (has_address(s) && s.sources > 0 && is_global(s)) mark(r, source(s, 0));
        });
        passes([this] { go_back(); });
    }

    template <class Visitor>
    void for_each_step(Visitor visit) const {
        for (std::size_t r = 0; r < program_.routines.size(); ++r) {
            const ptx::link::routine& of = program_.routines[r];
            for (std::uint32_t s = of.first; s < of.first + of.count; ++s) {
                visit(program_.steps[s], r);
            }
        }
    }

    // Of an access, or of lines that L2 is told about.
    [[nodiscard]] bool has_address(const step& s) const {
        const std::string_view opcode = program_.source->instructions[s.statement].opcode;
        return s.accesses || opcode.starts_with("discard.") || opcode.starts_with("applypriority.");
    }

    static bool is_global(const step& s) {
        using ptx::link::address_space;
        return s.space == address_space::global || s.space == address_space::generic ||
               s.space == address_space::none || s.space == address_space::constant;
    }
    [[nodiscard]] bool is_wide(const ptx::link::preset& p) const {
        return p.parameter != nowhere && p.bytes * 8 == address_bits();
    }
    [[nodiscard]] std::uint32_t address_bits() const {
        return program_.source->address_bits == 64 ? 64 : 32;
    }

    [[nodiscard]] std::uint32_t result(const step& s, std::uint32_t k) const {
        return program_.rows[s.first + k];
    }
    [[nodiscard]] std::uint32_t source(const step& s, std::uint32_t k) const {
        return k < s.sources ? program_.rows[s.first + s.results + k] : nowhere;
    }

    // --- Marks, by row

    // The place of a row in the lists; false if it does not belong to a call.
    bool place(std::size_t routine, std::uint32_t row, std::size_t& at) const {
        if (!ptx::link::belongs_to_call(row)) return false;
        at = rows_.number(routine, row);
        return at < marks_.size();
    }
    [[nodiscard]] bool is_marked(std::size_t routine, std::uint32_t row) const {
        std::size_t at = 0;
        return place(routine, row, at) && marks_[at] != 0;
    }
    [[nodiscard]] bool comes_from_pointer(std::size_t routine, std::uint32_t row) const {
        std::size_t at = 0;
        return place(routine, row, at) && from_pointer_[at] != 0;
    }
    void set(core::late<Used, std::vector<std::uint8_t>>& list, std::size_t routine,
             std::uint32_t row) {
        std::size_t at = 0;
        if (!place(routine, row, at) || list[at] != 0) return;
        list[at] = 1;
        changed_ = true;
    }
    void mark(std::size_t routine, std::uint32_t row) { set(marks_, routine, row); }

    // --- Flow

    // Calls `visit(source)` with those through which a pointer may come to a result.
    template <class Visitor>
    void for_each_origin(const step& s, Visitor visit) const {
        switch (s.what) {
            case action::move:
            case action::pack:
            case action::unpack:
            case action::convert:
            case action::convert_address:
            case action::shuffle: visit(source(s, 0)); break;
            case action::add:
            case action::add_carry:
            case action::bit_or:
            case action::bit_and:
            case action::select:
            case action::minimum:
            case action::maximum:
                visit(source(s, 0));
                visit(source(s, 1));
                break;
            case action::subtract: visit(source(s, 0)); break;
            case action::multiply_add: visit(source(s, 2)); break;
            default: break;
        }
    }

    static bool is_sum(const step& s) {
        return s.what == action::add || s.what == action::add_carry || s.what == action::bit_or;
    }

    // What flows into a marked row is marked.
    void go_back() {
        for (std::size_t r = program_.routines.size(); r-- > 0;) {
            const ptx::link::routine& of = program_.routines[r];
            for (std::uint32_t n = of.count; n-- > 0;) go_back(program_.steps[of.first + n], r);
        }
    }

    void go_back(const step& s, std::size_t r) {
        if (s.what == action::call) return go_back_through_call(s, r);
        if (s.what == action::load || s.what == action::store) return go_back_through_memory(s, r);
        for (std::uint32_t k = 0; k < s.results; ++k) {
            if (!is_marked(r, result(s, k))) continue;
            if (s.what == action::move) {
                mark(r, source(s, k));
                continue;
            }
            if (is_sum(s) &&
                comes_from_pointer(r, source(s, 0)) != comes_from_pointer(r, source(s, 1))) {
                mark(r, source(s, comes_from_pointer(r, source(s, 0)) ? 0 : 1));
                continue;
            }
            for_each_origin(s, [&](std::uint32_t from) { mark(r, from); });
        }
    }

    void go_back_through_call(const step& s, std::size_t r) {
        program_.for_each_passing(s, [&](const ptx::link::passing& p) {
            if (p.routine == nowhere) return;
            for (const auto& m : program_.passed(p)) {
                if (is_marked(p.routine, m.to)) mark(r, m.from);
            }
            for (const auto& m : program_.returned(p)) {
                if (is_marked(r, m.to)) mark(p.routine, m.from);
            }
        });
    }

    void go_on_through_call(const step& s, std::size_t r) {
        program_.for_each_passing(s, [&](const ptx::link::passing& p) {
            if (p.routine == nowhere) return;
            for (const auto& m : program_.passed(p)) {
                if (comes_from_pointer(r, m.from)) set(from_pointer_, p.routine, m.to);
            }
            for (const auto& m : program_.returned(p)) {
                if (comes_from_pointer(p.routine, m.from)) set(from_pointer_, r, m.to);
            }
        });
    }

    // A spilled value: stored to an address and loaded from the same one, as the text has it.
    void go_back_through_memory(const step& s, std::size_t r) {
        using ptx::link::address_space;
        if (s.space != address_space::local && s.space != address_space::generic) return;
        const bool loads = s.what == action::load;
        const std::uint32_t values = loads ? s.results : s.sources == 0 ? 0 : s.sources - 1U;
        for (std::uint32_t k = 0; k < values; ++k) {
            const std::uint64_t at = static_cast<std::uint64_t>(s.offset) +
                                     std::uint64_t{k} * ptx::text::bytes_of(s.type);
            const std::uint64_t room =
                (std::uint64_t{r} << 32 | source(s, 0)) * 0x1'0000'0001'b3U + at;
            if (loads && is_marked(r, result(s, k)) && spilled_.find({}, room) == nowhere) {
                spilled_.insert({}, room, 1);
                changed_ = true;
            }
            if (!loads && spilled_.find({}, room) != nowhere) mark(r, source(s, k + 1));
        }
    }

    void mark_from_pointers() {
        if (program_.routines.empty()) return;
        const auto& functions = program_.source->functions;
        const ptx::function& kernel = functions[program_.routines[0].function];
        for (const ptx::link::preset& p : program_.routines[0].presets) {
            if (!is_wide(p)) continue;
            const auto parameters = program_.source->parameters(kernel);
            const bool is_said =
                p.parameter < parameters.size() && parameters[p.parameter].is_pointer;
            if (is_said) mark(0, p.row | of_call);
            if (is_marked(0, p.row | of_call)) set(from_pointer_, 0, p.row | of_call);
        }
    }

    // What a pointer flows into comes from one.
    void go_on() {
        for_each_step([this](const step& s, std::size_t r) {
            if (s.what == action::call) return go_on_through_call(s, r);
            if (s.what == action::load || s.what == action::store) return;
            for (std::uint32_t k = 0; k < s.results; ++k) {
                if (s.what == action::move) {
                    if (comes_from_pointer(r, source(s, k))) set(from_pointer_, r, result(s, k));
                    continue;
                }
                for_each_origin(s, [&](std::uint32_t from) {
                    if (comes_from_pointer(r, from)) set(from_pointer_, r, result(s, k));
                });
            }
        });
    }

    // Does anything but a move have this row, or one that it is moved to, as a source? A store of what nothing loads does not
    // count.
    [[nodiscard]] bool is_read(std::uint32_t row) const {
        core::late<Used, std::vector<std::uint32_t>> rows(1, row | of_call);
        const ptx::link::routine& kernel = program_.routines[0];
        for (std::uint32_t n = 0; n < kernel.count; ++n) {
            const step& s = program_.steps[kernel.first + n];
            if (s.what == action::call && goes_into_call(s, rows)) return true;
            if (s.what == action::call || asks_handle(s)) continue;
            for (std::uint32_t k = 0; k < s.sources; ++k) {
                bool is_one = false;
                for (const std::uint32_t r : rows) is_one = is_one || r == source(s, k);
                if (!is_one || (k > 0 && !rooms_.may_load(s))) continue;
                const bool copies = s.what == action::move || s.what == action::convert_address;
                if (!copies || k >= s.results) return true;
                rows.push_back(result(s, k));
            }
        }
        return false;
    }

    // Of a texture or surface, what is not known whatever the handle is.
    [[nodiscard]] bool asks_handle(const step& s) const {
        const std::string_view opcode = program_.source->instructions[s.statement].opcode;
        return opcode.starts_with("txq.") || opcode.starts_with("suq.");
    }

    [[nodiscard]] bool goes_into_call(const step& s, const std::vector<std::uint32_t>& rows) const {
        bool found = false;
        program_.for_each_passing(s, [&](const ptx::link::passing& p) {
            for (const auto& m : program_.passed(p)) {
                for (const std::uint32_t r : rows) found = found || m.from == r;
            }
        });
        return found;
    }

    const program& program_;
    loaded_rooms<Used> rooms_;
    ptx::link::routine_rows<Used> rows_;
    core::late<Used, std::vector<std::uint8_t>> marks_;         // rows that flow into an address
    core::late<Used, std::vector<std::uint8_t>> from_pointer_;  // rows that come from a pointer
    ptx::detail::link::name_table<Used>
        spilled_;  // rooms of local memory whose values flow into an address
    bool changed_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
