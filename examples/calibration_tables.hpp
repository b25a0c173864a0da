// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_CALIBRATION_TABLES_HPP
#define WARPGAUGE_EXAMPLES_CALIBRATION_TABLES_HPP

#include <cmath>
#include <ostream>
#include <string>

#include <warpgauge/eigen/calibrate.hpp>
#include <warpgauge/report/table.hpp>

// The report of a calibration, as tables.

// A standard error of a logarithm: "3.1%", "2.5x" where it is large, nothing where there is none. The error of a fitted
// parameter over kernels is infinite where the data without one kernel do not determine it.
inline std::string spread(const warpgauge::fitted_parameter& p, double log_error) {
    if (p.state != warpgauge::fit_state::fitted || log_error == 0) return {};
    if (std::isinf(log_error)) return "unknown";
    if (log_error < 1) return warpgauge::report::fixed(100 * log_error, 1) + "%";
    return log_error < 7 ? warpgauge::report::fixed(std::exp(log_error), 1) + "x" : "> 1000x";
}

inline void print_parameters(std::ostream& out, const warpgauge::calibration_report& c) {
    using warpgauge::report::fixed;
    // To six digits: the last ones are rounding.
    const auto number = [](double x) {
        const double last = std::pow(10.0, std::floor(std::log10(x)) - 5);
        return x < 100 ? fixed(x, 3) : fixed(std::round(x / last) * last, 0);
    };
    warpgauge::report::table t(
        {"parameter", "before", "fitted", "ratio", "+- (launches)", "+- (kernels)", ""});
    for (const warpgauge::fitted_parameter& p : c.parameters) {
        t.add({p.name, number(p.start), number(p.value), fixed(p.value / p.start, 3),
               spread(p, p.log_error), spread(p, p.log_error_of_kernels),
               p.state == warpgauge::fit_state::fitted ? "" : name(p.state)});
    }
    out << t;
    for (const warpgauge::ambiguity& a : c.ambiguities) {
        out << "No time changes with t, any number near 1, in";
        for (const warpgauge::ambiguous_power& p : a) {
            out << ' ' << p.parameter << " * t^"
                << fixed(p.power, std::fabs(p.power) < 0.1 ? 6 : 2);
        }
        out << '\n';
    }
    if (!c.converged) out << "A search was cut short: more steps may come nearer.\n";
}

inline void print_errors(std::ostream& out, const warpgauge::calibration_report& c) {
    using warpgauge::report::fixed;
    warpgauge::report::table t(
        {"times off by a factor of", "launches", "before", "fitted", "held out"});
    const auto factor = [](double x) { return x > 0 ? fixed(x, 3) : std::string(); };
    std::size_t launches = 0;
    for (const warpgauge::kernel_error& k : c.kernels) {
        launches += k.measurements;
        t.add({k.kernel, std::to_string(k.measurements), factor(k.before.factor),
               factor(k.after.factor), !k.held_out_error ? factor(k.held_out.factor) : "none"});
    }
    t.add({"mean of kernels", "", factor(c.by_kernel.before), factor(c.by_kernel.after),
           factor(c.by_kernel.held_out)});
    t.add({"mean of launches", std::to_string(launches), factor(c.before.factor),
           factor(c.after.factor), ""});
    out << t;
    if (c.by_kernel.overfits())
        out << "Overfitted: without the fit, predictions for a new kernel are better.\n";
}

#endif
