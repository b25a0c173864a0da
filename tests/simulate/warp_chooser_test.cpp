// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/warp_chooser.hpp>

namespace warp_chooser_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

// For each resource, the first cycle in which an instruction can have it.
using resource_times = std::array<std::uint64_t, resource_count>;

// From now on, a warp waits for a resource alone, or needs it no more.
void add(warp_chooser<>& chooser, std::size_t warp, std::size_t resource) {
    chooser.need(warp, resource);
    chooser.wake(warp);
}
void remove(warp_chooser<>& chooser, std::size_t warp, std::size_t resource) {
    chooser.put_to_sleep(warp);
    chooser.need_no_more(warp, resource);
}

// Begins cycle `now`: warps whose resource is ready are eligible.
template <std::size_t Words = 0>
eligible_warps<Words> begin(warp_chooser<>& chooser, const resource_times& ready,
                            std::uint64_t now) {
    eligible_warps<Words> eligible;
    chooser.begin_cycle(eligible);
    for (std::size_t r = 0; r < resource_count; ++r) {
        if (ready[r] > now) chooser.drop(eligible, r);
    }
    return eligible;
}
// The same of four sub-cores, of which each has its part of `divided` resources. Returns those with an eligible warp.
std::uint64_t begin(warp_chooser<>& chooser, eligible_warps<0>& eligible,
                    const std::array<resource_times, 4>& ready, std::uint64_t divided,
                    std::uint64_t now) {
    chooser.begin_cycle(eligible);
    for (std::size_t r = 0; r < resource_count; ++r) {
        const bool is_divided = (divided & bit_of(r)) != 0;
        if (!is_divided && ready[0][r] > now) chooser.drop(eligible, r);
        for (std::size_t s = 0; is_divided && s < 4; ++s) {
            if (ready[s][r] > now) chooser.drop(eligible, r, warps_of<4>(s));
        }
    }
    return chooser.sub_cores_of<4>(eligible);
}

// The warps chosen in one cycle, no more than `slots`.
std::vector<std::size_t> choose(warp_chooser<>& chooser, const resource_times& ready,
                                std::uint64_t now, std::size_t slots) {
    std::vector<std::size_t> chosen;
    eligible_warps<0> eligible = begin(chooser, ready, now);
    warp_bit warp;
    while (chosen.size() < slots && chooser.choose(eligible, warp)) chosen.push_back(warp.index);
    chooser.end_turn();
    return chosen;
}

using warps = std::vector<std::size_t>;

}  // namespace

TEST_CASE("eligible are warps whose resource is ready") {
    warp_chooser<> chooser;
    chooser.reset(130, warp_policy::lowest_index);
    add(chooser, 129, 1);
    add(chooser, 64, 1);
    add(chooser, 3, memory_resource);
    add(chooser, 5, no_resource);
    CHECK(chooser.count(1) == 2);
    CHECK(chooser.count(memory_resource) == 1);
    CHECK(chooser.count(2) == 0);
    resource_times ready{};
    ready[1] = 8;
    CHECK(choose(chooser, ready, 7, 9) == warps{3, 5});
    CHECK(choose(chooser, ready, 8, 9) == warps{3, 5, 64, 129});
    remove(chooser, 64, 1);
    CHECK(chooser.count(1) == 1);
    CHECK(choose(chooser, ready, 9, 2) == warps{3, 5});
    CHECK(choose(chooser, ready, 9, 3) == warps{3, 5, 129});
}

TEST_CASE("who needs a queue to a memory needs the load/store units too") {
    constexpr std::size_t load_store = index_of(sm_unit::load_store);
    warp_chooser<> chooser;
    chooser.reset(8, warp_policy::lowest_index);
    add(chooser, 1, load_store);
    add(chooser, 2, l2_resource);
    add(chooser, 3, memory_resource);
    chooser.need(4, memory_resource);  // and waits for something else
    CHECK(chooser.count(load_store) == 3);
    CHECK(chooser.count(memory_resource) == 1);
    resource_times ready{};
    ready[load_store] = 5;
    CHECK(choose(chooser, ready, 4, 9).empty());
    ready = {};
    ready[memory_resource] = 5;
    CHECK(choose(chooser, ready, 4, 9) == warps{1, 2});
    remove(chooser, 3, memory_resource);
    CHECK(chooser.count(load_store) == 2);
    chooser.wake_all(0, bit_of(4));
    CHECK(chooser.count(load_store) == 3);
}

TEST_CASE("a resource that is taken within a cycle drops the warps that wait for it") {
    warp_chooser<> chooser;
    chooser.reset(8, warp_policy::lowest_index);
    for (std::size_t w = 0; w < 4; ++w) add(chooser, w, 2);
    add(chooser, 6, 3);
    eligible_warps<0> eligible;
    chooser.begin_cycle(eligible);
    warp_bit warp;
    REQUIRE(chooser.choose_lowest(eligible, warp));
    CHECK(warp.index == 0);
    chooser.drop(eligible, 2);
    REQUIRE(chooser.choose(eligible, warp));
    CHECK(warp.index == 6);
    CHECK(warp.bit == bit_of(6));
    CHECK_FALSE(chooser.choose(eligible, warp));
}

TEST_CASE("loose round robin goes on after the last warp, and around") {
    warp_chooser<> chooser;
    chooser.reset(70, warp_policy::loose_round_robin);
    for (const std::size_t w : {0U, 1U, 68U, 69U}) add(chooser, w, no_resource);
    CHECK(choose(chooser, {}, 0, 1) == warps{0});
    CHECK(choose(chooser, {}, 1, 1) == warps{1});
    CHECK(choose(chooser, {}, 2, 2) == warps{68, 69});
    CHECK(choose(chooser, {}, 3, 3) == warps{0, 1, 68});
    CHECK(choose(chooser, {}, 4, 4) == warps{69, 0, 1, 68});
}

TEST_CASE("greedy then oldest stays with those that issued last") {
    warp_chooser<> chooser;
    chooser.reset(4, warp_policy::greedy_then_oldest);
    add(chooser, 2, no_resource);
    CHECK(choose(chooser, {}, 0, 1) == warps{2});
    add(chooser, 0, no_resource);
    add(chooser, 1, no_resource);
    CHECK(choose(chooser, {}, 1, 2) == warps{2, 0});
    remove(chooser, 0, no_resource);
    CHECK(choose(chooser, {}, 2, 3) == warps{2, 1});
    // A cycle without an issue changes nothing.
    remove(chooser, 1, no_resource);
    remove(chooser, 2, no_resource);
    CHECK(choose(chooser, {}, 3, 3).empty());
    for (std::size_t w = 0; w < 3; ++w) add(chooser, w, no_resource);
    CHECK(choose(chooser, {}, 4, 3) == warps{1, 2, 0});
}

TEST_CASE("up to 64 warps, one word does what words do") {
    for (const auto policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                              warp_policy::greedy_then_oldest}) {
        warp_chooser<> one;
        warp_chooser<> any;
        one.reset(64, policy);
        any.reset(64, policy);
        for (std::size_t w = 0; w < 64; w += 3) {
            add(one, w, w % resource_count);
            add(any, w, w % resource_count);
        }
        resource_times ready{};
        ready[1] = 3;
        ready[4] = 5;
        for (std::uint64_t now = 0; now < 8; ++now) {
            eligible_warps<1> of_one = begin<1>(one, ready, now);
            eligible_warps<0> of_any = begin(any, ready, now);
            CHECK(one.sub_cores_of(of_one) == any.sub_cores_of(of_any));
            for (int slot = 0; slot < 4; ++slot) {
                warp_bit chosen{99};
                warp_bit same{99};
                CHECK(one.choose(of_one, chosen) == any.choose(of_any, same));
                CHECK(chosen.index == same.index);
                if (now % 2 == 0) {
                    one.drop(of_one, 2);
                    any.drop(of_any, 2);
                }
            }
            one.end_turn();
            any.end_turn();
        }
    }
}

TEST_CASE("a sub-core chooses among its own warps, those that its own units can take") {
    warp_chooser<> chooser;
    chooser.reset(12, warp_policy::greedy_then_oldest);
    for (std::size_t w = 0; w < 12; ++w) add(chooser, w, w < 8 ? 1 : 2);
    std::array<resource_times, 4> ready{};
    ready[1][1] = 100;  // the second one's unit is busy
    eligible_warps<0> eligible;
    CHECK(begin(chooser, eligible, ready, bit_of(1), 5) == 0b1111);
    warp_bit w;
    const auto first = [&](std::size_t sub_core) {
        const bool any = chooser.choose<4>(eligible, w, sub_core);
        chooser.end_turn<4>(sub_core);
        return any ? w.index : 99;
    };
    CHECK(first(0) == 0);
    CHECK(first(1) == 9);
    CHECK(first(2) == 2);
    chooser.drop(eligible, 1, warps_of<4>(3));
    CHECK(first(3) == 11);
    CHECK(chooser.count(1) == 8);
    CHECK(chooser.count(1, warps_of<4>(2)) == 2);
    CHECK(chooser.count(0, warps_of<4>(2)) == 0);
    // In the next cycle those of each sub-core that issued are first, and the lowest where none can.
    remove(chooser, 2, 1);
    CHECK(begin(chooser, eligible, ready, bit_of(1), 6) == 0b1111);
    CHECK(first(3) == 11);
    CHECK(first(2) == 6);
    CHECK(first(1) == 9);
    CHECK(first(0) == 0);
    // Once the unit is ready again, its sub-core's other warps can have it.
    remove(chooser, 9, 2);
    CHECK(begin(chooser, eligible, ready, bit_of(1), 99) == 0b1101);
    CHECK(first(1) == 99);
    CHECK(begin(chooser, eligible, ready, bit_of(1), 100) == 0b1111);
    CHECK(first(1) == 1);
    // What is not divided is ready for all when it is for the first.
    CHECK(begin(chooser, eligible, ready, 0, 5) == 0b1111);
    ready[0][1] = 6;
    CHECK(begin(chooser, eligible, ready, 0, 5) ==
          0b1101);  // with 8, 10 and 11, which need another unit
}

TEST_CASE("policies have names") {
    CHECK(name(warp_policy::lowest_index) == "lowest index first");
    CHECK(name(warp_policy::loose_round_robin) == "loose round robin");
    CHECK(name(warp_policy::greedy_then_oldest) == "greedy then oldest");
    CHECK(name(static_cast<warp_policy>(99)) == "unknown");
}

TEST_CASE("it knows whether and for which resources warps wait") {
    warp_chooser<> chooser;
    chooser.reset(80, warp_policy::lowest_index);
    CHECK_FALSE(chooser.any());
    add(chooser, 0, 1);
    add(chooser, 79, no_resource);
    CHECK(chooser.any());
    CHECK(chooser.count(1) == 1);
    remove(chooser, 0, 1);
    CHECK(chooser.any());
    CHECK(chooser.count(1) == 0);
    CHECK(chooser.count(no_resource) == 1);
    remove(chooser, 79, no_resource);
    CHECK_FALSE(chooser.any());
    eligible_warps<0> eligible;
    chooser.begin_cycle(eligible);
    CHECK(chooser.sub_cores_of<4>(eligible) == 0);
    add(chooser, 78, 1);
    CHECK(chooser.sub_cores_of<4>(eligible) == 0);  // until a cycle begins
    chooser.begin_cycle(eligible);
    CHECK(chooser.sub_cores_of<4>(eligible) == bit_of(78 % 4));
}

TEST_CASE("of many warps, a sub-core has some eligible in any word") {
    for (const std::size_t warp : {0U, 3U, 61U, 66U, 131U}) {
        warp_chooser<> chooser;
        chooser.reset(132, warp_policy::lowest_index);
        add(chooser, warp, 1);
        const std::array<resource_times, 4> ready{};
        eligible_warps<0> eligible;
        CHECK(begin(chooser, eligible, ready, 0, 5) == bit_of(warp % 4));
        CHECK(begin(chooser, eligible, ready, bit_of(1), 5) == bit_of(warp % 4));
    }
}

TEST_CASE("a choice goes on from its words") {
    for (const auto policy : {warp_policy::loose_round_robin, warp_policy::greedy_then_oldest}) {
        CAPTURE(name(policy));
        warp_chooser<> chooser;
        warp_chooser<> other;
        for (warp_chooser<>* c : {&chooser, &other}) c->reset(70, policy);
        for (const std::size_t w : {1U, 2U, 65U}) add(chooser, w, 1);
        add(chooser, 69, 2);
        const resource_times ready{};
        eligible_warps<0> eligible = begin(chooser, ready, 1);
        warp_bit warp;
        CHECK(chooser.choose(eligible, warp));
        CHECK(chooser.choose(eligible, warp));
        chooser.end_turn();
        add(other, 5, 3);
        std::vector<std::uint64_t> words;
        auto add = [&](std::uint64_t word) { words.push_back(word); };
        chooser.for_each_word(add);
        std::size_t at = 0;
        auto next = [&] { return words.at(at++); };
        other.read_words(next);
        CHECK(at == words.size());
        CHECK(other.any());
        CHECK(other.count(1) == 3);
        CHECK(other.count(2) == 1);
        for (warp_chooser<>* c : {&chooser, &other}) {
            eligible = begin(*c, ready, 2);
            CHECK(c->choose(eligible, warp));
            CHECK(warp.index == (policy == warp_policy::loose_round_robin ? 65 : 1));
        }
    }
}

}  // namespace warp_chooser_test
