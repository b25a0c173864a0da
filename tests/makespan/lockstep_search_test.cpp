// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/lockstep_search.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/search.hpp>

#include "random_numbers.hpp"

namespace lockstep_search_test {

using namespace warpgauge;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};

// The longest schedule of a width, which an independent check has walked.
std::uint64_t longest(const makespan_problem& p, std::uint64_t width) {
    const auto cycles =
        detail::makespan::with_lockstep(p, {}, [&](auto& search) -> result<std::uint64_t> {
            const auto found = search.run(width, true);
            if (!found || *found == 0) return found;
            const auto checked = check_schedule(p, search.schedule());
            REQUIRE_MESSAGE(checked, message(checked ? model_error{} : checked.error()).c_str());
            CHECK(*checked == *found);
            return found;
        });
    REQUIRE(cycles);
    return *cycles;
}

}  // namespace

TEST_CASE("one slot each: V is found for all short strings") {
    for (std::size_t length = 1; length <= 7; ++length) {
        for (unsigned bits = 0; bits < 1U << length; ++bits) {
            std::string s(length, 'L');
            for (std::size_t i = 0; i < length; ++i) {
                if ((bits >> i & 1U) != 0) s[i] = 'C';
            }
            CAPTURE(s);
            for (const std::uint64_t warps : {3U, 6U}) {
                const makespan_problem p{s, one_each, warps};
                CHECK(longest(p, 16) == makespan_upper_bound(p)->cycles);
            }
        }
    }
}

TEST_CASE("width 1: every warp in lockstep") {
    CHECK(longest({"LLLL", one_each, 5}, 1) == 20);
    // L alone for all five, then C beside L but for the first L and the last C.
    CHECK(longest({"LC", one_each, 5}, 1) == 6);
    CHECK(longest({"LLLCCC", one_each, 7}, 1) == 6 + 6 * 5);
}

TEST_CASE("no schedule is longer than the worst case: any slots, up to three types") {
    random_numbers any(11);
    for (int n = 0; n < 200; ++n) {
        CAPTURE(n);
        std::array<unit_slots, 3> slots{{{'L', 1}, {'C', 1}, {'S', 1}}};
        for (unit_slots& s : slots) s.slots = any.whole(0, 4) == 0 ? 0.5 : any.whole(1, 3);
        const auto types = static_cast<std::size_t>(any.whole(1, 3));
        std::string s;
        for (int i = any.whole(1, 6); i > 0; --i) {
            s += slots[static_cast<std::size_t>(any.whole(0, static_cast<int>(types) - 1))].symbol;
        }
        CAPTURE(s);
        const auto warps = static_cast<std::uint64_t>(any.whole(1, 6));
        const makespan_problem p{s, std::span(slots).first(types), warps};
        const auto range = exact_makespan(p);
        REQUIRE(range);
        for (const std::uint64_t width : {1U, 8U}) {
            const std::uint64_t found = longest(p, width);
            CHECK(found >= range->best);
            CHECK(found <= range->worst);
        }
    }
}

TEST_CASE("searches stop when they are told to, and where a trace takes too much") {
    const std::string s(64, 'L');
    const makespan_problem p{s, one_each, 64};
    const auto error = [&](const makespan_caps& caps) {
        const auto cycles = detail::makespan::with_lockstep(
            p, caps, [](auto& search) { return search.run(4, true); });
        REQUIRE_FALSE(cycles);
        return cycles.error();
    };
    makespan_caps caps;
    caps.stop = [](void*) { return true; };
    CHECK(error(caps) == model_error{errc::limit_reached, "stop"});
    caps = {};
    caps.bytes = 1000;
    CHECK(error(caps) == model_error{errc::limit_reached, "bytes"});
    const makespan_problem many{s, one_each, 0xffff'ffff};
    const auto none =
        detail::makespan::with_lockstep(many, {}, [](auto& search) { return search.run(1); });
    REQUIRE_FALSE(none);
    CHECK(none.error() == model_error{errc::limit_reached, "warps"});
}

TEST_CASE("groups of warps differ in place and size") {
    using warpgauge::detail::makespan::warp_group;
    CHECK(warp_group{1, 2} == warp_group{1, 2});
    CHECK_FALSE(warp_group{1, 2} == warp_group{2, 2});
    CHECK_FALSE(warp_group{1, 2} == warp_group{1, 3});
}

}  // namespace lockstep_search_test
