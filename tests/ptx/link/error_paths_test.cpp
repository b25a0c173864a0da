// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/error_paths.hpp>

#include "ptx/linked.hpp"

namespace error_paths_test {

namespace {

const char* const functions =
    ".extern .func __assertfail(.param .b64 message);\n"
    ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 values);\n";

// A letter for each step of the body: `e` if every way from it ends in an error.
std::string errors_of(const std::string& body, const std::string& before = functions) {
    const linked_text k(kernel_of(body, before));
    const warpgauge::ptx::link::error_paths<> errors(k.program);
    std::string letters;
    const auto& kernel = k.program.routines[0];
    for (std::uint32_t s = instructions_before_body; s < kernel.count; ++s) {
        letters += errors.has(kernel.first + s) ? 'e' : '.';
    }
    CHECK_FALSE(errors.has(99'999));
    return letters;
}

}  // namespace

TEST_CASE("ways that end in a trap") {
    CHECK(errors_of("@%p1 bra OK;\ntrap;\nOK: ret;") == ".e.");
    CHECK(errors_of("@%p1 bra BAD;\nret;\nBAD: add.u32 %r3, %r3, 1;\ntrap;") == "..ee");
    CHECK(errors_of("@%p1 trap;\nret;") == "..");
    CHECK(errors_of("@%p1 bra OK;\nbra.uni BAD;\nOK: ret;\nBAD: trap;") == ".e.e");
    // Two ways that both end so, and one that joins the rest.
    CHECK(errors_of("@%p1 bra BAD;\nret;\nBAD: @%p2 bra WORSE;\ntrap;\nWORSE: trap;") == "..eee");
    CHECK(errors_of("@%p1 bra ODD;\nOK: ret;\nODD: @%p2 bra OK;\ntrap;") == "...e");
    CHECK(errors_of("@%p1 bra END;\nret;\nEND: exit;") == "...");
    CHECK(errors_of("trap;") == "e");
}

TEST_CASE("ways through a failed assertion, which do not go on behind it") {
    const std::string fails = "{ .param .b64 message; call.uni __assertfail, (message); }\n";
    CHECK(errors_of("@%p1 bra OK;\n" + fails + "OK: ret;") == ".e.");
    CHECK(errors_of("@%p1 bra OK;\nadd.u32 %r3, %r3, 1;\n" + fails + "OK: ret;") == ".ee.");
    const std::string prints =
        "{ .param .b32 done; .param .b64 x; call.uni (done), vprintf, (x, x); }\n";
    CHECK(errors_of("@%p1 bra OK;\n" + prints + "OK: ret;") == "...");
    CHECK(errors_of("@%p1 bra OK;\n" + prints + "trap;\nOK: ret;") == ".ee.");
}

TEST_CASE("loops: one that only a trap ends, and one that nothing does") {
    CHECK(errors_of("@%p1 bra L;\nret;\nL: @%p2 bra BAD;\nbra L;\nBAD: trap;") == "..eee");
    CHECK(errors_of("@%p1 bra L;\nret;\nL: bra L;") == "...");
    CHECK(errors_of("@%p1 bra L;\nret;\nL: @%p2 trap;\nbra L;") == "..ee");
}

TEST_CASE("a call of a function that ends in an error is one") {
    const char* const fails = ".func fail()\n{\ntrap;\n}\n";
    CHECK(errors_of("@%p1 bra OK;\ncall fail;\nOK: ret;", fails) == ".e.");
    const char* const may = ".func fail()\n{\n.reg .pred %p1;\n@%p1 trap;\nret;\n}\n";
    CHECK(errors_of("@%p1 bra OK;\ncall fail;\nOK: ret;", may) == "...");
    const char* const again = ".func fail()\n{\ncall fail;\nret;\n}\n";
    CHECK(errors_of("call fail;\nret;", again) == "..");
}

}  // namespace error_paths_test
