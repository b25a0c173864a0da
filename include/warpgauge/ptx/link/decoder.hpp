// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_DECODER_HPP
#define WARPGAUGE_PTX_LINK_DECODER_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/asynchronous_copies.hpp>
#include <warpgauge/ptx/link/call_sites.hpp>
#include <warpgauge/ptx/link/fragments.hpp>
#include <warpgauge/ptx/link/lane_by_lane.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/modifiers.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/operand_rows.hpp>
#include <warpgauge/ptx/link/operand_shapes.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/symbols.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Makes a step of an instruction.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::text::executed_by, ptx::text::root_rule;

/// Does an opcode write to memory? `multimem` is an access to all GPUs of a group.
constexpr bool writes_memory(std::string_view root, std::string_view opcode) {
    using ptx::text::has_part;
    if (root == "multimem") return has_part(opcode, "st") || has_part(opcode, "red");
    if (root == "wmma") return has_part(opcode, "store");
    return root == "st" || root == "red" || root == "stmatrix" || root == "sust" || root == "sured";
}

template <class Used = core::when_used>
class decoder {
public:
    decoder(link_state<Used>& state, const symbols<Used>& names, operand_rows<Used>& rows,
            call_sites<Used>& calls)
        : state_(state), source_(state.source), symbols_(names), rows_(rows), calls_(calls) {}

    /// Adds the step of the state's current instruction to the program.
    void decode() {
        const ptx::instruction& i = source_.instructions[state_.statement];
        step s{.unit = i.unit, .statement = state_.statement};
        if (!i.predicate.empty()) {
            s.predicate = rows_.register_rows().row_of(i.predicate);
            if (s.predicate == nowhere) return state_.fail(errc::missing, "declaration");
            s.predicate_negated = i.predicate_negated;
        }
        const root_rule* const rule = ptx::text::rule_of(i.opcode);
        s.what = rule == nullptr ? action::unknown : rule->what;
        s.by_lane = is_lane_by_lane(rule);
        read_modifiers(i.opcode, s);
        s.first = static_cast<std::uint32_t>(state_.made.rows.size());
        operands(i, rule, s);
        if (state_.ok()) state_.made.steps.push_back(s);
    }

private:
    // Every target of a branch is an edge of the flow graph, which takes some memory.
    static constexpr std::uint64_t work_of_target = 16;

    using numbers = core::late<Used, std::vector<std::uint32_t>>;

    void operands(const ptx::instruction& i, const root_rule* rule, step& s) {
        const std::span<const operand> all = source_.operands_of(i);
        switch (s.what) {
            case action::branch:
                if (all.empty()) return state_.fail(errc::missing, "label");
                s.target = step_of(all[0].text);
                return;
            case action::map_address: return map_address(all, s);
            case action::branch_table: return branch_table(all, s);
            case action::call: return calls_.add(all, s);
            case action::return_:
            case action::exit: return;
            case action::barrier:
                if (!ptx::text::has_part(i.opcode, "red")) return;
                s.what = action::unknown;  // it has a result
                return arithmetic(all, s);
            default: break;
        }
        const bool is_memory =
            rule != nullptr && (rule->unit_rule == executed_by::memory ||
                                (rule->unit_rule == executed_by::tensor && is_access(i.unit)));
        if (is_memory) return memory(i.opcode, all, s);
        arithmetic(all, s);
        if (ptx::link::product_step_of(i.opcode) == async_step::commit_products) tell(all, s);
    }

    static bool is_access(unit_kind unit) {
        return unit == unit_kind::global_memory || unit == unit_kind::shared_memory;
    }

    // --- Control

    // The step of a label.
    std::uint32_t step_of(std::string_view name) {
        const std::uint32_t l = symbols_.label(name);
        if (l == nowhere) {
            state_.fail(errc::missing, "label");
            return 0;
        }
        return state_.current().first +
               (source_.labels[l].before - state_.current_function().instructions.first);
    }

    void branch_table(std::span<const operand> all, step& s) {
        if (all.size() < 2) return state_.fail(errc::missing, "label");
        std::uint16_t count = 0;
        std::size_t at = 0;
        rows_.add(all, at, {.bits = 32, .followed = true}, count);
        if (count != 1) return state_.fail(errc::missing, "index");
        s.sources = 1;
        const std::uint32_t l = symbols_.label(all[1].text);
        if (l == nowhere || source_.labels[l].targets.count == 0) {
            return state_.fail(errc::missing, "label");
        }
        const range names = source_.labels[l].targets;
        s.targets = names.count;
        state_.count_work(std::uint64_t{names.count} * work_of_target);
        s.target = tables_.find({}, l);
        if (s.target != nowhere) return;  // another branch by the same table
        s.target = static_cast<std::uint32_t>(state_.made.rows.size());
        tables_.insert({}, l, s.target);
        for (std::uint32_t n = 0; n < names.count && state_.ok(); ++n) {
            state_.made.rows.push_back(step_of(source_.operands[names.first + n].text));
        }
    }

    // --- Arithmetic

    void arithmetic(std::span<const operand> all, step& s) {
        std::size_t at = 0;
        const bool packs = s.what == action::move && all.size() > 1 &&
                           all[0].kind != operand_kind::vector &&
                           all[1].kind == operand_kind::vector;
        const bool unpacks =
            s.what == action::move && !all.empty() && all[0].kind == operand_kind::vector;
        if (packs) s.what = action::pack;
        if (unpacks) s.what = action::unpack;
        const bool has_result = !all.empty() && (all[0].kind == operand_kind::name ||
                                                 all[0].kind == operand_kind::vector);
        if (s.what != action::no_result && has_result) {
            if (packs || s.what == action::move) rows_.note_address_of_parameter(all);
            results(all, at, s);
        }
        unsigned source = 0;
        while (at < all.size() && state_.ok()) {
            if (all[at].negated && source < 8) {
                s.negated_sources = static_cast<std::uint8_t>(s.negated_sources | 1U << source);
            }
            if (source == 1) {
                s.has_constant =
                    all[at].kind == operand_kind::integer || all[at].kind == operand_kind::real;
            }
            rows_.add(all, at, literal_type(s, source), s.sources);
            ++source;
        }
        if (s.unit == unit_kind::tensor) s.size_source = shape_among(all);
        const std::uint32_t* const sources = state_.made.rows.data() + s.first + s.results;
        if (!can_be_followed(s, sources)) s.what = action::unknown;
    }

    // The source with the shape of `tcgen05.mma [d], a, b, shape`; of a sparse one an address stands before it.
    static std::uint8_t shape_among(std::span<const operand> all) {
        if (all.empty() || all[0].kind != operand_kind::address) return 0;
        std::size_t at = 0;
        for (int n = 0; n < 3 && at != no_operand; ++n) at = operand_after(all, at);
        if (at == no_operand) return 0;
        return all[at].kind == operand_kind::address ? 5 : 4;
    }

    void results(std::span<const operand> all, std::size_t& at, step& s) {
        rows_.add(all, at, s.type, s.results, nowhere);
        if (at < all.size() && all[at].second_result) {
            rows_.add(all, at, s.type, s.results, nowhere);
        }
    }

    // The width in which a literal is read: an amount to shift by has 32 bits, what is added to a wide
    // product twice as many as its factors.
    static value_type literal_type(const step& s, unsigned source) {
        const bool shifts = s.what == action::shift_left || s.what == action::shift_right;
        if (shifts && source == 1) return {.bits = 32};
        if (s.part == halves::wide && source == 2) return {.bits = 64};
        return s.from;
    }

    // `mapa` gives the address of the same place in another block: it costs what the own one does.
    void map_address(std::span<const operand> all, step& s) {
        s.what = action::move;
        s.type = {.bits = 64, .followed = true};
        const std::size_t second = all.empty() ? no_operand : operand_after(all, 0);
        const std::size_t end = second == no_operand ? no_operand : operand_after(all, second);
        arithmetic(end == no_operand ? all : all.first(end), s);
    }

    // --- Memory

    void memory(std::string_view opcode, std::span<const operand> all, step& s) {
        const std::string_view root = opcode.substr(0, opcode.find('.'));
        s.stores = writes_memory(root, opcode);
        s.is_atomic = root == "atom" || root == "red" ||
                      (root == "multimem" && ptx::text::has_part(opcode, "red"));
        if (ptx::text::is_of_parameter(opcode) && parameter_access(all, s)) return;
        if (is_bulk_copy(opcode)) return bulk_copy(opcode, all, s);
        const std::size_t address = address_among(root, all);
        if (address == all.size()) {  // it waits for others, or moves no data
            s.what = action::unknown;
            return arithmetic(all, s);
        }
        s.accesses = true;
        const std::size_t part = root == "cp" ? copied_bytes(opcode, all, address, s) : no_operand;
        if (root == "ldmatrix" || root == "stmatrix") read_matrices(opcode, s);
        if (root == "wmma") read_fragment(opcode, s);
        if (is_of_texels(root)) read_texels(root, s);
        const bool has_results =
            s.what == action::load || s.what == action::atomic || s.what == action::unknown;
        std::size_t at = 0;
        if (has_results && all[0].kind != operand_kind::address) results(all, at, s);
        const bool plain = all[address].parts == 0 || (root == "ld" && !all[address].indexed);
        state_.made.rows.push_back(plain ? rows_.base_row(all[address]) : unknown_row);
        s.sources = 1;
        s.offset = plain ? rows_.offset_of(all[address]) : 0;
        if (s.space == address_space::none) s.space = address_space::generic;
        while (at < all.size() && state_.ok()) {
            if (at == address) {
                at += all[at].parts + 1U;
            } else {
                const bool tells = at == part || (s.in_rows && is_group(all[at]) == false);
                const bool written = root == "cp" && all[at].kind == operand_kind::address;
                if (written) s.written_offset = all[at].indexed ? 0 : all[at].value;
                rows_.add(all, at, s.type, s.sources);
                if (tells) s.size_source = static_cast<std::uint8_t>(s.sources);
                if (written) s.written_source = static_cast<std::uint8_t>(s.sources);
            }
        }
        if (root == "mbarrier") return use_barrier(opcode, s);
        if (s.what == action::load || s.what == action::store) return;
        if (s.what != action::atomic) s.what = action::unknown;
    }

    static bool is_group(const operand& o) {
        return o.kind == operand_kind::vector || o.kind == operand_kind::list;
    }

    // The last address where several are given, as of `cp.async [to], [from], bytes`; the end if none is. Where a barrier
    // is told of the end, as by `st.async [to], value, [barrier]`, the first.
    static std::size_t address_among(std::string_view root, std::span<const operand> all) {
        std::size_t address = all.size();
        for (std::size_t o = 0; o < all.size(); o += all[o].parts + 1U) {
            if (all[o].kind != operand_kind::address) continue;
            address = o;
            if (root == "st" || root == "red") break;
        }
        return address;
    }

    // A barrier's address is its first source, and bytes that it shall expect the second.
    void use_barrier(std::string_view opcode, step& s) {
        s.what = asks_barrier(opcode) ? action::come_true : action::unknown;
        s.barrier_source = 1;
        s.barrier_offset = static_cast<std::int32_t>(s.offset);
        if (expects_bytes(opcode) && s.sources > 1) s.size_source = 2;
    }

    // The barrier to which `tcgen05.commit` tells that products are done.
    void tell(std::span<const operand> all, step& s) const {
        if (all.empty() || all[0].kind != operand_kind::address) return;
        s.barrier_source = 1;
        if (!all[0].indexed) s.barrier_offset = static_cast<std::int32_t>(all[0].value);
    }

    // Sources: the address, the number of bytes, the barrier, as far as they are there.
    void bulk_copy(std::string_view opcode, std::span<const operand> all, step& s) {
        const bulk_operands o = bulk_operands_of(opcode, all);
        s.what = action::no_result;
        if (o.address == no_operand) return;
        s.accesses = true;
        s.in_bulk = true;
        s.stores = o.stores;
        s.is_atomic = ptx::text::has_part(opcode, "reduce");
        s.lane_bytes = 32;
        auto& rows = state_.made.rows;
        rows.push_back(o.of_tensor ? unknown_row : rows_.base_row(all[o.address]));
        s.sources = 1;
        s.offset = o.of_tensor ? 0 : rows_.offset_of(all[o.address]);
        if (o.size != no_operand) {
            std::size_t at = o.size;
            rows_.add(all, at, {.bits = 32, .followed = true}, s.sources);
            s.size_source = static_cast<std::uint8_t>(s.sources);
        }
        if (o.barrier != no_operand) {
            rows.push_back(rows_.base_row(all[o.barrier]));
            s.barrier_source = static_cast<std::uint8_t>(++s.sources);
            s.barrier_offset = static_cast<std::int32_t>(all[o.barrier].value);
        }
        if (s.space == address_space::none) s.space = address_space::generic;
    }

    // `cp.async [to], [from], bytes{, bytes that are read, or whether none are}{, policy}`: the bytes, where they are
    // written, and the operand after them, unless that is the policy.
    std::size_t copied_bytes(std::string_view opcode, std::span<const operand> all,
                             std::size_t address, step& s) {
        s.what = action::unknown;
        s.lane_bytes = 4;
        const std::size_t size = operand_after(all, address);
        if (size == no_operand) return no_operand;
        if (all[size].kind == operand_kind::integer && all[size].value > 0 &&
            all[size].value <= 16) {
            s.lane_bytes = static_cast<std::uint8_t>(all[size].value);
        }
        const std::size_t part = operand_after(all, size);
        if (part == no_operand) return no_operand;
        const bool has_policy = opcode.find("cache_hint") != std::string_view::npos;
        if (has_policy && operand_after(all, part) == no_operand) return no_operand;
        if (rows_.register_rows().is_predicate(all[part].text)) {
            s.from = {.bits = 1, .followed = true};
            s.negated_sources = all[part].negated ? 1 : 0;
        }
        return part;
    }

    // `ld.param` and `st.param` of a named parameter move values between rows.
    bool parameter_access(std::span<const operand> all, step& s) {
        if (all.size() < 2) return false;
        const bool loads = s.what == action::load;
        const std::size_t address = loads ? all[0].parts + 1U : 0;
        std::size_t value = loads ? 0 : 1;
        if (address >= all.size() || all[address].kind != operand_kind::address ||
            all[address].parts != 0) {
            return false;
        }
        const parameter_place place = rows_.parameter_at(all[address]);
        if (place.declaration == nowhere) return false;
        auto& rows = state_.made.rows;
        std::uint16_t count = 0;
        rows_.add(all, value, s.type, count, loads ? nowhere : unknown_row);
        const numbers values(rows.end() - count, rows.end());
        rows.resize(rows.size() - count);
        const std::uint32_t bytes = ptx::text::bytes_of(s.type);
        numbers parts;
        for (std::uint32_t k = 0; k < count; ++k) {
            parts.push_back(rows_.parameters().row_of(
                place.declaration, place.offset + std::int64_t{k} * bytes, bytes));
        }
        const auto& to = loads ? values : parts;
        const auto& from = loads ? parts : values;
        rows.insert(rows.end(), to.begin(), to.end());
        rows.insert(rows.end(), from.begin(), from.end());
        s.results = count;
        s.sources = count;
        s.what = action::move;
        s.accesses = false;
        return true;
    }

    link_state<Used>& state_;
    const module& source_;
    const symbols<Used>& symbols_;
    operand_rows<Used>& rows_;
    call_sites<Used>& calls_;
    name_table<Used> tables_;  // first row of a label's targets
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
