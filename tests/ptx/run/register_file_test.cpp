// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/register_file.hpp>

#include "ptx/linked.hpp"

namespace register_file_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

TEST_CASE("special registers of the second warp of a block") {
    const linked_text k(kernel_of("ret;"));
    register_file<> file(k.program);
    const std::uint32_t lanes = file.begin({.grid = {5, 6, 7},
                                            .block = {8, 5, 1},
                                            .block_index = {1, 2, 3},
                                            .warp = 1,
                                            .dynamic_shared_bytes = 64});
    CHECK(lanes == 0xff);  // 40 threads
    const auto value = [&](std::uint32_t row, std::size_t lane) {
        return file.at(row).lanes[lane];
    };
    CHECK(value(ptx::link::tid_x, 3) == 3);
    CHECK(value(ptx::link::tid_y, 3) == 4);
    CHECK(value(ptx::link::ctaid_z, 0) == 3);
    CHECK(value(ptx::link::nctaid_y, 31) == 6);
    CHECK(value(ptx::link::nwarpid, 0) == 2);
    CHECK(value(ptx::link::lanemask_lt, 4) == 0xf);
    CHECK(value(ptx::link::lanemask_ge, 31) == 0x8000'0000);
    CHECK(value(ptx::link::total_smem_size, 0) == 64);
    CHECK(file.at(ptx::link::laneid).known == all_lanes);
    CHECK(file.at(ptx::link::unknown_row).known == 0);
}

// PTX ISA 9.0, sec. 10.12 to 10.18.
TEST_CASE("where a block is in its cluster") {
    const linked_text k(
        kernel_of("mov.u32 %r3, %cluster_ctarank;\nmov.u32 %r4, %nclusterid.x;\nret;"));
    register_file<> file(k.program);
    ptx::run::warp_place place{.grid = {8, 6, 1}, .block = {32, 1, 1}, .block_index = {5, 3, 0}};
    const auto value = [&](std::uint32_t row) {
        CHECK(file.at(row).known == all_lanes);
        return file.at(row).lanes[7];
    };
    file.begin(place);
    CHECK(value(ptx::link::cluster_ctarank) == 0);
    CHECK(value(ptx::link::cluster_nctarank) == 1);
    CHECK(value(ptx::link::clusterid_x) == 5);
    CHECK(value(ptx::link::is_explicit_cluster) == 0);
    place.cluster = {4, 2, 1};
    file.begin(place);
    CHECK(value(ptx::link::cluster_ctaid_x) == 1);
    CHECK(value(ptx::link::cluster_ctaid_y) == 1);
    CHECK(value(ptx::link::cluster_ctarank) == 5);
    CHECK(value(ptx::link::cluster_nctarank) == 8);
    CHECK(value(ptx::link::clusterid_x) == 1);
    CHECK(value(ptx::link::nclusterid_x) == 2);
    CHECK(value(ptx::link::nclusterid_y) == 3);
    CHECK(value(ptx::link::is_explicit_cluster) == 1);
}

TEST_CASE("zeros, and what the warp before has left") {
    const linked_text k(kernel_of("add.u32 %r3, %r2, 7;\nret;"));
    const std::uint32_t row = k.result(k.body(0));
    register_file<> file(k.program);
    lane_values nines;
    nines.fill(9);
    const auto begin = [&] {
        file.begin(one_warp());
        file.add_rows(k.program.routines[0].rows);
        CHECK(file.head(row).known == 0);
        CHECK(file.is_blank(row));
    };
    begin();
    file.write(row, nines, all_lanes, all_lanes);
    CHECK_FALSE(file.is_blank(row));
    begin();
    CHECK(file.at(row).lanes[5] == 0);
    CHECK(file.at(row).base.is_unset());
    file.write(row, nines, all_lanes, all_lanes);
    begin();
    file.write(row, nines, all_lanes, 0xf0);  // the others are zeros, not what they were
    CHECK(file.at(row).lanes[3] == 0);
    CHECK(file.at(row).lanes[4] == 9);
    file.write_zeros(row, 0, 0x10, {.identity = 1, .bits = 7});
    CHECK_FALSE(file.is_blank(row));
    CHECK(file.at(row).lanes[4] == 0);
    CHECK(file.at(row).lanes[5] == 9);
    CHECK(file.at(row).known == 0xe0);
    file.write_zeros(row, 0, all_lanes, {.identity = 1, .bits = 7});
    CHECK(file.is_blank(row));
    CHECK(file.head(row).base.identity == 1);
    CHECK(file.at(row).lanes[5] == 0);
    CHECK_FALSE(file.is_blank(row));
}

TEST_CASE("lanes that take part are written, constants never") {
    const linked_text k(kernel_of("add.u32 %r3, %r2, 7;\nret;"));
    register_file<> file(k.program);
    file.begin(one_warp());
    file.add_rows(k.program.routines[0].rows);
    const std::uint32_t row = k.result(k.body(0));
    lane_values values;
    values.fill(9);
    file.write(row, values, all_lanes, 0xf);
    CHECK(file.at(row).known == 0xf);
    CHECK(file.at(row).lanes[3] == 9);
    CHECK(file.at(row).lanes[4] == 0);
    file.write(row, values, 0x3, 0x7);
    CHECK(file.at(row).known == 0xb);
    file.forget(row, 1);
    CHECK(file.at(row).known == 0xa);
    const std::uint32_t seven = k.source(k.body(0), 1);
    file.write(seven, values, 0, all_lanes);
    file.forget(seven, all_lanes);
    CHECK(file.at(seven).lanes[0] == 7);
    CHECK(file.at(seven).known == all_lanes);
    file.forget_results(k.body(0), all_lanes);
    CHECK(file.at(row).known == 0);
}

TEST_CASE("what a warp has in its registers is kept and put back") {
    const linked_text k(kernel_of("add.cc.u32 %r3, %r1, 1;\nret;"));
    register_file<> file(k.program);
    file.begin({.grid = {1, 1, 1}, .block = {32, 1, 1}});
    file.add_rows(4);
    const auto row = [](std::uint32_t n) { return ptx::link::of_call | n; };
    lane_values v{};
    for (std::size_t l = 0; l < warp_lanes; ++l) v[l] = l;
    file.write(row(0), v, 0xff, all_lanes, file.new_base(0));
    file.write_zeros(row(1), 0, all_lanes, file.new_base(0));
    file.write(ptx::link::carry, v, all_lanes, all_lanes);
    register_file<>::saved_rows saved;
    file.save(saved);
    const row_values before[]{file.at(row(0)), file.head(row(1))};
    const unknown_base next = file.new_base(0);
    v.fill(9);
    for (const std::uint32_t n : {0U, 1U, 2U}) file.write(row(n), v, all_lanes, all_lanes);
    file.write(ptx::link::carry, v, all_lanes, all_lanes);
    file.drop_rows(0);
    file.restore(saved);
    CHECK(file.size() == 4);
    CHECK(file.at(row(0)).lanes == before[0].lanes);
    CHECK(file.at(row(0)).known == 0xff);
    CHECK(file.is_blank(row(1)));
    CHECK(file.head(row(1)).base.identity == before[1].base.identity);
    CHECK(file.at(row(1)).lanes == lane_values{});
    CHECK(file.at(row(2)).known == 0);
    CHECK(file.at(ptx::link::carry).lanes[5] == 5);
    CHECK(file.new_base(0).identity == next.identity);
}

TEST_CASE("each call has rows of its own") {
    const linked_text k(kernel_of("ret;"));
    register_file<> file(k.program);
    file.begin(one_warp());
    file.add_rows(2);
    fill(file.at(ptx::link::of_call | 1), 5);
    file.enter(file.size());
    file.add_rows(2);
    CHECK(file.at(ptx::link::of_call | 1).known == 0);
    CHECK(file.at(ptx::link::of_call | 1, 0).lanes[0] == 5);
    file.enter(0);
    file.drop_rows(2);
    CHECK(file.size() == 2);
    CHECK(file.at(ptx::link::of_call | 1).lanes[7] == 5);
}

TEST_CASE("zeros for nobody, for the carry, and registers of a program without routines") {
    linked_text k(kernel_of("mov.u32 %r3, %cluster_ctarank;\nret;"));
    register_file<> file(k.program);
    file.begin(one_warp());
    file.add_rows(k.program.routines[0].rows);
    file.write_zeros(nowhere, 0, all_lanes, opaque_base);
    fill(file.at(ptx::link::carry), 1);
    file.write_zeros(ptx::link::carry, all_lanes, all_lanes, opaque_base);
    CHECK(file.at(ptx::link::carry).lanes[8] == 0);
    fill(file.at(ptx::link::carry), 1);
    file.write_zeros(ptx::link::carry, all_lanes, 0xff, opaque_base);
    CHECK(file.at(ptx::link::carry).lanes[7] == 0);
    CHECK(file.at(ptx::link::carry).lanes[8] == 1);
    k.program.routines.clear();
    register_file<> bare(k.program);
    CHECK(bare.begin(one_warp()) == all_lanes);
    CHECK(bare.at(ptx::link::is_explicit_cluster).lanes[0] == 0);
}

}  // namespace register_file_test
