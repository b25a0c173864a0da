// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <vector>

#include <warpgauge/devices/geforce_rtx_2070_super.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/tune/batch.hpp>

namespace batch_test {

using namespace warpgauge;

namespace {

constexpr kernel_profile<> common{.registers_per_thread = 40, .comp_insts = 100};
constexpr mwp_cwp_model<devices::geforce_rtx_2070_super> mwp_cwp;

}  // namespace

TEST_CASE("a batch column by column") {
    const std::array<double, 5> threads{128, 256, 5000, 512, 64};
    const std::array<double, 5> blocks{100, 200, 300, std::numeric_limits<double>::quiet_NaN(),
                                       400};
    const std::array<std::span<const double>, 2> columns{threads, blocks};
    const auto set = [](auto p, auto& k) {
        k.threads_per_block = p[0];
        k.blocks = p[1];
    };
    std::array<double, 5> seconds{};
    std::array<model_error, 5> errors{};
    CHECK(*predict_batch(described{common, set}, mwp_cwp, columns, seconds, errors) == 3);
    for (std::size_t n : {0U, 1U, 4U}) {
        kernel_profile<> k = common;
        k.threads_per_block = threads[n];
        k.blocks = blocks[n];
        CHECK(seconds[n] == doctest::Approx(mwp_cwp.predict(k)->seconds).epsilon(1e-14));
        CHECK(!errors[n]);
    }
    CHECK(seconds[2] == 0);
    CHECK(errors[2] == model_error{errc::exceeds_device, "threads_per_block"});
    CHECK(errors[3] == model_error{errc::not_positive, "blocks"});
    CHECK(*predict_batch(described{common, set}, mwp_cwp, {}, {}) == 0);
}

TEST_CASE("a batch through a space reads what its points mean, not its axes") {
    const std::array<double, 3> threads{128, 256, 512};
    const std::array<std::span<const double>, 1> columns{threads};
    const auto set = [](auto p, auto& k) {
        k.threads_per_block = p[0];
        k.blocks = 4096;
    };
    const std::array<double, 1> other{32};
    const std::array<axis, 1> axes{axis{"threads", other}};
    std::array<double, 3> by_space{};
    std::array<double, 3> by_meaning{};
    CHECK(*predict_batch(configurations{axes, common, set}, mwp_cwp, columns, by_space) == 3);
    CHECK(*predict_batch(described{common, set}, mwp_cwp, columns, by_meaning) == 3);
    CHECK(by_space == by_meaning);
    CHECK(by_space[0] != by_space[2]);
}

TEST_CASE("a model that fails without a reason is still an error") {
    struct timed {
        double seconds{};
    };
    struct refuses {
        result<timed> predict(const kernel_profile<>&) const { return model_error{}; }
    };
    const std::array<double, 3> values{1, 2, 3};
    const std::array<std::span<const double>, 1> columns{values};
    std::array<double, 3> seconds{};
    std::array<model_error, 3> errors{};
    const auto blocks = [](auto p, auto& k) { k.blocks = p[0]; };
    CHECK(*predict_batch(described{kernel_profile<>{}, blocks}, refuses{}, columns, seconds,
                         errors) == 0);
    for (const model_error& e : errors) CHECK(e == model_error{errc::missing, "profile"});
}

TEST_CASE("a column that is too short is named, and nothing is read past its end") {
    const std::array<double, 3> blocks{1, 2, 3};
    const std::array<double, 2> threads{64, 128};
    const std::array<std::span<const double>, 2> columns{blocks, threads};
    const auto set = [](auto p, auto& k) {
        k.blocks = p[0];
        k.threads_per_block = p[1];
    };
    const described space{common, set};
    std::array<double, 3> seconds{-1, -1, -1};
    const auto short_column = predict_batch(space, mwp_cwp, columns, seconds);
    REQUIRE(!short_column);
    CHECK(short_column.error() == model_error{errc::missing, "columns", 2});
    CHECK(seconds[0] == -1);

    std::array<model_error, 1> errors{};
    const std::span<double> two(seconds.data(), 2);
    CHECK(predict_batch(space, mwp_cwp, columns, two, errors).error() ==
          model_error{errc::missing, "errors"});
    CHECK(*predict_batch(space, mwp_cwp, columns, two) == 2);

    const std::vector<std::span<const double>> many(max_columns + 1,
                                                    std::span<const double>(blocks));
    CHECK(predict_batch(space, mwp_cwp, many, seconds).error() ==
          model_error{errc::limit_reached, "columns"});
}

}  // namespace batch_test
