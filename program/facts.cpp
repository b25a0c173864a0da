// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/trace/contention.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "models.hpp"
#include "text.hpp"

namespace program {

void check_one_gpu(const request& r) {
    if (r.devices.size() != 1)
        fail_usage("--device is needed, once: a GPU, as h100; warpgauge devices lists all");
}

void check_one_model(const request& r) {
    if (r.models.size() > 1) fail_usage("--model is taken once");
}

launch_on_gpu::launch_on_gpu(const request& r)
    : gpu((check_one_gpu(r), gpu_called(r.devices[0]))),
      kernel(r.launch),
      followed(kernel.on(gpu)) {}

std::string model_for(const request& r, const warpgauge::any_device& gpu) {
    return r.models.empty() ? default_model(gpu) : r.models[0];
}

void fail_prediction(const request& r, const std::string& model, const warpgauge::any_device& gpu,
                     const warpgauge::model_error& error) {
    fail_model(r.launch.file + ": " + model + " on " + std::string(gpu.name()) + ": " +
               words_of(error));
}

std::string headline(const loaded_kernel& kernel, const followed_kernel& f, bool registers) {
    const auto& k = f.profile;
    return kernel.name() + ", " + short_number(k.blocks) + " blocks of " +
           short_number(k.threads_per_block) + " threads, " +
           (registers ? short_number(k.registers_per_thread) + " registers, " : "") +
           short_number(k.shared_bytes_per_block) + " B shared\n\n";
}

namespace {

namespace ptx = warpgauge::ptx;

std::string counted(std::size_t n, const std::string& one, const std::string& several) {
    return std::to_string(n) + " " + (n == 1 ? one : several);
}

// What data decides, which decides the time: how often loops run, and where lanes go and load from.
void note_decided_by_data(const followed_kernel& f, answer& to) {
    std::size_t loops = 0, branches = 0, addresses = 0, calls = 0;
    for (const ptx::assumption& a : f.trace.assumptions) {
        switch (a.what) {
            case ptx::assumed::loop: ++loops; break;
            case ptx::assumed::branch:
            case ptx::assumed::predicate:
            case ptx::assumed::table: ++branches; break;
            case ptx::assumed::address: ++addresses; break;
            case ptx::assumed::callee:
            case ptx::assumed::target: ++calls; break;
            default: break;
        }
    }
    std::vector<std::string> all;
    if (loops > 0) all.push_back(counted(loops, "loop", "loops"));
    if (branches > 0) all.push_back(counted(branches, "branch", "branches"));
    if (addresses > 0) all.push_back(counted(addresses, "address", "addresses"));
    if (calls > 0) all.push_back(counted(calls, "call", "calls"));
    if (all.empty()) return;
    to.note("assumed, since neither text nor launch says: " + joined(all) +
            "; predict --details lists them");
}

// A loop that a compiler has unrolled is two in the text: the rounds of the source are those of neither.
void note_unrolled(const followed_kernel& f, answer& to) {
    std::map<std::uint32_t, std::set<std::string_view>> labels;  // by line
    for (const ptx::assumption& a : f.trace.assumptions) {
        if (a.what == ptx::assumed::loop && a.source_line > 0)
            labels[a.source_line].insert(a.label);
    }
    for (const auto& [line, all] : labels) {
        if (all.size() < 2) continue;
        std::string list;
        for (const std::string_view label : all) list += " " + std::string(label);
        to.note("line " + std::to_string(line) + " of the source is " + std::to_string(all.size()) +
                " loops of the text, as where a compiler unrolls; --rounds of the line is for "
                "each, of a label for one:" +
                list);
    }
}

void note_unknown_opcodes(const ptx::module& m, const ptx::function& kernel, answer& to) {
    std::size_t unknown = 0;
    std::string first;
    for (const ptx::instruction& i : m.body(kernel)) {
        if (i.known) continue;
        if (unknown++ == 0) first = i.opcode;
    }
    if (unknown == 0) return;
    to.note(unknown == 1
                ? "1 instruction of an unknown opcode, " + first + ", counts as integer arithmetic"
                : std::to_string(unknown) + " instructions of unknown opcodes, " + first +
                      " first, count as integer arithmetic");
}

// Shared memory without a length in the text, of which the launch gives no byte: nearly always forgotten.
void note_dynamic_shared(const ptx::module& m, const ptx::function& kernel, answer& to) {
    const auto is_named = [&](std::string_view name) {
        for (const ptx::instruction& i : m.body(kernel)) {
            for (const ptx::operand& o : m.operands_of(i)) {
                if (o.text == name) return true;
            }
        }
        return false;
    };
    for (const ptx::declaration& d : m.declarations) {
        const bool dynamic = d.space == ptx::state_space::shared && d.elements == 0;
        if (!dynamic || !is_named(d.name)) continue;
        return to.note(std::string(d.name) +
                       " is dynamic shared memory, and the launch gives it 0 B (--shared)");
    }
}

// Atomics on one address go one after the other, which no model has: enough of them for 10 us at one a clock.
void note_contention(const ptx::module& m, const followed_kernel& f, answer& to) {
    const ptx::contended_atomic most = ptx::most_contended(f.trace);
    if (most.operations < 1e4) return;
    to.note(place_in_source(m, most.source_file, most.source_line, most.at) + ": " +
            short_number(most.operations) +
            " atomic operations on one sector, one after the other: no model has their time (on "
            "GK110, one takes a clock)");
}

}  // namespace

void note_bound(const request& r, const warpgauge::any_device& gpu, answer& to) {
    if (!r.models.empty() || default_model(gpu) != "roofline") return;
    const auto p = predicted(
        "saturation", gpu,
        {.blocks = 1, .threads_per_block = 32, .comp_insts = 1, .coalesced_mem_insts = 1});
    if (p || p.error().code != warpgauge::errc::missing) return;
    to.note(std::string(gpu.name()) + ": no source gives " + std::string(p.error().field) +
            ", which saturation needs; roofline is a time that no launch can beat");
}

std::string place_in_source(const ptx::module& m, std::uint32_t file, std::uint32_t line,
                            const ptx::position& at) {
    for (const ptx::source_file& f : m.files) {
        if (f.number == file && line > 0) {
            return std::string(f.name) + ":" + std::to_string(line);
        }
    }
    return "PTX:" + std::to_string(at.line);
}

void note_open(const loaded_kernel& kernel, const followed_kernel& f, answer& to) {
    if (!kernel.note_of_arguments().empty()) to.note(kernel.note_of_arguments());
    note_decided_by_data(f, to);
    note_unrolled(f, to);
    const ptx::module& m = kernel.text();
    note_contention(m, f, to);
    const ptx::function* function = m.find(kernel.name());
    if (function == nullptr) return;
    note_unknown_opcodes(m, *function, to);
    if (kernel.launch().dynamic_shared_bytes == 0) note_dynamic_shared(m, *function, to);
}

void add_facts(const loaded_kernel& kernel, const followed_kernel& f, answer& to) {
    const auto sides = [](const warpgauge::ptx::extent& e) {
        return std::vector<double>{static_cast<double>(e.x), static_cast<double>(e.y),
                                   static_cast<double>(e.z)};
    };
    to.facts.emplace_back("kernel", kernel.name());
    to.facts.emplace_back("grid", sides(kernel.launch().grid));
    to.facts.emplace_back("block", sides(kernel.launch().block));
    to.facts.emplace_back("registers_per_thread", f.profile.registers_per_thread);
    to.facts.emplace_back("shared_bytes_per_block", f.profile.shared_bytes_per_block);
    to.facts.emplace_back("registers_estimated", !f.compiled);
    note_open(kernel, f, to);
}

bool introduce(const loaded_kernel& kernel, const followed_kernel& f, answer& to, bool registers) {
    if (!to.facts.empty()) return false;
    add_facts(kernel, f, to);
    to.before = headline(kernel, f, registers);
    return true;
}

void note_one_warp(const std::string& model, const followed_kernel& f, answer& to) {
    if (model != "hybrid" && model != "makespan" && model != "mpd_cpd") return;
    const auto accesses = [](const warpgauge::kernel_profile<>& k) {
        return k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    };
    const auto of_stream = warpgauge::with_mix(f.profile);
    if (!of_stream) return;
    const double one = accesses(*of_stream);
    const double mean = accesses(f.profile);
    const auto& waits = f.trace.waits;
    const bool alike = mean <= 1.5 * one && one <= 1.5 * mean;
    if (alike && waits.longest_steps < 4 * std::max(waits.steps, 1.0)) return;
    to.note(model + " takes every warp for one with " + short_number(one) +
            " accesses to global memory; the mean is " + short_number(mean) +
            ", and the warp with most waits " + short_number(waits.longest_steps) +
            " times for loads");
}

void note_granted(const std::string& model, const std::string& granted, answer& to) {
    if (!granted.empty()) to.note(model + " assumes: " + granted);
}

}  // namespace program
