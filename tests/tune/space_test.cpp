// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include <warpgauge/tune/space.hpp>

namespace space_test {

using namespace warpgauge;

namespace {

const std::vector<double> widths{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
const std::vector<double> heights{1, 2, 3, 4, 6, 8, 12, 16, 24, 32};
const std::vector<double> tiles{1, 2, 3, 4, 5, 6, 7, 8};
const std::array<axis, 3> axes{axis{"width", widths}, axis{"height", heights}, axis{"tile", tiles}};

constexpr kernel_profile<> common{.registers_per_thread = 40};
constexpr auto describe = [](auto p, auto& k) { k.threads_per_block = p[0] * p[1]; };

const configurations all{axes, common, describe};
constexpr std::size_t count = 11 * 10 * 8;

}  // namespace

TEST_CASE("configurations are numbered with the last axis fastest") {
    CHECK(*all.size() == count);
    std::array<double, 3> p{};
    all.point(0, p);
    CHECK(p == std::array<double, 3>{1, 1, 1});
    all.point(7, p);
    CHECK(p == std::array<double, 3>{1, 1, 8});
    all.point(8, p);
    CHECK(p == std::array<double, 3>{1, 2, 1});
    all.point(count - 1, p);
    CHECK(p == std::array<double, 3>{1024, 32, 8});
}

TEST_CASE("a space without axes, without values, or too large has no size") {
    const std::array<axis, 1> nameless{axis{}};
    CHECK(configurations{nameless, common, describe}.size().error() ==
          model_error{errc::missing, "axes"});
    const std::vector<double> none;
    const std::array<axis, 2> hollow{axis{"width", widths}, axis{"depth", none}};
    CHECK(configurations{hollow, common, describe}.size().error() ==
          model_error{errc::missing, "depth"});
    CHECK(configurations{std::span<const axis>{}, common, describe}.size().error().field == "axes");
    const std::vector<axis> many(17, axes[0]);
    CHECK(configurations{many, common, describe}.size().error().code == errc::limit_reached);
    const std::vector<axis> vast(16, axes[0]);  // 11^16 > 2^53
    CHECK(configurations{vast, common, describe}.size().error().code == errc::limit_reached);
}

}  // namespace space_test
