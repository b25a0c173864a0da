// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_EXPLANATION_HPP
#define WARPGAUGE_REPORT_EXPLANATION_HPP

#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/report/assumptions.hpp>
#include <warpgauge/report/table.hpp>

/// \file Explanations as text.

namespace WARPGAUGE_NAMESPACE::report {

/// What the model assumed, as a line "assumed: no cache saves DRAM a byte\n"; empty if it assumed nothing.
[[nodiscard]] inline std::string taken_for_granted(const explanation& e) {
    const std::string words = in_words(e.assumed);
    return words.empty() ? words : "assumed: " + words + "\n";
}

/// The limit and the next one: "memory bandwidth; beyond 1.7x, issue" if issue limits from 1.7 times the bandwidth on.
[[nodiscard]] inline std::string summary(const explanation& e) {
    if (!e.limiting) return "nothing that the model knows";
    std::string text(name(*e.limiting));
    if (!e.next) return text + "; then nothing";
    text += e.next_after_factor ? "; beyond " + fixed(*e.next_after_factor, 1) + "x, " : "; then ";
    return text.append(name(*e.next));
}

/// Whether the time without `limiting` is at least a hundredth less. If not, nothing alone limits the kernel.
[[nodiscard]] inline bool has_limit(const explanation& e) {
    constexpr double least = 0.01;
    if (!e.limiting || e.removals.empty()) return e.limiting.has_value();
    return e.removals[0].benefit_seconds >= least * e.seconds;
}

namespace detail {

/// What limits a kernel if no removal does, and the most that one gains.
[[nodiscard]] inline std::string without_limit(const explanation& e, std::string_view fixed_limit) {
    std::string text =
        e.limiting ? "Nothing alone limits it" : "Nothing that the model knows limits it";
    if (!fixed_limit.empty()) {
        text = "It is limited by " + std::string(fixed_limit) + ", which nothing here removes";
    }
    if (!e.limiting) return text + ".\n";
    const double percent = 100 * e.removals[0].benefit_seconds / e.seconds;
    return text + ": the most to gain is " + fixed(percent, 1) + "%, without " +
           std::string(name(*e.limiting)) + ".\n";
}

}  // namespace detail

/// The same in whole sentences, with what each limit means:
///
///     It is limited by memory bandwidth: DRAM moves bytes as fast as it can.
///     If that were 1.7 times better, it would be limited by issue: SMs execute instructions as fast as they can.
///
/// If no removal gains a hundredth of the time, they say so, with `fixed_limit`: what limits the kernel by the model
/// itself and is no bottleneck, as "launch of blocks", if there is such a limit.
[[nodiscard]] inline std::string in_sentences(const explanation& e,
                                              std::string_view fixed_limit = {}) {
    if (!has_limit(e)) return detail::without_limit(e, fixed_limit);
    const auto limit = [](bottleneck what) {
        return std::string(name(what)) + ": " + std::string(meaning(what)) + ".\n";
    };
    const std::string now = "It is limited by " + limit(*e.limiting);
    if (!e.next) return now + "Without that, nothing that the model knows would limit it.\n";
    const std::string eased =
        e.next_after_factor ? "If that were " + fixed(*e.next_after_factor, 1) + " times better"
                            : "Without that";
    return now + eased + ", it would be limited by " + limit(*e.next);
}

namespace detail {

/// A row for each removal from `seconds`.
[[nodiscard]] inline table benefits_of(const std::vector<removal>& removals, double seconds) {
    table t({"without", "time", "benefit, %"});
    for (const removal& r : removals) {
        if (r.error) {
            t.add({name(r.what), "none", message(r.error).view()});
            continue;
        }
        const double percent = 100 * r.benefit_seconds / seconds;
        const bool rounds_to_zero = -0.05 < percent && percent < 0.05;  // without a sign, then
        t.add({name(r.what), duration(r.seconds), fixed(rounds_to_zero ? 0 : percent, 1)});
    }
    return t;
}

}  // namespace detail

/// A row for each bottleneck: the time without it, and the gain in percent of the unchanged time.
[[nodiscard]] inline table benefits(const explanation& e) {
    return detail::benefits_of(e.removals, e.seconds);
}

/// The same once `limiting` is removed, in percent of the time without it; no rows if nothing limits.
[[nodiscard]] inline table further_benefits(const explanation& e) {
    return detail::benefits_of(e.then, e.limiting ? e.removals.front().seconds : e.seconds);
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
