// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_EXPRESSION_HPP
#define WARPGAUGE_EXAMPLES_EXPRESSION_HPP

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Whole numbers and names of them, as C++ writes them: ?: || && == != < <= > >= + - * / % !, parentheses,
// min(a, b), max(a, b), and up(a, b), which is a / b rounded up. A division by zero gives no value.

class expression {
public:
    // What `text` says, where names[i] has the value values[i] of a call; otherwise `error` says what is wrong.
    static std::optional<expression> read(std::string_view text,
                                          const std::vector<std::string>& names,
                                          std::string& error);

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
        if (b == 0) return std::numeric_limits<double>::quiet_NaN();
        if (n.sign == "/") return std::trunc(a / b);
        if (n.sign == "%") return std::fmod(a, b);
        return std::ceil(a / b);  // up
    }

    std::vector<node> nodes_;
    std::size_t root_ = 0;
};

struct expression::reader {
    std::string_view text;
    const std::vector<std::string>& names;
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
    bool take(std::string_view sign) {
        skip();
        if (text.substr(0, sign.size()) != sign) return false;
        text.remove_prefix(sign.size());
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
        if (take("?")) {
            const std::size_t yes = choice();
            if (!take(":")) fail("\":\"");
            whole = add({.what = kind::choice, .a = condition, .b = yes, .c = choice()});
        }
        --depth;
        return whole;
    }

    // Operations that bind at least as close as those of `level`, from the left.
    std::size_t binary(std::size_t level) {
        static const std::vector<std::vector<std::string_view>> levels{
            {"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}};
        if (level == levels.size()) return unary();
        std::size_t left = binary(level + 1);
        while (wrong.empty()) {
            const auto sign = std::find_if(levels[level].begin(), levels[level].end(),
                                           [&](std::string_view s) { return take(s); });
            if (sign == levels[level].end()) break;
            left = add({.what = kind::binary, .sign = *sign, .a = left, .b = binary(level + 1)});
        }
        return left;
    }

    std::size_t unary() {
        if (++depth > 100) fail("fewer signs");
        if (!wrong.empty()) return 0;
        std::size_t whole = 0;
        if (take("-")) {
            whole = add({.what = kind::unary_minus, .a = unary()});
        } else if (take("!")) {
            whole = add({.what = kind::no, .a = unary()});
        } else if (take("(")) {
            whole = choice();
            if (!take(")")) fail("\")\"");
        } else {
            whole = word();
        }
        --depth;
        return whole;
    }

    std::size_t word() {
        skip();
        double number = 0;
        const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (bad == std::errc()) {
            text.remove_prefix(static_cast<std::size_t>(end - text.data()));
            return add({.what = kind::number, .number = number});
        }
        std::size_t length = 0;
        while (
            length < text.size() &&
            (text[length] == '_' || std::isalnum(static_cast<unsigned char>(text[length])) != 0)) {
            ++length;
        }
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
                                                  std::string& error) {
    reader r{text, names, {}, {}};
    r.made.root_ = r.choice();
    if (r.wrong.empty() && !r.at_end()) r.fail("the end");
    if (r.wrong.empty()) return r.made;
    error = "\"" + std::string(text) + "\": " + r.wrong;
    return std::nullopt;
}

#endif
