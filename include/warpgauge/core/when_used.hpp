// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_WHEN_USED_HPP
#define WARPGAUGE_CORE_WHEN_USED_HPP

/// \file Functions and classes that cost nothing where they are not called.
///
/// A compiler instantiates what a plain inline function uses (`std::sort`, `std::vector::insert`) in every unit
/// that includes it, called or not. It instantiates nothing for a template that nobody names. So a function or
/// class that needs much of the standard library is a template with one unused parameter:
///
///     template <class = core::when_used>
///     result<ranking> rank(std::span<const double> seconds);
///
/// Callers do not see the parameter: `rank(seconds)`.

namespace warpgauge::core {

struct when_used {};

}  // namespace warpgauge::core

#endif
