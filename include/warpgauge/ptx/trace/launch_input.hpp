// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LAUNCH_INPUT_HPP
#define WARPGAUGE_PTX_TRACE_LAUNCH_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/value_type.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file Checks a launch, and makes bytes of its arguments.

namespace warpgauge::ptx::detail::trace {

using ptx::run::argument_bytes;

/// \errors not_positive, exceeds_device, outside_domain, overflow  as `ptx::trace`
constexpr model_error check_launch(const launch& l, const function& f) {
    const extent& grid = l.grid;
    const extent& block = l.block;
    if (grid.count() == 0 || grid.x > 0x7fff'ffff) return {errc::not_positive, "grid"};
    if (grid.y > 0xffff || grid.z > 0xffff) return {errc::exceeds_device, "grid"};
    if (block.count() == 0) return {errc::not_positive, "block"};
    if (block.x > 1024 || block.y > 1024 || block.count() > 1024) {
        return {errc::exceeds_device, "block"};
    }
    const auto& required = f.required_threads;
    const extent wanted{required[0], required[1], required[2]};
    if (required[0] != 0 && wanted != block) return {errc::outside_domain, "block"};
    const auto& most = f.max_threads;
    if (most[0] != 0 && block.count() > std::uint64_t{most[0]} * most[1] * most[2]) {
        return {errc::outside_domain, "block"};
    }
    if (l.dynamic_shared_bytes > (std::uint64_t{1} << 32)) {
        return {errc::overflow, "dynamic_shared_bytes"};
    }
    return {};
}

/// The address of an allocation for an argument that is not given; each has its own.
constexpr std::uint64_t allocation(std::size_t parameter, unsigned address_bits) {
    return address_bits == 64 ? (std::uint64_t{parameter} + 1) << 40
                              : (std::uint64_t{parameter} % 15 << 27) + (std::uint64_t{1} << 31);
}

/// The bytes of one argument of a parameter.
/// \errors missing         an integer that is not given; without a field
///         outside_domain  an integer for what is none
constexpr result<argument_bytes> bind_argument(const argument& a, const declaration& parameter,
                                               std::size_t number, unsigned address_bits) {
    ptx::text::value_type type;
    ptx::text::read_type(parameter.type, type);
    const bool is_integer = type.followed && parameter.elements == 1 && parameter.vector == 1;
    argument_bytes bound;
    std::uint64_t value = a.value();
    if (a.what() == argument::kind::bytes) {
        bound.bytes = a.bytes();
        bound.known = true;
    } else if (a.what() == argument::kind::integer) {
        if (!is_integer) return model_error{errc::outside_domain};
        bound.known = true;
    } else if (a.what() == argument::kind::not_given && is_integer) {
        if (type.bits != address_bits) return model_error{errc::missing};
        value = allocation(number, address_bits);
        bound.known = true;
    }
    for (std::size_t b = 0; b < 8; ++b) {
        bound.small[b] = static_cast<unsigned char>(value >> 8 * b & 0xff);
    }
    return bound;
}

/// The bytes of all arguments; those that are not given are at the end.
/// \errors missing, outside_domain  the parameter by its name in the text; `line` is the entry
///         outside_domain           `arguments`: more than parameters; `line` is the first too many
template <class Used = core::when_used>
result<std::vector<argument_bytes>> bind_arguments(const module& m, const function& f,
                                                   std::span<const argument> given) {
    const auto parameters = m.parameters(f);
    if (given.size() > parameters.size()) {
        return model_error{errc::outside_domain, "arguments",
                           static_cast<std::uint32_t>(parameters.size() + 1)};
    }
    const unsigned address_bits = m.address_bits == 0 ? 32 : m.address_bits;
    core::late<Used, std::vector<argument_bytes>> all;
    for (std::size_t n = 0; n < parameters.size(); ++n) {
        const auto bound =
            bind_argument(n < given.size() ? given[n] : argument{}, parameters[n], n, address_bits);
        if (!bound) {
            return model_error{bound.error().code, parameters[n].name,
                               static_cast<std::uint32_t>(n + 1)};
        }
        all.push_back(*bound);
    }
    return all;
}

}  // namespace warpgauge::ptx::detail::trace

#endif
