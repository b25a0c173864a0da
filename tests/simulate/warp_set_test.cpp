// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/simulate/warp_set.hpp>

namespace warp_set_test {

using namespace warpgauge::detail::simulate;

TEST_CASE("a warp has one bit of one word") {
    static_assert(words_of(0) == 0 && words_of(1) == 1 && words_of(64) == 1 && words_of(65) == 2);
    warp_words set(words_of(200), 0);
    for (const std::size_t warp : {0U, 63U, 64U, 199U}) {
        set.assign(set.size(), 0);
        set[warp / 64] |= bit_of(warp);
        for (std::size_t word = 0; word < set.size(); ++word) {
            CHECK((set[word] != 0) == (word == warp / 64));
            if (set[word] != 0) CHECK(first_warp(word, set[word]) == warp);
        }
    }
}

TEST_CASE("a word has as many warps as bits") {
    static_assert(count_of(0) == 0 && count_of(0b1011) == 3 && count_of(~std::uint64_t{0}) == 64);
}

TEST_CASE("the first warp of a word is that of its lowest bit") {
    static_assert(first_warp(0, 0b1100) == 2);
    static_assert(first_warp(3, std::uint64_t{1} << 63) == 3 * 64 + 63);
}

}  // namespace warp_set_test
