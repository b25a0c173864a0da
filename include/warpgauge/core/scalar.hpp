// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_SCALAR_HPP
#define WARPGAUGE_CORE_SCALAR_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <warpgauge/core/result.hpp>

/// \file The arithmetic that the models need, for any kind of real number.
///
/// A `scalar` is `double`, `float`, a dual number or a pack of lanes. Models select by value
/// (`core::select`) and do not branch, so that every lane takes its own case and a derivative
/// belongs to the side that was taken.

namespace WARPGAUGE_NAMESPACE {

/// The type of a comparison of two `Real`s: `bool`, or the mask of a pack.
template <class Real>
using mask_of = decltype(std::declval<const Real&>() < std::declval<const Real&>());

namespace core::detail {
/// `floor(x)` as found in the number type's own namespace.
template <class T>
constexpr T floor_of(const T& x) {
    return floor(x);
}
/// `sqrt(x)` as found in the number type's own namespace.
template <class T>
constexpr T sqrt_of(const T& x) {
    return sqrt(x);
}

// <limits> would be a fifth of what a model's header adds to <string_view>.

/// Whether `x` is neither infinite nor NaN.
template <std::floating_point T>
constexpr bool is_finite(const T& x) {
    return -static_cast<T>(__builtin_huge_val()) < x && x < static_cast<T>(__builtin_huge_val());
}

/// The smallest power of two from which on every `T` is a whole number: 2^52 for a double.
template <std::floating_point T>
consteval T whole_from() {
    T x = 1;
    while (x + T(0.5) != x) x += x;
    return x;
}

/// The square root of `x` > 0 by Newton's method from above, whose values fall until they reach it: the nearest
/// double or one next to it.
template <std::floating_point T>
constexpr T newton_sqrt(const T& x) {
    T root = x > 1 ? x : T(1);
    while (true) {
        const T next = (root + x / root) / 2;
        if (!(next < root)) return root;
        root = next;
    }
}

/// The double nearest to the square root of `x` > 0, as a processor gives it. For constant expressions.
constexpr double nearest_sqrt(double x) {
    const double near = newton_sqrt(x);
    if (x < 1e-280) return near;  // the parts of the square below would lose digits
    // What `near` squared lacks of `x`, without rounding: both halves of `near` have squares that fit a double
    // (T. J. Dekker, "A floating-point technique for extending the available precision", 1971).
    const double scaled = 134217729 * near;
    const double high = scaled - (scaled - near);
    const double low = near - high;
    const double lacks = ((x - high * high) - 2 * high * low) - low * low;
    return near + lacks / (2 * near);
}

/// The square root of `x` > 0, with the same bits in a constant expression and when the program runs.
template <std::floating_point T>
constexpr T floating_sqrt(const T& x) {
    if constexpr (std::same_as<T, double>) {
        if (std::is_constant_evaluated()) return nearest_sqrt(x);
#if defined(__SSE2__) && __has_builtin(__builtin_ia32_sqrtsd)
        using pair = double __attribute__((vector_size(16)));
#if defined(__clang__)
        const pair square{x, 0.0};
#else
        pair square;
        asm("" : "=x"(square) : "0"(x));  // else GCC clears the upper half, which nobody reads
#endif
        const pair root = __builtin_ia32_sqrtsd(square);  // without a look at errno
        return root[0];
#else
        return __builtin_sqrt(x);
#endif
    } else if constexpr (std::same_as<T, float>) {
        return static_cast<float>(floating_sqrt(static_cast<double>(x)));
    } else {
        return x > 0 && is_finite(x) ? newton_sqrt(x) : x;
    }
}

// <algorithm> takes longer to include than most headers here.
}  // namespace core::detail

/// How to select and round for a `Real`. Specialise it for a number type whose comparisons are not
/// `bool` (a pack of lanes), or whose `floor` is not found by argument-dependent lookup. Such a type may
/// also have `ceil`, and the two as `floor_small` and `ceil_small` for 0 <= x < 2^52.
template <class Real>
struct scalar_traits {
    /// `yes` where `condition` holds, else `no`.
    static constexpr Real select(bool condition, const Real& yes, const Real& no) {
        return condition ? yes : no;
    }
    /// True if `condition` holds (for a pack: in every lane).
    static constexpr bool all(bool condition) { return condition; }
    /// The greatest whole number not above `x`, for any `x`.
    static constexpr Real floor(const Real& x) {
        if constexpr (std::floating_point<Real>) {
#if defined(__SSE4_1__)
            if (!std::is_constant_evaluated() && std::same_as<Real, double>) {
                return __builtin_floor(x);  // one instruction
            }
#endif
            constexpr Real whole_from = core::detail::whole_from<Real>();
            if (!(x < whole_from && -whole_from < x)) return x;  // whole already, infinite or NaN
            const Real cut = static_cast<Real>(static_cast<long long>(x));
            return cut - (x < cut ? Real(1) : Real(0));
        } else {
            return core::detail::floor_of(x);
        }
    }
    /// The square root of `x` >= 0, the nearest number; the same bits when compiled and when run. Only some
    /// models need it.
    static constexpr Real sqrt(const Real& x) {
        if constexpr (std::floating_point<Real>) {
            if (std::is_constant_evaluated() && !(x > 0 && core::detail::is_finite(x))) {
                return x;  // 0, infinite or NaN
            }
            return core::detail::floating_sqrt(x);
        } else {
            return core::detail::sqrt_of(x);
        }
    }
};

/// A real number that the models can compute with: closed under `+ - * /`, made from a `double`,
/// compared with `<`, `<=`, `==`, selected and rounded through `scalar_traits`.
// clang-format off
template <class T>
concept scalar =
    std::copyable<T> && !std::integral<T> && std::constructible_from<T, double> &&
    requires(const T& a, const T& b, const mask_of<T>& m, const mask_of<T>& n) {
        { a + b } -> std::convertible_to<T>;
        { a - b } -> std::convertible_to<T>;
        { a * b } -> std::convertible_to<T>;
        { a / b } -> std::convertible_to<T>;
        { a <= b } -> std::convertible_to<mask_of<T>>;
        { a == b } -> std::convertible_to<mask_of<T>>;
        { m && n } -> std::convertible_to<mask_of<T>>;
        { m || n } -> std::convertible_to<mask_of<T>>;
        { !m } -> std::convertible_to<mask_of<T>>;
        { scalar_traits<T>::select(m, a, b) } -> std::convertible_to<T>;
        { scalar_traits<T>::all(m) } -> std::convertible_to<bool>;
        { scalar_traits<T>::floor(a) } -> std::convertible_to<T>;
    };
// clang-format on

/// A type that the parameters of a device may have: any arithmetic type or `scalar`.
template <class T>
concept number = std::is_arithmetic_v<std::remove_cvref_t<T>> || scalar<std::remove_cvref_t<T>>;

/// The case that was taken: the enumerator, or for a pack, its number in each lane.
template <scalar Real, class Enum>
using choice_of = std::conditional_t<std::same_as<mask_of<Real>, bool>, Enum, Real>;

namespace core {

/// `yes` where `condition` holds, `no` elsewhere; in a pack, lane by lane.
template <scalar Real>
[[nodiscard]] constexpr Real select(const mask_of<Real>& condition,
                                    const std::type_identity_t<Real>& yes, const Real& no) {
    return scalar_traits<Real>::select(condition, yes, no);
}

/// The smaller of two; `a` where they are equal or either is NaN.
template <scalar Real>
[[nodiscard]] constexpr Real min(const Real& a, const Real& b) {
    return select(b < a, b, a);
}

/// The larger of two; `a` where they are equal or either is NaN.
template <scalar Real>
[[nodiscard]] constexpr Real max(const Real& a, const Real& b) {
    return select(a < b, b, a);
}

/// The smaller of two whole numbers.
template <std::integral Whole>
[[nodiscard]] constexpr Whole min(Whole a, std::type_identity_t<Whole> b) {
    return b < a ? b : a;
}
/// The larger of two whole numbers.
template <std::integral Whole>
[[nodiscard]] constexpr Whole max(Whole a, std::type_identity_t<Whole> b) {
    return a < b ? b : a;
}

/// The greatest whole number not above `x`.
template <scalar Real>
[[nodiscard]] constexpr Real floor(const Real& x) {
    return scalar_traits<Real>::floor(x);
}

/// The square root of `x`.
template <scalar Real>
[[nodiscard]] constexpr Real sqrt(const Real& x) {
    return scalar_traits<Real>::sqrt(x);
}

/// The smallest whole number not below `x`.
template <scalar Real>
[[nodiscard]] constexpr Real ceil(const Real& x) {
    if constexpr (requires { scalar_traits<Real>::ceil(x); }) {
        return scalar_traits<Real>::ceil(x);
    } else {
#if defined(__SSE4_1__)
        if constexpr (std::same_as<Real, double>) {
            if (!std::is_constant_evaluated()) return __builtin_ceil(x);
        }
#endif
        const Real down = floor(x);
        return down + select(down < x, Real(1.0), Real(0.0));
    }
}

/// `a / b`, rounded down to a whole number. The caller has to ensure a >= 0, b > 0 and a / b below 2^52. Without the
/// checks of `floor` it takes a third of the time.
template <scalar Real>
[[nodiscard]] constexpr Real quotient_down(const Real& a, const Real& b) {
    if constexpr (std::floating_point<Real>) {
        return static_cast<Real>(static_cast<long long>(a / b));
    } else if constexpr (requires { scalar_traits<Real>::floor_small(a); }) {
        return scalar_traits<Real>::floor_small(a / b);
    } else {
        return floor(Real(a / b));
    }
}

/// `a / b`, rounded up to a whole number, with the same preconditions.
template <scalar Real>
[[nodiscard]] constexpr Real quotient_up(const Real& a, const Real& b) {
    const Real q = a / b;
    if constexpr (requires { scalar_traits<Real>::ceil_small(q); }) {
        return scalar_traits<Real>::ceil_small(q);
    } else {
        const Real down = quotient_down(q, Real(1.0));
        return down + select(down < q, Real(1.0), Real(0.0));
    }
}

/// Infinity as a `Real`.
template <scalar Real>
[[nodiscard]] constexpr Real infinity() {
    return Real(__builtin_huge_val());
}

/// True if `x` is neither infinite nor NaN (for a pack: in every lane).
template <scalar Real>
[[nodiscard]] constexpr bool finite(const Real& x) {
    return scalar_traits<Real>::all(Real(0.0) - infinity<Real>() < x && x < infinity<Real>());
}

/// True if `x` is a finite number above zero (for a pack: in every lane).
template <scalar Real>
[[nodiscard]] constexpr bool positive(const Real& x) {
    return scalar_traits<Real>::all(Real(0.0) < x && x < infinity<Real>());
}

/// True if `x` is a finite number, zero or above (for a pack: in every lane).
template <scalar Real>
[[nodiscard]] constexpr bool non_negative(const Real& x) {
    return scalar_traits<Real>::all(Real(0.0) <= x && x < infinity<Real>());
}

/// Inputs of models are between these (counts may be smaller, and 0 if that has a meaning), so
/// that no product in the equations leaves the range of a double.
inline constexpr double min_input = 1e-10;
inline constexpr double max_input = 1e20;  ///< the greatest input, of whatever unit

/// Whether an input may be 0.
enum class zero : bool {
    forbidden,  ///< it must be above 0
    allowed,    ///< it may be 0
};

/// The error of the input `x`, with the name `field`; no error if it is in range.
template <scalar Real>
[[nodiscard]] constexpr model_error check_input(const Real& x, std::string_view field,
                                                zero is_zero = zero::forbidden) {
    using traits = scalar_traits<Real>;
    if (is_zero == zero::allowed) {
        if (!non_negative(x)) return {errc::negative, field};
    } else {
        if (!positive(x)) return {errc::not_positive, field};
        if (!traits::all(Real(min_input) <= x)) return {errc::overflow, field};
    }
    if (!traits::all(x <= Real(max_input))) return {errc::overflow, field};
    return {};
}

/// A number under the name that an error gives it.
template <scalar Real>
struct named_input {
    Real value;                      ///< the number
    std::string_view field;          ///< what an error calls it
    zero is_zero = zero::forbidden;  ///< whether it may be 0
};

/// The error of the first of `inputs` that is out of range, as by `check_input`.
template <scalar Real, std::size_t Count>
[[nodiscard]] constexpr model_error check_inputs(const named_input<Real> (&inputs)[Count]) {
    for (const named_input<Real>& i : inputs) {
        if (const auto bad = check_input(i.value, i.field, i.is_zero)) return bad;
    }
    return {};
}

/// The error not_an_enumerator for `field` if `value` is not in an enumeration that counts from 0 to `last`.
template <class Enum>
requires std::is_enum_v<Enum>
[[nodiscard]] constexpr model_error check_enumerator(Enum value, Enum last,
                                                     std::string_view field) {
    using number = std::underlying_type_t<Enum>;
    if (static_cast<number>(value) <= static_cast<number>(last)) return {};
    return {errc::not_an_enumerator, field};
}

/// A number that has to be within bounds, and may have to be whole.
struct bounded_parameter {
    double value;            ///< the number
    std::string_view field;  ///< what an error calls it
    bool whole;              ///< whether it has to be a whole number
    double least;            ///< the minimum
    double most;             ///< the maximum
};

/// Its error, if it has one.
[[nodiscard]] constexpr model_error check_bounded(const bounded_parameter& f) {
    if (!non_negative(f.value)) return {errc::negative, f.field};
    if (f.value < f.least) return {errc::outside_domain, f.field};
    if (f.value > f.most) return {errc::overflow, f.field};
    if (f.whole && floor(f.value) != f.value) return {errc::not_whole, f.field};
    return {};
}

/// `yes` where `condition` holds, else `no`, as a `choice_of<Real, Enum>`.
template <scalar Real, class Enum>
[[nodiscard]] constexpr choice_of<Real, Enum> choose(const mask_of<Real>& condition,
                                                     const choice_of<Real, Enum>& yes,
                                                     const choice_of<Real, Enum>& no) {
    if constexpr (std::same_as<mask_of<Real>, bool>) {
        return condition ? yes : no;
    } else {
        return scalar_traits<Real>::select(condition, yes, no);
    }
}

/// An enumerator as a `choice_of<Real, Enum>`.
template <scalar Real, class Enum>
[[nodiscard]] constexpr choice_of<Real, Enum> choice(Enum value) {
    if constexpr (std::same_as<mask_of<Real>, bool>) {
        return value;
    } else {
        return Real(static_cast<double>(value));
    }
}

}  // namespace core

}  // namespace WARPGAUGE_NAMESPACE

#endif
