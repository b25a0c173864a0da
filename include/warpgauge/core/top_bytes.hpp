// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_TOP_BYTES_HPP
#define WARPGAUGE_CORE_TOP_BYTES_HPP

#include <cstddef>
#include <cstdint>
#include <utility>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file A test if many consecutive doubles are in range, in one operation for each vector.

namespace WARPGAUGE_NAMESPACE::core {

/// The maximum and the minimum of the top bytes of doubles, in vectors of `Size` bytes. Negative numbers, infinity
/// and NaN have larger top bytes than all other numbers.
template <std::size_t Size>
class top_bytes {
public:
    /// Checks the `Bytes` from `from` on for numbers that are negative or too large, some of them twice.
    template <std::size_t Bytes>
    [[gnu::always_inline]] void see(const char* from) {
        each<Bytes>([&](std::size_t at) __attribute__((always_inline)) {
            const bytes next = load(from + at);
            most_ = most_ > next ? most_ : next;
        });
    }
    /// Also checks for numbers that are too small.
    template <std::size_t Bytes>
    [[gnu::always_inline]] void see_positive(const char* from) {
        each<Bytes>([&](std::size_t at) __attribute__((always_inline)) {
            const bytes next = load(from + at);
            least_ = least_ < next ? least_ : next;
        });
    }

    /// True if all numbers of `see` are between 0 and a little less than `max_input`, and all numbers of `see_positive`
    /// are above a little more than `min_input`.
    [[nodiscard, gnu::always_inline]] bool in_range() const {
        const auto high = reinterpret_cast<words>(most_) == limit(most_byte, 0xff);
        const auto low = reinterpret_cast<words>(least_) == limit(least_byte, 0);
        return scalar_traits<lanes<Size / 8>>::all(lane_mask<Size / 8>(high & low));
    }

private:
    using bytes = typename detail::vector_of<unsigned char, Size>::type;
    using words = typename detail::vector_of<std::int64_t, Size / 8>::type;

    static constexpr std::int64_t most_byte = 0x43;   // up to 2^65, 3.7e19
    static constexpr std::int64_t least_byte = 0x3e;  // from 2^-31 on, 4.7e-10

    template <std::size_t Bytes, class See>
    [[gnu::always_inline]] static void each(const See& see) {
        [&]<std::size_t... N>(std::index_sequence<N...>) __attribute__((always_inline)) {
            (see(min(N * Size, Bytes - Size)), ...);
        }
        (std::make_index_sequence<(Bytes + Size - 1) / Size>{});
    }
    [[gnu::always_inline]] static bytes load(const char* from) {
        bytes next;
        __builtin_memcpy(&next, from, sizeof next);
        return next;
    }
    /// Words with that top byte, and seven others.
    static words limit(std::int64_t top, std::int64_t others) {
        return words{} + (top << 56 | others * 0x0001'0101'0101'0101);
    }

    bytes most_ = reinterpret_cast<bytes>(limit(most_byte, 0xff));
    bytes least_ = reinterpret_cast<bytes>(limit(least_byte, 0));
};

}  // namespace WARPGAUGE_NAMESPACE::core

#endif
