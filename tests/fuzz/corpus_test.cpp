// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

// What the fuzzers call, each by a name of its own here.
extern "C" int fuzz_ptx(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_ptxas(const std::uint8_t* data, std::size_t size);
extern "C" int fuzz_csv(const std::uint8_t* data, std::size_t size);

namespace corpus_test {

namespace {

using fuzzed = int (*)(const std::uint8_t*, std::size_t);

/// How many files there were; what must not be ends the program.
std::size_t replay(const char* reader, fuzzed one) {
    std::size_t files = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(CORPUS "/") + reader)) {
        std::ifstream in(entry.path(), std::ios::binary);
        const std::string text(std::istreambuf_iterator<char>(in), {});
        CAPTURE(entry.path().string());
        CHECK(one(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()) == 0);
        ++files;
    }
    return files;
}

}  // namespace

TEST_CASE("what fuzzing has found to take other branches ends as any text may") {
    CHECK(replay("ptx", fuzz_ptx) >= 307);
    CHECK(replay("ptxas", fuzz_ptxas) >= 16);
    CHECK(replay("csv", fuzz_csv) >= 33);
}

}  // namespace corpus_test
