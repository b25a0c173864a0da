// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/models/saturation.hpp>

#include "floors.hpp"
#include "models.hpp"
#include "tools.hpp"

namespace invariants {

namespace {

struct spec {
    static constexpr std::string_view name = "saturation";
    static constexpr std::string_view by_name = name;
    static constexpr kernel_kind kind = kernel_kind::hierarchy;
    static constexpr bool has_published_form = false;
    using reads = decltype(warpgauge::detail::models::saturation_groups{} +
                           group_list<parameters::residency>{});
    template <class D>
    static constexpr bool takes = saturation_device<D>;

    template <class D>
    static auto complete(const D& d) {
        return edit(d);
    }
    template <class D>
    static auto model(const D& d, equation_form) {
        return saturation_model{d};
    }
    static hardware_floors floors(const any_device& d, const launch_case& c) {
        return hierarchy_floors(d, c);
    }
};

}  // namespace

subject saturation() {
    return with_tools<spec>(make_subject<spec>());
}

}  // namespace invariants
