// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LOWERED_STEPS_HPP
#define WARPGAUGE_SASS_LOWERED_STEPS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/sass/local_arrays.hpp>
#include <warpgauge/sass/lowering_table.hpp>
#include <warpgauge/sass/merged_loads.hpp>
#include <warpgauge/sass/opcode_table.hpp>
#include <warpgauge/sass/row_facts.hpp>
#include <warpgauge/sass/step_folding.hpp>

/// \file The machine instructions that each step of a kernel becomes, given its neighbours.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// Machine instructions of one step, by pipe.
using pipe_counts = std::array<std::uint8_t, pipe_count>;

/// Counts the machine instructions of a routine's steps.
template <class Used = core::when_used>
class lowered_steps {
public:
    /// Program and routine must outlive it.
    lowered_steps(const ptx::link::program& p, const ptx::link::routine& r, compute_capability cc)
        : routine_(r),
          capability_(static_cast<std::uint16_t>(cc.major * 10 + cc.minor)),
          graph_(p, r),
          facts_(p, r, graph_, capability_),
          folding_(r, facts_),
          merged_(graph_, facts_, folding_),
          locals_(r, facts_),
          counts_(r.count),
          unlisted_(r.count),
          moved_(r.rows),
          in_loop_(r.count),
          entries_(graph_.exit() + 1) {
        count_entries();
        find_loops();
        locals_.bound(facts_, in_loop_);
        for (std::uint32_t b = 0; b < graph_.exit(); ++b) {
            if (b == 0 || !continues(b)) block_ = b + 1;
            for (std::uint32_t i = graph_.start(b); i < graph_.start(b + 1); ++i) lower(i);
        }
        if (r.first == 0 && r.count > 0) begin();
    }

    [[nodiscard]] const ptx::link::flow_graph<Used>& graph() const { return graph_; }
    [[nodiscard]] const row_facts<Used>& facts() const { return facts_; }
    [[nodiscard]] const step_folding<Used>& folding() const { return folding_; }
    /// By the step's number in the routine.
    [[nodiscard]] const pipe_counts& counts(std::uint32_t index) const { return counts_[index]; }
    /// No row has its machine instructions: one is assumed.
    [[nodiscard]] bool unlisted(std::uint32_t index) const { return unlisted_[index] != 0; }
    /// All pipes together.
    [[nodiscard]] std::uint32_t total(std::uint32_t index) const {
        std::uint32_t sum = 0;
        for (const std::uint8_t n : counts_[index]) sum += n;
        return sum;
    }

private:
    using action = ptx::text::action;
    using step = ptx::link::step;

    void add(std::uint32_t index, pipe p, unsigned n = 1) {
        std::uint8_t& count = counts_[index][static_cast<std::size_t>(p)];
        count = static_cast<std::uint8_t>(count + n);
    }

    // The stack pointer; from 8.0 on, what addresses of global memory are checked with: a load of constants each from 9.0 on.
    void begin() {
        add(0, capability_ >= 90 ? pipe::constant_load : pipe::alu);
        bool global = false;
        for (std::uint32_t i = 0; i < routine_.count; ++i) {
            const step& s = graph_.at(i);
            global = global || (s.accesses && s.unit == unit_kind::global_memory);
        }
        if (global && capability_ >= 80) add(0, pipe::constant_load);
    }

    // Entered from the block before it alone.
    [[nodiscard]] bool continues(std::uint32_t block) const {
        return entries_[block] == 1 && falls_into(block);
    }
    [[nodiscard]] bool falls_into(std::uint32_t block) const {
        bool falls = false;
        graph_.edges().for_each_successor(block - 1,
                                          [&](std::uint32_t to) { falls = falls || to == block; });
        return falls;
    }
    void count_entries() {
        for (std::uint32_t b = 0; b < graph_.exit(); ++b) {
            graph_.edges().for_each_successor(b, [&](std::uint32_t to) { entries_[to] += 1; });
        }
    }

    // Steps that a jump back goes around.
    void find_loops() {
        core::late<Used, std::vector<std::int32_t>> jumps(routine_.count + 1);
        for (std::uint32_t i = 0; i < routine_.count; ++i) {
            const step& s = graph_.at(i);
            if (s.what != action::branch || s.target > routine_.first + i) continue;
            jumps[s.target - routine_.first] += 1;
            jumps[i + 1] -= 1;
        }
        std::int32_t around = 0;
        for (std::uint32_t i = 0; i < routine_.count; ++i) {
            around += jumps[i];
            in_loop_[i] = around > 0 ? 1 : 0;
        }
    }

    void lower(std::uint32_t index) {
        const step& s = graph_.at(index);
        if (folding_.vanishes(index)) return;
        if (locals_.has(s)) {
            const std::uint32_t elements = locals_.selected(facts_, s);
            add(index, pipe::alu, elements);
            return add(index, pipe::integer_fma, elements);
        }
        if (merged_.is_included(index)) return;
        switch (s.what) {
            case action::branch: {
                add(index, pipe::branch);
                if (facts_.parts_lanes(index)) add(index, pipe::branch, 2);
                return;
            }
            case action::branch_table: return add(index, pipe::branch, 2);
            case action::call:
            case action::return_:
            case action::exit: return add(index, pipe::branch);
            case action::barrier:
                return add(index, s.unit == unit_kind::barrier ? pipe::barrier : pipe::branch);
            case action::vote:
            case action::shuffle:
            case action::match:
            case action::reduce:
            case action::active_mask:
            case action::elect: return add(index, pipe::exchange);
            case action::move:
            case action::pack:
            case action::unpack:
            case action::convert_address: return move(index, s);
            case action::convert: convert(index, s); return operands(index, s, false);
            default: break;
        }
        if (s.accesses || s.unit == unit_kind::tensor) return access(index, s);
        const std::string_view opcode = facts_.opcode_of(s);
        if (opcode.substr(0, 3) == "cvt") {
            convert(index, s);
            return operands(index, s, false);
        }
        const lowering_row* const row = find_lowering(opcode);
        if (row == nullptr) return other(index, s, opcode);
        arithmetic(index, s, row->cost);
    }

    void arithmetic(std::uint32_t index, const step& s, machine_cost cost) {
        const fold f = folding_.fold_of(index);
        if (f == fold::wide_product || f == fold::product) {
            cost = {.integer_fma = 1};
        } else if (f == fold::in_pieces) {
            cost = folding_.cost_by_literals(index, cost);
        }
        add(index, pipe::fp32, cost.fp32);
        add(index, pipe::fp64, cost.fp64);
        add(index, pipe::half, cost.half);
        add(index, pipe::integer_fma, cost.integer_fma);
        add(index, pipe::alu, cost.alu);
        add(index, pipe::special, cost.special);
        add(index, find_opcode(0x110, capability_).pipe, cost.special_64);
        add(index, pipe::branch, cost.branch);
        if (cost.branch > 0 && facts_.varies(s)) add(index, pipe::branch, 2);
        operands(index, s, false);
    }

    // A copy takes no instruction, but for a register that several steps write.
    void move(std::uint32_t index, const step& s) {
        if (facts_.reads_special(s)) return add(index, pipe::other);
        if (facts_.is_shared_symbol(index))
            return add(index, pipe::uniform, symbols_++ == 0 ? 3 : 2);
        if (!facts_.joins_paths(index)) return;
        add(index, pipe::alu, s.type.bits > 32 ? 2 : 1);
    }

    void convert(std::uint32_t index, const step& s) {
        const std::string_view opcode = facts_.opcode_of(s);
        const operand_type from = type_of(opcode);
        const operand_type to = first_type(opcode);
        const bool whole = ptx::text::has_part(opcode, "rzi") ||
                           ptx::text::has_part(opcode, "rni") ||
                           ptx::text::has_part(opcode, "rmi") || ptx::text::has_part(opcode, "rpi");
        const auto is_integer = [](operand_type t) {
            return t == operand_type::int16 || t == operand_type::int32 || t == operand_type::int64;
        };
        const bool wide = from == operand_type::int64 || to == operand_type::int64 ||
                          from == operand_type::fp64 || to == operand_type::fp64;
        if (is_integer(from) && is_integer(to))
            return add(index, pipe::alu, s.type.bits > 32 && from == operand_type::int16 ? 2 : 1);
        if (wide) return add(index, find_opcode(0x110, capability_).pipe);
        const bool by_alu =
            capability_ >= 86 && to == operand_type::fp32 && is_integer(from) && !is_narrow(opcode);
        if (by_alu) return add(index, pipe::alu);
        if (is_integer(from) || is_integer(to)) return add(index, pipe::special);
        if (from == operand_type::fp32 && to == operand_type::fp32)
            return add(index, whole ? pipe::special : pipe::fp32);
        add(index, from == operand_type::half ? pipe::half : pipe::special);
    }

    // I2FP takes 32 bits, and 16 without a sign.
    static bool is_narrow(std::string_view opcode) {
        return ptx::text::has_part(opcode, "s16") || ptx::text::has_part(opcode, "s8") ||
               ptx::text::has_part(opcode, "u8");
    }
    static operand_type first_type(std::string_view opcode) {
        for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
            const std::size_t end = opcode.find('.', at + 1);
            const operand_type t =
                detail::lowering::type_of_part(opcode.substr(at + 1, end - at - 1));
            if (t != operand_type::any) return t;
            at = end;
        }
        return operand_type::int32;
    }

    void access(std::uint32_t index, const step& s) {
        if (s.unit == unit_kind::tensor) unlisted_[index] = 1;
        add(index, pipe_of(s));
        operands(index, s, true);
    }

    static pipe pipe_of(const step& s) {
        if (s.unit == unit_kind::tensor) return pipe::tensor;
        if (s.hides_addresses) return pipe::texture;
        if (s.unit == unit_kind::shared_memory) {
            return s.is_atomic ? pipe::shared_atomic
                   : s.stores  ? pipe::shared_store
                               : pipe::shared_load;
        }
        if (s.space == ptx::link::address_space::local)
            return s.stores ? pipe::local_store : pipe::local_load;
        if (s.unit == unit_kind::l1_cache) return pipe::constant_load;
        return s.is_atomic ? pipe::global_atomic
               : s.stores  ? pipe::global_store
                           : pipe::global_load;
    }

    void other(std::uint32_t index, const step& s, std::string_view opcode) {
        const bool waits = opcode.substr(0, 5) == "fence" || opcode.substr(0, 6) == "membar" ||
                           opcode.substr(0, 2) == "cp" || opcode.substr(0, 9) == "nanosleep";
        if (waits) return add(index, pipe::other);
        if (opcode.substr(0, 4) == "ld.p" || opcode.substr(0, 4) == "ld.c")
            return add(index, pipe::constant_load);
        unlisted_[index] = 1;
        switch (s.unit) {
            case unit_kind::branch: return add(index, pipe::branch);
            case unit_kind::global_memory:
                return add(index, s.stores ? pipe::global_store : pipe::global_load);
            case unit_kind::shared_memory:
                return add(index, s.stores ? pipe::shared_store : pipe::shared_load);
            default: return add(index, pipe::alu);
        }
    }

    // One operand of an instruction may be a literal or come from the constant bank, none of a memory instruction; any
    // other goes through a register, which lasts for the block. From 9.0 on, parameters are loaded, once and not in a loop.
    void operands(std::uint32_t index, const step& s, bool all) {
        const bool in_code = s.what == action::extract || s.what == action::insert ||
                             s.what == action::logic_3;  // what literals say is in the operation
        if (in_code || counts_[index] == pipe_counts{}) return;
        std::array<std::uint32_t, 8> fresh{};
        std::size_t count = 0;
        folding_.for_each_value(index, [&](std::uint32_t row) {
            const bool bank = folding_.is_parameter(row);
            if (!bank && !facts_.is_literal(row)) return;
            if (bank && capability_ >= 90) {
                std::uint32_t& at = moved(row);
                if (at == 0) add(in_loop_[index] != 0 ? 0 : index, pipe::constant_load);
                at = always;
                return;
            }
            if (is_moved(row)) return;
            for (std::size_t k = 0; k < count; ++k) {
                if (fresh[k] == row) return;
            }
            if (count < fresh.size()) fresh[count++] = row;
        });
        if (count == 0 || (count == 1 && !all)) return;
        const bool keeps_parameter =
            folding_.fold_of(index) == fold::wide_product || s.what == action::multiply_add;
        std::size_t kept = count;
        for (std::size_t k = 0; k < count && !all; ++k) {
            if (kept == count || folding_.is_parameter(fresh[k]) == keeps_parameter) kept = k;
        }
        for (std::size_t k = 0; k < count; ++k) {
            if (k == kept) continue;
            add(index, pipe::alu, all && is_wide(s, fresh[k]) ? 2 : 1);
            set_moved(fresh[k]);
        }
    }

    // Of a memory instruction: two registers.
    [[nodiscard]] bool is_wide(const step& s, std::uint32_t row) const {
        const bool is_address = s.sources > 0 && folding_.value(facts_.source(s, 0)) == row;
        return is_address ? s.unit != unit_kind::shared_memory : s.lane_bytes > 4;
    }

    static constexpr std::uint32_t always = 0xffff'ffff;

    std::uint32_t& moved(std::uint32_t row) {
        if (is_register(row)) return moved_[index_of(row)];
        if (row < ptx::link::special_rows) return special_[row];
        for (auto& e : literals_) {
            if (e.row == row) return e.block;
        }
        if (literals_.size() < max_literals) {
            literals_.push_back({row, 0});
            return literals_.back().block;
        }
        return none_ = 0;
    }
    bool is_moved(std::uint32_t row) {
        const std::uint32_t at = moved(row);
        return at == block_ || at == always;
    }
    void set_moved(std::uint32_t row) { moved(row) = block_; }

    struct moved_literal {
        std::uint32_t row{}, block{};
    };
    static constexpr std::size_t max_literals = 64;

    const ptx::link::routine& routine_;
    std::uint16_t capability_;
    ptx::link::flow_graph<Used> graph_;
    row_facts<Used> facts_;
    step_folding<Used> folding_;
    merged_loads<Used> merged_;
    local_arrays<Used> locals_;
    core::late<Used, std::vector<pipe_counts>> counts_;
    core::late<Used, std::vector<std::uint8_t>> unlisted_;
    core::late<Used, std::vector<std::uint32_t>>
        moved_;  // of each row, the block that has it in a register, from 1
    core::late<Used, std::vector<std::uint8_t>> in_loop_;   // of each step
    core::late<Used, std::vector<std::uint32_t>> entries_;  // of each block, edges that lead there
    std::array<std::uint32_t, ptx::link::special_rows> special_{};
    core::late<Used, std::vector<moved_literal>> literals_;
    std::uint32_t none_ = 0;
    std::uint32_t block_ = 0;
    std::uint32_t symbols_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
