// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_MACHINE_VARIANT_HPP
#define WARPGAUGE_TUNE_MACHINE_VARIANT_HPP

#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sass/byte_cursor.hpp>
#include <warpgauge/sass/cubin.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/machine_stream.hpp>
#include <warpgauge/tune/rank_from_source.hpp>

/// \file Configurations with the machine code that ptxas made of them.

namespace WARPGAUGE_NAMESPACE {

/// A configuration with machine code for `rank_from_source` and `trace_variants`. The code gives registers,
/// instructions by pipe, spills as often as they are executed, and the stream; the trace of the PTX gives the rest.
struct machine_variant : source_variant {
    /// A cubin that `ptxas -lineinfo` made of `ptx`, line for line. Not owned; if empty, only the PTX counts.
    sass::byte_view cubin{};

    /// Writes the counts of the machine code into `to`.
    /// \errors those of `sass::read_cubin`, `sass::join` and `sass::stream_of`
    [[nodiscard]] model_error refine(const ptx::module& text, const ptx::traced_kernel& trace,
                                     traced_variant& to) const {
        if (cubin.empty()) return {};
        const auto code = sass::read_cubin(cubin, trace.name);
        if (!code) return code.error();
        const auto executed = sass::join(text, trace, *code);
        if (!executed) return executed.error();
        auto stream = sass::stream_of(*executed, trace);
        if (!stream) return stream.error();
        to.counts = executed->profile(trace);
        to.instructions = std::move(stream->instructions);
        return {};
    }
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
