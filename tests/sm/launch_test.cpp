// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/device/sm_limits.hpp>
#include <warpgauge/sm/launch.hpp>

namespace launch_test {

using namespace warpgauge;

namespace {

// Hong & Kim 2009, fig. 12 and tbl. 2: 16 SMs.
struct chip {
    static constexpr double sm_count = 16, warp_size = 32;
};
struct volta : sm_limits_of<7, 0> {
    static constexpr double sm_count = 80;
};
struct with_transactions : chip {
    static constexpr double dram_transaction_bytes = 32;
};

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr kernel_profile<> fig_12{
    .blocks = 80, .threads_per_block = 128, .active_blocks_per_sm = 5, .bytes_per_access = 4};

}  // namespace

TEST_CASE("resident blocks are the profile's, or by occupancy") {
    CHECK(*resident_blocks(fig_12, chip{}) == 5);
    CHECK(*resident_blocks(fig_12, volta{}) == 5);
    // CUDA C Best Practices Guide, "Calculating Occupancy": 12 blocks of 128 threads with 37 registers.
    constexpr kernel_profile<> k{.threads_per_block = 128, .registers_per_thread = 37};
    CHECK(*resident_blocks(k, volta{}) == 12);
    CHECK(resident_blocks(k, chip{}).error() == model_error{errc::missing, "active_blocks_per_sm"});
    constexpr kernel_profile<> too_large{.threads_per_block = 2048};
    CHECK(resident_blocks(too_large, volta{}).error() == occupancy(too_large, volta{}).error());
}

TEST_CASE("a given number of resident blocks that is too small to count is an error") {
    kernel_profile<> k{.blocks = 4, .threads_per_block = 32, .active_blocks_per_sm = 1e-11};
    CHECK(resident_blocks(k, chip{}).error() ==
          model_error{errc::overflow, "active_blocks_per_sm"});
    k.active_blocks_per_sm = 1e-10;
    CHECK(*resident_blocks(k, chip{}) == 1e-10);
}

TEST_CASE("each lane has its own resident blocks") {
    using pack = lanes<2>;
    kernel_profile<pack> k{.threads_per_block = 128.0, .registers_per_thread = 37.0};
    k.active_blocks_per_sm.values[1] = 3;
    const auto r = resident_blocks(k, volta{});
    REQUIRE(r);
    CHECK(r->values[0] == 12);
    CHECK(r->values[1] == 3);
}

TEST_CASE("a launch that fills its device (Hong & Kim 2009, tbl. 2)") {
    for (const equation_form form : {equation_form::corrected, equation_form::as_published}) {
        const auto l = spread(fig_12, chip{}, 5.0, form, waves::quotient);
        CHECK(l.active_sms == 16);
        CHECK(l.warps_per_block == 4);
        CHECK(l.resident_blocks_per_sm == 5);
        CHECK(l.active_blocks_per_sm == 5);
        CHECK(l.active_warps_per_sm == 20);  // N
        CHECK(l.rounds == 1);
    }
}

TEST_CASE("a launch of fewer blocks than SMs, with a part of a warp (H7)") {
    constexpr kernel_profile<> k{.blocks = 6, .threads_per_block = 100};
    const auto corrected = spread(k, chip{}, 8.0, equation_form::corrected, waves::quotient);
    CHECK(corrected.active_sms == 6);
    CHECK(corrected.warps_per_block == 4);
    CHECK(corrected.resident_blocks_per_sm == 8);
    CHECK(corrected.active_blocks_per_sm == 1);
    CHECK(corrected.active_warps_per_sm == 4);
    CHECK(corrected.rounds == 1);
    const auto published = spread(k, chip{}, 8.0, equation_form::as_published, waves::quotient);
    CHECK(published.active_sms == 16);
    CHECK(published.warps_per_block == 3.125);
    CHECK(published.active_blocks_per_sm == 8);
    CHECK(published.active_warps_per_sm == 25);
    CHECK(published.rounds == 6.0 / 128);
}

TEST_CASE("the last round counts by its part, or as a whole one (H6)") {
    constexpr kernel_profile<> k{.blocks = 200, .threads_per_block = 32};
    CHECK(spread(k, chip{}, 5.0, equation_form::corrected, waves::quotient).rounds == 2.5);
    CHECK(spread(k, chip{}, 5.0, equation_form::corrected, waves::whole).rounds == 3);
    CHECK(spread(k, chip{}, 5.0, equation_form::as_published, waves::whole).rounds == 3);
}

TEST_CASE("bytes of a memory instruction of a warp (tbl. 1, line 21; H8)") {
    kernel_profile<> k = fig_12;
    k.transactions_per_uncoalesced = 12;
    CHECK(load_bytes_per_warp(k, chip{}, 0.0) == 128);
    CHECK(load_bytes_per_warp(k, chip{}, 1.0) == 128);  // the size of a transaction is not known
    CHECK(load_bytes_per_warp(k, with_transactions{}, 0.0) == 128);
    CHECK(load_bytes_per_warp(k, with_transactions{}, 1.0) == 12 * 32);
    CHECK(load_bytes_per_warp(k, with_transactions{}, 0.25) == 0.25 * 384 + 0.75 * 128);
}

TEST_CASE("a launch in whole numbers") {
    constexpr kernel_profile<> k{
        .blocks = 1e15, .threads_per_block = 100, .active_blocks_per_sm = 5};
    constexpr auto l = count_launch(k, chip{});
    static_assert(l);
    CHECK(l->blocks == 1'000'000'000'000'000);
    CHECK(l->threads_per_block == 100);
    CHECK(l->warps_per_block == 4);
    CHECK(l->resident_blocks_per_sm == 5);
    CHECK(l->sm_count == 16);
    constexpr kernel_profile<> by_occupancy{
        .blocks = 1, .threads_per_block = 128, .registers_per_thread = 37};
    CHECK(count_launch(by_occupancy, volta{})->resident_blocks_per_sm == 12);
    for (const double warps : {1.0, 4.0}) {  // whole ones, and one thread of another
        kernel_profile<> whole = fig_12;
        whole.threads_per_block = 32 * warps;
        CHECK(static_cast<double>(count_launch(whole, chip{})->warps_per_block) == warps);
        whole.threads_per_block += 1;
        CHECK(static_cast<double>(count_launch(whole, chip{})->warps_per_block) == warps + 1);
    }
}

TEST_CASE("a launch that is not in whole numbers is an error") {
    const auto error = [](auto change) {
        kernel_profile<> k = fig_12;
        change(k);
        const auto l = count_launch(k, chip{});
        REQUIRE_FALSE(l);
        return l.error();
    };
    using profile = kernel_profile<>;
    CHECK(error([](profile& k) { k.blocks = 0; }) == model_error{errc::not_positive, "blocks"});
    CHECK(error([](profile& k) { k.blocks = nan; }) == model_error{errc::not_positive, "blocks"});
    CHECK(error([](profile& k) { k.blocks = 1.5; }) == model_error{errc::not_whole, "blocks"});
    CHECK(error([](profile& k) { k.blocks = 1e16; }) == model_error{errc::overflow, "blocks"});
    CHECK(error([](profile& k) { k.threads_per_block = 0.5; }) ==
          model_error{errc::not_whole, "threads_per_block"});
    CHECK(error([](profile& k) { k.active_blocks_per_sm = -1; }) ==
          model_error{errc::negative, "active_blocks_per_sm"});
    CHECK(error([](profile& k) { k.active_blocks_per_sm = nan; }) ==
          model_error{errc::negative, "active_blocks_per_sm"});
    CHECK(error([](profile& k) { k.active_blocks_per_sm = 2.5; }) ==
          model_error{errc::not_whole, "active_blocks_per_sm"});
    CHECK(error([](profile& k) { k.active_blocks_per_sm = 0; }) ==
          model_error{errc::missing, "active_blocks_per_sm"});
    struct {
        double sm_count = 2.5, warp_size = 32;
    } const half_an_sm;
    CHECK(count_launch(fig_12, half_an_sm).error() == model_error{errc::not_whole, "sm_count"});
    struct {
        double sm_count = 1, warp_size = 0;
    } const no_warp;
    CHECK(count_launch(fig_12, no_warp).error() == model_error{errc::not_positive, "warp_size"});
}

TEST_CASE("whole numbers up to those that a double counts exactly") {
    static_assert(*whole_number(1, "n") == 1);
    CHECK(*whole_number(max_exact_integer, "n") == std::uint64_t{1} << 53);
    CHECK(whole_number(max_exact_integer * 2, "n").error() == model_error{errc::overflow, "n"});
    CHECK(whole_number(0, "n").error() == model_error{errc::not_positive, "n"});
    CHECK(whole_number(2.5, "n").error() == model_error{errc::not_whole, "n"});
}

TEST_CASE("whole blocks spread over SMs and rounds") {
    constexpr whole_launch l{.blocks = 100,
                             .threads_per_block = 64,
                             .warps_per_block = 2,
                             .resident_blocks_per_sm = 4,
                             .sm_count = 8};
    static_assert(l.max_blocks_per_sm() == 13);
    static_assert(l.active_sms() == 8);
    static_assert(l.sms_with_max_blocks() == 4);
    static_assert(l.active_blocks_per_sm() == 4);
    static_assert(l.workloads() == 25);
    static_assert(l.whole_rounds() == 4);
    static_assert(l.partial_rounds() == 100.0 / 32);
    whole_launch few = l;
    few.blocks = 3;
    CHECK(few.active_sms() == 3);
    CHECK(few.sms_with_max_blocks() == 3);
    few.blocks = 8;
    CHECK(few.max_blocks_per_sm() == 1);
    CHECK(few.whole_rounds() == 1);
    few.blocks = 9;
    CHECK(few.sms_with_max_blocks() == 1);
    CHECK(few.max_blocks_per_sm() == 2);
    CHECK(few.active_blocks_per_sm() == 2);
    CHECK(few.workloads() == 5);
    CHECK(few.whole_rounds() == 1);
    CHECK(few.partial_rounds() == 9 / 16.0);
}

}  // namespace launch_test
