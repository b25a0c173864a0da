// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "parameter_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/text/source_name.hpp>

namespace program {

namespace {

namespace ptx = warpgauge::ptx;
using parameters = std::span<const ptx::declaration>;
using names = std::vector<std::string>;

bool in_word(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

// How many characters of `text` are a comment, a literal or a line of the preprocessor, of any of which it is the beginning.
std::size_t skipped(std::string_view text, bool begins_line) {
    const auto to = [&](std::string_view end) {
        const std::size_t at = text.find(end, 2);
        return at == std::string_view::npos ? text.size() : at + end.size();
    };
    if (text.substr(0, 2) == "/*") return to("*/");
    if (text.substr(0, 3) == R"('"')") return 3;
    if (text.substr(0, 4) == R"('\"')") return 4;
    const bool to_end_of_line = text.substr(0, 2) == "//" || (begins_line && text[0] == '#');
    if (!to_end_of_line && text[0] != '"') return 0;
    const char end = to_end_of_line ? '\n' : '"';
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '\\') {
            ++at;
        } else if (text[at] == end) {
            return to_end_of_line ? at : at + 1;
        }
    }
    return text.size();
}

// The source with spaces in place of what `skipped` counts.
std::string plain(std::string_view source) {
    std::string text(source);
    bool begins_line = true;
    for (std::size_t at = 0; at < source.size();) {
        if (const std::size_t n = skipped(source.substr(at), begins_line); n > 0) {
            std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), n, ' ');
            at += n;
            continue;
        }
        const char c = source[at++];
        begins_line = c == '\n' || (begins_line && (c == ' ' || c == '\t'));
    }
    return text;
}

// The position behind the bracket that closes the one at `at`.
std::size_t behind_brackets(std::string_view text, std::size_t at) {
    std::size_t depth = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '(') ++depth;
        if (text[at] == ')' && --depth == 0) return at + 1;
    }
    return std::string_view::npos;
}

// What stands between the commas of a list of parameters; commas in brackets separate none.
std::vector<std::string_view> split(std::string_view list) {
    std::vector<std::string_view> all;
    std::size_t from = 0;
    int depth = 0;
    for (std::size_t at = 0; at < list.size(); ++at) {
        if (std::string_view("([{<").find(list[at]) != std::string_view::npos) ++depth;
        if (std::string_view(")]}>").find(list[at]) != std::string_view::npos) --depth;
        if (list[at] != ',' || depth > 0) continue;
        all.push_back(list.substr(from, at - from));
        from = at + 1;
    }
    all.push_back(list.substr(from));
    const auto is_blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    const std::string_view last = all.back();
    if (all.size() == 1 && std::all_of(last.begin(), last.end(), is_blank)) all.clear();
    return all;
}

// The name of `const float* __restrict__ x`; empty of a parameter without one.
std::string name_in(std::string_view parameter) {
    parameter = parameter.substr(0, parameter.find_first_of("=["));
    while (!parameter.empty() && !in_word(parameter.back())) {
        if (std::isspace(static_cast<unsigned char>(parameter.back())) == 0) return "";
        parameter.remove_suffix(1);
    }
    std::size_t from = parameter.size();
    while (from > 0 && in_word(parameter[from - 1])) --from;
    const std::string_view name = parameter.substr(from);
    const std::string_view type = parameter.substr(0, from);
    constexpr std::array words{"bool",   "char", "short", "int",      "long",  "float",
                               "double", "half", "const", "unsigned", "signed"};
    const bool is_type = std::find(words.begin(), words.end(), name) != words.end();
    const bool has_type = std::any_of(type.begin(), type.end(), in_word);
    if (is_type || !has_type || type.back() == ':' || name.substr(0, 2) == "__") return "";
    return std::string(name);
}

// The names in a list of parameters, if it can be that of the kernel.
std::optional<names> names_in(std::string_view list, parameters all) {
    const std::vector<std::string_view> texts = split(list);
    if (texts.size() != all.size()) return std::nullopt;
    names found;
    for (std::size_t p = 0; p < all.size(); ++p) {
        const bool is_address = all[p].type == "u64" || all[p].type == "b64";
        if (texts[p].find('*') != std::string_view::npos && !is_address) return std::nullopt;
        found.push_back(name_in(texts[p]));
    }
    return found;
}

// Does `__global__` stand between the end of the statement before `at` and `at`?
bool is_global(std::string_view text, std::size_t at) {
    const std::size_t end = text.substr(0, at).find_last_of(";{}");
    const std::size_t from = end == std::string_view::npos ? 0 : end + 1;
    return text.substr(from, at - from).find("__global__") != std::string_view::npos;
}

names names_of_source(std::string_view function, std::string_view source, parameters all) {
    const std::string text = plain(source);
    std::optional<names> found;
    for (std::size_t at = text.find(function); at != std::string::npos;
         at = text.find(function, at + 1)) {
        if (at > 0 && in_word(text[at - 1])) continue;
        const std::size_t open = text.find_first_not_of(" \t\r\n", at + function.size());
        if (open == std::string::npos || text[open] != '(' || !is_global(text, at)) continue;
        const std::size_t close = behind_brackets(text, open);
        if (close == std::string::npos) break;
        const std::size_t body = text.find_first_not_of(" \t\r\n", close);
        if (body == std::string::npos || text[body] != '{') continue;  // a declaration
        const auto these = names_in(std::string_view(text).substr(open + 1, close - open - 2), all);
        if (!these) continue;
        if (found && *found != *these) return {};
        found = these;
    }
    return found.value_or(names{});
}

// Not `saxpy_param_0`, as compilers write.
bool is_own_name(std::string_view name) {
    const std::size_t digits = name.find_last_not_of("0123456789") + 1;
    const std::string_view before = name.substr(0, digits);
    constexpr std::string_view end = "_param_";
    return digits == name.size() || before.size() < end.size() ||
           before.substr(before.size() - end.size()) != end;
}

}  // namespace

names parameter_names(const ptx::kernel& k, std::string_view source) {
    const ptx::function& f = k.text->functions[k.function];
    const parameters all = k.text->parameters(f);
    if (!source.empty()) {
        names of_source = names_of_source(ptx::source_name(f.name), source, all);
        if (!of_source.empty()) return of_source;
    }
    names own;
    for (const ptx::declaration& p : all) own.emplace_back(is_own_name(p.name) ? p.name : "");
    return own;
}

}  // namespace program
