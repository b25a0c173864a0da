// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstdint>
#include <map>
#include <sstream>

#include <warpgauge/report/table.hpp>

#include "commands.hpp"
#include "text.hpp"

namespace program {

namespace {

namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;
using warpgauge::unit_kind;

void write_mix(std::ostream& out, const ptx::traced_kernel& t) {
    report::table units({"unit", "instructions of a warp"});
    for (std::size_t u = 0; u < t.unit_insts.size(); ++u) {
        if (t.unit_insts[u] == 0) continue;
        units.add({name(static_cast<unit_kind>(u)), short_number(t.unit_insts[u])});
    }
    units.add({"all", short_number(t.warp_insts)});
    out << units << report::fixed(t.active_lanes, 1) << " of 32 lanes active; " << t.warps_traced
        << (t.warps_traced == 1 ? " warp of " : " warps of ") << t.blocks_traced
        << (t.blocks_traced == 1 ? " block" : " blocks") << " followed, for "
        << short_number(t.warps) << "\n\n";
}

// Accesses of one line of the source, of one kind and behaviour, together.
void write_accesses(std::ostream& out, const ptx::module& m, const ptx::traced_kernel& t) {
    struct sum {
        const ptx::memory_access* first{};
        double executions{}, lanes{};
    };
    std::vector<sum> sums;
    for (const ptx::memory_access& a : t.accesses) {
        const auto same = [&](const sum& s) {
            return s.first->opcode == a.opcode && s.first->source_line == a.source_line &&
                   s.first->source_file == a.source_file &&
                   s.first->transactions == a.transactions &&
                   s.first->min_transactions == a.min_transactions;
        };
        auto at = std::find_if(sums.begin(), sums.end(), same);
        if (at == sums.end()) at = sums.insert(at, {&a});
        at->executions += a.executions;
        at->lanes += a.executions * a.active_lanes;
    }
    report::table accesses(
        {"source", "access", "of a warp", "lanes", "transactions", "at best", "B moved"}, 2);
    for (const sum& s : sums) {
        const ptx::memory_access& a = *s.first;
        accesses.add({place_in_source(m, a.source_file, a.source_line, a.at), a.opcode,
                      short_number(s.executions), short_number(s.lanes / s.executions),
                      short_number(a.transactions) +
                          (a.unknown_address || a.unknown_base ? " (assumed)" : ""),
                      short_number(a.min_transactions),
                      a.unit == unit_kind::global_memory ? short_number(a.bytes_moved) : ""});
    }
    out << accesses
        << "Transactions of global memory for each execution, passes of shared memory.\n\n";
}

void write_assumptions(std::ostream& out, const ptx::module& m, const ptx::traced_kernel& t,
                       bool compiled) {
    out << "Assumed:\n";
    if (!compiled) {
        out << "  " << t.live_registers << " registers a thread, as many as are needed at a time\n";
    }
    out << "  arrays that no --arg places are apart, each aligned to 256 B\n";
    std::map<std::string, std::size_t> unknown_addresses, unknown_bases;
    for (const ptx::assumption& a : t.assumptions) {
        const std::string where = place_in_source(m, a.source_file, a.source_line, a.at);
        switch (a.what) {
            case ptx::assumed::branch:
                out << "  " << where << ": " << report::fixed(100 * a.value, 0)
                    << (a.by_warp ? "% of warps go to " : "% of lanes go to ") << a.label
                    << " (--taken)\n";
                break;
            case ptx::assumed::loop:
                out << "  " << where << ": the loop " << a.label << " runs "
                    << short_number(a.value) << " times (--rounds)\n";
                break;
            case ptx::assumed::predicate:
                out << "  " << where << ": executed by " << report::fixed(100 * a.value, 0)
                    << (a.by_warp ? "% of warps\n" : "% of lanes\n");
                break;
            case ptx::assumed::table:
                out << "  " << where << ": the first case of a table\n";
                break;
            case ptx::assumed::address: ++unknown_addresses[where]; break;
            case ptx::assumed::base: ++unknown_bases[where]; break;
            case ptx::assumed::callee:
                out << "  " << where << ": a function that is not in the text, not counted\n";
                break;
            case ptx::assumed::target:
                out << "  " << where << ": a call through an unknown pointer goes to " << a.label
                    << "\n";
                break;
            case ptx::assumed::copy:
                out << "  " << where << ": a copy moves " << short_number(a.value) << " B\n";
                break;
            case ptx::assumed::arrival:
                out << "  " << where << ": what a barrier waits for has come\n";
                break;
            case ptx::assumed::product:
                out << "  " << where << ": a matrix product of " << short_number(a.value)
                    << " multiply-adds\n";
                break;
            case ptx::assumed::texels:
                out << "  " << where << ": texels of neighbouring lanes side by side\n";
                break;
        }
    }
    for (const auto& [where, count] : unknown_addresses) {
        out << "  " << where << ": " << count << (count == 1 ? " access" : " accesses")
            << " whose address depends on data: a transaction for each lane, no bank conflict\n";
    }
    for (const auto& [where, count] : unknown_bases) {
        out << "  " << where << ": " << count << (count == 1 ? " access" : " accesses")
            << " of lanes side by side from where data says: from a multiple of 128 B on\n";
    }
}

}  // namespace

std::string details_of(const loaded_kernel& kernel, const followed_kernel& f) {
    std::ostringstream out;
    write_mix(out, f.trace);
    write_accesses(out, kernel.text(), f.trace);
    write_assumptions(out, kernel.text(), f.trace, f.compiled);
    out << '\n';
    return out.str();
}

}  // namespace program
