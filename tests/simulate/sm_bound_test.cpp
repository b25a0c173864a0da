// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <random>
#include <string_view>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/simulate/sm_bound.hpp>
#include <warpgauge/simulate/sm_of_device.hpp>

#include "naive_sm.hpp"
#include "random_copies.hpp"
#include "random_stream.hpp"

namespace sm_bound_test {

using namespace warpgauge;

namespace {

using stream = std::vector<instruction>;
using unit_kind::global_memory;
using unit_kind::integer;
using unit_kind::shared_memory;
using unit_kind::single_precision;
using unit_kind::special_function;

constexpr std::array policies{warp_policy::lowest_index, warp_policy::loose_round_robin,
                              warp_policy::greedy_then_oldest};

constexpr sm_parameters of_four_parts = sm_parameters_of(devices::h100_sxm5{});

// An SM whose units are all its own, so that numbers are easy to follow.
constexpr sm_parameters undivided(sm_parameters p) {
    p.sub_cores = 1;
    return p;
}
constexpr sm_parameters h100 = undivided(of_four_parts);

// With latencies of one cycle and all the bandwidth that can be: units and issue slots alone.
constexpr sm_parameters without_latencies(sm_parameters p) {
    p.integer_latency_cycles = p.single_precision_latency_cycles = 1;
    p.double_precision_latency_cycles = p.special_function_latency_cycles = 1;
    p.shared_latency_cycles = p.l1_latency_cycles = p.l2_latency_cycles = 1;
    p.dram_latency_cycles = 1;
    p.dram_bytes_per_cycle = 1e9;
    return p;
}

// The longest simulation, of all policies, every block simulated.
std::uint64_t longest(const stream& s, const sm_parameters& p, const sm_residency& r) {
    simulation_caps caps;
    caps.min_simulated = caps.max_simulated = std::uint64_t{1} << 40;
    sm_workspace space;
    std::uint64_t most = 0;
    for (const warp_policy policy : policies) {
        const auto e = simulate_sm(s, p, r, policy, caps, space);
        REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
        most = std::max(most, e->cycles);
    }
    return most;
}
std::uint64_t longest(const stream& s, const sm_parameters& p, std::uint64_t blocks,
                      std::uint64_t warps_per_block) {
    return longest(s, p, sm_residency{.blocks = blocks, .warps_per_block = warps_per_block});
}

std::uint64_t bound(const stream& s, const sm_parameters& p, std::uint64_t blocks,
                    std::uint64_t warps_per_block,
                    unit_sharing sharing = unit_sharing::any_scheduler) {
    const auto b = bound_sm(s, p, {blocks, blocks, warps_per_block}, sharing);
    REQUIRE_MESSAGE(b, message(b ? model_error{} : b.error()).c_str());
    return b->cycles;
}

// How many random streams each device is tried on.
std::size_t stream_count() {
    const char* const given = std::getenv("WARPGAUGE_STREAMS");  // NOLINT(concurrency-mt-unsafe)
    return given == nullptr ? 500 : static_cast<std::size_t>(std::strtoull(given, nullptr, 10));
}

// Bound and simulation of random streams. What the test says of tightness is in docs/makespan.md.
struct trial {
    std::vector<double> ratios{};            // bound / longest simulation
    std::size_t above{};                     // simulations above the bound
    std::array<std::size_t, 10> executed{};  // streams that have the unit, by `unit_kind`
};

// With products, where the SM knows how long they take. Of the projected Pascal, nobody says how large a transaction is.
stream lawful_stream(random_streams::generator& any, const sm_parameters& p) {
    stream s = any.stream();
    for (instruction& i : s) {
        if (p.tensor_latency_cycles > 0 && i.unit == single_precision && any.between(0, 3) == 0) {
            i.unit = unit_kind::tensor;
            i.tensor_fmas = 1U << any.between(0, 17);
        }
        if (is_memory(i) && !(p.dram_transaction_bytes > 0)) i.transactions = 1;
    }
    return s;
}

// The same with operations, of which an SM may have rates.
stream with_operations(stream s, random_streams::generator& any) {
    for (instruction& i : s) {
        i.op = static_cast<operation>(any.between(0, static_cast<unsigned>(operation::other) + 1));
    }
    return s;
}

trial try_streams(const sm_parameters& p) {
    trial t;
    random_streams::generator any(1);
    for (std::size_t n = stream_count(); n > 0; --n) {
        const stream s = lawful_stream(any, p);
        const std::uint64_t warps = any.between(1, 33);
        const std::uint64_t blocks = any.between(1, 64 / warps + 1);
        const std::uint64_t most = longest(s, p, blocks, warps);
        const std::uint64_t at_most = bound(s, p, blocks, warps);
        t.above += most > at_most ? 1U : 0U;
        t.ratios.push_back(static_cast<double>(at_most) / static_cast<double>(most));
        for (std::size_t u = 0; u < t.executed.size(); ++u) {
            const bool has = std::ranges::any_of(
                s, [&](const instruction& i) { return static_cast<std::size_t>(i.unit) == u; });
            t.executed[u] += has ? 1U : 0U;
        }
    }
    std::ranges::sort(t.ratios);
    return t;
}

}  // namespace

TEST_CASE("no simulation of a device is above the bound: every policy, streams of every unit") {
    const auto check = [](const auto& device) {
        CAPTURE(device.name);
        const trial t = try_streams(sm_parameters_of(device));
        CHECK(t.above == 0);
        const double median = t.ratios[t.ratios.size() / 2];
        MESSAGE(device.name << ": " << t.ratios.size() << " streams, bound / simulation: median "
                            << median << ", worst " << t.ratios.back());
        CHECK(median < 1.4);
        CHECK(t.ratios.back() < 8);  // behind barriers, warps pay for waits in several sub-cores
        for (const std::size_t streams : t.executed) CHECK(streams > 0);
    };
    check(devices::h100_sxm5{});
    check(devices::tesla_k40{});
    check(devices::tesla_v100{});
    check(devices::a100_sxm4_40gb{});
    check(devices::pascal_projection{});
}

TEST_CASE(
    "nor of an SM with any numbers of lanes, schedulers and issues, and latencies with fractions") {
    random_streams::generator any(2);
    std::size_t above = 0;
    for (std::size_t n = stream_count(); n > 0; --n) {
        const auto whole = [&](std::uint64_t least, std::uint64_t end) {
            return static_cast<double>(any.between(least, end));
        };
        const auto latency = [&] {
            return std::max(1.0, whole(1, 41) / whole(1, 3) + whole(0, 3) / 10);
        };
        sm_parameters p{.warp_size = any.between(0, 4) == 0 ? whole(1, 65) : 32,
                        .warp_schedulers = whole(1, 5),
                        .issues_per_scheduler = whole(1, 3),
                        .lanes = {whole(0, 2) * whole(1, 90), whole(1, 200), whole(1, 64),
                                  whole(1, 40), whole(1, 64), whole(1, 2000)},
                        .integer_latency_cycles = latency(),
                        .single_precision_latency_cycles = latency(),
                        .double_precision_latency_cycles = latency(),
                        .special_function_latency_cycles = latency(),
                        .tensor_latency_cycles = latency(),
                        .shared_latency_cycles = latency(),
                        .l1_latency_cycles = latency(),
                        .l2_latency_cycles = latency(),
                        .dram_latency_cycles = std::max(1.0, whole(1, 500) / whole(1, 3)),
                        .dram_bytes_per_cycle = whole(1, 700) / 10,
                        .dram_transaction_bytes = 32};
        if (any.between(0, 2) == 0) p.last_dram_bytes_per_cycle = whole(1, 700) / 10;
        if (any.between(0, 2) == 0) p.shared_bytes_per_cycle = whole(10, 2000) / 10;
        if (any.between(0, 2) == 0) p.l1_bytes_per_cycle = whole(10, 2000) / 10;
        if (any.between(0, 2) == 0) p.l2_bytes_per_cycle = whole(10, 700) / 10;
        for (double* rate : {&p.rates.integer_adds, &p.rates.integer_products, &p.rates.shifts,
                             &p.rates.comparisons, &p.rates.conversions}) {
            if (any.between(0, 2) == 0) *rate = whole(3, 120) / whole(1, 4);
        }
        p.barriers_wait_for_results = any.between(0, 2) == 0;
        p.ends_wait_for_stores = any.between(0, 2) == 0;
        if (any.between(0, 2) == 0) {
            p.sub_cores = 4;
            p.warp_schedulers += 3;
        }
        const stream s = with_operations(lawful_stream(any, p), any);
        const std::uint64_t warps = any.between(1, 24);
        const std::uint64_t blocks = any.between(1, 5);
        above += longest(s, p, blocks, warps) > bound(s, p, blocks, warps) ? 1U : 0U;
    }
    CHECK(above == 0);
}

TEST_CASE("nor of classes of instructions with rates of their own") {
    const auto check = [](const auto& device) {
        CAPTURE(device.name);
        const sm_parameters p = sm_parameters_of(device);
        random_streams::generator any(7);
        std::size_t above = 0;
        std::size_t longer = 0;
        for (std::size_t n = stream_count() / 4; n > 0; --n) {
            const stream without = lawful_stream(any, p);
            const stream s = with_operations(without, any);
            const std::uint64_t warps = any.between(1, 24);
            const std::uint64_t blocks = any.between(1, 4);
            const std::uint64_t at_most = bound(s, p, blocks, warps);
            above += longest(s, p, blocks, warps) > at_most ? 1U : 0U;
            longer += at_most > bound(without, p, blocks, warps) ? 1U : 0U;
        }
        CHECK(above == 0);
        CHECK(longer > 0);
    };
    check(devices::tesla_k40{});
    check(devices::tesla_t4{});
    check(devices::tesla_v100{});
    check(devices::h100_sxm5{});
}

TEST_CASE("nor of accesses with levels of their own") {
    const auto check = [](const auto& device) {
        CAPTURE(device.name);
        sm_parameters p = sm_parameters_of(device);
        random_streams::generator any(5);
        std::size_t above = 0;
        std::size_t other = 0;
        for (std::size_t n = stream_count() / 2; n > 0; --n) {
            const stream s = lawful_stream(any, p);
            const std::uint64_t warps = any.between(1, 24);
            const std::uint64_t blocks = any.between(1, 4);
            p.levels = {};
            const std::uint64_t without = bound(s, p, blocks, warps);
            std::vector<access_level> levels(s.size());
            for (access_level& l : levels) {
                const double beyond_l1 = static_cast<double>(any.between(0, 5)) / 4;
                l = {beyond_l1, beyond_l1 * static_cast<double>(any.between(0, 4)) / 3};
            }
            p.levels = {.of_entries = levels, .dram_latency_cycles = p.dram_latency_cycles};
            p.levels.waits = moved(0.5, 0.6);
            const std::uint64_t at_most = bound(s, p, blocks, warps);
            above += longest(s, p, blocks, warps) > at_most ? 1U : 0U;
            other += at_most < without ? 1U : 0U;
        }
        CHECK(above == 0);
        CHECK(other > 0);
    };
    check(devices::h100_sxm5{});
    check(devices::tesla_v100{});
    check(devices::a100_sxm4_40gb{});
}

TEST_CASE("nor where a block is replaced as soon as it ends") {
    const auto check = [](const auto& device) {
        CAPTURE(device.name);
        const sm_parameters p = sm_parameters_of(device);
        random_streams::generator any(4);
        std::size_t above = 0;
        for (std::size_t n = stream_count() / 5; n > 0; --n) {
            const stream s = lawful_stream(any, p);
            const std::uint64_t warps = any.between(1, 17);
            const std::uint64_t blocks = any.between(1, 64 / warps + 1);
            const std::uint64_t total = blocks + any.between(0, 4 * blocks + 1);
            const std::uint64_t most = longest(s, p,
                                               sm_residency{.blocks = blocks,
                                                            .warps_per_block = warps,
                                                            .start_cycle = 100,
                                                            .total_blocks = total});
            const auto b = bound_sm(s, p, {total, blocks, warps, 100});
            REQUIRE(b);
            above += most > b->cycles ? 1U : 0U;
        }
        CHECK(above == 0);
    };
    check(devices::h100_sxm5{});
    check(devices::tesla_k40{});
    check(devices::tesla_v100{});
    check(devices::a100_sxm4_40gb{});
    check(devices::pascal_projection{});
}

namespace {

// Schedulers that no GPU has: they prefer warps by numbers drawn for each sub-core, or blocks, and draw again at times.
class any_preference {
public:
    any_preference(std::uint64_t seed, std::uint64_t warps, std::uint64_t of_block)
        : bits_(seed), warps_(warps), of_block_(bits_() % 2 == 0 ? 1 : of_block) {
        const std::array<std::uint64_t, 3> draws{1, 64, std::uint64_t{1} << 60};
        one_in_ = draws[bits_() % draws.size()];
        for (auto& of_one : numbers_) draw(of_one);
    }

    void operator()(std::vector<std::size_t>& warps, std::size_t sub_core) {
        auto& of_one = numbers_[sub_core];
        if (bits_() % one_in_ == 0) draw(of_one);
        std::ranges::sort(warps, [&](std::size_t a, std::size_t b) {
            return std::tie(of_one[a], a) < std::tie(of_one[b], b);
        });
    }

private:
    void draw(std::vector<std::uint64_t>& of_one) {
        of_one.resize(static_cast<std::size_t>(warps_));
        for (std::size_t w = 0; w < of_one.size(); ++w) {
            const std::uint64_t drawn = bits_();
            of_one[w] = w % of_block_ == 0 ? drawn : of_one[w - 1];
        }
    }

    std::mt19937_64 bits_;
    std::uint64_t warps_;
    std::uint64_t of_block_;  // warps that are preferred alike
    std::uint64_t one_in_ = 1;
    std::array<std::vector<std::uint64_t>, 4> numbers_{};
};

// More barriers than `lawful_stream` has, so that warps of several sub-cores wait for each other.
stream with_barriers(random_streams::generator& any, const sm_parameters& p) {
    stream s = lawful_stream(any, p);
    for (instruction& i : s) {
        if (i.unit == integer && any.between(0, 4) == 0) i.unit = unit_kind::barrier;
        i.tensor_fmas = std::min(i.tensor_fmas, std::uint32_t{4096});
    }
    return s;
}

// What no schedule of a cycle after the other, warp after warp, may exceed. 0: too long to try.
std::size_t above_bound(std::uint64_t seed, sm_parameters p) {
    random_streams::generator any(seed);
    const stream s = with_operations(with_barriers(any, p), any);
    const std::uint64_t warps = any.between(1, 13);
    const std::uint64_t blocks = any.between(1, 24 / warps + 1);
    const std::uint64_t later = any.between(0, 2) * any.between(0, 3 * blocks + 1);
    p.turnaround_cycles = static_cast<double>(any.between(0, 20));
    const auto b = bound_sm(s, p, {blocks + later, blocks, warps});
    REQUIRE(b);
    if (b->cycles > 20'000 || mix_of(s)->executed() > 400) return 0;
    const sm_residency r{
        .blocks = blocks, .warps_per_block = warps, .total_blocks = blocks + later};
    const auto o =
        naive::run_sm(s, p, r, warp_policy::lowest_index,
                      any_preference(any.between(0, ~std::uint64_t{0}), blocks * warps, warps));
    return o.cycles > b->cycles ? 1 : 0;
}

}  // namespace

TEST_CASE("nor whichever warps its schedulers choose") {
    for (std::uint64_t seed = 1; seed <= stream_count() / 10; ++seed) {
        CAPTURE(seed);
        CHECK(above_bound(seed, of_four_parts) == 0);
        CHECK(above_bound(seed, sm_parameters_of(devices::tesla_v100{})) == 0);
        CHECK(above_bound(seed, sm_parameters_of(devices::a100_sxm4_40gb{})) == 0);
        CHECK(above_bound(seed, sm_parameters_of(devices::tesla_k40{})) == 0);
        // Lanes of which warps are no multiple leave a part of a cycle to the next.
        sm_parameters odd = of_four_parts;
        odd.lanes = {4 * 11, 4 * 19, 4 * 3, 4 * 7, 4 * 5, 4 * 100};
        CHECK(above_bound(seed, odd) == 0);
    }
}

TEST_CASE("a bound does not fall where there are more blocks, or more warps in each") {
    for (std::uint64_t seed = 1; seed <= stream_count(); ++seed) {
        CAPTURE(seed);
        random_streams::generator any(seed);
        const stream s = with_barriers(any, of_four_parts);
        const std::uint64_t blocks = any.between(1, 40);
        const std::uint64_t resident = any.between(1, 9);
        const std::uint64_t warps = any.between(1, 33);
        const auto costs = count_sm_costs(s, of_four_parts);
        REQUIRE(costs);
        const auto of = [&](std::uint64_t n, std::uint64_t of_block) {
            return bound_sm(*costs, {n, resident, of_block})->cycles;
        };
        CHECK(of(blocks + 1, warps) >= of(blocks, warps));
        CHECK(of(blocks, warps + 1) >= of(blocks, warps));
    }
}

TEST_CASE("nor where copies go on while their warps do") {
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        CAPTURE(seed);
        random_streams::generator any(seed);
        std::mt19937_64 random(seed);
        sm_parameters p = sm_parameters_of(devices::h100_sxm5{});
        const stream s = random_streams::with_copies(lawful_stream(any, p), random);
        p.turnaround_cycles = 0;
        const std::uint64_t warps = any.between(1, 9);
        const std::uint64_t blocks = any.between(1, 4);
        CHECK(longest(s, p, blocks, warps) <= bound(s, p, blocks, warps));
    }
}

TEST_CASE("nor where products go on while their warps do") {
    std::vector<double> ratios;
    for (std::uint64_t seed = 0; seed < stream_count(); ++seed) {
        CAPTURE(seed);
        random_streams::generator any(seed);
        std::mt19937_64 random(seed);
        sm_parameters p = seed % 3 == 0 ? h100 : of_four_parts;
        if (seed % 5 == 0) p.lanes[5] = 2047;  // not divided
        stream s = lawful_stream(any, p);
        for (instruction& i : s) {
            if (i.unit != integer || any.between(0, 3) != 0) continue;
            i.unit = unit_kind::tensor;
            i.tensor_fmas = 1U << any.between(0, 17);
        }
        s = random_streams::with_async_products(s, random, seed % 2 == 0);
        p.turnaround_cycles = 0;
        const std::uint64_t warps = any.between(1, 9);
        const std::uint64_t blocks = any.between(1, 4);
        const std::uint64_t most = longest(s, p, blocks, warps);
        CHECK(most <= bound(s, p, blocks, warps));
        ratios.push_back(static_cast<double>(bound(s, p, blocks, warps)) /
                         static_cast<double>(most));
    }
    std::ranges::sort(ratios);
    MESSAGE("bound / simulation: median " << ratios[ratios.size() / 2]);
    CHECK(ratios[ratios.size() / 2] < 1.4);
}

TEST_CASE("of a product of a block, the bound pays for the multiply-adds of all warps once") {
    const instruction product{.unit = unit_kind::tensor,
                              .async = async_step::block_product,
                              .sharing_warps = 4,
                              .tensor_fmas = 131'072};  // of 524,288: 256 cycles
    const stream s{loop(3, 100),
                   product,
                   {.async = async_step::commit_products},
                   {.async = async_step::wait_products, .groups_left = 1}};
    CHECK(longest(s, of_four_parts, 1, 4) == 100 * 256);
    CHECK(bound(s, of_four_parts, 1, 4) >= 100 * 256);
    CHECK(bound(s, of_four_parts, 1, 4) < 2 * 100 * 256);
}

TEST_CASE("special functions count on their own lanes") {
    // Eight warps, ten instructions, two cycles each on the 16 lanes of an H100: 160 cycles.
    const stream s(10, {.unit = special_function});
    constexpr sm_parameters p = without_latencies(h100);
    CHECK(longest(s, p, 1, 8) == 160);
    CHECK(bound(s, p, 1, 8) == 160);
    CHECK(longest(s, h100, 1, 8) == 158 + 23);
    CHECK(bound(s, h100, 1, 8) == 158 + 23);
}

TEST_CASE("an issue slot that another warp takes counts") {
    // Ten warps: loose round robin lets the load/store units idle in the second cycle, for its four slots go to
    // warps that have not begun.
    const stream s{{.unit = single_precision}, {.unit = shared_memory}};
    constexpr sm_parameters p = without_latencies(h100);
    CHECK(longest(s, p, 1, 10) == 12);
    CHECK(bound(s, p, 1, 10) == 13);
}

TEST_CASE("bank conflicts and transactions count as often as they take the units") {
    const instruction conflict{.unit = shared_memory, .transactions = 32};
    CHECK(longest({conflict}, h100, 1, 8) == 8 * 32 - 1 + 29);
    CHECK(bound({conflict}, h100, 1, 8) == 8 * 32 - 1 + 29);
    const instruction scattered{.unit = global_memory, .transactions = 32};
    // The last of the eight departs when seven have passed. It takes the load/store units meanwhile, and pays for that once.
    const double passing = 7 * 32 * 32 / h100.dram_bytes_per_cycle;
    CHECK(longest({scattered}, h100, 1, 8) == std::ceil(passing + h100.dram_latency_cycles));
    CHECK(bound({scattered}, h100, 1, 8) <= longest({scattered}, h100, 1, 8) + 1);
}

TEST_CASE("the parts of a bound") {
    const stream s{{.unit = integer}, {.unit = global_memory, .needs = {1}}};
    const auto b = bound_sm(s, h100, {.blocks = 1, .resident_blocks = 1, .warps_per_block = 16});
    REQUIRE(b);
    CHECK(b->own_cycles == doctest::Approx(4 + 479 + 1).epsilon(1e-6));
    CHECK(b->issue_cycles == 16 * 2 / 4.0);
    CHECK(b->unit_cycles[0] == 16 * 0.5);
    CHECK(b->unit_cycles[4] == doctest::Approx(16 * 128 / h100.l1_bytes_per_cycle).epsilon(1e-3));
    CHECK(b->unit_cycles[1] == 0);
    CHECK(b->dram_cycles == doctest::Approx(16 * 128 / h100.dram_bytes_per_cycle).epsilon(1e-6));
    // A start that is later is as much later at the end.
    const auto later = bound_sm(s, h100, {1, 1, 16, 1000});
    CHECK(later->cycles == b->cycles + 1000);
}

TEST_CASE(
    "blocks that follow on each other: no less than all at once, no more than one after another") {
    const stream s{{.unit = global_memory}, {.unit = single_precision, .needs = {1}}};
    const auto of = [&](std::uint64_t blocks, std::uint64_t resident) {
        return bound_sm(s, h100, {blocks, resident, 4})->cycles;
    };
    CHECK(of(8, 8) < of(8, 4));
    CHECK(of(8, 4) < of(8, 1));
    CHECK(of(8, 1) <= 8 * (of(1, 1) + 1) + 16 + 7 * 400);  // and the turnaround
    CHECK(of(8, 4) < of(9, 4));
}

TEST_CASE(
    "schedulers with lanes and warps of their own: each is an SM of its own, but for memory") {
    random_streams::generator any(3);
    std::size_t above = 0;
    std::size_t tried = 0;
    sm_parameters part = h100;
    for (double& lanes : part.lanes) lanes /= 4;
    part.warp_schedulers = 1;
    while (tried < stream_count() / 5) {
        const stream s = any.stream();
        if (std::ranges::any_of(s, [](const instruction& i) {
                return uses_load_store_units(i.unit) || i.unit == unit_kind::barrier;
            })) {
            continue;
        }
        ++tried;
        const std::uint64_t warps = any.between(1, 33);
        const std::uint64_t most = longest(s, part, 1, (warps + 3) / 4);
        above += most > bound(s, h100, 1, warps, unit_sharing::own_scheduler) ? 1U : 0U;
    }
    CHECK(above == 0);
    // One warp on a quarter of the lanes: 16 of integers and 4 of special functions.
    const stream eight(8, {.unit = special_function});
    CHECK(bound(eight, h100, 1, 1, unit_sharing::own_scheduler) >= 8 * 8);
    CHECK(bound(eight, h100, 1, 1) < 8 * 8);
    // Two lanes of double precision cannot be cut in four.
    sm_parameters two = h100;
    two.lanes[2] = 2;
    const stream doubles(8, {.unit = unit_kind::double_precision});
    CHECK(bound(doubles, two, 1, 4, unit_sharing::own_scheduler) >= 4 * 8 * 16);
    // With barriers, a block may wait for one scheduler after another, and for another block's warps at each.
    stream with(doubles);
    with.push_back({.unit = unit_kind::barrier});
    const auto of = [&](const stream& given, std::uint64_t blocks) {
        return bound(given, h100, blocks, 16, unit_sharing::own_scheduler);
    };
    CHECK(of(with, 1) - of(doubles, 1) < 8);
    CHECK(of(with, 2) - of(doubles, 2) > 4 * 8 * 2);
    CHECK(name(unit_sharing::any_scheduler) == "units of the SM");
    CHECK(name(unit_sharing::own_scheduler) == "units of a scheduler");
    CHECK(name(static_cast<unit_sharing>(9)) == "unknown");
}

TEST_CASE("of an SM with sub-cores the bound is that of schedulers with lanes of their own") {
    const stream one(8, {.unit = special_function});
    CHECK(bound(one, of_four_parts, 1, 16) == bound(one, h100, 1, 16, unit_sharing::own_scheduler));
    CHECK(longest(one, of_four_parts, 1, 1) == 7 * 8 + 23);
    CHECK(bound(one, of_four_parts, 1, 1) == 7 * 8 + 23);
    CHECK(longest(one, of_four_parts, 1, 16) == longest(one, of_four_parts, 1, 13));
    // All 16 warps of a sub-core issue a barrier, and a function can have 7 of its 8 cycles left when it lifts.
    const auto with_barriers = [&](std::size_t barriers, std::uint64_t blocks) {
        stream s(one);
        s.insert(s.end(), barriers, {.unit = unit_kind::barrier});
        return bound(s, of_four_parts, blocks, 64 / blocks) - bound(one, of_four_parts, 1, 64);
    };
    CHECK(with_barriers(1, 1) <= 16 + 7);
    CHECK(with_barriers(2, 1) <= 2 * (16 + 7));
    // Behind it the path may wait again for what the 8 warps of the other block have there, but in no sub-core twice.
    CHECK(with_barriers(1, 2) > 8 * 8 * 8);
    CHECK(with_barriers(1, 2) < 8 * (8 * 8 + 1) + 2 * (16 + 7));
    CHECK(with_barriers(5, 2) > with_barriers(1, 2) + 2 * 8 * 8 * 8);
    CHECK(with_barriers(9, 2) < with_barriers(5, 2) + 4 * 4 * 16);
}

TEST_CASE(
    "phases: of each length as many as a warp has, of more than eight lengths no shorter ones") {
    stream s;
    for (std::size_t functions = 1; functions <= 12; ++functions) {
        s.insert(s.end(), functions, {.unit = special_function});
        s.push_back({.unit = unit_kind::barrier});
    }
    const std::size_t once = s.size();
    s.insert(s.begin(), loop(static_cast<std::uint32_t>(once), 3));
    s.push_back({.unit = special_function});
    const auto costs = count_sm_costs(s, of_four_parts);
    REQUIRE(costs);
    CHECK(costs->barriers == 36);
    CHECK(costs->left_cycles == 7);
    double times = 0;
    double cycles = 0;
    for (std::size_t n = 0; n < 8; ++n) {
        CHECK(costs->phases[n].cycles == 8 * (12 - static_cast<double>(n)) + 1);
        times += costs->phases[n].times;
        cycles += costs->phases[n].times * costs->phases[n].cycles;
    }
    CHECK(costs->phases[6].times == 3);
    CHECK(costs->phases[7].times == 3 * 5 + 1);
    CHECK(times == 37);
    CHECK(cycles >= costs->scheduler_cycles);
}

TEST_CASE("a bound is a constant expression") {
    static constexpr std::array s{loop(2, 4), instruction{.unit = integer},
                                  instruction{.unit = shared_memory, .needs = {1}}};
    static_assert(bound_sm(s, h100, {2, 2, 4})->cycles > 4 * (4 + 1));
}

TEST_CASE("bad input is a named error") {
    const stream s{{.unit = integer}};
    const auto error = [&](const stream& given, const sm_parameters& p, const sm_workload& w) {
        const auto b = bound_sm(given, p, w);
        REQUIRE_FALSE(b);
        return b.error();
    };
    CHECK(error({}, h100, {1, 1, 1}) == model_error{errc::missing, "instructions"});
    CHECK(error(s, h100, {0, 1, 1}) == model_error{errc::not_positive, "blocks"});
    CHECK(error(s, h100, {1, 0, 1}) == model_error{errc::not_positive, "resident_blocks"});
    CHECK(error(s, h100, {1, 1, 0}) == model_error{errc::not_positive, "warps_per_block"});
    constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
    CHECK(error(s, h100, {largest, 1, largest}) == model_error{errc::overflow, "cycles"});
    CHECK(error({loop(2, 0xffff'ffff), s[0], s[0]}, h100, {1, 1, 1}) ==
          model_error{errc::limit_reached, "instructions"});
    sm_parameters p = h100;
    p.lanes[3] = 0;
    CHECK(error({{.unit = special_function}}, p, {1, 1, 1}) ==
          model_error{errc::missing, "special_function_units", 1});
    p = h100;
    p.warp_schedulers = 1.5;
    CHECK(error(s, p, {1, 1, 1}) == model_error{errc::not_whole, "warp_schedulers"});
    p = h100;
    p.dram_transaction_bytes = 0;
    CHECK(error({{.unit = global_memory, .transactions = 2}}, p, {1, 1, 1}) ==
          model_error{errc::missing, "dram_transaction_bytes", 1});
    CHECK(error({{.unit = global_memory, .bytes = 0}}, p, {1, 1, 1}) ==
          model_error{errc::malformed, "instructions", 1});
    p = h100;
    p.dram_bytes_per_cycle = 0;
    CHECK(error(s, p, {1, 1, 1}) == model_error{errc::not_positive, "dram_bytes_per_cycle"});
}

}  // namespace sm_bound_test
