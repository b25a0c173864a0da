// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers of a seed, the same on every machine.
#ifndef WARPGAUGE_TESTS_RANDOM_NUMBERS_HPP
#define WARPGAUGE_TESTS_RANDOM_NUMBERS_HPP

#include <cmath>
#include <random>

class random_numbers {
public:
    explicit random_numbers(unsigned seed) : random_(seed) {}
    int whole(int low, int high) {
        const unsigned numbers = static_cast<unsigned>(high) - static_cast<unsigned>(low) + 1U;
        return low + static_cast<int>(random_() % numbers);
    }
    /// From `low` > 0 to `high`, each power of ten as likely.
    double real(double low, double high) {
        return low * std::exp(std::log(high / low) * static_cast<double>(random_()) / 4294967295.0);
    }

private:
    std::mt19937 random_;
};

#endif
