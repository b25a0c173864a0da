// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include <doctest/doctest.h>

#include <warpgauge/sass/instruction.hpp>

namespace instruction_test {

namespace {

namespace sass = warpgauge::sass;

// Words of our own kernels; what they have to mean is what their line of PTX says.
TEST_CASE("a word's operation, predicate and control bits are read") {
    // `@%p1 bra` of saxpy for 7.5, to its end.
    constexpr auto exit = sass::decode({0x0000'0000'0000'094d, 0x000f'ea00'0380'0000}, 75, 0x50);
    static_assert(exit.name == "EXIT");
    CHECK(exit.flow == sass::flow::exit);
    CHECK(exit.conditional);
    CHECK(exit.predicate == 0);
    CHECK_FALSE(exit.negated);
    CHECK(exit.control.stall_cycles == 5);
    CHECK(exit.control.yield);
    CHECK(exit.control.write_barrier == 7);
    CHECK(exit.control.wait_mask == 0);

    // `cvt.rn.f32.s32` of sepia for 7.5: it sets barrier 0, and waits for what barrier 2 announces.
    constexpr auto convert = sass::decode({0x0000'0004'0000'7306, 0x004e'3000'0010'1000}, 75, 0xd0);
    CHECK(convert.name == "I2F");
    CHECK(convert.pipe == sass::pipe::special);
    CHECK_FALSE(convert.conditional);
    CHECK(convert.control == sass::control_bits{.stall_cycles = 8,
                                                .yield = true,
                                                .write_barrier = 0,
                                                .read_barrier = 7,
                                                .wait_mask = 4,
                                                .reuse = 0});
}

// Both jump back to the head of their loop, as `readelf -x .text.histogram` places it.
TEST_CASE("targets are relative to the next instruction, from 9.0 on with bits of their own") {
    constexpr auto turing =
        sass::decode({0xffff'ff30'0000'0947, 0x000f'ea00'0083'ffff}, 75, 0x1a90);
    CHECK(turing.target == 0x1a90 + 16 - 0xd0);
    constexpr auto hopper =
        sass::decode({0xffff'fffc'00cc'0947, 0x000f'ea00'0083'ffff}, 90, 0x1a70);
    CHECK(hopper.target == 0x1a70 + 16 - 0xd0);
    constexpr auto ahead = sass::decode({0x0000'0008'00fc'9947, 0x000f'ec00'0380'0000}, 90, 0x1c0);
    CHECK(ahead.target == 0x1c0 + 16 + 0xbf0);
    CHECK(ahead.conditional);
}

TEST_CASE("a jump by a second or a uniform predicate is conditional") {
    constexpr auto always =
        sass::decode({0x0000'0000'0010'7947, 0x000f'ea00'0380'0000}, 100, 0x190);
    CHECK_FALSE(always.conditional);
    const auto uniform = sass::decode({0x0000'0009'0868'7547, 0x008f'ec00'0b80'0000}, 100, 0xd0);
    CHECK(uniform.conditional);
    CHECK_FALSE(
        sass::decode({0x0000'0009'0768'7547, 0x008f'ec00'0b80'0000}, 100, 0xd0).conditional);
    constexpr auto second =
        sass::decode({0x0000'0004'0018'7947, 0x000f'ea00'0080'0000}, 100, 0x1080);
    CHECK(second.conditional);
}

TEST_CASE("an asynchronous copy has its width where its architecture has it") {
    const auto bytes = [](std::uint64_t high, std::uint16_t capability) {
        return sass::decode({0x0000'0000'0207'7fae, high}, capability, 0).lane_bytes;
    };
    CHECK(bytes(0x000f'e200'0b92'1844, 80) == 4);
    CHECK(bytes(0x000f'e200'0b92'1a44, 80) == 8);
    CHECK(bytes(0x000f'e400'0b90'1c44, 90) == 16);
    CHECK(bytes(0x010f'e800'0b9a'1006, 100) == 4);
    CHECK(bytes(0x010f'e800'0b9a'1406, 100) == 8);
    CHECK(bytes(0x010f'e200'0b98'1806, 120) == 16);
}

TEST_CASE("what a lane moves is read of loads and stores alone") {
    // `st.local.v4.f32` for 7.5, `ld.global.u8` for 7.5: codes 0x387 and 0x381, widths 6 and 0.
    CHECK(sass::decode({0x7387, 6U << 9}, 75, 0).lane_bytes == 16);
    CHECK(sass::decode({0x7381, 0}, 75, 0).lane_bytes == 1);
    CHECK(sass::decode({0x7223, 6U << 9}, 75, 0).lane_bytes == 0);
    CHECK(sass::decode({0x7983, 5U << 9}, 75, 0).lane_bytes == 8);  // LDL.64
    CHECK(sass::decode({0x783b, 4U << 9}, 75, 0).lane_bytes == 0);  // LDSM
    CHECK(sass::decode({0x7984, 4U << 9}, 75, 0).lane_bytes == 4);  // LDS
    CHECK(sass::decode({0x73ba, 4U << 9}, 90, 0).lane_bytes == 0);  // UBLKCP: as a register says
    CHECK(sass::decode({0x75b4, 4U << 9}, 90, 0).lane_bytes == 0);  // UTMALDG
}

TEST_CASE("where a word may lead is in its code") {
    using sass::flow;
    struct {
        std::uint64_t code;
        flow then;
    } const all[]{{0x144, flow::call},     {0x147, flow::jump}, {0x149, flow::indirect},
                  {0x158, flow::indirect}, {0x14d, flow::exit}, {0x150, flow::back},
                  {0x223, flow::next}};
    for (const auto& one : all) {
        CAPTURE(one.code);
        CHECK(sass::decode({0x7000 | one.code, 0}, 75, 0).flow == one.then);
    }
}

TEST_CASE("a call has a target where its word has one, and none in a register") {
    CHECK(sass::decode({0x0000'0020'0000'7944, 0x000f'ea00'03c0'0000}, 75, 0x100).target ==
          0x100 + 16 + 32);
    CHECK(sass::decode({0x0000'0020'0000'7344, 0x000f'ea00'03c0'0000}, 75, 0x100).target == -1);
}

// cp.async.wait_group 0, 5 and 40 as ptxas 13.0 compiles them.
TEST_CASE("a wait for some of several copies says for how many") {
    for (const auto& [low, left] :
         {std::pair{0x8000'0000'791aULL, 0}, {0x8140'0000'791aULL, 5}, {0x8a00'0000'791aULL, 40}}) {
        const auto i = sass::decode({low, 0x000f'c800'0000'0000ULL}, 80, 0);
        CHECK(i.name == "DEPBAR");
        CHECK(i.counted_barrier == 0);
        CHECK(i.groups_left == left);
    }
    CHECK(sass::decode({0x2ff7faeULL, 0x000f'e800'0b90'1c44ULL}, 80, 0).counted_barrier == 7);
}

// `wgmma` as ptxas 13.0 compiles it: m64n256k16 within and at the end of a group, m64n24k16, m64n256k32 of sparse factors,
// m64n128k16 with one factor in registers, and m64n256k32 of bytes.
TEST_CASE("a product of a warpgroup has its columns, and says whether it closes a group") {
    struct {
        std::uint64_t low, high;
        const char* name;
        int columns;
        bool closes;
    } const all[]{{0x03e0'0000'1018'79f0, 0x000f'e800'0870'1818, "HGMMA", 256, false},
                  {0x03e0'0000'1018'79f0, 0x000f'e600'0800'1818, "HGMMA", 256, true},
                  {0x0040'0000'0818'79f0, 0x000f'e200'0800'0818, "HGMMA", 24, true},
                  {0x0be0'9800'0818'79f0, 0x000f'e200'0800'0a18, "HGMMA", 256, true},
                  {0x01e0'0004'5818'7df0, 0x000f'e200'0800'0818, "HGMMA", 128, true},
                  {0x03e0'0000'0818'79f3, 0x000f'e200'0800'0818, "QGMMA", 256, true}};
    for (const auto& one : all) {
        const auto i = sass::decode({one.low, one.high}, 90, 0);
        CHECK(i.name == one.name);
        CHECK(i.pipe == sass::pipe::tensor);
        CHECK(i.columns == one.columns);
        CHECK(i.closes_group == one.closes);
        CHECK(i.counted_barrier == 7);
    }
    CHECK(sass::decode({0x0000'0010'0404'723c, 0x008f'e200'0000'1808}, 90, 0).columns ==
          0);  // HMMA
}

// `wgmma.fence`, and `wgmma.wait_group` 0 and 1.
TEST_CASE("a wait for some groups of products says for how many") {
    CHECK(sass::decode({0x79c5, 0x000f'e200'0000'0000}, 90, 0).counted_barrier == 7);
    for (const auto& [high, left] :
         {std::pair{0x000f'c600'0001'0000ULL, 0}, {0x000f'e400'0001'0100ULL, 1}}) {
        const auto i = sass::decode({0x8000'0000'79c5, high}, 90, 0);
        CHECK(i.name == "WARPGROUP");
        CHECK(i.counted_barrier == sass::product_groups);
        CHECK(i.groups_left == left);
    }
}

TEST_CASE("an unknown word has its code and no name") {
    constexpr auto i = sass::decode({0x72cd, 0}, 100, 0);
    CHECK(i.name.empty());
    CHECK(i.code == 0x2cd);
    CHECK(i.pipe == sass::pipe::unknown);
}

}  // namespace

TEST_CASE("control bits differ in each field") {
    using warpgauge::sass::control_bits;
    CHECK(control_bits{.wait_mask = 1} == control_bits{.wait_mask = 1});
    CHECK_FALSE(control_bits{.yield = true} == control_bits{});
    CHECK_FALSE(control_bits{.wait_mask = 1} == control_bits{});
    CHECK_FALSE(control_bits{.reuse = 1} == control_bits{});
}

}  // namespace instruction_test
