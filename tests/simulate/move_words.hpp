// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_SIMULATE_MOVE_WORDS_HPP
#define WARPGAUGE_TESTS_SIMULATE_MOVE_WORDS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

/// `to` reads the words that `from` visits in cycle `now`, all of them, as of cycle `then`.
template <class State>
void move_words(const State& from, std::uint64_t now, State& to, std::uint64_t then) {
    std::vector<std::uint64_t> words;
    auto add = [&](std::uint64_t word) { words.push_back(word); };
    from.for_each_word(now, add);
    std::size_t at = 0;
    auto next = [&] { return words.at(at++); };
    to.read_words(then, next);
    CHECK(at == words.size());
}

#endif
