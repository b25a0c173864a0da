// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include <warpgauge/sass/opcode_table.hpp>

namespace opcode_table_test {

namespace {

namespace sass = warpgauge::sass;

TEST_CASE("the table is sorted, and no code has two names on one GPU") {
    constexpr std::size_t count = sizeof(sass::detail::opcodes) / sizeof(sass::opcode_row);
    for (std::size_t n = 0; n < count; ++n) {
        const sass::opcode_row& row = sass::detail::opcodes[n];
        CHECK(row.code < 0x200);
        CHECK(row.first <= row.last);
        CHECK_FALSE(row.name.empty());
        CHECK(row.pipe != sass::pipe::unknown);
        for (std::size_t m = n + 1; m < count && sass::detail::opcodes[m].code == row.code; ++m) {
            CHECK(sass::detail::opcodes[m].first > row.last);
        }
        if (n > 0) CHECK(sass::detail::opcodes[n - 1].code <= row.code);
    }
}

// On the lines `fma.rn.f32`, `ld.global.f32` and `bar.sync` of our own kernels, ptxas has these.
TEST_CASE("codes are named as seen") {
    CHECK(sass::find_opcode(0x023, 75).name == "FFMA");
    CHECK(sass::find_opcode(0x181, 90).pipe == sass::pipe::global_load);
    CHECK(sass::find_opcode(0x11d, 120).pipe == sass::pipe::barrier);
    CHECK(sass::find_opcode(0x0bb, 86).pipe == sass::pipe::constant_load);
    CHECK(sass::find_opcode(0x03d, 75).pipe == sass::pipe::tensor);  // `mma` of single bits
    // `cp.async.bulk`, `cp.async.bulk.tensor` and `mbarrier.arrive`.
    CHECK(sass::find_opcode(0x1ba, 90).name == "UBLKCP");
    CHECK(sass::find_opcode(0x1b4, 100).name == "UTMALDG");
    CHECK(sass::find_opcode(0x1a7, 90).pipe == sass::pipe::shared_atomic);
    CHECK(sass::find_opcode(0x1ba, 89).name.empty());
    // `wgmma` of halves and of bytes, `tcgen05.mma` and `tcgen05.ld`, `mma` of bytes of 8.9 and 12.0.
    CHECK(sass::find_opcode(0x1f0, 90).name == "HGMMA");
    CHECK(sass::find_opcode(0x1f3, 90).name == "QGMMA");
    CHECK(sass::find_opcode(0x1f0, 100).name.empty());
    CHECK(sass::find_opcode(0x1ea, 100).pipe == sass::pipe::tensor);
    CHECK(sass::find_opcode(0x1ee, 103).name == "LDTM");
    CHECK(sass::find_opcode(0x1ea, 120).name.empty());
    CHECK(sass::find_opcode(0x07a, 89).name == "QMMA");
    CHECK(sass::find_opcode(0x07a, 90).name.empty());
    CHECK(sass::find_opcode(0x07a, 120).pipe == sass::pipe::tensor);
    // `stmatrix`, `barrier.cluster`, `trap`.
    CHECK(sass::find_opcode(0x044, 90).pipe == sass::pipe::shared_store);
    CHECK(sass::find_opcode(0x1c7, 90).pipe == sass::pipe::barrier);
    CHECK(sass::find_opcode(0x15c, 75).name == "BPT");
}

TEST_CASE("a code may mean something else on another GPU, or nothing") {
    CHECK(sass::find_opcode(0x035, 80).name == "HFMA2.MMA");
    CHECK(sass::find_opcode(0x035, 120).name == "IADD.64");
    CHECK(sass::find_opcode(0x035, 75).name.empty());
    CHECK(sass::find_opcode(0x1ff, 75).pipe == sass::pipe::unknown);
    CHECK(sass::find_opcode(0x000, 75).name.empty());
}

// CUDA C++ Programming Guide, "Arithmetic Instructions": conversions of 64 bits a cycle and SM.
TEST_CASE("conversions of 64 bits are as slow as double precision where that has two lanes") {
    constexpr std::uint16_t two_lanes[]{75, 86, 89, 120};
    constexpr std::uint16_t many[]{80, 90, 100};
    for (std::uint16_t code = 0x110; code <= 0x113; ++code) {
        for (const std::uint16_t slow : two_lanes) {
            CHECK(sass::find_opcode(code, slow).pipe == sass::pipe::fp64);
        }
        for (const std::uint16_t fast : many) {
            CHECK(sass::find_opcode(code, fast).pipe == sass::pipe::special);
        }
    }
    CHECK(sass::find_opcode(0x104, 86).pipe == sass::pipe::special);
}

TEST_CASE("every pipe has a name of its own") {
    for (std::uint32_t p = 0; p < sass::pipe_count; ++p) {
        for (std::uint32_t q = 0; q < p; ++q) {
            CHECK(sass::name(static_cast<sass::pipe>(p)) != sass::name(static_cast<sass::pipe>(q)));
        }
    }
}

}  // namespace

}  // namespace opcode_table_test
