// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_SIMULATE_RANDOM_STREAM_HPP
#define WARPGAUGE_TESTS_SIMULATE_RANDOM_STREAM_HPP

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <warpgauge/kernel/instruction.hpp>

/// Random streams that are all lawful, the same on every machine.
namespace random_streams {

class generator {
public:
    explicit generator(std::uint64_t seed) : bits_(seed) {}

    /// From `least` to before `end`.
    std::uint64_t between(std::uint64_t least, std::uint64_t end) {
        return least + bits_() % (end - least);
    }

    std::vector<warpgauge::instruction> stream() {
        std::vector<warpgauge::instruction> s;
        kind_ = between(0, 4);
        fill(s, between(1, 24), 0);
        for (std::size_t at = 0; at < s.size(); ++at) needs(s, at);
        return s;
    }

private:
    // `length` entries; a loop's head and body are of them.
    void fill(std::vector<warpgauge::instruction>& s, std::uint64_t length, int depth) {
        while (length > 0) {
            if (length > 1 && depth < 4 && between(0, 8) == 0) {
                const std::uint64_t body = between(1, length);
                s.push_back(warpgauge::loop(static_cast<std::uint32_t>(body),
                                            static_cast<std::uint32_t>(between(1, 7))));
                fill(s, body, depth + 1);
                length -= body + 1;
            } else {
                s.push_back(entry());
                --length;
            }
        }
    }

    warpgauge::instruction entry() {
        // All units; arithmetic alone; memory alone; mostly the one before.
        if (kind_ == 0) last_ = between(0, 10);
        if (kind_ == 1) last_ = between(0, 4);
        if (kind_ == 2) last_ = between(4, 8);
        if (kind_ == 3 && between(0, 3) == 0) last_ = between(0, 10);
        warpgauge::instruction i{.unit = static_cast<warpgauge::unit_kind>(last_)};
        i.bytes = static_cast<std::uint8_t>(1U << between(0, 5));
        if (between(0, 4) == 0) i.transactions = static_cast<std::uint16_t>(between(0, 33));
        if (between(0, 100) == 0) i.transactions = static_cast<std::uint16_t>(between(0, 5000));
        return i;
    }

    void needs(std::vector<warpgauge::instruction>& s, std::size_t at) {
        if (s[at].unit == warpgauge::unit_kind::loop || kind_ == 3) return;
        for (auto& need : s[at].needs) {
            if (between(0, 3) != 0) continue;
            const std::size_t target = between(0, s.size());
            if (s[target].unit == warpgauge::unit_kind::loop) continue;
            need = target == at ? warpgauge::own_result
                                : static_cast<std::int32_t>(at) - static_cast<std::int32_t>(target);
        }
    }

    std::mt19937_64 bits_;
    std::uint64_t kind_ = 0;
    std::uint64_t last_ = 0;
};

}  // namespace random_streams

#endif
