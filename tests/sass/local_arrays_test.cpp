// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/sass/local_arrays.hpp>

#include "sass/lowered.hpp"

namespace local_arrays_test {

using warpgauge::sass::pipe;

namespace {

std::string array_of(int words) {
    return ".local .align 16 .b8 mine[" + std::to_string(4 * words) + "];\nmov.u64 %d2, mine;\n";
}

// Loads of local memory that are left of a kernel with one array, on 9.0.
std::uint32_t loads_left(const std::string& body, int words = 16) {
    const lowered_text k(array_of(words) + body + "ret;", 9, 0);
    std::uint32_t sum = 0;
    for (std::uint32_t n = 0; n < k.program.steps.size(); ++n) {
        sum += k.steps.counts(n)[static_cast<std::size_t>(pipe::local_load)];
    }
    return sum;
}

// Loads and stores of local memory that are left.
std::uint32_t left(const std::string& body) {
    const lowered_text k(array_of(16) + body + "\nret;");
    std::uint32_t sum = 0;
    const auto steps = static_cast<std::uint32_t>(k.program.steps.size());
    for (std::uint32_t n = 0; n < steps; ++n) {
        for (const pipe p : {pipe::local_load, pipe::local_store}) {
            sum += k.steps.counts(n)[static_cast<std::size_t>(p)];
        }
    }
    return sum;
}

const std::string output = "st.global.f32 [%d1], %f2;\n";

}  // namespace

TEST_CASE("words at constant places are in registers") {
    CHECK(left("st.local.f32 [%d2+4], %f1;\nld.local.f32 %f2, [%d2+4];\n" + output) == 0);
    CHECK(left("st.local.v4.f32 [%d2+16], {%f1, %f1, %f1, %f1};\nadd.s64 %d3, %d2, 16;\n"
               "ld.local.v2.f32 {%f2, %f3}, [%d3];\n" +
               output) == 0);
    // The constant first, and in halves: ptxas 13.0 for 8.0 has neither array in memory.
    CHECK(left("st.local.f32 [%d2+4], %f1;\nadd.s64 %d3, 4, %d2;\nld.local.f32 %f2, [%d3];\n" +
               output) == 0);
    CHECK(left("st.local.f32 [%d2+4], %f1;\nadd.s64 %d3, %d2, 2;\nadd.s64 %d4, %d3, 2;\n"
               "ld.local.f32 %f2, [%d4];\n" +
               output) == 0);
    // In a loop, and behind a branch.
    CHECK(left("mov.u32 %r3, 0;\nst.local.u32 [%d2], %r3;\nL: ld.local.u32 %r4, [%d2];\n"
               "add.u32 %r5, %r4, 1;\nst.local.u32 [%d2], %r5;\nsetp.lt.u32 %p1, %r5, %r1;\n"
               "@%p1 bra L;\nld.local.f32 %f2, [%d2];\n" +
               output) == 0);
}

TEST_CASE("local memory is left where places are data, or elements are no words") {
    const std::string store = "st.local.f32 [%d2+4], %f1;\n";
    const std::string load = "ld.local.f32 %f2, [%d2+4];\n" + output;
    const std::string index = "mul.wide.u32 %d4, %r2, 4;\nadd.s64 %d3, %d2, %d4;\n";
    CHECK(left(store + index + "ld.local.v2.f32 {%f2, %f3}, [%d3];\n" + output) == 2);
    CHECK(left(store + index + "@%p1 ld.local.f32 %f2, [%d3];\n" + output) == 2);
    CHECK(left(store + index + "st.local.f32 [%d3], %f1;\n" + output) == 2);
    CHECK(left(store + index + "st.global.u64 [%d1], %d3;\n" + output) == 1);
    CHECK(left(index + "st.local.f32 [%d3], %f1;\n" + load) == 2);
    CHECK(left("st.local.u8 [%d2+4], %r2;\n" + load) == 2);
    CHECK(left("st.local.b64 [%d2], %d1;\n" + load) == 2);
    CHECK(left("@%p1 st.local.f32 [%d2+4], %f1;\n" + load) == 2);
    CHECK(left("st.local.f32 [%d2+2], %f1;\n" + load) == 2);
    // ptxas 13.0 has an array in memory of which it fetches a line, here the third access.
    CHECK(left(store + "prefetch.local.L1 [%d2];\n" + load) == 3);
    // What is computed of an address otherwise than by adding is not followed.
    CHECK(left(store + "sub.s64 %d3, %d2, 4;\n" + load) == 2);
}

// nvcc 13.0 for 8.0 and 9.0: `a[n] = in[threadIdx.x + n * 1024]` for all n, `out[l] = a[idx[l]]` for some l. Of 16 elements
// and two loads, the code has 32 ISETP and 32 IMAD.MOV more than without; four loads are four LDL on 8.0.
TEST_CASE("a load at a place that is data selects among few words") {
    const std::string stores =
        "st.local.v4.f32 [%d2], {%f1, %f1, %f1, %f1};\nst.local.v4.f32 [%d2+16], {%f1, %f1, %f1, "
        "%f1};\n";
    const std::string place =
        "mul.wide.u32 %d4, %r2, 4;\nadd.s64 %d3, %d2, %d4;\nadd.s64 %d5, %d3, 8;\n";
    const std::string load = "ld.local.f32 %f2, [%d5];\n";
    const auto times = [&](int n) {
        std::string all = place;
        for (; n > 0; --n) all += load + output;
        return all;
    };
    CHECK(loads_left(stores + times(1)) == 0);
    CHECK(loads_left(stores + times(4)) == 0);  // 64 comparisons
    CHECK(loads_left(stores + times(5)) == 5);
    CHECK(loads_left(stores + times(2), 80) == 0);
    CHECK(loads_left(stores + times(2), 81) == 2);
    // The index and an address in either order.
    CHECK(loads_left(stores + place + "add.s64 %d6, %d4, %d5;\nld.local.f32 %f2, [%d6];\n" +
                     output) == 0);
    const auto in_loop = [&](const std::string& loads) {
        return "L: " + stores + place + loads + "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\n" +
               output;
    };
    CHECK(loads_left(in_loop(load), 13) == 0);
    CHECK(loads_left(in_loop(load), 14) == 1);
    const std::string another = "ld.local.f32 %f3, [%d3];\nst.global.f32 [%d1], %f3;\n";
    CHECK(loads_left(in_loop(load + another), 8) == 0);  // 16 comparisons
    CHECK(loads_left(in_loop(load + another), 9) == 2);
    // One behind the loop as well, which is seen after that in it.
    CHECK(loads_left(in_loop(load) + another, 8) == 0);
    CHECK(loads_left(in_loop(load) + another, 9) == 2);
    const lowered_text k(array_of(16) + stores + place + load + output + "ret;", 9, 0);
    const std::uint32_t at = 6;  // of the load, behind the address, two stores and its own three
    CHECK(k.count(at, pipe::alu) == 16);
    CHECK(k.count(at, pipe::integer_fma) == 16);
    // One that nobody reads is no instruction.
    const lowered_text dead(array_of(16) + stores + place + load + "ret;", 9, 0);
    CHECK(dead.total(at) == 0);
}

TEST_CASE("local memory is left where its address goes elsewhere") {
    const std::string both = "st.local.f32 [%d2+4], %f1;\nld.local.f32 %f2, [%d2+4];\n" + output;
    CHECK(left(both + "st.global.u64 [%d1], %d2;\n") == 2);
    CHECK(left(both +
               "cvta.local.u64 %d3, %d2;\nld.f32 %f3, [%d3];\nst.global.f32 [%d1], %f3;\n") == 2);
    CHECK(left(both + "call f, (%d2);\n") == 2);
    CHECK(left("@%p1 add.s64 %d2, %d2, 4;\n" + both) == 2);  // several steps give the address
    CHECK(left("mov.u32 %r3, 0;\nL: st.global.u64 [%d1], %d3;\nadd.s64 %d3, %d2, 4;\n"
               "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 3;\n@%p1 bra L;\n" +
               both) == 2);
    // What only copies it does not matter.
    CHECK(left(both + "cvta.local.u64 %d3, %d2;\n") == 0);
}

}  // namespace local_arrays_test
