// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/stream_position.hpp>

namespace stream_position_test {

using namespace warpgauge;
using detail::simulate::stream_position;

namespace {

using stream = std::vector<instruction>;

constexpr instruction add{.unit = unit_kind::single_precision};

// The entries in the order in which a position comes to them.
std::vector<std::size_t> walked(const stream& s) {
    std::vector<std::size_t> entries;
    stream_position at;
    for (at.begin(s); at.entry() < s.size(); at.advance(s)) entries.push_back(at.entry());
    return entries;
}

std::vector<std::size_t> executed(const stream& s) {
    std::vector<std::size_t> entries;
    auto visit = [&](const instruction&, std::size_t entry) {
        entries.push_back(entry);
        return true;
    };
    for_each_execution(s, 0, s.size(), visit);
    return entries;
}

}  // namespace

TEST_CASE("a position walks through loops as they execute") {
    CHECK(walked({loop(2, 2), add, add, add}) == std::vector<std::size_t>{1, 2, 1, 2, 3});
    for (const stream& s : {stream{add}, stream{add, add}, stream{loop(1, 3), add},
                            // Loops at the begin and the end of others, and after each other.
                            stream{loop(5, 3), loop(1, 2), add, add, loop(1, 4), add},
                            stream{loop(3, 2), loop(2, 2), loop(1, 2), add, loop(1, 5), add},
                            stream{add, loop(4, 2), add, loop(2, 3), add, add, add}}) {
        CHECK(walked(s) == executed(s));
    }
}

TEST_CASE("loops nest as deep as streams allow") {
    stream s;
    for (int depth = 0; depth < max_nested_loops; ++depth) {
        s.push_back(loop(static_cast<std::uint32_t>(max_nested_loops - depth), 2));
    }
    s.push_back(add);
    REQUIRE_FALSE(check_stream(s));
    CHECK(walked(s).size() == std::size_t{1} << max_nested_loops);
}

TEST_CASE("a position begins anew") {
    const stream s{loop(1, 3), add, add};
    stream_position at;
    at.begin(s);
    at.advance(s);
    at.begin(s);
    for (int i = 0; i < 3; ++i) {
        CHECK(at.entry() == 1);
        at.advance(s);
    }
    CHECK(at.entry() == 2);
}

TEST_CASE("a position knows the rounds that are left, and leaves out some") {
    const stream s{loop(4, 9), add, loop(1, 5), add, add};
    const auto rounds = [](const stream_position& at) {
        std::vector<std::uint32_t> all;
        const auto visit = [&](std::uint32_t, std::uint32_t left) { all.push_back(left); };
        at.for_each_round(visit);
        return all;
    };
    stream_position at;
    at.begin(s);
    CHECK(at.depth() == 1);
    CHECK_FALSE(at.advance(s));
    CHECK(at.depth() == 2);
    CHECK(rounds(at) == std::vector<std::uint32_t>{9, 5});
    CHECK(at.advance(s));  // another round of the inner loop
    CHECK(rounds(at) == std::vector<std::uint32_t>{9, 4});
    at.skip_rounds(1, 3);
    at.skip_rounds(2, 3);  // there is none
    CHECK(rounds(at) == std::vector<std::uint32_t>{9, 1});
    CHECK_FALSE(at.advance(s));
    CHECK(at.entry() == 4);
    CHECK(at.advance(s));
    CHECK(rounds(at) == std::vector<std::uint32_t>{8});
}

TEST_CASE("straight on is the next entry") {
    const stream s{add, add, loop(1, 2), add};
    stream_position at;
    at.begin(s);
    at.go_on();
    CHECK(at.entry() == 1);
    CHECK(at.depth() == 0);
}

TEST_CASE("a position goes to any entry in the loops that it stays in") {
    const stream s{loop(7, 9), add, loop(1, 5), add, loop(2, 6), loop(1, 4), add, add};
    const auto seen = [](const stream_position& at) {
        std::vector<std::uint32_t> all{at.entry(), at.depth()};
        const auto visit = [&](std::uint32_t begin, std::uint32_t left) {
            all.push_back(begin);
            all.push_back(left);
        };
        at.for_each_round(visit);
        return all;
    };
    // Every place that a walk comes by, from every other in the same loops.
    std::vector<stream_position> places(1);
    places[0].begin(s);
    for (int i = 0; i < 60; ++i) {
        places.push_back(places.back());
        places.back().advance(s);
    }
    for (const std::uint32_t kept : {0U, 1U}) {
        for (const stream_position& from : places) {
            for (const stream_position& to : places) {
                const std::vector<std::uint32_t> there = seen(to);
                if (kept > 0 && there[3] != seen(from)[3]) continue;
                std::size_t next = 3 + 2 * std::size_t{kept};
                const auto left = [&] {
                    next += 2;
                    return there[next - 2];
                };
                stream_position at = from;
                at.go_to(to.entry(), kept, s, left);
                CHECK(seen(at) == there);
            }
        }
    }
    stream_position end;
    const auto none = [] { return 0U; };
    end.begin(s);
    end.go_to(8, 0, s, none);
    CHECK(seen(end) == std::vector<std::uint32_t>{8, 0});
}

}  // namespace stream_position_test
