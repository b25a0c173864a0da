// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_MACHINE_STREAM_HPP
#define WARPGAUGE_SASS_MACHINE_STREAM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/trace/access_entry.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sass/blocks.hpp>
#include <warpgauge/sass/instruction.hpp>
#include <warpgauge/sass/join.hpp>

/// \file Machine code as an instruction stream, for the models that simulate one.
///
/// The stream has the instructions of the mean warp, rounded to whole rounds: a block or a loop appears as often as
/// the warp executes it, to a whole number, in the order of the code. The control bits give the dependences:
/// - a barrier that an instruction waits for represents the result of the last instruction before that sets it, and in
///   a loop also that of the round before;
/// - a stall of as many cycles as an arithmetic result takes represents the result of the instruction itself. That
///   is 4 cycles since Volta (Z. Jia et al., arXiv:1804.06826, tbl. 4.1, and arXiv:1903.07486).
/// - `LDGSTS` is an asynchronous copy, `LDGDEPBAR` closes a group of them and sets a barrier, and `DEPBAR` waits for all but
/// the newest groups of that barrier.
/// - `UBLKCP` and `UTMALDG` are copies in bulk where their line of PTX loads by one. `SYNCS.PHASECHK` then waits for all but
/// as many of the newest as most waits in the trace's stream leave: the code does not say which copies announce themselves
/// at an `mbarrier`. One warp makes copies in bulk for its block; in the stream, which all warps execute,
/// each makes its part of them, even if most warps jump around these.
/// - `HGMMA`, `IGMMA`, `BGMMA` and `QGMMA` have the work of their columns; `WARPGROUP.DEPBAR` waits for the groups of them that it
/// does not leave. Other products have their part of what their line of PTX multiplies.
/// The stream does not have barriers that protect operands from being overwritten, and no `DEPBAR` whose barrier is not
/// set by `LDGDEPBAR`.

namespace WARPGAUGE_NAMESPACE::sass {

/// The machine code that a warp executes, as a stream.
struct machine_stream {
    std::vector<warpgauge::instruction> instructions{};  ///< loops rolled up
    double warp_insts{};                                 ///< instructions that the stream executes
    double misplaced_insts{};  ///< executions of the mean warp that whole rounds add or leave out
    /// Executed, of operations that `opcode_table.hpp` does not have: as integer ones.
    double unknown_insts{};
};

/// The stream of code that was joined with `trace`.
/// \param max_entries the maximum length of the stream
/// \errors missing        `instructions`: nothing of the code is executed
///         limit_reached  `entries`: the stream is longer; `loops`: they are nested too deep
template <class = core::when_used>
[[nodiscard]] result<machine_stream> stream_of(const executed_code& executed,
                                               const ptx::traced_kernel& trace,
                                               std::size_t max_entries = 65'536);

namespace detail {

/// The unit that represents a pipe, if it moves no data of the kernel.
constexpr unit_kind unit_of(pipe p) noexcept {
    switch (p) {
        case pipe::fp32:
        case pipe::half: return unit_kind::single_precision;
        case pipe::fp64: return unit_kind::double_precision;
        case pipe::special: return unit_kind::special_function;
        case pipe::tensor: return unit_kind::tensor;
        case pipe::shared_load:
        case pipe::shared_store:
        case pipe::shared_atomic: return unit_kind::shared_memory;
        case pipe::local_load:
        case pipe::local_store:
        case pipe::constant_load: return unit_kind::l1_cache;
        case pipe::global_load:
        case pipe::global_store:
        case pipe::global_atomic:
        case pipe::texture: return unit_kind::global_memory;
        case pipe::branch: return unit_kind::branch;
        case pipe::barrier: return unit_kind::barrier;
        default: return unit_kind::integer;
    }
}

/// What an instruction computes, if the integers of an SM may have a rate for it.
constexpr operation operation_of(const machine_instruction& i) noexcept {
    if (i.pipe == pipe::integer_fma) return operation::mul;
    if (i.pipe != pipe::alu) return operation::other;
    switch (i.code & 0x1ffU) {
        case 0x009:                             // FMNMX
        case 0x00f:                             // VIMNMX3
        case 0x017:                             // IMNMX
        case 0x048: return operation::min;      // VIMNMX
        case 0x00a:                             // FSET
        case 0x00b:                             // FSETP
        case 0x00c: return operation::compare;  // ISETP
        case 0x010:                             // IADD3
        case 0x036: return operation::add;      // VIADD
        case 0x012: return operation::logic;    // LOP3
        case 0x019: return operation::shift;    // SHF
        default: return operation::other;
    }
}

/// Pipes whose results always take the same few cycles, for which the code stalls.
constexpr bool has_fixed_latency(pipe p) noexcept {
    return p == pipe::fp32 || p == pipe::half || p == pipe::integer_fma || p == pipe::alu ||
           p == pipe::uniform;
}

/// The accesses and products of a trace by their line, and the issues of the machine instructions of the line.
template <class Used = core::when_used>
class accesses_by_line {
public:
    accesses_by_line(const ptx::traced_kernel& trace, const executed_code& executed) {
        for (const ptx::memory_access& a : trace.accesses) {
            const ptx::memory_access*& most = line(a.at.line).access;
            if (most == nullptr || most->executions <= a.executions) most = &a;
        }
        for (const ptx::tensor_instruction& p : trace.products) line(p.at.line).product = &p;
        for (std::uint32_t b = 0; b < executed.graph.blocks.size(); ++b) {
            const basic_block& block = executed.graph.blocks[b];
            for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
                const machine_instruction& i = executed.code.instructions[n];
                if ((accesses(i) || i.pipe == pipe::tensor) && i.line < lines_.size()) {
                    lines_[i.line].issued += executed.block_executions[b];
                }
            }
        }
    }

    /// The access that a machine instruction comes from; null: none.
    [[nodiscard]] const ptx::memory_access* find(const machine_instruction& i) const {
        return accesses(i) && i.line < lines_.size() ? lines_[i.line].access : nullptr;
    }

    /// The access of PTX that an executed instruction makes, as a fraction of its issues.
    [[nodiscard]] double carried_out(const machine_instruction& i) const {
        return lines_[i.line].access->executions / lines_[i.line].issued;
    }

    /// Multiply-adds of half precision that take as long as an instruction; 0: not known. Four warps share a product of 64 rows,
    /// a depth of 32 B and these columns. One thread orders those of `tcgen05` for all warps.
    [[nodiscard]] std::uint32_t tensor_fmas_of(const machine_instruction& i) const {
        if (i.columns != 0) return i.columns * (64 / 4 * 16U);
        const bool is_ordered = (i.code & 0x1ffU) == 0x1ea;  // UTCHMMA
        if (i.pipe != pipe::tensor || is_ordered || i.line >= lines_.size()) return 0;
        const on_line& l = lines_[i.line];
        if (l.product == nullptr || !(l.issued > 0)) return 0;
        const double fmas = l.product->tensor_fmas * l.product->executions / l.issued;
        return fmas < 0x1p31 ? static_cast<std::uint32_t>(core::floor(fmas + 0.5)) : 0;
    }

    /// Whether a predicate mostly keeps all lanes out of it.
    [[nodiscard]] bool is_mostly_off(const machine_instruction& i) const {
        return i.conditional && find(i) != nullptr && carried_out(i) < 0.5;
    }

    /// Whether it begins a copy in bulk from or to global memory.
    [[nodiscard]] bool copies_in_bulk(const machine_instruction& i) const {
        if (!is_in_bulk(i.code & 0x1ffU)) return false;
        const ptx::memory_access* const a = find(i);
        return a != nullptr && a->unit == unit_kind::global_memory;
    }

private:
    struct on_line {
        const ptx::memory_access* access = nullptr;
        const ptx::tensor_instruction* product = nullptr;
        double issued = 0;
    };

    on_line& line(std::uint32_t n) {
        if (n >= lines_.size()) lines_.resize(n + 1);
        return lines_[n];
    }

    [[nodiscard]] static bool accesses(const machine_instruction& i) {
        return i.line != 0 && uses_load_store_units(unit_of(i.pipe));
    }

    core::late<Used, std::vector<on_line>> lines_;
};

/// The results of written instructions for which later ones wait.
class scoreboards {
public:
    static constexpr std::uint32_t count = 6;
    static constexpr std::uint32_t none = 0xffff'ffff;

    /// The entry that set barrier `b` last.
    [[nodiscard]] std::uint32_t setter(std::uint32_t b) const {
        return b < count ? setters_[b] : none;
    }
    void set(std::uint32_t b, std::uint32_t entry) {
        if (b < count) setters_[b] = entry;
    }

private:
    std::array<std::uint32_t, count> setters_{none, none, none, none, none, none};
};

/// Whether it may copy in bulk to shared memory, where an `mbarrier` waits for it: `UTMALDG`, `UBLKCP`.
constexpr bool loads_in_bulk(const machine_instruction& i) noexcept {
    const std::uint32_t operation = i.code & 0x1ffU;
    return operation == 0x1b4 || operation == 0x1ba;
}

/// Whether it asks an `mbarrier` if it is passed: `SYNCS.PHASECHK`.
constexpr bool asks_barrier(const machine_instruction& i) noexcept {
    return i.code == 0x5a7;
}

/// How many of the newest copies most executions of waits at an `mbarrier` leave in a stream; 0 without any.
template <class = core::when_used>
std::uint8_t left_by_waits(std::span<const warpgauge::instruction> stream) {
    double executed[std::size_t{max_groups_left} + 1]{};
    const auto count = [&](const warpgauge::instruction& i, std::size_t, double times) {
        const bool asks = i.async == async_step::wait && i.unit == unit_kind::shared_memory;
        if (asks && i.groups_left <= max_groups_left) executed[i.groups_left] += times;
    };
    for_each_entry(stream, 0, stream.size(), 1, count);
    std::uint8_t found = 0;
    for (std::uint8_t left = 1; left <= max_groups_left; ++left) {
        if (executed[left] > executed[found]) found = left;
    }
    return found;
}

/// What an operation does with asynchronous copies of a few bytes a lane, except waits.
constexpr async_step async_step_of(const machine_instruction& i) noexcept {
    switch (i.code & 0x1ff) {
        case 0x1ae: return async_step::copy;    // LDGSTS
        case 0x1af: return async_step::commit;  // LDGDEPBAR
        default: return async_step::none;
    }
}

/// Makes an entry read the result of another one, unless that is a copy, or the entry already reads three results
/// (one for a wait for copies).
inline void add_need(std::vector<warpgauge::instruction>& stream, std::uint32_t entry,
                     std::uint32_t of) {
    const std::int32_t need =
        entry == of ? own_result : static_cast<std::int32_t>(entry) - static_cast<std::int32_t>(of);
    if (is_async_copy(stream[of])) return;
    const std::size_t most = waits_for_copies(stream[entry]) ? 1 : stream[entry].needs.size();
    for (std::size_t n = 0; n < most; ++n) {
        std::int32_t& place = stream[entry].needs[n];
        if (place == need) return;
        if (place != 0) continue;
        place = need;
        return;
    }
}

template <class Used = core::when_used>
class stream_writer {
public:
    stream_writer(const executed_code& executed, const ptx::traced_kernel& trace,
                  std::size_t max_entries)
        : executed_(executed), accesses_(trace, executed), max_entries_(max_entries) {
        loop_from_.assign(executed.graph.blocks.size(), no_block);
        for (std::uint32_t n = 0; n < executed.graph.loops.size(); ++n) {
            loop_from_[executed.graph.loops[n].head] = n;
        }
        left_at_barriers_ = left_by_waits<Used>(trace.stream);
        begins_copies_.assign(executed.graph.blocks.size(), false);
        for (std::uint32_t b = 0; b < executed.graph.blocks.size(); ++b) {
            const basic_block& block = executed.graph.blocks[b];
            for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
                if (!accesses_.copies_in_bulk(executed.code.instructions[n])) continue;
                begins_copies_[b] = true;
                if (executed.block_executions[b] > 0) any_in_bulk_ = true;
            }
        }
    }

    result<machine_stream> write() {
        write(0, static_cast<std::uint32_t>(executed_.graph.blocks.size()), no_block, 1, 0);
        if (failure_) return failure_;
        if (made_.instructions.empty()) return model_error{errc::missing, "instructions"};
        return made_;
    }

private:
    // A wait for a barrier, and who had set it.
    struct wait {
        std::uint32_t entry{}, barrier{}, setter{};
    };
    // A wait for products, and how many groups of them are closed before it.
    struct product_wait {
        std::uint32_t entry{}, groups_left{};
        std::size_t closed{};
    };

    // Blocks from `first` to before `last`, inside a loop that begins at block `head`, which the stream so far executes
    // `times` times.
    void write(std::uint32_t first, std::uint32_t last, std::uint32_t head, double times,
               int depth) {
        if (depth > max_nested_loops) return fail("loops");
        for (std::uint32_t b = first; b < last && !failure_;) {
            const block_loop* const inner = b == head ? nullptr : loop_at(b, last);
            const std::uint32_t end = inner == nullptr ? b + 1 : inner->last + 1;
            double rounds = rounds_of(b, inner != nullptr, times);
            if (rounds == 0 && copies_in(b, end)) rounds = 1;
            if (rounds == 0) {
                leave_out(b, end);
            } else {
                repeat(rounds, times, depth, [&](double all) {
                    if (inner == nullptr) return write_block(b, all);
                    write(b, end, b, all, depth + 1);
                });
            }
            b = end;
        }
    }

    // A loop from block `b` that ends before `last`.
    [[nodiscard]] const block_loop* loop_at(std::uint32_t b, std::uint32_t last) const {
        if (loop_from_[b] == no_block) return nullptr;
        const block_loop& l = executed_.graph.loops[loop_from_[b]];
        return l.last < last ? &l : nullptr;
    }

    // How often a loop, or a block, stands in each of the `times`.
    [[nodiscard]] double rounds_of(std::uint32_t b, bool is_loop, double times) const {
        const basic_block& block = executed_.graph.blocks[b];
        if (!block.reachable) return 0;
        constexpr double most = 4e9;  // as `loop_count` holds
        const double rounds = core::min(executed_.block_executions[b] / times, most);
        const double nearest = core::floor(rounds + 0.5);
        const double least = core::floor(rounds);
        if (is_loop || (rounds - nearest < 0.1 && nearest - rounds < 0.1)) return nearest;
        // Where lanes part, blocks stand for each other: in all, as many instructions as are executed.
        const double missing = missing_ + (rounds - least) * times * block.count;
        return missing > 0.5 * times * block.count ? least + 1 : least;
    }

    // Whether any block executes a copy in bulk, of those from `first` to before `last`.
    [[nodiscard]] bool copies_in(std::uint32_t first, std::uint32_t last) const {
        for (std::uint32_t b = first; b < last; ++b) {
            const bool executed =
                executed_.graph.blocks[b].reachable && executed_.block_executions[b] > 0;
            if (executed && begins_copies_[b]) return true;
        }
        return false;
    }

    void leave_out(std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t b = first; b < last; ++b) {
            if (!executed_.graph.blocks[b].reachable) continue;
            misplace(executed_.block_executions[b] * executed_.graph.blocks[b].count);
        }
    }

    // What `body` writes, as a loop if there is more than one round.
    template <class Body>
    void repeat(double rounds, double times, int depth, Body body) {
        if (rounds < 2) return body(times);
        if (depth == max_nested_loops) return fail("loops");
        const std::size_t head = made_.instructions.size();
        const std::size_t waits_before = waits_.size();
        const std::size_t product_waits_before = product_waits_.size();
        const std::size_t closed_before = closed_.size();
        if (!add(loop(0, static_cast<std::uint32_t>(rounds)))) return;
        body(times * rounds);
        const std::size_t length = made_.instructions.size() - head - 1;
        if (length == 0) {
            made_.instructions.pop_back();
            return;
        }
        made_.instructions[head].loop_length = static_cast<std::uint32_t>(length);
        wait_for_round_before(static_cast<std::uint32_t>(head), waits_before);
        wait_for_products_before(product_waits_before, closed_before);
    }

    // Waits whose barrier nothing sets before them in the loop, but something behind them.
    void wait_for_round_before(std::uint32_t head, std::size_t first_wait) {
        for (std::size_t n = first_wait; n < waits_.size(); ++n) {
            const wait& w = waits_[n];
            const bool in_this_round = w.setter != scoreboards::none && w.setter > head;
            const std::uint32_t setter = boards_.setter(w.barrier);
            if (in_this_round || setter == scoreboards::none || setter < w.entry) continue;
            add_need(made_.instructions, w.entry, setter);
        }
    }

    void write_block(std::uint32_t b, double times) {
        const basic_block& block = executed_.graph.blocks[b];
        issues_of_entry_ = executed_.block_executions[b] / times;
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
            write(executed_.code.instructions[n], times);
        }
        misplace((executed_.block_executions[b] - times) * block.count);
    }

    void misplace(double missing) {
        missing_ += missing;
        made_.misplaced_insts += missing < 0 ? -missing : missing;
    }

    void write(const machine_instruction& i, double times) {
        if (!add(entry_of(i))) return;
        const auto entry = static_cast<std::uint32_t>(made_.instructions.size() - 1);
        for (std::uint32_t b = 0; b < scoreboards::count; ++b) {
            if ((i.control.wait_mask >> b & 1) == 0) continue;
            const std::uint32_t setter = boards_.setter(b);
            if (setter != scoreboards::none) add_need(made_.instructions, entry, setter);
            waits_.push_back({entry, b, setter});
        }
        if (i.counted_barrier == product_groups) wait_for_products(entry, i.groups_left);
        if (i.closes_group) closed_.push_back(entry);
        if (awaited_ != scoreboards::none) add_need(made_.instructions, entry, awaited_);
        constexpr std::uint8_t arithmetic_cycles = 4;
        const bool waits = has_fixed_latency(i.pipe) && i.control.stall_cycles >= arithmetic_cycles;
        awaited_ = waits ? entry : scoreboards::none;
        boards_.set(i.control.write_barrier, entry);
        made_.warp_insts += times;
        if (i.pipe == pipe::unknown) made_.unknown_insts += times;
    }

    [[nodiscard]] warpgauge::instruction entry_of(const machine_instruction& i) const {
        warpgauge::instruction e{.unit = unit_of(i.pipe), .op = operation_of(i)};
        e.tensor_fmas = accesses_.tensor_fmas_of(i);
        if (!uses_load_store_units(e.unit)) {
            write_step(e, i);
            return e;
        }
        if (any_in_bulk_ && asks_barrier(i)) {
            return {.unit = unit_kind::shared_memory,
                    .bytes = 8,
                    .async = async_step::wait,
                    .groups_left = left_at_barriers_};
        }
        if (accesses_.copies_in_bulk(i)) {
            e = entry_of(*accesses_.find(i), accesses_.carried_out(i) * issues_of_entry_);
            e.lines = 0;  // L1 does not look them up one by one
            if (loads_in_bulk(i) && !accesses_.find(i)->stores) e.async = async_step::bulk;
            return e;
        }
        if (accesses_.is_mostly_off(i)) return {.unit = unit_kind::integer};
        if (const ptx::memory_access* const a = accesses_.find(i)) {
            e = entry_of(*a);
            if (e.unit == unit_kind::global_memory) e.async = async_step_of(i);
            return e;
        }
        e.async = async_step_of(i);
        e.bytes = i.pipe == pipe::constant_load ? std::uint8_t{1}  // one word for all lanes
                  : i.lane_bytes > 0            ? i.lane_bytes
                                                : std::uint8_t{4};
        return e;
    }

    // For all groups of products but the newest ones.
    void wait_for_products(std::uint32_t entry, std::uint8_t groups_left) {
        product_waits_.push_back({entry, groups_left, closed_.size()});
        if (groups_left >= closed_.size()) return;
        add_need(made_.instructions, entry, closed_[closed_.size() - 1 - groups_left]);
    }

    // The same in a loop, of groups that the round before has closed.
    void wait_for_products_before(std::size_t first_wait, std::size_t first_closed) {
        const std::size_t closed = closed_.size() - first_closed;
        for (std::size_t n = first_wait; n < product_waits_.size(); ++n) {
            const product_wait& w = product_waits_[n];
            const std::size_t in_this_round = w.closed - first_closed;
            if (w.groups_left < in_this_round || w.groups_left >= in_this_round + closed) continue;
            const std::size_t last = first_closed + in_this_round + closed - 1;
            add_need(made_.instructions, w.entry, closed_[last - w.groups_left]);
        }
    }

    // An instruction that closes a group of copies, or waits for some.
    void write_step(warpgauge::instruction& e, const machine_instruction& i) const {
        e.async = async_step_of(i);
        const std::uint32_t setter = boards_.setter(i.counted_barrier);
        if (setter == scoreboards::none || !closes_group(made_.instructions[setter])) return;
        e.async = async_step::wait;
        e.groups_left = i.groups_left;
    }

    // So much of an access of PTX: ptxas makes one of several of them where they touch the same sectors or banks.
    [[nodiscard]] static warpgauge::instruction entry_of(const ptx::memory_access& a,
                                                         double part = 1) {
        warpgauge::instruction e{.unit = a.unit};
        ptx::write_access(e, {.lane_bytes = core::max(a.bytes_per_lane, 1U),
                              .transactions = part * a.transactions,
                              .bytes_moved = part * a.bytes_moved,
                              .lines = a.lines});
        return e;
    }

    bool add(const warpgauge::instruction& i) {
        if (made_.instructions.size() >= max_entries_) {
            fail("entries");
            return false;
        }
        made_.instructions.push_back(i);
        return true;
    }

    void fail(std::string_view field) { failure_ = {errc::limit_reached, field}; }

    const executed_code& executed_;
    accesses_by_line<Used> accesses_;
    std::size_t max_entries_;
    core::late<Used, std::vector<std::uint32_t>> loop_from_;  // by block: the loop that it heads
    core::late<Used, machine_stream> made_;
    core::late<Used, std::vector<wait>> waits_;
    core::late<Used, std::vector<product_wait>> product_waits_;
    core::late<Used, std::vector<std::uint32_t>> closed_;  // entries that close a group of products
    scoreboards boards_;
    core::late<Used, std::vector<bool>> begins_copies_;  // by block: in bulk
    bool any_in_bulk_ = false;                           // any is executed
    std::uint8_t left_at_barriers_ = 0;                  // copies in bulk that waits leave
    double issues_of_entry_ = 1;  // of the mean warp, each time that the stream executes the block
    double missing_ = 0;          // executions of the mean warp that the stream so far has not
    std::uint32_t awaited_ = scoreboards::none;  // the entry before, if the next one waits for it
    model_error failure_{};
};

}  // namespace detail

template <class Used>
result<machine_stream> stream_of(const executed_code& executed, const ptx::traced_kernel& trace,
                                 std::size_t max_entries) {
    return detail::stream_writer<Used>(executed, trace, max_entries).write();
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
