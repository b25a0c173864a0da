// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_UPPER_HALVES_HPP
#define WARPGAUGE_CORE_UPPER_HALVES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file Whether many doubles that lie side by side are in range, in one operation for each vector of them.

namespace warpgauge::core {

/// The largest of the upper halves of doubles, as unsigned numbers: negative numbers, NaN and infinity have larger ones
/// than all others.
class upper_halves {
public:
    /// Looks at the `Bytes` from `from` on; at some of them twice.
    template <std::size_t Bytes>
    [[gnu::always_inline]] void see(const char* from) {
        [&]<std::size_t... N>(std::index_sequence<N...>) {
            (see_vector(from + min(N * sizeof(halves), Bytes - sizeof(halves))), ...);
        }
        (std::make_index_sequence<(Bytes + sizeof(halves) - 1) / sizeof(halves)>{});
    }

    /// True if all lie between 0 and a little less than `max_input`.
    [[nodiscard, gnu::always_inline]] bool in_range() const {
        const halves above = max_ > vector_of_max();
        const auto as_doubles = reinterpret_cast<typename lane_mask<width>::vector>(above);
        return scalar_traits<lanes<width>>::all(lane_mask<width>(as_doubles >= 0));
    }

private:
    static constexpr std::size_t width = min(native_lanes, std::size_t{4});
    using halves = typename detail::vector_of<std::uint32_t, 2 * width>::type;

    [[gnu::always_inline]] void see_vector(const char* from) {
        halves next;
        __builtin_memcpy(&next, from, sizeof next);
        max_ = max_ > next ? max_ : next;
    }
    /// Lower halves may be anything.
    static halves vector_of_max() {
        constexpr auto bits = std::bit_cast<std::uint64_t>(max_input);
        constexpr std::uint64_t limit = ((bits >> 32) - 1) << 32 | 0xffff'ffff;
        return reinterpret_cast<halves>(typename lane_mask<width>::vector{} +
                                        static_cast<std::int64_t>(limit));
    }

    halves max_{};
};

}  // namespace warpgauge::core

#endif
