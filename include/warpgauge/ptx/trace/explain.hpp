// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_EXPLAIN_HPP
#define WARPGAUGE_PTX_TRACE_EXPLAIN_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/nearest_name.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>

/// \file Errors in words that a user of a kernel knows: its arguments by place, type and name, and the kernel that was
/// perhaps meant.

namespace WARPGAUGE_NAMESPACE::ptx {

namespace detail::trace {

/// "argument 4 is too many: the kernel has 3 parameters".
template <class = core::when_used>
error_text too_many_arguments(std::uint32_t argument, std::size_t parameters) {
    error_text text;
    text.append("argument ");
    text.append(argument);
    text.append(" is too many: the kernel has ");
    text.append(static_cast<std::uint32_t>(parameters));
    text.append(parameters == 1 ? " parameter" : " parameters");
    return text;
}

/// "line 4, column 7: more initial values than the variable has room for".
template <class = core::when_used>
error_text too_many_values(const model_error& error) {
    error_text text;
    text.append("line ");
    text.append(error.line);
    text.append(", column ");
    text.append(error.column);
    text.append(": more initial values than the variable has room for");
    return text;
}

}  // namespace detail::trace

/// The kernel that a name which is none was perhaps meant for: the shortest that contains it, as mangled names do what
/// the source says, or the one with the fewest other characters; empty if none is near.
template <class = core::when_used>
[[nodiscard]] std::string_view nearest_kernel(const module& m, std::string_view name) {
    constexpr std::size_t max_compared = 4096;
    std::string_view containing;
    std::string_view nearest;
    std::size_t least = name.size() / 3 + 1;  // more, and it is another name
    std::size_t compared = 0;
    for (const function& f : m.functions) {
        if (!f.is_kernel || !f.has_body || name.empty()) continue;
        const bool shorter = containing.empty() || f.name.size() < containing.size();
        if (f.name.find(name) != std::string_view::npos && shorter) containing = f.name;
        if (++compared > max_compared) continue;
        const std::size_t distance = core::edit_distance(f.name, name);
        if (distance > least || (distance == least && !nearest.empty())) continue;
        least = distance;
        nearest = f.name;
    }
    return containing.empty() ? nearest : containing;
}

/// An error of `find_kernel` as a sentence: "no kernel is called saxpi; perhaps saxpy".
template <class = core::when_used>
[[nodiscard]] error_text message(const model_error& error, const module& m) {
    if (error.code != errc::unknown_name) return warpgauge::message(error);
    error_text text;
    text.append("no kernel is called ");
    text.append(error.field.substr(0, 60));
    const std::string_view nearest = nearest_kernel(m, error.field);
    if (nearest.empty()) return text;
    text.append("; perhaps ");
    text.append(nearest);
    return text;
}

/// An error of `trace` as a sentence: "argument 1 (u32 n) has no value".
template <class = core::when_used>
[[nodiscard]] error_text message(const model_error& error, const kernel& k) {
    const bool is_outside = error.code == errc::outside_domain;
    if (is_outside && error.field == "initial values" && error.column != 0) {
        return detail::trace::too_many_values(error);
    }
    if (!detail::trace::has_body(k) || error.line == 0 || error.column != 0) {
        return warpgauge::message(error);
    }
    const auto parameters = k.text->parameters(k.text->functions[k.function]);
    if (is_outside && error.field == "arguments" && error.line > parameters.size()) {
        return detail::trace::too_many_arguments(error.line, parameters.size());
    }
    if (error.line > parameters.size()) return warpgauge::message(error);
    const declaration& p = parameters[error.line - 1];
    if (p.name != error.field) return warpgauge::message(error);
    error_text text;
    text.append("argument ");
    text.append(error.line);
    text.append(" (");
    text.append(p.type);
    if (p.elements != 1) {
        text.append("[");
        text.append(static_cast<std::uint32_t>(p.elements));
        text.append("]");
    }
    text.append(" ");
    text.append(p.name.substr(0, 60));
    if (error.code == errc::missing) {
        const bool wide = p.type.find("64") != std::string_view::npos;
        text.append(wide ? ") has no value, and is no pointer" : ") has no value");
    } else if (error.code == errc::overflow) {
        text.append(") has too few bits for its value");
    } else {
        text.append(") is no such value");
    }
    return text;
}

/// The same of a trace with these options: "hint 1: the label LOOP has no loop".
template <class = core::when_used>
[[nodiscard]] error_text message(const model_error& error, const kernel& k,
                                 const trace_options& options) {
    const bool is_unused = error.code == errc::missing && error.field == "hints";
    if (!is_unused || error.line == 0 || error.line > options.hints.size()) {
        return message(error, k);
    }
    const hint& given = options.hints[error.line - 1];
    error_text text;
    text.append("hint ");
    text.append(error.line);
    if (given.source_line != 0) {
        text.append(": line ");
        text.append(given.source_line);
        text.append(" of the source has no ");
    } else {
        text.append(": the label ");
        text.append(given.label.substr(0, 60));
        text.append(" has no ");
    }
    text.append(given.rounds > 0 ? "loop" : "branch");
    return text;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
