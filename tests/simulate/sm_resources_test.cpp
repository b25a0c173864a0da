// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/memory_ports.hpp>
#include <warpgauge/simulate/result_slots.hpp>
#include <warpgauge/simulate/sm_resources.hpp>

#include "move_words.hpp"
#include "plain_sm.hpp"

namespace sm_resources_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr std::array stream{instruction{.unit = unit_kind::special_function},
                            instruction{.unit = unit_kind::shared_memory},
                            instruction{.unit = unit_kind::barrier}};

// Six schedulers, 16 special-function lanes and 16 load/store lanes for warps of 32.
constexpr sm_parameters in_parts(double sub_cores) {
    sm_parameters p = plain_sm({0, 64, 32, 16, 16});
    p.warp_schedulers = 6;
    p.sub_cores = sub_cores;
    return p;
}

template <std::size_t SubCores>
struct sm {
    sm_parameters p = in_parts(SubCores);
    result_slots<> slots{};
    decoded_stream<> decoded{};
    memory_ports<> memory{};
    sm_resources<SubCores, memory_ports<>> resources{p, memory};
    model_error failure{};
    eligible_warps<1> eligible{};

    sm() {
        slots.assign(stream);
        decoded.assign(stream, slots, p);
        memory.reset(p, decoded, 0, {});
        resources.chooser().reset(8, warp_policy::lowest_index);
        for (std::size_t w = 0; w < 8; ++w) {
            resources.chooser().need(w, index_of(sm_unit::special_function));
            resources.chooser().wake(w);
        }
    }
    std::uint64_t execute(std::size_t entry, std::size_t sub_core, std::uint64_t now) {
        const decoded_entry& e = decoded.entries()[entry];
        return now + resources.execute(e, sub_core, eligible, now, failure);
    }
    std::uint64_t begin_cycle(std::uint64_t now) { return resources.begin_cycle(eligible, now); }
};

}  // namespace

TEST_CASE("a sub-core has its part of the schedulers and of the lanes") {
    sm<4> s;
    CHECK(s.resources.schedulers(0) == 2);
    CHECK(s.resources.schedulers(1) == 2);
    CHECK(s.resources.schedulers(2) == 1);
    CHECK(s.resources.schedulers(3) == 1);
    CHECK(s.begin_cycle(5));
    constexpr std::size_t special = index_of(sm_unit::special_function);
    CHECK(s.execute(0, 2, 5) == 5 + 13);  // four lanes are busy for eight cycles
    CHECK_FALSE(s.resources.is_ready(special, 2, 12));
    CHECK(s.resources.is_ready(special, 2, 13));
    CHECK(s.resources.is_ready(special, 0, 5));
    for (const std::size_t other : {0U, 1U, 3U}) CHECK(s.execute(0, other, 6) == 6 + 13);
    CHECK_FALSE(s.begin_cycle(7));
    waiting_warps waiting{};
    CHECK(s.resources.wait<1>(waiting, 7) == 13);
    CHECK(waiting.unit_busy == 8);
    CHECK(s.begin_cycle(13));
    CHECK(s.resources.first_sub_core() == 0);
    CHECK_FALSE(s.failure);
}

TEST_CASE("the load/store units are the SM's, and the sub-cores take turns with them") {
    sm<4> s;
    constexpr std::size_t load_store = index_of(sm_unit::load_store);
    CHECK(s.begin_cycle(5));
    CHECK(s.execute(1, 1, 5) == 5 + 17);  // busy for two cycles
    CHECK(s.resources.first_sub_core() == 2);
    for (std::size_t sub_core = 0; sub_core < 4; ++sub_core) {
        CHECK_FALSE(s.resources.is_ready(load_store, sub_core, 6));
        CHECK(s.resources.is_ready(load_store, sub_core, 7));
        CHECK_FALSE(s.resources.is_ready(memory_resource, sub_core, 6));
    }
    CHECK(s.execute(2, 1, 6) == 7);  // a barrier takes no unit
    CHECK(s.resources.first_sub_core() == 2);
}

TEST_CASE("a plain instruction takes its unit as any other does") {
    sm<4> s;
    sm<4> plain;
    const decoded_entry& e = s.decoded.entries()[0];
    const decoded_entry& access = s.decoded.entries()[1];
    for (const std::uint64_t now : {5U, 13U}) {
        CHECK(s.begin_cycle(now) == plain.begin_cycle(now));
        CHECK(s.execute(0, 2, now) == now + 13);
        const auto ticks = plain.resources.ticks_of_cycle(now);
        CHECK(plain.resources.is_unit_ready(e, 2, ticks));
        plain.resources.take_unit<false>(e, 2, plain.eligible, ticks);
        CHECK_FALSE(plain.resources.is_unit_ready(e, 2, ticks));
        CHECK(s.eligible.word[0] == plain.eligible.word[0]);
        s.execute(1, 1, now);
        plain.resources.take_unit<true>(access, 1, plain.eligible, ticks);
        CHECK(plain.resources.first_sub_core() == s.resources.first_sub_core());
    }
    for (std::uint64_t now = 14; now < 24; ++now)
        CHECK(s.begin_cycle(now) == plain.begin_cycle(now));
}

TEST_CASE("without sub-cores all lanes are one unit") {
    sm<1> s;
    constexpr std::size_t special = index_of(sm_unit::special_function);
    CHECK(s.resources.schedulers(0) == 6);
    CHECK(s.begin_cycle(5));
    CHECK(s.execute(0, 0, 5) == 5 + 13);
    CHECK(s.resources.is_ready(special, 0, 7));  // 16 lanes
    CHECK_FALSE(s.resources.is_ready(special, 0, 6));
    CHECK(s.resources.first_sub_core() == 0);
}

TEST_CASE("what is busy stays so for as long where time is skipped") {
    sm<4> s;
    constexpr std::size_t special = index_of(sm_unit::special_function);
    CHECK(s.begin_cycle(5));
    CHECK(s.execute(0, 2, 5) == 5 + 13);  // for eight cycles
    sm<4> late;
    move_words(s.resources, 6, late.resources, 1006);
    CHECK_FALSE(late.resources.is_ready(special, 2, 1012));
    CHECK(late.resources.is_ready(special, 2, 1013));
    CHECK(late.resources.is_ready(special, 0, 1006));
    CHECK(late.begin_cycle(1012) == 0b1011);
    CHECK(late.begin_cycle(1013) == 0b1111);
    CHECK(late.execute(0, 2, 1013) == 1013 + 13);
}

}  // namespace sm_resources_test
