// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/analyse/sampling.hpp>
#include <warpgauge/devices/geforce_gtx_260.hpp>
#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/profiles/stream.hpp>

#include "analyse/model_of_ones_own.hpp"

namespace sampling_test {

using namespace model_of_ones_own;
using namespace warpgauge;

namespace {

model_error error_of(const std::vector<uncertain>& unknowns, const sampling_options& options = {}) {
    const auto t = sample(counted, kernel, unknowns, options);
    REQUIRE_FALSE(t);
    return t.error();
}

}  // namespace

TEST_CASE("samples have places: no order changes them") {
    constexpr double transactions[]{4, 8, 16};
    const uncertain one_way[]{between("dram_latency_cycles", 300, 500), about("comp_insts", 0.1),
                              one_of("transactions_per_uncoalesced", transactions)};
    const uncertain other_way[]{one_way[2], one_way[0], one_way[1]};
    kernel_profile<> memory_bound = kernel;
    memory_bound.uncoalesced_mem_insts = 40;
    const kernel_profile<> both[]{kernel, memory_bound};
    const kernel_profile<> swapped[]{memory_bound, kernel};

    const auto a = sample(mwp_cwp_on_gpu, both, one_way, {.samples = 1000});
    const auto b = sample(mwp_cwp_on_gpu, swapped, other_way, {.samples = 1000});
    REQUIRE(a);
    REQUIRE(b);
    CHECK((*a)[0].seconds == (*b)[1].seconds);
    CHECK((*a)[1].seconds == (*b)[0].seconds);

    // Fewer samples are the first of more.
    const auto few = sample(mwp_cwp_on_gpu, memory_bound, one_way, {.samples = 300});
    REQUIRE(few);
    CHECK(std::equal(few->seconds.begin(), few->seconds.end(), (*a)[1].seconds.begin()));
    const auto others = sample(mwp_cwp_on_gpu, memory_bound, one_way, {.samples = 300, .seed = 1});
    REQUIRE(others);
    CHECK(few->seconds != others->seconds);

    // A device with other groups of parameters sees the same draws.
    const auto elsewhere = sample(counted.on(devices::geforce_gtx_260{}), kernel,
                                  std::span(&one_way[1], 1), {.samples = 300});
    const auto here = sample(counted, kernel, one_way, {.samples = 300});
    REQUIRE(elsewhere);
    REQUIRE(here);
    CHECK(elsewhere->seconds == here->seconds);
}

TEST_CASE("no two parameters share a stream") {
    std::set<std::uint64_t> streams;
    std::size_t count = 0;
    const auto insert = [&](std::string_view name) {
        streams.insert(detail::analyse::stream_of(name, 0));
        ++count;
    };
    kernel_profile<> k;
    k.stencil.dimensions = 3;
    for_each_parameter(k, [&](std::string_view name, double&) { insert(name); });
    for (const parameter_info& row : device_parameters) insert(row.name);
    CHECK(streams.size() == count);
    CHECK(count < detail::analyse::max_unknowns);
}

TEST_CASE("a sample that the model cannot predict is 0 and counted") {
    // 384 to 640 threads a block, of which this GPU takes 512: half of the samples.
    const uncertain threads[]{between("threads_per_block", 384, 640)};
    kernel_profile<> k = kernel;
    k.active_blocks_per_sm = 0;
    const auto times = sample(mwp_cwp_on_gpu, k, threads, {.samples = 1000});
    REQUIRE(times);
    CHECK(times->seconds.size() == 1000);
    CHECK(times->failed > 400);
    CHECK(times->failed < 600);
    CHECK(times->first_error == model_error{errc::exceeds_device, "threads_per_block"});
    CHECK(static_cast<std::size_t>(std::count(times->seconds.begin(), times->seconds.end(), 0.0)) ==
          times->failed);
}

TEST_CASE("what is 0 in the profile may be uncertain too") {
    const uncertain unknowns[]{between("in_l2_fraction", 0, 1), about("dram_waits", 0.1)};
    kernel_profile<> k{.blocks = 4096,
                       .threads_per_block = 256,
                       .registers_per_thread = 16,
                       .comp_insts = 10,
                       .coalesced_mem_insts = 2};
    k.traffic.footprint_bytes = 1e6;
    const auto times = sample(saturation_model<devices::h100_sxm5>{}, {&k, 1}, unknowns);
    REQUIRE(times);
    CHECK(times->front().failed == 0);
}

TEST_CASE("blocks bring their bytes, before other parameters are drawn") {
    const auto one = profiles::stream({.elements = 1 << 27, .loads = 2});
    const auto two = profiles::stream({.elements = 1 << 28, .loads = 2});
    const saturation_model<devices::h100_sxm5> model;
    const auto time = [&](std::span<const uncertain> unknowns) {
        return sample(model, one, unknowns, {.samples = 300})->seconds.back();
    };
    const double expected = model.predict(two)->seconds;
    const uncertain doubled = exactly("blocks", two.blocks);
    const uncertain twice = relative(exactly("blocks", 2));
    const uncertain as_they_are = relative(exactly("dram_read_bytes", 1));
    const uncertain those_of_one = exactly("dram_read_bytes", one.traffic.dram_read_bytes);
    CHECK(time(std::array{doubled}) == expected);
    CHECK(time(std::array{twice}) == expected);
    CHECK(time(std::array{as_they_are, doubled}) == expected);
    CHECK(time(std::array{those_of_one, doubled}) < 0.9 * expected);
    CHECK(time(std::array{doubled, those_of_one}) == time(std::array{those_of_one, doubled}));
}

TEST_CASE("errors name the parameter and its entry") {
    const auto ok = between("blocks", 1, 2);
    CHECK(error_of({ok, between("dram_latency", 1, 2)}) ==
          model_error{errc::unknown_parameter, "dram_latency", 2});
    CHECK(message(error_of({ok, between("dram_latency", 1, 2)})).view() ==
          "entry 2: dram_latency is not a parameter of this device or kernel");
    CHECK(error_of({between("", 1, 2)}) == model_error{errc::unknown_parameter, "parameter", 1});
    // A kernel that is no stencil has no such parameter, nor has a GPU without cost tables.
    CHECK(error_of({between("block_length", 1, 2)}).code == errc::unknown_parameter);
    CHECK(error_of({between("cpd_a", 1, 2)}).code == errc::unknown_parameter);
    CHECK(error_of({ok, exactly("clock_hz", 1), about("blocks", 0.1)}) ==
          model_error{errc::malformed, "blocks", 3});

    CHECK(error_of({ok}, {.samples = 0}) == model_error{errc::not_positive, "samples"});
    CHECK(error_of({ok}, {.samples = max_samples + 1}) ==
          model_error{errc::limit_reached, "samples"});
    // The numbers of a distribution are checked before anything is drawn.
    CHECK(error_of({ok, log_between("clock_hz", 0, 1)}) ==
          model_error{errc::not_positive, "clock_hz", 2});
    const std::vector<kernel_profile<>> many(9, kernel);
    CHECK(sample(counted, many, {}, {.samples = max_samples}).error() ==
          model_error{errc::limit_reached, "samples"});
    const auto nothing = sample(counted, std::span<const kernel_profile<>>{}, {});
    REQUIRE(nothing);
    CHECK(nothing->empty());
}

TEST_CASE("the latency of an H100 can be drawn") {
    constexpr instruction stream[]{loop(2, 50),
                                   {.unit = unit_kind::global_memory},
                                   {.unit = unit_kind::single_precision, .needs = {1, own_result}}};
    const kernel_profile<> k{.blocks = 132, .threads_per_block = 32, .instructions = stream};
    const hybrid_model model{devices::h100_sxm5{}};
    const double latency = devices::h100_sxm5::dram_latency_cycles;
    const uncertain as_published[]{exactly("dram_latency_cycles", latency)};
    const uncertain twice[]{exactly("dram_latency_cycles", 2 * latency)};
    const auto a = sample(model, k, as_published, {.samples = 2});
    const auto b = sample(model, k, twice, {.samples = 2});
    REQUIRE(a);
    REQUIRE(b);
    CHECK(a->failed == 0);
    CHECK(a->seconds[0] == model.predict(k)->seconds);
    CHECK(b->seconds[1] > 1.5 * a->seconds[1]);
}

}  // namespace sampling_test
