// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/tesla_k40.hpp>
#include <warpgauge/devices/tesla_m2090.hpp>
#include <warpgauge/simulate/ppt_checks.hpp>

namespace ppt_checks_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr ppt_parameters k40 = devices::tesla_k40::ppt;

}  // namespace

TEST_CASE("the descriptions of the paper's GPUs are in order") {
    CHECK_FALSE(check_ppt(k40));
    CHECK_FALSE(check_ppt(devices::tesla_m2090::ppt));
}

TEST_CASE("a parameter outside its bounds is named") {
    ppt_parameters gpu = k40;
    gpu.sm_count = 0;
    CHECK(check_ppt(gpu) == model_error{errc::outside_domain, "sm_count"});
    gpu = k40;
    gpu.queue_free = -1;
    CHECK(check_ppt(gpu) == model_error{errc::negative, "queue_free"});
    gpu = k40;
    gpu.clock_hz = 1e13;
    CHECK(check_ppt(gpu) == model_error{errc::overflow, "clock_hz"});
    gpu = k40;
    gpu.loaded_dram_latency_cycles = gpu.idle_dram_latency_cycles - 1;
    CHECK(check_ppt(gpu) == model_error{errc::outside_domain, "loaded_dram_latency_cycles"});
}

TEST_CASE("a state holds times that a call can leave") {
    ppt_state state;
    state.sm_free_s = {0, 1e15};
    CHECK_FALSE(check_state(state));
    state.sm_free_s = {-1};
    CHECK(check_state(state) == model_error{errc::outside_domain, "sm_free_s"});
    state = {};
    state.units_busy_until[2] = {1e16};
    CHECK(check_state(state) == model_error{errc::outside_domain, "units_busy_until"});
}

TEST_CASE("a task has a unit and waits for earlier ones") {
    using unit_kind::barrier;
    using unit_kind::double_precision;
    using unit_kind::shared_memory;
    const auto check = [](const std::vector<task>& tasks, const ppt_parameters& gpu = k40) {
        return check_tasks(tasks, gpu);
    };
    CHECK_FALSE(check({{shared_memory}, {barrier}, {double_precision, {0, 1, task::none}}}));
    CHECK(check({}) == model_error{errc::missing, "tasks"});
    CHECK(check({{barrier}, {barrier, {1, task::none, task::none}}}) ==
          model_error{errc::malformed, "tasks", 2});
    ppt_parameters gpu = k40;
    gpu.double_precision_units = 31;
    CHECK(check({{barrier}, {double_precision}}, gpu) ==
          model_error{errc::outside_domain, "double_precision_units", 2});
    gpu.load_store_units = 0;
    CHECK(check({{unit_kind::global_memory}}, gpu) ==
          model_error{errc::outside_domain, "load_store_units", 1});
    CHECK_FALSE(check({{shared_memory}}, gpu));
}

TEST_CASE("a call starts within a million seconds") {
    CHECK_FALSE(check_call({1, 32, 16, 1e6}));
    CHECK(check_call({1, 32, 16, 1.1e6}) == model_error{errc::overflow, "start_s"});
    CHECK(check_call({1, 32, 16, -1}) == model_error{errc::negative, "start_s"});
    CHECK(check_call({1, 0, 16, 0}) == model_error{errc::not_positive, "threads_per_block"});
    CHECK(check_call({1, 32, 0, 0}) == model_error{errc::not_positive, "registers_per_thread"});
    CHECK(check_call({(std::uint64_t{1} << 40) + 1, 32, 16, 0}) ==
          model_error{errc::overflow, "blocks"});
}

TEST_CASE("branches and tensor instructions take the lanes of single precision, caches none") {
    ppt_parameters few = k40;
    few.single_precision_units = 16;
    for (const unit_kind unit : {unit_kind::branch, unit_kind::tensor}) {
        const std::vector<task> one{{unit}};
        CHECK_FALSE(check_tasks(one, k40));
        CHECK(check_tasks(one, few) ==
              model_error{errc::outside_domain, "single_precision_units", 1});
    }
    const std::vector<task> caches{{unit_kind::l1_cache}, {unit_kind::l2_cache}};
    CHECK_FALSE(check_tasks(caches, few));
}

}  // namespace ppt_checks_test
