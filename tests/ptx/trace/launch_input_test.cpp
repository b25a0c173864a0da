// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/launch_input.hpp>

#include "ptx/linked.hpp"

namespace launch_input_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;
using ptx::argument;

TEST_CASE("launches that no GPU starts, or that the text forbids") {
    const ptx::function any;
    CHECK_FALSE(check_launch({{0x7fff'ffff, 65'535, 65'535}, {1024}}, any));
    CHECK(check_launch({{0}, {32}}, any) == model_error{errc::not_positive, "grid"});
    CHECK(check_launch({{1, 0}, {32}}, any) == model_error{errc::not_positive, "grid"});
    CHECK(check_launch({{1, 1, 0}, {32}}, any) == model_error{errc::not_positive, "grid"});
    CHECK(check_launch({{1}, {32, 1, 0}}, any) == model_error{errc::not_positive, "block"});
    CHECK(check_launch({{1, 65'536}, {32}}, any) == model_error{errc::exceeds_device, "grid"});
    CHECK(check_launch({{1}, {32, 33}}, any) == model_error{errc::exceeds_device, "block"});
    CHECK(check_launch({{1}, {32}, (std::uint64_t{1} << 32) + 1}, any).code == errc::overflow);
    const ptx::function strict{.required_threads = {64, 1, 1}};
    CHECK_FALSE(check_launch({{1}, {64}}, strict));
    CHECK(check_launch({{1}, {32, 2}}, strict) == model_error{errc::broken_constraint, ".reqntid"});
    const ptx::function small{.max_threads = {64, 2, 1}};
    CHECK_FALSE(check_launch({{1}, {128}}, small));
    CHECK(check_launch({{1}, {129}}, small) == model_error{errc::broken_constraint, ".maxntid"});
    CHECK(message(check_launch({{1}, {129}}, small)).view() ==
          ".maxntid is a constraint that does not hold");
}

TEST_CASE("a grid is made of whole clusters") {
    const ptx::function any;
    const model_error bad{errc::broken_constraint, "cluster"};
    CHECK_FALSE(check_launch({{8}, {32}, 0, {4, 1, 1}}, any));
    CHECK(check_launch({{7}, {32}, 0, {4, 1, 1}}, any) == bad);
    CHECK(check_launch({{8, 3}, {32}, 0, {4, 2, 1}}, any) == bad);
    CHECK(check_launch({{8, 2, 3}, {32}, 0, {4, 2, 2}}, any) == bad);
    const ptx::function of_four{.cluster = {4, 1, 1}};
    CHECK_FALSE(check_launch({{8}, {32}}, of_four));
    CHECK(check_launch({{7}, {32}}, of_four) == bad);
    CHECK_FALSE(check_launch({{7}, {32}, 0, {7, 1, 1}}, of_four));
}

TEST_CASE("arguments as bytes") {
    const ptx::declaration n{.type = "u32"}, data{.type = "u64"}, real{.type = "f32"},
        structure{.type = "b8", .elements = 12};
    constexpr parameter_use pointer{.is_pointer = true}, number{}, unused{.is_used = false};
    std::uint64_t value = 0;
    const auto integer = bind_argument(0x01020304, n, 0, 64, number);
    REQUIRE(integer);
    CHECK(integer->read(0, 4, value));
    CHECK(value == 0x01020304);
    const auto allocated = bind_argument({}, data, 2, 64, pointer);
    REQUIRE(allocated);
    CHECK(allocated->read(0, 8, value));
    CHECK(value == std::uint64_t{3} << 40);
    CHECK(allocation(2, 32) == (2U << 27) + (1U << 31));
    CHECK(bind_argument({}, n, 0, 64, number).error().code == errc::missing);
    CHECK(bind_argument({}, n, 0, 32, pointer)->known);
    CHECK(bind_argument({}, data, 0, 64, number).error().code == errc::missing);
    CHECK_FALSE(bind_argument({}, data, 0, 64, unused)->known);
    CHECK_FALSE(bind_argument({}, real, 0, 64, number)->known);
    CHECK(bind_argument(1, real, 0, 64, number).error().code == errc::outside_domain);
    CHECK(bind_argument(1, structure, 0, 64, number).error().code == errc::outside_domain);
    CHECK_FALSE(bind_argument(argument::unknown(), n, 0, 64, number)->known);
    const std::array<unsigned char, 12> bytes{5};
    CHECK(bind_argument(argument(std::span<const unsigned char>(bytes)), structure, 0, 64, number)
              ->bytes.size() == 12);
}

TEST_CASE("an integer that its parameter has too few bits for is not cut off") {
    const ptx::declaration n{.type = "u32"}, half{.type = "s16"}, data{.type = "u64"};
    constexpr parameter_use number{};
    const auto code = [&](const argument& a, const ptx::declaration& d) {
        const auto bound = bind_argument(a, d, 0, 64, number);
        return bound ? errc::none : bound.error().code;
    };
    CHECK(code(0xffff'ffffU, n) == errc::none);
    CHECK(code(-1, n) == errc::none);
    CHECK(code(std::int64_t{-0x8000'0000L}, n) == errc::none);
    CHECK(code(std::int64_t{-0x8000'0001L}, n) == errc::overflow);
    CHECK(code(std::uint64_t{1} << 32, n) == errc::overflow);
    CHECK(code(65'535, half) == errc::none);
    CHECK(code(65'536, half) == errc::overflow);
    CHECK(code(~std::uint64_t{0}, data) == errc::none);
    const linked_text t(kernel_of("cvta.to.global.u64 %d2, %d1;\nret;"));
    const std::array<argument, 1> given{99'999'999'999};
    const auto error = bind_arguments(t.program, t.module.functions[0], given).error();
    CHECK(error == model_error{errc::overflow, "n", 1});
}

TEST_CASE("errors name the argument") {
    const linked_text t(kernel_of("cvta.to.global.u64 %d2, %d1;\nret;"));
    const ptx::function& f = t.module.functions[0];
    const std::array<argument, 3> given{4, {}, 6};
    CHECK(bind_arguments(t.program, f, std::span(given).first(1))->parameters.size() == 2);
    const auto missing = bind_arguments(t.program, f, {}).error();
    CHECK(missing == model_error{errc::missing, "n", 1});
    CHECK(message(missing).view() == "entry 1: n is needed and not given");
    CHECK(bind_arguments(t.program, f, given).error() ==
          model_error{errc::outside_domain, "arguments", 3});
}

TEST_CASE("a number of 64 bits is not taken for a pointer") {
    const linked_text t(kernel_of("setp.lt.u64 %p1, %d1, 5;\nret;"));
    const ptx::function& f = t.module.functions[0];
    const std::array<argument, 1> given{4};
    CHECK(bind_arguments(t.program, f, given).error() == model_error{errc::missing, "data", 2});
}

TEST_CASE("pointers in a structure are allocations, other fields what is given") {
    const linked_text t(
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .align 8 .b8 s[24])\n{\n"
        ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n"
        "ld.param.u64 %d1, [s];\nld.param.u64 %d2, [s+16];\nld.param.u32 %r1, [s+8];\n"
        "cvta.to.global.u64 %d3, %d1;\nmad.wide.u32 %d4, %r1, 4, %d3;\nst.global.u32 [%d4], %r1;\n"
        "ld.global.u32 %r2, [%d2];\nret;\n}\n");
    const ptx::function& f = t.module.functions[0];
    const std::array<ptx::argument_field, 1> fields{{{.offset = 8, .bytes = 4, .value = 77}}};
    const std::array<argument, 1> given{argument(std::span<const ptx::argument_field>(fields))};
    const auto bound = bind_arguments(t.program, f, given);
    REQUIRE(bound);
    const auto& s = bound->parameters[0];
    std::uint64_t value = 0;
    CHECK(s.read(8, 4, value));
    CHECK(value == 77);
    CHECK(s.read(0, 8, value));
    CHECK(value == std::uint64_t{2} << 40);
    CHECK(s.read(16, 8, value));
    CHECK(value == std::uint64_t{3} << 40);
    CHECK_FALSE(s.read(12, 4, value));
    const auto none = bind_arguments(t.program, f, {});
    REQUIRE(none);
    CHECK(none->parameters[0].read(0, 8, value));
    CHECK_FALSE(none->parameters[0].read(8, 4, value));
    const std::array<ptx::argument_field, 1> wide{{{.offset = 8, .bytes = 1, .value = 300}}};
    const std::array<argument, 1> cut{argument(std::span<const ptx::argument_field>(wide))};
    CHECK(bind_arguments(t.program, f, cut).error() == model_error{errc::outside_domain, "s", 1});
    const std::array<ptx::argument_field, 1> outside{{{.offset = 21, .bytes = 4}}};
    const std::array<argument, 1> bad{argument(std::span<const ptx::argument_field>(outside))};
    CHECK(bind_arguments(t.program, f, bad).error() == model_error{errc::outside_domain, "s", 1});
}

TEST_CASE("each extent has its own limit, and a structure its size") {
    const ptx::function any;
    CHECK(check_launch({{0x8000'0000}, {32}}, any) == model_error{errc::exceeds_device, "grid"});
    constexpr std::uint32_t most = 0xffff'ffff;  // the product of three such wraps
    CHECK(check_launch({{most, most, most}, {32}}, any).code == errc::exceeds_device);
    CHECK(check_launch({{1}, {most, most, most}}, any).code == errc::exceeds_device);
    CHECK_FALSE(check_launch({{1}, {16, 1, 64}}, any));
    CHECK(check_launch({{1}, {1, 1, 65}}, any) == model_error{errc::exceeds_device, "block"});
    CHECK(check_launch({{1, 1, 65'536}, {32}}, any) == model_error{errc::exceeds_device, "grid"});
    CHECK(check_launch({{1}, {0}}, any) == model_error{errc::not_positive, "block"});
    CHECK(check_launch({{1}, {1025}}, any) == model_error{errc::exceeds_device, "block"});
    CHECK(check_launch({{1}, {1, 1025}}, any) == model_error{errc::exceeds_device, "block"});
    const linked_text t(
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".visible .entry k(.param .align 8 .b8 s[12])\n{\n.reg .b32 %r<3>;\n"
        "ld.param.u32 %r1, [s+8];\nret;\n}\n");
    const auto error = [&](std::uint32_t offset, std::uint32_t bytes) {
        const std::array fields{ptx::argument_field{offset, bytes, 5}};
        const std::array<argument, 1> given{argument(std::span<const ptx::argument_field>(fields))};
        const auto bound = bind_arguments(t.program, t.module.functions[0], given);
        return bound ? model_error{} : bound.error();
    };
    CHECK_FALSE(error(8, 4));
    CHECK_FALSE(error(0, 8));
    for (const auto& [offset, bytes] : {std::array{8U, 0U}, {0U, 9U}, {13U, 1U}, {8U, 5U}}) {
        CHECK(error(offset, bytes).code == errc::outside_domain);
    }
    const ptx::declaration vector{.type = "u32", .vector = 2};
    CHECK_FALSE(bind_argument({}, vector, 0, 64, {})->known);
    const std::array fields{ptx::argument_field{0, 4, 5}};
    CHECK(bind_argument(argument(std::span<const ptx::argument_field>(fields)), {.type = "u32"}, 0,
                        64, {})
              .error()
              .code == errc::outside_domain);
}

}  // namespace launch_input_test
