// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_SM_TIMELINE_HPP
#define WARPGAUGE_REPORT_SM_TIMELINE_HPP

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/report/axis_scale.hpp>
#include <warpgauge/report/colours.hpp>
#include <warpgauge/report/svg.hpp>
#include <warpgauge/report/svg_frame.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/simulate/sm.hpp>

/// \file The instructions of the warps of one SM over time, as a picture with a row for each warp, from issue to
/// result. Accesses to L2 and global memory are in the lower third of a row, and the warp's other instructions above
/// them.

namespace WARPGAUGE_NAMESPACE::report {

/// The maximum number of events of a picture.
inline constexpr std::size_t max_timeline_events = 200'000;

/// Draws the events of one simulation, `warps_per_block` rows to a block: a pale bar from the issue
/// of an instruction to its result, a dark one for its issue.
/// \errors missing        `events`: there are none
///         malformed      `events`, with the entry: no instruction, or complete before it is issued
///         not_positive   `warps_per_block`
///         limit_reached  `events`: more than `max_timeline_events`, or than `max_sm_warps`
inline model_error write_sm_timeline_svg(std::ostream& out, std::span<const sm_event> events,
                                         std::uint64_t warps_per_block, std::string_view title);

namespace detail {

/// In the order of `unit_kind`.
inline constexpr std::array unit_colours{"#4477aa", "#228833", "#117733", "#aa3377",
                                         "#ccbb44", "#66ccee", "#ee8866", "#ee6677",
                                         "#000000", "#999999", "#882255"};

/// The range of some events.
struct timeline_extent {
    std::uint64_t first{};  ///< cycle
    std::uint64_t last{};   ///< cycle
    std::uint64_t warps{};
    std::array<bool, unit_colours.size()> used{};  ///< units
};

inline result<timeline_extent> extent_of(std::span<const sm_event> events) {
    if (events.empty()) return model_error{errc::missing, "events"};
    if (events.size() > max_timeline_events) return model_error{errc::limit_reached, "events"};
    timeline_extent x{.first = events.front().cycle};
    for (std::size_t i = 0; i < events.size(); ++i) {
        const sm_event& e = events[i];
        const auto unit = static_cast<std::size_t>(e.unit);
        if (unit >= x.used.size() || e.completes <= e.cycle) {
            return model_error{errc::malformed, "events", static_cast<std::uint32_t>(i + 1)};
        }
        x.used[unit] = true;
        x.first = core::min(x.first, e.cycle);
        x.last = core::max(x.last, e.completes);
        x.warps = core::max(x.warps, e.warp + std::uint64_t{1});
    }
    if (x.warps > max_sm_warps) return model_error{errc::limit_reached, "events"};
    return x;
}

/// Draws events that have been checked. All lengths are in pixels.
class sm_timeline_writer {
public:
    sm_timeline_writer(std::ostream& out, std::span<const sm_event> events,
                       const timeline_extent& extent, std::uint64_t warps_per_block)
        : out_(out),
          events_(events),
          extent_(extent),
          warps_per_block_(warps_per_block),
          blocks_((extent.warps - 1) / warps_per_block + 1),
          scale_(width / static_cast<double>(extent.last - extent.first)),
          bottom_(top + static_cast<double>(extent.warps) * row +
                  static_cast<double>(blocks_) * gap) {}

    void write(std::string_view title) {
        const std::string words = description();
        begin_svg(out_, {left + width + 20, bottom_ + 46, left, title, words});
        out_ << "<g font-size=\"11\">\n";
        legend();
        ticks();
        for (std::uint64_t b = 0; b < blocks_; ++b) {
            svg_text(out_, left - 8, y_of(b * warps_per_block_) + 11, "end",
                     "block " + std::to_string(b + 1));
        }
        for (std::size_t unit = 0; unit < unit_colours.size(); ++unit) {
            if (extent_.used[unit]) bars(unit);
        }
        out_ << "</g>\n";
        end_svg(out_);
    }

private:
    static constexpr double width = 680;
    static constexpr double left = 70;
    static constexpr double row = 18;
    static constexpr double gap = 5;
    static constexpr double top = 58;

    // Of a row.
    struct lane {
        int from = 1;
        int height = 10;
    };

    static std::string px(double x) { return fixed(x, 1); }
    static std::string_view name_of(std::size_t unit) { return name(static_cast<unit_kind>(unit)); }

    [[nodiscard]] double x_of(std::uint64_t cycle) const {
        return left + static_cast<double>(cycle - extent_.first) * scale_;
    }
    [[nodiscard]] double y_of(std::uint64_t warp) const {
        const std::uint64_t block = warp / warps_per_block_;
        return top + static_cast<double>(warp) * row + static_cast<double>(block) * gap;
    }

    void legend() {
        double x = left;
        for (std::size_t unit = 0; unit < unit_colours.size(); ++unit) {
            if (!extent_.used[unit]) continue;
            out_ << "<rect class=\"unit\" x=\"" << px(x)
                 << "\" y=\"34\" width=\"10\" height=\"10\" fill=\"" << unit_colours[unit]
                 << "\"/>\n";
            svg_text(out_, x + 14, 43, "start", name_of(unit));
            x += 30 + text_width(name_of(unit), 11);
        }
    }

    void ticks() {
        const double step =
            round_step(core::max(static_cast<double>(extent_.last - extent_.first), 2.0), 8);
        const auto whole = static_cast<std::uint64_t>(core::max(step, 1.0));
        for (std::uint64_t cycle = (extent_.first + whole - 1) / whole * whole;
             cycle <= extent_.last; cycle += whole) {
            out_ << "<path d=\"M" << px(x_of(cycle)) << ' ' << px(top) << 'V' << px(bottom_)
                 << "\" stroke=\"" << grid.light << "\"/>\n";
            svg_text(out_, x_of(cycle), bottom_ + 16, "middle", std::to_string(cycle),
                     " class=\"tick\"");
        }
        svg_text(out_, left + width / 2, bottom_ + 34, "middle", "cycles");
    }

    static bool is_far(std::size_t unit) {
        return unit == static_cast<std::size_t>(unit_kind::l2_cache) ||
               unit == static_cast<std::size_t>(unit_kind::global_memory);
    }

    // Two bars for each event of a unit: all of its time, and its issue.
    void bars(std::size_t unit) {
        const lane flight = is_far(unit) ? lane{.from = 11, .height = 5} : lane{};
        const lane issued = is_far(unit) ? lane{.height = 15} : lane{};
        const std::string begin = std::string("<path fill=\"") + unit_colours[unit] + "\" class=\"";
        out_ << begin << "in-flight\" fill-opacity=\"" << (is_far(unit) ? "0.5" : "0.25")
             << "\" d=\"";
        for (const sm_event& e : events_) {
            if (static_cast<std::size_t>(e.unit) == unit) {
                bar(e, static_cast<double>(e.completes - e.cycle) * scale_, flight);
            }
        }
        out_ << "\"/>\n" << begin << "issue\" d=\"";
        for (const sm_event& e : events_) {
            if (static_cast<std::size_t>(e.unit) == unit) bar(e, core::max(scale_, 1.0), issued);
        }
        out_ << "\"/>\n";
    }

    void bar(const sm_event& e, double length, const lane& l) {
        out_ << 'M' << px(x_of(e.cycle)) << ' ' << px(y_of(e.warp) + l.from) << 'h' << px(length)
             << 'v' << l.height << "h-" << px(length) << 'z';
    }

    [[nodiscard]] std::string description() const {
        std::string text = std::to_string(extent_.warps) + " warps in " + std::to_string(blocks_) +
                           (blocks_ == 1 ? " block, from cycle " : " blocks, from cycle ") +
                           std::to_string(extent_.first) + " to " + std::to_string(extent_.last) +
                           ": " + std::to_string(events_.size()) + " instructions. Units:";
        for (std::size_t unit = 0; unit < unit_colours.size(); ++unit) {
            if (extent_.used[unit]) text.append(" ").append(name_of(unit)).append(",");
        }
        text.back() = '.';
        return text;
    }

    std::ostream& out_;
    std::span<const sm_event> events_;
    const timeline_extent& extent_;
    std::uint64_t warps_per_block_;
    std::uint64_t blocks_;
    double scale_;
    double bottom_;
};

}  // namespace detail

inline model_error write_sm_timeline_svg(std::ostream& out, std::span<const sm_event> events,
                                         std::uint64_t warps_per_block, std::string_view title) {
    if (warps_per_block == 0) return {errc::not_positive, "warps_per_block"};
    const auto extent = detail::extent_of(events);
    if (!extent) return extent.error();
    detail::sm_timeline_writer(out, events, *extent, warps_per_block).write(title);
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::report

#endif
