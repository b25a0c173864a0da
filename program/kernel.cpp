// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.hpp"

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include <warpgauge/ptx.hpp>

#include "arguments.hpp"
#include "compiler.hpp"
#include "failure.hpp"
#include "text.hpp"

namespace program {

namespace ptx = warpgauge::ptx;

struct loaded_kernel::parts {
    launch_request request{};
    kernel_text source{};
    ptx::module module{};
    ptx::kernel kernel{};
    ptx::launch launch{};
    bound_arguments arguments{};
    std::vector<ptx::hint> hints{};
    std::optional<ptx::kernel_resources> resources{};

    [[nodiscard]] const ptx::function& function() const {
        return module.functions[kernel.function];
    }

    // An error of a trace, and the option that gives an argument its value.
    [[nodiscard]] std::string words_of(const warpgauge::model_error& e,
                                       const ptx::trace_options& options) const {
        const std::string text(message(e, kernel, launch, options).view());
        const auto parameters = module.parameters(function());
        const bool is_argument = e.code == warpgauge::errc::missing && e.line != 0 &&
                                 e.line <= parameters.size() &&
                                 parameters[e.line - 1].name == e.field;
        if (!is_argument) return text;
        return text + "; --arg " + std::to_string(e.line - 1) + "=VALUE gives it one";
    }
};

namespace {

ptx::hint hint_of(const std::string& option, const std::string& text) {
    const std::size_t sign = text.find('=');
    const auto number = sign == std::string::npos ? std::nullopt : number_in(text.substr(sign + 1));
    if (!number) fail_usage(option + " " + text + ": takes LABEL=NUMBER or LINE=NUMBER");
    ptx::hint h{.label = std::string_view(text).substr(0, sign)};
    if (const auto line = integer_in(h.label); line && *line > 0) {
        h.label = {};
        h.source_line = static_cast<std::uint32_t>(*line);
    }
    (option == "--rounds" ? h.rounds : h.probability) = *number;
    return h;
}

// " a b" of the kernels with that name in the source, or of all without a name.
std::string kernels_called(const std::string& name, const ptx::module& m) {
    std::string list;
    for (const ptx::function& f : m.functions) {
        const bool listed = name.empty() || ptx::source_name(f.name) == name;
        if (listed && f.is_kernel && f.has_body) list += " " + std::string(f.name);
    }
    return list;
}

// What ptxas says of the same source for a GPU of that capability: of matmul.sm_90.ptxas, beside matmul.sm_75.ptx.
std::string beside_for(const std::string& file, warpgauge::compute_capability c) {
    std::filesystem::path path(file);
    path.replace_extension();  // .ptx, and of what is left .sm_75
    path.replace_extension(".sm_" + std::to_string(10 * c.major + c.minor) + ".ptxas");
    return path.string();
}

// The CUDA source that PTX is of: of matmul.sm_75.ptx, matmul.sm_75.cu or matmul.cu beside it; empty without such.
std::string source_beside(std::filesystem::path ptx) {
    ptx.replace_extension(".cu");
    if (auto source = text_of_file(ptx.string())) return *std::move(source);
    ptx.replace_extension();
    if (ptx.extension().string().substr(0, 4) != ".sm_") return "";
    return text_of_file(ptx.replace_extension(".cu").string()).value_or("");
}

kernel_text text_of(const launch_request& r) {
    const std::filesystem::path path(r.file);
    const auto text = text_of_file(r.file);
    if (!text) fail_usage(r.file + ": cannot be read");
    std::string ptxas;
    if (!r.ptxas.empty()) {
        const auto said = text_of_file(r.ptxas);
        if (!said) fail_usage(r.ptxas + ": cannot be read");
        ptxas = *said;
    } else {
        ptxas = text_of_file(std::filesystem::path(path).replace_extension(".ptxas").string())
                    .value_or("");
    }
    if (path.extension() != ".cu") return {*text, ptxas, source_beside(path)};
    const compiled_source compiled = compile_cuda(r.file, r.macros, r.architecture);
    return {compiled.ptx, r.ptxas.empty() ? compiled.ptxas : ptxas, *text};
}

}  // namespace

const kernel_text& kernel_texts::of(const launch_request& r) {
    std::vector<std::string> key{r.file, r.ptxas, r.architecture};
    key.insert(key.end(), r.macros.begin(), r.macros.end());
    std::unique_lock lock(finding_);
    entry& e = read_[key];
    lock.unlock();
    std::call_once(e.read, [&] { e.text = text_of(r); });
    return e.text;
}

loaded_kernel::loaded_kernel(const launch_request& r)
    : loaded_kernel(r, *std::make_unique<kernel_texts>()) {}

loaded_kernel::loaded_kernel(const launch_request& r, kernel_texts& texts)
    : parts_(std::make_unique<parts>()) {
    parts& p = *parts_;
    p.request = r;
    if (r.file.empty()) fail_usage("FILE is needed: PTX, or CUDA source");
    p.launch = launch_of(r);
    for (const std::string& text : p.request.rounds) p.hints.push_back(hint_of("--rounds", text));
    for (const std::string& text : p.request.taken) p.hints.push_back(hint_of("--taken", text));
    p.source = texts.of(r);
    auto module = ptx::parse(p.source.ptx);
    if (!module) fail_in(r.file, module.error());
    p.module = *std::move(module);
    const auto kernel = ptx::find_kernel(p.module, p.request.kernel);
    if (!kernel) {
        std::string text(message(kernel.error(), p.module).view());
        const std::string list = kernels_called(r.kernel, p.module);
        if (r.kernel.empty()) {
            text = list.empty() ? "has no kernel" : "--kernel is needed; the file has" + list;
        } else if (kernel.error().code == warpgauge::errc::ambiguous_name) {
            text = "several kernels are called " + r.kernel + ":" + list;
        }
        fail_usage(r.file + ": " + text);
    }
    p.kernel = *kernel;
    bind(r, p.kernel, p.source.source, p.arguments);
    const auto resources = ptx::read_resources(p.source.ptxas, p.function().name);
    if (resources) p.resources = *resources;
    if (!resources && !r.ptxas.empty()) fail_in(r.ptxas, resources.error());
}

loaded_kernel::~loaded_kernel() = default;

std::string loaded_kernel::name() const {
    return std::string(parts_->function().name);
}

const ptx::module& loaded_kernel::text() const {
    return parts_->module;
}

const ptx::launch& loaded_kernel::launch() const {
    return parts_->launch;
}

const std::string& loaded_kernel::note_of_arguments() const {
    return parts_->arguments.note;
}

std::unique_ptr<followed_kernel> loaded_kernel::on(const warpgauge::any_device& gpu) const {
    const parts& p = *parts_;
    // region: trace
    ptx::stopped_loop stopped;
    ptx::trace_options options{
        .capability = gpu.capability(), .hints = p.hints, .stopped = &stopped};
    if (p.request.all_blocks) options.blocks = ptx::sampling::all;
    auto trace = ptx::trace(p.kernel, p.launch, p.arguments.given, options);
    if (!trace) fail_model(p.request.file + ": " + p.words_of(trace.error(), options));
    auto f = std::make_unique<followed_kernel>();
    f->trace = *std::move(trace);
    f->compiled = p.resources.has_value();
    // The compiler's report holds for the GPUs that it compiled for. A report for this GPU takes precedence.
    std::string own_text;
    if (p.request.ptxas.empty()) {
        own_text = text_of_file(beside_for(p.request.file, f->trace.capability)).value_or("");
    }
    const auto own = ptx::read_resources(own_text, p.function().name);
    const bool applies = p.resources && f->trace.capability >= ptx::target_of(p.module);
    f->profile = own       ? f->trace.profile(*own)
                 : applies ? f->trace.profile(*p.resources)
                           : f->trace.profile();
    // endregion
    return f;
}

}  // namespace program
