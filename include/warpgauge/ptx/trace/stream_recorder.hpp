// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_STREAM_RECORDER_HPP
#define WARPGAUGE_PTX_TRACE_STREAM_RECORDER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/trace/access_entry.hpp>
#include <warpgauge/ptx/trace/asynchronous_steps.hpp>
#include <warpgauge/ptx/trace/call_rows.hpp>
#include <warpgauge/ptx/trace/copy_counter.hpp>
#include <warpgauge/ptx/trace/load_order.hpp>
#include <warpgauge/ptx/trace/product_shares.hpp>
#include <warpgauge/ptx/trace/sector_counter.hpp>
#include <warpgauge/ptx/trace/tensor_products.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/ptx/trace/wait_counter.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file Writes down what one warp executes as an instruction stream, its loops rolled up again.
///
/// Whenever a round of a loop ends, it is compared with the round before; one that took the same way
/// only makes the loop's count larger. So the stream is about as long as the kernel's text.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::nowhere, ptx::link::program;
using ptx::link::step;
using ptx::run::executed;
using ptx::text::action;

/// A loop that the warp is in.
struct open_loop {
    std::uint32_t header{};
    std::uint32_t last{};            // step
    std::uint32_t depth{};           // of calls
    std::uint64_t outer = 1;         // rounds that one round around it stands for
    std::uint32_t head{};            // entry, of the round under way
    std::uint32_t before = nowhere;  // head of the rounds before
};

/// What all warps of a launch do of what one warp begins for its block: copies in bulk, and products. In the stream, which all
/// warps execute, each makes its part of them. The copies must outlive it.
template <class Used = core::when_used>
struct shared_work {
    const copy_counter<Used>* copies = nullptr;  ///< null: none
    std::vector<ordered_products> products{};    ///< by step; empty: none
    double warps = 1;                            ///< of the launch
    std::uint32_t warps_per_block = 1;
};

/// Sees every instruction of one warp in order; `finish` gives the stream.
template <class Used = core::when_used>
class stream_recorder {
public:
    /// `launch`: must outlive the recorder.
    stream_recorder(const program& p, std::size_t max_entries, const shared_work<Used>& launch = {},
                    compute_capability cc = {})
        : program_(p),
          capability_(cc),
          copies_(launch.copies),
          warps_(launch.warps),
          products_(launch.products, launch.warps, launch.warps_per_block),
          max_entries_(max_entries),
          loop_end_(p.steps.size(), nowhere),
          async_(p),
          executed_(p.steps.size()),
          writers_(p, nowhere) {
        for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
            const step& from = p.steps[s];
            if (from.what == action::branch) mark_loop(s, from.target);
            if (from.what != action::branch_table) continue;
            for (std::uint32_t t = 0; t < from.targets; ++t) mark_loop(s, p.rows[from.target + t]);
        }
    }

    void operator()(const executed& e) {
        if (full_) return;
        if (e.continues) {  // an entry has the memory that most of its lanes wait for
            if (e.unit == entries_.back().unit) add_access(entries_.back(), e, e.transactions);
            return;
        }
        writers_.leave(e.depth);
        while (!loops_.empty() && ended(loops_.back(), e)) close_loop();
        if (loop_end_[e.step] != nowhere) begin_round(e);
        if (entries_.size() >= max_entries_) {
            full_ = true;
            return;
        }
        add(e);
    }

    /// The stream; empty if it would have more entries than allowed.
    std::vector<warpgauge::instruction> finish() {
        sources_.clear();
        if (full_) return {};
        while (!loops_.empty()) close_loop();
        issue_loads_early<Used>(entries_,
                                [&](const entry& e, ordered_entry& to) { describe(e, to); });
        return written();
    }

    /// Of each entry of the finished stream, its instruction's place in the module, or `no_source`.
    [[nodiscard]] const std::vector<std::uint32_t>& sources() const { return sources_; }

private:
    struct entry {
        std::uint32_t step = nowhere;  // of the head of a loop: `nowhere`
        std::uint32_t length{};        // of a loop: entries after its head
        std::uint32_t count = 1;       // of a loop: rounds
        std::array<std::uint32_t, 3> needs{nowhere, nowhere, nowhere};  // entries
        std::uint32_t base{};                                           // of the call's rows
        std::uint32_t callee_base{};                                    // of a call: of its rows
        unit_kind unit{};
        async_step async{};
        std::uint8_t groups_left{};
        double times = 1;         // executions that this entry stands for
        double transactions = 0;  // of all of them
        double bytes_moved = 0;
        double lines = 0;
    };

    void mark_loop(std::uint32_t from, std::uint32_t to) {
        if (to > from || to >= loop_end_.size()) return;
        if (loop_end_[to] == nowhere || loop_end_[to] < from) loop_end_[to] = from;
    }

    // --- Loops

    static bool ended(const open_loop& loop, const executed& e) {
        if (loop.depth != e.depth) return loop.depth > e.depth;
        return e.step < loop.header || e.step > loop.last;
    }

    void begin_round(const executed& e) {
        const bool again =
            !loops_.empty() && loops_.back().header == e.step && loops_.back().depth == e.depth;
        if (again) {
            end_round(loops_.back());
        } else {
            loops_.push_back(
                {.header = e.step, .last = loop_end_[e.step], .depth = e.depth, .outer = e.rounds});
        }
        loops_.back().head = static_cast<std::uint32_t>(entries_.size());
        entries_.push_back({.count = static_cast<std::uint32_t>(e.rounds / loops_.back().outer)});
    }

    void close_loop() {
        end_round(loops_.back());
        loops_.pop_back();
    }

    // Adds the round that ended to those before if it is alike.
    void end_round(open_loop& loop) {
        const auto end = static_cast<std::uint32_t>(entries_.size());
        const std::uint32_t length = end - loop.head;
        if (length == 1) {  // nothing but its head
            entries_.pop_back();
            return;
        }
        entries_[loop.head].length = length - 1;
        if (loop.before == nowhere || loop.head - loop.before != length || !alike(loop, length)) {
            loop.before = loop.head;
            return;
        }
        entries_[loop.before].count += entries_[loop.head].count;
        for (std::uint32_t n = 1; n < length; ++n) {
            entry& old = entries_[loop.before + n];
            const entry& more = entries_[loop.head + n];
            writers_.change_written(more.step, more.base, more.callee_base,
                                    [&](std::uint32_t by) { return moved(by, loop.head, length); });
            old.times += more.times;
            old.transactions += more.transactions;
            old.bytes_moved += more.bytes_moved;
            old.lines += more.lines;
            old.async = more.async;
            old.groups_left = more.groups_left;
            for (std::size_t k = 0; k < 3; ++k)
                old.needs[k] = moved(more.needs[k], loop.head, length);
        }
        entries_.resize(loop.head);
    }

    static std::uint32_t moved(std::uint32_t at, std::uint32_t head, std::uint32_t length) {
        return at != nowhere && at >= head ? at - length : at;
    }

    [[nodiscard]] bool alike(const open_loop& loop, std::uint32_t length) const {
        for (std::uint32_t n = 1; n < length; ++n) {
            const entry& a = entries_[loop.before + n];
            const entry& b = entries_[loop.head + n];
            if (a.step != b.step || a.unit != b.unit) return false;
            if (a.step == nowhere && (a.length != b.length || a.count != b.count)) return false;
        }
        return true;
    }

    // --- Entries

    void need(entry& n, std::uint32_t row, std::uint32_t base) {
        std::uint32_t by = writers_.of(row, base);
        if (by >= entries_.size()) return;  // nobody
        // The latest three: what an older one gave has mostly been waited for.
        for (std::uint32_t& slot : n.needs) {
            if (slot == by) return;
            if (slot == nowhere || slot < by) {
                const std::uint32_t older = slot;
                slot = by;
                by = older;
            }
            if (by == nowhere) return;
        }
    }

    // An access that takes so many transactions.
    void add_access(entry& n, const executed& e, double transactions) const {
        const auto times = static_cast<double>(e.rounds);
        n.transactions += times * transactions;
        n.bytes_moved += times * e.bytes_moved;
        n.lines += times * looked_up(e);
    }

    void add(const executed& e) {
        const step& s = program_.steps[e.step];
        entry n{.step = e.step, .base = e.base, .callee_base = e.callee_base, .unit = e.unit};
        const auto found = async_.next(e);
        n.async = found.what;
        n.groups_left = found.groups_left;
        const bool multiplies =
            n.async == async_step::product || n.async == async_step::block_product;
        need(n, s.predicate, e.base);
        const auto here = static_cast<std::uint32_t>(entries_.size());
        if (s.what == action::call) {
            writers_.enter(e);
        } else {
            for (std::uint32_t k = 0; k < s.sources; ++k) {
                need(n, program_.rows[s.first + s.results + k], e.base);
            }
            // What needs the result of an asynchronous product comes after a wait for it.
            for (std::uint32_t k = 0; k < s.results && !multiplies; ++k) {
                writers_.set(program_.rows[s.first + k], e.base, here);
            }
        }
        n.times = static_cast<double>(e.rounds);
        if (n.async == async_step::block_product) products_.execute(e.step, n.times);
        if (s.in_bulk) executed_[e.step] += n.times;
        const auto add_round = [&](const executed& one, const auto&...) {
            add_access(n, one, one.coalesced && !s.in_bulk ? 1 : one.transactions);
        };
        if (e.lists && e.access != nullptr) for_each_round(e, add_round);
        if (!e.lists || e.access == nullptr) add_round(e);
        if (copies_ != nullptr && copies_->unsized(e.step) > 0 && e.transactions == 0) {
            n.bytes_moved = n.times * copies_->bytes_of(e.step);
            n.transactions = n.bytes_moved / 32;
        }
        entries_.push_back(n);
    }

    // --- The order

    void describe(const entry& e, ordered_entry& to) const {
        to.ends_block = e.step == nowhere || e.async != async_step::none;
        if (to.ends_block) return;
        const step& s = program_.steps[e.step];
        const std::string_view opcode = program_.source->instructions[s.statement].opcode;
        to.ends_block =
            ends_block(s) || opcode.starts_with("membar") || opcode.starts_with("fence");
        if (!uses_load_store_units(e.unit)) return;
        to.unit = e.unit;
        to.stores = s.stores || s.is_atomic;
        to.loads = s.results > 0;
        to.goes_early = to.loads && e.unit == unit_kind::global_memory;
        to.is_read_only = is_read_only(opcode);
    }

    // --- The stream

    core::late<Used, std::vector<warpgauge::instruction>> written() {
        core::late<Used, std::vector<std::uint32_t>> place(entries_.size() +
                                                           1);  // of each entry in the stream
        std::uint32_t next = 0;
        for (std::size_t n = 0; n < entries_.size(); ++n) {
            place[n] = next;
            const bool kept = entries_[n].step != nowhere || entries_[n].count > 1;
            next += kept ? 1 : 0;
        }
        place[entries_.size()] = next;
        core::late<Used, std::vector<warpgauge::instruction>> stream;
        stream.reserve(next);
        sources_.reserve(next);
        for (std::size_t n = 0; n < entries_.size(); ++n) {
            const entry& e = entries_[n];
            if (e.step == nowhere) {
                const std::uint32_t length = place[n + 1 + e.length] - place[n] - 1;
                if (e.count <= 1) continue;
                stream.push_back(loop(length, e.count));
                sources_.push_back(no_source);
                continue;
            }
            stream.push_back(instruction_of(e));
            sources_.push_back(program_.steps[e.step].statement);
            const std::size_t kept = waits_for_groups(stream.back()) ? 1 : 3;
            for (std::size_t k = 0; k < kept; ++k) {
                if (e.needs[k] == nowhere) continue;
                const std::int64_t back = std::int64_t{place[n]} - std::int64_t{place[e.needs[k]]};
                stream.back().needs[k] = back == 0 ? own_result : static_cast<std::int32_t>(back);
            }
        }
        return stream;
    }

    [[nodiscard]] warpgauge::instruction instruction_of(const entry& e) const {
        const step& s = program_.steps[e.step];
        warpgauge::instruction i{.unit = e.unit,
                                 .op = s.op,
                                 .second = s.has_constant ? warpgauge::operand::constant
                                                          : warpgauge::operand::in_register};
        if (e.unit == unit_kind::tensor) i.tensor_fmas = tensor_work(s);
        i.async = e.async;
        i.groups_left = e.groups_left;
        if (i.async == async_step::block_product) products_.write(e.step, i);
        if (!s.accesses) return i;
        const double part = s.in_bulk && copies_ != nullptr && executed_[e.step] > 0
                                ? copies_->made(e.step) / (warps_ * executed_[e.step])
                                : 1;
        write_access(i, {.lane_bytes = s.lane_bytes,
                         .transactions = part * e.transactions / e.times,
                         .bytes_moved = part * e.bytes_moved / e.times,
                         .lines = e.lines / e.times});
        return i;
    }

    // Lines of global memory; 0 for copies in bulk, which L1 does not look up one by one.
    [[nodiscard]] double looked_up(const executed& e) const {
        const step& s = program_.steps[e.step];
        if (e.unit != unit_kind::global_memory || e.access == nullptr || s.in_bulk) return 0;
        return lines_of<Used>(e, s.moves_blocks());
    }

    // Multiply-adds of half precision that take as long as the product; 0: not known.
    [[nodiscard]] std::uint32_t tensor_work(const step& s) const {
        const std::string_view opcode = program_.source->instructions[s.statement].opcode;
        const double work = tensor_fmas_of(opcode) * tensor_time_by(opcode, capability_);
        return work < 0x1p32 ? static_cast<std::uint32_t>(work) : 0;
    }

    const program& program_;
    compute_capability capability_;
    const copy_counter<Used>* copies_;
    double warps_;
    product_shares<Used> products_;
    std::size_t max_entries_;
    bool full_ = false;
    core::late<Used, std::vector<entry>> entries_;
    core::late<Used, std::vector<open_loop>> loops_;
    core::late<Used, std::vector<std::uint32_t>>
        loop_end_;  // of a step that heads a loop: the loop's last step
    asynchronous_steps<Used> async_;
    core::late<Used, std::vector<double>> executed_;        // by step, of copies in bulk
    core::late<Used, std::vector<std::uint32_t>> sources_;  // of the stream's entries
    call_rows<std::uint32_t, Used> writers_;                // entry that wrote a row last
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
