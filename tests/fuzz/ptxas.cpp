// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: any text is what ptxas or a disassembler says of a kernel, or an error that names it or a line.
#include <warpgauge/ptx/text/resources.hpp>
#include <warpgauge/sass/listing.hpp>

#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // The name of the kernel is the first line, so that the fuzzer can make the two meet.
    const std::string_view all = fuzz::text_of(data, size);
    const std::size_t end = all.find('\n');
    if (end == std::string_view::npos) return 0;
    const auto found = warpgauge::ptx::read_resources(all.substr(end + 1), all.substr(0, end));
    if (!found) fuzz::require(static_cast<bool>(found.error()) && !found.error().field.empty());
    const auto again = warpgauge::ptx::read_resources(all.substr(end + 1), all.substr(0, end));
    fuzz::require(found ? again && *found == *again : !again);
    const auto listed = warpgauge::sass::read_listing(all.substr(end + 1), all.substr(0, end));
    if (!listed) fuzz::require(static_cast<bool>(listed.error()) && !listed.error().field.empty());
    if (listed) fuzz::require(listed->instructions.size() <= size / 32);
    return 0;
}
