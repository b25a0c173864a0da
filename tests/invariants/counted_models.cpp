// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models that read instruction counts.
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>

#include "floors.hpp"
#include "models.hpp"
#include "tools.hpp"

namespace invariants {

using namespace parameters;

namespace {

/// Four schedulers issue four instructions in a cycle, and so on.
template <class D>
auto with_issue(const D& d) {
    double cycles = 4;  // eight lanes, before there were schedulers in the sources
    if constexpr (has_schedulers<D>) {
        cycles = 1 / static_cast<double>(d.warp_schedulers * d.issues_per_scheduler);
    }
    return completed<issue>(d, {.issue_cycles = cycles});
}

struct hidden {
    static constexpr std::string_view name = "MWP/CWP";
    static constexpr std::string_view by_name = "mwp_cwp";
    static constexpr kernel_kind kind = kernel_kind::counted;
    static constexpr bool has_published_form = true;
    static constexpr overlap_rule overlap = overlap_rule::hidden;
    using reads =
        group_list<chip, warp, issue, dram_latency, departures, transaction_size, residency>;
    template <class D>
    static constexpr bool takes = mwp_cwp_device<D>;

    template <class D>
    static auto complete(const D& d) {
        const auto issuing = with_issue(d);
        const auto waiting = completed<dram_latency>(issuing, {.dram_latency_cycles = 500});
        return completed<departures>(
            waiting, {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 8});
    }
    template <class D>
    static auto model(const D& d, equation_form form) {
        return mwp_cwp_model{d, {.form = form}};
    }
    static hardware_floors floors(const any_device& d, const launch_case& c) {
        return counted_floors(d, c);
    }
};

struct summed : hidden {
    static constexpr std::string_view name = "MWP/CWP, summed";
    static constexpr std::string_view by_name{};  // not as by name
    static constexpr bool has_published_form = false;
    template <class D>
    static auto model(const D& d, equation_form form) {
        return mwp_cwp_model{d, {.form = form, .overlap = overlap_rule::summed}};
    }
};

struct whole_rounds : hidden {
    static constexpr std::string_view name = "MWP/CWP, whole rounds";
    static constexpr std::string_view by_name{};  // not as by name
    static constexpr bool has_published_form = false;
    template <class D>
    static auto model(const D& d, equation_form form) {
        return mwp_cwp_model{d, {.form = form, .rounds = waves::whole}};
    }
};

struct roofs {
    static constexpr std::string_view name = "roofline";
    static constexpr std::string_view by_name = "roofline";
    static constexpr kernel_kind kind = kernel_kind::counted;
    static constexpr bool has_published_form = false;
    using reads = group_list<chip, warp, schedulers, issue, transaction_size>;
    template <class D>
    static constexpr bool takes = roofline_device<D>;

    template <class D>
    static auto complete(const D& d) {
        return edit(d);
    }
    template <class D>
    static auto model(const D& d, equation_form) {
        return roofline_model{d};
    }
    /// The roofs are those of the whole GPU, even if there are too few blocks for all SMs.
    static hardware_floors floors(const any_device& d, const launch_case& c) {
        hardware_floors f = counted_floors(d, c);
        f.issue_seconds *= std::min(1.0, c.numbers.blocks / *d.get("sm_count"));
        return f;
    }
};

}  // namespace

subject mwp_cwp() {
    return with_tools<hidden>(make_subject<hidden>());
}
subject mwp_cwp_summed() {
    return make_subject<summed>();
}
subject mwp_cwp_whole() {
    return make_subject<whole_rounds>();
}
subject roofline_subject() {
    return with_tools<roofs>(make_subject<roofs>());
}

}  // namespace invariants
