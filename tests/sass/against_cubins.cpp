// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is decoded of what ptxas makes of the kernels, and what `join` counts of it, against
// the bytes that the trace of the PTX moves and, up to 8.9, against an interpreter of the machine code.
//
//   against_cubins FOLDER    with NAME.sm_CC.ptx and NAME.sm_CC.cubin for every kernel and architecture
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/machine_stream.hpp>

#include "ptx/kernels.hpp"
#include "sass/interpreter.hpp"

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;
using warpgauge::unit_kind;

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

struct decoded {
    std::uint64_t words{}, known{};
    std::map<std::uint32_t, std::uint64_t> unknown{};
    double most_misplaced{};  // fraction of the executions of one kernel
};

std::uint32_t bytes_of(std::string_view type) {
    return type.substr(1) == "8" ? 1 : type.substr(1) == "16" ? 2 : type.substr(1) == "64" ? 8 : 4;
}

// The constant bank: block and grid, and the integers among the parameters from 0x160 on.
sass_interpreter::constants bank_of(const ptx::module& m, const kernel_launch& k) {
    sass_interpreter::constants bank{{0x00, k.launch.block.x}, {0x04, k.launch.block.y},
                                     {0x08, k.launch.block.z}, {0x0c, k.launch.grid.x},
                                     {0x10, k.launch.grid.y},  {0x14, k.launch.grid.z}};
    std::uint32_t offset = 0x160;
    std::size_t n = 0;
    for (const ptx::declaration& d : m.parameters(*m.find(k.kernel))) {
        const std::uint32_t bytes = bytes_of(d.type);
        offset = (offset + bytes - 1) / bytes * bytes;
        if (n < k.arguments.size() && bytes == 4 && d.type != "f32") {
            bank[offset] = static_cast<std::uint32_t>(k.arguments[n].value());
        }
        offset += bytes;
        ++n;
    }
    return bank;
}

// Instructions of a warp by executing them, of all warps; negative where data decides.
double interpreted(const ptx::module& m, const kernel_launch& k, const std::string& cubin,
                   std::uint16_t capability, std::uint32_t& stuck_at) {
    const auto bytes = std::as_bytes(std::span(cubin.data(), cubin.size()));
    const auto file = sass::read_elf(bytes);
    const sass::section code = file->find(".text.", k.kernel);
    std::vector<sass::machine_word> words;
    for (std::size_t at = 0; at + 16 <= code.content.size(); at += 16) {
        words.push_back({sass::detail::number_at(code.content, at, 8),
                         sass::detail::number_at(code.content, at + 8, 8)});
    }
    sass_interpreter machine(words, capability, bank_of(m, k));
    const ptx::launch& l = k.launch;
    const auto warps = static_cast<std::uint32_t>((l.block.count() + 31) / 32);
    double sum = 0;
    double count = 0;
    for (std::uint32_t z = 0; z < l.grid.z; ++z) {
        for (std::uint32_t y = 0; y < l.grid.y; ++y) {
            for (std::uint32_t x = 0; x < l.grid.x; ++x) {
                for (std::uint32_t w = 0; w < warps; ++w) {
                    const double issued =
                        machine.run({{l.block.x, l.block.y, l.block.z}, {x, y, z}, w});
                    stuck_at = machine.stuck_at;
                    if (issued < 0) return -1;
                    sum += issued;
                    count += 1;
                }
            }
        }
    }
    return sum / count;
}

// B a warp moves by the trace: of whole warps, as the machine's widths count.
double traced_bytes(const ptx::traced_kernel& t, unit_kind unit, bool stores) {
    double sum = 0;
    for (const ptx::memory_access& a : t.accesses) {
        if (a.unit == unit && a.stores == stores && !a.is_atomic) {
            sum += a.executions * a.bytes_per_lane;
        }
    }
    return sum;
}

// What `stream_of` writes: a stream that models take, and executions that differ from those of `join` by no more than is
// said. 1 if not.
int check_stream_of(const std::string& base, const sass::executed_code& x,
                    const ptx::traced_kernel& t, double& most_misplaced) {
    const auto s = sass::stream_of(x, t);
    const bool holds = s && !check_stream(s->instructions) &&
                       std::fabs(s->warp_insts - x.warp_insts) <= s->misplaced_insts + 1e-6;
    if (!holds) {
        std::printf("%s: the stream FAILS\n", base.c_str());
        return 1;
    }
    most_misplaced = std::fmax(most_misplaced, s->misplaced_insts / x.warp_insts);
    return 0;
}

bool near(double a, double b) {
    return std::fabs(a - b) <= 0.01 * b;
}

int check(const std::string& base, const std::string& architecture, const kernel_launch& k,
          decoded& all) {
    const std::string text = read(base + ".ptx");
    const std::string cubin = read(base + ".cubin");
    const auto m = ptx::parse(text);
    const auto code =
        sass::read_cubin(std::as_bytes(std::span(cubin.data(), cubin.size())), k.kernel);
    if (!m || !code) {
        std::printf("%s: %s\n", base.c_str(), message(m ? code.error() : m.error()).c_str());
        return 1;
    }
    for (const sass::machine_instruction& i : code->instructions) {
        all.words += 1;
        if (!i.name.empty()) all.known += 1;
        if (i.name.empty()) all.unknown[i.code] += 1;
    }
    const int number = std::stoi(architecture);
    const bool executes = number < 90 && number != 80;  // for 8.0, constants come from HFMA2.MMA
    ptx::trace_options options;
    if (executes) options.blocks = ptx::sampling::all;
    const auto t = ptx::trace(*ptx::find_kernel(*m, k.kernel), k.launch, k.arguments, options);
    if (!t) return 1;
    const auto x = sass::join(*m, *t, *code);
    if (!x) return 1;
    int failures = check_stream_of(base + " " + k.kernel, *x, *t, all.most_misplaced);
    const struct {
        const char* what;
        double traced, counted;
    } moved[]{{"global loads", traced_bytes(*t, unit_kind::global_memory, false),
               x->bytes_of(sass::pipe::global_load)},
              {"global stores", traced_bytes(*t, unit_kind::global_memory, true),
               x->bytes_of(sass::pipe::global_store)},
              {"shared loads", traced_bytes(*t, unit_kind::shared_memory, false),
               x->bytes_of(sass::pipe::shared_load)},
              {"shared stores", traced_bytes(*t, unit_kind::shared_memory, true),
               x->bytes_of(sass::pipe::shared_store)}};
    for (const auto& b : moved) {
        if (near(b.counted, b.traced)) continue;
        ++failures;
        std::printf("%s sm_%s: %s of %.2f B a lane, by the trace %.2f\n", k.kernel,
                    architecture.c_str(), b.what, b.counted, b.traced);
    }
    if (!executes) return failures;
    std::uint32_t stuck_at = 0;
    const double executed = interpreted(*m, k, cubin, static_cast<std::uint16_t>(number), stuck_at);
    if (executed < 0) {
        std::printf("%-17s sm_%s  not followed beyond 0x%x: join %.2f\n", k.kernel,
                    architecture.c_str(), stuck_at, x->warp_insts);
        return failures;
    }
    const bool same = near(x->warp_insts, executed);
    std::printf("%-17s sm_%s  PTX %8.2f  join %8.2f  executed %8.2f%s\n", k.kernel,
                architecture.c_str(), t->warp_insts, x->warp_insts, executed,
                same ? "" : "  FAILS");
    return failures + (same ? 0 : 1);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    int failures = 0;
    std::map<std::string, decoded> by_architecture;
    const std::vector<std::string> architectures{"75", "80", "86", "89", "90", "100", "120"};
    for (const std::string& architecture : architectures) {
        if (read(std::string(argv[1]) + "/saxpy.sm_" + architecture + ".cubin").empty()) continue;
        for (const kernel_launch& k : kernel_launches()) {
            const std::string base = std::string(argv[1]) + "/" + k.file + ".sm_" + architecture;
            failures += check(base, architecture, k, by_architecture[architecture]);
        }
    }
    std::printf("\narchitecture  words  decoded  misplaced in streams at most\n");
    for (const std::string& architecture : architectures) {
        const decoded& d = by_architecture[architecture];
        if (d.words == 0) continue;
        std::printf("sm_%-9s  %5llu  %6.2f%%  %6.2f%%", architecture.c_str(),
                    static_cast<unsigned long long>(d.words),
                    100.0 * static_cast<double>(d.known) / static_cast<double>(d.words),
                    100.0 * d.most_misplaced);
        for (const auto& [code, count] : d.unknown) {
            std::printf("  unknown 0x%03x: %llu", code, static_cast<unsigned long long>(count));
        }
        std::printf("\n");
        if (static_cast<double>(d.known) < 0.99 * static_cast<double>(d.words)) ++failures;
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
