// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_PTX_SAME_COUNTS_HPP
#define WARPGAUGE_TESTS_PTX_SAME_COUNTS_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

// Which counts of two traces differ: of one that multiplies rounds, and of one that follows all.

namespace same_counts {

namespace ptx = warpgauge::ptx;

/// The numbers that differ, by name.
class comparison {
public:
    void number(std::string_view name, double a, double b) {
        // Weights are fractions where warps stand for others, and sums of these are rounded.
        if (std::abs(a - b) <= 1e-9 * std::abs(b)) return;
        differences_ +=
            std::string(name) + ' ' + std::to_string(a) + " instead of " + std::to_string(b) + "; ";
    }
    void access(const ptx::memory_access& a, const ptx::memory_access& b) {
        const std::string at = "line " + std::to_string(b.at.line) + ' ';
        number(at + "place", a.at.line, b.at.line);
        number(at + "unit", static_cast<double>(a.unit), static_cast<double>(b.unit));
        number(at + "executions", a.executions, b.executions);
        number(at + "active_lanes", a.active_lanes, b.active_lanes);
        number(at + "transactions", a.transactions, b.transactions);
        number(at + "min_transactions", a.min_transactions, b.min_transactions);
        number(at + "max_transactions", a.max_transactions, b.max_transactions);
        number(at + "bytes_moved", a.bytes_moved, b.bytes_moved);
        number(at + "lines", a.lines, b.lines);
        number(at + "uncoalesced", a.uncoalesced, b.uncoalesced);
        number(at + "turns", a.turns, b.turns);
        number(at + "unknown_address", a.unknown_address, b.unknown_address);
        number(at + "unknown_base", a.unknown_base, b.unknown_base);
    }
    [[nodiscard]] const std::string& differences() const { return differences_; }

private:
    std::string differences_{};
};

/// The path with runs of the same lines that follow each other in one.
inline std::vector<std::array<std::uint64_t, 3>> lines_in_order(const ptx::traced_kernel& t) {
    std::vector<std::array<std::uint64_t, 3>> all;
    for (const ptx::line_run& run : t.path) {
        if (!all.empty() && all.back()[0] == run.first_line && all.back()[1] == run.last_line) {
            all.back()[2] += run.times;
        } else {
            all.push_back({run.first_line, run.last_line, run.times});
        }
    }
    return all;
}

inline void compare_waits(const ptx::traced_kernel& a, const ptx::traced_kernel& b, comparison& c) {
    c.number("steps", a.waits.steps, b.waits.steps);
    c.number("longest_steps", a.waits.longest_steps, b.waits.longest_steps);
    c.number("l1_waits", a.waits.l1_waits, b.waits.l1_waits);
    c.number("store_waits", a.waits.store_waits, b.waits.store_waits);
}

inline void compare_touched(const ptx::traced_kernel& a, const ptx::traced_kernel& b,
                            comparison& c) {
    c.number("load_sectors", a.touched.load_sectors, b.touched.load_sectors);
    c.number("full_store_sectors", a.touched.full_store_sectors, b.touched.full_store_sectors);
    c.number("partial_store_sectors", a.touched.partial_store_sectors,
             b.touched.partial_store_sectors);
    c.number("lines", a.touched.lines, b.touched.lines);
    c.number("footprint_bytes", a.footprint_bytes, b.footprint_bytes);
    c.number("loaded_bytes", a.loaded_bytes, b.loaded_bytes);
    c.number("stored_bytes", a.stored_bytes, b.stored_bytes);
}

inline void compare_instructions(const ptx::traced_kernel& a, const ptx::traced_kernel& b,
                                 comparison& c) {
    c.number("warp_insts", a.warp_insts, b.warp_insts);
    c.number("active_lanes", a.active_lanes, b.active_lanes);
    c.number("divergent_insts", a.divergent_insts, b.divergent_insts);
    for (std::size_t u = 0; u < a.unit_insts.size(); ++u) {
        c.number("unit_insts " + std::to_string(u), a.unit_insts[u], b.unit_insts[u]);
    }
    c.number("coalesced_mem_insts", a.coalesced_mem_insts, b.coalesced_mem_insts);
    c.number("uncoalesced_mem_insts", a.uncoalesced_mem_insts, b.uncoalesced_mem_insts);
    c.number("transactions", a.transactions, b.transactions);
    c.number("bytes_moved", a.bytes_moved, b.bytes_moved);
    c.number("coalesced_bytes_moved", a.coalesced_bytes_moved, b.coalesced_bytes_moved);
    c.number("atomic_turns", a.atomic_turns, b.atomic_turns);
    c.number("shared_load_passes", a.shared_load_passes, b.shared_load_passes);
    c.number("shared_store_passes", a.shared_store_passes, b.shared_store_passes);
    c.number("integer_ops", a.ops.integer_ops, b.ops.integer_ops);
    c.number("fp32_ops", a.ops.fp32_ops, b.ops.fp32_ops);
}

inline void compare_lists(const ptx::traced_kernel& a, const ptx::traced_kernel& b, comparison& c) {
    c.number("accesses", static_cast<double>(a.accesses.size()),
             static_cast<double>(b.accesses.size()));
    for (std::size_t n = 0; n < a.accesses.size() && n < b.accesses.size(); ++n) {
        c.access(a.accesses[n], b.accesses[n]);
    }
    c.number("lines of the text", static_cast<double>(a.lines.size()),
             static_cast<double>(b.lines.size()));
    for (std::size_t n = 0; n < a.lines.size() && n < b.lines.size(); ++n) {
        c.number("executions of line " + std::to_string(b.lines[n].line), a.lines[n].executions,
                 b.lines[n].executions);
    }
    c.number("assumptions", static_cast<double>(a.assumptions.size()),
             static_cast<double>(b.assumptions.size()));
    for (std::size_t n = 0; n < a.assumptions.size() && n < b.assumptions.size(); ++n) {
        c.number("assumed in line " + std::to_string(b.assumptions[n].at.line),
                 a.assumptions[n].executions, b.assumptions[n].executions);
    }
    c.number("path", lines_in_order(a) == lines_in_order(b) ? 1 : 0, 1);
}

inline void compare_streams(const ptx::traced_kernel& a, const ptx::traced_kernel& b,
                            comparison& c) {
    c.number("entries of the stream", static_cast<double>(a.stream.size()),
             static_cast<double>(b.stream.size()));
    for (std::size_t n = 0; n < a.stream.size() && n < b.stream.size(); ++n) {
        const warpgauge::instruction& x = a.stream[n];
        const warpgauge::instruction& y = b.stream[n];
        const bool same = x.unit == y.unit && x.loop_count == y.loop_count &&
                          x.transactions == y.transactions && x.needs == y.needs;
        c.number("entry " + std::to_string(n) + " of the stream", same ? 1 : 0, 1);
    }
}

/// Empty where all counts of `a` are those of `b`.
inline std::string differences(const ptx::traced_kernel& a, const ptx::traced_kernel& b) {
    comparison c;
    compare_instructions(a, b, c);
    compare_touched(a, b, c);
    compare_waits(a, b, c);
    compare_lists(a, b, c);
    compare_streams(a, b, c);
    return c.differences();
}

}  // namespace same_counts

#endif
