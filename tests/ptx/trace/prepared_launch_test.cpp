// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/prepared_launch.hpp>

#include "ptx/kernels.hpp"

namespace prepared_launch_test {

using namespace warpgauge;
using ptx::detail::trace::prepare_launch;

TEST_CASE("a launch is prepared once for whoever follows its warps") {
    const std::string text = kernel_text("matmul");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "matmul_tiled");
    REQUIRE(k);
    const ptx::argument n[]{128};
    const auto p = prepare_launch(*k, {{8, 8}, {16, 16}}, n, {});
    REQUIRE(p);
    CHECK(p->capability == compute_capability{7, 5});
    CHECK(p->arguments.size() == 4);
    CHECK(p->arguments[0].small[0] == 128);
    CHECK(p->decisions.size() == p->linked.steps.size());
    CHECK(p->linked.shared_bytes == 2048);
    CHECK(prepare_launch(*k, {{8, 8}, {16, 16}}, n, {.capability = {9, 0}})->capability ==
          compute_capability{9, 0});
    CHECK(prepare_launch({}, {{8, 8}, {16, 16}}, n, {}).error() ==
          model_error{errc::missing, "kernel"});
    CHECK(prepare_launch(*k, {{0}, {16}}, n, {}).error() ==
          model_error{errc::not_positive, "grid"});
    CHECK(prepare_launch(*k, {{1}, {16}}, n, {.default_rounds = 0}).error() ==
          model_error{errc::outside_domain, "default_rounds"});
}

}  // namespace prepared_launch_test
