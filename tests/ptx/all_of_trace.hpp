// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All that a trace says, as bytes to compare.
#ifndef WARPGAUGE_TESTS_PTX_ALL_OF_TRACE_HPP
#define WARPGAUGE_TESTS_PTX_ALL_OF_TRACE_HPP

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <warpgauge/ptx/trace/traced_kernel.hpp>

// Each structure is taken apart by a declaration that does not compile if it gets another member.
class all_of_trace {
public:
    explicit all_of_trace(const warpgauge::ptx::traced_kernel& t) { add(t); }

    [[nodiscard]] const std::string& bytes() const { return bytes_; }

private:
    template <class... Fields>
    void all(const Fields&... fields) {
        (add(fields), ...);
    }

    template <class Number>
    requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>) void add(Number n) {
        bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
    }
    void add(std::string_view text) {
        add(text.size());
        bytes_ += text;
    }
    template <class T, std::size_t N>
    void add(const std::array<T, N>& list) {
        for (const T& one : list) add(one);
    }
    template <class T>
    void add(const std::vector<T>& list) {
        add(list.size());
        for (const T& one : list) add(one);
    }

    void add(const warpgauge::compute_capability& c) { all(c.major, c.minor); }
    void add(const warpgauge::ptx::position& p) {
        const auto& [line, column] = p;
        all(line, column);
    }
    void add(const warpgauge::ptx::extent& e) {
        const auto& [x, y, z] = e;
        all(x, y, z);
    }
    void add(const warpgauge::ptx::launch& l) {
        const auto& [grid, block, shared, cluster] = l;
        all(grid, block, shared, cluster);
    }
    void add(const warpgauge::lane_operations<>& o) {
        const auto& [fp32, fp64, integer, special, tensor] = o;
        all(fp32, fp64, integer, special, tensor);
    }
    void add(const warpgauge::memory_accesses<>& m) {
        const auto& [loads, full, partial, lines, broadcast] = m;
        all(loads, full, partial, lines, broadcast);
    }
    void add(const warpgauge::dependent_waits<>& w) {
        const auto& [counted, dram, l2, l1, store, cycles, steps, longest, reused] = w;
        all(counted, dram, l2, l1, store, cycles, steps, longest, reused);
    }
    void add(const warpgauge::instruction& i) {
        const auto& [unit, op, second, bytes, transactions, async, left, lines, sharing, needs,
                     length, count, fmas] = i;
        all(unit, op, second, bytes, transactions, async, left, lines, sharing, needs, length,
            count, fmas);
    }
    void add(const warpgauge::ptx::memory_access& a) {
        const auto& [opcode, at, file, line, unit, stores, atomic, bytes, executions, lanes,
                     transactions, least, most, moved, lines, same, uncoalesced, turns, address,
                     base] = a;
        all(opcode, at, file, line, unit, stores, atomic, bytes, executions, lanes, transactions,
            least, most, moved, lines, same, uncoalesced, turns, address, base);
    }
    void add(const warpgauge::ptx::assumption& a) {
        const auto& [what, at, file, line, label, value, executions, by_warp] = a;
        all(what, at, file, line, label, value, executions, by_warp);
    }
    void add(const warpgauge::ptx::tensor_instruction& t) {
        const auto& [at, executions, fmas] = t;
        all(at, executions, fmas);
    }
    void add(const warpgauge::ptx::executed_line& l) {
        const auto& [line, executions] = l;
        all(line, executions);
    }
    void add(const warpgauge::ptx::executed_loop& l) {
        const auto& [first, last, rounds, ways, leave] = l;
        all(first, last, rounds, ways, leave);
    }
    void add(const warpgauge::ptx::line_run& r) {
        const auto& [first, last, times] = r;
        all(first, last, times);
    }
    void add(const warpgauge::ptx::sampling_errors& e) {
        const auto& [insts, lanes, divergent, units, moved, coalesced_moved, coalesced, uncoalesced,
                     transactions, passes, load_passes, store_passes, turns, loads, full, partial,
                     stores, lines, broadcasts, steps, longest, l1, store_waits, reused, footprint,
                     loaded, stored] = e;
        all(insts, lanes, divergent, units, moved, coalesced_moved, coalesced, uncoalesced,
            transactions, passes, load_passes, store_passes, turns, loads, full, partial, stores,
            lines, broadcasts, steps, longest, l1, store_waits, reused, footprint, loaded, stored);
    }
    void add(const warpgauge::ptx::traced_kernel& t) {
        const auto& [name, launch, capability, warps, warps_traced, blocks_traced, steps, errors,
                     insts, lanes, divergent, units, coalesced, uncoalesced, transactions, moved,
                     coalesced_moved, fmas, turns, ops, load_passes, store_passes, touched, waits,
                     footprint, loaded, stored, local, frame, shared, registers, accesses, products,
                     assumptions, stream, sources, block, warp, executed, loops, path] = t;
        all(name, launch, capability, warps, warps_traced, blocks_traced, steps, errors, insts,
            lanes, divergent, units, coalesced, uncoalesced, transactions, moved, coalesced_moved,
            fmas, turns, ops, load_passes, store_passes, touched, waits, footprint, loaded, stored,
            local, frame, shared, registers, accesses, products, assumptions, stream, sources,
            block, warp, executed, loops, path);
    }

    std::string bytes_;
};

#endif
