// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../benchmarks/gpu/cpd_fit.hpp"

#include <doctest/doctest.h>

namespace cpd_fit_test {

TEST_CASE("a degree is CPD by equations (3) to (5)") {
    // P = 1/4: (0.5 - 0.25)(16 - 11) + 3, with the constants of Cheng & Suda 2011, sec. 3.4.
    CHECK(modelled_degree({3, 11, 0.5, 80}, {16, 100, 300, 1}, 32) == doctest::Approx(4.25));
    CHECK(modelled_degree({3, 11, 0.5, 80}, {33, 100, 300, 1}, 32) == 0);  // more than an SM holds
}

TEST_CASE("the fit finds constants that explain degrees which the model made") {
    for (const cpd_constants& made_with : {cpd_constants{3, 11, 0.5, 80}, {2, 6, 0.4, 120}}) {
        std::vector<cpd_sample> samples;
        for (const double comp : {32.0, 128.0, 512.0, 1024.0, 2048.0}) {
            for (const double warps : {2.0, 4.0, 8.0, 16.0, 24.0, 32.0}) {
                samples.push_back({warps, comp, 600, 0});
                samples.back().degree = modelled_degree(made_with, samples.back(), 32);
            }
        }
        REQUIRE(cpd_misfit(made_with, samples, 32) == 0);
        const cpd_constants found = fit_cpd(samples, 32);
        CHECK(cpd_misfit(found, samples, 32) < 1e-4);
        CHECK(cpd_misfit({30, 11, 0.5, 80}, samples, 32) >
              0.1);  // other constants do not explain them
    }
}

}  // namespace cpd_fit_test
