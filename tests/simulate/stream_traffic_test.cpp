// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <limits>

#include <doctest/doctest.h>

#include <warpgauge/simulate/stream_traffic.hpp>

#include "plain_sm.hpp"

namespace stream_traffic_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr sm_parameters plain = plain_sm({0, 32, 32, 32, 32});
// 10 x 128 B, and an access to shared memory that counts for nothing here.
constexpr std::array loads{loop(1, 10), instruction{.unit = unit_kind::global_memory},
                           instruction{.unit = unit_kind::shared_memory}};

kernel_profile<> profile(const memory_traffic<>& traffic) {
    return {.blocks = 4, .threads_per_block = 64, .instructions = loads, .traffic = traffic};
}

struct no_fractions {};

}  // namespace

TEST_CASE("without numbers, all bytes of a stream come from DRAM") {
    const auto t = traffic_of(profile({}), 8, 0, plain);
    CHECK(t.beyond_l1 == 1);
    CHECK(t.from_dram == 1);
    const sm_parameters p = with_traffic(plain, t);
    CHECK(p.dram_latency_cycles == plain.dram_latency_cycles);
    CHECK(p.from_dram_fraction == 1);
}

TEST_CASE("each access has its part of the launch's bytes, and of the latencies") {
    const auto t = traffic_of(
        profile({.l2_bytes_per_warp = 640, .dram_read_bytes = 1024, .dram_write_bytes = 256}), 8, 0,
        plain);
    CHECK(t.beyond_l1 == 0.5);
    CHECK(t.from_dram == 0.125);
    const sm_parameters p = with_traffic(plain, t);
    CHECK(p.beyond_l1_fraction == 0.5);
    CHECK(p.from_dram_fraction == 0.125);
    CHECK(p.dram_latency_cycles == 0.125 * 400 + 0.375 * 101 + 0.5 * 19);
    const auto from_l2 = with_traffic(plain, {.beyond_l1 = 0.5, .from_dram = 0});
    CHECK(from_l2.dram_latency_cycles == 0.5 * 101 + 0.5 * 19);

    sm_parameters unknown = plain;  // the latency of DRAM
    unknown.dram_latency_cycles = 0;
    CHECK(with_traffic(unknown, t).dram_latency_cycles == 0);
    CHECK(with_traffic(unknown, {.beyond_l1 = 0.5, .from_dram = 0}).dram_latency_cycles ==
          from_l2.dram_latency_cycles);
}

TEST_CASE("no more comes from DRAM than passes L1, no more passes L1 than the stream has") {
    const auto much =
        traffic_of(profile({.l2_bytes_per_warp = 1e9, .dram_read_bytes = 1e9}), 8, 0, plain);
    CHECK(much.beyond_l1 == 1);
    CHECK(much.from_dram == 1);
    CHECK(traffic_of(profile({.l2_bytes_per_warp = 320, .dram_read_bytes = 1e9}), 8, 0, plain)
              .from_dram == 0.25);
    // A stream without accesses, or one that is none.
    kernel_profile<> none = profile({.dram_read_bytes = 1});
    none.instructions = {};
    CHECK(traffic_of(none, 8, 0, plain).from_dram == 1);
}

TEST_CASE("waits for DRAM lengthen the mean latency, and move no byte") {
    kernel_profile<> k = profile({.dram_read_bytes = 1024, .footprint_bytes = 1.55 * 4096});
    CHECK(dram_waits_fraction(k, 4096) == 0);  // not counted
    k.waits = {.steps = 10, .reused_fraction = 0.25};
    CHECK(dram_waits_fraction(k, 4096) == doctest::Approx(0.5 * 0.75));
    CHECK(dram_waits_fraction(k, 0) == 0);       // L2 is not known
    CHECK(dram_waits_fraction(k, 1e5) == 0);     // it holds all
    CHECK(dram_waits_fraction(k, 100) == 0.75);  // it holds next to nothing
    const auto t = traffic_of(k, 8, 4096, plain);
    CHECK(t.from_dram == 0.1);
    CHECK(t.waits_for_dram == doctest::Approx(0.375));
    const sm_parameters p = with_traffic(plain, t);
    CHECK(p.from_dram_fraction == 0.1);
    CHECK(p.dram_latency_cycles == doctest::Approx(0.375 * 400 + 0.625 * 101));
    // No fewer than the bytes say, no more than miss L1.
    k.waits.reused_fraction = 1;
    CHECK(with_traffic(plain, traffic_of(k, 8, 4096, plain)).dram_latency_cycles ==
          doctest::Approx(0.1 * 400 + 0.9 * 101));
    CHECK(with_traffic(plain, {.beyond_l1 = 0.5, .from_dram = 0.1, .waits_for_dram = 1})
              .dram_latency_cycles == doctest::Approx(0.5 * 400 + 0.5 * 19));
    k.traffic.footprint_bytes = 0;  // not counted
    CHECK(dram_waits_fraction(k, 4096) == 0);
    k.waits = {.dram_waits = 1, .l2_waits = 3, .l1_waits = 9};
    CHECK(dram_waits_fraction(k, 4096) == 0.25);
}

TEST_CASE("numbers that are none are errors") {
    CHECK_FALSE(check_traffic(no_fractions{}, {}));
    CHECK(check_traffic(no_fractions{}, profile({.l2_bytes_per_warp = -1})) ==
          model_error{errc::negative, "l2_bytes_per_warp"});
    CHECK(check_traffic(no_fractions{},
                        profile({.dram_write_bytes = std::numeric_limits<double>::quiet_NaN()}))
              .field == "dram_write_bytes");
    kernel_profile<> k;
    k.waits.steps = -1;
    CHECK(check_traffic(no_fractions{}, k) == model_error{errc::negative, "steps"});
    k.waits = {.reused_fraction = 1.5};
    CHECK(check_traffic(no_fractions{}, k) == model_error{errc::outside_domain, "reused_fraction"});
    k.waits = {};
    k.accesses.broadcast_loads = -1;
    CHECK(check_traffic(no_fractions{}, k) == model_error{errc::negative, "broadcast_loads"});
    CHECK(check_traffic(parameters::dram_read<>{.dram_read_fraction = 2}, {}) ==
          model_error{errc::outside_domain, "dram_read_fraction"});
}

}  // namespace stream_traffic_test
