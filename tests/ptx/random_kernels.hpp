// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_PTX_RANDOM_KERNELS_HPP
#define WARPGAUGE_TESTS_PTX_RANDOM_KERNELS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/launch_input.hpp>

#include "random_numbers.hpp"

// Kernels of nested loops, guards, accesses and unknown data. The same seed gives the same kernel with every compiler.

namespace random_kernels {

namespace ptx = warpgauge::ptx;

struct kernel_case {
    std::string text{};
    ptx::launch launch{};
    std::vector<ptx::argument> arguments{};
    warpgauge::compute_capability capability{};
    double rounds = 10, probability = 0.5;  // of loops and branches that data decides
};

/// Writes the body of a kernel, statement by statement.
class body_writer {
public:
    explicit body_writer(random_numbers& random) : random_(random) {}

    /// The whole text.
    std::string kernel() {
        begin();
        block(1, 20);
        loop(3, random_.whole(40, 400));
        block(2, 20);
        op({"st.global.f32", "[%d1]", "%f1"});
        label("END");
        op({"ret"});
        return head() + body_ + "}\n";
    }

private:
    using names = std::vector<std::string>;

    // What a statement may use; what a block adds ends with it.
    struct scope {
        names whole{};     // registers of 32 bits, of numbers that follow from the launch
        names loaded{};    // the same of loaded ones
        names pointers{};  // to global memory
    };

    // --- Choices

    bool one_in(int n) { return random_.whole(1, n) == 1; }
    std::string number(int low, int high) { return std::to_string(random_.whole(low, high)); }
    template <std::size_t N>
    std::string one_of(const char* const (&all)[N]) {
        return all[random_.whole(0, static_cast<int>(N) - 1)];
    }
    std::string one_of(const names& all) {
        return all[static_cast<std::size_t>(random_.whole(0, static_cast<int>(all.size()) - 1))];
    }
    std::string whole() { return one_of(now_.whole); }
    std::string whole_or_loaded() {
        return !now_.loaded.empty() && one_in(6) ? one_of(now_.loaded) : whole();
    }
    std::string sum() { return "%f" + number(1, 4); }
    std::string carried() { return "%c" + number(0, carried_rows - 1); }
    std::string array() { return "%d" + number(0, 1); }
    // Before an instruction that some rounds or lanes execute.
    std::string maybe_guarded(int n) { return one_in(n) ? "@" + comparison(whole()) + " " : ""; }

    // --- Text

    // An opcode and its operands. The elements of a list are evaluated in order, so that random numbers are too.
    void op(std::initializer_list<std::string> parts) {
        std::size_t n = 0;
        for (const std::string& part : parts) {
            body_ += (n == 0 ? "" : n == 1 ? " " : ", ") + part;
            ++n;
        }
        body_ += ";\n";
    }
    void label(const std::string& l) { body_ += l + ":\n"; }
    void branch(const std::string& p, const std::string& to) { op({"@" + p + " bra", to}); }
    std::string new_row() { return "%r" + std::to_string(rows_++); }
    std::string new_wide() { return "%d" + std::to_string(wide_++); }
    std::string new_predicate() { return "%p" + std::to_string(predicates_++); }
    std::string new_label() { return "L" + std::to_string(labels_++); }

    static constexpr int carried_rows = 3;

    [[nodiscard]] std::string head() const {
        return ".version 7.0\n.target sm_80\n.address_size 64\n"
               ".visible .entry k(.param .u32 n, .param .u32 m, .param .u64 a, .param .u64 b)\n{\n"
               ".reg .pred %p<" +
               std::to_string(predicates_ + 1) + ">;\n.reg .b32 %r<" + std::to_string(rows_) +
               ">;\n.reg .b32 %c<" + std::to_string(carried_rows) + ">;\n.reg .b64 %d<" +
               std::to_string(wide_) + ">;\n.reg .f32 %f<12>;\n.shared .align 16 .b8 tile[4096];\n";
    }

    void begin() {
        op({"ld.param.u32", "%r0", "[n]"});
        op({"ld.param.u32", "%r1", "[m]"});
        op({"ld.param.u64", "%d0", "[a]"});
        op({"ld.param.u64", "%d1", "[b]"});
        op({"mov.u32", "%r2", "%tid.x"});
        op({"mov.u32", "%r3", "%ctaid.x"});
        op({"mov.u32", "%r4", "%ntid.x"});
        op({"mad.lo.u32", "%r5", "%r3", "%r4", "%r2"});
        op({"mov.u32", "%r6", "tile"});
        op({"mov.u32", "%r7", "%ctaid.y"});
        now_.whole = {"%r0", "%r1", "%r2", "%r3", "%r5", "%r7"};
        rows_ = 8;
        wide_ = 2;
        for (int c = 0; c < carried_rows; ++c) {
            const std::string row = "%c" + std::to_string(c);
            op({"mov.u32", row, one_in(3) ? whole() : number(0, 9)});
            now_.whole.push_back(row);
        }
        if (one_in(4)) {  // a part of shared memory that is known
            op({"st.shared.u32", "[tile+" + std::to_string(4 * random_.whole(0, 20)) + "]",
                number(0, 9)});
            op({"bar.sync", "0"});
        }
        for (int p = random_.whole(1, 3); p > 0; --p) now_.pointers.push_back(pointer(array()));
        if (one_in(8)) {  // a pointer that is data
            const std::string at = new_wide();
            op({"ld.global.u64", at, "[%d0]"});
            now_.pointers.push_back(pointer(at));
        }
        if (!one_in(3)) return;
        const std::string p = new_predicate();
        op({"setp.ge.u32", p, "%r5", "%r" + number(0, 1)});
        branch(p, "END");
    }

    // Some elements past a base.
    std::string pointer(const std::string& base) {
        const std::string d = new_wide();
        const std::string to = new_wide();
        const std::string lanes = one_in(4) ? whole() : one_of({"%r2", "%r5"});
        op({"mul.wide.u32", d, lanes, one_of({"4", "4", "8", "16", "132"})});
        op({"add.s64", to, base, d});
        return to;
    }

    // --- Statements

    /// Some statements, within which loops may have `budget` rounds together, and nest `depth` deep.
    void block(int depth, int budget) {
        const scope outside = now_;
        for (int n = random_.whole(1, depth > 1 ? 5 : 4); n > 0; --n) {
            statement(depth, budget);
        }
        now_ = outside;
    }

    void statement(int depth, int budget) {
        const int which = random_.whole(0, 29);
        if (which < 8 && depth > 0) return loop(depth, budget);
        if (which < 11 && depth > 0) return guard(depth, budget);
        if (which < 14) return compute();
        if (which < 15) return now_.loaded.empty() ? load_number() : compute_of_data();
        if (which < 17) return carry();
        if (which < 20) return load();
        if (which < 21) return store();
        if (which < 23) return load_along_pointer();
        if (which < 26) return shared();
        if (which < 27) return op({"bar.sync", "0"});
        if (which < 28) return copy();
        if (which < 29) return atomic();
        op({"fma.rn.f32", sum(), sum(), sum(), sum()});
    }

    void compute() {
        const std::string a = whole();
        const std::string to = new_row();
        switch (random_.whole(0, 12)) {
            case 0: op({"add.u32", to, a, whole()}); break;
            case 1: op({"sub.s32", to, a, number(0, 40)}); break;
            case 2: op({"mul.lo.u32", to, a, number(1, 33)}); break;
            case 3: op({"mad.lo.u32", to, a, number(1, 65), whole()}); break;
            case 4: op({"shl.b32", to, a, number(1, 5)}); break;
            case 5: op({"shr.u32", to, a, number(1, 4)}); break;
            case 6: op({"and.b32", to, a, one_of({"1", "3", "7", "15", "28"})}); break;
            case 7: op({"rem.u32", to, a, number(2, 9)}); break;
            case 8: op({"min.u32", to, a, number(1, 30)}); break;
            case 9: op({"max.s32", to, a, whole()}); break;
            case 10: op({"xor.b32", to, a, number(1, 33)}); break;
            case 11: op({"div.u32", to, a, number(2, 5)}); break;
            default: {
                const std::string p = comparison(whole());
                op({"selp.b32", to, a, whole(), p});
            }
        }
        now_.whole.push_back(to);
    }

    // Of a loaded number and one that may decide the result alone.
    void compute_of_data() {
        const std::string a = one_of(now_.loaded);
        const std::string to = new_row();
        switch (random_.whole(0, 8)) {
            case 0: op({"add.u32", to, a, whole()}); break;
            case 1: op({"sub.s32", to, whole(), a}); break;
            case 2: op({"mul.lo.u32", to, a, whole()}); break;
            case 3: op({"mad.lo.u32", to, a, number(1, 9), whole()}); break;
            case 4: op({"and.b32", to, a, whole()}); break;
            case 5: op({"min.u32", to, a, whole()}); break;
            case 6: op({"max.s32", to, whole(), a}); break;
            case 7: op({"shr.u32", to, a, number(20, 31)}); break;
            default: {
                const std::string p = comparison(whole());
                op({"selp.b32", to, a, whole(), p});
            }
        }
        now_.loaded.push_back(to);
    }

    // What a round leaves to the next one.
    void carry() {
        const std::string c = carried();
        const std::string guard = maybe_guarded(4);
        switch (random_.whole(0, 5)) {
            case 0:
            case 1: op({guard + "add.u32", c, c, number(1, 40)}); break;
            case 2: op({guard + "sub.u32", c, c, number(1, 4)}); break;
            case 3: op({guard + "xor.b32", c, c, number(1, 64)}); break;
            case 4: op({guard + "mov.u32", c, whole()}); break;
            default:
                op({guard + "add.u32", c, c, "1"});
                op({"and.b32", c, c, one_of({"1", "3", "31"})});
        }
    }

    // A predicate: a register against a number or another register, or whether a round is the second, or third.
    std::string comparison(const std::string& a) {
        const std::string p = new_predicate();
        if (one_in(3)) {
            const std::string turn = new_row();
            if (one_in(3)) {
                op({"rem.u32", turn, a, number(2, 4)});
            } else {
                op({"and.b32", turn, a, one_of({"1", "1", "3"})});
            }
            op({"setp." + one_of({"eq", "ne"}) + ".u32", p, turn, number(0, 1)});
            return p;
        }
        const std::string type = one_of({".u32", ".s32"});
        const std::string opcode = "setp." + one_of({"lt", "le", "gt", "ge", "eq", "ne"});
        if (one_in(8)) {
            const std::string with = comparison(whole());
            op({opcode + one_of({".and", ".or"}) + type, p, a, number(0, 40), with});
        } else {
            op({opcode + type, p, a, one_in(2) ? number(0, 40) : whole()});
        }
        return p;
    }

    // A predicate of registers, or of loaded data.
    std::string condition() {
        if (!one_in(4)) return comparison(whole());
        if (now_.loaded.empty() || one_in(2)) load_number();
        const std::string p = new_predicate();
        op({"setp." + one_of({"eq", "ne", "lt"}) + ".s32", p, one_of(now_.loaded),
            one_in(3) ? whole() : number(0, 9)});
        return p;
    }

    void guard(int depth, int budget) {
        const std::string p = condition();
        if (one_in(3)) return predicated((one_in(2) ? "@" : "@!") + p + " ");
        const std::string skip = new_label();
        branch(p, skip);
        block(depth - 1, budget);
        if (one_in(3)) {
            const std::string end = new_label();
            op({"bra", end});
            label(skip);
            block(depth - 1, budget);
            label(end);
        } else {
            label(skip);
        }
    }

    void predicated(const std::string& guard) {
        for (int n = random_.whole(1, 2); n > 0; --n) {
            const std::string at = address(whole_or_loaded());
            switch (random_.whole(0, 2)) {
                case 0: op({guard + "ld.global.f32", sum(), "[" + at + "]"}); break;
                case 1: op({guard + "st.global.f32", "[" + at + "]", sum()}); break;
                default: op({guard + "add.u32", carried(), whole(), "1"});
            }
        }
    }

    // --- Accesses

    // Of an element of global memory.
    std::string address(const std::string& index) {
        std::string i = index;
        const std::string d = new_wide();
        const std::string at = new_wide();
        if (one_in(4)) {
            i = new_row();
            op({"and.b32", i, index, one_of({"7", "31", "255", "1020"})});
        }
        op({"mul.wide" + one_of({".u32", ".s32"}), d, i,
            one_of({"4", "4", "4", "8", "16", "64", "128", "12"})});
        op({"add.s64", at, one_in(2) ? array() : one_of(now_.pointers), d});
        return at;
    }

    void read(const std::string& address) {
        const std::string opcode = one_in(5) ? "ld.global.nc." : "ld.global.";
        const std::string at = "[" + address + "]";
        switch (random_.whole(0, 9)) {
            case 0: op({opcode + "v2.f32", "{%f5, %f6}", at}); break;
            case 1: op({opcode + "v4.f32", "{%f5, %f6, %f7, %f8}", at}); break;
            case 2: op({opcode + "u8", loaded(), at}); break;
            case 3: op({opcode + "u32", loaded(), at}); break;
            default: op({opcode + "f32", "%f5", at});
        }
        if (!one_in(3)) op({"add.f32", sum(), "%f5", sum()});
    }

    std::string loaded() {
        now_.loaded.push_back(new_row());
        return now_.loaded.back();
    }

    void load_number() {
        const std::string at = address(whole());
        op({"ld.global.u32", loaded(), "[" + at + "]"});
    }

    void load() {
        if (one_in(3)) return load_number();
        read(address(whole_or_loaded()));
    }

    void store() {
        const std::string at = "[" + address(whole()) + "]";
        if (one_in(4)) return op({"st.global.v2.f32", at, "{%f5, %f6}"});
        op({"st.global.f32", at, sum()});
    }

    void load_along_pointer() {
        const std::string p = one_of(now_.pointers);
        for (int n = random_.whole(1, 2); n > 0; --n) {
            read(one_in(2) ? p + "+" + std::to_string(4 * random_.whole(0, 33)) : p);
        }
        if (one_in(6)) op({"st.global.f32", "[" + p + "]", sum()});
        const std::string guard = maybe_guarded(6);
        op({guard + "add.s64", p, p,
            one_of({"4", "4", "8", "32", "64", "128", "256", "-4", "12", "1024"})});
    }

    void atomic() {
        if (one_in(3)) return op({"atom.shared.add.u32", loaded(), "[tile+64]", "1"});
        const std::string at = "[" + address(whole()) + "]";
        if (one_in(2)) return op({"red.global.add.u32", at, "1"});
        op({"atom.global.add.u32", loaded(), at, "1"});
    }

    void shared() {
        std::string i = whole();
        if (!one_in(3)) {
            const std::string masked = new_row();
            op({"and.b32", masked, i, one_of({"15", "31", "63", "255"})});
            i = masked;
        }
        const std::string row = new_row();
        op({"mad.lo.u32", row, i, one_of({"4", "4", "4", "8", "12", "16", "132"}), "%r6"});
        const std::string at = "[" + row + "]";
        switch (random_.whole(0, 5)) {
            case 0: op({"st.shared.f32", at, sum()}); break;
            case 1: op({"st.shared.u32", at, one_in(2) ? "5" : whole()}); break;
            case 2: op({"ld.shared.u32", loaded(), at}); break;
            case 3: op({"ld.shared.v2.f32", "{%f9, %f10}", at}); break;
            default: op({"ld.shared.f32", "%f9", at}); op({"add.f32", sum(), "%f9", sum()});
        }
    }

    void copy() {
        const std::string at = address(whole());
        const std::string to = new_row();
        op({"mad.lo.u32", to, whole(), one_of({"0", "4", "4", "8", "64", "132"}), "%r6"});
        op({"cp.async.ca.shared.global", "[" + to + "+128]", "[" + at + "]", "4"});
        op({"cp.async.commit_group"});
        if (!one_in(4)) op({"cp.async.wait_group", number(0, 1)});
        if (one_in(3)) op({"bar.sync", "0"});
    }

    // --- Loops

    // A bound of at most `most`: of the launch, of lanes, of a loop around; or of data, that a mask may bound.
    std::string bound(int most) {
        const std::string limit = number(1, most);
        const int which = random_.whole(0, 9);
        if (which < 3) return limit;
        const std::string b = new_row();
        if (which == 3) {
            if (now_.loaded.empty() || one_in(2)) load_number();
            if (one_in(2)) return one_of(now_.loaded);
            op({"and.b32", b, one_of(now_.loaded), "7"});
        } else if (one_in(2)) {
            op({"rem.u32", b, whole(), number(2, most + 1)});
        } else {
            op({"min.u32", b, whole(), limit});
        }
        return b;
    }

    // A loop around others has few rounds, so that these may have some; now and then it has many.
    void loop(int depth, int budget) {
        const int most = depth == 1 || one_in(4) ? budget : budget / 8;
        const int rounds = most < 2 ? 2 : random_.whole(2, most);
        const scope outside = now_;
        const loop_shape l{depth, rounds, budget / rounds, new_label()};
        switch (random_.whole(0, 8)) {
            case 0: loop_on_data(l); break;
            case 1: loop_down(l); break;
            case 2: loop_of_64_bits(l); break;
            case 3: loop_along(l); break;
            case 4:
            case 5: loop_at_top(l); break;
            default: loop_up(l); break;
        }
        now_ = outside;
    }

    struct loop_shape {
        int depth{}, rounds{}, budget{};
        std::string name{};

        [[nodiscard]] std::string next() const { return name + "N"; }
        [[nodiscard]] std::string end() const { return name + "X"; }
    };

    // What a loop holds, and sometimes a way out of it, or on to its next round.
    void rounds_of(const loop_shape& l) {
        const scope outside = now_;
        const bool leaves = one_in(8);
        const bool goes_on = one_in(8);
        if (leaves && one_in(2)) branch(condition(), l.end());
        block(l.depth - 1, l.budget);
        if (goes_on) {
            branch(condition(), l.next());
            block(l.depth - 1, l.budget);
        } else if (leaves) {
            branch(condition(), l.end());
        }
        label(l.next());
        now_ = outside;
    }

    // A step of one, or of more.
    std::string stride(int most) { return one_in(3) ? number(1, most) : "1"; }

    void end_loop(const loop_shape& l, const std::string& p) {
        branch(p, l.name);
        label(l.end());
    }

    void loop_up(const loop_shape& l) {
        const std::string i = new_row();
        const std::string b = bound(l.rounds);
        const std::string p = new_predicate();
        op({"mov.u32", i, one_in(5) ? bound(4) : "0"});
        now_.whole.push_back(i);
        label(l.name);
        rounds_of(l);
        op({"add.u32", i, i, stride(7)});
        const std::string type = one_of({".u32", ".s32"});
        op({"setp." + one_of({"lt", "lt", "le"}) + type, p, i, b});
        end_loop(l, p);
    }

    void loop_at_top(const loop_shape& l) {
        const std::string i = new_row();
        const std::string b = bound(l.rounds);
        const std::string p = new_predicate();
        const bool by_block = one_in(4);  // each thread takes every so manyth element
        op({"mov.u32", i, by_block ? "%r2" : one_in(4) ? bound(3) : "0"});
        now_.whole.push_back(i);
        label(l.name);
        op({"setp.ge.s32", p, i, by_block ? "%r0" : b});
        branch(p, l.end());
        rounds_of(l);
        op({"add.s32", i, i, by_block ? "%r4" : stride(5)});
        op({"bra", l.name});
        label(l.end());
    }

    void loop_down(const loop_shape& l) {
        const std::string i = new_row();
        const std::string p = new_predicate();
        op({"min.u32", i, bound(l.rounds), std::to_string(l.rounds)});
        now_.whole.push_back(i);
        label(l.name);
        rounds_of(l);
        op({"sub.s32", i, i, stride(4)});
        op({"setp.gt.s32", p, i, "0"});
        end_loop(l, p);
    }

    void loop_of_64_bits(const loop_shape& l) {
        const std::string i = new_wide();
        const std::string b = new_wide();
        const std::string p = new_predicate();
        const std::string low = new_row();
        op({"cvt.u64.u32", b, bound(l.rounds)});
        op({"mov.u64", i, "0"});
        label(l.name);
        op({"cvt.u32.u64", low, i});
        now_.whole.push_back(low);
        rounds_of(l);
        op({"add.s64", i, i, stride(5)});
        op({"setp.lt" + one_of({".u64", ".s64"}), p, i, b});
        end_loop(l, p);
    }

    // From one address to another.
    void loop_along(const loop_shape& l) {
        const std::string at = new_wide();
        const std::string end = new_wide();
        const std::string bytes = new_wide();
        const std::string p = new_predicate();
        const std::string step = std::to_string(4 * random_.whole(1, 33));
        op({"mov.u64", at, one_of(now_.pointers)});
        op({"mul.wide.u32", bytes, bound(l.rounds), step});
        op({"add.s64", end, at, bytes});
        label(l.name);
        if (!one_in(4)) read(at);
        rounds_of(l);
        op({"add.s64", at, at, step});
        op({"setp.lt.u64", p, at, end});
        end_loop(l, p);
    }

    void loop_on_data(const loop_shape& l) {
        const std::string p = new_predicate();
        const std::string v = new_row();
        label(l.name);
        rounds_of(l);
        const std::string at = one_in(2) ? one_of(now_.pointers) : address(whole());
        op({"ld.global.u32", v, "[" + at + "]"});
        op({"setp.ne.u32", p, v, one_in(2) ? "0" : whole()});
        end_loop(l, p);
    }

    random_numbers& random_;
    scope now_{};
    std::string body_{};
    int rows_ = 0, wide_ = 0, predicates_ = 0, labels_ = 0;
};

/// The kernel of a seed.
inline kernel_case any_kernel(unsigned seed) {
    random_numbers random(seed);
    kernel_case c;
    const auto size = [&](int low, int high) {
        return static_cast<std::uint32_t>(random.whole(low, high));
    };
    const std::uint32_t columns = size(1, 5);
    c.launch.grid = {columns, size(1, 4) == 1 ? 2U : 1U};
    c.launch.block = {size(1, 3) == 1 ? size(1, 100) : 32 * size(1, 3)};
    c.arguments = {random.whole(0, 200), random.whole(1, 60), {}, {}};
    constexpr warpgauge::compute_capability generations[]{{8, 0}, {8, 0}, {7, 5}, {9, 0},
                                                          {8, 0}, {3, 5}, {2, 0}};
    c.capability = generations[random.whole(0, 6)];
    if (random.whole(1, 10) == 1) c.arguments[1] = ptx::argument::unknown();
    if (random.whole(1, 3) == 1) {
        c.rounds = random.whole(2, 60) / 2.0;
        c.probability = random.whole(0, 4) / 4.0;
    }
    c.text = body_writer(random).kernel();
    return c;
}

}  // namespace random_kernels

#endif
