// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_FIND_KERNEL_HPP
#define WARPGAUGE_PTX_TRACE_FIND_KERNEL_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/link/module_index.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file A kernel of a module, and the GPU that the module is for.

namespace WARPGAUGE_NAMESPACE::ptx {

/// A kernel in its module, which must outlive it.
struct kernel {
    const module* text{};      ///< the module that has it
    std::uint32_t function{};  ///< of the module
    const module_index<>*
        index{};  ///< of the module, and must outlive it too; null: each trace makes one
};

/// The kernel of that name; for an empty name, the only kernel.
/// \errors unknown_name    `name` itself: no kernel of that name has a body
///         missing         `kernel`: no name is given, and there is none
///         ambiguous_name  `kernel`: no name is given, and there are several
[[nodiscard]] inline result<kernel> find_kernel(const module& m, std::string_view name) {
    kernel found;
    for (std::uint32_t f = 0; f < m.functions.size(); ++f) {
        const function& candidate = m.functions[f];
        if (!candidate.is_kernel || !candidate.has_body) continue;
        if (!name.empty() && candidate.name != name) continue;
        if (found.text != nullptr) return model_error{errc::ambiguous_name, "kernel"};
        found = {&m, f};
    }
    if (found.text != nullptr) return found;
    if (name.empty()) return model_error{errc::missing, "kernel"};
    return model_error{errc::unknown_name, name};
}

/// The same in an indexed module, without a search: for many kernels of one module. Of several with that name, the
/// first. Both must outlive the kernel.
template <class Used>
[[nodiscard]] result<kernel> find_kernel(const module_index<Used>& index, std::string_view name) {
    if (index.source() == nullptr) return model_error{errc::missing, "kernel"};
    kernel found{index.source(), index.function(name), &index};
    if (name.empty()) {
        const auto only = find_kernel(*index.source(), name);
        if (!only) return only.error();
        found.function = only->function;
    }
    const bool exists = found.function != link::nowhere;
    if (exists && found.text->functions[found.function].is_kernel &&
        found.text->functions[found.function].has_body) {
        return found;
    }
    return model_error{errc::unknown_name, name};
}
/// Refused: the kernel would outlive its index.
template <class Used>
result<kernel> find_kernel(module_index<Used>&&, std::string_view) = delete;
/// Refused: the kernel would outlive its module.
result<kernel> find_kernel(module&&, std::string_view) = delete;  // would not outlive it

/// The compute capability that a text is for: 9.0 for `.target sm_90a`; {} if it has none.
[[nodiscard]] constexpr compute_capability target_of(const module& m) noexcept {
    const std::size_t found = m.target.find("sm_");
    if (found == std::string_view::npos) return {};
    int number = 0;
    for (const char c : m.target.substr(found + 3)) {
        if (c < '0' || c > '9' || number > 1000) break;
        number = 10 * number + (c - '0');
    }
    return {number / 10, number % 10};
}

namespace detail::trace {

constexpr bool has_body(const kernel& k) {
    return k.text != nullptr && k.function < k.text->functions.size() &&
           k.text->functions[k.function].has_body;
}

}  // namespace detail::trace

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
