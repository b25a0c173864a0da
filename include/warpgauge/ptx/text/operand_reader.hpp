// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_OPERAND_READER_HPP
#define WARPGAUGE_PTX_TEXT_OPERAND_READER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/text/constant_expression.hpp>
#include <warpgauge/ptx/text/cursor.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file Reads the operands of instructions: `%r1`, `-1.5e-3`, `[%rd1+8]`, `{%f1, %f2}`, `!%p3`, `%p1|%p2`,
/// `s[4]`, and constant expressions.

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

/// Reads one operand with its parts, and a second result after `|`, to the end of a vector of operands.
template <class List>
void read_operand(cursor& in, List& list, int depth = 0);

/// Reads operands with commas between them.
template <class List>
void read_operands(cursor& in, List& list, int depth = 0);

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

/// Makes an operand the value of an expression that began at `from`.
inline void set_constant(cursor& in, const constant& c, const char* from, operand& o) {
    o.kind = c.is_real ? operand_kind::real : operand_kind::integer;
    o.value = c.is_real ? 0 : static_cast<std::int64_t>(c.bits);
    o.text = in.since(from);
}

/// Reads on where an operand so far is the first value of an expression.
inline void read_rest_of(cursor& in, const char* from, operand& o) {
    if (!expression_goes_on(in)) return;
    const constant first{
        .bits = static_cast<std::uint64_t>(o.value),
        .is_unsigned = std::string_view(o.text).find('U') != std::string_view::npos,
        .is_real = o.kind == operand_kind::real};
    set_constant(in, read_rest(in, first), from, o);
}

/// Reads `+4`, `-4`, `+-4`, `+(1+2)*4`, or nothing.
inline std::int64_t read_offset(cursor& in) {
    if (in.peek() != '+' && in.peek() != '-') return 0;
    bool negative = false;
    while (in.peek() == '+' || in.peek() == '-') {
        if (in.accept('-')) negative = true;
        in.accept('+');
    }
    constant first;
    if (is_digit(in.peek())) {
        first.bits = in.whole();
    } else {
        first = read_signed(in);
    }
    if (negative) first.bits = 0 - first.bits;
    if (expression_goes_on(in)) first = read_rest(in, first);
    return static_cast<std::int64_t>(first.bits);
}

/// What the list has behind an operand are its parts.
template <class List>
void set_parts(cursor& in, List& list, std::size_t whole) {
    const std::size_t parts = list.size() - whole - 1;
    if (parts > max_parts) return in.fail(errc::limit_reached, "operands");
    list[whole].parts = static_cast<std::uint16_t>(parts);
}

/// Reads `[4]` or `[%r1+4]` behind the name of an array.
template <class List>
void read_index(cursor& in, List& list, int depth) {
    const std::size_t array = list.size() - 1;
    in.accept('[');
    list[array].kind = operand_kind::address;
    list[array].indexed = true;
    if (in.peek() == '%') {
        read_operand(in, list, depth + 1);
        set_parts(in, list, array);
    } else {
        list[array].value = static_cast<std::int64_t>(read_expression(in).bits);
    }
    in.expect(']', "']'");
}

/// Reads an operand that has parts: `[a+4, b]`, `{a, b}`, `(a, b)`.
template <class List>
void read_group(cursor& in, List& list, operand_kind kind, int depth) {
    const std::size_t group = list.size();
    const char* const from = in.mark();
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
            list[group].value = static_cast<std::int64_t>(read_expression(in).bits);
        }
        if (in.ok() && in.accept(',')) read_operands(in, list, depth + 1);
    } else if (in.peek() != close) {
        read_operands(in, list, depth + 1);
    }
    if (!in.ok()) return;
    in.expect(close, close == ']' ? "']'" : close == '}' ? "'}'" : "')'");
    set_parts(in, list, group);
    const bool one_value = kind == operand_kind::list && list.size() == group + 2 &&
                           list[group + 1].kind == operand_kind::integer;
    if (!one_value || !expression_goes_on(in)) return;
    list[group] = list[group + 1];  // no list: the first value of an expression
    list.pop_back();
    read_rest_of(in, from, list[group]);
}

/// Reads an expression that does not begin with a digit.
template <class List>
void read_constant(cursor& in, List& list) {
    const char* const from = in.mark();
    list.emplace_back();
    set_constant(in, read_expression(in), from, list.back());
}

/// Reads a name, as most operands are.
template <class List>
void read_name(cursor& in, List& list) {
    operand& o = list.emplace_back();  // filled in where it stays, which is faster than a copy
    o.kind = operand_kind::name;
    o.text = in.name();
}

/// Reads what may stand behind the name that the list ends with.
template <class List>
void read_behind_name(cursor& in, List& list, int depth) {
    if (in.peek() == '[') return read_index(in, list, depth);
    operand& o = list.back();
    if (o.text == "WARP_SZ" && expression_goes_on(in)) {
        return set_constant(in, read_rest(in, {.bits = 32}), o.text.data(), o);
    }
    o.value = read_offset(in);
}

/// Reads an operand without what may stand before and after it.
template <class List>
void read_plain_operand(cursor& in, List& list, int depth) {
    const char c = in.peek();
    if (belongs(c, of_letters)) {
        read_name(in, list);
        return read_behind_name(in, list, depth);
    }
    if (c == '[') return read_group(in, list, operand_kind::address, depth);
    if (c == '{') return read_group(in, list, operand_kind::vector, depth);
    if (c == '(' && in.peek(1) != '.') {
        return read_group(in, list, operand_kind::list, depth);
    }
    if (is_digit(c) || (c == '-' && is_digit(in.peek(1)))) {
        const char* const from = in.mark();
        const bool negative = in.accept('-');
        read_literal(in, negative, list.emplace_back());
        read_rest_of(in, from, list.back());
        return;
    }
    if (c == '-' || c == '+' || c == '~' || c == '!' || c == '.' || c == '(') {
        return read_constant(in, list);
    }
    in.fail("an operand");
}

/// Reads `|%p2`, or nothing.
template <class List>
void read_second_result(cursor& in, List& list, int depth) {
    if (!in.accept('|')) return;
    const std::size_t second = list.size();
    read_plain_operand(in, list, depth);
    if (in.ok()) list[second].second_result = true;
}

template <class List>
void read_operand(cursor& in, List& list, int depth) {
    if (depth > max_operand_depth) return in.fail(errc::limit_reached, "operands");
    const std::size_t first = list.size();
    const bool negated = in.peek() == '!' && is_letter(in.peek(1));
    if (negated) in.accept('!');
    read_plain_operand(in, list, depth);
    if (!in.ok()) return;
    if (negated) list[first].negated = true;
    read_second_result(in, list, depth);
}

/// Does this character end an operand that is not the first value of an expression?
constexpr bool ends_operand(char c) noexcept {
    return c == ',' || c == ';' || c == ']' || c == '}' || c == ')';
}

/// Reads a decimal number of at most nine digits, with a sign before it; the end, or null if it is another number.
inline const char* read_short_number(const char* at, operand& o) noexcept {
    const bool negative = *at == '-';
    const char* const from = at + negative;
    std::uint32_t value = 0;
    for (at = from; is_digit(*at); ++at) {
        value = value * 10 + static_cast<std::uint32_t>(*at - '0');
    }
    if (at == from || at - from > 9 || (*from == '0' && at - from > 1)) return nullptr;
    o.value = negative ? -std::int64_t{value} : std::int64_t{value};
    return at;
}

/// Reads operands as long as they have frequent forms (`%r1`, `12`, `[%rd1+4]`), each with the comma behind it. Was that the
/// last one? Else the next operand has another form.
template <class List>
bool read_frequent_operands(cursor& in, List& list) {
    if (!in.stops()) return false;
    const char* at = in.mark();
    for (;;) {
        operand o;
        const char* from = at + (*at == '[');
        const char* to = nullptr;
        if (belongs(*from, of_letters)) {
            to = behind(of_name, from + 1);
            o.text = std::string_view(from, static_cast<std::size_t>(to - from));
            o.kind = operand_kind::name;
            if (*at == '[') {
                o.kind = operand_kind::address;
                if (*to == '+') to = read_short_number(to + 1, o);
                if (to == nullptr || *to != ']') break;
                ++to;
            }
        } else {
            if (from != at) break;
            to = read_short_number(at, o);
            if (to == nullptr) break;
            from += *at == '-';
            o.text = std::string_view(from, static_cast<std::size_t>(to - from));
            o.kind = operand_kind::integer;
        }
        if (!ends_operand(*to)) break;
        list.push_back(o);
        at = to;
        if (*at != ',') {
            in.skip(at - in.mark());
            return true;
        }
        ++at;
        if (*at == ' ') ++at;
    }
    in.go_on(at);
    return false;
}

template <class List>
void read_operands(cursor& in, List& list, int depth) {
    do {
        if (depth <= max_operand_depth && read_frequent_operands(in, list)) return;
        read_operand(in, list, depth);
    } while (in.ok() && in.accept(','));
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

#endif
