// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/by_name/find_device.hpp>

namespace find_device_test {

using namespace warpgauge;

namespace {

std::vector<std::string> like(std::string_view text) {
    std::vector<std::string> names;
    for_each_device_like(text, [&](std::string_view name) { names.emplace_back(name); });
    return names;
}

std::string_view found(std::string_view name) {
    const auto d = find_device(name);
    return d ? d->name() : std::string_view{};
}

}  // namespace

TEST_CASE("names as CUDA reports them, and short ones") {
    CHECK(found("NVIDIA A100-SXM4-40GB") == devices::a100_sxm4_40gb::name);
    CHECK(found("NVIDIA H100 80GB HBM3") == devices::h100_sxm5::name);
    CHECK(found("NVIDIA GeForce RTX 2070 SUPER") == devices::geforce_rtx_2070_super::name);
    CHECK(found("Tesla V100-SXM2-16GB") == devices::tesla_v100::name);
    CHECK(found("a100") == devices::a100_sxm4_40gb::name);
    CHECK(found("h100") == devices::h100_sxm5::name);
    CHECK(found("v100") == devices::tesla_v100::name);
    CHECK(found("2070 super") == devices::geforce_rtx_2070_super::name);
    CHECK(found("gtx_280") == devices::geforce_gtx_280::name);
}

TEST_CASE("the name of a GPU that is not here finds none") {
    for (const std::string_view none : {"NVIDIA H20",
                                        "NVIDIA GeForce RTX 4090 D",
                                        "NVIDIA GeForce RTX 4090 Laptop GPU",
                                        "NVIDIA GeForce RTX 5090 D",
                                        "NVIDIA GeForce RTX 2080",
                                        "NVIDIA GeForce RTX 2070",
                                        "NVIDIA GeForce GTX 1080",
                                        "GeForce RTX 3090 Ti",
                                        "Quadro 6000",
                                        "NVIDIA RTX A400",
                                        "NVIDIA A10",
                                        "NVIDIA A4",
                                        "NVIDIA H100 NVL",
                                        "Tesla V100S-PCIE-32GB",
                                        "Tesla P10",
                                        "AMD Radeon RX 7900 XT",
                                        "AMD Instinct MI25",
                                        "AMD Instinct MI250",
                                        "2080",
                                        "h20"}) {
        CAPTURE(none);
        CHECK(find_device(none).error() == model_error{errc::unknown_name, none});
        CHECK(like(none).empty());
    }
}

TEST_CASE("words may follow each other without a space, and a maker's name may come first") {
    CHECK(found("rtx2080ti") == devices::geforce_rtx_2080_ti::name);
    CHECK(found("geforce 2070super") == devices::geforce_rtx_2070_super::name);
    CHECK(found("nvidia a100") == devices::a100_sxm4_40gb::name);
    CHECK(found("NVIDIA H100") == devices::h100_sxm5::name);
    CHECK(found("AMD MI300X") == devices::instinct_mi300x::name);
    CHECK(found("h100 pcie") == devices::h100_pcie::name);
}

TEST_CASE("every device is found by each of its names") {
    devices::for_each([](const auto& d) {
        CAPTURE(d.name);
        detail::by_name::for_each_name(d, [&](std::string_view name) {
            CAPTURE(name);
            CHECK(found(name) == d.name);
        });
    });
}

TEST_CASE("a name of several lists them, a name of none says so") {
    const auto several = find_device("geforce");
    REQUIRE(!several);
    CHECK(several.error() == model_error{errc::ambiguous_name, "geforce"});
    CHECK(like("geforce").size() > 4);
    for (const std::string_view none : {"", " ", "nvidia", "GeForce GTX 2800", "voodoo"}) {
        CAPTURE(none);
        CHECK(find_device(none).error() == model_error{errc::unknown_name, none});
    }
}

TEST_CASE("an error of a misspelt name says which name was perhaps meant") {
    CHECK(message(find_device("h100 sxm6").error(), device_names).view() ==
          "h100 sxm6 is not a known name; perhaps H100 SXM5");
    CHECK(message(find_device("TPU v4").error(), device_names).view() ==
          "TPU v4 is not a known name");
    auto gpu = *find_device("h100_sxm5");
    CHECK(message(gpu.get("clock_khz").error(), device_parameters).view() ==
          "clock_khz is not a parameter of this device or kernel; perhaps clock_hz");
    CHECK(message(gpu.set("clock", -1), device_parameters).view() ==
          "clock is not a parameter of this device or kernel; perhaps clock_hz");
    CHECK(message(gpu.set("clock_hz", -1), device_parameters).view() ==
          "clock_hz must be a finite number above zero");
}

TEST_CASE("all names, oldest first") {
    std::size_t count = 0;
    for_each_device_name([&](std::string_view) { ++count; });
    CHECK(device_names.size() == count);
    CHECK(*device_names.begin() == "GeForce 8800 GTX");
    for (const std::string_view name : device_names) CHECK(find_device(name)->name() == name);
}

}  // namespace find_device_test
