// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Machine code made by hand: just what control flow and lines need.
#ifndef WARPGAUGE_TESTS_SASS_MADE_CODE_HPP
#define WARPGAUGE_TESTS_SASS_MADE_CODE_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/sass/instruction.hpp>

class made_code {
public:
    using instructions = std::vector<warpgauge::sass::machine_instruction>;

    made_code& plain(std::uint32_t line = 0) {
        return add(0x810, "IADD3", warpgauge::sass::pipe::alu, line);
    }
    made_code& load(std::uint32_t line) {
        return add(0x981, "LDG", warpgauge::sass::pipe::global_load, line);
    }
    made_code& shared_load(std::uint32_t line) {
        return add(0x984, "LDS", warpgauge::sass::pipe::shared_load, line);
    }
    made_code& store(std::uint32_t line) {
        return add(0x986, "STG", warpgauge::sass::pipe::global_store, line);
    }
    made_code& copy(std::uint32_t line) {
        return add(0xfae, "LDGSTS", warpgauge::sass::pipe::global_load, line);
    }
    made_code& copy_in_bulk(std::uint32_t line) {
        return add(0x3ba, "UBLKCP", warpgauge::sass::pipe::global_load, line);
    }
    made_code& ask_barrier() {
        return add(0x5a7, "SYNCS", warpgauge::sass::pipe::shared_atomic, 0);
    }
    made_code& product(std::uint32_t line) {
        return add(0x23c, "HMMA", warpgauge::sass::pipe::tensor, line);
    }
    // Of a warpgroup; closes a group.
    made_code& product_of_columns(std::uint16_t columns) {
        add(0x9f0, "HGMMA", warpgauge::sass::pipe::tensor, 0);
        code_.back().columns = columns;
        code_.back().closes_group = true;
        return *this;
    }
    made_code& await_products(std::uint8_t groups_left) {
        add(0x9c5, "WARPGROUP", warpgauge::sass::pipe::other, 0);
        code_.back().counted_barrier = warpgauge::sass::product_groups;
        code_.back().groups_left = groups_left;
        return *this;
    }
    // Closes a group of copies, and sets barrier 0.
    made_code& commit() {
        add(0x9af, "LDGDEPBAR", warpgauge::sass::pipe::other, 0);
        code_.back().control.write_barrier = 0;
        return *this;
    }
    made_code& await(std::uint8_t barrier, std::uint8_t groups_left) {
        add(0x91a, "DEPBAR", warpgauge::sass::pipe::other, 0);
        code_.back().counted_barrier = barrier;
        code_.back().groups_left = groups_left;
        return *this;
    }
    made_code& meet(std::uint32_t line = 0) {
        return add(0x941, "BSYNC", warpgauge::sass::pipe::branch, line);
    }
    made_code& jump(std::uint32_t to, bool conditional, std::uint32_t line = 0) {
        return flows(0x947, "BRA", warpgauge::sass::flow::jump, to, conditional, line);
    }
    made_code& call(std::uint32_t to, std::uint32_t line = 0) {
        return flows(0x944, "CALL.REL", warpgauge::sass::flow::call, to, false, line);
    }
    made_code& back() {
        return flows(0x950, "RET.REL", warpgauge::sass::flow::back, none, false, 0);
    }
    made_code& exit(bool conditional = false, std::uint32_t line = 0) {
        return flows(0x94d, "EXIT", warpgauge::sass::flow::exit, none, conditional, line);
    }

    [[nodiscard]] const instructions& code() const { return code_; }

private:
    static constexpr std::uint32_t none = 0xffff'ffff;

    made_code& add(std::uint16_t number, const char* name, warpgauge::sass::pipe pipe,
                   std::uint32_t line) {
        warpgauge::sass::machine_instruction i;
        i.code = number;
        i.name = name;
        i.pipe = pipe;
        i.line = line;
        i.offset = static_cast<std::uint32_t>(code_.size()) * warpgauge::sass::instruction_bytes;
        code_.push_back(i);
        return *this;
    }
    made_code& flows(std::uint16_t number, const char* name, warpgauge::sass::flow flow,
                     std::uint32_t to, bool conditional, std::uint32_t line) {
        add(number, name, warpgauge::sass::pipe::branch, line);
        auto& i = code_.back();
        i.flow = flow;
        i.conditional = conditional;
        if (conditional) i.predicate = 0;
        if (to != none) i.target = std::int64_t{to} * warpgauge::sass::instruction_bytes;
        return *this;
    }

    instructions code_;
};

#endif
