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
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/text/cursor.hpp>
#include <warpgauge/ptx/text/declaration_reader.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_cache.hpp>
#include <warpgauge/ptx/text/operand_reader.hpp>

/// \file Reads PTX text, as `nvcc` and clang write it, in one pass.
///
/// It skips parts that have no effect on time: debug sections and pragmas. Initial values stay in the text.

namespace WARPGAUGE_NAMESPACE::ptx {

/// The maximum length of a text; a longer one is an error.
inline constexpr std::size_t max_text_bytes = std::size_t{1} << 31;

/// The maximum depth of nested braces. Operands may be nested a few times.
inline constexpr std::uint32_t max_scopes = 256;

/// Reads a text. Takes time in proportion to its length.
/// \errors with line and column
///         expected       `field` says what; the text ends, or has something else
///         limit_reached  `text`: longer than `max_text_bytes`; `scopes`, `operands`: nested too deep; `operands`: more
///                        than `max_parts` within one
///         overflow       a number that is too large for what it counts; `file`: above `max_source_file`
///         outside_domain `version`: 0
template <class = core::when_used>
[[nodiscard]] result<module> parse(std::string_view text);

namespace detail::text {

/// The lists of instructions and operands have room from the start for a text as dense as compilers write it, but for no
/// more than these.
///
/// The first touch of fresh memory takes about as long as reading the text, so it matters that a program which reads one
/// text after another gets the memory of the last one. The GNU C library keeps freed blocks if they are together at most
/// twice as long as the longest, and that one less than 32 MiB: so the operands have room that few texts fill. What is not
/// filled is not touched.
inline constexpr std::size_t foreseen_instructions = 2048;
inline constexpr std::size_t foreseen_operands =
    ((std::size_t{1} << 25) - (std::size_t{1} << 16)) / sizeof(operand);

/// The text that says how dense the rest is; lists of a shorter one grow twofold.
inline constexpr std::size_t min_sample_bytes = std::size_t{1} << 16;

/// Makes room in a list for all of a text, if the rest of it is as dense as the part that has been read, but not for a list
/// of more than four times the text's memory. To grow twofold, again and again, would touch twice the memory.
template <class List>
void make_room(List& list, std::size_t read, std::size_t text) {
    if (read < min_sample_bytes) return;
    const double density = static_cast<double>(list.size()) / static_cast<double>(read);
    const double wanted = 1.125 * density * static_cast<double>(text) + 8;
    const double max = 4 * static_cast<double>(text) / sizeof(typename List::value_type);
    const auto room = static_cast<std::size_t>(wanted < max ? wanted : max);
    if (room > list.capacity()) list.reserve(room);
}

/// The position of the next entry of a list.
template <class List>
std::uint32_t end_of(const List& list) {
    return static_cast<std::uint32_t>(list.size());
}

/// Reads directives, functions and their instructions.
template <class Used = core::when_used>
class parser {
public:
    explicit parser(std::string_view text) : in_(text), text_(text) {
        const auto less = [](std::size_t a, std::size_t b) { return a < b ? a : b; };
        module_.instructions.reserve(less(text.size() / 40, foreseen_instructions));
        module_.operands.reserve(less(text.size() / 8, foreseen_operands));
    }

    result<ptx::module> parse() {
        in_.skip_space();
        while (!in_.at_end()) {
            module_statement();
            in_.skip_space();
        }
        if (in_.ok() && module_.version_major == 0) in_.fail("'.version'");
        if (!in_.ok()) return in_.error();
        return std::move(module_);
    }

private:
    // --- The module

    void module_statement() {
        if (in_.peek() == '@' && in_.peek(1) == '@') return in_.skip_line();  // debug, of PTX 1.x
        if (in_.peek() == '#') return in_.skip_line();                        // `#line 5 "x.cu"`
        if (in_.accept(';')) return;
        const position start = in_.here();
        const std::string_view what = in_.directive();
        if (!in_.ok()) return;
        if (what == "version") return version();
        if (what == "target") return target();
        if (what == "address_size") {
            module_.address_bits = in_.small_number("address_size");
            return;
        }
        if (what == "file") return file();
        if (what == "loc") return location();
        if (what == "section") return in_.skip_braces();
        if (what == "pragma") return in_.skip_to_semicolon();
        if (what == "alias") return other_name();
        if (what == "extern" || what == "visible" || what == "weak" || what == "common") return;
        if (what == "entry" || what == "func") return function_statement(what == "entry", start);
        state_space space{};
        if (!space_of(what, space)) {
            return in_.fail_at(start, errc::expected, "a directive of a module");
        }
        read_variables(in_, space, start, {}, module_.declarations);
    }

    void version() {
        module_.version_major = in_.small_number("version");
        if (in_.ok() && module_.version_major == 0) in_.fail(errc::outside_domain, "version");
        // A major number that is followed by a dot is not a decimal fraction: 9.0 is nine, zero.
        in_.expect('.', "'.'");
        module_.version_minor = in_.small_number("version");
    }

    void target() {
        const char* const from = in_.mark();
        const char* to = from;
        do {
            in_.name();
            to = in_.mark();
        } while (in_.ok() && in_.accept(','));
        module_.target = cursor::between(from, to);
    }

    void file() {
        source_file f;
        f.number = in_.small_number("file");
        if (!in_.ok()) return;
        if (in_.peek() != '"') return in_.fail("a file name");
        in_.skip(1);
        f.name = in_.take([](char c) { return c != '"' && c != '\n'; });
        if (in_.peek() != '"') return in_.fail("'\"'");
        module_.files.push_back(f);
        in_.skip_line();  // a time stamp and a size may follow
    }

    void location() {
        source_file_ = in_.small_number("file");
        if (source_file_ > max_source_file) in_.fail(errc::overflow, "file");
        source_line_ = in_.small_number("line");
        in_.skip_line();  // column, and where it was inlined
        in_.skip_space();
    }

    void other_name() {
        alias& a = module_.aliases.emplace_back();
        a.name = in_.name();
        in_.expect(',', "','");
        if (in_.ok()) a.function = in_.name();
        if (in_.ok()) in_.expect(';', "';'");
    }

    // --- Functions

    void function_statement(bool is_kernel, position start) {
        function f{.is_kernel = is_kernel, .at = start};
        make_room(module_.functions, 1);
        make_room(module_.declarations, 4);
        f.returns = read_parameters(in_, module_.declarations);
        if (in_.accept_directive("attribute")) in_.skip_parentheses();
        f.name = in_.name();
        if (in_.ok()) f.parameters = read_parameters(in_, module_.declarations);
        while (in_.ok() && in_.peek() == '.' && !begins_module_statement(in_.peek_directive())) {
            performance_directive(f);
        }
        if (!in_.ok()) return;
        f.has_body = in_.peek() == '{';
        if (f.has_body) {
            body(f);
        } else if (!in_.accept(';') && !(ends_prototype() && !is_kernel)) {
            return in_.fail("'{' or ';'");
        }
        if (in_.ok()) module_.functions.push_back(f);
    }

    // A prototype of a device function ends without a semicolon too, where the module's next statement begins.
    [[nodiscard]] bool ends_prototype() const {
        return in_.at_end() || in_.peek() == '.' || in_.peek() == '@';
    }
    static bool begins_module_statement(std::string_view directive) {
        for (const std::string_view word :
             {"visible", "extern", "weak", "common", "func", "entry", "alias", "file", "loc",
              "section", "version", "target", "address_size"}) {
            if (directive == word) return true;
        }
        state_space ignored{};
        return space_of(directive, ignored);
    }

    void performance_directive(function& f) {
        const std::string_view what = in_.directive();
        if (!in_.ok()) return;
        if (what == "maxntid") return block_shape(f.max_threads);
        if (what == "reqntid") return block_shape(f.required_threads);
        if (what == "reqnctapercluster") return block_shape(f.cluster);
        if (what == "maxnreg") {
            f.max_registers = in_.small_number("maxnreg");
        } else if (what == "minnctapersm") {
            f.min_blocks_per_sm = in_.small_number("minnctapersm");
        } else {  // of no use here: read over what belongs to it
            while (!in_.at_end() && in_.peek() != '{' && in_.peek() != ';' && in_.peek() != '.') {
                in_.skip_one();
            }
            if (what == "pragma") in_.accept(';');
        }
    }

    void block_shape(std::array<std::uint32_t, 3>& threads) {
        threads = {1, 1, 1};
        for (std::size_t d = 0; d < 3; ++d) {
            threads[d] = in_.small_number("threads");
            if (!in_.accept(',')) break;
        }
    }

    void body(function& f) {
        f.declarations.first = end_of(module_.declarations);
        f.instructions.first = end_of(module_.instructions);
        f.labels.first = end_of(module_.labels);
        scopes_.clear();
        while (in_.ok()) {
            in_.skip_space();
            if (belongs(in_.peek(), of_letters)) {
                instruction_or_label();
            } else if (in_.at_end()) {
                return in_.fail("'}'");
            } else if (in_.peek() == '{') {
                if (scopes_.size() == max_scopes) return in_.fail(errc::limit_reached, "scopes");
                in_.accept('{');
                open_scope(f);
            } else if (in_.peek() == '}') {
                close_scope();
                in_.skip(1);
                if (scopes_.empty()) break;
            } else {
                body_statement();
            }
        }
        in_.skip_space();
        f.declarations.count = end_of(module_.declarations) - f.declarations.first;
        f.instructions.count = end_of(module_.instructions) - f.instructions.first;
        f.labels.count = end_of(module_.labels) - f.labels.first;
    }

    void open_scope(function& f) {
        const std::uint32_t braces = end_of(module_.braces);
        module_.braces.push_back(scopes_.empty() ? braces : braces_);
        if (scopes_.empty()) f.braces = braces;
        braces_ = braces;
        scopes_.push_back(end_of(module_.declarations));
    }

    // Declarations of the innermost scope end here.
    void close_scope() {
        const std::uint32_t end = end_of(module_.instructions);
        while (!open_declarations_.empty() && open_declarations_.back() >= scopes_.back()) {
            declaration& d = module_.declarations[open_declarations_.back()];
            d.scope.count = end - d.scope.first;
            open_declarations_.pop_back();
        }
        scopes_.pop_back();
        braces_ = module_.braces[braces_];
    }

    void body_statement() {
        const position start = in_.here();
        if (in_.peek() == '.') return body_directive(start);
        if (in_.peek() == '#') return in_.skip_line();
        if (in_.accept(';')) return;
        std::string_view predicate;
        bool negated = false;
        if (in_.accept('@')) {
            negated = in_.accept('!');
            predicate = in_.name();
            if (!in_.ok()) return;
        }
        if (!belongs(in_.peek(), of_letters)) return in_.fail("an instruction");
        instruction(start, predicate, negated, in_.opcode());
    }

    void instruction_or_label() {
        const position start = in_.here();
        const std::string_view opcode = in_.opcode();
        if (in_.peek() != ':') return instruction(start, {}, false, opcode);
        in_.skip(1);
        make_room(module_.labels, 1);
        module_.labels.push_back(
            {.name = opcode, .before = end_of(module_.instructions), .braces = braces_});
    }

    void instruction(const position& start, std::string_view predicate, bool negated,
                     std::string_view opcode) {
        // Filled in where it stays: a copy waits for all of its parts to be stored.
        make_room(module_.instructions, 1);
        make_room(module_.operands, 8);
        ptx::instruction& i = module_.instructions.emplace_back();
        const opcode_class c = opcodes_.classify(opcode);
        i.predicate_negated = negated;
        i.known = c.known;
        i.unit = c.unit;
        i.source_file = source_file_ & max_source_file;
        i.source_line = source_line_;
        i.predicate = name_piece(predicate);
        i.opcode = opcode;
        i.at = start;
        i.braces = braces_;
        module_.unknown_opcodes += !c.known;
        i.operands.first = end_of(module_.operands);
        if (in_.peek() != ';') read_operands(in_, module_.operands);
        i.operands.count = end_of(module_.operands) - i.operands.first;
        if (in_.ok()) in_.expect(';', "',' or ';'");
    }

    void body_directive(position start) {
        const std::string_view what = in_.directive();
        if (!in_.ok()) return;
        if (what == "loc") return location();
        if (what == "file") return file();
        if (what == "section") return in_.skip_braces();
        if (what == "branchtargets" || what == "calltargets") return targets();
        if (what == "pragma" || what == "callprototype" || what == "alias") {
            return in_.skip_to_semicolon();
        }
        state_space space{};
        if (!space_of(what, space)) {
            return in_.fail_at(start, errc::expected, "a directive of a function");
        }
        const std::uint32_t first = end_of(module_.declarations);
        make_room(module_.declarations, 4);
        read_variables(in_, space, start, {end_of(module_.instructions), 0}, module_.declarations);
        for (std::uint32_t d = first; d < module_.declarations.size(); ++d) {
            module_.declarations[d].braces = braces_;
            open_declarations_.push_back(d);
        }
    }

    // `table: .branchtargets A, B;`, `table: .calltargets f, g;`: the label before it is the table's name.
    void targets() {
        const std::uint32_t first = end_of(module_.operands);
        read_operands(in_, module_.operands);
        if (!module_.labels.empty()) {
            module_.labels.back().targets = {first, end_of(module_.operands) - first};
        }
        in_.expect(';', "',' or ';'");
    }

    // For what the next statement mostly adds.
    template <class List>
    void make_room(List& list, std::size_t entries) {
        if (list.capacity() - list.size() >= entries) return;
        const auto read = static_cast<std::size_t>(in_.mark() - text_.data());
        text::make_room(list, read, text_.size());
    }

    cursor in_;
    std::string_view text_;
    opcode_cache opcodes_;
    std::uint32_t source_file_ = 0;  // of the last `.loc`
    std::uint32_t source_line_ = 0;
    std::uint32_t braces_ = 0;                             // around the next statement
    core::late<Used, std::vector<std::uint32_t>> scopes_;  // first declaration of each open scope
    core::late<Used, std::vector<std::uint32_t>> open_declarations_;
    core::late<Used, ptx::module>
        module_;  // at the start of a line, `module` alone would be a directive
};

}  // namespace detail::text

template <class Used>
result<module> parse(std::string_view text) {
    if (text.size() > max_text_bytes) return model_error{errc::limit_reached, "text"};
    return detail::text::parser<Used>(text).parse();
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
