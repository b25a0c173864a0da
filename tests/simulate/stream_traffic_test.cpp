// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

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

TEST_CASE("accesses with levels of their own: together they move the bytes of the launch") {
    // 10 x 128 B that half miss L1, of which all come from DRAM; and 128 B that all miss L1 and hit L2.
    constexpr std::array two{loop(1, 10), instruction{.unit = unit_kind::global_memory},
                             instruction{.unit = unit_kind::shared_memory},
                             instruction{.unit = unit_kind::global_memory}};
    constexpr std::array<access_level, 4> own{{{}, {0.5, 0.5}, {}, {1, 0}}};
    kernel_profile<> k{.blocks = 4, .threads_per_block = 64, .instructions = two, .levels = own};
    const auto of_own = with_traffic(plain, traffic_of(k, 8, 0, plain));
    CHECK(of_own.beyond_l1_fraction == doctest::Approx(6 / 11.0));
    CHECK(of_own.from_dram_fraction == doctest::Approx(5 / 11.0));
    CHECK(level_of(1, of_own).beyond_l1 == doctest::Approx(0.5));
    CHECK(level_of(1, of_own).from_dram == doctest::Approx(0.5));
    CHECK(level_of(1, of_own).latency_cycles == doctest::Approx(0.5 * 400 + 0.5 * 19));
    CHECK(level_of(3, of_own).beyond_l1 == 1);
    CHECK(level_of(3, of_own).from_dram == 0);
    CHECK(level_of(3, of_own).latency_cycles == 101);
    // Half of these bytes, of both levels.
    k.traffic = {.l2_bytes_per_warp = 3 * 128, .dram_read_bytes = 8 * 2.5 * 128};
    const auto half = with_traffic(plain, traffic_of(k, 8, 0, plain));
    CHECK(level_of(1, half).beyond_l1 == doctest::Approx(0.25));
    CHECK(level_of(1, half).from_dram == doctest::Approx(0.25));
    CHECK(level_of(3, half).beyond_l1 == doctest::Approx(0.5));
    CHECK(level_of(3, half).from_dram == 0);
    CHECK(level_of(3, half).latency_cycles == doctest::Approx(0.5 * 101 + 0.5 * 19));
    // All bytes miss L1, half of them L2: all of that half are of the first.
    k.traffic = {.l2_bytes_per_warp = 11 * 128, .dram_read_bytes = 8 * 5.5 * 128};
    const auto most = with_traffic(plain, traffic_of(k, 8, 0, plain));
    CHECK(level_of(1, most).beyond_l1 == doctest::Approx(1));
    CHECK(level_of(1, most).from_dram == doctest::Approx(0.55));
    CHECK(level_of(3, most).from_dram == 0);
    // More waits for DRAM than bytes: three quarters, all of the first.
    k.waits = {.dram_waits = 10.5, .l2_waits = 3.5};
    const auto waits = with_traffic(plain, traffic_of(k, 8, 0, plain));
    CHECK(level_of(1, waits).from_dram == doctest::Approx(0.55));
    CHECK(level_of(1, waits).latency_cycles == doctest::Approx(0.825 * 400 + 0.175 * 101));
    CHECK(level_of(3, waits).latency_cycles == 101);
    // Nothing is beyond L1 in the levels, and something in the launch: everything has its part.
    constexpr std::array<access_level, 4> none{{{}, {0, 0}, {}, {0, 0}}};
    k.levels = none;
    k.waits = {};
    const auto filled = with_traffic(plain, traffic_of(k, 8, 0, plain));
    for (const std::size_t at : {1U, 3U}) {
        CHECK(level_of(at, filled).beyond_l1 == doctest::Approx(1));
        CHECK(level_of(at, filled).from_dram == doctest::Approx(0.5));
    }
    k.traffic = {};
    const auto l1 = with_traffic(plain, traffic_of(k, 8, 0, plain));
    CHECK(level_of(1, l1).beyond_l1 == 0);
    CHECK(level_of(1, l1).latency_cycles == 19);
}

TEST_CASE("whatever the levels: bytes are those of the launch, and of each entry fractions") {
    std::mt19937 random(5);
    const auto fraction = [&] {
        const auto which = random() % 4;
        return which == 0 ? 0.0 : which == 1 ? 1.0 : static_cast<double>(random()) / 4294967296.0;
    };
    for (int n = 0; n < 500; ++n) {
        CAPTURE(n);
        std::vector<instruction> stream;
        std::vector<access_level> levels;
        for (std::size_t at = 0; at < 1 + random() % 6; ++at) {
            if (random() % 3 == 0) {
                stream.push_back(loop(1, static_cast<std::uint32_t>(1 + random() % 9)));
                levels.emplace_back();
            }
            stream.push_back({.unit = unit_kind::global_memory,
                              .bytes = static_cast<std::uint8_t>(1 + random() % 16)});
            const double beyond_l1 = fraction();
            levels.push_back({beyond_l1, beyond_l1 * fraction()});
        }
        kernel_profile<> k{.instructions = stream, .levels = levels};
        double all = 0;
        auto add_all = [&](const instruction& i, std::size_t, double times) {
            all += times * bytes_of(i, plain);
        };
        for_each_entry(stream, 0, stream.size(), 1, add_all);
        if (random() % 3 > 0) k.traffic.l2_bytes_per_warp = all * (fraction() + 1e-3);
        if (random() % 3 > 0) k.traffic.dram_read_bytes = 8 * all * (fraction() + 1e-3);
        if (random() % 2 == 0) k.waits = {.dram_waits = fraction(), .l2_waits = fraction()};
        const auto t = traffic_of(k, 8, 0, plain);
        const sm_parameters p = with_traffic(plain, t);
        double l2 = 0, dram = 0;
        auto add = [&](const instruction& i, std::size_t at, double times) {
            const entry_level l = level_of(at, p);
            CHECK(l.from_dram >= 0);
            CHECK(l.from_dram <= l.beyond_l1 * (1 + 1e-12));
            CHECK(l.beyond_l1 <= 1 + 1e-12);
            CHECK(l.latency_cycles >= 19 - 1e-9);
            CHECK(l.latency_cycles <= 400 + 1e-9);
            l2 += times * l.beyond_l1 * bytes_of(i, p);
            dram += times * l.from_dram * bytes_of(i, p);
        };
        for_each_entry(stream, 0, stream.size(), 1, add);
        CHECK(l2 == doctest::Approx(t.beyond_l1 * all));
        CHECK(dram == doctest::Approx(t.from_dram * all));
        CHECK(t.from_dram <= t.beyond_l1);
        // The same levels for all are the launch's means.
        for (access_level& l : levels) l = levels.back();
        const auto alike = traffic_of(k, 8, 0, plain);
        k.levels = {};
        if (k.traffic.l2_bytes_per_warp == 0 || k.traffic.dram_read_bytes == 0) continue;
        const auto means = with_traffic(plain, traffic_of(k, 8, 0, plain));
        const entry_level same = level_of(levels.size() - 1, with_traffic(plain, alike));
        CHECK(same.beyond_l1 == doctest::Approx(means.beyond_l1_fraction).epsilon(1e-12));
        CHECK(same.from_dram == doctest::Approx(means.from_dram_fraction).epsilon(1e-12));
        CHECK(same.latency_cycles == doctest::Approx(means.dram_latency_cycles).epsilon(1e-12));
    }
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
    constexpr std::array<access_level, 3> unlawful{{{}, {0.5, 0.75}, {}}};
    k = profile({});
    k.levels = unlawful;
    CHECK(check_traffic(no_fractions{}, k) == model_error{errc::outside_domain, "from_dram", 2});
    CHECK(check_traffic(parameters::dram_read<>{.dram_read_fraction = 2}, {}) ==
          model_error{errc::outside_domain, "dram_read_fraction"});
}

}  // namespace stream_traffic_test
