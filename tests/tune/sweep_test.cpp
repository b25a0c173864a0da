// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <warpgauge/tune/rank.hpp>
#include <warpgauge/tune/sweep.hpp>
#include <warpgauge/warpgauge.hpp>

namespace sweep_test {

using namespace warpgauge;

namespace {

using gpu = devices::geforce_rtx_2070_super;

const std::vector<double> widths{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
const std::vector<double> heights{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
const std::vector<double> tiles{1, 2, 3, 4, 5, 6, 7, 8};
const std::array<axis, 3> axes{axis{"width", widths}, axis{"height", heights}, axis{"tile", tiles}};

constexpr kernel_profile<> common{.registers_per_thread = 40, .comp_insts = 100};

// A matrix of 1024 x 1024, a tile of elements for each thread.
const auto describe = [](auto p, auto& k) {
    using real = std::remove_cvref_t<decltype(p[0])>;
    const real threads = p[0] * p[1];
    k.threads_per_block = threads;
    k.blocks = core::ceil(real(real(1024.0) * 1024.0 / (threads * p[2])));
    k.comp_insts = real(20.0) + real(16.0) * p[2];
    k.coalesced_mem_insts = p[2] + 1.0;
    k.shared_bytes_per_block = real(64.0) * threads;
};

const auto broken = [](std::span<const double> p) -> std::string_view {
    if (p[0] * p[1] < 32) return "at least a warp";
    if (p[2] == 5) return "no tile of 5";
    return {};
};

const configurations all{axes, common, describe};
const configurations some{axes, common, describe, broken};
constexpr std::size_t count = 11 * 10 * 8;
constexpr mwp_cwp_model<gpu> mwp_cwp;

kernel_profile<> profile_of(std::size_t n) {
    std::array<double, 3> point{};
    all.point(n, point);
    kernel_profile<> k = common;
    describe(std::span<const double>(point), k);
    return k;
}

}  // namespace

TEST_CASE("a space of more configurations than a number holds has no times") {
    const std::vector<double> many(1U << 22);
    const std::array<axis, 3> far{axis{"width", many}, axis{"height", many}, axis{"tile", many}};
    const configurations too_many{far, common, describe};
    const auto size = too_many.size();
    REQUIRE_FALSE(size);
    CHECK(sweep(too_many, mwp_cwp).error() == size.error());
    std::vector<double> seconds(1);
    std::vector<model_error> errors(1);
    CHECK(sweep(too_many, mwp_cwp, {seconds, errors}).error() == size.error());
}

TEST_CASE("every configuration has the time that predict gives, or its error") {
    std::vector<double> seconds(count, -1);
    std::vector<model_error> errors(count);
    CHECK(*sweep(all, mwp_cwp, {seconds, errors}) == count);
    std::size_t good = 0;
    for (std::size_t n = 0; n < count; ++n) {
        CAPTURE(n);
        const auto e = mwp_cwp.predict(profile_of(n));
        if (e) {
            ++good;
            CHECK(!errors[n]);
            CHECK(seconds[n] == doctest::Approx(e->seconds).epsilon(1e-14));
        } else {
            CHECK(seconds[n] == 0);
            CHECK(errors[n] == e.error());
        }
    }
    CHECK(good > count / 2);
    CHECK(good < count);  // blocks of more than 1024 threads
}

TEST_CASE("what breaks a constraint names it, and the rest is as without") {
    std::vector<double> with(count, -1);
    std::vector<double> without(count, -1);
    std::vector<model_error> errors(count);
    REQUIRE(sweep(some, mwp_cwp, {with, errors}));
    REQUIRE(sweep(all, mwp_cwp, {without}));
    std::vector<double> unexplained(count, -1);
    REQUIRE(sweep(some, mwp_cwp, {unexplained}));
    CHECK(unexplained == with);
    std::array<double, 3> p{};
    for (std::size_t n = 0; n < count; ++n) {
        some.point(n, p);
        const std::string_view constraint = broken(p);
        if (constraint.empty()) {
            CHECK(with[n] == without[n]);  // to the bit, among other neighbours
            CHECK(!errors[n] == (with[n] > 0));
        } else {
            CHECK(with[n] == 0);
            CHECK(errors[n] == model_error{errc::broken_constraint, constraint});
        }
    }
}

TEST_CASE("parts of a space, in any order and on threads, are the same to the bit") {
    std::vector<double> fine(60'000);
    std::iota(fine.begin(), fine.end(), 1.0);
    const std::vector<double> two{128, 256};
    const std::array<axis, 2> long_axes{axis{"threads", two}, axis{"work", fine}};
    const configurations c{long_axes, common, [](auto p, auto& k) {
                               k.threads_per_block = p[0];
                               k.blocks = p[1];
                               k.coalesced_mem_insts = p[1] / 7.0;
                           }};
    std::vector<double> whole(120'000);
    REQUIRE(sweep(c, mwp_cwp, {whole}));

    std::vector<double> parts(whole.size());
    for (std::size_t at = 0; at < whole.size();) {
        const std::size_t size = std::min<std::size_t>(1 + at % 9'973, whole.size() - at);
        REQUIRE(sweep(c, mwp_cwp, {.seconds = std::span(parts).subspan(at, size), .first = at}));
        at += size;
    }
    CHECK(parts == whole);

    std::vector<double> threaded(whole.size());
    std::size_t tasks = 0;
    // region: executor
    const auto on_threads = [&](std::size_t count_of_tasks, const auto& task) {
        std::vector<std::jthread> threads;
        for (std::size_t n = 0; n < count_of_tasks; ++n) {
            threads.emplace_back([&task, n] { task(n); });
        }
        tasks = count_of_tasks;
    };
    REQUIRE(sweep(c, mwp_cwp, {.seconds = threaded}, on_threads));
    // endregion
    CHECK(threaded == whole);
    CHECK(tasks > 1);
}

TEST_CASE("models that take one profile at a time, and functions of one number type") {
    // Of the closed forms, that of the makespan counts in integers; this lambda takes doubles alone.
    const std::vector<double> warps{1, 2, 3, 4};
    const std::array<axis, 1> by_warps{axis{"warps", warps}};
    const configurations c{by_warps, kernel_profile<>{.blocks = 64, .coalesced_mem_insts = 3},
                           [](std::span<const double> p, kernel_profile<>& k) {
                               k.threads_per_block = p[0] > 2 ? 96 : 32 * p[0];
                               k.comp_insts = 10;
                           }};
    std::vector<double> seconds(4);
    REQUIRE(sweep(c, mwp_cwp, {seconds}));
    CHECK(seconds[2] == seconds[3]);
    CHECK(seconds[2] > seconds[0]);
    kernel_profile<> k = c.common;
    k.threads_per_block = 64;
    k.comp_insts = 10;
    CHECK(seconds[1] == mwp_cwp.predict(k)->seconds);
}

TEST_CASE("the whole space in one call") {
    const auto at_once = sweep(some, mwp_cwp);
    REQUIRE(at_once);
    std::vector<double> seconds(count);
    std::vector<model_error> errors(count);
    REQUIRE(sweep(some, mwp_cwp, {seconds, errors}));
    CHECK(at_once->seconds == seconds);
    CHECK(at_once->errors == errors);
    const std::array<axis, 1> empty{axis{"depth", {}}};
    CHECK(sweep(configurations{empty, common, describe}, mwp_cwp).error() ==
          model_error{errc::missing, "depth"});
}

TEST_CASE("a sweep into a ranking") {
    std::vector<double> seconds(count);
    std::vector<model_error> errors(count);
    REQUIRE(sweep(some, mwp_cwp, {seconds, errors}));
    const auto r = rank(seconds, errors, 1e-9);
    REQUIRE(r);
    CHECK(r->predicted() == static_cast<std::size_t>(std::count_if(
                                seconds.begin(), seconds.end(), [](double s) { return s > 0; })));
    CHECK(r->errors[0].field == "at least a warp");
    CHECK(rank(seconds, std::span(errors).first(3)).error().field == "errors");
    CHECK(rank(std::vector<double>{1, 0}, {})->errors[1].code == errc::not_positive);
}

TEST_CASE("spans that do not fit are errors") {
    std::vector<double> seconds(count + 1);
    std::vector<model_error> errors(3);
    CHECK(sweep(all, mwp_cwp, {seconds}).error() == model_error{errc::outside_domain, "seconds"});
    CHECK(sweep(all, mwp_cwp, {std::span(seconds).first(1), {}, count}).error().field == "seconds");
    CHECK(sweep(all, mwp_cwp, {std::span(seconds).first(0), {}, count + 1}).error().field ==
          "seconds");
    CHECK(*sweep(all, mwp_cwp, {std::span(seconds).first(0), {}, count}) == 0);
    CHECK(sweep(all, mwp_cwp, {std::span(seconds).first(5), errors}).error().field == "errors");
}

}  // namespace sweep_test
