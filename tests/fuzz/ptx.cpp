// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libFuzzer: any bytes end in a module that is consistent, or in an error with line and column; and its
// kernels in a trace that is, lowered to machine code, or in an error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/sass/lower.hpp>

#include "require.hpp"

namespace {

using fuzz::require;

void follow(const warpgauge::ptx::module& m, std::uint32_t function) {
    namespace ptx = warpgauge::ptx;
    const auto& f = m.functions[function];
    const std::vector<ptx::argument> arguments(f.parameters.count, ptx::argument(17));
    const std::vector<ptx::argument> none;
    for (const auto* given : {&arguments, &none}) {
        const auto t = ptx::trace({&m, function}, {{3}, {64}}, *given,
                                  {.max_steps = 20'000,
                                   .max_memory_bytes = 1 << 22,
                                   .max_calls = 8,
                                   .max_stream_entries = 4096});
        if (!t) {
            require(static_cast<bool>(t.error()));
            continue;
        }
        require(t->warps == 6 && std::isfinite(t->warp_insts) && std::isfinite(t->bytes_moved));
        require(t->active_lanes >= 0 && t->active_lanes <= 32);
        const auto k = t->profile();
        require(std::isfinite(k.transactions_per_uncoalesced) && std::isfinite(k.bytes_per_access));
        const auto code = warpgauge::sass::lower({&m, function}, *t);
        require(code ? std::isfinite(code->warp_insts) && code->warp_insts >= 0
                     : static_cast<bool>(code.error()));
        const auto mix = warpgauge::mix_of(t->stream);
        require(mix || t->stream.empty() || mix.error().code == warpgauge::errc::limit_reached);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    const auto m = warpgauge::ptx::parse(text);
    if (!m) {
        require(m.error().line > 0 && m.error().column > 0 && m.error());
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
    for (const auto& l : m->labels) {
        require(l.before <= m->instructions.size() && within(l.targets, m->operands.size()));
    }
    for (std::uint32_t f = 0, kernels = 0; f < m->functions.size() && kernels < 2; ++f) {
        if (!m->functions[f].has_body) continue;
        follow(*m, f);
        ++kernels;
    }
    return 0;
}
