// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
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

using bytes_of_table = std::vector<unsigned char>;

// saxpy with another table of lines, behind the rest of the file.
std::vector<std::byte> with_table(const bytes_of_table& table) {
    auto words = std::vector<std::uint64_t>(std::begin(saxpy_sm_75), std::end(saxpy_sm_75));
    const auto original = cubin_bytes(words);
    const auto file = sass::read_elf(original);
    REQUIRE(file);
    const sass::section old = file->find(sass::ptx_lines);
    for (std::size_t n = 1; n < words.size(); ++n) {  // where the list of sections has it
        if (words[n - 1] != old.offset || words[n] != old.size) continue;
        words[n - 1] = original.size();
        words[n] = table.size();
    }
    auto bytes = cubin_bytes(words);
    for (const unsigned char b : table) bytes.push_back(std::byte{b});
    return bytes;
}

// A unit of the table whose program is at byte 26. Special operations from 10 on have 14 lines, from -5.
bytes_of_table unit_of(const bytes_of_table& program, unsigned char version = 2,
                       unsigned char first_special = 10) {
    bytes_of_table unit{0, 0, 0, 0, version, 0, 16, 0, 0, 0, 1};
    if (version == 4) unit.push_back(1);
    const bytes_of_table rest{1, 0xfb, 14, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1};
    unit.insert(unit.end(), rest.begin(), rest.end());
    unit[version == 4 ? 15 : 14] = first_special;
    unit.resize(26);
    unit.insert(unit.end(), program.begin(), program.end());
    unit[0] = static_cast<unsigned char>(unit.size() - 4);
    return unit;
}

// An address that the file's relocation makes one of the kernel, then the rest.
bytes_of_table from_begin(const bytes_of_table& rest) {
    bytes_of_table program{0, 9, 2, 0, 0, 0, 0, 0, 0, 0, 0};
    for (const unsigned char byte : rest) program.push_back(byte);
    return program;
}

warpgauge::result<std::vector<std::uint32_t>> lines_of(const bytes_of_table& table) {
    const auto bytes = with_table(table);
    const auto file = sass::read_elf(bytes);
    REQUIRE(file);
    return sass::read_lines(*file, file->find(".text.", "saxpy"), sass::ptx_lines);
}

std::vector<std::uint32_t> first_lines(const bytes_of_table& table, std::size_t count) {
    auto lines = lines_of(table);
    REQUIRE(lines);
    CHECK(lines->size() == 16);
    lines->resize(count);
    return *lines;
}

TEST_CASE("addresses go on by a constant or by two bytes, in versions 2 to 4") {
    // Line 1; 17 B on, which is what operation 255 would do, line 5; 32 B on, the end.
    const auto program = from_begin({1, 8, 3, 4, 1, 9, 32, 0, 0, 1, 1});
    for (const unsigned char version : bytes_of_table{2, 3, 4}) {
        CHECK(first_lines(unit_of(program, version), 5) ==
              std::vector<std::uint32_t>{1, 1, 5, 5, 0});
    }
}

TEST_CASE("a sequence without a row has no lines, nor has a line above 32 bits a number") {
    CHECK(first_lines(unit_of(from_begin({9, 32, 0, 0, 1, 1})), 2) ==
          std::vector<std::uint32_t>{0, 0});
    CHECK(first_lines(unit_of(from_begin(
                          {1, 9, 16, 0, 3, 0x80, 0x80, 0x80, 0x80, 0x20, 1, 9, 16, 0, 0, 1, 1})),
                      2) == std::vector<std::uint32_t>{1, 0});
}

TEST_CASE("what a table of lines may not have is an error at its byte") {
    const auto at = static_cast<std::uint32_t>(sizeof saxpy_sm_75);
    const auto malformed = [&](std::uint32_t byte) {
        return warpgauge::model_error{warpgauge::errc::malformed, "line program", at + byte + 1};
    };
    const auto program = from_begin({1, 0, 1, 1});
    CHECK(lines_of(unit_of(program, 1)).error() == malformed(4));     // version 1
    CHECK(lines_of(unit_of(program, 2, 0)).error() == malformed(4));  // no first special operation
    auto cut = unit_of(program);
    const auto size = static_cast<std::uint32_t>(cut.size());
    cut.resize(size + 3);
    CHECK(lines_of(cut).error() == malformed(size));                           // no whole length
    CHECK(lines_of(unit_of({0})).error() == malformed(26));                    // no length
    CHECK(lines_of(unit_of({0, 5, 2, 0, 0, 0, 0})).error() == malformed(26));  // four bytes
    // 16 B on, a row, 16 B back, another row
    CHECK(lines_of(unit_of(from_begin({9, 16, 0, 1, 2, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                       0xff, 0xff, 1, 1})))
              .error() == malformed(26 + 11 + 4 + 11));
}

}  // namespace

}  // namespace line_table_test
