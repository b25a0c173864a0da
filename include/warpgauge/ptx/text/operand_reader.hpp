// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_OPERAND_READER_HPP
#define WARPGAUGE_PTX_TEXT_OPERAND_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/text/cursor.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file Reads the operands of instructions: `%r1`, `-1.5e-3`, `[%rd1+8]`, `{%f1, %f2}`, `!%p3`, `%p1|%p2`.

namespace warpgauge::ptx::detail::text {

/// Reads one operand with its parts, and a second result after `|`, to the end of a vector of operands.
template <class List>
void read_operand(cursor& in, List& list, int depth = 0);

/// Reads operands with commas between them.
template <class List>
void read_operands(cursor& in, List& list, int depth = 0) {
    do {
        read_operand(in, list, depth);
    } while (in.ok() && in.accept(','));
}

/// Operands within operands: an address in a list in a list.
inline constexpr int max_operand_depth = 4;

inline bool decimal_point_follows(const cursor& in) {
    if (in.peek() == '0' && (in.peek(1) == 'x' || in.peek(1) == 'X')) return false;
    std::ptrdiff_t ahead = 0;
    while (is_digit(in.peek(ahead))) ++ahead;
    const char c = in.peek(ahead);
    return c == '.' || c == 'e' || c == 'E';
}

/// Reads a literal, without the sign before it.
inline void read_literal(cursor& in, bool negative, operand& o) {
    const char* const from = in.mark();
    const char second = in.peek(1);
    const bool hex_real =
        in.peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D');
    if (hex_real) {
        in.skip(2);
        std::uint64_t bits = 0;
        if (!in.digits<16>(bits)) in.fail("a number");
        o.kind = operand_kind::real;
        o.value = static_cast<std::int64_t>(bits);
    } else if (decimal_point_follows(in)) {
        o.kind = operand_kind::real;
        const std::string_view digits =
            in.take([](char c) { return is_digit(c) || c == '.' || c == 'e' || c == 'E'; });
        const bool ends_in_exponent = digits.back() == 'e' || digits.back() == 'E';
        if ((in.peek() == '+' || in.peek() == '-') && ends_in_exponent) {
            in.skip(1);
            in.take(is_digit);
        }
    } else {
        o.kind = operand_kind::integer;
        o.value = in.whole(negative);
    }
    o.text = in.since(from);
    in.skip_space();
}

/// Reads `+4`, `-4`, `+-4`, or nothing.
inline std::int64_t read_offset(cursor& in) {
    if (in.peek() != '+' && in.peek() != '-') return 0;
    bool negative = false;
    while (in.peek() == '+' || in.peek() == '-') {
        negative = in.accept('-') || (in.accept('+') && negative);
    }
    return in.whole(negative);
}

/// Reads an operand that has parts: `[a+4, b]`, `{a, b}`, `(a, b)`.
template <class List>
void read_group(cursor& in, List& list, operand_kind kind, int depth) {
    const std::size_t group = list.size();
    list.emplace_back().kind = kind;
    const char close = kind == operand_kind::address  ? ']'
                       : kind == operand_kind::vector ? '}'
                                                      : ')';
    in.advance();
    if (kind == operand_kind::address) {  // its base stands in the operand itself
        if (belongs(in.peek(), of_letters)) {
            const std::string_view base = in.name();
            list[group].text = base;
            list[group].value = read_offset(in);
        } else {
            const bool negative = in.accept('-');
            list[group].value = in.whole(negative);
        }
        if (in.ok() && in.accept(',')) read_operands(in, list, depth + 1);
    } else if (in.peek() != close) {
        read_operands(in, list, depth + 1);
    }
    if (!in.ok()) return;
    in.expect(close, close == ']' ? "']'" : close == '}' ? "'}'" : "')'");
    list[group].parts = static_cast<std::uint32_t>(list.size() - group - 1);
}

/// Reads an operand without what may stand before and after it.
template <class List>
void read_plain_operand(cursor& in, List& list, int depth) {
    const char c = in.peek();
    if (belongs(c, of_letters)) {
        operand& o = list.emplace_back();  // filled in where it stays, which is faster than a copy
        o.kind = operand_kind::name;
        o.text = in.name();
        o.value = read_offset(in);
        return;
    }
    if (c == '[') return read_group(in, list, operand_kind::address, depth);
    if (c == '{') return read_group(in, list, operand_kind::vector, depth);
    if (c == '(') return read_group(in, list, operand_kind::list, depth);
    if (c == '-' || is_digit(c)) {
        const bool negative = in.accept('-');
        read_literal(in, negative, list.emplace_back());
        return;
    }
    in.fail("an operand");
}

template <class List>
void read_operand(cursor& in, List& list, int depth) {
    if (depth > max_operand_depth) return in.fail(errc::limit_reached, "operands");
    const std::size_t first = list.size();
    const bool negated = in.accept('!');
    read_plain_operand(in, list, depth);
    if (!in.ok()) return;
    list[first].negated = negated;
    if (in.accept('|')) {
        const std::size_t second = list.size();
        read_plain_operand(in, list, depth);
        if (in.ok()) list[second].second_result = true;
    }
}

}  // namespace warpgauge::ptx::detail::text

#endif
