// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_PERIODS_HPP
#define WARPGAUGE_KERNEL_PERIODS_HPP

#include <cstddef>
#include <span>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The calculate periods of an instruction stream (Cheng & Suda 2011, sec. 3.2): `for_each_period`.
/// Errors are those of `stream.hpp`.

namespace WARPGAUGE_NAMESPACE {

/// A computation task and the memory access task that follows it (Cheng & Suda 2011, sec. 3.2).
/// Either may be absent: the first task of a stream may be of memory, the last of computation.
struct calculate_period {
    double comp_cycles{};   ///< cycles of the computation task               c_i
    double mem_cycles{};    ///< cycles of the memory access task             m_i
    double mem_insts{};     ///< instructions of the memory access task
    double bytes{};         ///< B per thread that they move in total
    double transactions{};  ///< transactions per warp in total
    // Of what moves, where `cost` says which of the two it is; else 0.
    double moved_words{};         ///< B per thread of those that move their words
    double moved_transactions{};  ///< per warp, of those that move whole transactions

    friend constexpr bool operator==(const calculate_period&, const calculate_period&) = default;
};

namespace detail::kernel {

/// Cuts executions into periods. A round of a loop that begins in the same state as the round before is not
/// walked again, but counted as a repetition.
template <class Cost, class Visitor>
class period_walker {
public:
    constexpr period_walker(std::span<const instruction> stream, Cost& cost, Visitor& visit)
        : stream_(stream), cost_(cost), visit_(visit) {}

    constexpr void walk() {
        walk(0, stream_.size(), 1);
        finish(1);
    }

private:
    struct state {
        calculate_period previous{};
        calculate_period current{};

        friend constexpr bool operator==(const state&, const state&) = default;
    };

    constexpr void walk(std::size_t first, std::size_t last, double times) {
        for (std::size_t at = first; at < last; ++at) {
            const instruction& i = stream_[at];
            if (i.unit != unit_kind::loop) {
                step(i, times);
                continue;
            }
            const std::size_t end = at + 1 + i.loop_length;
            double rounds = i.loop_count;
            while (rounds > 0) {
                const state before = now_;
                const double finished_before = finished_;
                walk(at + 1, end, times);
                rounds -= 1;
                if (rounds == 0) break;
                if (finished_ == finished_before) {
                    if (begins_alike(before)) {  // the task grows by the same in every round
                        grow(before, rounds);
                        break;
                    }
                } else if (now_ == before) {
                    walk(at + 1, end, times * rounds);
                    break;
                }
            }
            at = end - 1;
        }
    }

    constexpr void step(const instruction& i, double times) {
        calculate_period& p = now_.current;
        if (is_memory(i)) {
            p.mem_cycles += cost_(i);
            p.mem_insts += 1;
            p.bytes += i.bytes;
            p.transactions += i.transactions;
            if constexpr (requires { cost_.moves_words(i); }) {
                const bool words = cost_.moves_words(i);
                p.moved_words += words ? i.bytes : 0;
                p.moved_transactions += words ? 0 : i.transactions;
            }
        } else {
            if (p.mem_insts > 0) finish(times);
            now_.current.comp_cycles += cost_(i);
        }
    }

    constexpr void finish(double times) {
        visit_(now_.current, now_.previous, times);
        now_.previous = now_.current;
        now_.current = {};
        finished_ += 1;
    }

    /// True if a round that finished no period was in the same kind of task from end to end.
    constexpr bool begins_alike(const state& before) const {
        return (before.current.mem_insts > 0) == (now_.current.mem_insts > 0);
    }

    constexpr void grow(const state& before, double rounds) {
        const calculate_period& old = before.current;
        calculate_period& p = now_.current;
        p.comp_cycles += rounds * (p.comp_cycles - old.comp_cycles);
        p.mem_cycles += rounds * (p.mem_cycles - old.mem_cycles);
        p.mem_insts += rounds * (p.mem_insts - old.mem_insts);
        p.bytes += rounds * (p.bytes - old.bytes);
        p.transactions += rounds * (p.transactions - old.transactions);
        p.moved_words += rounds * (p.moved_words - old.moved_words);
        p.moved_transactions += rounds * (p.moved_transactions - old.moved_transactions);
    }

    std::span<const instruction> stream_;
    Cost& cost_;
    Visitor& visit_;
    state now_{};
    double finished_ = 0;
};

}  // namespace detail::kernel

/// Calls `visit(period, previous, times)` for the calculate periods of a stream, in order. If rounds of a loop are
/// equal, `period` occurs `times` times, each time after `previous`. `cost(instruction)` gives the cycles of an
/// instruction. `cost.moves_words(instruction)`, if it exists, says whether it moves the words of its threads or
/// whole transactions. Before the first period, `previous` is empty.
template <class Cost, class Visitor>
[[nodiscard]] constexpr model_error for_each_period(std::span<const instruction> stream, Cost cost,
                                                    Visitor visit) {
    if (const auto bad = check_stream(stream)) return bad;
    detail::kernel::period_walker walker(stream, cost, visit);
    walker.walk();
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
