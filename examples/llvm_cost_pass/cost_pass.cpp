// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiler that says how long the kernels take that it compiles for Nvidia's GPUs, what limits them, and which of
// their accesses cost more than they need to, as remarks at the lines of the source:
//
//   export WARPGAUGE_DEVICE=l40 WARPGAUGE_LAUNCH='{"threads": 4194304, "block": 256, "arguments": [4194304]}'
//   clang -fpass-plugin=llvm_cost_pass_14.so -Rpass-analysis=warpgauge ...
//   opt -load-pass-plugin llvm_cost_pass_14.so -passes=warpgauge -pass-remarks-analysis=warpgauge ...
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Passes/PassBuilder.h>
#if LLVM_VERSION_MAJOR < 22
#include <llvm/Passes/PassPlugin.h>
#else
#include <llvm/Plugins/PassPlugin.h>
#endif

#include "emit_ptx.hpp"
#include "kernel_cost.hpp"
#include "launches.hpp"

namespace {

constexpr const char* pass_name = "warpgauge";  // of -Rpass-analysis

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// Where the instructions come from, in the order in which emit_ptx numbers them.
std::vector<llvm::DebugLoc> places_in(const llvm::Module& m) {
    std::vector<llvm::DebugLoc> all;
    for (const llvm::Function& f : m) {
        for (const llvm::Instruction& i : llvm::instructions(f)) all.push_back(i.getDebugLoc());
    }
    return all;
}

// region: say
// A remark for each cause and place: copies of an instruction, as in an unrolled loop, have one remark.
void say(const cost_pass::kernel_remarks& of, const llvm::Function& f,
         const std::vector<llvm::DebugLoc>& places) {
    llvm::OptimizationRemarkEmitter to(&f);
    std::set<std::pair<std::string, const llvm::MDNode*>> said;
    for (const cost_pass::remark& r : of.remarks) {
        const llvm::DebugLoc at = r.line > 0 ? places[r.line - 1] : llvm::DebugLoc();
        if (at && !said.emplace(r.cause, at.getAsMDNode()).second) continue;
        const auto place =
            at ? llvm::DiagnosticLocation(at) : llvm::DiagnosticLocation(f.getSubprogram());
        to.emit(llvm::OptimizationRemarkAnalysis(pass_name, r.cause, place, &f.getEntryBlock())
                << r.text);
    }
}

class cost_pass_of_module : public llvm::PassInfoMixin<cost_pass_of_module> {
public:
    llvm::PreservedAnalyses run(llvm::Module& m, llvm::ModuleAnalysisManager&) {
        const bool asked =
            llvm::OptimizationRemarkEmitter::allowExtraAnalysis(m.getContext(), pass_name);
        if (!asked || !cost_pass::is_for_nvidia(m)) return llvm::PreservedAnalyses::all();
        const auto places = places_in(m);
        const auto launches = cost_pass::read_launches(variable("WARPGAUGE_LAUNCH"));
        for (const auto& kernel : cost_pass::remarks_of(cost_pass::emit_ptx(m),
                                                        variable("WARPGAUGE_DEVICE"), launches)) {
            const llvm::Function* f = m.getFunction(kernel.kernel);
            if (f != nullptr) say(kernel, *f, places);
        }
        return llvm::PreservedAnalyses::all();
    }
};
// endregion

// At the end of every pipeline of optimisations, and as -passes=warpgauge.
void add_to(llvm::PassBuilder& b) {
    b.registerOptimizerLastEPCallback(
        [](llvm::ModulePassManager& passes, auto&&...) { passes.addPass(cost_pass_of_module()); });
    b.registerPipelineParsingCallback(
        [](llvm::StringRef name, llvm::ModulePassManager& passes, auto&&...) {
            if (name == pass_name) passes.addPass(cost_pass_of_module());
            return name == pass_name;
        });
}

}  // namespace

extern "C" llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
    return {LLVM_PLUGIN_API_VERSION, pass_name, "0.2", add_to};
}
