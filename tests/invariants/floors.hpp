// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_INVARIANTS_FLOORS_HPP
#define WARPGAUGE_TESTS_INVARIANTS_FLOORS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/sm/hierarchy.hpp>

#include "subject.hpp"

// The least times that no machine beats. Written down once more here, from the launch alone, and not with the functions
// of the models.

namespace invariants {

/// Cycles of an SM for one instruction of a warp: Hong & Kim's number, or else by the schedulers.
inline double issue_cycles_of(const any_device& d) {
    if (d.knows(device_group::issue)) return *d.get("issue_cycles");
    return 1 / (value_or(d, "warp_schedulers", 1) * value_or(d, "issues_per_scheduler", 1));
}

/// Bytes that memory instructions move: those of the threads, or the transactions where the device says how large they
/// are.
inline double counted_bytes(const any_device& d, const kernel_profile<>& k) {
    const double words = k.bytes_per_access * k.threads_per_block;
    const double warps = std::ceil(k.threads_per_block / *d.get("warp_size"));
    const double scattered =
        d.knows(device_group::transaction_size)
            ? k.transactions_per_uncoalesced * *d.get("dram_transaction_bytes") * warps
            : words;
    return k.blocks * (k.coalesced_mem_insts * words + k.uncoalesced_mem_insts * scattered);
}

inline double executed_insts(const kernel_profile<>& k) {
    return k.comp_insts + k.coalesced_mem_insts + k.uncoalesced_mem_insts;
}

/// Of a model that reads counts alone: every memory instruction is waited for.
inline hardware_floors counted_floors(const any_device& d, const launch_case& c) {
    const kernel_profile<>& k = c.numbers;
    const double cycle = 1 / *d.get("clock_hz");
    const double issue = issue_cycles_of(d);
    const double mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    const double waits = mem_insts * value_or(d, "dram_latency_cycles", 0);
    return {.issue_seconds = warps_of_sm(d, k) * executed_insts(k) * issue * cycle,
            .bytes_seconds = counted_bytes(d, k) / *d.get("dram_bytes_per_s"),
            .latency_seconds = (waits + executed_insts(k) * issue) * cycle};
}

/// Of a model that reads waits, sectors and traffic where they are known.
inline hardware_floors hierarchy_floors(const any_device& d, const launch_case& c) {
    const kernel_profile<>& k = c.numbers;
    hardware_floors f = counted_floors(d, c);
    const double cycle = 1 / *d.get("clock_hz");
    double warp_issue_cycles = executed_insts(k) * issue_cycles_of(d);
    if (d.knows(device_group::schedulers)) {  // these rather than `issue_cycles`
        warp_issue_cycles = executed_insts(k);
        f.issue_seconds = warps_of_sm(d, k) * warp_issue_cycles / *d.get("warp_schedulers") * cycle;
    }
    const double mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    f.latency_seconds = (mem_insts * *d.get("dram_latency_cycles") + warp_issue_cycles) * cycle;
    if (!d.knows(device_group::transaction_size)) {
        f.bytes_seconds =
            0;  // the model takes sectors, where the others take the words of the threads
    }
    const double moved = k.traffic.dram_read_bytes + k.traffic.dram_write_bytes;
    if (moved > 0) {
        f.bytes_seconds = moved / *d.get("dram_bytes_per_s");
    } else if (k.traffic.footprint_bytes > 0) {
        f.bytes_seconds = 0;  // part of it may be in L2
    } else if (k.accesses.load_sectors > 0) {
        f.bytes_seconds = k.blocks * std::ceil(k.threads_per_block / *d.get("warp_size")) *
                          k.accesses.load_sectors * sector_bytes / *d.get("dram_bytes_per_s");
    }
    if (k.waits.counted) {
        const double l2 = value_or(d, "l2_latency_cycles", *d.get("dram_latency_cycles"));
        const double l1 = value_or(d, "l1_latency_cycles", l2);
        f.latency_seconds =
            (k.waits.dram_waits * *d.get("dram_latency_cycles") +
             (k.waits.l2_waits + k.waits.steps) * std::min(l2, *d.get("dram_latency_cycles")) +
             k.waits.l1_waits * l1 + k.waits.arithmetic_wait_cycles + warp_issue_cycles) *
            cycle;
    }
    return f;
}

/// Cycles of one warp alone: every instruction after those whose results it needs and not before the one in front of
/// it; `latency(instruction)` cycles until its result is there.
template <class Latency>
double chain_cycles(const std::vector<instruction>& stream, const Latency& latency) {
    std::vector<double> ready(stream.size(), 0.0);
    double now = 0;
    double end = 0;
    auto execute = [&](const instruction& i, std::size_t at) {
        for (const std::int32_t need : i.needs) {
            if (need == 0) continue;
            now = std::max(now, ready[static_cast<std::size_t>(needed_entry(at, need))]);
        }
        ready[at] = now + latency(i);
        end = std::max(end, ready[at]);
        return true;
    };
    for_each_execution(stream, 0, stream.size(), execute);
    return end;
}

/// What all warps of a stream execute and move.
struct stream_work {
    double insts{};         ///< instructions of a warp
    double memory_insts{};  ///< of these, in global memory
    double bytes{};         ///< B of DRAM, of a block
};

inline stream_work work_of(const any_device& d, const launch_case& c) {
    const double warps = std::ceil(c.numbers.threads_per_block / *d.get("warp_size"));
    const double transaction = value_or(d, "dram_transaction_bytes", 0);
    stream_work w;
    auto count = [&](const instruction& i, std::size_t, double times) {
        if (i.unit == unit_kind::barrier) return;
        w.insts += times;
        if (!is_memory(i)) return;
        w.memory_insts += times;
        const bool scattered = i.transactions > 1 && transaction > 0;
        w.bytes += times * (scattered ? transaction * i.transactions * warps
                                      : i.bytes * c.numbers.threads_per_block);
    };
    for_each_entry(c.stream, 0, c.stream.size(), 1, count);
    return w;
}

/// Of a model that reads streams, with its own latencies and its own rate of issue.
template <class Latency>
hardware_floors stream_floors(const any_device& d, const launch_case& c, double issue_cycles,
                              const Latency& latency) {
    const stream_work w = work_of(d, c);
    const double cycle = 1 / *d.get("clock_hz");
    return {.issue_seconds = warps_of_sm(d, c.numbers) * w.insts * issue_cycles * cycle,
            .bytes_seconds = c.numbers.blocks * w.bytes / *d.get("dram_bytes_per_s"),
            .latency_seconds = chain_cycles(c.stream, latency) * cycle};
}

}  // namespace invariants

#endif
