// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sm_machine.hpp>

#include "naive_sm.hpp"
#include "plain_sm.hpp"

namespace sm_machine_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

using stream = std::vector<instruction>;

constexpr sm_parameters plain = [] {
    sm_parameters p = plain_sm({0, 48, 16, 4, 16});
    p.issues_per_scheduler = 2;
    return p;
}();

struct unwatched : no_observer {
};  // a machine of this file's own: simulations by `simulate_sm` are compiled elsewhere

result<sm_estimate> run(const stream& s, const sm_residency& r, sm_workspace& space,
                        const simulation_caps& caps = {}) {
    unwatched observer;
    return sm_machine<sm_workspace, unwatched, 1>::simulate(
        s, plain, r, warp_policy::loose_round_robin, caps, space, observer);
}

}  // namespace

TEST_CASE("a machine gives what every cycle by hand gives, block by block") {
    const stream s{loop(5, 4),
                   {.unit = unit_kind::integer, .needs = {own_result}},
                   {.unit = unit_kind::global_memory, .transactions = 3, .needs = {1}},
                   {.unit = unit_kind::double_precision, .needs = {1}},
                   {.unit = unit_kind::barrier},
                   {.unit = unit_kind::shared_memory, .transactions = 2},
                   {.unit = unit_kind::global_memory, .needs = {1}}};
    sm_workspace space;
    const sm_residency r{3, 5, 11};
    const auto e = run(s, r, space);
    REQUIRE(e);
    const auto naive = naive::run_sm(s, plain, r, warp_policy::loose_round_robin);
    CHECK(e->cycles == naive.cycles);
    CHECK(e->stalls == naive.stalls);
    CHECK(e->warp_instructions == naive.warp_instructions);
    CHECK(space.block_ends() == naive.block_ends);
}

TEST_CASE("results that do not fit into the caps are an error") {
    sm_workspace space;
    const stream s{{.unit = unit_kind::integer}};
    CHECK(run(s, {1, 4}, space, {.words = 8}));
    CHECK(run(s, {1, 5}, space, {.words = 8}).error() ==
          model_error{errc::limit_reached, "instructions"});
}

}  // namespace sm_machine_test
