// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_REPORT_XML_HPP
#define WARPGAUGE_TESTS_REPORT_XML_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What the tests of pictures ask of them.

inline std::size_t count(std::string_view text, std::string_view part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

// One element with what follows it up to the next tag.
struct xml_element {
    std::string_view tag;      // without < and >
    std::string_view content;  // text up to the next tag

    [[nodiscard]] std::string_view attribute(std::string_view name) const {
        const std::string begin = " " + std::string(name) + "=\"";
        const std::size_t at = tag.find(begin);
        if (at == tag.npos) return {};
        const std::size_t from = at + begin.size();
        return tag.substr(from, tag.find('"', from) - from);
    }
    [[nodiscard]] double number(std::string_view name) const {
        return std::stod(std::string(attribute(name)));
    }
};

// Every tag, in order, those that close an element too.
inline std::vector<xml_element> elements(std::string_view text) {
    std::vector<xml_element> all;
    for (std::size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
        const std::size_t end = text.find('>', at);
        if (end == text.npos) break;
        all.push_back({text.substr(at + 1, end - at - 1),
                       text.substr(end + 1, text.find('<', end) - end - 1)});
    }
    return all;
}

// Those of a class.
inline std::vector<xml_element> elements(std::string_view text, std::string_view of_class) {
    std::vector<xml_element> some;
    for (const xml_element& e : elements(text)) {
        if (e.attribute("class") == of_class) some.push_back(e);
    }
    return some;
}

// Is this one element of XML 1.0, with all inside it closed in order, no stray < and & and quotes, and no
// character that XML forbids?
inline bool well_formed(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' && c != '\r')
            return false;
    }
    for (std::size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1)) {
        const std::string_view rest = text.substr(at);
        if (!rest.starts_with("&amp;") && !rest.starts_with("&lt;") && !rest.starts_with("&gt;")) {
            return false;
        }
    }
    if (!text.starts_with("<") || !text.ends_with(">\n")) return false;
    if (count(text, "<") != count(text, ">")) return false;
    std::vector<std::string_view> open;
    std::size_t roots = 0;
    for (const xml_element& e : elements(text)) {
        if (e.tag.find('<') != e.tag.npos || e.content.find('>') != e.content.npos) return false;
        if (count(e.tag, "\"") % 2 != 0 || count(e.tag, "=\"") * 2 != count(e.tag, "\"")) {
            return false;
        }
        if (e.tag.starts_with("/")) {
            if (open.empty() || open.back() != e.tag.substr(1)) return false;
            open.pop_back();
        } else {
            if (open.empty()) ++roots;
            if (!e.tag.ends_with("/")) open.push_back(e.tag.substr(0, e.tag.find(' ')));
        }
    }
    return open.empty() && roots == 1;
}

#endif
