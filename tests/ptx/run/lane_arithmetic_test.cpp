// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/lane_arithmetic.hpp>

#include "one_step.hpp"
#include "random_numbers.hpp"

namespace lane_arithmetic_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

using arithmetic_step = one_step<lane_arithmetic<>>;

std::uint32_t some_bits(random_numbers& random) {
    const int low = random.whole(0, 0xffff);
    const int high = random.whole(0, 0xffff);
    return static_cast<std::uint32_t>(high) << 16 | static_cast<std::uint32_t>(low);
}

// Small and large numbers, known in some lanes; of the others, offsets from a base that several lanes may share.
void fill_at_random(row_values& r, random_numbers& random, std::uint32_t known) {
    for (std::uint64_t& lane : r.lanes) {
        const bool is_small = random.whole(0, 1) == 0;
        lane = is_small ? static_cast<std::uint64_t>(random.whole(0, 70)) : some_bits(random);
    }
    r.known = known;
    const std::uint32_t breaks = random.whole(0, 2) == 0 ? ~0U : some_bits(random) & 0x0101'0100;
    r.base = {
        .identity = random.whole(0, 3) == 0 ? 0 : static_cast<std::uint64_t>(random.whole(5, 7)),
        .bits = ones(32),
        .breaks = breaks};
}

}  // namespace

TEST_CASE("what a wide product is added to is twice as wide, up to 64 bits") {
    step s;
    s.what = action::multiply_add;
    s.part = ptx::link::halves::wide;
    for (const std::uint8_t bits : {std::uint8_t{16}, std::uint8_t{32}, std::uint8_t{64}}) {
        s.type = s.from = {.bits = bits, .followed = true};
        CHECK(source_type(s, 2).bits == (bits == 64 ? 64 : 2 * bits));
        CHECK(source_type(s, 1).bits == bits);
    }
}

TEST_CASE("known lanes have what the instruction makes of their extended sources") {
    random_numbers random(11);
    for (const char* const text :
         {"add.s32 %r6, %r3, %r4;", "sub.u32 %r6, %r3, %r4;", "mul.lo.s32 %r6, %r3, %r4;",
          "mul.hi.u32 %r6, %r3, %r4;", "mul.wide.s32 %d2, %r3, %r4;",
          "mad.lo.u32 %r6, %r3, %r4, %r3;", "and.b32 %r6, %r3, %r4;", "xor.b32 %r6, %r3, %r4;",
          "not.b32 %r6, %r3;", "shl.b32 %r6, %r3, %r4;", "shl.b32 %r6, %r3, 5;",
          "shl.b32 %r6, %r3, 40;", "shr.s32 %r6, %r3, %r4;", "cvt.s64.s32 %d2, %r3;",
          "cvt.u32.u8 %r6, %r3;", "min.s32 %r6, %r3, %r4;", "rem.s32 %r6, %r3, %r4;"}) {
        CAPTURE(text);
        for (int n = 0; n < 8; ++n) {
            arithmetic_step one(text);
            row_values& a = one.first();
            row_values& b = one.file.at(one.k.source(one.k.body(0), 1));
            fill_at_random(a, random, n % 2 == 0 ? all_lanes : some_bits(random));
            fill_at_random(b, random, n % 3 == 0 ? some_bits(random) : all_lanes);
            const auto& s = one.k.body(1);
            std::array<row_values, 4> in{};
            for (unsigned k = 0; k < s.sources; ++k) in[k] = one.file.source(s, k);
            const std::uint32_t active = n < 4 ? all_lanes : some_bits(random);
            const row_values r = one.result(active);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                std::array<std::uint64_t, 4> v{};
                bool known = has_lane(active, l);
                for (unsigned k = 0; k < s.sources; ++k) {
                    v[k] = as(source_type(s, k), in[k].lanes[l]);
                    known = known && has_lane(in[k].known, l);
                }
                if (!known || (s.what == action::remainder && v[1] == 0)) continue;
                CHECK(has_lane(r.known, l));
                const std::uint64_t right = computed(s, v[0], v[1], v[2], v[3]);
                const std::uint64_t kept =
                    s.what == action::convert ? as(s.type, right) : right & ones(result_bits(s));
                CHECK(r.lanes[l] == kept);
            }
        }
    }
}

TEST_CASE("the short way of a sum that is not known gives what the long one does") {
    random_numbers random(12);
    for (const char* const text : {"add.s32 %r6, %r3, %r4;", "sub.u32 %r6, %r3, %r4;"}) {
        CAPTURE(text);
        for (int n = 0; n < 200; ++n) {
            arithmetic_step one(text);
            row_values& a = one.first();
            row_values& b = one.file.at(one.k.source(one.k.body(0), 1));
            fill_at_random(a, random, n % 2 == 0 ? 0 : some_bits(random));
            fill_at_random(b, random, n % 3 == 0 ? all_lanes : n % 3 == 1 ? 0 : some_bits(random));
            const auto& s = one.k.body(1);
            const std::uint32_t active = n % 4 == 0 ? some_bits(random) : all_lanes;
            std::uint32_t known = a.known & b.known;
            const std::uint32_t open = active & ~known;
            if (open == 0) continue;
            std::array<lane_values, 2> values{};
            std::array<source_values, 4> partly;
            const std::array<row_values, 2> in{a, b};
            for (unsigned k = 0; k < 2; ++k) {
                extend(source_type(s, k), in[k].lanes, values[k]);
                partly[k] = source_values(in[k], values[k], source_type(s, k), open);
            }
            lane_values out{};
            compute_row(s, values[0], values[1], values[1], ones(32), out);
            const unknown_base base =
                unknown_results(s, 32, partly, 2, open)
                    .complete(out, known, arithmetic_step(text).file.new_base(0));
            const row_values r = one.result(active);
            if (r.known == 0 && r.base.is_opaque() && r.base.identity == 0) continue;  // forgotten
            CHECK((r.known & active) == (known & active));
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if (has_lane(active, l)) CHECK(r.lanes[l] == out[l]);
            }
            if ((active & ~known) == 0) continue;
            CHECK(r.base.identity == base.identity);
            CHECK(r.base.bits == base.bits);
            CHECK(r.base.breaks == base.breaks);
        }
    }
}

}  // namespace lane_arithmetic_test
