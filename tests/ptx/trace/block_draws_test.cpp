// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <map>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/block_draws.hpp>

namespace block_draws_test {

using namespace warpgauge::ptx::detail::trace;

namespace {

struct added {
    std::uint64_t kind{};
    double weight{};
};

// By kind: how often it is drawn, and how many blocks all draws stand for.
struct drawn {
    std::uint32_t times{};
    double blocks{};
};
std::map<std::uint64_t, drawn> drawn_of(const std::vector<added>& all) {
    block_draws<> draws;
    for (const added& a : all) draws.add(a.kind, a.weight);
    std::map<std::uint64_t, drawn> found;
    for (const added& a : all) {
        const drawn_block d = draws.next();
        if (a.kind < 15) CHECK(d.kind == a.kind);
        found[d.kind].times += d.times;
        found[d.kind].blocks += d.times * d.weight;
    }
    return found;
}

}  // namespace

TEST_CASE("some of each kind, which stand for all of it") {
    std::vector<added> all;
    for (int n = 0; n < 100; ++n) all.push_back({n % 25 == 3 ? 2U : 1U, 9});
    const auto found = drawn_of(all);
    CHECK(found.size() == 2);
    CHECK(found.at(1).times == 4 + 7);
    CHECK(found.at(1).blocks == doctest::Approx(96 * 9));
    CHECK(found.at(2).times == 4);
    CHECK(found.at(2).blocks == doctest::Approx(4 * 9));
}

TEST_CASE("blocks that are skipped are not drawn, and the others in their places") {
    block_draws<> draws;
    for (int n = 0; n < 3; ++n) draws.skip();
    CHECK(draws.is_empty());
    draws.add(7, 2);
    draws.skip();
    CHECK_FALSE(draws.is_empty());
    for (int n = 0; n < 3; ++n) CHECK(draws.next().times == 0);
    const drawn_block d = draws.next();
    CHECK(d.kind == 7);
    CHECK(d.times * d.weight == doctest::Approx(2));
    CHECK(draws.next().times == 0);
}

TEST_CASE("a block that stands for most is drawn most often") {
    block_draws<> draws;
    for (int n = 0; n < 20; ++n) draws.add(1, n == 7 ? 981 : 1);
    std::uint32_t of_large = 0;
    std::uint32_t of_others = 0;
    for (int n = 0; n < 20; ++n) (n == 7 ? of_large : of_others) += draws.next().times;
    CHECK(of_large + of_others == 12);
    CHECK(of_large >= 11);
}

TEST_CASE("the number of blocks of a kind is estimated where each stands for a cell") {
    block_draws<> draws;
    for (const std::uint64_t kind : {1U, 1U, 2U, 2U, 1U}) draws.add(kind, 10);
    const auto value = [](std::uint64_t kind) { return kind == 1 ? 0.0 : 3.0; };
    // Two of four pairs of neighbours differ; a cell has 90 pairs of blocks.
    CHECK(draws.variance_between(value) == doctest::Approx(2 * 9 * (90 + 90) / 4.0 * 5 / 4));
    CHECK(draws.variance_between([](std::uint64_t) { return 7.0; }) == 0);
    block_draws<> one;
    one.add(1, 10);
    CHECK(one.variance_between(value) == 0);
}

TEST_CASE("more kinds than are told apart count as one") {
    std::vector<added> all;
    for (std::uint64_t n = 0; n < 100; ++n) all.push_back({n, 1});
    const auto found = drawn_of(all);
    CHECK(found.size() == 16);
    double blocks = 0;
    for (const auto& [kind, d] : found) blocks += d.blocks;
    CHECK(blocks == doctest::Approx(100));
    CHECK(found.at(15).times == 4 + 6);
}

}  // namespace block_draws_test
