// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/launch_input.hpp>

#include "ptx/linked.hpp"

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;
using ptx::argument;

TEST_CASE("launches that no GPU starts, or that the text forbids") {
    const ptx::function any;
    CHECK_FALSE(check_launch({{0x7fff'ffff, 65'535, 65'535}, {1024}}, any));
    CHECK(check_launch({{0}, {32}}, any) == model_error{errc::not_positive, "grid"});
    CHECK(check_launch({{1, 65'536}, {32}}, any) == model_error{errc::exceeds_device, "grid"});
    CHECK(check_launch({{1}, {32, 33}}, any) == model_error{errc::exceeds_device, "block"});
    CHECK(check_launch({{1}, {32}, (std::uint64_t{1} << 32) + 1}, any).code == errc::overflow);
    const ptx::function strict{.required_threads = {64, 1, 1}};
    CHECK_FALSE(check_launch({{1}, {64}}, strict));
    CHECK(check_launch({{1}, {32, 2}}, strict) == model_error{errc::outside_domain, "block"});
    const ptx::function small{.max_threads = {64, 2, 1}};
    CHECK_FALSE(check_launch({{1}, {128}}, small));
    CHECK(check_launch({{1}, {129}}, small).field == "block");
}

TEST_CASE("arguments as bytes") {
    const ptx::declaration n{.type = "u32"}, data{.type = "u64"}, real{.type = "f32"},
        structure{.type = "b8", .elements = 12};
    std::uint64_t value = 0;
    const auto integer = bind_argument(0x01020304, n, 0, 64);
    REQUIRE(integer);
    CHECK(integer->read(0, 4, value));
    CHECK(value == 0x01020304);
    const auto allocated = bind_argument({}, data, 2, 64);
    REQUIRE(allocated);
    CHECK(allocated->read(0, 8, value));
    CHECK(value == std::uint64_t{3} << 40);
    CHECK(allocation(2, 32) == (2U << 27) + (1U << 31));
    CHECK(bind_argument({}, n, 0, 64).error().code == errc::missing);
    CHECK(bind_argument({}, n, 0, 32)->known);
    CHECK_FALSE(bind_argument({}, real, 0, 64)->known);
    CHECK(bind_argument(1, real, 0, 64).error().code == errc::outside_domain);
    CHECK(bind_argument(1, structure, 0, 64).error().code == errc::outside_domain);
    CHECK_FALSE(bind_argument(argument::unknown(), n, 0, 64)->known);
    const std::array<unsigned char, 12> bytes{5};
    CHECK(bind_argument(argument(std::span<const unsigned char>(bytes)), structure, 0, 64)
              ->bytes.size() == 12);
}

TEST_CASE("errors name the argument") {
    const parsed_text t(kernel_of("ret;"));
    const ptx::function& f = t.module.functions[0];
    const std::array<argument, 3> given{4, {}, 6};
    CHECK(bind_arguments(t.module, f, std::span(given).first(1))->size() == 2);
    const auto missing = bind_arguments(t.module, f, {}).error();
    CHECK(missing == model_error{errc::missing, "n", 1});
    CHECK(message(missing).view() == "entry 1: n is needed and not given");
    CHECK(bind_arguments(t.module, f, given).error() ==
          model_error{errc::outside_domain, "arguments", 3});
}
