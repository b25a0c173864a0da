// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_CONSTANT_EXPRESSION_HPP
#define WARPGAUGE_PTX_TEXT_CONSTANT_EXPRESSION_HPP

#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/text/cursor.hpp>

/// \file Constant expressions in operands: `(1+2)*4`, `~5`, `WARP_SZ-1`.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 4.5: integers are of 64 bits, `.s64` unless they have a `U` or
/// do not fit; operators and their precedence are those of C.

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

/// The value of an expression.
struct constant {
    std::uint64_t bits{};  ///< of an integer, in two's complement
    bool is_unsigned{};
    bool is_real{};  ///< a float: its value is not followed
};

/// Parentheses and signs within each other.
inline constexpr int max_expression_depth = 32;

/// Does an expression go on behind a value?
inline bool expression_goes_on(const cursor& in) {
    const char c = in.peek();
    if (c == ',' || c == ';' || c == ']') return false;
    return c == '+' || c == '-' || c == '*' || c == '/' || c == '%' || c == '<' || c == '>' ||
           c == '=' || c == '!' || c == '&' || c == '|' || c == '^' || c == '?';
}

/// Reads an expression.
constant read_expression(cursor& in, int depth = 0);

/// Reads on where the first value of an expression has been read.
constant read_rest(cursor& in, constant left, int min_precedence = 1, int depth = 0);

/// Reads a value with the signs before it.
constant read_signed(cursor& in, int depth = 0);

// --- Bodies

struct binary_operator {
    std::string_view sign;
    int precedence;
};

/// The operator that comes next, with an empty sign if none does.
inline binary_operator operator_ahead(const cursor& in) {
    constexpr binary_operator all[]{{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7},
                                    {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},  {"^", 4},
                                    {"&", 5},  {"<", 7},  {">", 7},  {"+", 9},  {"-", 9},
                                    {"*", 10}, {"/", 10}, {"%", 10}};
    for (const binary_operator& o : all) {
        if (in.peek() != o.sign[0]) continue;
        if (o.sign.size() == 1 || in.peek(1) == o.sign[1]) return o;
    }
    return {"", 0};
}

/// `a / b` or `a % b`; 0 of a division by zero.
inline std::uint64_t divided(bool remainder, const constant& a, const constant& b) {
    if (b.bits == 0) return 0;
    if (a.is_unsigned || b.is_unsigned) return remainder ? a.bits % b.bits : a.bits / b.bits;
    const auto n = static_cast<std::int64_t>(a.bits);
    const auto d = static_cast<std::int64_t>(b.bits);
    if (d == -1) return remainder ? 0 : 0 - a.bits;
    return static_cast<std::uint64_t>(remainder ? n % d : n / d);
}

inline std::uint64_t shifted(bool left, const constant& a, std::uint64_t by) {
    if (left) return by > 63 ? 0 : a.bits << by;
    if (a.is_unsigned) return by > 63 ? 0 : a.bits >> by;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(a.bits) >> (by > 63 ? 63 : by));
}

inline bool is_less(const constant& a, const constant& b) {
    if (a.is_unsigned || b.is_unsigned) return a.bits < b.bits;
    return static_cast<std::int64_t>(a.bits) < static_cast<std::int64_t>(b.bits);
}

inline constant combined(std::string_view sign, const constant& a, const constant& b) {
    constant c{.is_unsigned = a.is_unsigned || b.is_unsigned, .is_real = a.is_real || b.is_real};
    const auto yes_or_no = [&](bool yes) {
        c = {.bits = std::uint64_t{yes}, .is_real = c.is_real};
    };
    if (sign == "+") c.bits = a.bits + b.bits;
    if (sign == "-") c.bits = a.bits - b.bits;
    if (sign == "*") c.bits = a.bits * b.bits;
    if (sign == "/" || sign == "%") c.bits = divided(sign == "%", a, b);
    if (sign == "&") c.bits = a.bits & b.bits;
    if (sign == "|") c.bits = a.bits | b.bits;
    if (sign == "^") c.bits = a.bits ^ b.bits;
    if (sign == "<<" || sign == ">>") {  // the type is that of what is shifted
        c.is_unsigned = a.is_unsigned;
        c.bits = shifted(sign == "<<", a, b.bits);
    }
    if (sign == "==") yes_or_no(a.bits == b.bits);
    if (sign == "!=") yes_or_no(a.bits != b.bits);
    if (sign == "<") yes_or_no(is_less(a, b));
    if (sign == ">") yes_or_no(is_less(b, a));
    if (sign == "<=") yes_or_no(!is_less(b, a));
    if (sign == ">=") yes_or_no(!is_less(a, b));
    if (sign == "&&") yes_or_no(a.bits != 0 && b.bits != 0);
    if (sign == "||") yes_or_no(a.bits != 0 || b.bits != 0);
    return c;
}

/// `10`, `0x1fU`, `.5`, `1e3`, `0f3F800000`.
inline constant read_number(cursor& in) {
    const auto is_of_word = [](char c) { return is_digit(c) || is_letter(c) || c == '.'; };
    const char second = in.peek(1);
    const bool is_hex = in.peek() == '0' && (second == 'x' || second == 'X');
    const bool has_bits =
        in.peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D');
    bool is_real = has_bits;
    for (std::ptrdiff_t n = 0; !is_hex && is_of_word(in.peek(n)); ++n) {
        is_real = is_real || in.peek(n) == '.' || in.peek(n) == 'e' || in.peek(n) == 'E';
    }
    if (is_real) {
        const std::string_view word = in.take(is_of_word);
        const bool has_exponent = !has_bits && (word.back() == 'e' || word.back() == 'E');
        if (has_exponent && (in.peek() == '+' || in.peek() == '-')) {
            in.skip(1);
            in.take(is_digit);
        }
        in.skip_space();
        return {.is_real = true};
    }
    const char* const from = in.mark();
    const std::uint64_t value = in.whole();
    const std::string_view text = in.since(from);
    const bool suffix = text.find('U') != std::string_view::npos;
    return {.bits = value, .is_unsigned = suffix || value >> 63 != 0};
}

inline constant read_in_parentheses(cursor& in, int depth) {
    in.accept('(');
    for (const std::string_view type : {"s64", "u64"}) {
        if (!in.accept_directive(type)) continue;
        in.expect(')', "')'");
        constant c = read_signed(in, depth + 1);
        c.is_unsigned = type == "u64";
        return c;
    }
    const constant c = read_expression(in, depth + 1);
    in.expect(')', "')'");
    return c;
}

inline constant read_signed(cursor& in, int depth) {
    if (!in.ok()) return {};
    if (depth > max_expression_depth) {
        in.fail(errc::limit_reached, "operands");
        return {};
    }
    const char c = in.peek();
    if (c == '(') return read_in_parentheses(in, depth);
    if (c == '+' || c == '-' || c == '~' || c == '!') {
        in.accept(c);
        constant value = read_signed(in, depth + 1);
        if (c == '-') value.bits = 0 - value.bits;
        if (c == '~') value.bits = ~value.bits;
        if (c == '!') value = {.bits = std::uint64_t{value.bits == 0}, .is_real = value.is_real};
        return value;
    }
    if (is_letter(c)) {
        if (in.name() != "WARP_SZ") in.fail("a number");
        return {.bits = 32};
    }
    if (!is_digit(c) && !(c == '.' && is_digit(in.peek(1)))) {
        in.fail("a number");
        return {};
    }
    return read_number(in);
}

inline constant read_rest(cursor& in, constant left, int min_precedence, int depth) {
    if (depth > max_expression_depth) in.fail(errc::limit_reached, "operands");
    while (in.ok()) {
        const binary_operator o = operator_ahead(in);
        if (o.precedence < min_precedence) break;  // 0: none
        in.skip(static_cast<std::ptrdiff_t>(o.sign.size()));
        in.skip_space();
        const constant right = read_rest(in, read_signed(in, depth), o.precedence + 1, depth + 1);
        left = combined(o.sign, left, right);
    }
    if (min_precedence > 1 || !in.accept('?')) return left;
    const constant yes = read_expression(in, depth + 1);
    in.expect(':', "':'");
    const constant no = read_expression(in, depth + 1);
    constant chosen = left.bits != 0 ? yes : no;
    chosen.is_real = yes.is_real || no.is_real;
    return chosen;
}

inline constant read_expression(cursor& in, int depth) {
    const constant first = read_signed(in, depth);
    return read_rest(in, first, 1, depth);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

#endif
