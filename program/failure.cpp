// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "failure.hpp"

namespace program {

void fail_usage(const std::string& text) {
    throw failure{usage_failure, text};
}

void fail_model(const std::string& text) {
    throw failure{model_failure, text};
}

void fail_in(const std::string& file, const warpgauge::model_error& error) {
    if (error.column == 0) fail_model(file + ": " + words_of(error));
    warpgauge::model_error without_place = error;
    without_place.line = without_place.column = 0;
    fail_model(file + ":" + std::to_string(error.line) + ":" + std::to_string(error.column) + ": " +
               words_of(without_place));
}

std::string words_of(const warpgauge::model_error& error) {
    return std::string(message(error).view());
}

}  // namespace program
