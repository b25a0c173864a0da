// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_HPP
#define WARPGAUGE_PTX_HPP

/// \file From PTX text to a profile, without a GPU.
///
/// Text: `ptx::parse` gives a `ptx::module` of `ptx::function`s, `ptx::declaration`s and
/// `ptx::instruction`s; `ptx::classify` says which unit executes an opcode; `ptx::read_resources` reads
/// the report of ptxas or cuobjdump on a kernel as `ptx::kernel_resources`.
///
/// Trace: `ptx::find_kernel` gives a `ptx::kernel`; `ptx::trace` follows a `ptx::launch` of it with `ptx::argument`s
/// and `ptx::trace_options` (`ptx::sampling`, `ptx::hint`) and gives a `ptx::traced_kernel` with its
/// `ptx::memory_access`es, its `ptx::assumption`s and a profile; `ptx::live_registers` estimates registers;
/// `ptx::target_of` is the compute capability of a text; `ptx::message` is the error of an argument, with its
/// position, type and name, or of the name of a kernel.
///
/// Accesses: `coalesce` and `bank_passes` count the transactions of one instruction of a warp.

#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/text/resources.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/explain.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/live_registers.hpp>
#include <warpgauge/ptx/trace/trace.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sm/coalescing.hpp>

#endif
