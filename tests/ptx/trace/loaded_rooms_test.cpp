// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/loaded_rooms.hpp>

#include "ptx/linked.hpp"

namespace loaded_rooms_test {

using namespace warpgauge;

namespace {

// May something load the 8 B that a kernel stores at 8 B of its local memory? `then` comes behind that.
bool may_load(const std::string& then, const std::string& functions = {}) {
    const linked_text k(
        kernel_of(".local .align 8 .b8 depot[32];\n.reg .b64 %SP; .reg .b64 %SPL;\n"
                  "mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\nst.u64 [%SP+8], %d1;\n" +
                      then + "ret;",
                  functions));
    const ptx::detail::trace::loaded_rooms<> rooms(k.program);
    return rooms.may_load(k.body(2));
}

std::string passes(const std::string& address) {
    return "{ .param .b64 a;\nst.param.b64 [a], " + address + ";\ncall f, (a); }\n";
}

std::string function_of(const std::string& body) {
    return ".func f(.param .b64 p) {\n.reg .b64 %d<4>;\nld.param.b64 %d1, [p];\n" + body +
           "ret;\n}\n";
}

}  // namespace

TEST_CASE("a room is loaded by the accesses that overlap it, by any address of it") {
    CHECK_FALSE(may_load(""));
    CHECK_FALSE(may_load("ld.u64 %d2, [%SP];\nld.local.u64 %d2, [%SPL+16];\n"));
    CHECK(may_load("ld.u64 %d2, [%SP+8];\n"));
    CHECK(may_load("ld.local.u32 %r3, [%SPL+12];\n"));
    CHECK(may_load("ld.local.v2.u64 {%d2, %d3}, [%SPL];\n"));
    CHECK(may_load("atom.add.u32 %r3, [%SP+8], 1;\n"));
    CHECK_FALSE(may_load("add.u64 %d2, %SP, 16;\nld.u64 %d3, [%d2];\n"));
    CHECK(may_load("add.u64 %d2, %SP, 16;\nld.u64 %d3, [%d2+-8];\n"));
    CHECK(may_load("mul.wide.u32 %d3, %r2, 8;\nadd.u64 %d2, %SP, %d3;\nld.u64 %d3, [%d2];\n"));
    CHECK(
        may_load("mov.u64 %d2, %SP;\nL: add.u64 %d2, %d2, 8;\nld.u64 %d3, [%d2];\n@%p1 bra L;\n"));
    // Other addresses, and stores.
    CHECK_FALSE(may_load("ld.u64 %d2, [%d1];\nst.u64 [%SP+8], %d2;\n"));
}

TEST_CASE("a room may be loaded in a function, or through an address that is stored") {
    CHECK_FALSE(may_load(passes("%SP"), function_of("")));
    CHECK_FALSE(may_load(passes("%SP"), function_of("ld.u64 %d2, [%d1];\n")));
    CHECK(may_load(passes("%SP"), function_of("ld.u64 %d2, [%d1+8];\n")));
    CHECK(may_load(passes("%SP"), ".extern .func f(.param .b64 p);\n"));
    CHECK(may_load("st.global.u64 [%d1], %SP;\n"));
}

TEST_CASE("a room may be loaded by an address that a function returns") {
    const std::string returns =
        ".func (.param .b64 q) f(.param .b64 p) {\n.reg .b64 %d<4>;\nld.param.b64 %d1, [p];\n"
        "st.param.b64 [q], %d1;\nret;\n}\n";
    const std::string call =
        "{ .param .b64 a;\n.param .b64 b;\nst.param.b64 [a], %SP;\ncall (b), f, (a);\n"
        "ld.param.b64 %d2, [b]; }\n";
    CHECK(may_load(call + "ld.u64 %d3, [%d2+8];\n", returns));
    CHECK_FALSE(may_load(call + "ld.u64 %d3, [%d2+16];\n", returns));
}

TEST_CASE("addresses of 32 bits are followed too, others than a sum with a number are anywhere") {
    const std::string narrow = "mov.u32 %r5, depot;\nadd.u32 %r3, %r5, -8;\n";
    CHECK_FALSE(may_load(narrow + "ld.local.u32 %r4, [%r3+8];\n"));
    CHECK(may_load(narrow + "ld.local.u32 %r4, [%r3+16];\n"));
    CHECK(may_load("add.u64 %d2, 16, %SP;\nld.u64 %d3, [%d2];\n"));
    CHECK(may_load("add.u64 %d2, %SP, %clock64;\nld.u64 %d3, [%d2];\n"));
    CHECK(may_load("add.u64 %d2, %SP;\nld.u64 %d3, [%d2];\n"));
    CHECK(may_load("mov.b64 {%r3, _}, %SP;\nld.local.u32 %r4, [%r3];\n"));
    // What is no PTX.
    CHECK(may_load("mov.u64 %d2, %d3, %SP;\nld.u64 %d4, [%d2];\nld.u64 %d4, [%d2+8];\n"));
    // A store to one that may be anywhere.
    const linked_text k(
        kernel_of(".local .align 8 .b8 depot[32];\nmul.wide.u32 %d3, %r2, 8;\n"
                  "mov.u64 %d2, depot;\nadd.u64 %d2, %d2, %d3;\nst.local.u64 [%d2], %d1;\nret;"));
    const ptx::detail::trace::loaded_rooms<> rooms(k.program);
    CHECK(rooms.may_load(k.body(3)));
    CHECK(rooms.may_load(k.body(1)));  // no store
}

TEST_CASE("what is copied from end to begin many times, or is stored, may be loaded") {
    const auto copies = [](int last) {
        std::string all;
        for (int n = last; n > 2; --n) {
            all += "mov.u64 %d" + std::to_string(n) + ", %d" + std::to_string(n - 1) + ";\n";
        }
        return all + "mov.u64 %d2, %SP;\n";
    };
    CHECK_FALSE(may_load(copies(6)));
    CHECK(may_load(copies(19)));
    CHECK(may_load("st.global.u64 [%d1], %SP;\nld.u64 %d2, [%SP];\n"));
}

TEST_CASE("without local memory nothing is known") {
    const linked_text k(kernel_of("st.global.u64 [%d1], %d2;\nret;"));
    CHECK(ptx::detail::trace::loaded_rooms<>(k.program).may_load(k.body(0)));
    CHECK(ptx::detail::trace::loaded_rooms<>(k.program).may_load(k.body(1)));
}

}  // namespace loaded_rooms_test
