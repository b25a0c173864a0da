// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LOADED_ROOMS_HPP
#define WARPGAUGE_PTX_TRACE_LOADED_ROOMS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/routine_rows.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Which parts of a kernel's local memory may be loaded: code that is not optimised stores each parameter there, used
/// or not.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::belongs_to_call, ptx::link::nowhere, ptx::link::of_call, ptx::link::program,
    ptx::link::step;
using ptx::text::action;

template <class Used = core::when_used>
class loaded_rooms {
public:
    /// The program must outlive it.
    explicit loaded_rooms(const program& p) : program_(p), rows_(p) {
        if (!has_local_memory()) return;
        find_places();
        if (!all_) find_loads();
    }

    /// May something load what a step of the kernel stores?
    [[nodiscard]] bool may_load(const step& store) const {
        if (all_ || store.what != action::store) return true;
        const place to = place_of(0, source(store, 0));
        if (to.what != known::exactly) return true;
        const room stored = room_of(store, to);
        for (const room& r : loaded_) {
            if (r.first < stored.end && stored.first < r.end) return true;
        }
        return false;
    }

private:
    static constexpr int max_passes = 16;  // more are no kernel's: all may be loaded

    // What is known of a row that may have an address of the kernel's local memory.
    enum class known : std::uint8_t { no_address, exactly, somewhere };
    struct place {
        known what{};
        std::int64_t offset{};  // B, in that memory

        friend bool operator==(const place&, const place&) = default;
    };
    struct room {
        std::int64_t first{}, end{};  // B
    };

    [[nodiscard]] bool has_local_memory() const {
        for (const ptx::link::preset& p : program_.routines[0].presets) {
            if (p.parameter == nowhere) return true;
        }
        return false;
    }

    template <class Visitor>
    void for_each_step(Visitor visit) const {
        for (std::size_t r = 0; r < program_.routines.size(); ++r) {
            const ptx::link::routine& of = program_.routines[r];
            for (std::uint32_t n = 0; n < of.count; ++n) visit(program_.steps[of.first + n], r);
        }
    }

    [[nodiscard]] std::uint32_t source(const step& s, std::uint32_t k) const {
        return program_.rows[s.first + s.results + k];
    }
    [[nodiscard]] place place_of(std::size_t routine, std::uint32_t row) const {
        if (!belongs_to_call(row)) return {};
        return places_[rows_.number(routine, row)];
    }
    // The row may have an address there too.
    void add(std::size_t routine, std::uint32_t row, const place& more) {
        if (!belongs_to_call(row) || more.what == known::no_address) return;
        place& now = places_[rows_.number(routine, row)];
        const place both = now.what == known::no_address ? more : place{known::somewhere};
        if (now == more || now == both) return;
        now = both;
        changed_ = true;
    }

    void find_places() {
        places_.resize(rows_.size());
        for (const ptx::link::preset& p : program_.routines[0].presets) {
            if (p.parameter != nowhere) continue;
            add(0, p.row | of_call, {known::exactly, static_cast<std::int64_t>(p.offset)});
        }
        all_ = false;
        int passes = 0;
        for (changed_ = true; changed_ && !all_; ++passes) {
            changed_ = false;
            for_each_step([this](const step& s, std::size_t r) { pass_on(s, r); });
            all_ = all_ || passes == max_passes;
        }
    }

    // To the results of a step. An address that is stored, or that a function gets which is not in the text, may be loaded from.
    void pass_on(const step& s, std::size_t r) {
        if (s.what == action::call) return pass_through_call(s, r);
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const place from = place_of(r, source(s, k));
            if (from.what == known::no_address) continue;
            if (s.accesses) {
                all_ = all_ || k != 0;
            } else if (s.what == action::move) {
                add(r, program_.rows[s.first + k], from);
            } else {
                for (std::uint32_t n = 0; n < s.results; ++n) {
                    add(r, program_.rows[s.first + n], moved(s, k, from));
                }
            }
        }
    }

    // Where an address is that a step computes of one, its source `k`.
    [[nodiscard]] place moved(const step& s, std::uint32_t k, const place& from) const {
        if (s.what == action::convert_address) return from;
        const bool adds = s.what == action::add && k == 0 && from.what == known::exactly;
        if (!adds) return {known::somewhere};
        const std::uint32_t by = source(s, 1);
        if (belongs_to_call(by) || by < ptx::link::special_rows) return {known::somewhere};
        const std::uint64_t constant = program_.constants[by - ptx::link::special_rows];
        const std::int64_t wide = static_cast<std::int64_t>(constant);
        const bool narrow = s.type.bits == 32;
        return {known::exactly, from.offset + (narrow ? static_cast<std::int32_t>(wide) : wide)};
    }

    void pass_through_call(const step& s, std::size_t r) {
        if (s.target == nowhere) all_ = true;
        program_.for_each_passing(s, [&](const ptx::link::passing& p) {
            if (p.routine == nowhere) return;
            for (const auto& m : program_.passed(p)) add(p.routine, m.to, place_of(r, m.from));
            for (const auto& m : program_.returned(p)) add(r, m.to, place_of(p.routine, m.from));
        });
    }

    static room room_of(const step& s, const place& at) {
        const std::int64_t first = at.offset + s.offset;
        return {first, first + s.lane_bytes};
    }

    void find_loads() {
        for_each_step([this](const step& s, std::size_t r) {
            if (!s.accesses || s.what == action::store) return;
            const place from = place_of(r, source(s, 0));
            if (from.what == known::exactly) loaded_.push_back(room_of(s, from));
            all_ = all_ || from.what == known::somewhere;
        });
    }

    const program& program_;
    ptx::link::routine_rows<Used> rows_;
    core::late<Used, std::vector<place>> places_;  // of each of these
    core::late<Used, std::vector<room>> loaded_;
    bool all_ = true;  // all may be loaded
    bool changed_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
