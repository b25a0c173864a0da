// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string_view>
#include <type_traits>
#include <warpgauge/core/abi.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/result.hpp>

namespace abi_test {

#define TEXT_OF_EXPANDED(name) #name
#define TEXT_OF(name) TEXT_OF_EXPANDED(name)

static_assert(std::is_same_v<warpgauge::model_error, warpgauge::WARPGAUGE_ABI::model_error>);

TEST_CASE("the inline namespace is named after the version and the instruction set") {
    const std::string_view name = TEXT_OF(WARPGAUGE_ABI);
    const std::string_view version = "v" TEXT_OF(WARPGAUGE_VERSION_MAJOR) "_" TEXT_OF(
        WARPGAUGE_VERSION_MINOR) "_" TEXT_OF(WARPGAUGE_VERSION_PATCH);
    REQUIRE(name.substr(0, version.size()) == version);
    const std::string_view instructions = name.substr(version.size());
    CHECK((warpgauge::native_lanes == 8) == (instructions.substr(0, 7) == "_avx512"));
    CHECK((warpgauge::native_lanes >= 4) == (instructions.substr(0, 4) == "_avx"));
}

}  // namespace abi_test
