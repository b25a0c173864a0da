// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_ABI_HPP
#define WARPGAUGE_CORE_ABI_HPP

#include <warpgauge/core/version.hpp>

/// \file The namespace that all headers open: `warpgauge`, and in it an inline one named after the version and the
/// instruction set that is compiled for, for example `warpgauge::v0_2_0_avx2_fma`.
///
/// A linker keeps one of several inline functions of the same name. Without this inline namespace, the whole program
/// could run functions of a unit compiled for AVX2, and fail on older processors; and if units used two versions, all
/// would call the functions of one. Users write `warpgauge::`. They notice the namespace only if a unit passes a type
/// of the library to a unit that is compiled differently: that does not link.

#if defined(__AVX512F__)
#define WARPGAUGE_VECTORS _avx512
#elif defined(__AVX2__)
#define WARPGAUGE_VECTORS _avx2
#elif defined(__AVX__)
#define WARPGAUGE_VECTORS _avx
#elif defined(__SSE4_1__)
#define WARPGAUGE_VECTORS _sse4_1
#else
/// The end of the name for the vectors compiled for: `_avx512`, `_avx2`, `_avx`, `_sse4_1` or nothing.
#define WARPGAUGE_VECTORS
#endif

#if defined(__FMA__)
#define WARPGAUGE_FMA _fma
#else
/// The end of the name for fused multiply-add: `_fma` or nothing.
#define WARPGAUGE_FMA
#endif

/// Joins parts to one name, without expanding macros.
#define WARPGAUGE_JOIN(major, minor, patch, vectors, fma) v##major##_##minor##_##patch##vectors##fma
/// Joins parts to one name, after expanding macros.
#define WARPGAUGE_EXPAND_AND_JOIN(major, minor, patch, vectors, fma) \
    WARPGAUGE_JOIN(major, minor, patch, vectors, fma)
/// The name of the inline namespace.
#define WARPGAUGE_ABI                                                           \
    WARPGAUGE_EXPAND_AND_JOIN(WARPGAUGE_VERSION_MAJOR, WARPGAUGE_VERSION_MINOR, \
                              WARPGAUGE_VERSION_PATCH, WARPGAUGE_VECTORS, WARPGAUGE_FMA)

/// The namespace that each header opens: `namespace WARPGAUGE_NAMESPACE::core {`.
#define WARPGAUGE_NAMESPACE warpgauge::inline WARPGAUGE_ABI

#endif
