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
#include <warpgauge/ptx/text/source_name.hpp>

/// \file A kernel of a module, and the GPU that the module is for.

namespace WARPGAUGE_NAMESPACE::ptx {

/// A kernel in its module, which must outlive it.
struct kernel {
    const module* text{};      ///< the module that has it
    std::uint32_t function{};  ///< of the module
    const module_index<>*
        index{};  ///< of the module, and must outlive it too; null: each trace makes one
};

namespace detail::trace {

/// The only kernel that `fits`.
/// \errors unknown_name, ambiguous_name  without a field
template <class Fits>
constexpr result<kernel> only_kernel(const module& m, const Fits& fits) {
    kernel found;
    for (std::uint32_t f = 0; f < m.functions.size(); ++f) {
        const function& candidate = m.functions[f];
        if (!candidate.is_kernel || !candidate.has_body || !fits(candidate)) continue;
        if (found.text != nullptr) return model_error{errc::ambiguous_name};
        found = {&m, f};
    }
    if (found.text == nullptr) return model_error{errc::unknown_name};
    return found;
}

/// The only kernel with that name in its source.
/// \errors unknown_name, ambiguous_name  `name` itself
inline result<kernel> kernel_of_source(const module& m, std::string_view name) {
    const auto found =
        only_kernel(m, [&](const function& f) { return source_name(f.name) == name; });
    if (!found) return model_error{found.error().code, name};
    return found;
}

}  // namespace detail::trace

/// The kernel of that name, its symbol or the name in its source ("saxpy" of `_Z5saxpyifPKfPf`); for an empty name, the
/// only kernel.
/// \errors unknown_name    `name` itself: no kernel of that name has a body
///         missing         `kernel`: no name is given, and there is none, or several are; `message(error, m)` lists them
///         ambiguous_name  `kernel`: several have that symbol; `name` itself: several have that name in the source
[[nodiscard]] inline result<kernel> find_kernel(const module& m, std::string_view name) {
    const auto found = detail::trace::only_kernel(
        m, [&](const function& f) { return name.empty() || f.name == name; });
    if (found) return found;
    if (name.empty()) return model_error{errc::missing, "kernel"};
    if (found.error().code == errc::ambiguous_name) {
        return model_error{errc::ambiguous_name, "kernel"};
    }
    return detail::trace::kernel_of_source(m, name);
}

/// The same in an indexed module, without a search for a symbol: for many kernels of one module. Of several with that
/// symbol, the first. Both must outlive the kernel.
template <class Used>
[[nodiscard]] result<kernel> find_kernel(const module_index<Used>& index, std::string_view name) {
    if (index.source() == nullptr) return model_error{errc::missing, "kernel"};
    const std::uint32_t symbol = index.function(name);
    if (!name.empty() && symbol != link::nowhere) {
        const function& f = index.source()->functions[symbol];
        if (f.is_kernel && f.has_body) return kernel{index.source(), symbol, &index};
    }
    const auto found = name.empty() ? find_kernel(*index.source(), name)
                                    : detail::trace::kernel_of_source(*index.source(), name);
    if (!found) return found.error();
    return kernel{index.source(), found->function, &index};
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
