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
#include <warpgauge/ptx/text/source_name.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/launch_limits.hpp>
#include <warpgauge/ptx/trace/stopped_loop.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

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

/// "block has 2048 threads; a device allows 1024".
template <class = core::when_used>
error_text too_large(const exceeded_limit& over) {
    error_text text;
    text.append(over.field);
    text.append(" has ");
    text.append(over.count);
    text.append(over.field == "grid" ? " blocks" : " threads");
    text.append(over.along);
    text.append("; a device allows ");
    text.append(over.most);
    return text;
}

/// "16x8x1".
constexpr void append_sides(error_text& to, const extent& e) {
    to.append(e.x);
    to.append("x");
    to.append(e.y);
    to.append("x");
    to.append(e.z);
}

/// "blocks of 512 threads are launched, and the kernel allows 256 (...): launch smaller blocks, ...".
template <class = core::when_used>
error_text too_many_threads(const function& f, const launch* l) {
    error_text text;
    if (l != nullptr) {
        text.append("blocks of ");
        text.append(l->block.count());
        text.append(" threads are launched, and the");
    } else {
        text.append("the");
    }
    text.append(" kernel allows ");
    text.append(std::uint64_t{f.max_threads[0]} * f.max_threads[1] * f.max_threads[2]);
    text.append(
        " (.maxntid, __launch_bounds__): launch smaller blocks, or compile it for larger ones");
    return text;
}

/// "blocks of 32x1x1 threads are launched, and the kernel is compiled for 64x1x1 alone (...): launch these, ...".
template <class = core::when_used>
error_text other_threads(const function& f, const launch* l) {
    error_text text;
    if (l != nullptr) {
        text.append("blocks of ");
        append_sides(text, l->block);
        text.append(" threads are launched, and the");
    } else {
        text.append("the");
    }
    text.append(" kernel is compiled for ");
    append_sides(text, {f.required_threads[0], f.required_threads[1], f.required_threads[2]});
    text.append(" alone (.reqntid): launch these, or compile it for others");
    return text;
}

/// "a grid of 10x1x1 blocks has no whole number of clusters of 4x1x1 blocks".
template <class = core::when_used>
error_text partial_cluster(const function& f, const launch& l) {
    const auto side = [](std::uint32_t given, std::uint32_t of_text) {
        return given != 0 ? given : of_text != 0 ? of_text : 1;
    };
    error_text text;
    text.append("a grid of ");
    append_sides(text, l.grid);
    text.append(" blocks has no whole number of clusters of ");
    append_sides(text, {side(l.cluster.x, f.cluster[0]), side(l.cluster.y, f.cluster[1]),
                        side(l.cluster.z, f.cluster[2])});
    text.append(" blocks");
    return text;
}

/// A constraint of the text that a launch breaks. `l` is null if the launch is not known.
template <class = core::when_used>
error_text broken_constraint(const model_error& error, const function& f, const launch* l) {
    if (error.field == ".maxntid") return too_many_threads(f, l);
    if (error.field == ".reqntid") return other_threads(f, l);
    if (error.field == "cluster" && l != nullptr) return partial_cluster(f, *l);
    return warpgauge::message(error);
}

/// "scale is the name of several kernels: _Z5scaleIfEvPT_ _Z5scaleIdEvPT_".
template <class = core::when_used>
error_text several_kernels(const model_error& error, const module& m) {
    error_text text;
    bool any = false;
    for (const function& f : m.functions) {
        if (!f.is_kernel || !f.has_body || source_name(f.name) != error.field) continue;
        if (!any) {
            text.append(error.field.substr(0, 60));
            text.append(" is the name of several kernels:");
        }
        any = true;
        text.append(" ");
        text.append(f.name);
    }
    return any ? text : warpgauge::message(error);
}

/// "kernel is needed; the text has matmul_naive matmul_tiled".
template <class = core::when_used>
error_text needed_kernel(const module& m) {
    error_text text;
    std::size_t kernels = 0;
    for (const function& f : m.functions) {
        if (!f.is_kernel || !f.has_body) continue;
        text.append(kernels++ == 0 ? "kernel is needed; the text has " : " ");
        text.append(f.name);
    }
    if (kernels == 0) text.append("the text has no kernel");
    return text;
}

/// "line 4, column 7: more initial values than the variable has room for".
template <class = core::when_used>
error_text too_many_values(const model_error& error) {
    error_text text;
    append_place(text, error.line, error.column);
    text.append("more initial values than the variable has room for");
    return text;
}

/// "line 20, column 2: max_steps reached in loop $L1, source line 12, after 1000 rounds, by %r3 = 1000, %r1 = 4000".
template <class = core::when_used>
error_text stopped_in_loop(const stopped_loop& s) {
    error_text text;
    append_place(text, s.at.line, s.at.column);
    append_stop(text, s);
    return text;
}

/// Whether an error has the place of the loop that a trace wrote for it, not for another one before.
constexpr bool is_stop_of(const model_error& error, const stopped_loop* s) {
    return s != nullptr && !s->label.empty() && error.code == errc::limit_reached &&
           error.field == "max_steps" && error.line == s->at.line && error.column == s->at.column;
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
    if (error.code == errc::ambiguous_name) return detail::trace::several_kernels(error, m);
    if (error == model_error{errc::missing, "kernel"}) return detail::trace::needed_kernel(m);
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
    if (error.code == errc::broken_constraint && detail::trace::has_body(k)) {
        return detail::trace::broken_constraint(error, k.text->functions[k.function], nullptr);
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
        text.append(wide ? ") has no value, and is not seen in an address" : ") has no value");
    } else if (error.code == errc::overflow) {
        text.append(") has too few bits for its value");
    } else {
        text.append(") is no such value");
    }
    return text;
}

/// The same of a trace with these options: "hint 1: the label LOOP has no loop", and with `options.stopped`
/// "line 20, column 2: max_steps reached in loop $L1, ...".
template <class = core::when_used>
[[nodiscard]] error_text message(const model_error& error, const kernel& k,
                                 const trace_options& options) {
    if (detail::trace::is_stop_of(error, options.stopped)) {
        return detail::trace::stopped_in_loop(*options.stopped);
    }
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

/// The same of a trace of this launch, with the numbers: "block has 2048 threads; a device allows 1024", "blocks of 512
/// threads are launched, and the kernel allows 256 (...): ...".
template <class = core::when_used>
[[nodiscard]] error_text message(const model_error& error, const kernel& k, const launch& l,
                                 const trace_options& options = {}) {
    if (error.code == errc::broken_constraint && detail::trace::has_body(k)) {
        return detail::trace::broken_constraint(error, k.text->functions[k.function], &l);
    }
    const detail::trace::exceeded_limit over = detail::trace::exceeded(l);
    if (error.code == errc::exceeds_device && error.field == over.field) {
        return detail::trace::too_large(over);
    }
    return message(error, k, options);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
