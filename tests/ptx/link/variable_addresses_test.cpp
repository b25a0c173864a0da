// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/variable_addresses.hpp>

#include "ptx/linked.hpp"

namespace variable_addresses_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::link;

TEST_CASE("sizes and alignments") {
    const auto declared = [](const char* type, std::uint64_t elements, std::uint32_t vector = 1) {
        return ptx::declaration{.type = type, .vector = vector, .elements = elements};
    };
    CHECK(size_of(declared("b8", 33)) == 33);
    CHECK(size_of(declared("f64", 4)) == 32);
    CHECK(size_of(declared("f32", 4, 4)) == 64);
    CHECK(size_of(declared("pred", 3)) == 3);
    CHECK(size_of(declared("b128", 2)) == 32);
    CHECK(alignment_of(declared("f32", 4, 4)) == 16);
    CHECK(alignment_of({.type = "b8", .alignment = 32}) == 32);
    CHECK(aligned(5, 8) == 8);
    CHECK(aligned(16, 8) == 16);
    CHECK(aligned(5, 0) == 5);
}

TEST_CASE("shared memory in order of first use; what a launch adds comes last") {
    const linked_text k(
        kernel_of(".shared .align 4 .b8 small[6];\n.shared .align 16 .b8 large[32];\n"
                  "mov.u64 %d2, dynamic;\nmov.u64 %d3, small;\nmov.u64 %d4, large+8;\n"
                  "mov.u64 %d5, small;\nmov.u64 %d6, dynamic+4;\nret;",
                  ".extern .shared .align 16 .b8 dynamic[];\n"));
    const auto address = [&](std::size_t step) { return k.constant(k.source(k.body(step))); };
    CHECK(address(1) == 0);
    CHECK(address(2) == 16 + 8);
    CHECK(k.source(k.body(3)) == k.source(k.body(1)));
    CHECK(address(0) == 48);
    CHECK(address(4) == 52);
    CHECK(k.program.shared_bytes == 48);  // not the tile, which nothing uses
}

TEST_CASE("local variables lie in the memory of the call") {
    const linked_text k(kernel_of(
        ".local .align 1 .b8 a[3];\n.local .align 8 .b8 b[16];\nmov.u64 %d2, b+4;\nret;"));
    const auto& r = k.program.routines[0];
    CHECK(r.local_bytes == 24);
    const auto& given = r.presets.back();
    CHECK(given.parameter == ptx::link::nowhere);
    CHECK(given.offset == 8 + 4);
    CHECK((given.row | ptx::link::of_call) == k.source(k.body(0)));
    CHECK(link_error_of(kernel_of(".local .b8 a[2147483648];\nret;")) ==
          model_error{errc::overflow, "local", 15, 12});
    CHECK(
        link_error_of(kernel_of(".shared .b64 a[281474976710656];\nmov.u64 %d2, a;\nret;")).field ==
        "shared");
}

TEST_CASE("local variables that are too large together, and one of no function") {
    CHECK(link_error_of(kernel_of(".local .b8 a[700000000];\n.local .b8 b[700000000];\nret;"))
              .field == "local");
    const linked_text k(kernel_of("mov.u64 %d2, far+8;\nret;", ".local .b8 far[16];\n"));
    CHECK(k.program.routines[0].presets.back().offset == 8);
    CHECK(k.program.routines[0].local_bytes == 0);
}

}  // namespace variable_addresses_test
