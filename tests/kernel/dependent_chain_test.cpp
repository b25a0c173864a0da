// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/kernel/dependent_chain.hpp>

#include "kernel/streams.hpp"

namespace dependent_chain_test {

using namespace warpgauge;
using streams::instruction_list;

namespace {

constexpr instruction fma(std::int32_t first = 0, std::int32_t second = 0) {
    return {.unit = unit_kind::single_precision, .needs = {first, second}};
}

constexpr instruction load(std::int32_t need = 0) {
    return {.unit = unit_kind::global_memory, .needs = {need}};
}

double by_unit(unit_kind unit) {
    switch (unit) {
        case unit_kind::integer: return 4;
        case unit_kind::single_precision: return 5;
        case unit_kind::shared_memory: return 3;
        case unit_kind::global_memory: return 11;
        default: return 2;
    }
}

// Every execution, one after the other.
using path = std::pair<double, std::array<double, executing_units>>;
path followed(const instruction_list& s) {
    std::vector<path> results(s.size());
    path longest;
    auto execute = [&](const instruction& i, std::size_t at) {
        path p;
        for (const std::int32_t need : i.needs) {
            if (need != 0)
                p = std::max(p, results[static_cast<std::size_t>(needed_entry(at, need))]);
        }
        p.first += by_unit(i.unit);
        p.second[static_cast<std::size_t>(i.unit)] += 1;
        results[at] = p;
        longest = std::max(longest, p);
        return true;
    };
    for_each_execution(s, 0, s.size(), execute);
    return longest;
}

void add_entries(std::mt19937& random, instruction_list& to, int depth) {
    constexpr std::array units{unit_kind::integer, unit_kind::single_precision,
                               unit_kind::shared_memory, unit_kind::global_memory};
    const auto entries = 1 + random() % 4;
    for (unsigned e = 0; e < entries; ++e) {
        if (depth < 3 && random() % 3 == 0) {
            const std::size_t head = to.size();
            const auto rounds = 1 + static_cast<std::uint32_t>(random() % 12);
            to.push_back(loop(1, rounds));
            add_entries(random, to, depth + 1);
            to[head].loop_length = static_cast<std::uint32_t>(to.size() - head - 1);
        } else {
            to.push_back({.unit = units[random() % units.size()]});
        }
    }
}

// Nested loops whose entries need others before and after them, in and out of their loop.
instruction_list random_stream(std::mt19937& random) {
    instruction_list s;
    add_entries(random, s, 0);
    for (std::size_t at = 0; at < s.size(); ++at) {
        if (s[at].unit == unit_kind::loop) continue;
        for (std::int32_t& need : s[at].needs) {
            if (random() % 2 == 0) continue;
            const auto target = random() % s.size();
            if (s[target].unit == unit_kind::loop) continue;
            need = static_cast<std::int32_t>(at) - static_cast<std::int32_t>(target);
            if (need == 0) need = own_result;
        }
    }
    return s;
}

}  // namespace

TEST_CASE("a chain is that of the longest way through what instructions need") {
    const auto c = longest_chain(instruction_list{load(), load(), fma(2, 1), fma(), fma(1, 2)});
    REQUIRE(c);
    CHECK(c->executed_insts == 5);
    CHECK(c->length() == 3);
    CHECK(c->insts_of(unit_kind::global_memory) == 1);
    CHECK(c->insts_of(unit_kind::single_precision) == 2);
    CHECK(c->insts_of(unit_kind::loop) == 0);
    CHECK(c->parallelism() == 5 / 3.0);
    const auto cycles = longest_chain(instruction_list{load(), fma(), fma(1), fma(1)}, by_unit);
    REQUIRE(cycles);
    CHECK(cycles->cycles == 15);
    CHECK(cycles->all_cycles == 26);
}

TEST_CASE("accumulators in a loop: their number is the parallelism") {
    const instruction_list s{loop(4, 1000), fma(own_result), fma(own_result), fma(own_result),
                             fma(own_result)};
    const auto c = longest_chain(s, by_unit);
    REQUIRE(c);
    CHECK(c->length() == 1000);
    CHECK(c->cycles == 5000);
    CHECK(c->parallelism() == 4);
}

TEST_CASE("a chain of more than one round") {
    // The third entry's result goes through the second, a round later, and the first, another round later.
    const instruction_list s{loop(3, 1001), fma(-1), fma(-1), fma(2)};
    const auto c = longest_chain(s);
    REQUIRE(c);
    CHECK(c->length() == followed(s).first / 5);
    CHECK(c->length() == 1502);  // three instructions in two rounds
}

TEST_CASE("a slow chain is overtaken after any number of rounds") {
    instruction_list s{loop(1, 1'000'000), load(own_result), loop(2, 4'000'000), fma(own_result),
                       load(3)};
    s[4].needs = {3, 1};
    const auto c = longest_chain(s);
    REQUIRE(c);
    CHECK(c->length() == 4'000'001);
    CHECK(c->insts_of(unit_kind::global_memory) == 1);
    s[2].loop_count = 900'000;
    const auto before = longest_chain(s);
    REQUIRE(before);
    CHECK(before->length() == 1'000'001);
    CHECK(before->insts_of(unit_kind::single_precision) == 0);
}

TEST_CASE("chains of random streams are those of every execution in turn") {
    const std::uint32_t seed = 20;
    CAPTURE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 3000; ++round) {
        CAPTURE(round);
        const instruction_list s = random_stream(random);
        REQUIRE(!check_stream(s));
        const auto c = longest_chain(s, by_unit);
        REQUIRE(c);
        const path p = followed(s);
        REQUIRE(c->cycles == p.first);
        REQUIRE(c->insts == p.second);
    }
}

TEST_CASE("a chain does not take longer with the count of rounds, and has a limit") {
    const instruction_list s{loop(3, 30'000'000), loop(2, 30'000'000), fma(own_result), load(1)};
    const auto c = longest_chain(s);
    REQUIRE(c);
    CHECK(c->length() == 9e14 + 1);
    instruction_list longer = s;
    longer[0].loop_count = longer[1].loop_count = 4'000'000'000;
    CHECK(longest_chain(longer).error() == model_error{errc::limit_reached, "instructions"});
    // Each entry of a round reads one of those before it, from a round before.
    instruction_list tangled{loop(3000, 1000)};
    for (std::int32_t e = 0; e < 3000; ++e) tangled.push_back(fma(own_result, e > 0 ? 1 : -2999));
    CHECK(longest_chain(tangled).error() == model_error{errc::limit_reached, "instructions"});
}

TEST_CASE("a bad stream and a bad latency have no chain") {
    for (const auto& [entries, error] : streams::bad_streams()) {
        CHECK(longest_chain(entries).error() == error);
    }
    const instruction_list one{fma()};
    const auto error_of = [&](double latency) {
        return longest_chain(one, [&](unit_kind) { return latency; }).error();
    };
    CHECK(error_of(-1) == model_error{errc::negative, "latency"});
    CHECK(error_of(std::numeric_limits<double>::quiet_NaN()).code == errc::negative);
    const auto none = longest_chain(one, [](unit_kind) { return 0.0; });
    REQUIRE(none);
    CHECK(none->cycles == 0);
    CHECK(none->parallelism() == 1);
}

}  // namespace dependent_chain_test
