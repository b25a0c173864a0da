// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_HPP
#define WARPGAUGE_SASS_HPP

/// \file From a cubin to the machine instructions that a warp executes, without a GPU.
///
/// Code: `sass::read_cubin` gives a kernel's `sass::machine_code`, a `sass::machine_instruction` for each word with its
/// operation, `sass::pipe`, target, control bits and line of PTX; `sass::decode` is one word.
///
/// Counts: `sass::join` weights the code by a `ptx::traced_kernel` of the same PTX and gives
/// `sass::executed_code`: executions by operation and by pipe, spills, and the branches that the launch does not
/// decide; its `profile` for closed forms.
///
/// Streams: `sass::stream_of` makes an instruction stream of it with its dependences, for the models that simulate one.

#include <warpgauge/sass/blocks.hpp>
#include <warpgauge/sass/cubin.hpp>
#include <warpgauge/sass/instruction.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/machine_stream.hpp>
#include <warpgauge/sass/opcode_table.hpp>

#endif
