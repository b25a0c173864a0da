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
#include "any_gpu.hpp"

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

/// What all tools see of a device that has these parameters.
template <class Device>
void check_tools(const Device& device, const names& expected) {
    const auto d = without_zeros(device);
    CAPTURE(std::string(d.name));
    CHECK(parameters_of(d) == expected);
    check_all(function_model{d, reads_all}, expected);
    const auto all = sensitivities(function_model{d, reads_all}, kernel_profile<>{});
    REQUIRE(all);
    for (const sensitivity& s : *all) {
        if (!s.of_device) continue;
        CHECK(s.elasticity == doctest::Approx(1.0 / static_cast<double>(expected.size())));
    }
    if constexpr (roofline_device<Device>) {
        if (knows<parameters::schedulers>(d) || knows<parameters::issue>(d)) {
            check_all(roofline_model{d}, expected);
        }
    }
}

}  // namespace

TEST_CASE("for every shipped device, samples, sensitivities and copies see the same parameters") {
    struct shipped {
        any_gpu device;
        names parameters, of_copy;
    };
    std::vector<shipped> all;
    devices::for_each([&](const auto& d) {
        all.push_back({any_gpu(d), parameters_of(d), parameters_of(edit(d))});
    });
    CHECK(all.size() > 40);
    for (const shipped& s : all) {
        MESSAGE(std::string(s.device.name), ": ", s.parameters.size(), " parameters");
        CHECK(s.parameters.size() > 3);
        CHECK(s.of_copy == s.parameters);
        check_tools(s.device, s.parameters);
    }
}

TEST_CASE("samples, sensitivities and copies see the same of a device by its own type") {
    const auto check = [](const auto& d) { check_tools(edit(d), parameters_of(d)); };
    check(devices::geforce_8800_gtx{});
    check(devices::instinct_mi210{});
    check(devices::h200{});
}

}  // namespace same_parameters_test
