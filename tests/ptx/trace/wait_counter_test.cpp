// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/trace/wait_counter.hpp>

#include "ptx/linked.hpp"

namespace wait_counter_test {

using namespace warpgauge;
using ptx::detail::trace::wait_counter;
using ptx::detail::trace::wait_counts;

namespace {

struct counted {
    wait_counts waits{};
    bool store_behind_load{};
};

// Of one warp through a body; `data` is in %d1.
counted follow(const std::string& body, std::string_view functions = {}) {
    const linked_text k(kernel_of(body, functions));
    std::vector<ptx::run::argument_bytes> arguments(2);
    arguments[0].known = arguments[1].known = true;
    arguments[1].small[5] = 1;  // an address of 2^40
    const std::vector<ptx::run::decision> decisions(k.program.steps.size());
    ptx::run::warp_machine<> machine(k.program, arguments, decisions, {8, 0},
                                     {100'000, 1 << 24, 8});
    wait_counter<> counter(k.program);
    counter.begin_warp();
    const auto bad = machine.run(one_warp(), [&](const auto& e) { counter(e); });
    REQUIRE_MESSAGE(!bad, message(bad).c_str());
    return {counter.waits(), counter.stores_behind_load()};
}

std::uint32_t waits(const std::string& body) {
    return follow(body).waits.global;
}

}  // namespace

TEST_CASE("what is read only, and what ends a basic block") {
    using namespace ptx::detail::trace;
    for (const char* yes : {"ld.global.nc.f32", "ldu.global.u32", "ld.nc.u32"}) {
        CHECK(is_read_only(yes));
    }
    for (const char* no : {"ld.global.f32", "st.global.u32", "ld.const.u32", "add.u32"}) {
        CHECK_FALSE(is_read_only(no));
    }
    const linked_text k(kernel_of("add.u32 %r3, %r1, 1;\nbar.sync 0;\n@%p1 bra L;\nL: ret;"));
    CHECK_FALSE(ends_block(k.body(0)));
    for (std::size_t n = 1; n < 4; ++n) CHECK(ends_block(k.body(n)));
}

TEST_CASE("independent loads are one wait, a chain is one each") {
    const std::string two =
        "ld.global.f32 %f1, [%d1];\nld.global.f32 %f2, [%d1+128];\nadd.f32 %f3, %f1, %f2;\nret;";
    CHECK(waits(two) == 1);
    // The compiler moves the second load before the first use.
    CHECK(waits("ld.global.f32 %f1, [%d1];\nadd.f32 %f3, %f1, %f1;\n"
                "ld.global.f32 %f2, [%d1+128];\nadd.f32 %f3, %f3, %f2;\nret;") == 1);
    CHECK(waits("ld.global.u64 %d2, [%d1];\nld.global.u64 %d3, [%d2];\n"
                "ld.global.u64 %d4, [%d3];\nadd.u64 %d5, %d4, 1;\nret;") == 3);
}

TEST_CASE("what nothing uses is not waited for") {
    CHECK(waits("ld.global.f32 %f1, [%d1];\nret;") == 0);
    CHECK(waits("st.global.f32 [%d1], %f1;\nret;") == 0);
}

TEST_CASE("a store stands between loads, unless they are read-only") {
    const std::string first = "ld.global.f32 %f1, [%d1];\nst.global.f32 [%d1], %f1;\n";
    const std::string last = " %f2, [%d1+128];\nst.global.f32 [%d1+8], %f2;\nret;";
    CHECK(waits(first + "ld.global.f32" + last) == 2);
    CHECK(waits(first + "ld.global.nc.f32" + last) == 1);
    CHECK(follow(first + "ret;").store_behind_load);
    CHECK_FALSE(
        follow("st.global.f32 [%d1], %f1;\nld.global.f32 %f1, [%d1];\nret;").store_behind_load);
}

TEST_CASE("a store to another memory does not stand between") {
    const auto loads_around = [](const std::string& store, const std::string& load) {
        return waits("ld.global.f32 %f1, [%d1];\n" + store + " [%d2], %f1;\n" + load +
                     " %f2, [%d1+128];\nst.shared.f32 [tile], %f2;\nret;");
    };
    CHECK(loads_around("st.shared.f32", "ld.global.f32") == 1);
    CHECK(loads_around("st.local.f32", "ld.global.f32") == 1);
    CHECK(loads_around("st.global.f32", "ld.global.f32") == 2);
    // Where the text does not name it, it may be the same.
    CHECK(loads_around("st.f32", "ld.global.f32") == 2);
    CHECK(loads_around("st.global.f32", "ld.f32") == 2);
    CHECK(loads_around("atom.shared.add.f32 %f3,", "ld.global.f32") == 1);
    // Nor does a store to global memory stand between loads of shared memory.
    const auto on_chip = [](const std::string& store) {
        return follow("ld.shared.f32 %f1, [tile];\n" + store +
                      ".f32 [%d1], %f1;\n"
                      "ld.shared.f32 %f2, [tile+128];\nadd.f32 %f3, %f2, %f2;\nret;")
            .waits.on_chip;
    };
    CHECK(on_chip("st.global") == 1);
    CHECK(on_chip("st.shared") == 2);
}

TEST_CASE("loads do not pass a branch or a barrier; rounds of a loop wait one by one") {
    const std::string sum = "ld.global.f32 %f1, [%d1];\nadd.f32 %f2, %f2, %f1;\n";
    CHECK(waits(sum + "bar.sync 0;\n" + sum + "ret;") == 2);
    CHECK(waits("mov.u32 %r3, 0;\nLOOP:\n" + sum +
                "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 10;\n@%p1 bra LOOP;\nret;") == 10);
}

TEST_CASE("shared memory is waited for apart; atomics that return are waited for") {
    const auto tile = follow(
        "ld.global.f32 %f1, [%d1];\nst.shared.f32 [tile], %f1;\nbar.sync 0;\n"
        "ld.shared.f32 %f2, [tile];\nadd.f32 %f3, %f2, %f2;\nret;");
    CHECK(tile.waits == wait_counts{1, 1});
    CHECK(waits("atom.global.add.u32 %r3, [%d1], 1;\nadd.u32 %r4, %r3, 1;\nret;") == 1);
    CHECK(waits("red.global.add.u32 [%d1], 1;\nret;") == 0);
    CHECK(waits("atom.global.add.u32 %r3, [%d1], 1;\nret;") == 0);  // as `red`
}

TEST_CASE("copies in the background are waited for by groups") {
    const std::string copy =
        "cp.async.ca.shared.global [tile], [%d1], 16;\n"
        "cp.async.commit_group;\n";
    CHECK(waits(copy + "ret;") == 0);
    CHECK(waits(copy + "cp.async.wait_group 0;\nret;") == 1);
    CHECK(waits(copy + copy + "cp.async.wait_group 0;\nret;") == 1);
    // With one group ahead, two rounds take one wait.
    const std::string round = copy + "cp.async.wait_group 1;\n";
    CHECK(waits(copy + round + round + round + round + "ret;") == 2);
    CHECK(waits("cp.async.ca.shared.global [tile], [%d1], 16;\ncp.async.wait_all;\nret;") == 1);
}

TEST_CASE("through a call") {
    const std::string callee =
        ".func (.reg .f32 %out) f(.reg .u64 %in)\n{\n.reg .f32 %f<3>;\nld.global.f32 %f1, [%in];\n"
        "mov.f32 %out, %f1;\nret;\n}\n";
    const auto e = follow("call (%f1), f, (%d1);\nadd.f32 %f2, %f1, %f1;\nret;", callee);
    CHECK(e.waits.global == 1);
}

TEST_CASE("counts of waits differ in either part") {
    using warpgauge::ptx::detail::trace::wait_counts;
    CHECK(wait_counts{1, 2} == wait_counts{1, 2});
    CHECK_FALSE(wait_counts{1, 2} == wait_counts{0, 2});
    CHECK_FALSE(wait_counts{1, 2} == wait_counts{1, 0});
}

}  // namespace wait_counter_test
