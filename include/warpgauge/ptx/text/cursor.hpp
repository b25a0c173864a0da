// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_CURSOR_HPP
#define WARPGAUGE_PTX_TEXT_CURSOR_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/text/characters.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file A place in a PTX text, which names, numbers and punctuation are read from.
///
/// Every function that reads goes on past the space and the comments behind what it has read.

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

class cursor {
public:
    explicit cursor(std::string_view text)
        : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {
        const std::size_t last = text.find_last_of(";}");
        last_stop_ = last == std::string_view::npos ? at_ : at_ + last;
    }

    // --- Errors: the first one counts, and ends the text

    [[nodiscard]] bool ok() const { return !error_; }
    [[nodiscard]] const model_error& error() const { return error_; }

    void fail(std::string_view expected) { fail(errc::expected, expected); }
    void fail(errc code, std::string_view what) { fail_at(here(), code, what); }
    void fail_at(const position& where, errc code, std::string_view what) {
        if (!ok()) return;
        error_ = {code, what, where.line, where.column};
        end_ = last_stop_ = at_;  // nothing more is read
    }

    // --- Characters

    [[nodiscard]] position here() const {
        return {line_, static_cast<std::uint32_t>(at_ - line_start_) + 1};
    }
    [[nodiscard]] bool at_end() const { return at_ == end_; }

    /// The next character, or the one `ahead` of it; 0 beyond the end.
    [[nodiscard]] char peek(std::ptrdiff_t ahead = 0) const {
        return end_ - at_ > ahead ? at_[ahead] : '\0';
    }

    /// Where reading goes on; `since` gives the text from such a mark on.
    [[nodiscard]] const char* mark() const { return at_; }

    /// The text from a mark to here, without the space at its end.
    [[nodiscard]] std::string_view since(const char* mark) const { return between(mark, at_); }
    static std::string_view between(const char* from, const char* to) {
        while (to != from && to[-1] <= ' ') --to;
        return {from, static_cast<std::size_t>(to - from)};
    }

    /// Reads over `count` characters, none of which ends a line.
    void skip(std::ptrdiff_t count) { at_ += count; }

    /// Is a semicolon or a closing brace ahead? Words, numbers and blanks end before it, so loops over these need not ask for
    /// the end of the text.
    [[nodiscard]] bool stops() const { return at_ < last_stop_; }

    /// Goes on from a mark further on the same line, behind the space that is there.
    void go_on(const char* mark) {
        at_ = mark;
        skip_space();
    }

    /// Reads over one character and the space behind it.
    void advance() {
        ++at_;
        skip_space();
    }

    /// Mostly one blank or none, which is worth its own test wherever something has been read.
    [[gnu::always_inline]] void skip_space() {
        if (at_ != end_ && *at_ == ' ') ++at_;
        if (at_ != end_ && (*at_ <= ' ' || *at_ == '/')) skip_more_space();
    }
    [[gnu::noinline]] void skip_more_space() {
        if (stops()) {  // mostly the end of a line, or the tab behind an opcode
            if (*at_ == '\n') {
                ++at_;
                begin_line();
            }
            if (*at_ == '\t') ++at_;
            if (*at_ > ' ' && *at_ != '/') return;
        }
        while (at_ != end_) {
            const char c = *at_;
            if (c == '\n') {
                ++at_;
                begin_line();
            } else if (belongs(c, of_space)) {
                ++at_;
            } else if (c == '/' && peek(1) == '/') {
                skip_line();
            } else if (c == '/' && peek(1) == '*') {
                skip_comment();
            } else {
                break;
            }
        }
    }

    /// To the end of the line, which is not read.
    void skip_line() {
        if (at_ == end_) return;
        const std::size_t rest = static_cast<std::size_t>(end_ - at_);
        const char* const found = std::char_traits<char>::find(at_, rest, '\n');
        at_ = found == nullptr ? end_ : found;
    }

    bool accept(char c) {
        if (at_ == end_ || *at_ != c) return false;
        advance();
        return true;
    }

    void expect(char c, std::string_view what) {
        if (!accept(c)) fail(what);
    }

    /// The characters that `belongs` holds for; not the space behind them.
    template <class Belongs>
    std::string_view take(Belongs wanted) {
        const char* const from = at_;
        while (at_ != end_ && wanted(*at_)) ++at_;
        return {from, static_cast<std::size_t>(at_ - from)};
    }
    std::string_view take(char_class wanted) {
        const char* at = at_;
        if (stops()) {
            at = behind(wanted, at);
        } else {
            while (at != end_ && belongs(*at, wanted)) ++at;
        }
        const std::string_view taken(at_, static_cast<std::size_t>(at - at_));
        at_ = at;
        return taken;
    }

    // --- Words

    /// A name: `%rd4`, `$L__BB0_2`, `%tid.x`.
    std::string_view name() {
        if (at_ == end_ || !belongs(*at_, of_letters)) {
            fail("a name");
            return {};
        }
        const std::string_view text = take(of_name);
        skip_space();
        return text;
    }

    /// An opcode with its modifiers: `ld.global.f32`, `st.shared::cta.u32`. A label has the same form.
    std::string_view opcode() {
        const char* const from = at_;
        take(of_opcode);
        while (peek() == ':' && (peek(1) == ':' || (at_ != from && at_[-1] == ':'))) {
            ++at_;
            take(of_opcode);
        }
        const std::string_view text(from, static_cast<std::size_t>(at_ - from));
        skip_space();
        return text;
    }

    /// The word after a dot: `maxntid`, `shared::cta`.
    std::string_view directive() {
        if (at_ == end_ || *at_ != '.') {
            fail("a directive");
            return {};
        }
        const std::string_view text = peek_directive();
        at_ += text.size() + 1;
        skip_space();
        if (text.empty()) fail("a directive");
        return text;
    }

    /// The same after a dot that comes next, which is not read.
    [[nodiscard]] std::string_view peek_directive() const {
        const char* to = at_ + 1;
        while (to != end_ && belongs(*to, of_directive)) ++to;
        return {at_ + 1, static_cast<std::size_t>(to - at_ - 1)};
    }

    /// `.what` if that is what comes next; else nothing is read.
    bool accept_directive(std::string_view what) {
        if (peek() != '.' || static_cast<std::size_t>(end_ - at_) <= what.size()) return false;
        if (std::string_view(at_ + 1, what.size()) != what) return false;
        const char after = peek(static_cast<std::ptrdiff_t>(what.size()) + 1);
        if (is_letter(after) || is_digit(after) || after == ':') return false;
        at_ += what.size() + 1;
        skip_space();
        return true;
    }

    // --- Numbers

    /// Digits of a base; false if there are none or they do not fit 64 bits.
    template <unsigned Base>
    bool digits(std::uint64_t& value) {
        value = 0;
        const char* const from = at_;
        for (; at_ != end_; ++at_) {
            const unsigned digit = digit_of<Base>(*at_);
            if (digit >= Base) break;
            constexpr std::uint64_t max = ~std::uint64_t{0};
            if (value >= max / Base && value > (max - digit) / Base) return false;
            value = value * Base + digit;
        }
        return at_ != from;
    }

    /// An integer without sign: `10`, `0x1f`, `0b101`, `017`, `7U`.
    std::uint64_t whole() {
        std::uint64_t value = 0;
        bool good = false;
        if (peek() != '0') {
            good = digits<10>(value);
        } else if (peek(1) == 'x' || peek(1) == 'X') {
            at_ += 2;
            good = digits<16>(value);
        } else if (peek(1) == 'b' || peek(1) == 'B') {
            at_ += 2;
            good = digits<2>(value);
        } else if (is_digit(peek(1))) {
            good = digits<8>(value);
        } else {
            ++at_;
            good = true;
        }
        if (!good) fail("a number");
        if (peek() == 'U') ++at_;
        skip_space();
        return value;
    }

    /// The same with its sign, in two's complement.
    std::int64_t whole(bool negative) {
        const std::uint64_t value = whole();
        return static_cast<std::int64_t>(negative ? 0 - value : value);
    }

    /// An integer of 32 bits; a larger one is an error of this name.
    std::uint32_t small_number(std::string_view what) {
        const std::uint64_t value = whole();
        if (value > 0xffff'ffffU) fail(errc::overflow, what);
        return static_cast<std::uint32_t>(value);
    }

    // --- What is read over

    void skip_string() {
        ++at_;
        take([](char c) { return c != '"' && c != '\n'; });
        if (peek() != '"') return fail("'\"'");
        advance();
    }

    void skip_parentheses() {
        expect('(', "'('");
        while (at_ != end_ && *at_ != ')') advance();
        expect(')', "')'");
    }

    void skip_to_semicolon() {
        skip_values(false);
        expect(';', "';'");
    }

    /// To the next semicolon, or comma, that is not within braces or quotes.
    void skip_values(bool to_comma) {
        std::uint32_t depth = 0;
        while (at_ != end_) {
            if (depth > 0) {
                skip_within_braces(depth);
            } else if (*at_ == ';' || (to_comma && *at_ == ',')) {
                return;
            } else if (*at_ == '}') {
                return fail("';'");
            } else {
                depth += *at_ == '{' ? 1 : 0;
                skip_one();
            }
        }
    }

    /// From here on this line, or from the lines after it, over one pair of braces.
    void skip_braces() {
        while (at_ != end_ && *at_ != '{' && *at_ != '\n') ++at_;
        skip_space();
        expect('{', "'{'");
        std::uint32_t depth = 1;
        while (at_ != end_ && depth > 0) skip_within_braces(depth);
        if (depth > 0) fail("'}'");
    }

    /// One character, or a string.
    void skip_one() {
        if (*at_ == '"') return skip_string();
        advance();
    }

private:
    template <unsigned Base>
    static constexpr unsigned digit_of(char c) {
        const unsigned digit = static_cast<unsigned char>(c) - unsigned{'0'};
        if (Base <= 10 || digit < 10) return digit;
        const unsigned letter = (static_cast<unsigned char>(c) | 0x20U) - unsigned{'a'};
        return letter < 6 ? letter + 10 : Base;
    }

    // To what can open or close braces, and over it.
    void skip_within_braces(std::uint32_t& depth) {
        while (at_ != end_ && !belongs(*at_, ends_skipping)) ++at_;
        const char* const before = at_;
        skip_space();
        if (at_ == end_ || at_ != before) return;
        if (*at_ == '{') ++depth;
        if (*at_ == '}') --depth;
        skip_one();
    }

    void begin_line() {
        ++line_;
        line_start_ = at_;
    }

    void skip_comment() {
        at_ += 2;
        while (at_ != end_ && !(*at_ == '*' && peek(1) == '/')) {
            if (*at_++ == '\n') begin_line();
        }
        if (at_ == end_) return fail("'*/'");
        at_ += 2;
    }

    const char* at_;
    const char* end_;
    const char* line_start_;
    const char* last_stop_;  // the last semicolon or closing brace, or the begin of the text
    std::uint32_t line_ = 1;
    model_error error_{};
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

#endif
