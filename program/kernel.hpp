// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_KERNEL_HPP
#define WARPGAUGE_PROGRAM_KERNEL_HPP

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

#include "launch.hpp"

/// \file A kernel, read and followed.

namespace program {

/// A launch on a GPU: the trace by the rules of its memory, and the profile, which views the trace.
struct followed_kernel {
    warpgauge::ptx::traced_kernel trace{};
    warpgauge::kernel_profile<> profile{};
    bool compiled = false;  ///< registers are the compiler's, not an estimate

    followed_kernel() = default;
    followed_kernel(const followed_kernel&) = delete;
    followed_kernel& operator=(const followed_kernel&) = delete;
};

/// PTX, what ptxas says of it, and its CUDA source.
struct kernel_text {
    std::string ptx{};
    std::string ptxas{};
    std::string source{};  ///< empty: none is known
};

/// The texts of files: launches of one file read it, and compile it with the same macros, once. Threads may share it.
class kernel_texts {
public:
    /// The text of a request's file. It fails by `failure`.
    [[nodiscard]] const kernel_text& of(const launch_request& r);

private:
    struct entry {
        std::once_flag read{};
        kernel_text text{};
    };
    std::mutex finding_{};
    std::map<std::vector<std::string>, entry>
        read_{};  // by file, that of ptxas, architecture and macros
};

/// A kernel of a text, with its launch.
class loaded_kernel {
public:
    /// Reads and checks all of the request. It fails by `failure`.
    explicit loaded_kernel(const launch_request& r);
    loaded_kernel(const launch_request& r, kernel_texts& texts);
    ~loaded_kernel();
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    [[nodiscard]] std::string name() const;
    [[nodiscard]] const warpgauge::ptx::module& text() const;
    [[nodiscard]] const warpgauge::ptx::launch& launch() const;
    /// Which parameters the names of arguments are taken for, where that is not certain; else empty.
    [[nodiscard]] const std::string& note_of_arguments() const;
    [[nodiscard]] std::unique_ptr<followed_kernel> on(const warpgauge::any_device& gpu) const;

private:
    struct parts;
    std::unique_ptr<parts> parts_;
};

}  // namespace program

#endif
