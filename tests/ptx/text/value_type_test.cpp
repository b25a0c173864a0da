// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/text/value_type.hpp>

namespace value_type_test {

using namespace warpgauge::ptx::text;

TEST_CASE("types and their widths") {
    struct row {
        const char* text;
        unsigned bits;
        bool is_signed, followed;
    };
    for (const row& r : {row{"u8", 8, false, true},
                         {"s16", 16, true, true},
                         {"b32", 32, false, true},
                         {"s64", 64, true, true},
                         {"pred", 1, false, true},
                         {"f32", 32, false, false},
                         {"bf16", 16, false, false},
                         {"b128", 64, false, false},
                         {"f16x2", 16, false, false},
                         {"tf32", 32, false, false},
                         {"e4m3", 32, false, false}}) {
        CAPTURE(r.text);
        value_type type;
        CHECK(read_type(r.text, type) == (r.text[0] != 'e'));
        CHECK(type.bits == r.bits);
        CHECK(type.is_signed == r.is_signed);
        CHECK(type.followed == r.followed);
    }
}

TEST_CASE("other parts of opcodes are no types") {
    value_type type{.bits = 16};
    for (const char* part : {"", "wide", "global", "v2", "32", "x32", "lo"}) {
        CAPTURE(part);
        CHECK_FALSE(read_type(part, type));
        CHECK(type.bits == 16);
    }
}

TEST_CASE("a width that is none leaves the type open") {
    for (const char* part : {"u3", "u8.", "u8x", "u1000000000"}) {
        CAPTURE(part);
        value_type type{.bits = 16, .followed = true};
        CHECK(read_type(part, type));
        CHECK_FALSE(type.followed);
    }
}

TEST_CASE("bytes in memory") {
    CHECK(bytes_of({.bits = 1}) == 1);
    CHECK(bytes_of({.bits = 8}) == 1);
    CHECK(bytes_of({.bits = 64}) == 8);
}

}  // namespace value_type_test
