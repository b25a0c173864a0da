// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_WHEN_USED_HPP
#define WARPGAUGE_CORE_WHEN_USED_HPP

#include <warpgauge/core/abi.hpp>

/// \file Functions and classes that cost nothing where they are not called.
///
/// A compiler instantiates the templates that a plain inline function uses (`std::sort`, `std::vector::insert`) in
/// every unit that includes it, called or not. It instantiates nothing for a template that is not used. So a function
/// or class that needs much of the standard library is a template with one unused parameter:
///
///     template <class = core::when_used>
///     result<ranking> rank(std::span<const double> seconds);
///
/// Callers do not see the parameter: `rank(seconds)`.
///
/// In such a template, a compiler still instantiates at once the calls that it can resolve already: those of constexpr
/// members of the standard library, as all of `std::vector`'s are, on an object of a known type. `core::late` makes
/// the type depend on the template's parameter, so that it is known only when the template is used:
///
///     template <class Used = core::when_used>
///     class recorder {
///         core::late<Used, std::vector<double>> seconds_;
///
/// This is worthwhile for a single `std::span` made from a pointer or a vector: g++ 12 takes 2 to 4 MB of memory to
/// check the concepts of its constructor, for each type of element.

namespace WARPGAUGE_NAMESPACE::core {

/// The default argument of a template that is a template only so that it is compiled when it is used.
struct when_used {};

namespace detail {
template <class Used, class T>
struct named_late {
    using type = T;
};
}  // namespace detail

/// `T`, but not before the template whose parameter is `Used` is used.
template <class Used, class T>
using late = typename detail::named_late<Used, T>::type;

}  // namespace WARPGAUGE_NAMESPACE::core

#endif
