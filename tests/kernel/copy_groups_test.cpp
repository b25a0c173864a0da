// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/kernel/copy_groups.hpp>

namespace copy_groups_test {

using namespace warpgauge;

namespace {

constexpr instruction copy{.unit = unit_kind::global_memory, .async = async_step::copy};
constexpr instruction bulk{.unit = unit_kind::global_memory, .async = async_step::bulk};
constexpr instruction commit{.async = async_step::commit};
constexpr instruction wait_all{.async = async_step::wait_all};
constexpr instruction wait(int groups_left) {
    return {.async = async_step::wait, .groups_left = static_cast<std::uint8_t>(groups_left)};
}

}  // namespace

TEST_CASE("a wait is for all but the newest groups, from the oldest on") {
    copy_groups<double> groups;
    CHECK(groups.awaited(wait(0)) == 0);
    CHECK(groups.awaited(wait_all) == 0);
    groups.execute(copy, 10);
    groups.execute(copy, 30);
    CHECK(groups.awaited(wait(0)) == 0);  // their group is open
    CHECK(groups.awaited(wait_all) == 30);
    groups.execute(commit, 0);
    groups.execute(copy, 20);
    groups.execute(commit, 0);
    CHECK(groups.awaited(wait(0)) == 30);  // of both groups
    CHECK(groups.awaited(wait(1)) == 30);
    CHECK(groups.awaited(wait(2)) == 0);
    groups.execute(bulk, 50);
    CHECK(groups.awaited(wait(0)) == 50);
    CHECK(groups.awaited(wait(1)) == 30);
    CHECK(groups.awaited(copy) == 0);
}

TEST_CASE("products have groups of their own") {
    constexpr instruction product{.unit = unit_kind::tensor, .async = async_step::block_product};
    constexpr instruction close{.async = async_step::commit_products};
    constexpr instruction wait_products{.async = async_step::wait_products};
    copy_groups<double> groups;
    groups.execute(product, 70);
    groups.execute(copy, 10);
    groups.execute(commit, 0);
    CHECK(groups.awaited(wait(0)) == 10);
    CHECK(groups.awaited(wait_products) == 0);
    groups.execute(close, 0);
    groups.execute(product, 80);
    CHECK(groups.awaited(wait_products) == 70);
    CHECK(groups.awaited(wait_all) == 10);
    groups.execute(close, 0);
    CHECK(groups.awaited(wait_products) == 80);
    CHECK(groups.awaited({.async = async_step::wait_products, .groups_left = 1}) == 70);
}

TEST_CASE("as many groups are kept as a wait can leave") {
    copy_groups<int> groups;
    for (int n = 1; n <= 200; ++n) groups.execute(bulk, n);
    for (int left = 0; left <= max_groups_left; ++left) {
        CHECK(groups.awaited(wait(left)) == 200 - left);
    }
}

}  // namespace copy_groups_test
