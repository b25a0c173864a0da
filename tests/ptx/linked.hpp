// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A text of one kernel, parsed and linked.
#ifndef WARPGAUGE_TESTS_PTX_LINKED_HPP
#define WARPGAUGE_TESTS_PTX_LINKED_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/link_kernel.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/parse.hpp>

// A kernel of one parameter `n` and a pointer, with registers of every kind.
inline std::string kernel_of(std::string_view body, std::string_view functions = {}) {
    return std::string(".version 7.0\n.target sm_75\n.address_size 64\n") + std::string(functions) +
           ".visible .entry k(.param .u32 n, .param .u64 data)\n{\n"
           ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %d<20>;\n"
           ".reg .f32 %f<9>;\n.shared .align 4 .b8 tile[4096];\n"
           "ld.param.u32 %r1, [n];\nld.param.u64 %d1, [data];\nmov.u32 %r2, %tid.x;\n" +
           std::string(body) + "\n}\n";
}

// Instructions of such a kernel before its body.
constexpr std::uint32_t instructions_before_body = 3;

struct parsed_text {
    explicit parsed_text(std::string source) : text(std::move(source)) {
        auto parsed = warpgauge::ptx::parse(text);
        REQUIRE(parsed);
        module = std::move(*parsed);
    }
    parsed_text(const parsed_text&) = delete;  // the module refers to the text

    std::string text;
    warpgauge::ptx::module module;
};

// The kernel must be the last function.
struct linked_text : parsed_text {
    explicit linked_text(std::string source) : parsed_text(std::move(source)) {
        const auto kernel = static_cast<std::uint32_t>(module.functions.size() - 1);
        auto linked = warpgauge::ptx::link::link_kernel(module, kernel, 1'000'000);
        REQUIRE_MESSAGE(
            linked, warpgauge::message(linked ? warpgauge::model_error{} : linked.error()).c_str());
        program = std::move(*linked);
    }

    // A step of the kernel's body.
    const warpgauge::ptx::link::step& body(std::size_t index) const {
        return program.steps.at(instructions_before_body + index);
    }
    std::uint32_t result(const warpgauge::ptx::link::step& s, std::size_t which = 0) const {
        return program.rows.at(s.first + which);
    }
    std::uint32_t source(const warpgauge::ptx::link::step& s, std::size_t which = 0) const {
        return program.rows.at(s.first + s.results + which);
    }
    // The value of a constant's row.
    std::uint64_t constant(std::uint32_t row) const {
        return program.constants.at(row - warpgauge::ptx::link::special_rows);
    }

    warpgauge::ptx::link::program program;
};

inline warpgauge::model_error link_error_of(std::string source) {
    const parsed_text t(std::move(source));
    const auto kernel = static_cast<std::uint32_t>(t.module.functions.size() - 1);
    const auto linked = warpgauge::ptx::link::link_kernel(t.module, kernel, 1'000'000);
    REQUIRE_FALSE(linked);
    return linked.error();
}

// A warp of a launch with one block.
inline warpgauge::ptx::run::warp_place one_warp(std::uint32_t threads = 32) {
    return {.grid = {1, 1, 1}, .block = {threads, 1, 1}, .block_index = {}};
}

#endif
