// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_ADDRESS_WINDOWS_HPP
#define WARPGAUGE_PTX_LINK_ADDRESS_WINDOWS_HPP

#include <cstdint>

#include <warpgauge/core/abi.hpp>

/// \file Where generic addresses of shared memory, local memory and parameters lie: where no allocation does.

namespace WARPGAUGE_NAMESPACE::ptx::link {

class address_windows {
public:
    /// In texts of 32-bit addresses, the windows are as many bits lower.
    constexpr explicit address_windows(std::uint32_t address_bits) : narrow_(address_bits == 32) {}

    [[nodiscard]] constexpr std::uint64_t shared() const { return at(0x70); }
    [[nodiscard]] constexpr std::uint64_t local() const { return at(0x60); }
    [[nodiscard]] constexpr std::uint64_t parameters() const { return at(0x50); }

    /// The window that an address lies in, and the address within it.
    [[nodiscard]] constexpr std::uint64_t window_of(std::uint64_t address) const {
        return address & at(0xff);
    }
    [[nodiscard]] constexpr std::uint64_t within(std::uint64_t address) const {
        return address & ~at(0xff);
    }

    /// The address of a kernel's parameter; and of an address among them, which it is, and the offset in it.
    [[nodiscard]] constexpr std::uint64_t parameter(std::uint32_t number) const {
        return parameters() + (std::uint64_t{number} << parameter_bits());
    }
    [[nodiscard]] constexpr std::uint64_t parameter_number(std::uint64_t address) const {
        return within(address) >> parameter_bits();
    }
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
