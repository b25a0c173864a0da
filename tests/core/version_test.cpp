// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include <warpgauge/core/version.hpp>

namespace version_test {

TEST_CASE("the version is of three numbers, which the build reads") {
    const std::string written = std::to_string(WARPGAUGE_VERSION_MAJOR) + "." +
                                std::to_string(WARPGAUGE_VERSION_MINOR) + "." +
                                std::to_string(WARPGAUGE_VERSION_PATCH);
    CHECK(written == BUILD_VERSION);
}

}  // namespace version_test
