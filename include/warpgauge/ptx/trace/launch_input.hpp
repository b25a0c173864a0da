// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LAUNCH_INPUT_HPP
#define WARPGAUGE_PTX_TRACE_LAUNCH_INPUT_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/value_type.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/launch_limits.hpp>
#include <warpgauge/ptx/trace/pointer_parameters.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file Checks a launch, and makes bytes of its arguments.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::run::argument_bytes;

/// Do whole clusters make the grid along a dimension? 0: the launch does not say of how many blocks they are.
constexpr bool are_whole(std::uint32_t blocks, std::uint32_t given, std::uint32_t of_text) {
    const std::uint32_t cluster = given != 0 ? given : of_text;
    return cluster == 0 || blocks % cluster == 0;
}

/// \errors not_positive, exceeds_device, broken_constraint, overflow  as `ptx::trace`
constexpr model_error check_launch(const launch& l, const function& f) {
    const extent& grid = l.grid;
    const extent& block = l.block;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return {errc::not_positive, "grid"};
    const exceeded_limit over = exceeded(l);
    if (over.field == "grid") return {errc::exceeds_device, "grid"};
    if (block.x == 0 || block.y == 0 || block.z == 0) return {errc::not_positive, "block"};
    if (over.field == "block") return {errc::exceeds_device, "block"};
    const auto& required = f.required_threads;
    const extent wanted{required[0], required[1], required[2]};
    if (required[0] != 0 && wanted != block) return {errc::broken_constraint, ".reqntid"};
    const auto& most = f.max_threads;
    if (most[0] != 0 && block.count() > std::uint64_t{most[0]} * most[1] * most[2]) {
        return {errc::broken_constraint, ".maxntid"};
    }
    if (!are_whole(grid.x, l.cluster.x, f.cluster[0]) ||
        !are_whole(grid.y, l.cluster.y, f.cluster[1]) ||
        !are_whole(grid.z, l.cluster.z, f.cluster[2])) {
        return {errc::broken_constraint, "cluster"};
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

/// What the text does with a parameter that is not given.
struct parameter_use {
    bool is_pointer{};
    bool is_used = true;
};

/// An integer, or plain bits of its size.
constexpr bool is_integer(const declaration& parameter, ptx::text::value_type& type) {
    ptx::text::read_type(parameter.type, type);
    return type.followed && parameter.elements == 1 && parameter.vector == 1;
}

/// Whether `bits` bits, 1 to 64, hold the integer: without a sign, or with it.
constexpr bool fits(std::uint64_t value, unsigned bits) {
    const std::uint64_t above = value >> (bits - 1);
    return above <= 1 || above == ~std::uint64_t{0} >> (bits - 1);
}

/// The bytes of one argument of a parameter; without the fields of a structure.
/// \errors missing         an integer that is used and not given, and no pointer; without a field
///         outside_domain  an integer for what is none; fields of what is no structure
///         overflow        an integer that the parameter has too few bits for
constexpr result<argument_bytes> bind_argument(const argument& a, const declaration& parameter,
                                               std::size_t number, unsigned address_bits,
                                               const parameter_use& use) {
    ptx::text::value_type type;
    const bool whole = is_integer(parameter, type);
    argument_bytes bound;
    std::uint64_t value = a.value();
    switch (a.what()) {
        case argument::kind::unknown: return bound;
        case argument::kind::bytes:
            bound.bytes = a.bytes();
            bound.known = true;
            return bound;
        case argument::kind::fields:
            if (whole) return model_error{errc::outside_domain};
            return bound;
        case argument::kind::integer:
            if (!whole) return model_error{errc::outside_domain};
            if (!fits(value, type.bits)) return model_error{errc::overflow};
            break;
        case argument::kind::not_given:
            if (!whole) return bound;
            if (type.bits != address_bits || !use.is_pointer) {
                if (type.bits != address_bits || use.is_used) return model_error{errc::missing};
                return bound;
            }
            value = allocation(number, address_bits);
            break;
    }
    bound.known = true;
    for (std::size_t b = 0; b < 8; ++b) {
        bound.small[b] = static_cast<unsigned char>(value >> 8 * b & 0xff);
    }
    return bound;
}

/// What a launch is given, as bytes.
struct bound_arguments {
    std::vector<argument_bytes> parameters{};
    std::vector<ptx::run::known_field> fields{};  ///< of structures; `parameters` views them
};

template <class Used = core::when_used>
class argument_binder {
public:
    argument_binder(const program& p, const function& f, std::span<const argument> given)
        : program_(p), parameters_(p.source->parameters(f)), given_(given) {}

    result<bound_arguments> bind() {
        if (given_.size() > parameters_.size()) {
            return model_error{errc::outside_domain, "arguments",
                               static_cast<std::uint32_t>(parameters_.size() + 1)};
        }
        if (needs_flow()) flow();
        for (std::size_t n = 0; n < parameters_.size(); ++n) {
            const auto one = bind_argument(given(n), parameters_[n], n, address_bits(), use_of(n));
            if (!one) return error(one.error().code, n);
            all_.parameters.push_back(*one);
            first_field_.push_back(all_.fields.size());
            if (!add_fields(n)) return error(errc::outside_domain, n);
        }
        first_field_.push_back(all_.fields.size());
        for (std::size_t n = 0; n < parameters_.size(); ++n) {
            all_.parameters[n].fields = {all_.fields.data() + first_field_[n],
                                         first_field_[n + 1] - first_field_[n]};
        }
        return std::move(all_);
    }

    /// The parameters of which it is an error that nothing is given.
    std::vector<bool> needed() {
        flow();
        core::late<Used, std::vector<bool>> all;
        for (std::size_t n = 0; n < parameters_.size(); ++n) {
            all.push_back(!bind_argument({}, parameters_[n], n, address_bits(), use_of(n)));
        }
        return all;
    }

private:
    [[nodiscard]] argument given(std::size_t n) const {
        return n < given_.size() ? given_[n] : argument{};
    }
    [[nodiscard]] unsigned address_bits() const {
        return program_.source->address_bits == 0 ? 32 : program_.source->address_bits;
    }
    [[nodiscard]] model_error error(errc code, std::size_t n) const {
        return {code, parameters_[n].name, static_cast<std::uint32_t>(n + 1)};
    }

    // Is there a structure, or a number that may be a pointer?
    [[nodiscard]] bool needs_flow() const {
        for (std::size_t n = 0; n < parameters_.size(); ++n) {
            ptx::text::value_type type;
            const auto what = given(n).what();
            const bool open = what == argument::kind::not_given || what == argument::kind::fields;
            const bool whole = is_integer(parameters_[n], type);
            if (open && (whole ? type.bits == address_bits() : type.followed)) return true;
        }
        return false;
    }

    void flow() {
        const pointer_flow<Used> found(program_);
        pointers_ = found.fields();
        for (std::size_t n = 0; n < parameters_.size(); ++n) {
            used_.push_back(found.is_used(static_cast<std::uint32_t>(n)));
        }
    }

    [[nodiscard]] parameter_use use_of(std::size_t n) const {
        parameter_use use{.is_pointer = parameters_[n].is_pointer};
        if (n < used_.size()) use.is_used = used_[n];
        for (const pointer_field& p : pointers_) {
            use.is_pointer = use.is_pointer || (p.parameter == n && p.offset == 0);
        }
        return use;
    }

    // The fields that are given, and allocations for pointers; false if one lies outside of the structure or does not hold
    // its value.
    bool add_fields(std::size_t n) {
        ptx::text::value_type type;
        const argument a = given(n);
        const bool open =
            a.what() == argument::kind::not_given || a.what() == argument::kind::fields;
        if (!open || is_integer(parameters_[n], type)) return true;
        const std::uint64_t size = parameters_[n].elements * ptx::text::bytes_of(type);
        for (const argument_field& f : a.fields()) {
            if (f.bytes == 0 || f.bytes > 8 || f.offset > size || f.bytes > size - f.offset ||
                !fits(f.value, 8 * f.bytes)) {
                return false;
            }
            all_.fields.push_back({f.offset, f.bytes, f.value});
        }
        for (const pointer_field& p : pointers_) {
            if (p.parameter != n) continue;
            const std::size_t number = parameters_.size() + allocations_++;
            all_.fields.push_back(
                {p.offset, address_bits() / 8, allocation(number, address_bits())});
        }
        return true;
    }

    const program& program_;
    std::span<const declaration> parameters_;
    std::span<const argument> given_;
    core::late<Used, bound_arguments> all_;
    core::late<Used, std::vector<pointer_field>> pointers_;
    core::late<Used, std::vector<std::size_t>> first_field_;
    core::late<Used, std::vector<bool>> used_;
    std::size_t allocations_ = 0;  // of fields
};

/// The bytes of all arguments; those that are not given are at the end.
/// \errors missing, outside_domain, overflow  the parameter by its name in the text; `line` is the entry
///         outside_domain           `arguments`: more than parameters; `line` is the first too many
template <class Used = core::when_used>
result<bound_arguments> bind_arguments(const program& p, const function& f,
                                       std::span<const argument> given) {
    return argument_binder<Used>(p, f, given).bind();
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
