// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_COMMANDS_HPP
#define WARPGAUGE_PROGRAM_COMMANDS_HPP

#include <memory>
#include <string>
#include <vector>

#include <warpgauge/by_name/any_device.hpp>

#include "answer.hpp"
#include "kernel.hpp"
#include "kernel_tuner.hpp"
#include "launch.hpp"

/// \file The subcommands: from a request to an answer. Each has a file of its own.

namespace program {

/// What the subcommands are asked.
struct request {
    launch_request launch{};
    std::vector<launch_request> launches{};  ///< of `rank`
    std::vector<std::string> devices{}, models{};
    bool picture = false;                     ///< an SVG is asked for
    bool details = false;                     ///< `predict`
    std::vector<std::string> set{};           ///< `what-if`
    double keep = 0.1;                        ///< `rank`
    unsigned jobs = 1;                        ///< `rank`: threads
    std::string tuner{};                      ///< `rank`: a file that Kernel Tuner has written
    std::string problem_size{};               ///< `rank`, with `tuner`
    grid_divisors divisors{};                 ///< `rank`, with `tuner`
    std::vector<std::string> restrictions{};  ///< `rank`, with `tuner`
    std::string registers{};                  ///< `occupancy`, without a file
    std::string device{};                     ///< `devices`
};

[[nodiscard]] answer predict(const request& r);
[[nodiscard]] answer compare(const request& r);
[[nodiscard]] answer explain(const request& r);
[[nodiscard]] answer what_if(const request& r);
[[nodiscard]] answer occupancy(const request& r);
[[nodiscard]] answer roofline(const request& r);
[[nodiscard]] answer sensitivity(const request& r);
[[nodiscard]] answer timeline(const request& r);
[[nodiscard]] answer rank(const request& r);
[[nodiscard]] answer kernels(const request& r);
[[nodiscard]] answer devices(const request& r);

// --- What several of them ask and say

/// Fails unless one GPU is asked for.
void check_one_gpu(const request& r);

/// Fails where more than one model is asked for.
void check_one_model(const request& r);

/// The one GPU that is asked for, and the launch on it.
struct launch_on_gpu {
    explicit launch_on_gpu(const request& r);
    warpgauge::any_device gpu;
    loaded_kernel kernel;
    std::unique_ptr<followed_kernel> followed;
};

/// The model that is asked for, or the GPU's own.
[[nodiscard]] std::string model_for(const request& r, const warpgauge::any_device& gpu);

/// Fails with what a model says against a launch.
[[noreturn]] void fail_prediction(const request& r, const std::string& model,
                                  const warpgauge::any_device& gpu,
                                  const warpgauge::model_error& error);

/// "saxpy, 16 blocks of 256 threads, 12 registers, 0 B shared"; `registers`: of one GPU, they are named.
[[nodiscard]] std::string headline(const loaded_kernel& kernel, const followed_kernel& f,
                                   bool registers = true);

/// "saxpy.cu:5", or "PTX:20" if the text does not name its source.
[[nodiscard]] std::string place_in_source(const warpgauge::ptx::module& m, std::uint32_t file,
                                          std::uint32_t line, const warpgauge::ptx::position& at);

/// Notes what the text and the launch leave open.
void note_open(const loaded_kernel& kernel, const followed_kernel& f, answer& to);

/// The headline as facts of JSON, and what is left open in notes.
void add_facts(const loaded_kernel& kernel, const followed_kernel& f, answer& to);

/// Notes that a GPU's own model is only a bound, where too little is published of it for another.
void note_bound(const request& r, const warpgauge::any_device& gpu, answer& to);

/// Both, with the first of several GPUs. Returns whether it was the first.
bool introduce(const loaded_kernel& kernel, const followed_kernel& f, answer& to,
               bool registers = true);

/// Notes what a prediction takes for granted, if anything.
void note_granted(const std::string& model, const std::string& granted, answer& to);

/// Notes that a model takes every warp for one, where that one is not like the mean or the longest.
void note_one_warp(const std::string& model, const followed_kernel& f, answer& to);

/// What the warps do, which accesses they make, and what was assumed.
[[nodiscard]] std::string details_of(const loaded_kernel& kernel, const followed_kernel& f);

}  // namespace program

#endif
