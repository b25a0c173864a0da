// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: any text is a file of launches, or a failure that names the file.
#include <string>

#include "failure.hpp"
#include "launch.hpp"
#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        const program::launch_file all = program::launches_in("f.json", fuzz::text_of(data, size));
        fuzz::require(!all.launches.empty());
        for (const program::launch_request& r : all.launches) {
            try {
                const warpgauge::ptx::launch l = program::launch_of(r);
                fuzz::require(l.block.x <= 0x7fff'ffff && l.grid.x <= 0x7fff'ffff);
            } catch (const program::failure& f) {
                fuzz::require(!f.text.empty());
            }
        }
    } catch (const program::failure& f) {
        fuzz::require(f.status == program::usage_failure && f.text.substr(0, 6) == "f.json");
    }
    return 0;
}
