// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a PTX file holds, and how many blocks of its kernels an SM takes; no GPU, no profiler.
//
//   read_ptx FILE [BLOCK]    FILE.ptx and, of ptxas -v, FILE.ptxas; a file of examples/kernels needs no
//                            folder. BLOCK: threads, 256 unless given
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <warpgauge/ptx.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;
using warpgauge::unit_kind;

std::optional<std::string> read(const std::string& path) {
    for (const std::string& folder : {std::string(), std::string(KERNELS) + "/"}) {
        std::ifstream file(folder + path);
        if (file) return std::string(std::istreambuf_iterator<char>(file), {});
    }
    return std::nullopt;
}

// region: count
// The number of instructions of each unit in the text of a kernel, executed or not.
std::array<std::size_t, 11> count_units(const ptx::module& m, const ptx::function& kernel) {
    std::array<std::size_t, 11> counts{};
    for (const ptx::instruction& i : m.body(kernel)) ++counts[static_cast<std::size_t>(i.unit)];
    return counts;
}
// endregion

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::string name = argv[1];
    const double threads = argc > 2 ? std::atof(argv[2]) : 256;
    // region: parse
    const std::optional<std::string> text = read(name + ".ptx");
    if (!text) {
        std::cerr << "cannot read " << name << ".ptx\n";
        return 1;
    }
    const auto m = ptx::parse(*text);
    if (!m) {
        std::cerr << message(m.error()).view() << '\n';
        return 1;
    }
    // endregion
    const std::string compiled = read(name + ".ptxas").value_or("");
    std::cout << "PTX " << m->version_major << '.' << m->version_minor << " for " << m->target
              << ", " << m->unknown_opcodes << " unknown opcodes\n\n";
    report::table t({"kernel", "integer", "float", "special", "shared", "L1, const", "global",
                     "branches", "barriers", "live", "registers", "B shared", "blocks/SM",
                     "limited by"});
    for (const ptx::function& f : m->functions) {
        if (!f.is_kernel || !f.has_body) continue;
        const auto counts = count_units(*m, f);
        const auto of = [&](unit_kind u) {
            return std::to_string(counts[static_cast<std::size_t>(u)]);
        };
        const auto resources = ptx::read_resources(compiled, f.name);
        const auto live = ptx::live_registers(*ptx::find_kernel(*m, f.name));
        std::string registers = "?";
        std::string shared = "?";
        std::string blocks = "?";
        std::string_view limiter = "?";
        if (resources) {
            const warpgauge::kernel_profile<> launch{
                .blocks = 1,
                .threads_per_block = threads,
                .registers_per_thread = static_cast<double>(resources->registers_per_thread),
                .shared_bytes_per_block = static_cast<double>(resources->shared_bytes_per_block)};
            registers = std::to_string(resources->registers_per_thread);
            shared = std::to_string(resources->shared_bytes_per_block);
            if (const auto o = warpgauge::occupancy(launch, warpgauge::devices::h100_sxm5{})) {
                blocks = report::fixed(o->active_blocks_per_sm, 0);
                limiter = warpgauge::name(o->limiter);
            }
        }
        const std::size_t floats = counts[static_cast<std::size_t>(unit_kind::single_precision)] +
                                   counts[static_cast<std::size_t>(unit_kind::tensor)];
        t.add({f.name, of(unit_kind::integer), std::to_string(floats),
               of(unit_kind::special_function), of(unit_kind::shared_memory),
               of(unit_kind::l1_cache), of(unit_kind::global_memory), of(unit_kind::branch),
               of(unit_kind::barrier), live ? std::to_string(*live) : "?", registers, shared,
               blocks, limiter});
    }
    std::cout << t;
}
