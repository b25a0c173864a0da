// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_HOST_TIMELINE_HPP
#define WARPGAUGE_REPORT_HOST_TIMELINE_HPP

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/axis_scale.hpp>
#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/simulate/timeline.hpp>

/// \file The copies and kernels of a host's program as a Gantt chart, with a row for each stream.

namespace WARPGAUGE_NAMESPACE::report {

/// The maximum number of copies and kernels of a picture.
inline constexpr std::size_t max_host_bars = 100'000;

/// Draws the copies and kernels of `tasks` over time, by the spans of `timeline`.
/// \errors missing        `tasks`: no copy and no kernel, or none that takes time
///         malformed      `spans`: not one for each task, or, with the task, one that ends before it begins
///         limit_reached  `tasks`: more than `max_host_bars` copies and kernels, or than `max_host_streams`
inline model_error write_host_timeline_svg(std::ostream& out, std::span<const host_task> tasks,
                                           std::span<const host_span> spans,
                                           std::string_view title);

namespace detail {

/// The kinds of bars, in the order of the legend.
struct host_bar_kind {
    host_action action;
    std::string_view name;
    const char* colour;
};
inline constexpr std::array<host_bar_kind, 4> host_bar_kinds{
    {{host_action::copy_to_device, "copy to the device", "#4477aa"},
     {host_action::launch, "kernel", "#ee6677"},
     {host_action::copy_from_device, "copy from the device", "#228833"},
     {host_action::copy_to_peer, "copy to another device", "#ccbb44"}}};

/// Draws spans that have been checked. All lengths are in pixels.
class host_timeline_writer {
public:
    host_timeline_writer(std::ostream& out, std::span<const host_task> tasks,
                         std::span<const host_span> spans)
        : out_(out), tasks_(tasks), spans_(spans) {}

    model_error check() {
        if (spans_.size() != tasks_.size()) return {errc::malformed, "spans"};
        for (std::size_t i = 0; i < tasks_.size(); ++i) {
            if (kind_of(tasks_[i]) == host_bar_kinds.size()) continue;
            const host_span& s = spans_[i];
            if (!(s.start_s >= 0 && s.start_s <= s.end_s && s.end_s <= core::max_input)) {
                return {errc::malformed, "spans", static_cast<std::uint32_t>(i + 1)};
            }
            add_row({tasks_[i].device, tasks_[i].stream});
            end_s_ = core::max(end_s_, s.end_s);
            if (++bars_ > max_host_bars || rows_.size() > max_host_streams) {
                return {errc::limit_reached, "tasks"};
            }
        }
        if (!(end_s_ >= core::min_input)) return {errc::missing, "tasks"};
        several_devices_ = rows_.front().device != rows_.back().device;
        return {};
    }

    void write(std::string_view title) {
        unit_ = end_s_ >= 1      ? time_unit{1, "seconds"}
                : end_s_ >= 1e-3 ? time_unit{1e3, "milliseconds"}
                                 : time_unit{1e6, "microseconds"};
        bottom_ = top + static_cast<double>(rows_.size()) * row_height;
        const std::string words = description();
        begin_svg(out_, {left + width + 20, bottom_ + 46, left, title, words});
        out_ << "<g font-size=\"11\">\n";
        legend();
        ticks();
        for (const row_key& row : rows_) {
            svg_text(out_, left - 8, y_of(row) + 15, "end", label(row), " class=\"row\"");
        }
        for (std::size_t i = 0; i < tasks_.size(); ++i) bar(i);
        out_ << "</g>\n";
        end_svg(out_);
    }

private:
    struct row_key {
        std::size_t device{};
        host_stream stream{};
        // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a pointer in what it generates
        friend auto operator<=>(const row_key&, const row_key&) = default;
    };
    struct time_unit {
        double per_second = 1;
        std::string_view name{};
    };
    static constexpr double width = 640;
    static constexpr double left = 150;
    static constexpr double row_height = 22;
    static constexpr double top = 58;

    static std::size_t kind_of(const host_task& t) {
        std::size_t k = 0;
        while (k < host_bar_kinds.size() && host_bar_kinds[k].action != t.action) ++k;
        return k;
    }
    void add_row(const row_key& row) {
        const auto place = std::lower_bound(rows_.begin(), rows_.end(), row);
        if (place == rows_.end() || *place != row) rows_.insert(place, row);
    }
    [[nodiscard]] double y_of(const row_key& row) const {
        const auto place = std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin();
        return top + static_cast<double>(place) * row_height;
    }
    [[nodiscard]] double x_of(double seconds) const { return left + width * (seconds / end_s_); }

    [[nodiscard]] std::string label(const row_key& key) const {
        const std::string device =
            several_devices_ ? "device " + std::to_string(key.device) + ", " : "";
        if (key.stream.is_default()) return device + "default stream";
        const std::string number = std::to_string(key.stream.number);
        return device + "stream " + number + (key.stream.non_blocking ? ", not blocking" : "");
    }

    void legend() {
        double x = left;
        for (const host_bar_kind& k : host_bar_kinds) {
            if (!has(k.action)) continue;
            out_ << "<rect class=\"kind\" x=\"" << fixed(x, 1)
                 << "\" y=\"34\" width=\"10\" height=\"10\" fill=\"" << k.colour << "\"/>\n";
            svg_text(out_, x + 14, 43, "start", k.name);
            x += 30 + text_width(k.name, 11);
        }
    }
    [[nodiscard]] bool has(host_action action) const {
        for (const host_task& t : tasks_) {
            if (t.action == action) return true;
        }
        return false;
    }

    void ticks() {
        const double all = end_s_ * unit_.per_second;
        const double step = round_step(all, 8);
        for (double n = 0; n * step <= all * (1 + 1e-12); n += 1) {
            const double x = x_of(n * step / unit_.per_second);
            out_ << "<path d=\"M" << fixed(x, 1) << ' ' << fixed(top, 1) << 'V' << fixed(bottom_, 1)
                 << "\" stroke=\"" << grid.light << "\"/>\n";
            svg_text(out_, x, bottom_ + 16, "middle", tick_text(n * step), " class=\"tick\"");
        }
        svg_text(out_, left + width / 2, bottom_ + 34, "middle", unit_.name);
    }

    void bar(std::size_t i) {
        const std::size_t kind = kind_of(tasks_[i]);
        if (kind == host_bar_kinds.size()) return;
        const double y = y_of({tasks_[i].device, tasks_[i].stream}) + 3;
        const double length = x_of(spans_[i].end_s) - x_of(spans_[i].start_s);
        out_ << "<rect class=\"bar\" x=\"" << fixed(x_of(spans_[i].start_s), 1) << "\" y=\""
             << fixed(y, 1) << "\" width=\"" << fixed(core::max(length - 0.5, 0.5), 1)
             << "\" height=\"16\" fill=\"" << host_bar_kinds[kind].colour << "\"/>\n";
    }

    [[nodiscard]] std::string description() const {
        return std::to_string(bars_) + " copies and kernels in " + std::to_string(rows_.size()) +
               " streams, in " + tick_text(end_s_ * unit_.per_second) + " " +
               std::string(unit_.name) + ".";
    }

    std::ostream& out_;
    std::span<const host_task> tasks_;
    std::span<const host_span> spans_;
    std::vector<row_key> rows_;  // in order
    std::size_t bars_ = 0;
    double end_s_ = 0;
    double bottom_ = 0;
    bool several_devices_ = false;
    time_unit unit_{};
};

}  // namespace detail

inline model_error write_host_timeline_svg(std::ostream& out, std::span<const host_task> tasks,
                                           std::span<const host_span> spans,
                                           std::string_view title) {
    detail::host_timeline_writer writer(out, tasks, spans);
    if (const auto bad = writer.check()) return bad;
    writer.write(title);
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
