// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "models.hpp"
#include "text.hpp"

namespace program {

void check_one_gpu(const request& r) {
    if (r.devices.size() != 1) fail_usage("--device is needed, once");
}

void check_one_model(const request& r) {
    if (r.models.size() > 1) fail_usage("--model is taken once");
}

launch_on_gpu::launch_on_gpu(const request& r)
    : gpu((check_one_gpu(r), gpu_called(r.devices[0]))),
      kernel(r.launch),
      followed(kernel.on(gpu)) {}

std::string model_for(const request& r, const warpgauge::any_device& gpu) {
    return r.models.empty() ? default_model(gpu) : r.models[0];
}

void fail_prediction(const request& r, const std::string& model, const warpgauge::any_device& gpu,
                     const warpgauge::model_error& error) {
    fail_model(r.launch.file + ": " + model + " on " + std::string(gpu.name()) + ": " +
               words_of(error));
}

std::string headline(const loaded_kernel& kernel, const followed_kernel& f) {
    const auto& k = f.profile;
    return kernel.name() + ", " + short_number(k.blocks) + " blocks of " +
           short_number(k.threads_per_block) + " threads, " + short_number(k.registers_per_thread) +
           " registers, " + short_number(k.shared_bytes_per_block) + " B shared\n\n";
}

void add_facts(const loaded_kernel& kernel, const followed_kernel& f, answer& to) {
    const auto sides = [](const warpgauge::ptx::extent& e) {
        return std::vector<double>{static_cast<double>(e.x), static_cast<double>(e.y),
                                   static_cast<double>(e.z)};
    };
    to.facts.emplace_back("kernel", kernel.name());
    to.facts.emplace_back("grid", sides(kernel.launch().grid));
    to.facts.emplace_back("block", sides(kernel.launch().block));
    to.facts.emplace_back("registers_per_thread", f.profile.registers_per_thread);
    to.facts.emplace_back("shared_bytes_per_block", f.profile.shared_bytes_per_block);
    to.facts.emplace_back("registers_estimated", !f.compiled);
}

bool introduce(const loaded_kernel& kernel, const followed_kernel& f, answer& to) {
    if (!to.facts.empty()) return false;
    add_facts(kernel, f, to);
    to.before = headline(kernel, f);
    return true;
}

void note_granted(const std::string& model, const std::string& granted, answer& to) {
    if (!granted.empty()) to.note(model + " takes for granted: " + granted);
}

}  // namespace program
