// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp executes of PTX, and of the machine code that ptxas makes of it; no GPU, no profiler.
//
//   ptxas -lineinfo -arch=sm_86 -o matmul.cubin matmul.sm_75.ptx
//   read_sass matmul.cubin matmul.sm_75.ptx matmul_tiled 64,64 16,16 1024
//
//   read_sass CUBIN PTX KERNEL GRID BLOCK [ARGUMENT ...]    GRID, BLOCK: X, X,Y or X,Y,Z. ARGUMENT: the
//                                                           integers among the kernel's parameters, in order
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/sass.hpp>

namespace {

namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;
namespace sass = warpgauge::sass;
using warpgauge::unit_kind;

std::optional<std::string> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(file), {});
}

ptx::extent extent_of(const std::string& text) {
    std::array<std::uint32_t, 3> sizes{1, 1, 1};
    std::size_t at = 0;
    for (std::uint32_t& size : sizes) {
        size = static_cast<std::uint32_t>(std::atoi(text.c_str() + at));
        at = text.find(',', at);
        if (at == std::string::npos) break;
        ++at;
    }
    return {sizes[0], sizes[1], sizes[2]};
}

// The integers of the command line, in the places of the parameters that are integers of 32 bits.
std::vector<ptx::argument> arguments_of(const ptx::module& m, std::string_view kernel,
                                        std::span<char* const> numbers) {
    std::vector<ptx::argument> arguments;
    std::size_t next = 0;
    const ptx::function* f = m.find(kernel);
    if (f == nullptr) return arguments;
    for (const ptx::declaration& d : m.parameters(*f)) {
        const bool is_integer = d.type == "u32" || d.type == "s32" || d.type == "b32";
        arguments.push_back(is_integer && next < numbers.size()
                                ? ptx::argument(std::atoll(numbers[next++]))
                                : ptx::argument());
    }
    return arguments;
}

template <class T>
const T& value_of(const warpgauge::result<T>& r) {
    if (r) return *r;
    std::cerr << message(r.error()).view() << '\n';
    std::exit(1);
}

void print_classes(const ptx::traced_kernel& t, const sass::executed_code& x) {
    report::table table({"PTX", "of a warp", "machine code", "of a warp "});
    std::vector<std::array<std::string, 2>> left;
    std::vector<std::array<std::string, 2>> right;
    for (std::size_t u = 0; u < t.unit_insts.size(); ++u) {
        if (t.unit_insts[u] == 0) continue;
        left.push_back(
            {std::string(name(static_cast<unit_kind>(u))), report::fixed(t.unit_insts[u], 1)});
    }
    for (std::size_t p = 0; p < x.pipe_insts.size(); ++p) {
        if (x.pipe_insts[p] == 0) continue;
        right.push_back(
            {std::string(name(static_cast<sass::pipe>(p))), report::fixed(x.pipe_insts[p], 1)});
    }
    left.push_back({"all", report::fixed(t.warp_insts, 1)});
    right.push_back({"all", report::fixed(x.warp_insts, 1)});
    for (std::size_t n = 0; n < left.size() || n < right.size(); ++n) {
        const std::array<std::string, 2> none{};
        const auto& l = n < left.size() ? left[n] : none;
        const auto& r = n < right.size() ? right[n] : none;
        table.add({l[0], l[1], r[0], r[1]});
    }
    std::cout << table;
}

void print_opcodes(const sass::executed_code& x) {
    constexpr std::size_t most = 12;
    report::table table({"operation", "class", "in the code", "of a warp", "predicated"});
    for (std::size_t n = 0; n < x.opcodes.size() && n < most; ++n) {
        const sass::opcode_count& o = x.opcodes[n];
        table.add({o.name.empty() ? "unknown " + std::to_string(o.code) : std::string(o.name),
                   name(o.pipe), std::to_string(o.instructions), report::fixed(o.executions, 1),
                   report::fixed(o.predicated, 1)});
    }
    std::cout << '\n' << table;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 6) return 2;
    const auto cubin = read(argv[1]);
    const auto text = read(argv[2]);
    if (!cubin || !text) {
        std::cerr << "cannot read " << (cubin ? argv[2] : argv[1]) << '\n';
        return 1;
    }
    const std::string_view kernel = argv[3];
    const auto m = value_of(ptx::parse(*text));
    const std::vector<ptx::argument> arguments =
        arguments_of(m, kernel, {argv + 6, static_cast<std::size_t>(argc - 6)});
    const ptx::launch launch{extent_of(argv[4]), extent_of(argv[5])};
    // region: join
    const auto traced =
        value_of(ptx::trace(value_of(ptx::find_kernel(m, kernel)), launch, arguments));
    const auto bytes = std::as_bytes(std::span(cubin->data(), cubin->size()));
    const auto code = value_of(sass::read_cubin(bytes, kernel));
    const auto executed = value_of(sass::join(m, traced, code));
    // endregion
    std::cout << kernel << " for " << code.capability.major << '.' << code.capability.minor << ", "
              << code.registers_per_thread << " registers, " << code.shared_bytes_per_block
              << " B shared, " << code.frame_bytes_per_thread << " B of local memory a thread\n\n";
    print_classes(traced, executed);
    print_opcodes(executed);
    std::cout << '\n'
              << executed.bytes_of(sass::pipe::local_load) << " B loaded and "
              << executed.bytes_of(sass::pipe::local_store)
              << " B stored by a thread in local memory\n";
    for (const sass::doubtful_branch& b : executed.doubtful) {
        std::cout << "branch at " << b.offset << ", line " << b.line << " of the PTX: "
                  << (b.basis == sass::branch_basis::data ? "decided by data\n"
                                                          : "added by the compiler\n");
    }
    // region: stream
    const auto stream = value_of(sass::stream_of(executed, traced));
    warpgauge::kernel_profile<> by_code = executed.profile(traced);
    by_code.instructions = stream.instructions;
    const warpgauge::hybrid_model a100{warpgauge::devices::a100_sxm4_40gb{}};
    const auto of_text = value_of(a100.predict(traced.profile()));
    const auto of_code = value_of(a100.predict(by_code));
    // endregion
    std::cout << "\nsimulated on an A100: " << 1e6 * of_text.seconds << " us by PTX, "
              << 1e6 * of_code.seconds << " us by machine code, of whose executions "
              << report::fixed(100 * stream.misplaced_insts / executed.warp_insts, 1)
              << "% are misplaced\n";
}
