// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All tools see the same parameters of a device: those of `for_each_parameter`.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <warpgauge/analyse/sampling.hpp>
#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/roofline.hpp>

#include "analyse/model_of_ones_own.hpp"

namespace same_parameters_test {

using namespace model_of_ones_own;
using namespace warpgauge;

namespace {

using names = std::vector<std::string_view>;

template <class Device>
names parameters_of(const Device& device) {
    names all;
    for_each_parameter(device,
                       [&](device_parameter p, const auto&) { all.push_back(info(p).name); });
    return all;
}

// A copy in which no parameter is 0: an elasticity in a parameter that is 0 does not exist.
template <class Device>
auto without_zeros(const Device& device) {
    auto d = edit(device);
    for_each_parameter(d, [](device_parameter, double& x) {
        if (x == 0) x = 1;
    });
    return d;
}

// A model that reads every parameter of its device: each one adds 1 s, in proportion to its change.
constexpr auto reads_all = [](const auto& device, const auto& k) {
    using real = std::remove_cvref_t<decltype(k.blocks)>;
    real sum = k.blocks * real(0.0);
    for_each_parameter(device, [&](device_parameter, const auto& x) {
        sum = sum + real(x) / real(value_of(real(x)));
    });
    return takes(sum);
};

template <class Model>
names sensitive_to(const Model& model, const kernel_profile<>& k) {
    names all;
    const auto s = sensitivities(model, k);
    REQUIRE(s);
    for (const sensitivity& of : *s) {
        if (of.of_device) all.push_back(of.parameter);
    }
    return all;
}

// Those of the whole table that `sample` draws.
template <class Model>
names drawn_for(const Model& model, const kernel_profile<>& k) {
    names all;
    for (const parameter_info& row : device_parameters) {
        const uncertain u[]{relative(exactly(row.name, 1))};
        const auto t = sample(model, k, u, {.samples = 1});
        if (t) {
            CHECK(t->seconds[0] == *seconds_of(model.predict(k)));
            all.push_back(row.name);
        } else {
            CHECK(t.error() == model_error{errc::unknown_parameter, row.name, 1});
        }
    }
    return all;
}

template <class Model>
void check_all(const Model& model, const names& expected) {
    const kernel_profile<> k{.blocks = 64, .threads_per_block = 64, .comp_insts = 100};
    CHECK(sensitive_to(model, k) == expected);
    CHECK(drawn_for(model, k) == expected);
}

}  // namespace

TEST_CASE("for every shipped device, samples, sensitivities and copies see the same parameters") {
    devices::for_each([](const auto& known) {
        const names expected = parameters_of(known);
        const auto d = without_zeros(known);
        CAPTURE(std::string(known.name));
        MESSAGE(std::string(known.name), ": ", expected.size(), " parameters");
        CHECK(expected.size() > 3);
        CHECK(parameters_of(d) == expected);
        check_all(function_model{d, reads_all}, expected);
        const auto all = sensitivities(function_model{d, reads_all}, kernel_profile<>{});
        REQUIRE(all);
        for (const sensitivity& s : *all) {
            if (!s.of_device) continue;
            CHECK(s.elasticity == doctest::Approx(1.0 / static_cast<double>(expected.size())));
        }
        using device = std::remove_cvref_t<decltype(d)>;
        if constexpr (roofline_device<device>) {
            check_all(roofline_model{d}, expected);
        }
    });
}

}  // namespace same_parameters_test
