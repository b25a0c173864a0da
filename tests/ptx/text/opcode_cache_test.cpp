// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/opcode_cache.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

namespace opcode_cache_test {

using namespace warpgauge;

TEST_CASE("a remembered opcode is classified as one that is not") {
    std::vector<std::string> opcodes{"x", "ld.global.f32", "ld.shared.f32", "ld.param.u64",
                                     "st.f64"};
    // Of every length; of the same beginning and end, which only the middle tells apart.
    for (std::size_t n = 1; n < 40; ++n) opcodes.push_back(std::string(n, 'a'));
    for (const char* middle : {".global", ".shared", ".const"}) {
        opcodes.push_back("ld.volatile" + std::string(middle) + ".v4.relaxed.f32");
    }
    for (const ptx::text::root_rule& r : ptx::text::root_rules) {
        opcodes.emplace_back(r.root);
        for (const char* type : {".f32", ".f64", ".u32", ".global.u32", ".shared.b64", ".warp"}) {
            opcodes.push_back(std::string(r.root) + type);
        }
    }
    ptx::detail::text::opcode_cache cache;  // smaller than that: places are taken over
    for (int round = 0; round < 2; ++round) {
        for (const std::string& opcode : opcodes) {
            const auto remembered = cache.classify(opcode);
            const auto anew = ptx::classify(opcode);
            CHECK(remembered.known == anew.known);
            CHECK(remembered.unit == anew.unit);
        }
    }
}

}  // namespace opcode_cache_test
