// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_WITH_SYNC_HPP
#define WARPGAUGE_MODELS_WITH_SYNC_HPP

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file A model whose time counts barriers, for all that looks at `seconds` alone: sweeps, rankings,
/// sensitivities, calibration.

namespace warpgauge {

/// The time of an estimate, with barriers.
template <scalar Real = double>
struct sync_estimate {
    Real cycles{};   ///< cycles, `cycles_with_sync` of the model
    Real seconds{};  ///< s, `seconds_with_sync` of the model
};

/// A model whose estimates have a time with barriers and one without.
template <class M>
concept counts_barriers = requires(const M& m, const kernel_profile<>& k) {
    m.predict(k)->cycles_with_sync;
    m.predict(k)->seconds_with_sync;
};

/// `model` with the barriers of its estimate in `cycles` and `seconds`: MWP/CWP by (27) of Hong & Kim 2009.
///
///     sweep(with_sync{mwp_cwp_model{gpu}}, space, seconds, errors);
template <counts_barriers M>
struct with_sync {
    [[no_unique_address]] M model{};

    /// \errors those of `model`
    template <scalar Real>
    [[nodiscard, gnu::always_inline]] constexpr result<sync_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept {
        auto e = model.predict(k);  // not const: GCC keeps a const aggregate in memory
        if (!e) return e.error();
        return sync_estimate<Real>{e->cycles_with_sync, e->seconds_with_sync};
    }
};

template <counts_barriers M>
with_sync(M) -> with_sync<M>;

}  // namespace warpgauge

#endif
