// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_PARSE_HPP
#define WARPGAUGE_PTX_TEXT_PARSE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode.hpp>

/// \file Reads PTX text, as `nvcc` and clang write it, in one pass.
///
/// What says nothing about time is read over: debug sections, initial values, call prototypes, pragmas.

namespace warpgauge::ptx {

/// Longer text is an error.
inline constexpr std::size_t most_text_bytes = std::size_t{1} << 31;

/// Braces may be nested this deep, and operands within operands a few times.
inline constexpr std::uint32_t most_scopes = 256;

namespace detail {

constexpr bool is_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

/// Template only so that a program that reads no PTX does not compile it.
template <int Instance = 0>
class parser {
public:
    explicit parser(std::string_view text)
        : at_(text.data()), end_(text.data() + text.size()), line_start_(text.data()) {}

    result<module> parse() {
        skip_space();
        while (at_ != end_ && ok()) {
            module_statement();
            skip_space();
        }
        if (ok() && m_.version_major == 0) fail("'.version'");
        if (!ok()) return error_;
        return std::move(m_);
    }

private:
    static constexpr int deepest_operand = 4;

    // --- Errors: the first one counts, and ends all loops

    [[nodiscard]] bool ok() const { return !error_; }

    [[nodiscard]] position here() const {
        return {line_, static_cast<std::uint32_t>(at_ - line_start_) + 1};
    }

    void fail(std::string_view expected) { fail(errc::expected, expected); }
    void fail(errc code, std::string_view what) { fail_at(here(), code, what); }
    void fail_at(const position& p, errc code, std::string_view what) {
        if (!ok()) return;
        error_ = {code, what, p.line, p.column};
        end_ = at_;  // nothing more is read
    }

    // --- Characters

    [[nodiscard]] char peek(std::ptrdiff_t ahead = 0) const {
        return end_ - at_ > ahead ? at_[ahead] : '\0';
    }

    void next_line() {
        ++line_;
        line_start_ = at_;
    }

    void skip_space() {
        while (at_ != end_) {
            const char c = *at_;
            if (c == '\n') {
                ++at_;
                next_line();
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
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

    void skip_comment() {
        at_ += 2;
        while (at_ != end_ && !(*at_ == '*' && peek(1) == '/')) {
            if (*at_++ == '\n') next_line();
        }
        if (at_ == end_) return fail("'*/'");
        at_ += 2;
    }

    void skip_line() {
        while (at_ != end_ && *at_ != '\n') ++at_;
    }

    bool accept(char c) {
        if (at_ == end_ || *at_ != c) return false;
        ++at_;
        skip_space();
        return true;
    }

    void expect(char c, std::string_view what) {
        if (!accept(c)) fail(what);
    }

    template <class Belongs>
    std::string_view take(Belongs belongs) {
        const char* const from = at_;
        while (at_ != end_ && belongs(*at_)) ++at_;
        return {from, static_cast<std::size_t>(at_ - from)};
    }

    // A name: `%rd4`, `$L__BB0_2`, `%tid.x`.
    std::string_view name() {
        if (at_ == end_ || !is_letter(*at_)) {
            fail("a name");
            return {};
        }
        const auto text =
            take([](char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '@'; });
        skip_space();
        return text;
    }

    // The word after a dot, with its own dots: `maxntid`, `shared`. Where a colon follows, `::cta` too.
    std::string_view word() {
        const auto text = take([](char c) { return is_letter(c) || is_digit(c) || c == ':'; });
        skip_space();
        return text;
    }

    std::string_view directive() {
        if (at_ == end_ || *at_ != '.') {
            fail("a directive");
            return {};
        }
        ++at_;
        const std::string_view text = word();
        if (text.empty()) fail("a directive");
        return text;
    }

    // `.name` if that is what comes next; else nothing is read.
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

    // Digits of a base; false if there are none or they do not fit 64 bits.
    bool digits(unsigned base, std::uint64_t& value) {
        value = 0;
        const char* const from = at_;
        for (; at_ != end_; ++at_) {
            const char c = *at_;
            unsigned digit = 99;
            if (is_digit(c)) digit = static_cast<unsigned>(c - '0');
            if (c >= 'a' && c <= 'f') digit = static_cast<unsigned>(c - 'a') + 10;
            if (c >= 'A' && c <= 'F') digit = static_cast<unsigned>(c - 'A') + 10;
            if (digit >= base) break;
            if (value > (~std::uint64_t{0} - digit) / base) return false;
            value = value * base + digit;
        }
        return at_ != from;
    }

    // An integer without sign.
    std::uint64_t whole() {
        std::uint64_t value = 0;
        bool good = false;
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) {
            at_ += 2;
            good = digits(16, value);
        } else if (peek() == '0' && (peek(1) == 'b' || peek(1) == 'B')) {
            at_ += 2;
            good = digits(2, value);
        } else if (peek() == '0' && is_digit(peek(1))) {
            good = digits(8, value);
        } else {
            good = digits(10, value);
        }
        if (!good) fail("a number");
        if (peek() == 'U') ++at_;
        skip_space();
        return value;
    }

    // The same with its sign, in two's complement.
    std::int64_t whole(bool negative) {
        const std::uint64_t value = whole();
        return static_cast<std::int64_t>(negative ? 0 - value : value);
    }

    std::uint32_t small_number(std::string_view what) {
        const std::uint64_t value = whole();
        if (value > 0xffff'ffffU) fail(errc::overflow, what);
        return static_cast<std::uint32_t>(value);
    }

    // A literal: its operand without what is around it.
    operand literal(bool negative) {
        operand o;
        const char* const from = at_;
        const char second = peek(1);
        const bool hex_real =
            peek() == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D');
        if (hex_real) {
            at_ += 2;
            std::uint64_t bits = 0;
            if (!digits(16, bits)) fail("a number");
            o.kind = operand_kind::real;
            o.value = static_cast<std::int64_t>(bits);
        } else if (decimal_point_follows()) {
            o.kind = operand_kind::real;
            take([](char c) { return is_digit(c) || c == '.' || c == 'e' || c == 'E'; });
            if ((peek() == '+' || peek() == '-') && (at_[-1] == 'e' || at_[-1] == 'E')) {
                ++at_;
                take(is_digit);
            }
        } else {
            o.kind = operand_kind::integer;
            o.value = whole(negative);
        }
        o.text = {from, static_cast<std::size_t>(at_ - from)};
        while (!o.text.empty() && (o.text.back() <= ' ')) o.text.remove_suffix(1);
        skip_space();
        return o;
    }

    [[nodiscard]] bool decimal_point_follows() const {
        if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X')) return false;
        const char* c = at_;
        while (c != end_ && is_digit(*c)) ++c;
        return c != end_ && (*c == '.' || *c == 'e' || *c == 'E');
    }

    // --- Operands

    void one_operand(int depth = 0) {
        if (depth > deepest_operand) return fail(errc::limit_reached, "operands");
        const std::size_t first = m_.operands.size();
        const bool negated = accept('!');
        primary(depth);
        if (!ok()) return;
        m_.operands[first].negated = negated;
        if (accept('|')) {
            const std::size_t second = m_.operands.size();
            primary(depth);
            if (ok()) m_.operands[second].second_result = true;
        }
    }

    void primary(int depth) {
        const char c = peek();
        if (c == '[') return group('[', ']', operand_kind::address, depth);
        if (c == '{') return group('{', '}', operand_kind::vector, depth);
        if (c == '(') return group('(', ')', operand_kind::list, depth);
        if (c == '-' || is_digit(c)) {
            const bool negative = accept('-');
            m_.operands.push_back(literal(negative));
            return;
        }
        if (!is_letter(c)) return fail("an operand");
        const std::string_view text = name();
        m_.operands.push_back({.kind = operand_kind::name, .text = text, .value = offset()});
    }

    // `+4`, `-4`, `+-4`, or nothing.
    std::int64_t offset() {
        if (peek() != '+' && peek() != '-') return 0;
        bool negative = false;
        while (peek() == '+' || peek() == '-') negative = accept('-') || (accept('+') && negative);
        return whole(negative);
    }

    void group(char open, char close, operand_kind kind, int depth) {
        const std::size_t whole_group = m_.operands.size();
        m_.operands.push_back({.kind = kind});
        accept(open);
        if (kind == operand_kind::address) {  // its base stands in the operand itself
            if (is_letter(peek())) {
                const std::string_view base = name();
                m_.operands[whole_group].text = base;
                m_.operands[whole_group].value = offset();
            } else {
                const bool negative = accept('-');
                m_.operands[whole_group].value = whole(negative);
            }
            while (ok() && accept(',')) one_operand(depth + 1);
        } else if (peek() != close) {
            do {
                one_operand(depth + 1);
            } while (ok() && accept(','));
        }
        if (!ok()) return;
        expect(close, close == ']' ? "']'" : close == '}' ? "'}'" : "')'");
        m_.operands[whole_group].parts =
            static_cast<std::uint32_t>(m_.operands.size() - whole_group - 1);
    }

    // --- The module

    void module_statement() {
        if (peek() == '@' && peek(1) == '@') return skip_line();  // debug sections of PTX 1.x
        if (accept(';')) return;
        const position start = here();
        const std::string_view what = directive();
        if (!ok()) return;
        if (what == "version") return version();
        if (what == "target") return target();
        if (what == "address_size") {
            m_.address_bits = small_number("address_size");
            return;
        }
        if (what == "file") return file();
        if (what == "loc") return location();
        if (what == "section") return skip_braces();
        if (what == "pragma" || what == "alias") return skip_to_semicolon();
        if (what == "extern" || what == "visible" || what == "weak" || what == "common") return;
        if (what == "entry" || what == "func") return function_statement(what == "entry", start);
        state_space space{};
        if (!space_of(what, space)) {
            return fail_at(start, errc::expected, "a directive of a module");
        }
        variable(space, start, {});
    }

    void version() {
        m_.version_major = small_number("version");
        if (ok() && m_.version_major == 0) fail(errc::outside_domain, "version");
        // A major number that is followed by a dot is not a decimal fraction: 9.0 is nine, zero.
        expect('.', "'.'");
        m_.version_minor = small_number("version");
    }

    void target() {
        const char* const from = at_;
        const char* to = at_;
        do {
            name();
            to = at_;
        } while (ok() && accept(','));
        m_.target = {from, static_cast<std::size_t>(to - from)};
        while (!m_.target.empty() && m_.target.back() <= ' ') m_.target.remove_suffix(1);
    }

    void file() {
        source_file f;
        f.number = small_number("file");
        if (!ok()) return;
        if (peek() != '"') return fail("a file name");
        ++at_;
        f.name = take([](char c) { return c != '"' && c != '\n'; });
        if (peek() != '"') return fail("'\"'");
        m_.files.push_back(f);
        skip_line();  // a time stamp and a size may follow
    }

    void location() {
        source_file_ = small_number("file");
        if (ok()) source_line_ = small_number("line");
        if (ok()) skip_line();  // column, and where it was inlined
        skip_space();
    }

    void skip_to_semicolon() {
        skip_values(false);
        expect(';', "';'");
    }

    // To the next semicolon, or comma, that is not within braces or quotes.
    void skip_values(bool to_comma) {
        std::uint32_t depth = 0;
        while (ok() && at_ != end_ && !(depth == 0 && (*at_ == ';' || (to_comma && *at_ == ',')))) {
            if (*at_ == '{') ++depth;
            if (*at_ == '}') {
                if (depth == 0) return fail("';'");
                --depth;
            }
            if (*at_ == '"') {
                skip_string();
                continue;
            }
            ++at_;
            skip_space();
        }
    }

    void skip_string() {
        ++at_;
        take([](char c) { return c != '"' && c != '\n'; });
        if (peek() != '"') return fail("'\"'");
        ++at_;
        skip_space();
    }

    void skip_braces() {
        while (at_ != end_ && *at_ != '{' && *at_ != '\n') ++at_;
        skip_space();
        expect('{', "'{'");
        std::uint32_t depth = 1;
        while (at_ != end_ && depth > 0) {
            if (*at_ == '"') {
                skip_string();
                continue;
            }
            if (*at_ == '{') ++depth;
            if (*at_ == '}') --depth;
            ++at_;
            skip_space();
        }
        if (depth > 0) fail("'}'");
    }

    // --- Declarations

    static bool space_of(std::string_view what, state_space& space) {
        struct entry {
            std::string_view name;
            state_space space;
        };
        for (const entry& e : {entry{"reg", state_space::reg},
                               {"param", state_space::param},
                               {"shared", state_space::shared},
                               {"local", state_space::local},
                               {"const", state_space::constant},
                               {"global", state_space::global},
                               {"tex", state_space::global}}) {
            // `.shared::cta`, `.const[2]`
            if (what == e.name || (what.size() > e.name.size() + 1 && what[e.name.size()] == ':' &&
                                   what.substr(0, e.name.size()) == e.name)) {
                space = e.space;
                return true;
            }
        }
        return false;
    }

    static constexpr bool is_vector(std::string_view word, std::uint32_t& elements) {
        if (word == "v2") elements = 2;
        if (word == "v4") elements = 4;
        if (word == "v8") elements = 8;
        return word == "v2" || word == "v4" || word == "v8";
    }

    // Everything of a declaration before its names.
    declaration declaration_head(state_space space, position start) {
        declaration d{.space = space, .at = start};
        if (peek() == '[') {  // the bank of a constant
            accept('[');
            whole();
            expect(']', "']'");
        }
        while (ok() && peek() == '.') {
            const std::string_view what = directive();
            if (what == "align") {
                d.alignment = small_number("align");
            } else if (what == "ptr" || what == "managed" || what == "unified") {
                // of a parameter that is a pointer, its space and alignment follow
            } else if (what == "attribute") {
                parenthesised();
            } else if (state_space ignored{};
                       !is_vector(what, d.vector) && !space_of(what, ignored)) {
                d.type = what;
            }
        }
        return d;
    }

    // A name and what follows it: `<8>`, `[4][2]`.
    void declarator(declaration& d) {
        d.at = here();
        d.name = name();
        d.elements = 1;
        d.registers = 0;
        if (ok() && accept('<')) {
            d.registers = small_number("registers");
            expect('>', "'>'");
        }
        while (ok() && accept('[')) {
            const std::uint64_t n = peek() == ']' ? 0 : whole();
            if (n != 0 && d.elements > (std::uint64_t{1} << 48) / n) {
                return fail(errc::overflow, "elements");
            }
            d.elements *= n;
            expect(']', "']'");
        }
    }

    void variable(state_space space, position start, range scope) {
        declaration d = declaration_head(space, start);
        do {
            declarator(d);
            d.scope = scope;
            if (ok()) m_.declarations.push_back(d);
            if (ok() && peek() == '=') {
                accept('=');
                skip_values(true);
            }
        } while (ok() && accept(','));
        if (ok()) expect(';', "';'");
    }

    range parameters() {
        range r{static_cast<std::uint32_t>(m_.declarations.size()), 0};
        if (!accept('(')) return r;
        while (ok() && peek() != ')') {
            const position start = here();
            state_space space{};
            if (!space_of(directive(), space)) {
                fail("a parameter");
                return r;
            }
            declaration d = declaration_head(space, start);
            declarator(d);
            if (!ok()) return r;
            m_.declarations.push_back(d);
            ++r.count;
            if (!accept(',')) break;
        }
        expect(')', "')'");
        return r;
    }

    // --- Functions

    void function_statement(bool is_kernel, position start) {
        function f{.is_kernel = is_kernel, .at = start};
        f.returns = parameters();
        if (ok() && accept_directive("attribute")) parenthesised();
        if (ok()) f.name = name();
        if (ok()) f.parameters = parameters();
        while (ok() && at_ != end_ && *at_ != '{' && *at_ != ';') performance_directive(f);
        if (!ok()) return;
        if (accept(';')) {
            m_.functions.push_back(f);
            return;
        }
        if (peek() != '{') return fail("'{' or ';'");
        f.has_body = true;
        body(f);
        if (ok()) m_.functions.push_back(f);
    }

    void parenthesised() {
        expect('(', "'('");
        while (ok() && at_ != end_ && *at_ != ')') {
            ++at_;
            skip_space();
        }
        expect(')', "')'");
    }

    void performance_directive(function& f) {
        const std::string_view what = directive();
        if (!ok()) return;
        if (what == "maxntid") return triple(f.max_threads);
        if (what == "reqntid") return triple(f.required_threads);
        if (what == "maxnreg") {
            f.max_registers = small_number("maxnreg");
        } else if (what == "minnctapersm") {
            f.min_blocks_per_sm = small_number("minnctapersm");
        } else {  // of no use here: read over what belongs to it
            while (ok() && at_ != end_ && *at_ != '{' && *at_ != ';' && *at_ != '.') {
                if (*at_ == '"') {
                    skip_string();
                } else {
                    ++at_;
                    skip_space();
                }
            }
            if (what == "pragma") accept(';');
        }
    }

    void triple(std::array<std::uint32_t, 3>& values) {
        values = {1, 1, 1};
        for (std::size_t i = 0; i < 3 && ok(); ++i) {
            values[i] = small_number("threads");
            if (!accept(',')) break;
        }
    }

    void body(function& f) {
        const auto count = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
        f.declarations.first = count(m_.declarations);
        f.instructions.first = count(m_.instructions);
        f.labels.first = count(m_.labels);
        std::vector<std::uint32_t>& scopes = scopes_;  // first declaration of each open scope
        scopes.clear();
        while (ok()) {
            skip_space();
            if (at_ == end_) return fail("'}'");
            if (*at_ == '{') {
                if (scopes.size() == most_scopes) return fail(errc::limit_reached, "scopes");
                accept('{');
                const std::uint32_t block = count(m_.blocks);
                m_.blocks.push_back(scopes.empty() ? block : block_);
                if (scopes.empty()) f.block = block;
                block_ = block;
                scopes.push_back(count(m_.declarations));
            } else if (*at_ == '}') {
                close_scope(scopes.back());
                scopes.pop_back();
                block_ = m_.blocks[block_];
                ++at_;
                if (scopes.empty()) break;
            } else {
                body_statement();
            }
        }
        skip_space();
        f.declarations.count = count(m_.declarations) - f.declarations.first;
        f.instructions.count = count(m_.instructions) - f.instructions.first;
        f.labels.count = count(m_.labels) - f.labels.first;
    }

    // `table: .branchtargets A, B;`: the label before it is the table's name.
    void branch_targets() {
        const auto first = static_cast<std::uint32_t>(m_.operands.size());
        do {
            one_operand();
        } while (ok() && accept(','));
        if (ok() && !m_.labels.empty()) {
            m_.labels.back().targets = {first,
                                        static_cast<std::uint32_t>(m_.operands.size()) - first};
        }
        if (ok()) expect(';', "',' or ';'");
    }

    // Declarations since `first` that are still open end here.
    void close_scope(std::uint32_t first) {
        const auto end = static_cast<std::uint32_t>(m_.instructions.size());
        while (!open_.empty() && open_.back() >= first) {
            declaration& d = m_.declarations[open_.back()];
            d.scope.count = end - d.scope.first;
            open_.pop_back();
        }
    }

    void body_statement() {
        const position start = here();
        if (*at_ == '.') {
            const std::string_view what = directive();
            if (!ok()) return;
            if (what == "loc") return location();
            if (what == "file") return file();
            if (what == "section") return skip_braces();
            if (what == "branchtargets") return branch_targets();
            if (what == "pragma" || what == "calltargets" || what == "callprototype" ||
                what == "alias") {
                return skip_to_semicolon();
            }
            state_space space{};
            if (!space_of(what, space)) {
                return fail_at(start, errc::expected, "a directive of a function");
            }
            const auto first = static_cast<std::uint32_t>(m_.declarations.size());
            variable(space, start, {static_cast<std::uint32_t>(m_.instructions.size()), 0});
            for (auto d = first; d < m_.declarations.size(); ++d) {
                m_.declarations[d].block = block_;
                open_.push_back(d);
            }
            return;
        }
        if (accept(';')) return;
        instruction i{
            .at = start, .source_file = source_file_, .source_line = source_line_, .block = block_};
        if (accept('@')) {
            i.predicate_negated = accept('!');
            i.predicate = name();
            if (!ok()) return;
        }
        if (at_ == end_ || !is_letter(*at_)) return fail("an instruction");
        i.opcode = take([this](char c) {
            return is_letter(c) || is_digit(c) || c == '.' ||
                   (c == ':' && (peek(1) == ':' || at_[-1] == ':'));
        });
        skip_space();
        if (i.predicate.empty() && peek() == ':') {
            ++at_;
            m_.labels.push_back({.name = i.opcode,
                                 .before = static_cast<std::uint32_t>(m_.instructions.size()),
                                 .block = block_});
            return;
        }
        const opcode_class c = classify(i.opcode);
        i.known = c.known;
        i.unit = c.unit;
        m_.unknown_opcodes += !c.known;
        i.operands.first = static_cast<std::uint32_t>(m_.operands.size());
        if (peek() != ';') {
            do {
                one_operand();
            } while (ok() && accept(','));
        }
        if (!ok()) return;
        i.operands.count = static_cast<std::uint32_t>(m_.operands.size()) - i.operands.first;
        expect(';', "',' or ';'");
        if (ok()) m_.instructions.push_back(i);
    }

    const char* at_;
    const char* end_;
    const char* line_start_;
    std::uint32_t line_ = 1;
    std::uint32_t source_file_ = 0;
    std::uint32_t source_line_ = 0;
    std::uint32_t block_ = 0;
    std::vector<std::uint32_t> scopes_;
    std::vector<std::uint32_t> open_;  // declarations of the open scopes
    ptx::module m_;  // at the start of a line, `module` alone would be a directive
    model_error error_{};
};

}  // namespace detail

/// Reads a text. Takes time in proportion to its length.
/// \errors with line and column
///         expected       `field` says what; the text ends, or has something else
///         limit_reached  `text`: longer than `most_text_bytes`; `scopes`, `operands`: nested too deep
///         overflow       a number that is too large for what it counts
///         outside_domain `version`: 0
template <int Instance = 0>
[[nodiscard]] result<module> parse(std::string_view text) {
    if (text.size() > most_text_bytes) return model_error{errc::limit_reached, "text"};
    return detail::parser<Instance>(text).parse();
}

}  // namespace warpgauge::ptx

#endif
