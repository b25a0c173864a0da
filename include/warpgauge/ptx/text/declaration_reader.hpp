// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_DECLARATION_READER_HPP
#define WARPGAUGE_PTX_TEXT_DECLARATION_READER_HPP

#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/text/cursor.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file Reads declarations of registers, variables and parameters: `.reg .b32 %r<8>;`,
/// `.shared .align 4 .b8 tile[4][2];`, `(.param .u64 n)`.

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

/// The memory that a directive names; false if it names none.
inline bool space_of(std::string_view directive, state_space& space) {
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
        if (directive == e.name ||
            (directive.size() > e.name.size() + 1 && directive[e.name.size()] == ':' &&
             directive.substr(0, e.name.size()) == e.name)) {
            space = e.space;
            return true;
        }
    }
    return false;
}

constexpr bool is_vector(std::string_view word, std::uint32_t& elements) {
    if (word == "v2") elements = 2;
    if (word == "v4") elements = 4;
    if (word == "v8") elements = 8;
    return word == "v2" || word == "v4" || word == "v8";
}

/// Reads everything of a declaration between its space and its names.
inline declaration read_declaration_head(cursor& in, state_space space, position start) {
    declaration d{.space = space, .at = start};
    if (in.accept('[')) {  // the bank of a constant
        in.whole();
        in.expect(']', "']'");
    }
    while (in.ok() && in.peek() == '.') {
        const std::string_view what = in.directive();
        if (what == "align") {
            d.alignment = in.small_number("align");
        } else if (what == "ptr") {
            d.is_pointer = true;  // its space and alignment follow
        } else if (what == "managed" || what == "unified") {
            // says nothing of its size
        } else if (what == "attribute") {
            in.skip_parentheses();
        } else if (state_space ignored{}; !is_vector(what, d.vector) && !space_of(what, ignored)) {
            d.type = what;
        }
    }
    return d;
}

/// Reads a name and what follows it: `<8>`, `[4][2]`.
inline void read_declarator(cursor& in, declaration& d) {
    d.at = in.here();
    d.name = in.name();
    d.elements = 1;
    d.registers = 0;
    if (in.ok() && in.accept('<')) {
        d.registers = in.small_number("registers");
        in.expect('>', "'>'");
    }
    while (in.ok() && in.accept('[')) {
        const std::uint64_t n = in.peek() == ']' ? 0 : in.whole();
        if (n != 0 && d.elements > (std::uint64_t{1} << 48) / n) {
            return in.fail(errc::overflow, "elements");
        }
        d.elements *= n;
        in.expect(']', "']'");
    }
}

/// Reads the declarations of one statement, after its space, to the end of a vector. Initial values are kept as they
/// stand: whoever needs them reads them, and a large table takes no memory.
template <class List>
void read_variables(cursor& in, state_space space, position start, range scope, List& list) {
    declaration d = read_declaration_head(in, space, start);
    do {
        read_declarator(in, d);
        d.scope = scope;
        d.initial = {};
        if (in.ok() && in.accept('=')) {
            in.skip_values(true);
            d.initial = in.since(d.name.data() + d.name.size());
        }
        if (in.ok()) list.push_back(d);
    } while (in.ok() && in.accept(','));
    if (in.ok()) in.expect(';', "';'");
}

/// Reads a function's parameters or results, in parentheses; none where there are no parentheses.
template <class List>
range read_parameters(cursor& in, List& list) {
    range read{static_cast<std::uint32_t>(list.size()), 0};
    if (!in.accept('(')) return read;
    while (in.peek() != ')') {
        const position start = in.here();
        state_space space{};
        if (!space_of(in.directive(), space)) {
            in.fail("a parameter");
            return read;
        }
        declaration d = read_declaration_head(in, space, start);
        read_declarator(in, d);
        if (!in.ok()) return read;
        list.push_back(d);
        ++read.count;
        if (!in.accept(',')) break;
    }
    in.expect(')', "')'");
    return read;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

#endif
