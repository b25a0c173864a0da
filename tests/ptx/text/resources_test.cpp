// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/resources.hpp>

namespace resources_test {

using namespace warpgauge;

namespace {

// Of ptxas 13.0.
constexpr std::string_view of_13 = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'matmul_tiled' for 'sm_90'
ptxas info    : Function properties for matmul_tiled
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compile time = 9.987 ms
ptxas info    : Compiling entry function 'matmul' for 'sm_90'
ptxas info    : Function properties for matmul
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 27 registers, used 0 barriers, 408 bytes cmem[0]
)";

// As ptxas of CUDA 4 wrote it.
constexpr std::string_view of_4 = R"(ptxas info    : Compiling entry function 'k' for 'sm_20'
ptxas info    : Used 10 registers, 2048+16 bytes smem, 4+16 bytes cmem[1]
)";

// Of cuobjdump.
constexpr std::string_view of_cuobjdump = R"(
Resource usage:
 Common:
  GLOBAL:0
 Function saxpy:
  REG:10 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:376 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function tile:
  REG:24 STACK:16 SHARED:4096 LOCAL:0 CONSTANT[0]:376 TEXTURE:0 SURFACE:0 SAMPLER:0
)";

static_assert(ptx::read_resources(of_4, "k")->shared_bytes_per_block == 2064);

}  // namespace

TEST_CASE("what ptxas says of a kernel") {
    const auto tiled = ptx::read_resources(of_13, "matmul_tiled");
    REQUIRE(tiled);
    CHECK(*tiled == ptx::kernel_resources{32, 2048, 8, 4, 12, 1});
    CHECK(ptx::read_resources(of_13, "matmuk").error().code == errc::unknown_name);
    const auto plain = ptx::read_resources(of_13, "matmul");
    REQUIRE(plain);
    CHECK(*plain == ptx::kernel_resources{.registers_per_thread = 27});
    CHECK(ptx::read_resources(of_4, "k")->registers_per_thread == 10);
}

TEST_CASE("what cuobjdump says of a kernel") {
    const auto tile = ptx::read_resources(of_cuobjdump, "tile");
    REQUIRE(tile);
    CHECK(*tile == ptx::kernel_resources{.registers_per_thread = 24,
                                         .shared_bytes_per_block = 4096,
                                         .stack_bytes = 16});
    CHECK(ptx::read_resources(of_cuobjdump, "saxpy")->registers_per_thread == 10);
}

TEST_CASE("a kernel that is not there, or of which nothing is said") {
    for (const std::string_view name : {"mat", "tiled", "matmul_tiled2", "matmul_tiled'"}) {
        CHECK(ptx::read_resources(of_13, name).error() == model_error{errc::unknown_name, name});
    }
    CHECK(ptx::read_resources(of_13, "").error() == model_error{errc::missing, "kernel"});
    CHECK(ptx::read_resources("", "k").error() == model_error{errc::unknown_name, "k"});
    CHECK(ptx::read_resources(of_13.substr(0, 200), "matmul_tiled").error() ==
          model_error{errc::expected, "registers", 4, 1});
    const std::string too_many =
        "Compiling entry function 'k' for 'sm_20'\nUsed " + std::string(40, '9') + " registers\n";
    CHECK(ptx::read_resources(too_many, "k").error() ==
          model_error{errc::expected, "registers", 2, 1});
    for (std::size_t size = 0; size < of_13.size(); ++size) {
        const auto r = ptx::read_resources(of_13.substr(0, size), "matmul");
        if (r) CHECK(r->registers_per_thread == 27);
    }
}

TEST_CASE("numbers end where their digits do") {
    CHECK(ptx::read_resources("Compiling entry function 'k' for 'sm_90'\nUsed :24 registers\n", "k")
              ->registers_per_thread == 24);
    CHECK(ptx::read_resources("Compiling entry function 'k' for 'sm_90'\nUsed 24 registers, used:"
                              "2048+16 bytes smem\n",
                              "k")
              ->shared_bytes_per_block == 2064);
    CHECK(ptx::read_resources(" Function k:\n  REG:10:STACK:8\n", "k")->registers_per_thread == 10);
    CHECK(ptx::read_resources(of_cuobjdump, "saxpx").error().code == errc::unknown_name);
    CHECK_FALSE(ptx::kernel_resources{32, 2048, 8, 4, 12, 1} ==
                ptx::kernel_resources{32, 2048, 8, 4, 12, 2});
}

}  // namespace resources_test
