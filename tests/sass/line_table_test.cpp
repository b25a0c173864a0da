// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/sass/line_table.hpp>

#include "sass/cubins.hpp"

namespace line_table_test {

namespace {

namespace sass = warpgauge::sass;

// By hand from the line program, `readelf -x .nv_debug_line_sass`, and the lines of
// examples/kernels/saxpy.sm_75.ptx: 48 and 50 are loads, 51 the fused multiplication, 52 the store.
TEST_CASE("instructions have the lines of their PTX") {
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const auto file = sass::read_elf(bytes);
    REQUIRE(file);
    const sass::section code = file->find(".text.", "saxpy");
    const auto lines = sass::read_lines(*file, code, sass::ptx_lines);
    REQUIRE(lines);
    const std::vector<std::uint32_t> expected{21, 34, 36, 37, 39, 40, 47, 47,
                                              49, 48, 50, 51, 52, 56, 56, 56};
    CHECK(*lines == expected);
}

// saxpy.cu: the index on line 4, the store on line 5, the end on 6.
TEST_CASE("the same table by lines of the source") {
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const auto file = sass::read_elf(bytes);
    REQUIRE(file);
    const auto lines = sass::read_lines(*file, file->find(".text.", "saxpy"), sass::source_lines);
    REQUIRE(lines);
    REQUIRE(lines->size() == 16);
    CHECK(lines->front() == 3);
    CHECK((*lines)[1] == 4);
    CHECK((*lines)[12] == 5);
    CHECK(lines->back() == 6);
}

TEST_CASE("a file without the table has no lines, and that is no error") {
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const auto file = sass::read_elf(bytes);
    REQUIRE(file);
    const auto lines = sass::read_lines(*file, file->find(".text.", "saxpy"), ".debug_nothing");
    REQUIRE(lines);
    CHECK(lines->empty());
}

TEST_CASE("a broken program is an error at its byte") {
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const auto original = sass::read_elf(bytes);
    REQUIRE(original);
    const std::size_t at = static_cast<std::size_t>(original->find(sass::ptx_lines).offset);
    const auto error_with = [&](std::size_t where, unsigned char value) {
        auto broken = bytes;
        broken[at + where] = std::byte{value};
        const auto file = sass::read_elf(broken);
        REQUIRE(file);
        const auto lines = sass::read_lines(*file, file->find(".text.", "saxpy"), sass::ptx_lines);
        return lines ? warpgauge::model_error{} : lines.error();
    };
    using warpgauge::errc;
    const auto malformed = [&](std::size_t byte) {
        return warpgauge::model_error{errc::malformed, "line program",
                                      static_cast<std::uint32_t>(at + byte + 1)};
    };
    CHECK(error_with(3, 0xff) == malformed(0));  // longer than the section
    CHECK(error_with(4, 5) == malformed(4));     // version 5
    CHECK(error_with(9, 0xff) == malformed(4));  // its header too
    CHECK(error_with(13, 0) == malformed(4));    // no range of lines
    CHECK(error_with(27, 0) == malformed(26));   // an extended operation of no length
}

}  // namespace

}  // namespace line_table_test
