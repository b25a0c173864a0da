// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/calibrate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <warpgauge/warpgauge.hpp>

using namespace warpgauge;
using doctest::Approx;

namespace {

const auto mwp_cwp = [](const auto& d, const auto& k) { return mwp_cwp_model{d}.predict(k); };
const auto mpd_cpd = [](const auto& d, const auto& k) { return mpd_cpd_model{d}.predict(k); };

const devices::geforce_gtx_280 gtx_280;
const devices::geforce_gtx_260 gtx_260;

// The same numbers on every machine (Knuth's MMIX generator).
struct generator {
    std::uint64_t state;

    double uniform() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
    }
    double between(double low, double high) { return low * std::pow(high / low, uniform()); }
    double normal() {  // Box & Muller 1958
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(6.283185307179586 * uniform());
    }
};

constexpr std::array<std::string_view, 5> kernels{"saxpy", "stencil", "matmul", "sort", "scan"};

// Launches from bound by computation to bound by memory, coalesced and not.
std::vector<measurement> launches(std::size_t count) {
    generator random{42};
    std::vector<measurement> all(count);
    for (std::size_t n = 0; n < count; ++n) {
        all[n].profile = {.blocks = std::floor(random.between(1000, 100'000)),
                          .threads_per_block = 32 * std::floor(random.between(1, 16)),
                          .active_blocks_per_sm = std::floor(random.between(1, 8)),
                          .comp_insts = random.between(1, 3000),
                          .coalesced_mem_insts = random.between(0.5, 50),
                          .uncoalesced_mem_insts = random.between(0.5, 50),
                          .transactions_per_uncoalesced = random.between(2, 32)};
        all[n].kernel = kernels[n % kernels.size()];
    }
    return all;
}

constexpr instruction load_first[]{loop(4, 20),
                                   {.unit = unit_kind::global_memory},
                                   {.unit = unit_kind::single_precision, .op = operation::mul},
                                   {.unit = unit_kind::single_precision, .op = operation::add},
                                   {.unit = unit_kind::integer, .op = operation::add}};
constexpr instruction divisions[]{{.unit = unit_kind::global_memory},
                                  loop(2, 9),
                                  {.unit = unit_kind::single_precision, .op = operation::div},
                                  {.unit = unit_kind::integer, .op = operation::mul},
                                  {.unit = unit_kind::global_memory}};
constexpr instruction additions[]{{.unit = unit_kind::global_memory},
                                  loop(1, 40),
                                  {.unit = unit_kind::single_precision, .op = operation::add},
                                  {.unit = unit_kind::global_memory}};

std::vector<measurement> streams() {
    generator random{7};
    std::vector<measurement> all(30);
    for (std::size_t n = 0; n < all.size(); ++n) {
        all[n].profile = {.blocks = std::floor(random.between(1000, 100'000)),
                          .threads_per_block = 32 * std::floor(random.between(1, 8)),
                          .active_blocks_per_sm = std::floor(random.between(1, 4)),
                          .bytes_per_access = 4 * std::floor(random.between(1, 5))};
        const std::span<const instruction> all_streams[]{load_first, divisions, additions};
        all[n].profile.instructions = all_streams[n % 3];
        all[n].kernel = kernels[n % 3];
    }
    return all;
}

// What `predict` says of a device, times a scale and noise.
template <class Predict, class Device>
void measure(const Predict& predict, const Device& truth, std::vector<measurement>& all,
             double scale = 1, double noise = 0, std::uint64_t seed = 1) {
    generator random{seed};
    for (measurement& m : all) {
        const auto e = predict(truth, m.profile);
        REQUIRE(e);
        m.seconds = e->seconds * scale * std::exp(noise * random.normal());
    }
}

template <class Calibration>
const fitted_parameter& parameter(const Calibration& c, std::string_view name) {
    const auto at = std::find_if(c.parameters.begin(), c.parameters.end(),
                                 [&](const fitted_parameter& p) { return p.name == name; });
    REQUIRE(at != c.parameters.end());
    return *at;
}

double off(double a, double b) {
    return std::fabs(std::log(a / b));
}

constexpr std::array<fit_parameter, 4> timing{{{"issue_cycles", 0.5, 50},
                                               {"dram_latency_cycles", 50, 5000},
                                               {"coalesced_departure_cycles", 0.5, 50},
                                               {"uncoalesced_departure_cycles", 2, 400}}};

struct with_transactions : devices::geforce_gtx_280 {
    static constexpr double dram_transaction_bytes = 32;
};

auto true_gtx_280() {
    auto truth = edit(gtx_280);
    truth.issue_cycles = 6;
    truth.dram_latency_cycles = 300;
    truth.coalesced_departure_cycles = 9;
    truth.uncoalesced_departure_cycles = 25;
    return truth;
}

}  // namespace

TEST_CASE("parameters that the data tell are found to 1e-6, MWP/CWP") {
    auto all = launches(60);
    const auto truth = true_gtx_280();
    for (const double scale : {1.0, 0.3}) {
        CAPTURE(scale);
        measure(mwp_cwp, truth, all, scale);
        const auto c = calibrate(mwp_cwp, gtx_280, all, timing);
        REQUIRE(c);
        CHECK(c->converged);
        CHECK(off(c->device.issue_cycles, 6) < 1e-6);
        CHECK(off(c->device.dram_latency_cycles, 300) < 1e-6);
        CHECK(off(c->device.coalesced_departure_cycles, 9) < 1e-6);
        CHECK(off(c->device.uncoalesced_departure_cycles, 25) < 1e-6);
        CHECK(off(c->scale, scale) < 1e-6);
        CHECK(c->ambiguities.empty());
        CHECK(c->before.factor > 1.2);
        CHECK(c->after.factor < 1 + 1e-6);
        CHECK(c->by_kernel.held_out < 1 + 1e-5);
        CHECK_FALSE(c->by_kernel.overfits());
        CHECK(c->parameters.size() == 5);
        for (const fitted_parameter& p : c->parameters) {
            CHECK(p.state == fit_state::fitted);
            CHECK(p.log_error < 1e-6);
        }
        CHECK(parameter(*c, "issue_cycles").start == 4);
        CHECK(parameter(*c, "scale").start == 1);
    }
}

TEST_CASE("a model that rounds, MPD/CPD, is fitted by secants") {
    auto all = streams();
    auto truth = edit(gtx_260);
    truth.cpd_a = 2;
    truth.cpd_b = 15;
    measure(mpd_cpd, truth, all, 1.7);
    const std::array<fit_parameter, 2> degrees{{{"cpd_a", 0.5, 20}, {"cpd_b", 2, 80}}};
    const auto c = calibrate(mpd_cpd, gtx_260, all, degrees, {.secant = 0.05});
    REQUIRE(c);
    CHECK(off(c->scale, 1.7) < 1e-6);
    CHECK(c->after.rms_log < 1e-6);
    // Cycles are whole numbers: between two of them, all values are as good.
    CHECK(off(c->device.cpd_a, 2) < 1e-3);
    CHECK(off(c->device.cpd_b, 15) < 0.05);
    CHECK(parameter(*c, "cpd_a").state == fit_state::fitted);
    // At a point, nothing reacts.
    const auto flat = calibrate(mpd_cpd, gtx_260, all, degrees);
    REQUIRE(flat);
    CHECK(parameter(*flat, "cpd_a").state == fit_state::no_effect);
    CHECK(parameter(*flat, "scale").state == fit_state::fitted);
}

TEST_CASE("the device as given is predicted to the bit") {
    const auto whole = [](const auto& d, const auto& k) {
        return mwp_cwp_model{d, equation_form::corrected, waves::whole}.predict(k);
    };
    const devices::geforce_gtx_1080_ti gtx_1080_ti;  // of 28 SMs
    std::vector<measurement> all(8);
    for (std::size_t n = 0; n < all.size(); ++n) {
        const double rounds = static_cast<double>(n + 1);
        all[n].profile = {
            .blocks = 28 * rounds,  // of an SM less by a bit it would be one round more
            .threads_per_block = 256,
            .active_blocks_per_sm = 1,
            .comp_insts = 3000 * rounds};
        all[n].kernel = kernels[n % 2];
    }
    measure(whole, gtx_1080_ti, all);
    const auto c = calibrate(whole, gtx_1080_ti, all,
                             std::array{fit_parameter{"sm_count", 1, 1000}}, {.fit_scale = false});
    REQUIRE(c);
    CHECK(c->before.factor == 1);
    CHECK(c->after.factor == 1);
    CHECK(c->by_kernel.held_out == 1);
    CHECK(c->device.sm_count == 28);
}

TEST_CASE("standard errors are the spread over repeated noise") {
    constexpr int repeats = 100;
    auto all = launches(60);
    const auto truth = true_gtx_280();
    const std::array<double, 5> known{6, 300, 9, 25, 0.8};
    std::array<double, 5> square_sum{};
    std::array<double, 5> variance_sum{};
    for (int n = 0; n < repeats; ++n) {
        measure(mwp_cwp, truth, all, 0.8, 0.02, 1000 + static_cast<std::uint64_t>(n));
        const auto c = calibrate(mwp_cwp, gtx_280, all, timing, {.hold_out = false, .starts = 2});
        REQUIRE(c);
        for (std::size_t p = 0; p < known.size(); ++p) {
            const fitted_parameter& f = c->parameters[p];
            CHECK(off(f.value, known[p]) < 5 * f.log_error);
            square_sum[p] += std::pow(std::log(f.value / known[p]), 2);
            variance_sum[p] += f.log_error * f.log_error;
            CHECK(c->covariance(static_cast<int>(p), static_cast<int>(p)) ==
                  Approx(f.log_error * f.log_error).epsilon(1e-12));
            CHECK(c->correlation(static_cast<int>(p), static_cast<int>(p)) == 1);
            CHECK(f.log_error_of_kernels == 0);
        }
    }
    for (std::size_t p = 0; p < known.size(); ++p) {
        CAPTURE(p);
        const double ratio = std::sqrt(square_sum[p] / variance_sum[p]);
        CHECK(ratio > 1 / 1.5);
        CHECK(ratio < 1.5);
    }
}

TEST_CASE("covariance is that of a linear fit") {
    // ln(seconds) = ln(scale) + comp_insts * ln(issue_cycles): a straight line through (x, y), whose
    // errors every textbook has.
    const auto power = [](const auto& d, const auto& k) {
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        struct estimate {
            real seconds;
        };
        const real t = core::select(k.comp_insts < real(2.0), d.issue_cycles,
                                    d.issue_cycles * d.issue_cycles * d.issue_cycles);
        return result<estimate>(estimate{t});
    };
    std::vector<measurement> all;
    for (const auto& [x, y] : {std::pair{1, 2.0}, {1, 2.5}, {3, 7.0}, {3, 8.5}}) {
        all.push_back({.profile = {.comp_insts = double(x)}, .seconds = y, .kernel = "k"});
    }
    const auto c =
        calibrate(power, gtx_280, all, std::array{fit_parameter{"issue_cycles", 0.1, 100}},
                  {.hold_out = false});
    REQUIRE(c);
    // By hand: mean x 2, Sxx 4; each pair's mean is met, so the residuals are half its differences.
    const double a = std::log(2.0 * 2.5) / 2;
    const double b = std::log(7.0 * 8.5) / 2;
    const double slope = (b - a) / 2;
    CHECK(std::log(c->device.issue_cycles) == Approx(slope).epsilon(1e-9));
    CHECK(std::log(c->scale) == Approx(a - slope).epsilon(1e-9));
    const double squares = (std::pow(std::log(2.5 / 2), 2) + std::pow(std::log(8.5 / 7), 2)) / 2;
    const double variance = squares / 2;  // four measurements less two parameters
    CHECK(c->covariance(0, 0) == Approx(variance / 4));
    CHECK(c->covariance(1, 1) == Approx(variance * (0.25 + 2.0 * 2.0 / 4)));
    CHECK(c->covariance(0, 1) == Approx(-variance * 2 / 4));
    CHECK(c->correlation(0, 1) == Approx(-2 / std::sqrt(5.0)));
    CHECK(c->after.rms_log == Approx(std::sqrt(squares / 4)));
}

TEST_CASE("what the data cannot tell apart is said") {
    auto all = launches(40);
    for (measurement& m : all) m.profile.coalesced_mem_insts = 0;
    auto truth = edit(with_transactions{});
    truth.dram_bytes_per_s = 30e9;
    measure(mwp_cwp, truth, all, 2);

    SUBCASE("bytes of a transaction over bandwidth; and what no launch has") {
        const auto c =
            calibrate(mwp_cwp, with_transactions{}, all,
                      std::array<fit_parameter, 3>{{{"dram_bytes_per_s", 1e9, 1e12},
                                                    {"coalesced_departure_cycles", 1, 50},
                                                    {"dram_transaction_bytes", 8, 512}}});
        REQUIRE(c);
        CHECK(c->after.factor < 1 + 1e-6);
        REQUIRE(c->ambiguities.size() == 1);
        const ambiguity& both = c->ambiguities[0];
        REQUIRE(both.size() == 2);
        CHECK(both[0].parameter == "dram_bytes_per_s");
        CHECK(both[1].parameter == "dram_transaction_bytes");
        CHECK(both[0].power == Approx(both[1].power).epsilon(1e-6));
        CHECK(parameter(*c, "dram_bytes_per_s").state == fit_state::ambiguous);
        CHECK(parameter(*c, "dram_transaction_bytes").state == fit_state::ambiguous);
        CHECK(std::isinf(parameter(*c, "dram_bytes_per_s").log_error));
        CHECK(parameter(*c, "coalesced_departure_cycles").state == fit_state::no_effect);
        CHECK(std::isinf(parameter(*c, "coalesced_departure_cycles").log_error));
        CHECK(c->device.coalesced_departure_cycles == gtx_280.coalesced_departure_cycles);
        CHECK(parameter(*c, "scale").state == fit_state::fitted);
        CHECK(off(c->scale, 2) < 1e-6);
        CHECK(c->covariance(0, 0) == 0);
        // Only the quotient is told, and that is found.
        CHECK(off(c->device.dram_bytes_per_s / c->device.dram_transaction_bytes, 30e9 / 32) < 1e-6);
    }
    SUBCASE("the unit of time") {
        const auto c =
            calibrate(mwp_cwp, with_transactions{}, all,
                      std::array<fit_parameter, 4>{{{"issue_cycles", 0.5, 50},
                                                    {"dram_latency_cycles", 50, 5000},
                                                    {"uncoalesced_departure_cycles", 2, 400},
                                                    {"dram_bytes_per_s", 1e9, 1e12}}});
        REQUIRE(c);
        REQUIRE(c->ambiguities.size() == 1);
        REQUIRE(c->ambiguities[0].size() == 5);
        for (const ambiguous_power& p : c->ambiguities[0]) {
            const double sign =
                p.parameter == "dram_bytes_per_s" || p.parameter == "scale" ? -1 : 1;
            CHECK(p.power * c->ambiguities[0][0].power == Approx(sign).epsilon(1e-5));
        }
    }
    SUBCASE("nothing at all") {
        for (measurement& m : all) {
            m.profile.coalesced_mem_insts = 1;
            m.profile.uncoalesced_mem_insts = 0;
        }
        measure(mwp_cwp, truth, all);
        const auto c = calibrate(mwp_cwp, with_transactions{}, all,
                                 std::array{fit_parameter{"uncoalesced_departure_cycles", 2, 400}},
                                 {.fit_scale = false});
        REQUIRE(c);
        CHECK(c->parameters[0].state == fit_state::no_effect);
        CHECK(c->parameters[0].value == c->parameters[0].start);
        CHECK(c->ambiguities.empty());
    }
}

TEST_CASE("bounds hold, and what sits at one is said") {
    auto all = launches(60);
    measure(mwp_cwp, true_gtx_280(), all);  // issue_cycles 6, dram_latency_cycles 300
    const auto c =
        calibrate(mwp_cwp, gtx_280, all,
                  std::array<fit_parameter, 3>{{{"issue_cycles", 3, 5},
                                                {"dram_latency_cycles", 400, 500},
                                                {"uncoalesced_departure_cycles", 2, 400}}});
    REQUIRE(c);
    CHECK(c->converged);
    CHECK(c->device.issue_cycles == 5);
    CHECK(parameter(*c, "issue_cycles").state == fit_state::at_most);
    CHECK(parameter(*c, "issue_cycles").log_error == 0);
    CHECK(c->device.dram_latency_cycles == 400);
    CHECK(parameter(*c, "dram_latency_cycles").state == fit_state::at_least);
    CHECK(parameter(*c, "uncoalesced_departure_cycles").state == fit_state::fitted);
    CHECK(parameter(*c, "uncoalesced_departure_cycles").log_error > 0);
    CHECK(c->covariance(0, 0) == 0);
    CHECK(c->covariance(2, 2) > 0);
    CHECK(c->after.rms_log < c->before.rms_log);

    const auto fixed =
        calibrate(mwp_cwp, gtx_280, all, std::array{fit_parameter{"issue_cycles", 4, 4}},
                  {.fit_scale = false});
    REQUIRE(fixed);
    CHECK(fixed->device.issue_cycles == 4);
    CHECK(fixed->after.rms_log == fixed->before.rms_log);
}

TEST_CASE("a small power is one") {
    const auto root = [](const auto& d, const auto& k) {  // time as a * b^(1/128)
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        struct estimate {
            real seconds;
        };
        real b = d.dram_latency_cycles;
        for (int n = 0; n < 7; ++n) b = core::sqrt(b);
        return result<estimate>(estimate{1e-6 * d.issue_cycles * b * k.blocks});
    };
    auto all = launches(10);
    measure(root, true_gtx_280(), all, 1, 0.001);
    const auto c = calibrate(
        root, gtx_280, all,
        std::array<fit_parameter, 2>{{{"issue_cycles", 0.5, 50}, {"dram_latency_cycles", 1, 1e6}}},
        {.fit_scale = false});
    REQUIRE(c);
    for (const fitted_parameter& p : c->parameters) CHECK(p.state == fit_state::ambiguous);
    REQUIRE(c->ambiguities.size() == 1);
    REQUIRE(c->ambiguities[0].size() == 2);
    CHECK(c->ambiguities[0][0].power == Approx(1 / 128.0));
    CHECK(c->ambiguities[0][1].power == Approx(-1));
}

TEST_CASE("a bound where the search comes to rest hides no ambiguity") {
    const auto transfer = [](const auto& d, const auto& k) {
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        struct estimate {
            real seconds;
        };
        return result<estimate>(estimate{k.coalesced_mem_insts / d.dram_bytes_per_s});
    };
    const double given = gtx_280.dram_bytes_per_s;
    auto all = launches(20);
    measure(transfer, gtx_280, all, 0.7, 0.01);
    const auto alone = calibrate(transfer, gtx_280, all, {});
    REQUIRE(alone);
    CHECK(off(alone->scale, 0.7) < 0.01);
    for (const double noise : {0.01, 0.0}) {
        measure(transfer, gtx_280, all, 0.7, noise);
        for (const double most : {given, 1.1 * given, 2 * given}) {
            CAPTURE(noise);
            CAPTURE(most / given);
            const auto c = calibrate(transfer, gtx_280, all,
                                     std::array{fit_parameter{"dram_bytes_per_s", 1e10, most}});
            REQUIRE(c);
            for (const fitted_parameter& p : c->parameters) {
                CHECK(p.state == fit_state::ambiguous);
                CHECK(std::isinf(p.log_error));
                CHECK(std::isinf(p.log_error_of_kernels));
            }
            REQUIRE(c->ambiguities.size() == 1);
            CHECK(c->ambiguities[0][0].power == Approx(c->ambiguities[0][1].power));
            // Nearest to the device as given: each takes half of the factor, as far as its bounds go.
            const double half = std::sqrt((noise > 0 ? alone->scale : 0.7));
            const double faster = std::min(1 / half, most / given);
            CHECK(c->device.dram_bytes_per_s == Approx(given * faster));
            CHECK(c->scale == Approx(half * half * faster));
        }
        // Of equal bounds the value is known.
        const auto known = calibrate(transfer, gtx_280, all,
                                     std::array{fit_parameter{"dram_bytes_per_s", given, given}});
        REQUIRE(known);
        CHECK(parameter(*known, "dram_bytes_per_s").state == fit_state::at_least);
        CHECK(parameter(*known, "scale").state == fit_state::fitted);
    }
}

TEST_CASE("held-out error tells a fit of noise from a fit") {
    auto all = launches(50);
    const auto truth = true_gtx_280();
    measure(mwp_cwp, truth, all, 1, 0.05);
    const auto good = calibrate(mwp_cwp, gtx_280, all, timing);
    REQUIRE(good);
    CHECK_FALSE(good->by_kernel.overfits());
    CHECK(good->by_kernel.held_out < 1.1);
    CHECK(good->by_kernel.after <= good->by_kernel.held_out);
    REQUIRE(good->kernels.size() == kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
        CHECK(good->kernels[k].kernel == kernels[k]);
        CHECK(good->kernels[k].measurements == 10);
        CHECK(good->kernels[k].held_out.factor < good->kernels[k].before.factor);
    }
    // The device is right as it is, but one kernel's times are noise: the others pay for it.
    measure(mwp_cwp, gtx_280, all);
    generator random{3};
    for (measurement& m : all) {
        if (m.kernel == "sort") m.seconds *= std::exp(3 * random.uniform());
    }
    const auto bad = calibrate(mwp_cwp, gtx_280, all, timing);
    REQUIRE(bad);
    CHECK(bad->after.rms_log < bad->before.rms_log);
    CHECK(bad->by_kernel.overfits());
    CHECK(bad->by_kernel.held_out > bad->by_kernel.before);
}

TEST_CASE("what a scale alone does better is overfitted") {
    auto all = launches(50);
    measure(mwp_cwp, gtx_280, all, 0.25);
    generator random{5};
    for (measurement& m :
         all) {  // the device is right but for a scale, and one kernel's times are noise
        if (m.kernel == "sort") m.seconds *= std::exp(2 * random.uniform());
    }
    const auto c = calibrate(mwp_cwp, gtx_280, all, timing);
    REQUIRE(c);
    const auto scale = calibrate(mwp_cwp, gtx_280, all, {});
    REQUIRE(scale);
    CHECK(c->by_kernel.scale_alone == Approx(scale->by_kernel.held_out).epsilon(1e-6));
    CHECK(scale->by_kernel.scale_alone == 0);
    CHECK_FALSE(scale->by_kernel.overfits());
    CHECK(c->by_kernel.held_out < c->by_kernel.before);
    CHECK(c->by_kernel.held_out > c->by_kernel.scale_alone);
    CHECK(c->by_kernel.overfits());
}

TEST_CASE("the error of a held-out kernel is that of the fit to the others") {
    auto all = launches(50);
    measure(mwp_cwp, true_gtx_280(), all, 0.7, 0.1);
    const auto c = calibrate(mwp_cwp, gtx_280, all, timing);
    REQUIRE(c);
    std::vector<measurement> rest;
    std::vector<measurement> sort;
    for (const measurement& m : all) (m.kernel == "sort" ? sort : rest).push_back(m);
    const auto without = calibrate(mwp_cwp, gtx_280, rest, timing);
    REQUIRE(without);
    double sum = 0;
    for (const measurement& m : sort) {
        sum += off(without->scale * mwp_cwp(without->device, m.profile)->seconds, m.seconds);
    }
    CHECK(c->kernels[3].held_out.factor == Approx(std::exp(sum / 10)).epsilon(1e-9));
    for (const fitted_parameter& p : c->parameters) {
        CHECK(p.log_error_of_kernels > 0.1 * p.log_error);
        CHECK(p.log_error_of_kernels < 10 * p.log_error);
    }
}

TEST_CASE("a held-out fit that fails is said, and the others stand") {
    // Launches of more than 100 threads have no prediction beyond 8 cycles.
    const auto limited = [](const auto& d, const auto& k) {
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        struct estimate {
            real seconds;
        };
        if (k.threads_per_block > 100 && d.issue_cycles > 8)
            return result<estimate>(model_error{errc::outside_domain, "threads_per_block"});
        return result<estimate>(estimate{d.issue_cycles * k.blocks * 1e-6});
    };
    std::vector<measurement> all;
    for (int n = 1; n <= 8; ++n) {
        const bool wide = n % 2 == 1;
        all.push_back({.profile = {.blocks = double(n), .threads_per_block = wide ? 128.0 : 32.0},
                       .seconds = (wide ? 7e-6 : 9e-6) * n,
                       .kernel = wide ? "wide" : "narrow"});
    }
    const std::array<fit_parameter, 1> issue{{{"issue_cycles", 0.5, 50}}};
    const auto c = calibrate(limited, gtx_280, all, issue, {.fit_scale = false});
    REQUIRE(c);
    CHECK(c->device.issue_cycles == Approx(std::sqrt(7.0 * 9.0)));
    CHECK(c->kernels[0].held_out.factor == 0);  // 9 cycles from the narrow ones
    CHECK(c->kernels[0].held_out_error ==
          model_error{errc::outside_domain, "threads_per_block", 1});
    CHECK(c->kernels[1].held_out.factor == Approx(9.0 / 7.0));
    CHECK(c->kernels[1].held_out_error == model_error{});
    CHECK(c->by_kernel.held_out == Approx(9.0 / 7.0));
    CHECK(c->by_kernel.held_out < c->by_kernel.before);
    CHECK(c->by_kernel.unpredicted == 1);
    CHECK(c->by_kernel.overfits());
    CHECK(c->parameters[0].log_error_of_kernels == Approx(std::log(9.0 / 7.0) / 2));

    // Without derivatives beyond 8 cycles, there is no fit to the narrow ones.
    const auto without_slope = [&](const auto& d, const auto& k) {
        using estimate = decltype(limited(d, k));
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        const bool ends = !std::same_as<real, double> && d.issue_cycles > 8;
        return ends ? estimate(model_error{errc::outside_domain, "issue_cycles"}) : limited(d, k);
    };
    const auto lame = calibrate(without_slope, gtx_280, all, issue, {.fit_scale = false});
    REQUIRE(lame);
    CHECK(lame->device.issue_cycles == Approx(std::sqrt(7.0 * 9.0)));
    CHECK(lame->kernels[0].held_out_error == model_error{errc::outside_domain, "issue_cycles", 2});
    CHECK(std::isinf(lame->parameters[0].log_error_of_kernels));
    CHECK_FALSE(lame->converged);
}

TEST_CASE("secants stay within the bounds and the model") {
    const auto ends_at_four = [](const auto& d, const auto& k) {
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        struct estimate {
            real seconds;
        };
        if (d.issue_cycles > 4) return result<estimate>(model_error{});  // that names no field
        return result<estimate>(estimate{d.issue_cycles * k.blocks * 1e-6});
    };
    auto all = launches(10);
    auto truth = edit(gtx_280);  // of 4 cycles
    truth.issue_cycles = 3;
    measure(ends_at_four, truth, all);
    for (const double most : {4.0, 50.0}) {
        const auto c = calibrate(ends_at_four, gtx_280, all,
                                 std::array{fit_parameter{"issue_cycles", 1, most}},
                                 {.fit_scale = false, .secant = 0.05});
        REQUIRE(c);
        CHECK(off(c->device.issue_cycles, 3) < 1e-9);
        CHECK(c->parameters[0].state == fit_state::fitted);
    }
    const auto known = calibrate(ends_at_four, gtx_280, all,
                                 std::array{fit_parameter{"issue_cycles", 4, 4}}, {.secant = 0.05});
    REQUIRE(known);
    CHECK(known->parameters[0].state == fit_state::at_least);
    CHECK(off(known->scale, 0.75) < 1e-9);
    truth.issue_cycles = 5;
    CHECK(calibrate(ends_at_four, truth, all, {}).error() ==
          model_error{errc::not_positive, "profile", 1});
}

TEST_CASE("where one kernel alone tells a parameter, its error over kernels is infinite") {
    // The launches of "scan" alone have memory instructions.
    const auto sum = [](const auto& d, const auto& k) {
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        struct estimate {
            real seconds;
        };
        return result<estimate>(estimate{d.issue_cycles * k.comp_insts +
                                         d.dram_latency_cycles * k.coalesced_mem_insts});
    };
    auto all = launches(40);
    for (measurement& m : all) {
        m.profile.comp_insts = 100 + m.profile.comp_insts / 30;
        if (m.kernel != "scan") m.profile.coalesced_mem_insts = 0;
    }
    measure(sum, gtx_280, all, 1, 0.02);
    constexpr std::array<fit_parameter, 2> both{
        {{"issue_cycles", 0.1, 100}, {"dram_latency_cycles", 1, 1e5}}};
    auto start = edit(gtx_280);
    for (const double latency : {400.0, 450.0, 1000.0}) {
        CAPTURE(latency);
        start.dram_latency_cycles = latency;
        const auto c = calibrate(sum, start, all, both, {.fit_scale = false});
        REQUIRE(c);
        CHECK(off(c->device.dram_latency_cycles, 450) < 0.03);
        CHECK(parameter(*c, "dram_latency_cycles").state == fit_state::fitted);
        CHECK(parameter(*c, "dram_latency_cycles").log_error < 0.03);
        CHECK(std::isinf(parameter(*c, "dram_latency_cycles").log_error_of_kernels));
        CHECK(parameter(*c, "issue_cycles").log_error_of_kernels < 0.03);
    }
    // A second kernel with memory instructions tells it too.
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (all[n].kernel == "sort") all[n].profile.coalesced_mem_insts = double(1 + n);
    }
    measure(sum, gtx_280, all, 1, 0.02);
    const auto c = calibrate(sum, start, all, both, {.fit_scale = false});
    REQUIRE(c);
    CHECK(parameter(*c, "dram_latency_cycles").log_error_of_kernels < 0.1);
}

TEST_CASE("the order of measurements and of parameters does not matter") {
    auto all = launches(40);
    measure(mwp_cwp, true_gtx_280(), all, 1.2, 0.1);
    const auto c = calibrate(mwp_cwp, gtx_280, all, timing);
    generator random{5};
    for (std::size_t n = all.size() - 1; n > 0; --n) {
        std::swap(all[n], all[static_cast<std::size_t>(random.uniform() * double(n + 1))]);
    }
    const auto shuffled = calibrate(mwp_cwp, gtx_280, all, timing);
    auto reversed = timing;
    std::reverse(reversed.begin(), reversed.end());
    const auto turned = calibrate(mwp_cwp, gtx_280, all, reversed);
    REQUIRE(c);
    REQUIRE(shuffled);
    REQUIRE(turned);
    for (const fitted_parameter& p : c->parameters) {
        CHECK(off(parameter(*shuffled, p.name).value, p.value) < 1e-5);
        // The model has kinks: other starting points may end in a dent beside.
        CHECK(off(parameter(*turned, p.name).value, p.value) < 0.5 * p.log_error);
        CHECK(parameter(*shuffled, p.name).log_error == Approx(p.log_error).epsilon(1e-4));
    }
    CHECK(shuffled->by_kernel.held_out == Approx(c->by_kernel.held_out).epsilon(1e-6));
    const auto again = calibrate(mwp_cwp, gtx_280, all, timing);
    REQUIRE(again);
    CHECK(again->device.issue_cycles == shuffled->device.issue_cycles);  // to the bit
}

TEST_CASE("derivatives agree with finite differences") {
    auto all = launches(40);
    measure(mwp_cwp, gtx_280, all);
    std::vector<fitted_parameter> parameters;
    Eigen::VectorXd x(10);
    auto device = edit(gtx_280);
    for_each_figure_of_device(device, [&](std::string_view name, double figure) {
        x[static_cast<int>(parameters.size())] = std::log(figure * 1.01);
        if (parameters.size() < 9) parameters.push_back({.name = name});
    });
    REQUIRE(parameters.size() == 9);  // more than go through one evaluation
    parameters.push_back({.name = detail::eigen::scale_name});
    x[9] = 0.3;
    const detail::eigen::log_errors_of errors(mwp_cwp, gtx_280, all, parameters, 0);
    std::vector<std::size_t> which{3, 1, 20, 39};
    Eigen::MatrixXd exact;
    REQUIRE(!errors.derivatives(x, which, exact));
    Eigen::VectorXd above;
    Eigen::VectorXd below;
    for (int n = 0; n < 10; ++n) {
        const double h = 1e-5;
        Eigen::VectorXd moved = x;
        moved[n] = x[n] + h;
        REQUIRE(!errors.values(moved, which, above));
        moved[n] = x[n] - h;
        REQUIRE(!errors.values(moved, which, below));
        CAPTURE(n);
        CHECK(((above - below) / (2 * h) - exact.col(n)).cwiseAbs().maxCoeff() < 1e-8);
    }
}

TEST_CASE("corrections carry over to another device") {
    auto all = launches(60);
    measure(mwp_cwp, true_gtx_280(), all, 0.5);
    const auto c = calibrate(mwp_cwp, gtx_280, all, timing);
    REQUIRE(c);
    const auto same = corrected(gtx_280, c->parameters);
    REQUIRE(same);
    CHECK(same->issue_cycles == Approx(c->device.issue_cycles).epsilon(1e-14));
    CHECK(same->sm_count == gtx_280.sm_count);
    const auto other = corrected(devices::geforce_rtx_2070_super{}, c->parameters);
    REQUIRE(other);
    CHECK(other->issue_cycles == Approx(6.0 / 4));
    CHECK(other->name == "GeForce RTX 2070 SUPER");
    CHECK(corrected(gtx_260, c->parameters).error() == model_error{errc::missing, "parameters", 1});
}

TEST_CASE("what cannot be corrected is an error") {
    using list = std::vector<fitted_parameter>;
    const auto error = [](const list& parameters) {
        const auto d = corrected(gtx_280, parameters);
        return d ? model_error{} : d.error();
    };
    const double infinite = std::numeric_limits<double>::infinity();
    const fitted_parameter issue{.name = "issue_cycles", .start = 1, .value = 2};
    const fitted_parameter scale{.name = "scale", .start = 1, .value = 2};
    CHECK(error({issue, scale}) == model_error{});
    CHECK(error({issue, issue}) == model_error{errc::malformed, "parameters", 2});
    CHECK(error({scale, issue, scale}) == model_error{errc::malformed, "parameters", 3});
    CHECK(error({scale, {.name = "issue_cycles", .start = 0, .value = 1}}) ==
          model_error{errc::not_positive, "start", 2});
    CHECK(error({{.name = "issue_cycles", .start = 1, .value = infinite}}) ==
          model_error{errc::not_positive, "value", 1});
    CHECK(error({{.name = "issue_cycles", .start = 1e-300, .value = 1e300}}) ==
          model_error{errc::overflow, "issue_cycles", 1});
    CHECK(error({{.name = "issue_cycles", .start = 1e300, .value = 1e-300}}) ==
          model_error{errc::overflow, "issue_cycles", 1});
}

TEST_CASE("times too far apart for a factor between them are an error") {
    const auto short_time = [](const auto& d, const auto& k) {
        using real = std::remove_cvref_t<decltype(k.blocks)>;
        struct estimate {
            real seconds;
        };
        return result<estimate>(estimate{1e-8 / 4 * d.issue_cycles * k.threads_per_block});
    };
    std::vector<measurement> all(6);
    for (std::size_t n = 0; n < all.size(); ++n) {
        all[n] = {.profile = {.threads_per_block = double(1 + n)},
                  .seconds = 1e307 * (1 + double(n % 3)),
                  .kernel = kernels[n % 2]};
    }
    const std::array<fit_parameter, 1> issue{{{"issue_cycles", 1, 1e300}}};
    for (const bool scale : {true, false}) {
        CHECK(calibrate(short_time, gtx_280, all, issue, {.fit_scale = scale}).error() ==
              model_error{errc::overflow, "seconds"});
    }
    // As far as numbers go, a factor is found.
    for (measurement& m : all) m.seconds /= 1e10;
    const auto c = calibrate(short_time, gtx_280, all, {});
    REQUIRE(c);
    CHECK(c->scale > 1e303);
    CHECK(core::finite(c->scale));
    CHECK(core::finite(c->by_kernel.before));
}

TEST_CASE("what cannot be calibrated is an error") {
    auto all = launches(20);
    measure(mwp_cwp, gtx_280, all);
    const auto error = [&](const auto& measured, std::vector<fit_parameter> parameters,
                           const calibration_options& options = {}) {
        const auto c = calibrate(mwp_cwp, gtx_280, measured, parameters, options);
        return c ? model_error{} : c.error();
    };
    const fit_parameter issue{"issue_cycles", 1, 10};
    CHECK(error(all, {issue}) == model_error{});
    CHECK(error(all, {}) == model_error{});  // the scale alone
    CHECK(error(all, {}, {.fit_scale = false}) == model_error{errc::missing, "parameters"});
    CHECK(error(all, {{"issue", 1, 10}}) == model_error{errc::missing, "parameters", 1});
    CHECK(error(all, {{"scale", 1, 10}}) == model_error{errc::missing, "parameters", 1});
    CHECK(error(all, {issue, {"cpd_a", 1, 10}}) == model_error{errc::missing, "parameters", 2});
    CHECK(error(all, {issue, issue}) == model_error{errc::malformed, "parameters", 2});
    CHECK(error(all, {{"issue_cycles", 0, 10}}) == model_error{errc::not_positive, "least", 1});
    CHECK(error(all, {{"issue_cycles", 5, 4}}) == model_error{errc::outside_domain, "most", 1});
    CHECK(error(all, {{"issue_cycles", 1, std::nan("")}}) ==
          model_error{errc::outside_domain, "most", 1});
    CHECK(error(all, {{"issue_cycles", 1, std::numeric_limits<double>::infinity()}}) ==
          model_error{errc::outside_domain, "most", 1});
    auto none = edit(gtx_280);
    none.issue_cycles = 0;  // a figure, but of no logarithm
    CHECK(calibrate(mwp_cwp, none, all, std::array{issue}).error() ==
          model_error{errc::outside_domain, "issue_cycles", 1});
    CHECK(error(all, {{"issue_cycles", 5, 10}}) ==
          model_error{errc::outside_domain, "issue_cycles", 1});
    CHECK(error(all, {issue}, {.starts = 0}) == model_error{errc::outside_domain, "starts"});
    CHECK(error(all, {issue}, {.most_steps = 0}) ==
          model_error{errc::outside_domain, "most_steps"});
    CHECK(error(all, {issue}, {.secant = 1}) == model_error{errc::outside_domain, "secant"});
    CHECK(error(all, {issue}, {.rank_tolerance = 1}) ==
          model_error{errc::outside_domain, "rank_tolerance"});
    CHECK(error(std::vector(all.begin(), all.begin() + 2), {issue}) ==
          model_error{errc::missing, "measurements"});
    CHECK(error(std::vector(all.begin(), all.begin() + 3), {issue}) == model_error{});
    // Without a kernel, fewer are left than parameters.
    CHECK(error(std::vector(all.begin(), all.begin() + 6),
                std::vector<fit_parameter>(timing.begin(), timing.end())) == model_error{});
    CHECK(error(std::vector<measurement>{}, {issue}) == model_error{errc::missing, "measurements"});

    auto one_kernel = all;
    for (measurement& m : one_kernel) m.kernel = "one";
    CHECK(error(one_kernel, {issue}) == model_error{errc::missing, "kernel"});
    CHECK(error(one_kernel, {issue}, {.hold_out = false}) == model_error{});

    auto bad = all;
    bad[4].seconds = 0;
    CHECK(error(bad, {issue}) == model_error{errc::not_positive, "seconds", 5});
    bad = all;
    bad[6].profile.threads_per_block = -1;
    CHECK(error(bad, {issue}) == model_error{errc::not_positive, "threads_per_block", 7});
}

TEST_CASE("a search that is cut short says so") {
    auto all = launches(60);
    measure(mwp_cwp, true_gtx_280(), all, 1, 0.1);
    const auto c = calibrate(mwp_cwp, gtx_280, all, timing, {.starts = 1, .most_steps = 1});
    REQUIRE(c);
    CHECK_FALSE(c->converged);
    CHECK(c->after.rms_log < c->before.rms_log);
}

TEST_CASE("a model that has no prediction in part of the bounds is fitted in the rest") {
    auto all = launches(30);
    auto truth = edit(gtx_280);
    truth.issue_cycles = 6;
    measure(mwp_cwp, truth, all);
    const auto only_above_two = [](const auto& d, const auto& k) {
        using estimate = decltype(mwp_cwp(d, k));
        if (d.issue_cycles < 2) return estimate(model_error{errc::outside_domain, "issue_cycles"});
        return mwp_cwp(d, k);
    };
    const auto c = calibrate(only_above_two, gtx_280, all,
                             std::array{fit_parameter{"issue_cycles", 0.01, 100}});
    REQUIRE(c);
    CHECK(off(c->device.issue_cycles, 6) < 1e-6);
}
