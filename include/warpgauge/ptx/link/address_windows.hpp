// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_ADDRESS_WINDOWS_HPP
#define WARPGAUGE_PTX_LINK_ADDRESS_WINDOWS_HPP

#include <cstdint>

#include <warpgauge/core/abi.hpp>

/// \file Where generic addresses of shared memory, local memory and parameters lie: where no allocation does.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Where generic addresses of shared memory, of local memory and of parameters begin.
class address_windows {
public:
    /// In texts of 32-bit addresses, the windows are as many bits lower.
    constexpr explicit address_windows(std::uint32_t address_bits) : narrow_(address_bits == 32) {}

    /// The first address of shared memory.
    [[nodiscard]] constexpr std::uint64_t shared() const { return at(0x70); }
    /// The first address of local memory.
    [[nodiscard]] constexpr std::uint64_t local() const { return at(0x60); }
    /// The first address of a kernel's parameters.
    [[nodiscard]] constexpr std::uint64_t parameters() const { return at(0x50); }
    /// The first address of a function.
    [[nodiscard]] constexpr std::uint64_t functions() const { return at(0x40); }
    /// The first address of a variable of the module.
    [[nodiscard]] constexpr std::uint64_t variables() const {
        return std::uint64_t{1} << (narrow_ ? 28 : 38);
    }
    /// The end of those.
    [[nodiscard]] constexpr std::uint64_t end_of_variables() const {
        return narrow_ ? functions() : std::uint64_t{1} << 40;
    }

    /// The address of a function, by its number in the module.
    [[nodiscard]] constexpr std::uint64_t function(std::uint32_t number) const {
        return functions() + (std::uint64_t{number} << 4);
    }
    /// The number of the function at an address; one that no module has if there is none.
    [[nodiscard]] constexpr std::uint64_t function_number(std::uint64_t address) const {
        const bool is_one = window_of(address) == functions() && (address & 0xf) == 0;
        return is_one ? within(address) >> 4 : ~std::uint64_t{0};
    }

    /// The window that an address lies in, and the address within it.
    [[nodiscard]] constexpr std::uint64_t window_of(std::uint64_t address) const {
        return address & at(0xff);
    }
    /// Of an address of which a part is not known, and which is not far below or above this one: where shared memory, local
    /// memory or the parameters begin, if it lies in one of them; else 0.
    [[nodiscard]] constexpr std::uint64_t window_near(std::uint64_t address) const {
        const std::uint64_t window = window_of(address + at(1) / 2);
        const bool is_one = window == shared() || window == local() || window == parameters();
        return is_one ? window : 0;
    }
    /// An address within its window.
    [[nodiscard]] constexpr std::uint64_t within(std::uint64_t address) const {
        return address & ~at(0xff);
    }

    /// The address of a kernel's parameter; and of an address among them, which it is, and the offset in it.
    [[nodiscard]] constexpr std::uint64_t parameter(std::uint32_t number) const {
        return parameters() + (std::uint64_t{number} << parameter_bits());
    }
    /// The number of the parameter that an address lies in.
    [[nodiscard]] constexpr std::uint64_t parameter_number(std::uint64_t address) const {
        return within(address) >> parameter_bits();
    }
    /// B, from the begin of that parameter.
    [[nodiscard]] constexpr std::uint64_t parameter_offset(std::uint64_t address) const {
        return within(address) & ((std::uint64_t{1} << parameter_bits()) - 1);
    }

private:
    [[nodiscard]] constexpr std::uint64_t at(std::uint64_t window) const {
        return window << (narrow_ ? 24 : 56);
    }
    [[nodiscard]] constexpr unsigned parameter_bits() const { return narrow_ ? 16 : 20; }

    bool narrow_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
