// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <algorithm>
#include <cstring>

#include <warpgauge/core/nearest_name.hpp>

namespace warpgauge::c {

namespace {

template <std::size_t Size>
void write(char (&to)[Size], std::string_view text) {
    const std::size_t length = std::min(text.size(), Size - 1);
    if (length > 0) std::memcpy(to, text.data(), length);
    to[length] = '\0';
}

int report_own(warpgauge_error* to, int code, std::string_view field, std::string_view why) {
    if (to == nullptr) return code;
    error_text sentence;
    sentence.append(field);
    sentence.append(why);
    *to = {};
    to->code = code;
    write(to->field, field);
    write(to->message, sentence.view());
    return code;
}

// The codes of the header are those of the library.
static_assert(static_cast<int>(errc::not_positive) == WARPGAUGE_NOT_POSITIVE);
static_assert(static_cast<int>(errc::unknown_parameter) == WARPGAUGE_UNKNOWN_PARAMETER);
static_assert(static_cast<int>(errc::expected) == WARPGAUGE_EXPECTED);
static_assert(static_cast<int>(errc::unknown_name) == WARPGAUGE_UNKNOWN_NAME);
static_assert(static_cast<int>(errc::ambiguous_name) == WARPGAUGE_AMBIGUOUS_NAME);
static_assert(static_cast<int>(errc::already_full) == WARPGAUGE_ALREADY_FULL);
static_assert(static_cast<int>(errc::exceeds_memory) == WARPGAUGE_EXCEEDS_MEMORY);
static_assert(static_cast<int>(errc::not_whole) == WARPGAUGE_NOT_WHOLE);

}  // namespace

int report(warpgauge_error* to, const model_error& bad, std::string_view sentence) {
    const int code = static_cast<int>(bad.code);
    if (to == nullptr) return code;
    *to = {};
    to->code = code;
    to->line = bad.line;
    to->column = bad.column;
    write(to->field, bad.field);
    write(to->message, sentence);
    return code;
}

int report(warpgauge_error* to, const model_error& bad, warpgauge_list names) {
    if (!bad) return report(to, bad, "");
    error_text sentence = message(bad);
    const bool is_unknown = bad.code == errc::unknown_name || bad.code == errc::unknown_parameter;
    if (!is_unknown) return report(to, bad, sentence.view());
    nearest_name nearest(bad.field);
    for (std::size_t n = 0; const char* name = warpgauge_name_at(names, n); ++n) nearest.add(name);
    if (!nearest.view().empty()) {
        sentence.append("; perhaps ");
        sentence.append(nearest.view());
    }
    return report(to, bad, sentence.view());
}

int report(warpgauge_error* to, const model_error& bad) {
    const bool is_parameter = bad.code == errc::unknown_parameter;
    return report(to, bad, is_parameter ? WARPGAUGE_PROFILE_PARAMETERS : WARPGAUGE_MODELS);
}

int report_null(warpgauge_error* to, std::string_view name) {
    return report_own(to, WARPGAUGE_NULL_POINTER, name, " is a null pointer");
}

int report_no_memory(warpgauge_error* to) {
    return report_own(to, WARPGAUGE_OUT_OF_MEMORY, "memory", " of the host is used up");
}

}  // namespace warpgauge::c
