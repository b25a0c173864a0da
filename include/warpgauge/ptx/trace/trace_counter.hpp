// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TRACE_COUNTER_HPP
#define WARPGAUGE_PTX_TRACE_TRACE_COUNTER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/trace/access_sums.hpp>
#include <warpgauge/ptx/trace/branch_decisions.hpp>
#include <warpgauge/ptx/trace/copy_counter.hpp>
#include <warpgauge/ptx/trace/lane_weights.hpp>
#include <warpgauge/ptx/trace/product_shares.hpp>
#include <warpgauge/ptx/trace/sector_counter.hpp>
#include <warpgauge/ptx/trace/tensor_products.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file Counts what warps execute, each with the number of warps that it stands for.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::run::executed;

template <class Used = core::when_used>
class trace_counter {
public:
    /// Adds to a trace whose counts are zero; program and trace must outlive the counter.
    trace_counter(const program& p, traced_kernel& trace)
        : program_(p), trace_(trace), sums_(p.steps.size()), accesses_(p.steps.size()), copies_(p) {
        for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
            sums_[s].by_descriptor = has_descriptor(statement(p.steps[s]).opcode);
            sums_[s].of_copies = copies_.concerns(p.steps[s]);
        }
    }

    /// Adds one instruction of a warp that stands for `weight` warps.
    void count(const executed& e, double of_warps) {
        const double weight = of_warps * static_cast<double>(e.rounds);
        step_sums& s = sums_[e.step];
        if (s.of_copies && e.active != 0) copies_.count(e, weight);
        if (e.continues) return count_access(e, weight, s);
        count_issued(e, weight, s);
        if (e.active == 0) return;
        if (e.unknown_callee) s.unknown_callees += weight;
        if (s.by_descriptor) count_product(e, weight, s);
        if (e.written_passes != 0) count_written(e, weight);
        if (e.transactions == 0) return;
        if (!e.lists || e.access == nullptr) return count_access(e, weight, s);
        access_totals all;
        for_each_round(e, [&](const executed& one, const auto& touched) { all.add(one, touched); });
        count_rounds(e, all, of_warps);
    }

    /// Is all that counts of a step without an access, and with a known function, that it was issued?
    [[nodiscard]] bool is_plain(std::uint32_t step) const {
        return !sums_[step].of_copies && !sums_[step].by_descriptor;
    }
    /// Adds such a one.
    template <class Step>
    void count_plain(const Step& e, double of_warps) {
        count_issued(e, of_warps * static_cast<double>(e.rounds), sums_[e.step]);
    }

    /// Adds an access of a warp whose instructions are counted without it.
    void count_access(const executed& e, double of_warps) {
        count_access(e, of_warps * static_cast<double>(e.rounds), sums_[e.step]);
    }

    /// The same of one of global memory in several rounds.
    void count_rounds(const executed& e, const access_totals& all, double weight) {
        accesses_.in(e.step, e.unit).add(e, all, weight);
        trace_.atomic_turns += weight * all.rounds * e.turns;
        trace_.bytes_moved += weight * all.bytes_moved;
        trace_.coalesced_mem_insts += weight * (all.rounds - all.uncoalesced);
        trace_.coalesced_bytes_moved += weight * all.coalesced_bytes;
        trace_.uncoalesced_mem_insts += weight * all.uncoalesced;
        trace_.transactions += weight * all.uncoalesced_transactions;
    }

    /// Copies whose size is not in the text.
    [[nodiscard]] const copy_counter<Used>& copies() const { return copies_; }

    /// Products whose shape is in a descriptor, by step; empty if there are none.
    [[nodiscard]] std::vector<ordered_products> products() const {
        core::late<Used, std::vector<ordered_products>> all;
        if (!(products_ > 0)) return all;
        for (std::uint32_t s = 0; s < program_.steps.size(); ++s) {
            const step_sums& sum = sums_[s];
            const std::string_view opcode = statement(program_.steps[s]).opcode;
            all.push_back({.made = sum.by_descriptor ? sum.executions : 0,
                           .work = sum.fmas * tensor_time_by(opcode, trace_.capability)});
        }
        return all;
    }
    /// How often all warps make such products.
    [[nodiscard]] double all_products() const { return products_; }

    /// Makes means of the sums, and lists accesses and assumptions. `trace.warps` is their number. `sectors`: what the accesses
    /// of all warps touch.
    void finish(std::span<const decision> decisions, const sector_counter<Used>& sectors) {
        for (std::uint32_t s = 0; s < program_.steps.size(); ++s) {
            if (copies_.unsized(s) > 0) add_copies(s);
            if (program_.steps[s].accesses && sums_[s].executions > 0) {
                accesses_.for_each(s, [&](const access_sums& sum, bool alone) {
                    add_access(s, sum, alone, sectors);
                });
            }
            add_tensor_products(s);
            add_lanes(s);
            add_assumptions(s, decisions[s]);
        }
        if (trace_.warp_insts > 0) trace_.active_lanes /= trace_.warp_insts;
        for (double* sum :
             {&trace_.warp_insts, &trace_.divergent_insts, &trace_.coalesced_mem_insts,
              &trace_.uncoalesced_mem_insts, &trace_.transactions, &trace_.bytes_moved,
              &trace_.coalesced_bytes_moved, &trace_.shared_load_passes,
              &trace_.shared_store_passes, &trace_.ops.tensor_fmas, &trace_.tensor_fmas,
              &trace_.atomic_turns}) {
            *sum /= trace_.warps;
        }
        for (double& sum : trace_.unit_insts) sum /= trace_.warps;
        count_lanes();
    }

private:
    // Of copies whose size is known only now.
    void add_copies(std::uint32_t index) {
        const double bytes = copies_.bytes_of(index);
        const double moved = copies_.unsized(index) * bytes;
        access_sums& s = accesses_.in(index, unit_kind::global_memory);
        s.unknown_address = true;
        s.bytes_moved += moved;
        for (double* sum : {&s.transactions, &s.min_transactions}) *sum += moved / 32;
        s.max_transactions =
            core::max(s.max_transactions, copies_.most_unsized(index) * bytes / 32);
        trace_.bytes_moved += moved;
        trace_.coalesced_mem_insts += copies_.unsized(index);
        trace_.coalesced_bytes_moved += moved;
    }

    /// Of one step, over all warps by their weight.
    struct step_sums {
        double executions{}, lanes{}, decisions{}, unknown_callees{};
        double fmas{}, products_of_unknown_shape{};
        bool by_descriptor{}, of_copies{};
        bool unknown_size{};
        bool decided_together{};
    };

    // Mostly they are those of the step before.
    double lanes_in(std::uint32_t active) {
        if (active != active_) lanes_ = static_cast<double>(std::popcount(active));
        active_ = active;
        return lanes_;
    }

    template <class Step>
    void count_issued(const Step& e, double weight, step_sums& s) {
        const bool whole = e.active == 0xffff'ffff;
        const double lanes = lanes_in(e.active);
        trace_.warp_insts += weight;
        trace_.active_lanes += weight * lanes;
        if (!whole) trace_.divergent_insts += weight;
        trace_.unit_insts[static_cast<std::size_t>(e.unit)] += weight;
        if (e.unknown_predicate) s.decisions += weight;
        s.decided_together = s.decided_together || e.decided_together;
        if (e.active == 0) return;
        s.executions += weight;
        s.lanes += weight * lanes;
    }

    void count_access(const executed& e, double weight, step_sums& s) {
        // A further access of a copy in bulk is of the same execution in this memory.
        const bool continues = e.continues && program_.steps[e.step].in_bulk;
        accesses_.in(e.step, e.unit).add(e, weight, continues);
        trace_.atomic_turns += weight * e.turns;
        s.unknown_size = s.unknown_size || e.unknown_size;
        if (e.unit == unit_kind::shared_memory) {
            const step& access = program_.steps[e.step];
            (access.stores || access.is_atomic ? trace_.shared_store_passes
                                               : trace_.shared_load_passes) +=
                weight * e.transactions;
        }
        if (e.unit != unit_kind::global_memory) return;
        trace_.bytes_moved += weight * e.bytes_moved;
        if (e.coalesced) {
            trace_.coalesced_mem_insts += e.continues ? 0 : weight;
            trace_.coalesced_bytes_moved += weight * e.bytes_moved;
        } else {
            trace_.uncoalesced_mem_insts += weight;
            trace_.transactions += weight * e.transactions;
        }
    }

    // The shared memory that a copy writes.
    void count_written(const executed& e, double weight) {
        trace_.shared_store_passes += weight * e.written_passes;
        access_sums& s = accesses_.in(e.step, e.unit);
        s.unknown_address = s.unknown_address || e.unknown_written;
        s.unknown_base = s.unknown_base || e.based_written;
    }

    [[nodiscard]] const ptx::instruction& statement(const step& s) const {
        return program_.source->instructions[s.statement];
    }

    // A product whose shape is known only where it executes.
    void count_product(const executed& e, double weight, step_sums& s) {
        products_ += weight;
        const bool known = e.size != 0;
        s.fmas += weight * tensor_fmas_by(statement(program_.steps[e.step]).opcode, e.size, known);
        if (!known) s.products_of_unknown_shape += weight;
    }

    void add_tensor_products(std::uint32_t index) {
        const step_sums& s = sums_[index];
        const std::string_view opcode = statement(program_.steps[index]).opcode;
        const double fmas = s.by_descriptor ? s.fmas : s.executions * tensor_fmas_of(opcode);
        if (fmas == 0) return;
        trace_.tensor_fmas += fmas;
        const double work = fmas * tensor_time_by(opcode, trace_.capability);
        trace_.ops.tensor_fmas += work;
        trace_.products.push_back({statement(program_.steps[index]).at, s.executions / trace_.warps,
                                   work / s.executions});
        trace_.ops.integer_ops += s.executions * unpacking_insts(opcode, trace_.capability);
    }

    // What an instruction takes beside one lane of its unit for each of the warp.
    void add_lanes(std::uint32_t index) {
        const step& s = program_.steps[index];
        const double more =
            sums_[index].executions * (lane_weight(statement(s).opcode, trace_.capability) - 1);
        if (s.unit == unit_kind::single_precision) trace_.ops.fp32_ops += more;
        if (s.unit == unit_kind::special_function) trace_.ops.special_ops += more;
    }

    // A warp takes all lanes of its unit, whoever of it takes part.
    void count_lanes() {
        constexpr double lanes = 32;
        lane_operations<>& ops = trace_.ops;
        ops.fp32_ops =
            lanes * (trace_.insts_of(unit_kind::single_precision) + ops.fp32_ops / trace_.warps);
        ops.fp64_ops = lanes * trace_.insts_of(unit_kind::double_precision);
        ops.integer_ops =
            lanes * (trace_.insts_of(unit_kind::integer) + ops.integer_ops / trace_.warps);
        ops.special_ops =
            lanes * (trace_.insts_of(unit_kind::special_function) + ops.special_ops / trace_.warps);
    }

    void add_access(std::uint32_t index, const access_sums& in_memory, bool alone,
                    const sector_counter<Used>& sectors) {
        const step& s = program_.steps[index];
        const ptx::instruction& i = statement(s);
        access_sums sum = in_memory;
        if (alone) {  // whether something was moved or not
            sum.executions = sums_[index].executions;
            sum.lanes = sums_[index].lanes;
        }
        const unit_kind unit = sum.transactions > 0 ? sum.unit : s.unit;
        const bool has_sectors = alone || unit == unit_kind::global_memory;
        add_local(s, unit, sum.executions / trace_.warps);
        trace_.accesses.push_back(
            {.opcode = i.opcode,
             .at = i.at,
             .source_file = i.source_file,
             .source_line = i.source_line,
             .unit = unit,
             .stores = s.stores,
             .is_atomic = s.is_atomic,
             .bytes_per_lane = s.lane_bytes,
             .executions = sum.executions / trace_.warps,
             .active_lanes = sum.lanes / sum.executions,
             .transactions = sum.transactions / sum.executions,
             .min_transactions = sum.min_transactions / sum.executions,
             .max_transactions = sum.max_transactions,
             .bytes_moved = sum.bytes_moved / sum.executions,
             .lines = has_sectors ? sectors.lines_by_step()[index] / sum.executions : 0,
             .same_sector_fraction = has_sectors ? sectors.same_sector_fraction(index) : 0,
             .uncoalesced = sum.uncoalesced / trace_.warps,
             .turns = sum.turns / sum.executions,
             .unknown_address = sum.unknown_address,
             .unknown_base = sum.unknown_base});
    }

    // An access of local memory: a warp's takes a line for each 4 B, whichever lanes take part.
    void add_local(const step& s, unit_kind unit, double executions) {
        using ptx::link::address_space;
        const bool generic = s.space == address_space::generic && unit == unit_kind::l1_cache &&
                             trace_.local_frame_bytes > 0;
        if (s.space == address_space::local || generic) {
            trace_.local_bytes += executions * s.lane_bytes;
        }
    }

    void add_assumptions(std::uint32_t index, const decision& d) {
        const step& s = program_.steps[index];
        const step_sums& sum = sums_[index];
        const ptx::instruction& i = statement(s);
        assumption a{.at = i.at, .source_file = i.source_file, .source_line = i.source_line};
        if (sum.decisions > 0) {
            a.executions = sum.decisions / trace_.warps;
            describe_decision(s, d, a);
            a.by_warp = sum.decided_together;
            trace_.assumptions.push_back(a);
        }
        a.executions = sum.executions / trace_.warps;
        a.label = {};
        a.value = 0;
        a.by_warp = false;
        bool unknown_base = false;
        bool unknown_address = false;
        accesses_.for_each(index, [&](const access_sums& in_memory, bool) {
            unknown_base = unknown_base || in_memory.unknown_base;
            unknown_address = unknown_address || in_memory.unknown_address;
        });
        if (unknown_base) {
            a.what = assumed::base;
            trace_.assumptions.push_back(a);
        }
        if (unknown_address) {
            a.what = s.hides_addresses ? assumed::texels : assumed::address;
            trace_.assumptions.push_back(a);
        }
        if (s.what == action::come_true && sum.executions > 0) {
            a.what = assumed::arrival;
            trace_.assumptions.push_back(a);
        }
        if (copies_.unsized(index) > 0 || (sum.unknown_size && !s.in_bulk)) {
            a.what = assumed::copy;
            a.value = s.in_bulk ? copies_.bytes_of(index) : s.lane_bytes;
            trace_.assumptions.push_back(a);
        }
        if (sum.products_of_unknown_shape > 0) {
            a.what = assumed::product;
            a.value = tensor_fmas_by(i.opcode, 0, false);
            trace_.assumptions.push_back(a);
        }
        a.value = 0;
        const bool calls_nothing = s.target == nowhere && s.callee_count == 0;
        if (s.what == action::call && calls_nothing && sum.executions > 0) {
            a.what = assumed::callee;
            trace_.assumptions.push_back(a);
        } else if (sum.unknown_callees > 0) {
            a.what = assumed::target;
            a.executions = sum.unknown_callees / trace_.warps;
            const auto& first = program_.routines[program_.callees[s.callees].routine];
            a.label = program_.source->functions[first.function].name;
            trace_.assumptions.push_back(a);
        }
    }

    void describe_decision(const step& s, const decision& d, assumption& a) const {
        a.what = s.what == action::branch         ? assumed::branch
                 : s.what == action::branch_table ? assumed::table
                                                  : assumed::predicate;
        a.value = d.probability;
        if (s.what != action::branch) return;
        a.label = label_of(program_, s);
        if (d.rounds > 0) {
            a.what = assumed::loop;
            a.label = label_of(program_, program_.steps[d.loop]);
            a.value = d.rounds;
        }
    }

    const program& program_;
    core::late<Used, traced_kernel>& trace_;
    std::vector<step_sums> sums_;
    access_sums_by_step<Used> accesses_;
    copy_counter<Used> copies_;
    double products_ = 0;       // whose shape is in a descriptor
    std::uint32_t active_ = 0;  // lanes that were counted last
    double lanes_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
