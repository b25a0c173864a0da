// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_ARGUMENT_HPP
#define WARPGAUGE_PTX_TRACE_ARGUMENT_HPP

#include <concepts>
#include <cstdint>
#include <span>

/// \file The arguments that a kernel is launched with.

namespace warpgauge::ptx {

/// One of a kernel's arguments, in the order of its parameters.
class argument {
public:
    enum class kind : std::uint8_t { not_given, unknown, integer, bytes };

    /// Not given: of a float, it is not needed; of the size of an address, it is taken to be an
    /// allocation of its own, aligned to 256 B. Of another integer it is an error.
    constexpr argument() = default;
    constexpr argument(std::integral auto value)
        : kind_(kind::integer), value_(static_cast<std::uint64_t>(value)) {}
    /// A structure that is passed by value; the bytes must outlive the call.
    constexpr explicit argument(std::span<const unsigned char> bytes)
        : kind_(kind::bytes), bytes_(bytes) {}
    /// A value that nothing is to be assumed of, as of loaded data.
    [[nodiscard]] static constexpr argument unknown() {
        argument a;
        a.kind_ = kind::unknown;
        return a;
    }

    [[nodiscard]] constexpr kind what() const { return kind_; }
    [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
    [[nodiscard]] constexpr std::span<const unsigned char> bytes() const { return bytes_; }

private:
    kind kind_ = kind::not_given;
    std::uint64_t value_ = 0;
    std::span<const unsigned char> bytes_;
};

}  // namespace warpgauge::ptx

#endif
