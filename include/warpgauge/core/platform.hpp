// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_PLATFORM_HPP
#define WARPGAUGE_CORE_PLATFORM_HPP

/// \file The library's requirements of a compiler, with a message for each that is missing.
///
/// Checks compare with infinity and rely on NaN being unequal to itself, and rounding depends on the order of two
/// additions. `-ffast-math` silently gives up all three, so it is refused. docs/platforms.md lists the tested
/// platforms.

#if !defined(__GNUC__)
#error "warpgauge needs GCC or Clang: it uses their vector types (vector_size)"
#elif __cplusplus < 202002L
#error "warpgauge needs C++20: compile with -std=c++20"
#elif defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "warpgauge needs NaN and infinity: compile without -ffast-math and -ffinite-math-only"
#elif !defined(__SIZEOF_INT128__)
#error "warpgauge needs a target with __int128, as 64-bit targets and WebAssembly have it"
#endif

#endif
