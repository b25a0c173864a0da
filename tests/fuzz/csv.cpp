// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: any text is a table of launches whose numbers are in range, or an error with line and column.
#include <sstream>
#include <string>

#include "launches.hpp"
#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::istringstream in{std::string(fuzz::text_of(data, size))};
    const auto launches = read_launches(in);
    if (!launches) {
        const warpgauge::model_error& bad = launches.error();
        fuzz::require(bad.line > 0 && bad.column > 0 && !bad.field.empty());
        return 0;
    }
    for (const launch& l : *launches) fuzz::require(l.time_ms > 0 && l.time_ms < 1e300);
    return 0;
}
