// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emit_ptx.hpp"

#include <memory>
#include <utility>

#include <llvm/ADT/SmallString.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace cost_pass {

namespace {

// The GPU that the front end compiles for, of the first kernel that says it.
llvm::StringRef attribute_of(const llvm::Module& m, llvm::StringRef name) {
    for (const llvm::Function& f : m) {
        if (f.hasFnAttribute(name)) return f.getFnAttribute(name).getValueAsString();
    }
    return "";
}

std::unique_ptr<llvm::TargetMachine> machine_for(const llvm::Module& m) {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    std::string error;
    const auto& triple = m.getTargetTriple();  // a text in old versions
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (target == nullptr) return nullptr;
    llvm::StringRef gpu = attribute_of(m, "target-cpu");
    if (gpu.empty()) gpu = "sm_75";  // the oldest that CUDA 13 compiles for
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(triple, gpu, attribute_of(m, "target-features"), {}, {}));
}

// The default one ends the compiler at an error.
struct silent : llvm::DiagnosticHandler {
    bool handleDiagnostics(const llvm::DiagnosticInfo&) override { return true; }
};

std::unique_ptr<llvm::Module> copied(const llvm::Module& m, llvm::LLVMContext& to) {
    to.setDiagnosticHandler(std::make_unique<silent>());
    llvm::SmallString<0> bits;
    llvm::raw_svector_ostream out(bits);
    llvm::WriteBitcodeToFile(m, out);
    auto copy = llvm::parseBitcodeFile({bits, "copy"}, to);
    if (copy) return std::move(*copy);
    llvm::consumeError(copy.takeError());
    return nullptr;
}

void number_instructions(llvm::Module& m) {
    llvm::StripDebugInfo(m);
    llvm::DIBuilder make(m);
    llvm::DIFile* file = make.createFile("module", "");
    make.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "", false, "", 0, "",
                           llvm::DICompileUnit::DebugDirectivesOnly);
    auto* type = make.createSubroutineType(make.getOrCreateTypeArray({}));
    unsigned number = 0;
    for (llvm::Function& f : m) {
        if (f.isDeclaration()) continue;
        f.setSubprogram(make.createFunction(file, f.getName(), "", file, 0, type, 0,
                                            llvm::DINode::FlagZero,
                                            llvm::DISubprogram::SPFlagDefinition));
        for (llvm::Instruction& i : llvm::instructions(f)) {
            i.setDebugLoc(llvm::DILocation::get(m.getContext(), ++number, 0, f.getSubprogram()));
        }
    }
    make.finalize();
    m.addModuleFlag(llvm::Module::Max, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

}  // namespace

bool is_for_nvidia(const llvm::Module& m) {
    return llvm::Triple(m.getTargetTriple()).isNVPTX();
}

std::string emit_ptx(const llvm::Module& m) {
    const auto machine = machine_for(m);
    if (machine == nullptr) return "";
    llvm::LLVMContext own;  // what the code generator remarks on is no concern of the user
    const auto copy = copied(m, own);
    if (copy == nullptr) return "";
    number_instructions(*copy);
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream out(text);
    llvm::legacy::PassManager passes;
#if LLVM_VERSION_MAJOR < 18
    constexpr auto assembly = llvm::CGFT_AssemblyFile;
#else
    constexpr auto assembly = llvm::CodeGenFileType::AssemblyFile;
#endif
    if (machine->addPassesToEmitFile(passes, out, nullptr, assembly)) return "";
    passes.run(*copy);
    return std::string(text);
}

}  // namespace cost_pass
