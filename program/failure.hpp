// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_FAILURE_HPP
#define WARPGAUGE_PROGRAM_FAILURE_HPP

#include <string>
#include <string_view>

#include <warpgauge/core/result.hpp>

/// \file What ends the program before its answer, and with which exit status.

namespace program {

enum exit_status : int {
    success = 0,
    model_failure = 1,  ///< a text, a launch or a model does not allow an answer
    usage_failure = 2,  ///< the command line, or a file that it names, cannot be used
};

struct failure {
    exit_status status{};
    std::string text{};
};

[[noreturn]] void fail_usage(const std::string& text);
[[noreturn]] void fail_model(const std::string& text);

/// An error in a text: "kernel.ptx:12:7: ; is expected here"; without a place "kernel.ptx: ...".
[[noreturn]] void fail_in(const std::string& file, const warpgauge::model_error& error);

/// The sentence of an error, as a string that owns its text.
[[nodiscard]] std::string words_of(const warpgauge::model_error& error);

}  // namespace program

#endif
