// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: any bytes are a cubin whose instructions lie within it, or an error.
#include <cmath>
#include <vector>

#include <warpgauge/sass.hpp>

#include "require.hpp"

namespace sass = warpgauge::sass;

namespace {

void read(sass::byte_view file, std::string_view kernel) {
    const auto code = sass::read_cubin(file, kernel);
    if (!code) {
        fuzz::require(static_cast<bool>(code.error()));
        return;
    }
    fuzz::require(code->instructions.size() * 16 <= file.size());
    const sass::block_graph graph = sass::find_blocks(code->instructions);
    for (const sass::basic_block& b : graph.blocks) {
        fuzz::require(b.first <= code->instructions.size() &&
                      b.count <= code->instructions.size() - b.first);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const sass::byte_view file(reinterpret_cast<const std::byte*>(data), size);
    read(file, {});
    const auto names = sass::list_code(file);
    if (!names) {
        fuzz::require(static_cast<bool>(names.error()));
        return 0;
    }
    for (std::size_t n = 0; n < names->size() && n < 4; ++n) read(file, (*names)[n]);
    return 0;
}
