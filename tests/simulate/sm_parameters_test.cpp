// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sm_parameters.hpp>

#include "plain_sm.hpp"

namespace sm_parameters_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr sm_parameters plain = plain_sm({0, 32, 16, 4, 8});

}  // namespace

TEST_CASE("each instruction has its unit and its latency") {
    struct {
        unit_kind kind;
        std::size_t unit;
        double latency;
    } const rows[] = {{unit_kind::integer, 1, 5},
                      {unit_kind::branch, 1, 5},
                      {unit_kind::single_precision, 1, 7},
                      {unit_kind::double_precision, 2, 11},
                      {unit_kind::special_function, 3, 13},
                      {unit_kind::shared_memory, 4, 17},
                      {unit_kind::l1_cache, 4, 19},
                      {unit_kind::l2_cache, 4, 101},
                      {unit_kind::global_memory, 4, 400},
                      {unit_kind::tensor, 5, 23},
                      {unit_kind::barrier, sm_unit_count, 1}};
    for (const auto& r : rows) {
        CAPTURE(static_cast<int>(r.kind));
        CHECK(unit_of(r.kind, plain) == r.unit);
        CHECK(latency_of(r.kind, plain) == r.latency);
    }
    sm_parameters own = plain;
    own.lanes[0] = 16;  // integers have lanes of their own
    CHECK(unit_of(unit_kind::integer, own) == 0);
    CHECK(unit_of(unit_kind::branch, own) == 0);
}

TEST_CASE("a class with a rate takes the lanes of its unit for longer, never for less") {
    constexpr double warp = 32 * static_cast<double>(parts_of_thread);
    sm_parameters p = plain;  // 32 CUDA cores, which execute integers
    const instruction product{.unit = unit_kind::integer, .op = operation::mul};
    const auto work = [&](const instruction& i) { return unit_work(i, unit_of(i, p), p) / warp; };
    CHECK(work(product) == 1);
    p.rates.integer_products = 8;
    CHECK(unit_of(product, p) == 1);
    CHECK(work(product) == 4);
    CHECK(work({.unit = unit_kind::integer, .op = operation::add}) == 1);
    CHECK(work({.unit = unit_kind::single_precision, .op = operation::mul}) == 1);
    p.rates.integer_products = 32.0 / 3;
    CHECK(work(product) == 3);
    p.rates.integer_products = 64;  // the lanes have no more than 32
    CHECK(work(product) == 1);
    // To the nearest part of a thread.
    p.rates.integer_products = 15;
    CHECK(work(product) * warp == 4369);  // of 4369.07
    // The rate is the SM's, and so is the number of lanes.
    p.sub_cores = 4;
    p.rates.integer_products = 8;
    CHECK(work(product) == 4);
}

TEST_CASE("bit counts and conversions are special functions where these have lanes for them") {
    constexpr std::size_t own = 1, twofold = 2, special = 3;
    sm_parameters p = plain;  // 32 CUDA cores, 16 lanes of double precision, 4 of special functions
    const auto check = [&](operation op, std::size_t unit, double latency, double cycles) {
        CAPTURE(static_cast<int>(op));
        const instruction i{.unit = unit_kind::integer, .op = op};
        CHECK(unit_of(i, p) == unit);
        CHECK(latency_of(i, p, {}) == latency);
        CHECK(unit_work(i, unit, p) / p.lanes[unit] / parts_of_thread == cycles);
        CHECK(unknown_parameter(i, p, {}).empty());
    };
    for (const operation op :
         {operation::count_bits, operation::convert, operation::convert_wide}) {
        check(op, own, 5, 1);  // as long as nothing is known
    }
    p.rates = {.bit_counts = 4, .conversions = 2, .wide_conversions = 4};
    check(operation::count_bits, special, 13, 8);
    check(operation::convert, special, 13, 16);
    check(operation::convert_wide, special, 13, 8);
    p.rates = {.bit_counts = 8, .conversions = 8, .wide_conversions = 8};
    check(operation::count_bits, own, 5, 4);
    check(operation::convert, own, 5, 4);
    check(operation::convert_wide, twofold, 11, 4);
    // Fewer lanes of double precision than of special functions.
    p.lanes[twofold] = 2;
    p.rates.wide_conversions = 2;
    check(operation::convert_wide, twofold, 11, 16);
    p.double_precision_latency_cycles = 0;  // not known
    check(operation::convert_wide, special, 13, 16);
    p.special_function_latency_cycles = 0;
    check(operation::convert_wide, own, 5, 16);
}

TEST_CASE("comparisons of single precision are of integers where these have lanes for them") {
    sm_parameters p = plain;
    const instruction least{.unit = unit_kind::single_precision, .op = operation::min};
    CHECK(unit_of(least, p) == 1);
    p.rates.comparisons = 16;
    CHECK(unit_of(least, p) == 1);
    CHECK(unit_work(least, 1, p) == 2 * 32 * parts_of_thread);
    p.lanes[0] = 16;
    CHECK(unit_of(least, p) == 0);
    CHECK(latency_of(least, p, {}) == p.integer_latency_cycles);
    CHECK(unit_work(least, 0, p) == 32 * parts_of_thread);
    p.rates = {};
    CHECK(unit_of(least, p) == 1);
    CHECK(latency_of(least, p, {}) == p.single_precision_latency_cycles);
    CHECK_FALSE(check_sm(p));
    p.rates.comparisons = -1;
    CHECK(check_sm(p) == model_error{errc::negative, "comparisons_per_cycle"});
}

TEST_CASE("bytes of an access: of the warp's threads, or of its transactions") {
    constexpr instruction coalesced{.unit = unit_kind::global_memory, .bytes = 8};
    constexpr instruction scattered{
        .unit = unit_kind::global_memory, .bytes = 8, .transactions = 5};
    static_assert(bytes_of(coalesced, plain) == 32 * 8);
    static_assert(bytes_of(scattered, plain) == 5 * 32);
}

TEST_CASE("parameters within their bounds") {
    CHECK_FALSE(check_sm(plain));
    sm_parameters p = plain;
    p.lanes[4] = 4097;
    CHECK(check_sm(p) == model_error{errc::overflow, "load_store_units"});
    p = plain;
    p.lanes[2] = 0.5;
    CHECK(check_sm(p) == model_error{errc::not_whole, "double_precision_units"});
    p = plain;
    p.warp_size = 0;
    CHECK(check_sm(p) == model_error{errc::outside_domain, "warp_size"});
    p = plain;
    p.l2_latency_cycles = 65'537;
    CHECK(check_sm(p) == model_error{errc::overflow, "l2_latency_cycles"});
    p.l2_latency_cycles = 65'536;
    CHECK_FALSE(check_sm(p));
    p.dram_bytes_per_cycle = 0;
    CHECK(check_sm(p) == model_error{errc::not_positive, "dram_bytes_per_cycle"});
    p = plain;
    p.l1_bytes_per_cycle = 0.5;  // 0 would be: not known
    CHECK(check_sm(p) == model_error{errc::outside_domain, "l1_bytes_per_cycle"});
    p.l1_bytes_per_cycle = 1;
    p.l2_bytes_per_cycle = 2e12;
    CHECK(check_sm(p) == model_error{errc::overflow, "l2_bytes_per_cycle"});
}

TEST_CASE("work of a unit: the warp, each part of an access, or the bytes of a port") {
    constexpr double warp = 32 * static_cast<double>(parts_of_thread);
    const auto work = [](const instruction& i, const sm_parameters& p) {
        return unit_work(i, unit_of(i.unit, p), p) / warp;
    };
    sm_parameters p = plain;  // 8 load/store lanes
    const instruction conflict{.unit = unit_kind::shared_memory, .transactions = 3};
    CHECK(work({.unit = unit_kind::single_precision, .transactions = 3}, p) == 1);
    CHECK(work(conflict, p) == 3);
    CHECK(later_cycles(conflict, 4, p) == 2 * 4);
    p.shared_bytes_per_cycle = 48;  // a row of 128 B in 8/3 cycles, a warp of lanes in 4
    CHECK(work(conflict, p) == 2);
    CHECK(shared_bytes_of(conflict, p) == 3 * 128);
    CHECK(work({.unit = unit_kind::shared_memory, .bytes = 16}, p) ==
          doctest::Approx(8 / 3.0).epsilon(1e-3));
    p.l1_bytes_per_cycle = 16;
    CHECK(work({.unit = unit_kind::l1_cache}, p) == 2);
    CHECK(work({.unit = unit_kind::global_memory}, p) == 2);  // it passes L1 as well
    CHECK(l2_bytes_of({.unit = unit_kind::global_memory}, p, level_of(0, p)) == 0);
    p.l2_bytes_per_cycle = 16;
    CHECK(l2_bytes_of({.unit = unit_kind::global_memory}, p, level_of(0, p)) == 128);
    CHECK(l2_bytes_of({.unit = unit_kind::l1_cache}, p, level_of(0, p)) == 0);
    p.beyond_l1_fraction = 0.5;
    p.from_dram_fraction = 0.25;
    CHECK(l2_bytes_of({.unit = unit_kind::global_memory}, p, level_of(0, p)) == 64);
    CHECK(dram_bytes_of({.unit = unit_kind::global_memory}, p, level_of(0, p)) == 32);
    CHECK(l2_bytes_of({.unit = unit_kind::l2_cache}, p, level_of(0, p)) == 128);
    CHECK(dram_bytes_of({.unit = unit_kind::l2_cache}, p, level_of(0, p)) == 0);
}

TEST_CASE("each line that L1 looks up takes a row of it, where its rate is known") {
    constexpr double warp = 32 * static_cast<double>(parts_of_thread);
    sm_parameters p = plain;  // 8 load/store lanes
    const auto work = [&](const instruction& i) { return unit_work(i, 4, p) / warp; };
    const instruction scattered{.unit = unit_kind::global_memory, .transactions = 4, .lines = 4};
    const instruction together{.unit = unit_kind::global_memory, .transactions = 4, .lines = 1};
    CHECK(work(scattered) == 4);  // transactions take the lanes
    CHECK(work(together) == 4);
    p.l1_bytes_per_cycle = 64;  // a row in 2 cycles, a warp of lanes in 4
    CHECK(l1_bytes_of(scattered, p) == 4 * 128);
    CHECK(l1_bytes_of(together, p) == 128);
    CHECK(l1_bytes_of({.unit = unit_kind::global_memory, .bytes = 16, .lines = 1}, p) == 512);
    CHECK(work(scattered) == 2);
    CHECK(later_cycles(scattered, 4, p) == 6);
    CHECK(work(together) == 1);
    CHECK(later_cycles(together, 4, p) == 0);
    const instruction unknown{.unit = unit_kind::global_memory, .transactions = 4};
    CHECK(work(unknown) == 4);
    p.shared_bytes_per_cycle = 64;
    CHECK(work({.unit = unit_kind::l1_cache, .lines = 4}) == 2);
    // L2 and DRAM move sectors.
    p.l2_bytes_per_cycle = 64;
    CHECK(l2_bytes_of(scattered, p, level_of(0, p)) == 128);
    CHECK(dram_bytes_of(scattered, p, level_of(0, p)) == 128);
}

TEST_CASE("blocks that an SM can hold") {
    static_assert(!check_residency({.blocks = 64, .warps_per_block = 64}));
    CHECK(check_residency({.blocks = 65, .warps_per_block = 64}) ==
          model_error{errc::limit_reached, "blocks"});
    CHECK(check_residency({.blocks = 0, .warps_per_block = 1}).field == "blocks");
    CHECK(check_residency({.blocks = 1, .warps_per_block = 0}).field == "warps_per_block");
    CHECK(check_residency({.blocks = 1, .warps_per_block = 4097}).code == errc::limit_reached);
    CHECK(check_residency({1, 1, max_simulated_cycles + 1}).field == "start_cycle");
}

TEST_CASE("an instruction without a unit, or an access without bytes") {
    constexpr std::array function{loop(1, 2), instruction{.unit = unit_kind::special_function}};
    CHECK_FALSE(check_units(function, plain));
    sm_parameters p = plain;
    p.lanes[3] = 0;
    CHECK(check_units(function, p) == model_error{errc::missing, "special_function_units", 2});
    constexpr std::array none{instruction{.unit = unit_kind::global_memory, .bytes = 0}};
    CHECK(check_units(none, plain) == model_error{errc::malformed, "instructions", 1});
    constexpr std::array parts{instruction{.unit = unit_kind::global_memory, .transactions = 2}};
    CHECK_FALSE(check_units(parts, plain));
    p = plain;
    p.dram_transaction_bytes = 0;
    CHECK(check_units(parts, p) == model_error{errc::missing, "dram_transaction_bytes", 1});
}

TEST_CASE("a product without tensor cores, without their latency, or of unknown size is missing") {
    constexpr std::array product{instruction{.unit = unit_kind::tensor, .tensor_fmas = 4096}};
    constexpr std::array unknown{instruction{.unit = unit_kind::tensor}};
    sm_parameters p = plain;
    CHECK(check_units(product, p) == model_error{errc::missing, "tensor_fma_per_cycle", 1});
    p.lanes[5] = 512;
    CHECK_FALSE(check_units(product, p));
    CHECK(check_units(unknown, p) == model_error{errc::missing, "tensor_fmas", 1});
    CHECK(unit_work(product[0], 5, p) == 4096.0 * parts_of_thread);
    p.tensor_latency_cycles = 0;
    CHECK(check_units(product, p) == model_error{errc::missing, "tensor_latency_cycles", 1});
    p.lanes[5] = 65'537;
    CHECK(check_sm(p) == model_error{errc::overflow, "tensor_fma_per_cycle"});
}

TEST_CASE("asynchronous copies need an SM that has them, and copies in bulk one that has those") {
    sm_parameters p = plain;
    const std::vector<instruction> copy{
        {.unit = unit_kind::integer},
        {.unit = unit_kind::global_memory, .async = async_step::copy}};
    const std::vector<instruction> wait{{.async = async_step::wait_all}};
    const std::vector<instruction> bulk{
        {.unit = unit_kind::global_memory, .async = async_step::bulk}};
    CHECK(check_units(copy, p) == model_error{errc::missing, "async_copies", 2});
    CHECK(check_units(wait, p) == model_error{errc::missing, "async_copies", 1});
    p.async_copies = true;
    CHECK_FALSE(check_units(copy, p));
    CHECK_FALSE(check_units(wait, p));
    CHECK(check_units(bulk, p) == model_error{errc::missing, "bulk_copies", 1});
    p.bulk_copies = true;
    CHECK_FALSE(check_units(bulk, p));
}

TEST_CASE("asynchronous products need tensor cores alone") {
    sm_parameters p = plain;
    p.lanes[5] = 1024;
    p.tensor_latency_cycles = 24;
    const std::vector<instruction> products{
        {.unit = unit_kind::tensor, .async = async_step::block_product, .tensor_fmas = 1},
        {.async = async_step::commit_products},
        {.async = async_step::wait_products}};
    CHECK_FALSE(check_units(products, p));
    CHECK(block_product_cycles(products[0], p) == 24);
    CHECK(block_product_cycles({.sharing_warps = 8, .tensor_fmas = 65'536}, p) == 512);
    p.tensor_latency_cycles = 0;
    CHECK(check_units(products, p) == model_error{errc::missing, "tensor_latency_cycles", 1});
}

TEST_CASE("a latency that is not known is missing where an instruction needs it") {
    struct row {
        unit_kind kind;
        double sm_parameters::*latency;
        std::string_view field;
    };
    const row rows[]{
        {unit_kind::double_precision, &sm_parameters::double_precision_latency_cycles,
         "double_precision_latency_cycles"},
        {unit_kind::special_function, &sm_parameters::special_function_latency_cycles,
         "special_function_latency_cycles"},
        {unit_kind::shared_memory, &sm_parameters::shared_latency_cycles, "shared_latency_cycles"},
        {unit_kind::l1_cache, &sm_parameters::l1_latency_cycles, "l1_latency_cycles"},
        {unit_kind::l2_cache, &sm_parameters::l2_latency_cycles, "l2_latency_cycles"},
        {unit_kind::global_memory, &sm_parameters::dram_latency_cycles, "dram_latency_cycles"}};
    for (const row& r : rows) {
        CAPTURE(r.field);
        sm_parameters p = plain;
        p.*r.latency = 0;
        CHECK_FALSE(check_sm(p));
        for (const row& used : rows) {
            const std::array stream{loop(1, 2), instruction{.unit = used.kind}};
            CHECK(check_units(stream, p) ==
                  (used.kind == r.kind ? model_error{errc::missing, r.field, 2} : model_error{}));
        }
    }
}

TEST_CASE("every latency has the name that a device has for it") {
    using detail::simulate::latency_field;
    CHECK(latency_field(unit_kind::integer) == "integer_latency_cycles");
    CHECK(latency_field(unit_kind::branch) == "integer_latency_cycles");
    CHECK(latency_field(unit_kind::single_precision) == "single_precision_latency_cycles");
    CHECK(latency_field(unit_kind::global_memory) == "dram_latency_cycles");
    CHECK(latency_field(unit_kind::barrier).empty());
}

TEST_CASE("an access to global memory needs the latencies of the levels that have its bytes") {
    constexpr std::array load{instruction{.unit = unit_kind::global_memory}};
    const auto missing = [&](double beyond_l1, double from_dram, double sm_parameters::*unknown) {
        sm_parameters p = plain;
        p.beyond_l1_fraction = beyond_l1;
        p.from_dram_fraction = from_dram;
        p.*unknown = 0;
        return check_units(load, p).field;
    };
    CHECK(missing(1, 1, &sm_parameters::l1_latency_cycles).empty());
    CHECK(missing(0.5, 0.5, &sm_parameters::l1_latency_cycles) == "l1_latency_cycles");
    CHECK(missing(0.5, 0.5, &sm_parameters::l2_latency_cycles).empty());
    CHECK(missing(0.5, 0.2, &sm_parameters::l2_latency_cycles) == "l2_latency_cycles");
    // Of the launch's levels, or its own: the second load comes from L1 alone, the third from L2.
    static constexpr std::array loads{load[0], load[0], load[0]};
    static constexpr std::array<access_level, 3> own{{{1, 1}, {0, 0}, {1, 0}}};
    const auto missing_of_own = [&](double sm_parameters::*unknown) {
        sm_parameters p = plain;
        p.levels = {.of_entries = own, .dram_latency_cycles = p.dram_latency_cycles};
        p.*unknown = 0;
        return check_units(loads, p);
    };
    CHECK_FALSE(missing_of_own(&sm_parameters::dram_latency_cycles));
    CHECK(missing_of_own(&sm_parameters::l1_latency_cycles) ==
          model_error{errc::missing, "l1_latency_cycles", 2});
    CHECK(missing_of_own(&sm_parameters::l2_latency_cycles) ==
          model_error{errc::missing, "l2_latency_cycles", 3});
    sm_parameters far = plain;
    far.levels = {.of_entries = own};
    CHECK(check_units(loads, far) == model_error{errc::missing, "dram_latency_cycles", 1});
    // What passes the queue of L2 waits for it.
    sm_parameters queued = plain;
    queued.l2_bytes_per_cycle = 16;
    queued.l2_latency_cycles = 0;
    CHECK(check_units(load, queued) == model_error{errc::missing, "l2_latency_cycles", 1});
}

TEST_CASE(
    "fractions, the last bandwidth and the number of blocks have bounds; a loop has no unit") {
    sm_parameters p = plain;
    p.beyond_l1_fraction = 1.5;
    CHECK(check_sm(p).field == "beyond_l1_fraction");
    p = plain;
    p.from_dram_fraction = -1;
    CHECK(check_sm(p).field == "from_dram_fraction");
    p = plain;
    p.last_dram_bytes_per_cycle = -1;
    CHECK(check_sm(p) == model_error{errc::negative, "last_dram_bytes_per_cycle"});
    CHECK(check_residency({.blocks = 1, .warps_per_block = 1, .total_blocks = max_sm_blocks + 1}) ==
          model_error{errc::overflow, "total_blocks"});
    CHECK(unit_of(unit_kind::loop, plain) == sm_unit_count);
    CHECK(latency_of(unit_kind::loop, plain) == 1);
    CHECK(latency_field(unit_kind::loop).empty());
}

}  // namespace sm_parameters_test
