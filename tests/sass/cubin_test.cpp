// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <warpgauge/ptx/text/resources.hpp>
#include <warpgauge/sass/cubin.hpp>

#include "random_numbers.hpp"
#include "sass/cubins.hpp"

namespace cubin_test {

namespace {

namespace sass = warpgauge::sass;
using warpgauge::errc;

std::string compiler_says(const std::string& file) {
    std::ifstream in(std::string(KERNELS) + "/" + file + ".ptxas");
    return {std::istreambuf_iterator<char>(in), {}};
}

// Against the text of `ptxas -v` beside the PTX.
TEST_CASE("a kernel's registers and shared memory are those that ptxas prints") {
    const auto saxpy_bytes = cubin_bytes(saxpy_sm_75);
    const auto saxpy = sass::read_cubin(saxpy_bytes, "saxpy");
    REQUIRE(saxpy);
    const auto said = warpgauge::ptx::read_resources(compiler_says("saxpy.sm_75"), "saxpy");
    REQUIRE(said);
    CHECK(saxpy->registers_per_thread == said->registers_per_thread);
    CHECK(saxpy->shared_bytes_per_block == said->shared_bytes_per_block);
    CHECK(saxpy->frame_bytes_per_thread == said->stack_bytes);
    CHECK(saxpy->capability == warpgauge::compute_capability{7, 5});

    const auto bytes = cubin_bytes(histogram_sm_90);
    const auto histogram = sass::read_cubin(bytes, "");
    REQUIRE(histogram);
    CHECK(histogram->kernel == "histogram");
    const auto also = warpgauge::ptx::read_resources(compiler_says("histogram.sm_90"), "histogram");
    REQUIRE(also);
    CHECK(histogram->registers_per_thread == also->registers_per_thread);
    CHECK(histogram->shared_bytes_per_block == also->shared_bytes_per_block);
    CHECK(histogram->capability == warpgauge::compute_capability{9, 0});
}

TEST_CASE("all words of both are decoded, and have a line") {
    for (const auto& bytes : {cubin_bytes(saxpy_sm_75), cubin_bytes(histogram_sm_90)}) {
        const auto code = sass::read_cubin(bytes, "");
        REQUIRE(code);
        CHECK(code->has_lines);
        for (const sass::machine_instruction& i : code->instructions) {
            CHECK_FALSE(i.name.empty());
            CHECK(i.line != 0);
        }
    }
}

TEST_CASE("code is listed by name, and unknown names are errors") {
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const auto names = sass::list_code(bytes);
    REQUIRE(names);
    REQUIRE(names->size() == 1);
    CHECK(names->front() == "saxpy");
    const auto none = sass::read_cubin(bytes, "daxpy");
    REQUIRE_FALSE(none);
    CHECK(none.error() == warpgauge::model_error{errc::unknown_name, "kernel"});
}

TEST_CASE("an architecture before 7.5 is refused") {
    auto bytes = cubin_bytes(saxpy_sm_75);
    bytes[49] = std::byte{70};
    const auto code = sass::read_cubin(bytes, "saxpy");
    REQUIRE_FALSE(code);
    CHECK(code.error().code == errc::unknown_compute_capability);
    CHECK(code.error().line == 49);
}

TEST_CASE("files of compilers before CUDA 13 have the architecture in the lowest bits") {
    auto bytes = cubin_bytes(saxpy_sm_75);
    bytes[8] = std::byte{7};  // the version of the ABI
    bytes[48] = std::byte{86};
    const auto code = sass::read_cubin(bytes, "saxpy");
    REQUIRE(code);
    CHECK(code->capability == warpgauge::compute_capability{8, 6});
}

TEST_CASE("what is no cubin has no list of code") {
    const std::vector<std::byte> bytes(100);
    const auto names = sass::list_code(bytes);
    REQUIRE_FALSE(names);
    CHECK(names.error() == sass::read_cubin(bytes, "").error());
}

// Whatever the bytes are, the answer is a value or an error within the file; sanitizers look on.
TEST_CASE("cut and flipped files are answered") {
    std::uint32_t errors = 0;
    for (const auto& bytes : {cubin_bytes(saxpy_sm_75), cubin_bytes(histogram_sm_90)}) {
        random_numbers random{2026};
        for (int n = 0; n < 3'000; ++n) {
            std::vector<std::byte> broken = bytes;
            const int end = static_cast<int>(broken.size()) - 1;
            for (int flips = random.whole(0, 8); flips > 0; --flips) {
                broken[static_cast<std::size_t>(random.whole(0, end))] =
                    static_cast<std::byte>(random.whole(0, 255));
            }
            if (n % 3 == 0) broken.resize(static_cast<std::size_t>(random.whole(0, end)));
            const auto code = sass::read_cubin(broken, "");
            if (!code) {
                ++errors;
                CHECK(code.error().line <= broken.size() + 1);
                continue;
            }
            CHECK(code->instructions.size() <= broken.size() / 16);
        }
    }
    CHECK(errors > 2'000);  // a third is cut off
}

}  // namespace

}  // namespace cubin_test
