// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_ARGUMENT_HPP
#define WARPGAUGE_PTX_TRACE_ARGUMENT_HPP

#include <concepts>
#include <cstdint>
#include <span>

#include <warpgauge/core/abi.hpp>

/// \file The arguments that a kernel is launched with.

namespace WARPGAUGE_NAMESPACE::ptx {

/// An integer in a structure.
struct argument_field {
    std::uint32_t offset{};  ///< B, from the structure's begin
    std::uint32_t bytes{4};  ///< 1 to 8
    std::uint64_t value{};   ///< the integer, unsigned
};

/// One of a kernel's arguments, in the order of its parameters.
class argument {
public:
    /// What is known about an argument.
    enum class kind : std::uint8_t {
        not_given,  ///< nothing: see `argument()`
        unknown,    ///< that it is one value for all threads
        integer,    ///< its value
        bytes,      ///< all bytes of a structure
        fields,     ///< some fields of a structure
    };

    /// Not given. A float needs no value. A pointer, by `.ptr` or because it flows into an address, is assumed to
    /// be an allocation of its own, aligned to 256 B. So is a pointer in a structure, whose other fields are
    /// unknown. For another integer that is used it is an error.
    constexpr argument() = default;
    /// An integer, or a pointer's address.
    constexpr argument(std::integral auto value)
        : kind_(kind::integer), value_(static_cast<std::uint64_t>(value)) {}
    /// A structure that is passed by value; the bytes must outlive the call.
    constexpr explicit argument(std::span<const unsigned char> bytes)
        : kind_(kind::bytes), bytes_(bytes) {}
    /// A structure with some known fields; pointers among the others are allocations. The fields must outlive
    /// the call.
    constexpr explicit argument(std::span<const argument_field> fields)
        : kind_(kind::fields), fields_(fields) {}
    /// An unknown value that is the same for all threads.
    [[nodiscard]] static constexpr argument unknown() {
        argument a;
        a.kind_ = kind::unknown;
        return a;
    }

    /// What is known about it.
    [[nodiscard]] constexpr kind what() const { return kind_; }
    /// The integer, sign-extended; 0 for another kind.
    [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
    /// The bytes of a structure; empty for another kind.
    [[nodiscard]] constexpr std::span<const unsigned char> bytes() const { return bytes_; }
    /// The known fields of a structure; empty for another kind.
    [[nodiscard]] constexpr std::span<const argument_field> fields() const { return fields_; }

private:
    kind kind_ = kind::not_given;
    std::uint64_t value_ = 0;
    std::span<const unsigned char> bytes_;
    std::span<const argument_field> fields_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
