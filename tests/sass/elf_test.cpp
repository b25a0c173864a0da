// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include <warpgauge/sass/elf.hpp>

#include "sass/cubins.hpp"

namespace elf_test {

namespace {

namespace sass = warpgauge::sass;
using warpgauge::errc;

// Numbers of `readelf -SW` and `readelf -sW`.
TEST_CASE("sections and symbols of a cubin are found") {
    const auto bytes = cubin_bytes(saxpy_sm_75);
    const auto file = sass::read_elf(bytes);
    REQUIRE(file);
    CHECK(file->abi_version() == 8);
    CHECK(file->bytes().size() == bytes.size());
    CHECK(file->flags() == 0x900'4b04);
    CHECK(file->section_count() == 19);
    const sass::section code = file->find(".text.", "saxpy");
    CHECK(code.name == ".text.saxpy");
    CHECK(code.content.size() == 0x100);
    CHECK(code.index == 18);
    CHECK(file->find(".text.saxp").name.empty());
    CHECK(file->find(".text.saxpy", "2").name.empty());
    REQUIRE(file->symbol_count() == 12);
    const sass::symbol kernel = file->symbol_at(11);
    CHECK(kernel.name == "saxpy");
    CHECK(kernel.type == 2);
    CHECK(kernel.section == 18);
    CHECK(kernel.size == 0x100);
}

TEST_CASE("what is no cubin is an error at its byte") {
    auto bytes = cubin_bytes(saxpy_sm_75);
    const auto error_with = [&](std::size_t at, unsigned char value) {
        auto broken = bytes;
        broken[at] = std::byte{value};
        const auto file = sass::read_elf(broken);
        return file ? warpgauge::model_error{} : file.error();
    };
    CHECK(sass::read_elf({}).error() == warpgauge::model_error{errc::malformed, "file", 1});
    CHECK(error_with(0, 0) == warpgauge::model_error{errc::malformed, "file", 1});
    CHECK(error_with(4, 1).field == "file");          // of 32 bits
    CHECK(error_with(18, 62).line == 19);             // for an x86-64
    CHECK(error_with(60, 0xff).field == "sections");  // more than the file has room for
    CHECK(error_with(62, 0xff).field == "sections");  // names in a section that is not there
    CHECK(error_with(46, 0xff).field == "sections");  // a table beyond the end
    bytes.resize(64);
    CHECK(sass::read_elf(bytes).error().field == "sections");
}

TEST_CASE("a section beyond the end of the file is an error at its entry") {
    auto bytes = cubin_bytes(saxpy_sm_75);
    const std::size_t entry =
        static_cast<std::size_t>(sass::detail::number_at(bytes, 40, 8)) + 5 * 64;
    bytes[entry + 38] = std::byte{1};  // of its size
    const auto file = sass::read_elf(bytes);
    REQUIRE_FALSE(file);
    CHECK(file.error().code == errc::malformed);
    CHECK(file.error().line == entry + 1);
}

}  // namespace

}  // namespace elf_test
