// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_EXPRESSION_HPP
#define WARPGAUGE_PROGRAM_EXPRESSION_HPP

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Whole numbers and names of them, as C++ writes them: ?: || && == != < <= > >= + - * / % !, parentheses,
// min(a, b), max(a, b), and up(a, b), which is a / b rounded up. A division by zero gives no value.
//
// Or as Kernel Tuner writes restrictions, which is Python: or and not == != < <= > >= + - * / // % **, where a / b is not
// rounded and 32 <= a * b <= 1024 is two conditions.

class expression {
public:
    enum class language { c, python };

    // What `text` says, where names[i] has the value values[i] of a call; otherwise `error` says what is wrong.
    static std::optional<expression> read(std::string_view text,
                                          const std::vector<std::string>& names, std::string& error,
                                          language as = language::c);

    // The value; none where it takes a division by zero.
    std::optional<double> operator()(std::span<const double> values) const {
        const double x = value(root_, values);
        return std::isfinite(x) ? std::optional(x) : std::nullopt;
    }

private:
    enum class kind { number, name, unary_minus, no, binary, choice };
    struct node {
        kind what{};
        std::string_view sign{};  // of a binary operation, static
        std::size_t a{}, b{}, c{};
        double number{};
    };
    static constexpr std::size_t max_nodes = 1000;

    struct reader;

    double value(std::size_t at, std::span<const double> values) const {
        const node& n = nodes_[at];
        switch (n.what) {
            case kind::number: return n.number;
            case kind::name: return values[n.a];
            case kind::unary_minus: return -value(n.a, values);
            case kind::no: return value(n.a, values) == 0 ? 1 : 0;
            case kind::choice: return value(value(n.a, values) != 0 ? n.b : n.c, values);
            case kind::binary: break;
        }
        const double a = value(n.a, values);
        if (n.sign == "||" && a != 0) return 1;
        if (n.sign == "&&" && a == 0) return 0;
        const double b = value(n.b, values);
        if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
        if (n.sign == "||" || n.sign == "&&") return b != 0 ? 1 : 0;
        if (n.sign == "==") return a == b ? 1 : 0;
        if (n.sign == "!=") return a != b ? 1 : 0;
        if (n.sign == "<=") return a <= b ? 1 : 0;
        if (n.sign == ">=") return a >= b ? 1 : 0;
        if (n.sign == "<") return a < b ? 1 : 0;
        if (n.sign == ">") return a > b ? 1 : 0;
        if (n.sign == "+") return a + b;
        if (n.sign == "-") return a - b;
        if (n.sign == "*") return a * b;
        if (n.sign == "min") return std::min(a, b);
        if (n.sign == "max") return std::max(a, b);
        if (n.sign == "**") return std::pow(a, b);
        if (b == 0) return std::numeric_limits<double>::quiet_NaN();
        if (n.sign == "/") return std::trunc(a / b);
        if (n.sign == "%") return std::fmod(a, b);
        if (n.sign == "true /") return a / b;
        if (n.sign == "//") return std::floor(a / b);
        return std::ceil(a / b);  // up
    }

    std::vector<node> nodes_;
    std::size_t root_ = 0;
};

struct expression::reader {
    std::string_view text;
    const std::vector<std::string>& names;
    language as;
    expression made;
    std::string wrong;
    std::size_t depth = 0;

    void skip() {
        while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0) {
            text.remove_prefix(1);
        }
    }
    bool at_end() {
        skip();
        return text.empty();
    }
    void fail(const std::string& expected) {
        if (wrong.empty()) wrong = expected + " expected before \"" + std::string(text) + "\"";
    }
    static bool is_letter(char c) {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    }
    bool take(std::string_view sign) {
        skip();
        if (text.substr(0, sign.size()) != sign) return false;
        const std::string_view rest = text.substr(sign.size());
        const bool in_a_name = is_letter(sign[0]) && !rest.empty() && is_letter(rest[0]);
        if (in_a_name || (sign == "*" && rest.substr(0, 1) == "*")) return false;
        text = rest;
        return true;
    }
    std::size_t add(const node& n) {
        if (made.nodes_.size() >= max_nodes) {
            fail("a shorter text");
            return 0;
        }
        made.nodes_.push_back(n);
        return made.nodes_.size() - 1;
    }

    std::size_t choice() {
        if (++depth > 100) fail("fewer parentheses");
        if (!wrong.empty()) return 0;
        const std::size_t condition = binary(0);
        std::size_t whole = condition;
        if (as == language::c && take("?")) {
            const std::size_t yes = choice();
            if (!take(":")) fail("\":\"");
            whole = add({.what = kind::choice, .a = condition, .b = yes, .c = choice()});
        }
        --depth;
        return whole;
    }

    struct operation {
        std::string_view written{}, meant{};
    };

    // Operations of a level, those that bind the least first.
    [[nodiscard]] const std::vector<std::vector<operation>>& levels() const {
        static const std::vector<std::vector<operation>> of_c{
            {{"||", "||"}},
            {{"&&", "&&"}},
            {{"==", "=="}, {"!=", "!="}},
            {{"<=", "<="}, {">=", ">="}, {"<", "<"}, {">", ">"}},
            {{"+", "+"}, {"-", "-"}},
            {{"*", "*"}, {"/", "/"}, {"%", "%"}}};
        static const std::vector<std::vector<operation>> of_python{
            {{"or", "||"}},
            {{"and", "&&"}},
            {{"==", "=="}, {"!=", "!="}, {"<=", "<="}, {">=", ">="}, {"<", "<"}, {">", ">"}},
            {{"+", "+"}, {"-", "-"}},
            {{"*", "*"}, {"//", "//"}, {"/", "true /"}, {"%", "%"}}};
        return as == language::c ? of_c : of_python;
    }

    // The operation of a level that comes next.
    [[nodiscard]] std::optional<std::string_view> next_of(std::size_t level) {
        for (const operation& s : levels()[level]) {
            if (take(s.written)) return s.meant;
        }
        return std::nullopt;
    }

    // Operations that bind at least as close as those of `level`, from the left.
    std::size_t binary(std::size_t level) {
        if (level == levels().size()) return unary();
        const bool comparisons = as == language::python && level == 2;
        if (comparisons && take("not")) {
            if (++depth > 100) fail("fewer signs");
            if (!wrong.empty()) return 0;
            const std::size_t whole = add({.what = kind::no, .a = binary(level)});
            --depth;
            return whole;
        }
        std::size_t left = binary(level + 1);
        std::size_t last = left;  // of a chain, what the next comparison is with
        bool chained = false;
        while (wrong.empty()) {
            const auto sign = next_of(level);
            if (!sign) break;
            const std::size_t right = binary(level + 1);
            if (!chained) {
                left = add({.what = kind::binary, .sign = *sign, .a = left, .b = right});
            } else {
                const auto both = add({.what = kind::binary, .sign = *sign, .a = last, .b = right});
                left = add({.what = kind::binary, .sign = "&&", .a = left, .b = both});
            }
            last = right;
            chained = comparisons;
        }
        return left;
    }

    std::size_t unary() {
        if (++depth > 100) fail("fewer signs");
        if (!wrong.empty()) return 0;
        std::size_t whole = 0;
        if (take("-")) {
            whole = add({.what = kind::unary_minus, .a = unary()});
        } else if (as == language::c && take("!")) {
            whole = add({.what = kind::no, .a = unary()});
        } else {
            whole = take("(") ? in_parentheses() : word();
            if (as == language::python && take("**")) {
                whole = add({.what = kind::binary, .sign = "**", .a = whole, .b = unary()});
            }
        }
        --depth;
        return whole;
    }

    std::size_t in_parentheses() {
        const std::size_t whole = choice();
        if (!take(")")) fail("\")\"");
        return whole;
    }

    /// Of the number at the beginning, as 12, 1.5 or 2e-3; 0 where none is. libc++ has no std::from_chars of doubles.
    std::size_t number_length() const {
        std::size_t n = 0;
        const auto digits = [&] {
            const std::size_t before = n;
            while (n < text.size() && '0' <= text[n] && text[n] <= '9') ++n;
            return n - before;
        };
        const std::size_t whole = digits();
        if (n < text.size() && text[n] == '.') ++n;
        if (whole + digits() == 0) return 0;
        const std::size_t mantissa = n;
        if (n == text.size() || (text[n] != 'e' && text[n] != 'E')) return n;
        ++n;
        if (n < text.size() && (text[n] == '+' || text[n] == '-')) ++n;
        return digits() > 0 ? n : mantissa;
    }

    std::size_t word() {
        skip();
        if (const std::size_t digits = number_length(); digits > 0) {
            const double number = std::strtod(std::string(text.substr(0, digits)).c_str(), nullptr);
            text.remove_prefix(digits);
            return add({.what = kind::number, .number = number});
        }
        std::size_t length = 0;
        while (length < text.size() && is_letter(text[length])) ++length;
        const std::string name(text.substr(0, length));
        for (const std::string_view function : {"up", "min", "max"}) {
            if (name != function) continue;
            text.remove_prefix(length);
            if (!take("(")) fail("\"(\"");
            const std::size_t a = choice();
            if (!take(",")) fail("\",\"");
            const std::size_t b = choice();
            if (!take(")")) fail("\")\"");
            return add({.what = kind::binary, .sign = function, .a = a, .b = b});
        }
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) {
            fail("a number or a known name");
            return 0;
        }
        text.remove_prefix(length);
        return add({.what = kind::name, .a = static_cast<std::size_t>(found - names.begin())});
    }
};

inline std::optional<expression> expression::read(std::string_view text,
                                                  const std::vector<std::string>& names,
                                                  std::string& error, language as) {
    reader r{text, names, as, {}, {}};
    r.made.root_ = r.choice();
    if (r.wrong.empty() && !r.at_end()) r.fail("the end");
    if (r.wrong.empty()) return r.made;
    error = "\"" + std::string(text) + "\": " + r.wrong;
    return std::nullopt;
}

#endif
