// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: any bytes end in a module that is consistent, or in an error with line and column.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <warpgauge/ptx/parse.hpp>

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto m = warpgauge::ptx::parse(text);
    if (!m) {
        require(m.error().line > 0 && m.error().column > 0 && !m.error().field.empty());
        return 0;
    }
    const auto within = [](warpgauge::ptx::range r, std::size_t of) {
        return r.first <= of && r.count <= of - r.first;
    };
    const auto is_view = [&](std::string_view v) {
        return v.empty() ||
               (v.data() >= text.data() && v.data() + v.size() <= text.data() + text.size());
    };
    for (const auto& f : m->functions) {
        require(is_view(f.name) && within(f.instructions, m->instructions.size()) &&
                within(f.parameters, m->declarations.size()) &&
                within(f.returns, m->declarations.size()) &&
                within(f.declarations, m->declarations.size()) &&
                within(f.labels, m->labels.size()));
    }
    for (const auto& i : m->instructions) {
        require(is_view(i.opcode) && !i.opcode.empty() && within(i.operands, m->operands.size()));
        for (std::size_t o = 0; o < i.operands.count; ++o) {
            const auto& operand = m->operands[i.operands.first + o];
            require(is_view(operand.text) && operand.parts < i.operands.count - o);
        }
    }
    for (const auto& d : m->declarations) {
        require(is_view(d.name) && within(d.scope, m->instructions.size()));
    }
    for (const auto& l : m->labels) require(l.before <= m->instructions.size());
    return 0;
}
