// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_INSTRUCTIONS_HPP
#define WARPGAUGE_INSTRUCTIONS_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/instruction.hpp>
#include <warpgauge/profile.hpp>

/// \file What the models read from an instruction stream: one source, every model.
///
/// - the instruction mix of a profile (Hong & Kim 2009, tbl. 1): `instruction_mix`, `with_mix`
/// - calculate periods (Cheng & Suda 2011, sec. 3.2): `for_each_period`
/// - the kernel instruction string (Berezovskyi et al. 2012, sec. 3): `kernel_instruction_string`
/// - the task list (Chapuis et al. 2016, sec. 3.2): `task_list`
///
/// Work is in proportion to the entries of a stream, not to how often they execute, except where the
/// answer itself is as long as the execution; that is then bounded by `most_executed`.
/// \errors for all of them, with `field` "instructions" and, in `line`, the entry, from 1:
///         missing         the stream is empty
///         malformed       a loop of no length or no rounds, one that reaches past the end of the
///                         stream or of the loop around it, or a need that is not in the stream, or
///                         is the head of a loop
///         limit_reached   loops nested more than 16 deep, or more than `most_executed` entries in
///                         the answer

namespace warpgauge {

/// Loops may be nested this deep.
inline constexpr int most_nested_loops = 16;

/// The longest answer of the functions that write out every execution.
inline constexpr std::size_t most_executed = std::size_t{1} << 26;

[[nodiscard]] constexpr bool is_memory(const instruction& i) noexcept {
    return i.unit == unit_kind::global_memory;
}

/// Loads and stores of any memory.
[[nodiscard]] constexpr bool uses_load_store_units(unit_kind unit) noexcept {
    return unit == unit_kind::shared_memory || unit == unit_kind::l1_cache ||
           unit == unit_kind::l2_cache || unit == unit_kind::global_memory;
}

namespace detail {

/// The error of a whole stream, or of the entry at `position`.
constexpr model_error stream_error(errc code) {
    return {code, "instructions"};
}
constexpr model_error stream_error(errc code, std::size_t position) {
    return {code, "instructions", static_cast<std::uint32_t>(position + 1)};
}

/// The entry that a need of the entry at `at` names, in the stream or not.
constexpr std::int64_t needed_entry(std::size_t at, std::int32_t need) {
    const auto here = static_cast<std::int64_t>(at);
    return need == own_result ? here : here - need;
}

/// Checks the entries from `first` to before `last`, which stand in `depth` loops.
constexpr model_error check_entries(std::span<const instruction> stream, std::size_t first,
                                    std::size_t last, int depth) {
    if (depth > most_nested_loops) return stream_error(errc::limit_reached);
    for (std::size_t at = first; at < last; ++at) {
        const instruction& i = stream[at];
        for (const std::int32_t need : i.needs) {
            const std::int64_t target = needed_entry(at, need);
            if (target < 0 || target >= static_cast<std::int64_t>(stream.size()) ||
                (need != 0 && stream[static_cast<std::size_t>(target)].unit == unit_kind::loop)) {
                return stream_error(errc::malformed, at);
            }
        }
        if (i.unit != unit_kind::loop) continue;
        if (i.loop_length == 0 || i.loop_count == 0 || i.loop_length > last - at - 1) {
            return stream_error(errc::malformed, at);
        }
        const std::size_t end = at + 1 + i.loop_length;
        if (const auto bad = check_entries(stream, at + 1, end, depth + 1); !bad.field.empty()) {
            return bad;
        }
        at = end - 1;
    }
    return {};
}

constexpr model_error check_stream(std::span<const instruction> stream) {
    if (stream.empty()) return stream_error(errc::missing);
    return check_entries(stream, 0, stream.size(), 0);
}

/// Calls `visit(entry, position, times)` for every entry that is no loop, once, with how often it
/// executes. The stream has been checked.
template <class Visitor>
constexpr void for_each_entry(std::span<const instruction> stream, std::size_t first,
                              std::size_t last, double times, Visitor& visit) {
    for (std::size_t at = first; at < last; ++at) {
        const instruction& i = stream[at];
        if (i.unit == unit_kind::loop) {
            const std::size_t end = at + 1 + i.loop_length;
            for_each_entry(stream, at + 1, end, times * static_cast<double>(i.loop_count), visit);
            at = end - 1;
        } else {
            visit(i, at, times);
        }
    }
}

/// Calls `visit(entry, position)` for every execution, in order, until it returns false.
template <class Visitor>
constexpr bool for_each_execution(std::span<const instruction> stream, std::size_t first,
                                  std::size_t last, Visitor& visit) {
    for (std::size_t at = first; at < last; ++at) {
        const instruction& i = stream[at];
        if (i.unit == unit_kind::loop) {
            const std::size_t end = at + 1 + i.loop_length;
            for (std::uint32_t round = 0; round < i.loop_count; ++round) {
                if (!for_each_execution(stream, at + 1, end, visit)) return false;
            }
            at = end - 1;
        } else if (!visit(i, at)) {
            return false;
        }
    }
    return true;
}

}  // namespace detail

/// How many instructions of each kind a thread executes.
struct instruction_mix {
    double comp_insts{};                     ///< all that do not access global memory, no barriers
    double coalesced_mem_insts{};            ///< global memory, one transaction per warp
    double uncoalesced_mem_insts{};          ///< global memory, several
    double sync_insts{};                     ///< barriers
    double transactions_per_uncoalesced{1};  ///< mean per warp; 1 where there are none
    double bytes_per_access{4};              ///< B per thread, mean; 4 where there are none

    /// All that a thread executes.
    [[nodiscard]] constexpr double executed() const noexcept {
        return comp_insts + coalesced_mem_insts + uncoalesced_mem_insts + sync_insts;
    }
};

/// Counts a stream. A barrier counts as `sync_insts` and not as a computation instruction.
[[nodiscard]] constexpr result<instruction_mix> mix_of(std::span<const instruction> stream) {
    if (const auto bad = detail::check_stream(stream); !bad.field.empty()) return bad;
    instruction_mix mix;
    double transactions = 0;
    double bytes = 0;
    auto count = [&](const instruction& i, std::size_t, double times) {
        if (i.unit == unit_kind::barrier) {
            mix.sync_insts += times;
        } else if (!is_memory(i)) {
            mix.comp_insts += times;
        } else {
            bytes += times * i.bytes;
            if (i.transactions <= 1) {
                mix.coalesced_mem_insts += times;
            } else {
                mix.uncoalesced_mem_insts += times;
                transactions += times * i.transactions;
            }
        }
    };
    detail::for_each_entry(stream, 0, stream.size(), 1, count);
    const double mem_insts = mix.coalesced_mem_insts + mix.uncoalesced_mem_insts;
    if (mem_insts > 0) mix.bytes_per_access = bytes / mem_insts;
    if (mix.uncoalesced_mem_insts > 0) {
        mix.transactions_per_uncoalesced = transactions / mix.uncoalesced_mem_insts;
    }
    return mix;
}

/// The profile with its counts taken from its instruction stream.
template <scalar Real>
[[nodiscard]] constexpr result<kernel_profile<Real>> with_mix(const kernel_profile<Real>& k) {
    const auto mix = mix_of(k.instructions);
    if (!mix) return mix.error();
    kernel_profile<Real> counted = k;
    counted.comp_insts = Real(mix->comp_insts);
    counted.coalesced_mem_insts = Real(mix->coalesced_mem_insts);
    counted.uncoalesced_mem_insts = Real(mix->uncoalesced_mem_insts);
    counted.sync_insts = Real(mix->sync_insts);
    counted.transactions_per_uncoalesced = Real(mix->transactions_per_uncoalesced);
    counted.bytes_per_access = Real(mix->bytes_per_access);
    return counted;
}

// --- Calculate periods

/// A computation task and the memory access task that follows it (Cheng & Suda 2011, sec. 3.2).
/// Either may be absent: the first task of a stream may be of memory, the last of computation.
struct calculate_period {
    double comp_cycles{};   ///< cycles of the computation task               c_i
    double mem_cycles{};    ///< cycles of the memory access task             m_i
    double mem_insts{};     ///< instructions of the memory access task
    double bytes{};         ///< B per thread that they move, together
    double transactions{};  ///< per warp that they take, together

    friend constexpr bool operator==(const calculate_period&, const calculate_period&) = default;
};

namespace detail {

/// Cuts executions into periods. Rounds of a loop that begin as the round before began are not
/// walked again but reported as so many times the same.
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
    }

    std::span<const instruction> stream_;
    Cost& cost_;
    Visitor& visit_;
    state now_{};
    double finished_ = 0;
};

}  // namespace detail

/// Calls `visit(period, previous, times)` for the calculate periods of a stream, in order, where
/// `times` rounds of a loop are alike: `period` occurs that often, each time after `previous`.
/// `cost(instruction)` gives the cycles of one. Before the first period, `previous` is empty.
template <class Cost, class Visitor>
[[nodiscard]] constexpr model_error for_each_period(std::span<const instruction> stream, Cost cost,
                                                    Visitor visit) {
    if (const auto bad = detail::check_stream(stream); !bad.field.empty()) return bad;
    detail::period_walker walker(stream, cost, visit);
    walker.walk();
    return {};
}

// --- The kernel instruction string

/// How many cycles one instruction of a warp holds its units, so that the string has that many
/// symbols for it: ceil(warp size / units).
struct sub_warps {
    std::uint32_t memory = 1;   ///< on load/store units, "L"
    std::uint32_t compute = 1;  ///< on CUDA cores, "C"
};

namespace detail {

/// As `for_each_execution` of the whole checked stream; false at once where more than `most_executed`
/// entries would be executed.
template <class Visitor>
constexpr bool for_each_bounded_execution(std::span<const instruction> stream, Visitor& visit) {
    const auto mix = mix_of(stream);
    if (!mix || mix->executed() > static_cast<double>(most_executed)) return false;
    return for_each_execution(stream, 0, stream.size(), visit);
}

/// Calls `visit('L')` or `visit('C')` for every execution but barriers, in order, until it returns
/// false; bounded likewise.
template <class Visitor>
constexpr bool for_each_symbol(std::span<const instruction> stream, Visitor visit) {
    auto each = [&](const instruction& i, std::size_t) {
        if (i.unit == unit_kind::barrier) return true;
        return visit(uses_load_store_units(i.unit) ? 'L' : 'C');
    };
    return for_each_bounded_execution(stream, each);
}

}  // namespace detail

/// Writes every execution as `L` (memory of any kind) or `C` (anything else; barriers left
/// out), as often as its sub-warps take (Berezovskyi et al. 2012, sec. 3 and fig. 1).
[[nodiscard]] inline result<std::vector<char>> kernel_instruction_string(
    std::span<const instruction> stream, sub_warps expansion = {}) {
    if (const auto bad = detail::check_stream(stream); !bad.field.empty()) return bad;
    if (expansion.memory == 0) return model_error{errc::not_positive, "memory"};
    if (expansion.compute == 0) return model_error{errc::not_positive, "compute"};
    std::vector<char> symbols;
    const bool all = detail::for_each_symbol(stream, [&](char symbol) {
        const std::size_t count = symbol == 'L' ? expansion.memory : expansion.compute;
        if (count > most_executed - symbols.size()) return false;
        symbols.insert(symbols.end(), count, symbol);
        return true;
    });
    if (!all) return detail::stream_error(errc::limit_reached);
    return symbols;
}

// --- The task list

/// One executed instruction and the earlier ones that it waits for (Chapuis et al. 2016, sec. 3.2).
struct task {
    static constexpr std::uint32_t none = 0xffff'ffff;

    unit_kind unit{};
    std::array<std::uint32_t, 3> after{none, none, none};  ///< positions in the task list

    friend constexpr bool operator==(const task&, const task&) = default;
};

/// Writes every execution as a task. A need for a result that no execution before it has produced
/// (of a loop's round before the first) waits for nothing.
[[nodiscard]] inline result<std::vector<task>> task_list(std::span<const instruction> stream) {
    if (const auto bad = detail::check_stream(stream); !bad.field.empty()) return bad;
    std::vector<task> tasks;
    std::vector<std::uint32_t> latest(stream.size(), task::none);
    auto write = [&](const instruction& i, std::size_t at) {
        task t{.unit = i.unit};
        for (std::size_t n = 0; n < i.needs.size(); ++n) {
            if (i.needs[n] == 0) continue;
            t.after[n] = latest[static_cast<std::size_t>(detail::needed_entry(at, i.needs[n]))];
        }
        latest[at] = static_cast<std::uint32_t>(tasks.size());
        tasks.push_back(t);
        return true;
    };
    if (!detail::for_each_bounded_execution(stream, write)) {
        return detail::stream_error(errc::limit_reached);
    }
    return tasks;
}

}  // namespace warpgauge

#endif
