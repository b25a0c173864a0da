// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_ERROR_FACTOR_HPP
#define WARPGAUGE_ANALYSE_ERROR_FACTOR_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/analyse/unknowns.hpp>
#include <warpgauge/core/normal.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file The model's own error: the factor between measured and predicted times, by kind of kernel.
///
///     const uncertain unknowns[]{between("dram_latency_cycles", 450, 550),
///                                saturation_error(kernel_kind::stream).unknown()};
///     const auto time = uncertain_time(saturation_model{gpu}, kernel, unknowns);

namespace WARPGAUGE_NAMESPACE {

/// Kinds of kernels for which the saturation model's error is known.
enum class kernel_kind : std::uint8_t {
    stream,             ///< `profiles::stream`
    element_wise,       ///< `profiles::element_wise`
    layer_norm,         ///< `profiles::layer_norm`
    softmax,            ///< `profiles::softmax`, `softmax_in_registers`
    batched_product,    ///< `profiles::tiled_product`, several matrices
    linear_layer,       ///< the same for one matrix, sums over up to 8192
    deep_linear_layer,  ///< the same, sums over more
    loop_nest,          ///< accesses and waits traced on the GPU's own code
    foreign_loop_nest,  ///< the same, traced on another GPU's code
    counted_loop_nest,  ///< instruction counts alone
};
inline constexpr std::size_t kernel_kinds = 10;  ///< The number of enumerators of `kernel_kind`.

/// The kind in words: "element-wise".
[[nodiscard]] constexpr std::string_view name(kernel_kind kind) noexcept {
    switch (kind) {
        case kernel_kind::stream: return "stream";
        case kernel_kind::element_wise: return "element-wise";
        case kernel_kind::layer_norm: return "layer norm";
        case kernel_kind::softmax: return "softmax";
        case kernel_kind::batched_product: return "bmm";
        case kernel_kind::linear_layer: return "linear";
        case kernel_kind::deep_linear_layer: return "linear, K > 8192";
        case kernel_kind::loop_nest: return "loop nests";
        case kernel_kind::foreign_loop_nest: return "loop nests, other GPU's counts";
        case kernel_kind::counted_loop_nest: return "loop nests, counts alone";
    }
    return "unknown";
}

/// Measured over predicted time, as a log-normal distribution: 90% of the launches that it comes from are between
/// `quantile(0.05)` and `quantile(0.95)`.
struct error_factor {
    double centre = 1;  ///< above 1: the model is too fast
    double spread{};    ///< two of three are within a factor of 1 + `spread` of `centre`

    /// The `p`-quantile of the factor, 0 < p < 1.
    [[nodiscard]] double quantile(double p) const {
        return centre * std::exp(core::normal_quantile(p) * std::log1p(spread));
    }
    /// The error as an unknown, for `sample` and `uncertain_time`: all configurations have the same error. With
    /// `independent` each has its own.
    [[nodiscard]] constexpr uncertain unknown() const {
        return log_normal("seconds", centre, spread);
    }
};

/// The saturation model's error on the measured devices, from the public measurements of docs/accuracy.md, as
/// `examples/intervals` prints it. The error is larger for another kind of kernel, or a GPU with fewer parameters.
[[nodiscard]] constexpr error_factor saturation_error(kernel_kind kind) noexcept {
    switch (kind) {
        case kernel_kind::stream: return {0.982, 0.063};
        case kernel_kind::element_wise: return {0.995, 0.0198};
        case kernel_kind::layer_norm: return {1.051, 0.067};
        case kernel_kind::softmax: return {0.939, 0.121};
        case kernel_kind::batched_product: return {0.972, 0.171};
        case kernel_kind::linear_layer: return {1.048, 0.093};
        case kernel_kind::deep_linear_layer: return {1.661, 0.415};
        case kernel_kind::loop_nest: return {1.026, 0.341};
        case kernel_kind::foreign_loop_nest: return {0.913, 0.470};
        case kernel_kind::counted_loop_nest: return {0.452, 0.582};
    }
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
