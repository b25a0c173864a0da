// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_VERSION_HPP
#define WARPGAUGE_CORE_VERSION_HPP

/// \file The one place where the version is written; the build reads it from here.

/// The major number of the version.
#define WARPGAUGE_VERSION_MAJOR 0
/// The minor number of the version.
#define WARPGAUGE_VERSION_MINOR 2
/// The patch number of the version.
#define WARPGAUGE_VERSION_PATCH 0

#endif
