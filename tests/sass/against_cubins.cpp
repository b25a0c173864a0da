// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is decoded of what ptxas makes of the kernels, and what `join` counts of it, against
// the bytes that the trace of the PTX moves and, up to 8.9, against an interpreter of the machine code.
//
//   against_cubins FOLDER    with NAME.sm_CC.ptx and NAME.sm_CC.cubin for every kernel and architecture
//   against_cubins more CC   the kernels with parameters of their own that it needs for an architecture that is interpreted:
//                            a line for each, with NAME, its source and its definitions
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/machine_stream.hpp>

#include "ptx/kernels.hpp"
#include "ptx/loop_nests.hpp"
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
    std::map<std::string, std::uint64_t> by_operation{};
    double most_misplaced{};  // fraction of the executions of one kernel
    bool by_trace = true;     // bytes are those of the trace: ptxas leaves no access out
    double least_of_ptx = 0;  // instructions of the machine for one of PTX
};

// Launches that the interpreter has followed to the end, or has not.
struct comparison {
    std::set<std::string> followed{}, not_followed{};  // kernels
    int launches{}, ended{};
    double worst{};  // deviation of a count by `join`
    std::string worst_of{};
};

// The interpreter has no data, and knows the codes up to 8.9; for 8.0, constants come from HFMA2.MMA.
bool is_interpreted(int architecture) {
    return architecture < 90 && architecture != 80;
}

// Kernels with branches that loaded data or floating point decide, in their text or around the slow paths that ptxas adds.
bool is_decided_by_data(const std::string& kernel) {
    const std::set<std::string> kernels{"black_scholes", "life",      "spmv",
                                        "column_means",  "normalise", "column_deviations",
                                        "bitonic"};
    return kernels.contains(kernel);
}

// A configuration of a kernel of examples/tunable.
struct tunable_launch {
    kernel_launch launched;
    const char* definitions;
};

const std::vector<tunable_launch>& tunable_launches() {
    static const std::vector<tunable_launch> all{
        {{"convolution_1", "convolution", {{4, 13}, {32, 4}}, {}},
         "WIDTH=200 HEIGHT=100 FILTER=15 UNROLL=1 BOUNDED=1 BLOCK_X=32 BLOCK_Y=4 TILE_X=2 TILE_Y=2 "
         "USE_SHARED=1 PADDING=0 READ_ONLY=0"},
        {{"convolution_2", "convolution", {{5, 25}, {48, 2}}, {}},
         "WIDTH=200 HEIGHT=100 FILTER=7 UNROLL=7 BOUNDED=1 BLOCK_X=48 BLOCK_Y=2 TILE_X=1 TILE_Y=2 "
         "USE_SHARED=0 PADDING=0 READ_ONLY=1"},
        {{"hotspot_1", "hotspot", {{4, 6}, {16, 8}}, {100, 90}},
         "BLOCK_X=16 BLOCK_Y=8 TILE_X=2 TILE_Y=2 STEPS=2 POWER_IN_SHARED=1 UNROLL=1 IN_DOUBLE=0 "
         "MIN_BLOCKS=1"},
        {{"hotspot_2", "hotspot", {{4, 12}, {32, 4}}, {100, 90}},
         "BLOCK_X=32 BLOCK_Y=4 TILE_X=1 TILE_Y=2 STEPS=4 POWER_IN_SHARED=0 UNROLL=2 IN_DOUBLE=1 "
         "MIN_BLOCKS=0"},
        {{"product_1", "product", {{4, 4}, {8, 8}}, {100, 100, 50}},
         "MWG=32 NWG=32 KWG=16 MDIMC=8 NDIMC=8 MDIMA=8 NDIMB=8 KWI=2 VWM=2 VWN=2 STRM=0 STRN=1 "
         "SA=1 "
         "SB=1"},
        {{"product_2", "product", {{2, 4}, {16, 8}}, {100, 100, 50}},
         "MWG=64 NWG=32 KWG=16 MDIMC=16 NDIMC=8 MDIMA=16 NDIMB=16 KWI=8 VWM=1 VWN=2 STRM=1 STRN=0 "
         "SA=0 SB=1"},
        {{"point_in_polygon_1", "point_in_polygon", {{12}, {128}}, {3'000}},
         "VERTICES=50 BLOCK=128 TILE=2 SLOPES=1 BRANCH=0 RANGE=0 UNROLL=4"},
        {{"point_in_polygon_2", "point_in_polygon", {{47}, {64}}, {3'000}},
         "VERTICES=50 BLOCK=64 TILE=1 SLOPES=1 BRANCH=0 RANGE=1 UNROLL=1"},
        {{"n_body_1", "n_body", {{4}, {64}}, {500}},
         "BLOCK=64 TILE=2 SIDE_BY_SIDE=1 USE_SHARED=1 UNROLL=4"},
        {{"n_body_2", "n_body", {{5}, {96}}, {450}},
         "BLOCK=96 TILE=1 SIDE_BY_SIDE=0 USE_SHARED=0 UNROLL=2"}};
    return all;
}

bool is_tunable(const kernel_launch& k) {
    return std::string(k.file).ends_with("_1") || std::string(k.file).ends_with("_2");
}

// One name for one kernel: some of those in examples/tunable are called as others are.
std::string name_of(const kernel_launch& k) {
    return is_tunable(k) ? "tunable " + std::string(k.kernel) : k.kernel;
}

// The loop nests over matrices of 100 x 100, of which no block's edge is a divisor.
std::vector<kernel_launch> loop_nest_launches() {
    constexpr std::uint32_t n = 100;
    std::vector<kernel_launch> all;
    for (const loop_nests::kernel& k : loop_nests::kernels) {
        const bool is_listed = !all.empty() && all.back().kernel == k.name;  // measured twice
        if (is_listed) continue;
        all.push_back({"loop_nests", k.name.data(),
                       loop_nests::launch_of(k, n, 32, k.plane ? 8 : 1),
                       loop_nests::arguments_of(k, n)});
    }
    return all;
}

// Loops and branches of integers, matrix products and asynchronous copies.
std::vector<kernel_launch> joined_launches() {
    return {{"joined_kernels", "shifted", {{4}, {64}}, {{}, 1'003}},
            {"joined_kernels", "congruent", {{4}, {64}}, {{}, 103}},
            {"joined_kernels", "counted_long", {{4}, {64}}, {{}, 103}},
            {"joined_kernels", "summed_by_lanes", {{1}, {64}}, {{}, {}, 1'003}},
            {"joined_kernels", "collatz", {{4}, {64}}, {}},
            {"joined_kernels", "divisors", {{2}, {64}}, {{}, 7}},
            {"joined_kernels", "parted", {{2}, {64}}, {}},
            {"joined_kernels", "bitonic", {{8}, {256}}, {{}, 64, 512}},
            {"joined_kernels", "product_of_fragments", {{7}, {128}}, {{}, {}, {}, 80}},
            {"joined_kernels", "copied_ahead", {{4}, {128}}, {{}, {}, 20}},
            {"joined_kernels", "only_copied", {{4}, {128}, 16'384}, {{}, {}, 896}}};
}

// What else is followed where the code is interpreted.
std::vector<kernel_launch> more_launches() {
    std::vector<kernel_launch> all = loop_nest_launches();
    for (const tunable_launch& t : tunable_launches()) all.push_back(t.launched);
    return all;
}

int print_tunable(int architecture) {
    if (!is_interpreted(architecture)) return 0;
    for (const tunable_launch& t : tunable_launches()) {
        std::printf("%s examples/tunable/%s.cu %s\n", t.launched.file, t.launched.kernel,
                    t.definitions);
    }
    return 0;
}

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

// Where the interpreter does not come to an end, data has to decide, and `join` has to say so of this branch.
int compare(const kernel_launch& k, const std::string& architecture, const ptx::traced_kernel& t,
            const sass::executed_code& x, double executed, std::uint32_t stuck_at,
            comparison& against) {
    ++against.launches;
    const char* shown = is_tunable(k) ? k.file : k.kernel;
    std::printf("%-18s sm_%s  PTX %9.2f  join %9.2f  ", shown, architecture.c_str(), t.warp_insts,
                x.warp_insts);
    if (executed < 0) {
        against.not_followed.insert(name_of(k));
        const auto at =
            std::find_if(x.doubtful.begin(), x.doubtful.end(),
                         [&](const sass::doubtful_branch& d) { return d.offset == stuck_at; });
        const bool is_named = at != x.doubtful.end();
        const bool expected = is_named && is_decided_by_data(name_of(k));
        const char* decides = !is_named                               ? "that is not doubtful"
                              : at->basis == sass::branch_basis::data ? "of the text"
                                                                      : "that ptxas adds";
        std::printf("data decides at 0x%x, a branch %s%s\n", stuck_at, decides,
                    expected ? "" : ": FAILS");
        return expected ? 0 : 1;
    }
    against.followed.insert(name_of(k));
    ++against.ended;
    const double deviation = std::fabs(x.warp_insts - executed) / executed;
    if (deviation >= against.worst) against.worst_of = shown;
    against.worst = std::fmax(against.worst, deviation);
    std::printf("executed %9.2f%s\n", executed, deviation <= 0.01 ? "" : "  FAILS");
    return deviation <= 0.01 ? 0 : 1;
}

int check(const std::string& base, const std::string& architecture, const kernel_launch& k,
          decoded& all, comparison& against) {
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
        if (!i.name.empty()) all.by_operation[std::string(i.name)] += 1;
    }
    const int number = std::stoi(architecture);
    ptx::trace_options options;
    if (is_interpreted(number)) options.blocks = ptx::sampling::all;
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
        // A fragment's elements are in two lanes each, by the trace, and no instruction of it stores.
        const bool has_fragments = k.kernel == std::string_view("product_of_fragments");
        // Lanes with different rounds load by themselves what is left of an unrolled loop.
        const bool lanes_part = k.kernel == std::string_view("summed_by_lanes");
        if (!all.by_trace || has_fragments || lanes_part || near(b.counted, b.traced)) continue;
        ++failures;
        std::printf("%s sm_%s: %s of %.2f B a lane, by the trace %.2f\n", k.kernel,
                    architecture.c_str(), b.what, b.counted, b.traced);
    }
    if (x->disagreement > 0.01 || x->warp_insts < all.least_of_ptx * t->warp_insts) {
        ++failures;
        std::printf("%s sm_%s: %.2f instructions, by PTX %.2f, disagreement %.3f\n", k.kernel,
                    architecture.c_str(), x->warp_insts, t->warp_insts, x->disagreement);
    }
    if (!is_interpreted(number)) return failures;
    std::uint32_t stuck_at = 0;
    const double executed = interpreted(*m, k, cubin, static_cast<std::uint16_t>(number), stuck_at);
    return failures + compare(k, architecture, *t, *x, executed, stuck_at, against);
}

// 1 where fewer than 20 kernels were followed to the end.
int print(const std::string& architecture, const comparison& c) {
    std::printf(
        "\nsm_%s: %d of %d launches followed to the end, of %zu kernels; join is off by %.3f%% at "
        "most "
        "(%s)\n  data decides:",
        architecture.c_str(), c.ended, c.launches, c.followed.size(), 100 * c.worst,
        c.worst_of.c_str());
    for (const std::string& kernel : c.not_followed) std::printf(" %s", kernel.c_str());
    std::printf("\n");
    return c.followed.size() >= 20 ? 0 : 1;
}

/// The words of each operation, by architecture.
void print_operations(const std::map<std::string, decoded>& by_architecture,
                      const std::vector<std::string>& architectures) {
    std::set<std::string> operations;
    for (const auto& [architecture, d] : by_architecture) {
        for (const auto& [name, words] : d.by_operation) operations.insert(name);
    }
    std::printf("\ndecoded words of");
    for (const std::string& a : architectures) std::printf(" %s", a.c_str());
    std::printf("\n");
    for (const std::string& name : operations) {
        std::printf("%-10s", name.c_str());
        for (const std::string& a : architectures) {
            const auto at = by_architecture.find(a);
            const bool has = at != by_architecture.end() && at->second.by_operation.contains(name);
            std::printf(
                " %5llu",
                has ? static_cast<unsigned long long>(at->second.by_operation.at(name)) : 0ULL);
        }
        std::printf("\n");
    }
}

// Rows of docs/sass.md: words and operations, by architecture.
void print_rows(const std::map<std::string, decoded>& by_architecture,
                const std::vector<std::string>& architectures) {
    std::string words = "| words |";
    std::string operations = "| different operations |";
    for (const std::string& a : architectures) {
        const auto at = by_architecture.find(a);
        if (at == by_architecture.end()) return;
        words += ' ' + std::to_string(at->second.words) + " |";
        operations += ' ' + std::to_string(at->second.by_operation.size()) + " |";
    }
    std::printf("%s\n%s\n", words.c_str(), operations.c_str());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    if (argc == 3) return print_tunable(std::stoi(argv[2]));
    int failures = 0;
    std::map<std::string, decoded> by_architecture;
    std::map<std::string, comparison> against;
    const std::vector<std::string> architectures{"75", "80", "86", "89", "90", "100", "120"};
    for (const std::string& architecture : architectures) {
        if (read(std::string(argv[1]) + "/saxpy.sm_" + architecture + ".cubin").empty()) continue;
        const auto check_all = [&](const std::vector<kernel_launch>& launches, decoded& words) {
            for (const kernel_launch& k : launches) {
                const std::string base =
                    std::string(argv[1]) + "/" + k.file + ".sm_" + architecture;
                failures += check(base, architecture, k, words, against[architecture]);
            }
        };
        check_all(kernel_launches(), by_architecture[architecture]);
        decoded joined;
        joined.least_of_ptx = 0.6;  // bitonic has 0.7, since parameters and addresses take none
        check_all(joined_launches(), joined);
        if (joined.known + 1 < joined.words) ++failures;  // 0x04a of 10.0 and later has no name
        decoded more;
        more.by_trace = false;  // threads of a convolution read the same pixels for several outputs
        if (is_interpreted(std::stoi(architecture))) check_all(more_launches(), more);
        if (more.known != more.words) ++failures;
    }
    for (const auto& [architecture, c] : against) {
        if (c.launches > 0) failures += print(architecture, c);
    }
    print_operations(by_architecture, architectures);
    print_rows(by_architecture, architectures);
    std::printf("\narchitecture  words  operations  decoded  misplaced in streams at most\n");
    for (const std::string& architecture : architectures) {
        const decoded& d = by_architecture[architecture];
        if (d.words == 0) continue;
        std::printf("sm_%-9s  %5llu  %10zu  %6.2f%%  %6.2f%%", architecture.c_str(),
                    static_cast<unsigned long long>(d.words), d.by_operation.size(),
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
