// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cstdint>

#include <warpgauge/kernel/task_list.hpp>

#include "kernel/streams.hpp"

namespace task_list_test {

using namespace warpgauge;
using streams::add;
using streams::instruction_list;
using streams::mem;

namespace {

using positions = std::array<std::uint32_t, 3>;
constexpr std::uint32_t none = task::none;

}  // namespace

TEST_CASE("the task list of Chapuis et al. 2016, fig. 5") {
    // Two arrays in global memory: load, add ten, store; each step waits for the one before.
    const instruction load{.unit = unit_kind::global_memory};
    const instruction ten{.unit = unit_kind::single_precision, .needs = {1}};
    const instruction store{.unit = unit_kind::global_memory, .needs = {1}};
    const auto tasks = task_list(instruction_list{load, ten, store, load, ten, store});
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 6);
    const std::uint32_t after[] = {none, 0, 1, none, 3, 4};
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK((*tasks)[i].unit ==
              (i % 3 == 1 ? unit_kind::single_precision : unit_kind::global_memory));
        CHECK((*tasks)[i].after == positions{after[i], none, none});
    }
}

TEST_CASE("needs in a loop are of the latest round, and of the round before") {
    const instruction sum{.unit = unit_kind::single_precision, .needs = {1, -1}};
    const instruction next{.unit = unit_kind::integer};
    const auto tasks = task_list(instruction_list{loop(3, 2), mem, sum, next});
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 6);
    CHECK((*tasks)[1].after == positions{0, none, none});
    CHECK((*tasks)[4].after == positions{3, 2, none});
}

TEST_CASE("a wait for asynchronous copies is a task after the last of them") {
    const instruction copy{.unit = unit_kind::global_memory, .async = async_step::copy};
    const instruction commit{.async = async_step::commit};
    const instruction wait{.async = async_step::wait, .groups_left = 1, .needs = {1}};
    const instruction wait_all{.async = async_step::wait_all};
    const auto tasks =
        task_list(instruction_list{loop(4, 2), copy, copy, commit, wait, copy, wait_all});
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 10);
    CHECK((*tasks)[3].after == positions{2, none, none});  // no group is old enough
    CHECK((*tasks)[7].after == positions{6, 1, none});
    CHECK((*tasks)[9].after == positions{none, 8, none});
}

TEST_CASE("an accumulator waits for its own result of the round before") {
    const instruction sum{.unit = unit_kind::single_precision, .needs = {own_result}};
    const auto tasks = task_list(instruction_list{loop(1, 3), sum});
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 3);
    CHECK((*tasks)[0].after == positions{none, none, none});
    CHECK((*tasks)[1].after == positions{0, none, none});
    CHECK((*tasks)[2].after == positions{1, none, none});
}

TEST_CASE("a task list as long as the execution is bounded") {
    CHECK(task_list(instruction_list{loop(1, 4'000'000'000), add}).error() ==
          model_error{errc::limit_reached, "instructions"});
}

TEST_CASE("a bad stream has no task list") {
    for (const auto& [entries, error] : streams::bad_streams()) {
        CHECK(task_list(entries).error() == error);
    }
}

}  // namespace task_list_test
