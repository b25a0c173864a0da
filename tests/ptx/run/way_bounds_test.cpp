// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>

#include "ptx/prepared.hpp"

namespace way_bounds_test {

using namespace warpgauge;
using ptx::detail::run::warp_distance;
using ptx::detail::run::way_bounds;

namespace {

// The ways of the warps of a launch.
struct sliced_kernel : prepared_text {
    explicit sliced_kernel(const std::string& body)
        : prepared_text(body, {{12, 6, 4}, {64}}, 1'000'000'000),
          slice(prepared.linked),
          bounds(prepared.linked) {}

    // All that a warp does, as text.
    std::string way_of(const std::array<std::uint32_t, 3>& block, std::uint32_t warp) {
        std::string way;
        const ptx::run::warp_place place{
            .grid = {12, 6, 4}, .block = {64, 1, 1}, .block_index = block, .warp = warp};
        const auto bad = machine.run_slice(
            place, slice,
            [&](const ptx::run::executed& e) {
                for (const std::uint64_t part : {std::uint64_t{e.step}, std::uint64_t{e.active},
                                                 std::uint64_t{e.jumping}, e.rounds}) {
                    way += std::to_string(part) + ' ';
                }
            },
            &bounds);
        REQUIRE_FALSE(bad);
        return way;
    }

    // How often a warp does what, as text; of its accesses, what they cost and where they go.
    std::string all_of(const std::array<std::uint32_t, 3>& block, std::uint32_t warp,
                       const warp_distance& away) {
        std::map<std::string, std::uint64_t> counts;
        const ptx::run::warp_place place{
            .grid = {12, 6, 4}, .block = {64, 1, 1}, .block_index = block, .warp = warp};
        way_bounds<> reach(prepared.linked, 128, 4);
        const auto bad = machine.run(
            place,
            [&](const ptx::run::executed& e) {
                std::string what;
                const auto add = [&](std::uint64_t n) { what += std::to_string(n) + ' '; };
                for (const std::uint32_t n : {e.step, e.active, e.jumping}) add(n);
                if (e.access == nullptr) {
                    add(e.transactions);
                } else {
                    const auto moved = ptx::detail::run::distance_along(reach.moved(), away);
                    for (std::size_t l = 0; l < warp_lanes; ++l) {
                        if ((e.access->active >> l & 1U) == 0) continue;
                        add(e.access->addresses[l] + static_cast<std::uint64_t>(moved));
                    }
                }
                counts[what] += e.rounds;
            },
            &reach);
        REQUIRE_FALSE(bad);
        reached = reach.reach();
        std::string all;
        for (const auto& [what, times] : counts) all += what + ": " + std::to_string(times) + '\n';
        return all;
    }

    bool goes_along(const warp_distance& away) const { return bounds.reach().holds(away); }

    ptx::link::control_slice<> slice;
    way_bounds<> bounds;
    ptx::detail::run::way_reach<> reached;
};

}  // namespace

TEST_CASE("a guard holds for as many blocks as no thread of the warp passes it") {
    sliced_kernel k(
        "mov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, 10, %r2;\nsetp.ge.s32 %p1, %r4, %r1;\n"
        "@%p1 bra OUT;\nst.global.u32 [%d1], %r4;\nOUT: ret;");
    k.way_of({2, 0, 0}, 0);  // threads 20 to 51 of 100
    CHECK(k.goes_along({-2, 0, 0}));
    CHECK(k.goes_along({4, 5, 3}));  // 60 to 91
    CHECK_FALSE(k.goes_along({5, 0, 0}));
    k.way_of({7, 0, 0}, 0);  // 70 to 101
    CHECK(k.goes_along({0, 3, 0}));
    CHECK_FALSE(k.goes_along({1, 0, 0}));
    CHECK_FALSE(k.goes_along({-1, 0, 0}));
}

TEST_CASE("a guard holds for other warps of the block, too") {
    sliced_kernel k(
        "mov.u32 %r3, %ctaid.x;\nmad.lo.s32 %r4, %r3, 64, %r2;\nsetp.ge.s32 %p1, %r4, %r1;\n"
        "@%p1 bra OUT;\nst.global.u32 [%d1], %r4;\nOUT: ret;");
    k.way_of({0, 0, 0}, 0);  // threads 0 to 31 of 100
    CHECK(k.goes_along({0, 0, 0, 32}));
    CHECK(k.goes_along({1, 0, 0, 0}));
    CHECK_FALSE(k.goes_along({1, 0, 0, 32}));
    // The remainder says nothing of another warp, but of the same one in another block.
    sliced_kernel rows(
        "mov.u32 %r3, %ctaid.x;\nrem.u32 %r4, %r2, 7;\nadd.s32 %r4, %r4, %r3;\n"
        "setp.ge.s32 %p1, %r4, 9;\n@%p1 bra OUT;\nst.global.u32 [%d1], %r4;\nOUT: ret;");
    rows.way_of({1, 0, 0}, 0);  // up to 7
    CHECK(rows.goes_along({1, 0, 0, 0}));
    CHECK_FALSE(rows.goes_along({2, 0, 0, 0}));
    CHECK_FALSE(rows.goes_along({0, 0, 0, 32}));
    sliced_kernel numbers(
        "mov.u32 %r3, %warpid;\nsetp.ge.s32 %p1, %r3, 9;\n@%p1 bra OUT;\n"
        "st.global.u32 [%d1], %r4;\nOUT: ret;");
    numbers.way_of({1, 0, 0}, 0);
    CHECK(numbers.goes_along({1, 0, 0, 0}));
    CHECK_FALSE(numbers.goes_along({0, 0, 0, 32}));
}

TEST_CASE("what one comparison decides alone does not depend on the others") {
    const std::string ends = "@%p3 bra OUT;\nst.global.u32 [%d1], %r4;\nOUT: ret;";
    const std::string places = "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\n";
    for (const char* const how :
         {"setp.gt.s32 %p1, %r3, 3;\nsetp.gt.s32 %p2, %r4, 3;\nor.pred %p3, %p1, %p2;\n",
          "setp.gt.s32 %p1, %r3, 3;\nsetp.gt.s32 %p2, %r4, 3;\nor.pred %p3, %p2, %p1;\n",
          "sub.s32 %r5, 3, %r3;\nsub.s32 %r6, 3, %r4;\nor.b32 %r7, %r5, %r6;\n"
          "setp.lt.s32 %p3, %r7, 0;\n",
          "add.s32 %r5, %r3, -4;\nadd.s32 %r6, %r4, -4;\nand.b32 %r7, %r5, %r6;\n"
          "setp.ge.s32 %p3, %r7, 0;\n",
          "setp.le.s32 %p1, %r3, 3;\nsetp.le.s32 %p2, %r4, 3;\nand.pred %p4, %p1, %p2;\n"
          "not.pred %p3, %p4;\n"}) {
        CAPTURE(how);
        sliced_kernel k(places + how + ends);
        k.way_of({7, 1, 0}, 0);  // out, by x alone
        CHECK(k.goes_along({-3, 3, 0}));
        CHECK_FALSE(k.goes_along({-4, 0, 0}));
        k.way_of({1, 1, 0}, 0);  // in, by both
        CHECK(k.goes_along({2, 2, 0}));
        CHECK_FALSE(k.goes_along({3, 0, 0}));
        CHECK_FALSE(k.goes_along({0, 3, 0}));
    }
}

TEST_CASE("the sign of several coordinates at once") {
    sliced_kernel k(
        "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\nadd.s32 %r3, %r3, -2;\n"
        "add.s32 %r4, %r4, -1;\nor.b32 %r5, %r3, %r4;\nsetp.gt.s32 %p1, %r5, -1;\n"
        "@%p1 bra OUT;\nst.global.u32 [%d1], %r4;\nOUT: ret;");
    k.way_of({4, 3, 0}, 0);
    CHECK(k.goes_along({-2, -2, 0}));
    CHECK_FALSE(k.goes_along({-3, 0, 0}));
    CHECK_FALSE(k.goes_along({0, -3, 0}));
    CHECK(k.goes_along({7, 2, 1}));
}

TEST_CASE("no value passes the range of the type that it is read in") {
    for (const char* const line :
         {"setp.gt.u32 %p1, %r3, 5;\n", "mul.wide.u32 %d3, %r3, 4;\nsetp.gt.u64 %p1, %d3, 400;\n",
          "cvt.u64.u32 %d3, %r3;\nsetp.gt.u64 %p1, %d3, 400;\n"}) {
        CAPTURE(line);
        sliced_kernel k(std::string("mov.u32 %r3, %ctaid.x;\nadd.s32 %r3, %r3, -2;\n") + line +
                        "@%p1 bra OUT;\nst.global.u32 [%d1], %r4;\nOUT: ret;");
        k.way_of({0, 0, 0}, 0);  // 2^32 - 2
        CHECK_FALSE(k.goes_along({2, 0, 0}));
        k.way_of({3, 0, 0}, 0);  // 1
        CHECK_FALSE(k.goes_along({-2, 0, 0}));
    }
}

TEST_CASE("nothing is said of other blocks where a register moves in another way") {
    const std::string store = "@%p1 bra OUT;\nst.global.u32 [%d1], %r4;\nOUT: ret;";
    for (const char* const line :
         {"and.b32 %r4, %r3, 5;\nsetp.eq.s32 %p1, %r4, 1;\n",
          "rem.u32 %r4, %r3, 3;\nsetp.eq.s32 %p1, %r4, 1;\n",
          "mul.lo.s32 %r4, %r3, %r3;\nsetp.lt.s32 %p1, %r4, 9;\n",
          "ld.global.u32 %r4, [%d1];\nadd.s32 %r4, %r4, %r3;\nsetp.lt.s32 %p1, %r4, 9;\n",
          "setp.lt.u32 %p2, %r2, 16;\nmov.u32 %r4, %r3;\n@%p2 mov.u32 %r4, 5;\n"
          "setp.lt.s32 %p1, %r4, 70;\n",
          "mov.u32 %r4, 0;\nmov.u32 %r5, 0;\nL: add.s32 %r5, %r5, 1;\nadd.s32 %r4, %r4, %r3;\n"
          "setp.lt.u32 %p1, %r5, 40;\n@%p1 bra L;\nsetp.lt.u32 %p1, %r4, 9999;\n",
          "mov.u32 %r5, 0;\nL: add.s32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, %r3;\n@%p1 bra L;\n"
          "setp.eq.u32 %p1, %r5, 70;\n"}) {
        sliced_kernel k(std::string("mov.u32 %r3, %ctaid.x;\nadd.s32 %r3, %r3, 60;\n") + line +
                        store);
        CAPTURE(line);
        k.way_of({3, 0, 0}, 0);
        CHECK_FALSE(k.goes_along({1, 0, 0}));
    }
}

namespace {

// Arithmetic on the numbers of block and thread, comparisons, guards and loops, at random.
std::string random_body(std::mt19937& random) {
    const auto up_to = [&](std::uint32_t count) {
        return static_cast<std::uint32_t>(random() % count);
    };
    const auto some = [&] { return "%r" + std::to_string(3 + up_to(8)); };
    std::string body =
        "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\nmov.u32 %r5, %ctaid.z;\n"
        "mov.u32 %r6, %r2;\nmov.u32 %r7, %r1;\nmov.u32 %r8, -3;\nmov.u32 %r9, %ctaid.x;\n"
        "mov.u32 %r10, %laneid;\n";
    const std::uint32_t lines = 4 + up_to(12);
    for (std::uint32_t n = 0; n < lines; ++n) {
        const std::string to = some();
        const std::string a = some();
        const std::string b = some();
        const std::string number = std::to_string(static_cast<int>(up_to(40)) - 12);
        const std::string label = "L" + std::to_string(n);
        const std::string compare[]{"lt.s32", "ge.s32", "gt.u32", "le.s32", "eq.s32", "ne.u32"};
        const char* const extremum[]{"min.s32 ", "max.s32 ", "min.u32 "};
        const std::string how = compare[up_to(6)];
        const std::string jump =
            "@%p1 bra " + label + ";\nadd.s32 " + to + ", " + to + ", 1;\n" + label + ":\n";
        switch (up_to(12)) {
            case 0: body += "add.s32 " + to + ", " + a + ", " + b + ";\n"; break;
            case 1: body += "sub.s32 " + to + ", " + a + ", " + b + ";\n"; break;
            case 2: body += "mul.lo.s32 " + to + ", " + a + ", " + number + ";\n"; break;
            case 3: body += "mad.lo.s32 " + to + ", " + a + ", " + number + ", " + b + ";\n"; break;
            case 4: body += "shl.b32 " + to + ", " + a + ", 2;\n"; break;
            case 5: body += "or.b32 " + to + ", " + a + ", " + b + ";\n"; break;
            case 6:
                body += std::string(extremum[up_to(3)]) + to + ", " + a + ", " +
                        (up_to(2) == 0 ? b : "9") + ";\n";
                break;
            case 7:
                body += "mul.wide.s32 %d3, " + a + ", " + number + ";\ncvt.s64.s32 %d4, " + b +
                        ";\nadd.s64 %d3, %d3, %d4;\n" + "setp.lt.s64 %p1, %d3, 90;\n" + jump;
                break;
            case 8:
                body += "setp.gt.s32 %p2, " + a + ", -1;\nselp.b32 " + to + ", " + a + ", " + b +
                        ", %p2;\n";
                break;
            case 9:
                body += "and.b32 %r11, " + a + ", 7;\nmov.u32 %r12, 0;\n" + label +
                        ": add.s32 %r12, %r12, 1;\nadd.s32 " + to + ", " + to + ", " + number +
                        ";\nsetp.lt.s32 %p3, %r12, %r11;\n@%p3 bra " + label + ";\n";
                break;
            default:
                body += "setp." + how + " %p1, " + a + ", " + (up_to(2) == 0 ? b : number) + ";\n" +
                        jump;
        }
    }
    return body + "ret;";
}

}  // namespace

TEST_CASE("random kernels: within the bounds, other warps do the same elsewhere") {
    int along = 0;
    for (std::uint32_t seed = 1000; seed < 2200; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const auto some = [&] { return "%r" + std::to_string(3 + random() % 8); };
        std::string body = random_body(random);
        body.resize(body.size() - 4);  // ret;
        for (int n = 0; n < 3; ++n) {
            const std::string index = some();
            const std::string scale = random() % 2 == 0 ? "4" : "12";
            body += "mul.wide.s32 %d5, " + index + ", " + scale + ";\nadd.s64 %d5, %d5, %d1;\n" +
                    "ld.global.u32 %r13, [%d5];\n";
            const std::string other = some();
            body += "and.b32 %r14, " + other + ", 63;\nshl.b32 %r14, %r14, 2;\n" +
                    "st.shared.u32 [%r14], %r13;\nshl.b32 %r15, %r2, 3;\n" +
                    "ld.shared.u32 %r16, [%r15];\n";
        }
        body +=
            "mul.wide.u32 %d5, %r2, 4;\nadd.s64 %d5, %d5, %d1;\nst.global.u32 [%d5], %r16;\n"
            "mov.u32 %r17, 0;\nM: add.s64 %d5, %d5, 256;\nadd.s32 %r17, %r17, 1;\n"
            "ld.global.u32 %r16, [%d5];\nsetp.lt.s32 %p4, %r17, 20;\n@%p4 bra M;\nret;";
        CAPTURE(body);
        sliced_kernel k(body);
        for (int draw = 0; draw < 6; ++draw) {
            std::array<std::uint32_t, 3> from{};
            std::array<std::uint32_t, 3> to{};
            warp_distance away{};
            for (std::uint32_t d = 0; d < 3; ++d) {
                const std::uint32_t blocks = d == 0 ? 12 : d == 1 ? 6 : 4;
                from[d] = static_cast<std::uint32_t>(random() % blocks);
                to[d] = static_cast<std::uint32_t>(random() % blocks);
                away[d] = std::int64_t{to[d]} - std::int64_t{from[d]};
            }
            const auto first = static_cast<std::uint32_t>(random() % 2);
            const auto second = static_cast<std::uint32_t>(random() % 2);
            away[3] = 32 * (std::int64_t{second} - std::int64_t{first});
            const std::string all = k.all_of(from, first, away);
            if (!k.reached.holds(away)) continue;
            ++along;
            CHECK(k.all_of(to, second, {}) == all);
        }
    }
    CHECK(along > 80);  // else the bounds would be of no use
}

TEST_CASE("random kernels: within the bounds, warps of other blocks go the same way") {
    int along = 0;
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const std::string body = random_body(random);
        CAPTURE(body);
        sliced_kernel k(body);
        for (int draw = 0; draw < 4; ++draw) {
            const std::uint32_t warp = draw % 2 == 0 ? 0 : 1;
            std::array<std::uint32_t, 3> from{};
            std::array<std::uint32_t, 3> to[6]{};
            for (std::uint32_t d = 0; d < 3; ++d) {
                const std::uint32_t blocks = d == 0 ? 12 : d == 1 ? 6 : 4;
                from[d] = static_cast<std::uint32_t>(random() % blocks);
                for (auto& other : to) other[d] = static_cast<std::uint32_t>(random() % blocks);
            }
            const std::string way = k.way_of(from, warp);
            std::vector<std::array<std::uint32_t, 3>> alike;
            for (const auto& other : to) {
                warp_distance away{};
                for (std::size_t d = 0; d < 3; ++d) {
                    away[d] = std::int64_t{other[d]} - std::int64_t{from[d]};
                }
                if (k.goes_along(away)) alike.push_back(other);
            }
            const bool other_warp = k.goes_along({0, 0, 0, warp == 0 ? 32 : -32});
            for (const auto& other : alike) {
                ++along;
                CHECK(k.way_of(other, warp) == way);
            }
            if (other_warp) CHECK(k.way_of(from, 1 - warp) == way);
        }
    }
    CHECK(along > 500);  // else the bounds would be of no use
}

TEST_CASE("blocks within the bounds go the same way, whatever decides it") {
    const std::string x = "mov.u32 %r3, %ctaid.x;\n";
    const std::string y =
        x + "mov.u32 %r4, %ctaid.y;\nadd.s32 %r3, %r3, -5;\nadd.s32 %r4, %r4, -2;\n";
    const std::string wide = x + "cvt.u64.u32 %d3, %r3;\n";
    std::string many = x;  // more bounds than are kept
    for (int n = 1; n < 40; ++n) {
        const std::string by = std::to_string(n);
        many += "mul.lo.u32 %r5, %r3, " + by + ";\nsetp.gt.u32 %p1, %r5, 400;\n@%p1 bra OUT;\n";
    }
    for (
        const std::string& decides :
        {x + "setp.lt.u32 %p2, %r3, 5;\n@%p2 setp.gt.u32 %p1, %r3, 2;\n",
         x + "setp.lt.u32 %p2, %r3, 5;\nsetp.gt.and.u32 %p1, %r3, 2, %p2;\n",
         x + "cvt.rn.f32.s32 %f1, %r3;\nsetp.lt.f32 %p1, %f1, 0f40A00000;\n",
         x + "brx.idx %r3, T;\nT: .branchtargets OUT, A, OUT, A, OUT, A, OUT, A, OUT, A, OUT, "
             "A;\nA: ",
         x + "mul.wide.u32 %d3, %r3, 4;\nadd.s64 %d3, %d3, %d1;\nld.global.u32 %r5, "
             "[%d3];\nsetp.gt.u32 %p1, %r5, 2;\n",
         x + "mul.wide.u32 %d3, %r3, 4;\nadd.s64 %d3, %d3, %d1;\nld.u32 %r5, [%d3];\nsetp.gt.u32 "
             "%p1, %r5, 2;\n",
         x + "mul.wide.u32 %d3, %r3, 4;\nld.local.u32 %r5, [%d3];\nsetp.gt.u32 %p1, %r5, 2;\n",
         x + "mul.lo.u32 %r5, %r3, %r3;\nld.shared.u32 %r6, [%r5];\nsetp.gt.u32 %p1, %r6, 2;\n",
         x + "frob.u32 %r5, %r3;\nsetp.gt.u32 %p1, %r5, 2;\n",
         x + "atom.shared.add.u32 %r5, [tile], %r3;\nsetp.gt.u32 %p1, %r5, 2;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.ge.s32 %p1, %r5, 0;\n",
         y + "and.b32 %r5, %r3, %r4;\nsetp.lt.s32 %p1, %r5, 0;\n",
         y + "xor.b32 %r5, %r3, %r4;\nsetp.le.s32 %p1, %r5, -1;\n",
         y + "or.b32 %r5, %r3, %r4;\nor.b32 %r6, %r5, %r3;\nsetp.gt.s32 %p1, %r6, -1;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.lt.s32 %p1, %r5, 5;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.gt.s32 %p1, %r5, 7;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.gt.s32 %p1, %r5, %r2;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.ge.u32 %p1, %r5, 1;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.hs.s32 %p1, %r5, 1;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.eq.s32 %p1, %r5, 0;\n",
         y + "or.b32 %r5, %r3, %r4;\ncvt.s64.s32 %d3, %r5;\nor.b64 %d4, %d3, %d3;\nsetp.lt.s64 "
             "%p1, %d4, 0;\n",
         y + "setp.hi.s32 %p1, %r3, %r4;\n",
         y + "mul.lo.s32 %r5, %r3, %r4;\nsetp.lt.s32 %p1, %r5, 0;\n",
         y + "mul.lo.s32 %r5, %r3, %r4;\nor.b32 %r6, %r5, %r3;\nsetp.lt.s32 %p1, %r6, 0;\n",
         wide +
             "add.u64 %d3, %d3, 0x4000000000000000;\nsetp.gt.u64 %p1, %d3, 0x4000000000000005;\n",
         wide + "add.u64 %d3, %d3, 0x4000000000000000;\nsetp.lt.u64 %p1, 5, %d3;\n",
         wide + "add.s64 %d3, %d3, -0x4000000000000000;\nsetp.gt.s64 %p1, %d3, 5;\n",
         wide + "add.s64 %d3, %d3, -0x4000000000000000;\nsetp.lt.s64 %p1, 5, %d3;\n",
         wide + "setp.gt.s64 %p1, %d3, 0x4000000000000000;\n",
         wide + "setp.gt.s64 %p1, %d3, -0x4000000000000000;\n",
         wide + "add.s64 %d4, %d3, -0x4000000000000000;\nor.b64 %d5, %d4, %d3;\nsetp.lt.s64 %p1, "
                "%d5, 0;\n",
         wide + "shl.b64 %d4, %d3, 3;\nsetp.gt.s64 %p1, %d4, 40;\n",
         wide + "mul.hi.u64 %d4, %d3, 7;\nsetp.gt.s64 %p1, %d4, 40;\n",
         x + "mul.lo.s32 %r5, %r3, 0x40000000;\nsetp.gt.s32 %p1, %r5, 7;\n",
         x + "mul.lo.s32 %r5, %r3, -0x40000000;\nsetp.gt.s32 %p1, %r5, 7;\n",
         x + "mul.lo.s32 %r5, %r3, 0x10000000;\nadd.s32 %r5, %r5, %r5;\nsetp.gt.s32 %p1, %r5, "
             "7;\n",
         x + "mul.lo.s32 %r5, %r3, -0x10000000;\nadd.s32 %r5, %r5, %r5;\nsetp.gt.s32 %p1, %r5, "
             "7;\n",
         x + "mul.lo.u32 %r5, %r3, %r2;\nsetp.gt.s32 %p1, %r5, 70;\n",
         x + "mul.hi.u32 %r5, %r3, 0x70000000;\nsetp.gt.s32 %p1, %r5, 2;\n",
         x + "shl.b32 %r5, %r3, %r2;\nsetp.gt.s32 %p1, %r5, 70;\n",
         x + "shl.b32 %r5, %r3, %r3;\nsetp.gt.s32 %p1, %r5, 70;\n",
         x + "shl.b32 %r5, %r3, 29;\nsetp.gt.s32 %p1, %r5, 70;\n",
         x + "shl.b32 %r5, %r3, 2;\nsetp.gt.s32 %p1, %r5, 17;\n",
         x + "add.cc.u32 %r5, %r3, 1;\nsetp.gt.s32 %p1, %r5, 7;\n",
         x + "sub.cc.u32 %r5, %r3, 1;\nsetp.gt.s32 %p1, %r5, 7;\n",
         x + "sub.s32 %r5, 9, %r3;\nsetp.gt.s32 %p1, %r5, 4;\n",
         x + "cvt.u16.u32 %h1, %r3;\nsetp.gt.u16 %p1, %h1, 7;\n",
         x + "min.u32 %r5, %r3, 7;\nsetp.gt.u32 %p1, %r5, 4;\n",
         // More results or sources than the instruction has, of other widths, or that move where they should not.
         x + "mov.u32 %r5|%r6, %r3;\nsetp.gt.u32 %p1, %r6, 4;\n",
         x + "add.cc.u32 %r5, %r2, -3;\naddc.u32 %r6, %r3, 0;\nsetp.gt.u32 %p1, %r6, 4;\n",
         x + "setp.gt.and.u32 %p1, %r3, 2, %r3;\n",
         x + "selp.b32 %r5, %r3, %r3, %r3;\nsetp.gt.u32 %p1, %r5, 4;\n",
         y + "or.b32 %r5, %r3, %r4;\nsetp.lt.s16 %p1, %r5, 0;\n",
         y + "or.b32 %r5, %r3, %r4, %r3;\nsetp.lt.s32 %p1, %r5, 0;\n",
         x + "setp.gt.u32 %p2, %r3, 2;\nsetp.lt.u32 %p3, %r3, 9;\n"
             "and.pred %p1, %p2, %p3, %p2;\n",
         x + "cvt.u64.u16 %d3, %r3;\nsetp.gt.u64 %p1, %d3, 4;\n",
         x + "add.u32 %r3, %r3, 0xfffd;\ncvt.u32.u16 %r5, %r3;\nsetp.gt.u32 %p1, %r5, 4;\n",
         x + "setp.eq.s32 %p1, %r3, 7;\n", x + "setp.ne.s32 %p1, %r3, 7;\n", many}) {
        CAPTURE(decides);
        sliced_kernel k(decides + "@%p1 bra OUT;\nst.global.u32 [%d1], %r3;\nOUT: ret;");
        for (const std::array<std::uint32_t, 3>& from : {std::array{2U, 1U, 0U}, {8U, 4U, 1U}}) {
            const std::string way = k.way_of(from, 0);
            std::vector<std::array<std::uint32_t, 3>> alike;
            for (std::uint32_t to_x = 0; to_x < 12; ++to_x) {
                for (const std::uint32_t to_y : {0U, 1U, 4U}) {
                    const warp_distance away{std::int64_t{to_x} - from[0],
                                             std::int64_t{to_y} - from[1], 0};
                    if (k.goes_along(away)) alike.push_back({to_x, to_y, from[2]});
                }
            }
            for (const auto& block : alike) CHECK(k.way_of(block, 0) == way);
        }
    }
}

TEST_CASE("other blocks do the same within the bounds, whatever they access") {
    const std::string x = "mov.u32 %r3, %ctaid.x;\nshl.b32 %r4, %r3, 2;\n";
    for (const std::string& accesses :
         {x + "atom.shared.add.u32 %r5, [tile], %r3;\nst.global.u32 [%d1], %r5;\n",
          x + "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r4];\n",
          x + "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tile, {%r4}];\n",
          x + "cvt.u64.u32 %d3, %r4;\nld.const.u32 %r5, [%d3];\n",
          x + "ld.shared.u32 %r5, [%r4];\n", x + "cp.async.ca.shared.global [%r4], [%d1], 4;\n",
          x + "and.b32 %r4, %r4, 12;\ncp.async.ca.shared.global [%r4], [%d1], 4;\n",
          x + "cvt.u64.u32 %d3, %r4;\nadd.s64 %d3, %d3, %d1;\nld.u32 %r5, [%d3];\n"}) {
        CAPTURE(accesses);
        sliced_kernel k(accesses + "ret;");
        for (std::uint32_t to = 0; to < 12; ++to) {
            const warp_distance away{std::int64_t{to} - 3};
            const std::string all = k.all_of({3, 0, 0}, 0, away);
            if (k.reached.holds(away)) CHECK(k.all_of({to, 0, 0}, 0, {}) == all);
        }
    }
}

TEST_CASE("of accesses that move in too many ways nothing is said") {
    for (const int count : {60, 70}) {
        std::string body = "mov.u32 %r3, %ctaid.x;\n";
        for (int n = 1; n <= count; ++n) {
            body +=
                "mul.lo.u32 %r4, %r3, " + std::to_string(4 * n) + ";\nld.shared.u32 %r5, [%r4];\n";
        }
        sliced_kernel k(body + "ret;");
        k.all_of({3, 0, 0}, 0, {});
        CHECK(k.reached.holds({1}) == (count == 60));
    }
}

TEST_CASE("what holds for blocks alone says nothing of other warps of a block") {
    ptx::detail::run::way_reach<> reach;
    CHECK_FALSE(reach.holds({1, 0, 0, 0, 0, 0}));
    reach.of_block = true;
    CHECK(reach.holds({1, 2, 3, 0, 0, 0}));
    CHECK_FALSE(reach.holds({1, 0, 0, 32, 0, 0}));
    CHECK_FALSE(reach.holds({1, 0, 0, 0, 1, 0}));
    CHECK_FALSE(reach.holds({1, 0, 0, 0, 0, 1}));
    reach.of_launch = true;
    CHECK(reach.holds({1, 0, 0, 32, 1, 1}));
}

}  // namespace way_bounds_test
