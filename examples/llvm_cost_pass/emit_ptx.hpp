// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_LLVM_COST_PASS_EMIT_PTX_HPP
#define WARPGAUGE_EXAMPLES_LLVM_COST_PASS_EMIT_PTX_HPP

#include <string>

#include <llvm/IR/Module.h>

/// \file What LLVM's code generator makes of a module for Nvidia's GPUs.

namespace cost_pass {

[[nodiscard]] bool is_for_nvidia(const llvm::Module& m);

/// PTX, whose `.loc` numbers the instructions of the module from 1 on, with or without debug information. It is made of
/// a copy: the module stays as it is. Empty where this LLVM has no such code generator.
[[nodiscard]] std::string emit_ptx(const llvm::Module& m);

}  // namespace cost_pass

#endif
