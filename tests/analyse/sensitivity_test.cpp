// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <string_view>

#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/profiles/stream.hpp>
#include <warpgauge/warpgauge.hpp>

#include "analyse/model_of_ones_own.hpp"

#include "../examples/stencils.hpp"

namespace sensitivity_test {

using namespace model_of_ones_own;
using namespace warpgauge;
using doctest::Approx;

static_assert(scalar<gradient<1>>);
static_assert(scalar<gradient<8>>);

namespace {

// The time of the trapezoid model at one height, where it has derivatives.
const auto at_height_three = [](const auto& d, const auto& k) {
    using real = std::remove_cvref_t<decltype(k.blocks)>;
    struct estimate {
        real cycles;
        real seconds;
    };
    const auto e = trapezoid_model{d}.cycles_per_loop(k, real(3.0));
    if (!e) return result<estimate>(e.error());
    return result<estimate>(estimate{e->cycles_per_loop, e->cycles_per_loop / d.clock_hz});
};

// The time with one parameter larger by a fraction of it; not a number where the model has none.
template <class Model>
double seconds_with(const Model& model, const kernel_profile<>& k, const sensitivity& s,
                    double fraction) {
    auto d = edit(model.device);
    kernel_profile<> p = k;
    double* const parameter =
        s.of_device ? find_parameter(d, s.parameter) : find_parameter(p, s.parameter);
    REQUIRE(parameter != nullptr);
    *parameter *= 1 + fraction;
    const auto t = seconds_of(model.on(d).predict(p));
    return t ? *t : std::nan("");
}

// The elasticity in one parameter by central differences, Richardson's extrapolation of two of them.
template <class Seconds>
double by_differences(const Seconds& seconds) {
    const double h = 1e-4;
    const auto slope = [&](double step) { return (seconds(step) - seconds(-step)) / (2 * step); };
    return (4 * slope(h / 2) - slope(h)) / 3 / seconds(0);
}

// Is the time smooth within the reach of the differences?
template <class Seconds>
bool smooth(const Seconds& seconds, const sensitivity& s) {
    const double h = 1e-4;
    const double t = seconds(0);
    const double up = (seconds(h) - t) / (h * t);
    const double down = (t - seconds(-h)) / (h * t);
    return !s.kink() && std::fabs(up - down) < 1e-3 * std::fmax(1, std::fabs(s.elasticity));
}

template <class Model>
int check_against_differences(const Model& model, const kernel_profile<>& k) {
    const auto all = sensitivities(model, k);
    REQUIRE(all);
    int checked = 0;
    for (const sensitivity& s : *all) {
        const auto seconds = [&](double fraction) { return seconds_with(model, k, s, fraction); };
        if (!smooth(seconds, s)) continue;
        CAPTURE(std::string(s.parameter));
        const double expected = by_differences(seconds);
        CHECK(std::fabs(s.elasticity - expected) < 1e-6 * std::fmax(1, std::fabs(expected)));
        ++checked;
    }
    return checked;
}

constexpr instruction stream[]{loop(4, 20),
                               {.unit = unit_kind::global_memory},
                               {.unit = unit_kind::single_precision, .op = operation::mul},
                               {.unit = unit_kind::single_precision, .op = operation::add},
                               {.unit = unit_kind::integer, .op = operation::add},
                               {.unit = unit_kind::global_memory}};

}  // namespace

TEST_CASE("derivatives agree with finite differences, in every parameter of every closed form") {
    const unsigned seed = std::random_device{}();
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto between = [&](double low, double high) {
        return low *
               std::exp(std::log(high / low) * (static_cast<double>(random()) / 4'294'967'296.0));
    };
    int checked = 0;
    for (int n = 0; n < 200; ++n) {
        const kernel_profile<> k{.blocks = between(1000, 100'000),
                                 .threads_per_block = 32 * std::floor(between(1, 16)),
                                 .active_blocks_per_sm = std::floor(between(1, 8)),
                                 .comp_insts = between(1, 3000),
                                 .coalesced_mem_insts = between(0.5, 50),
                                 .uncoalesced_mem_insts = between(0.5, 50),
                                 .sync_insts = between(0.5, 10),
                                 .transactions_per_uncoalesced = between(2, 32)};
        checked += check_against_differences(mwp_cwp_model{devices::geforce_gtx_280{}}, k);
    }
    CHECK(checked > 2000);
    checked = 0;
    for (int n = 0; n < 50; ++n) {
        const kernel_profile<> k{.blocks = between(1000, 100'000),
                                 .threads_per_block = 32 * std::floor(between(1, 16)),
                                 .active_blocks_per_sm = std::floor(between(1, 2)),
                                 .instructions = stream};
        checked += check_against_differences(mpd_cpd_model{devices::geforce_gtx_260{}}, k);
    }
    CHECK(checked > 200);
    checked = 0;
    for (const auto& k : ghost_zone_stencils) {
        checked += check_against_differences(
            function_model{devices::geforce_gtx_280{}, at_height_three}, k);
    }
    CHECK(checked > 40);
}

TEST_CASE("what is known without a computation") {
    const kernel_profile<> k{.blocks = 4000,
                             .threads_per_block = 256,
                             .active_blocks_per_sm = 3,
                             .comp_insts = 400,
                             .coalesced_mem_insts = 12};
    const auto all = sensitivities(mwp_cwp_model{devices::geforce_gtx_280{}}, k);
    REQUIRE(all);
    double of_time = 0;
    for (const sensitivity& s : *all) {
        if (s.parameter == "clock_hz" || s.parameter == "sm_count") {
            CHECK(s.elasticity == Approx(-1).epsilon(1e-12));  // compute bound, many waves
        }
        if (s.parameter == "blocks") CHECK(s.elasticity == Approx(1).epsilon(1e-12));
        // Cycles are of degree one in all that counts instructions.
        if (s.parameter == "comp_insts" || s.parameter == "coalesced_mem_insts") {
            of_time += s.elasticity;
        }
        CHECK(s.value != 0);
    }
    CHECK(of_time == Approx(1).epsilon(0.05));
}

TEST_CASE("blocks bring their bytes, by derivative and by secant") {
    const auto k = profiles::stream({.elements = 1 << 27, .threads_per_block = 256, .loads = 2});
    const saturation_model<devices::a100_sxm4_40gb> model;
    const auto in_doubles = [](const auto& d, const kernel_profile<>& launch) {
        return saturation_model{d}.predict(launch);
    };
    const auto elasticity = [](const auto& all, std::string_view parameter) {
        REQUIRE(all);
        const auto is_it = [&](const sensitivity& s) { return s.parameter == parameter; };
        return *std::find_if(all->begin(), all->end(), is_it);
    };
    const auto by_derivative = sensitivities(model, k);
    const auto by_secant = sensitivities(function_model{devices::a100_sxm4_40gb{}, in_doubles}, k);
    const sensitivity blocks = elasticity(by_derivative, "blocks");
    CHECK(blocks.elasticity == Approx(0.99).epsilon(0.01));  // without the bytes, 0.01
    CHECK(blocks.below == Approx(blocks.elasticity).epsilon(1e-4));
    CHECK(blocks.above == Approx(blocks.elasticity).epsilon(1e-4));
    CHECK(elasticity(by_secant, "blocks").elasticity == Approx(blocks.elasticity).epsilon(0.01));
    // The bytes that come after the blocks are as they were.
    for (const char* const bytes : {"dram_read_bytes", "dram_write_bytes"}) {
        const double alone = elasticity(by_derivative, bytes).elasticity;
        CHECK(alone > 0.2);
        CHECK(elasticity(by_secant, bytes).elasticity == Approx(alone).epsilon(0.01));
    }
}

TEST_CASE("kinks and steps have one-sided values") {
    // max(2 x, 3) at x = 1.5: flat below, slope above; and floor(x) at a whole number.
    const auto kinked = [](const auto&, const auto& k) {
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        return takes(
            real(core::max(real(k.blocks * real(2.0)), real(3.0)) + core::floor(k.comp_insts)));
    };
    const kernel_profile<> k{.blocks = 1.5, .comp_insts = 4};
    const auto all = sensitivities(function_model{devices::geforce_gtx_280{}, kinked}, k);
    REQUIRE(all);
    for (const sensitivity& s : *all) {
        if (s.parameter == "blocks") {
            CHECK(s.kink());
            CHECK_FALSE(s.step);
            CHECK(s.below == 0);
            CHECK(s.above == Approx(3.0 / 7));
        } else if (s.parameter == "comp_insts") {
            CHECK(s.step);
        } else {
            CHECK_FALSE(s.kink());
            CHECK(s.elasticity == 0);
        }
    }
}

TEST_CASE("what has no finite derivative is an error") {
    // sqrt(max(comp_insts - 100, 0)), as in (4) of MPD/CPD: flat below 100, infinitely steep from there.
    const auto steep = [](const auto& d, const auto& profile) {
        using real = std::remove_cvref_t<decltype(profile.comp_insts)>;
        using core::max;
        const real root = core::sqrt(max(real(profile.comp_insts - real(100.0)), real(0.0)));
        return takes(real((root + profile.blocks) / real(d.clock_hz)));
    };
    kernel_profile<> k{.blocks = 8, .comp_insts = 400};
    const auto smooth = sensitivities(function_model{devices::geforce_gtx_280{}, steep}, k);
    REQUIRE(smooth);
    for (const sensitivity& s : *smooth) {
        CAPTURE(s.parameter);
        // d ln(sqrt(c - 100) + b) / d ln c = c / (2 sqrt(c - 100) (sqrt(c - 100) + b))
        if (s.parameter == "comp_insts") {
            CHECK(s.elasticity ==
                  doctest::Approx(400 / (2 * std::sqrt(300) * (std::sqrt(300) + 8))));
        }
    }
    k.comp_insts = 50;
    CHECK(sensitivities(function_model{devices::geforce_gtx_280{}, steep}, k));
    k.comp_insts = 100;
    const auto edge = sensitivities(function_model{devices::geforce_gtx_280{}, steep}, k);
    REQUIRE_FALSE(edge);
    CHECK(edge.error().field == "comp_insts");
    CHECK(edge.error().code == errc::outside_domain);
    const auto no_time = [](const auto& d, const auto& profile) {
        using real = std::remove_cvref_t<decltype(profile.comp_insts)>;
        return takes(real(profile.blocks * real(0.0 * value_of(d.sm_count))));
    };
    const auto none = sensitivities(function_model{devices::geforce_gtx_280{}, no_time}, k);
    REQUIRE_FALSE(none);
    CHECK(none.error().field == "seconds");
    CHECK(none.error().code == errc::not_positive);
}

TEST_CASE("steep is no step, whether it rises or falls") {
    for (const double sign : {-1.0, 1.0}) {
        const auto steep = [sign](const auto& d, const auto& k) {
            using real = std::remove_cvref_t<decltype(k.blocks)>;
            const real off = real(0.005) + real(sign) * (k.blocks - real(10.0));
            return takes(real(real(1.0) / (off * real(d.clock_hz))));
        };
        const auto all = sensitivities(function_model{devices::geforce_gtx_280{}, steep},
                                       kernel_profile<>{.blocks = 10});
        REQUIRE(all);
        for (const sensitivity& s : *all) {
            if (s.parameter != "blocks") continue;
            CHECK(s.elasticity == doctest::Approx(-sign * 2000));
            CHECK_FALSE(s.step);
        }
    }
}

TEST_CASE("errors pass through, and a parameter at the edge of what is allowed is a step") {
    CHECK(sensitivities(mwp_cwp_model{devices::geforce_gtx_280{}}, kernel_profile<>{})
              .error()
              .field == "blocks");
    const kernel_profile<> k{.blocks = 4000,
                             .threads_per_block = 512,
                             .registers_per_thread = 10,
                             .comp_insts = 400,
                             .coalesced_mem_insts = 12};
    const auto all = sensitivities(mwp_cwp_model{devices::geforce_gtx_280{}}, k);
    REQUIRE(all);
    for (const sensitivity& s : *all) {
        if (s.parameter == "threads_per_block") CHECK(s.step);
    }
}

TEST_CASE("a simulation has secants, also in the latency of an H100") {
    // A loop of a load and an addition that needs it, with one warp on each SM: the time is the latency.
    constexpr instruction chain[]{loop(2, 50),
                                  {.unit = unit_kind::global_memory},
                                  {.unit = unit_kind::single_precision, .needs = {1, own_result}}};
    const kernel_profile<> k{.blocks = 132, .threads_per_block = 32, .instructions = chain};
    const auto all = sensitivities(hybrid_model{devices::h100_sxm5{}}, k);
    REQUIRE(all);
    bool latency = false;
    for (const sensitivity& s : *all) {
        if (s.parameter == "dram_latency_cycles") {
            latency = true;
            CHECK(s.of_device);
            CHECK(s.value == devices::h100_sxm5::dram_latency_cycles);
            CHECK(s.elasticity > 0.5);
            CHECK(s.elasticity < 1);
        }
        if (s.parameter == "clock_hz") CHECK(s.elasticity == Approx(-1).epsilon(0.01));
        if (s.parameter == "double_precision_units") CHECK(s.elasticity == 0);
    }
    CHECK(latency);
    CHECK(sensitivities(hybrid_model{devices::h100_sxm5{}}, k, {.relative_step = 1}).error() ==
          model_error{errc::outside_domain, "relative_step"});
    CHECK(sensitivities(hybrid_model{devices::h100_sxm5{}}, k, {.relative_step = 0}).error() ==
          model_error{errc::outside_domain, "relative_step"});
}

TEST_CASE("the bytes that blocks bring count where few parameters are given, too") {
    // Of this GPU, blocks and bytes come into one evaluation, of eight derivatives.
    const kernel_profile<> k{.blocks = 1 << 20,
                             .threads_per_block = 256,
                             .coalesced_mem_insts = 1,
                             .traffic = {.dram_read_bytes = 1e11}};
    const auto all = sensitivities(saturation_model{devices::tesla_v100_pcie{}}, k);
    REQUIRE(all);
    double blocks = 0, bytes = 0;
    for (const sensitivity& s : *all) {
        if (s.parameter == "blocks") blocks = s.elasticity;
        if (s.parameter == "dram_read_bytes") bytes = s.elasticity;
    }
    CHECK(bytes > 0.9);
    CHECK(blocks > 0.99);
}

TEST_CASE("without derivatives, a fraction of 1 changes by a part, and an SM or none at all") {
    auto gpu = edit(devices::a100_sxm4_40gb{});
    gpu.sm_count = 1;
    gpu.dram_read_fraction = 1;
    // Bytes at a fraction of DRAM's peak, on no more than all of it; whole SMs alone.
    const function_model model{
        gpu, [](const decltype(gpu)& d, const kernel_profile<>& k) -> result<timed<>> {
            if (d.dram_read_fraction > 1) {
                return model_error{errc::outside_domain, "dram_read_fraction"};
            }
            if (d.sm_count != std::floor(d.sm_count)) {
                return model_error{errc::not_whole, "sm_count"};
            }
            return takes(k.blocks / d.sm_count / d.dram_read_fraction);
        }};
    const auto all = sensitivities(model, kernel_profile<>{.blocks = 3});
    REQUIRE(all);
    int found = 0;
    for (const sensitivity& s : *all) {
        const bool blocks = s.parameter == "blocks";
        if (!blocks && s.parameter != "sm_count" && s.parameter != "dram_read_fraction") continue;
        CAPTURE(s.parameter);
        CHECK(s.elasticity == Approx(blocks ? 1 : -1));
        CHECK(s.step == !blocks);  // the model ends on one side
        ++found;
    }
    CHECK(found == 3);
}

}  // namespace sensitivity_test
