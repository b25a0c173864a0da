// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_KERNEL_SPACE_HPP
#define WARPGAUGE_EXAMPLES_KERNEL_SPACE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/tune/space.hpp>

#include "../program/expression.hpp"

// A space of macros of a kernel, as comments of its source say it, a line each:
//
//   //@ kernel NAME            of the function, as PTX has it; without it the only one
//   //@ tune NAME V V ...      a macro and the values that it may have
//   //@ define NAME V          a macro of one value
//   //@ size NAME V            a name for the lines below, no macro
//   //@ where EXPRESSION       a configuration has to fulfil it
//   //@ grid X, Y, Z           blocks, an expression each; likewise: block, threads
//   //@ shared EXPRESSION      dynamic shared memory, bytes
//   //@ arguments A, A, ...    of the kernel: an expression, - for an array or a float, ? for an unknown value
//   //@ work EXPRESSION        what a launch gets done; times compare for each unit of it
//   //@ loads EXPRESSION       bytes of global memory that a launch loads, each once; likewise: stores. With these, to
//                              follow one block is enough

class kernel_space {
public:
    // The lines of `source` that begin with `mark`; false, with `error`, if one is wrong.
    bool read(std::string_view source, std::string_view mark, std::string& error) {
        std::istringstream lines{std::string(source)};
        std::string line;
        while (std::getline(lines, line)) {
            const std::size_t at = line.find_first_not_of(" \t");
            if (at == std::string::npos || line.compare(at, mark.size(), mark) != 0) continue;
            std::istringstream words(line.substr(at + mark.size()));
            std::string word;
            if (!(words >> word)) continue;
            std::string rest;
            std::getline(words, rest);
            if (!add(word, rest, error)) {
                error = line + ": " + error;
                return false;
            }
        }
        return true;
    }

    // Gives a name other values: NAME=V,V,...; one that has none becomes a macro to tune.
    bool set(const std::string& text, std::string& error) {
        const std::size_t sign = text.find('=');
        error = text + ": not NAME=NUMBER,NUMBER,...";
        if (sign == std::string::npos) return false;
        std::string values = text.substr(sign + 1);
        std::replace(values.begin(), values.end(), ',', ' ');
        const std::string name = text.substr(0, sign);
        for (quantity& q : quantities_) {
            if (q.name == name) return read_values(values, q, error);
        }
        quantities_.push_back({name, {}, true});
        return read_values(values, quantities_.back(), error);
    }
    void add_where(const std::string& text) { where_.push_back(text); }

    // To be called after all is read: understands the expressions.
    bool finish(std::string& error) {
        std::stable_sort(quantities_.begin(), quantities_.end(),
                         [](const quantity& a, const quantity& b) {
                             return a.values.size() > 1 && b.values.size() == 1;
                         });
        std::vector<std::string> names;
        for (const quantity& q : quantities_) {
            names.push_back(q.name);
            if (q.values.size() > 1) {
                axes_.push_back({q.name, q.values});
            } else {
                fixed_.push_back(q.values[0]);
            }
        }
        if (quantities_.empty()) {
            error = "nothing to tune: //@ tune NAME V V ... in the source or --space, or --set";
            return false;
        }
        if (axes_.empty()) {  // a space has an axis
            axes_.push_back({quantities_[0].name, quantities_[0].values});
            fixed_.erase(fixed_.begin());
        }
        if (axes_.size() > warpgauge::max_axes) {
            error =
                "more than " + std::to_string(warpgauge::max_axes) + " macros with several values";
            return false;
        }
        const auto understand = [&](const std::vector<std::string>& texts,
                                    std::vector<expression>& to) {
            for (const std::string& text : texts) {
                auto e = expression::read(text, names, error);
                if (!e) return false;
                to.push_back(*std::move(e));
            }
            return true;
        };
        for (const std::string& text : arguments_) {
            const bool open = text == "-" || text == "?";
            auto e = expression::read(open ? "0" : text, names, error);
            if (!e) return false;
            argument_values_.push_back(*std::move(e));
        }
        return understand(where_, conditions_) && understand(grid_, grid_values_) &&
               understand(block_, block_values_) && understand({shared_}, shared_value_) &&
               understand({work_}, work_value_) && understand({loads_, stores_}, footprint_values_);
    }

    [[nodiscard]] const std::string& kernel() const { return kernel_; }
    [[nodiscard]] const std::vector<warpgauge::axis>& axes() const { return axes_; }

    // The condition that a configuration does not fulfil; empty if it fulfils all.
    [[nodiscard]] std::string_view broken(std::span<const double> point) const {
        const std::vector<double> all = values_at(point);
        for (std::size_t c = 0; c < conditions_.size(); ++c) {
            const auto holds = conditions_[c](all);
            if (!holds || *holds == 0) return where_[c];
        }
        return {};
    }

    // The macros of a configuration, as a compiler takes them.
    [[nodiscard]] std::vector<std::string> macros(std::span<const double> point) const {
        std::vector<std::string> options;
        const std::vector<double> all = values_at(point);
        for (std::size_t q = 0; q < quantities_.size(); ++q) {
            if (!quantities_[q].is_macro) continue;
            options.push_back("-D" + quantities_[q].name + "=" + whole(all[q]));
        }
        return options;
    }

    struct start {
        warpgauge::ptx::launch launch{};
        std::vector<warpgauge::ptx::argument> arguments{};
        double work = 1;
        double loaded_bytes = 0;
        double stored_bytes = 0;
    };
    // Whether the space says how much memory a launch touches.
    [[nodiscard]] bool knows_footprint() const { return loads_ != "0" || stores_ != "0"; }

    // How a configuration is launched; none where an expression has no value.
    [[nodiscard]] std::optional<start> launch(std::span<const double> point) const {
        const std::vector<double> all = values_at(point);
        start s;
        bool good = true;
        const auto number = [&](const expression& e) {
            const auto x = e(all);
            good = good && x && std::fabs(*x) < 0x1p53;
            return good ? *x : 0;
        };
        const auto extent = [&](const std::vector<expression>& sides) {
            std::uint32_t of[3]{1, 1, 1};
            for (std::size_t i = 0; i < sides.size(); ++i) {
                const double side = number(sides[i]);
                good = good && side >= 0 && side < 0x1p32;
                if (good) of[i] = static_cast<std::uint32_t>(side);
            }
            return warpgauge::ptx::extent{of[0], of[1], of[2]};
        };
        s.launch.grid = extent(grid_values_);
        s.launch.block = extent(block_values_);
        const double shared = number(shared_value_[0]);
        good = good && shared >= 0;
        if (good) s.launch.dynamic_shared_bytes = static_cast<std::uint64_t>(shared);
        s.work = number(work_value_[0]);
        s.loaded_bytes = number(footprint_values_[0]);
        s.stored_bytes = number(footprint_values_[1]);
        for (std::size_t a = 0; a < arguments_.size(); ++a) {
            if (arguments_[a] == "-") {
                s.arguments.emplace_back();
            } else if (arguments_[a] == "?") {
                s.arguments.push_back(warpgauge::ptx::argument::unknown());
            } else {
                s.arguments.emplace_back(static_cast<std::int64_t>(number(argument_values_[a])));
            }
        }
        return good ? std::optional(s) : std::nullopt;
    }

    static std::string whole(double x) { return std::to_string(static_cast<std::int64_t>(x)); }

private:
    struct quantity {
        std::string name;
        std::vector<double> values;
        bool is_macro{};
    };

    static bool read_values(const std::string& text, quantity& to, std::string& error) {
        std::istringstream words(text);
        to.values.clear();
        double value = 0;
        while (words >> value) {
            if (value != std::trunc(value) || std::fabs(value) >= 0x1p53) return false;
            to.values.push_back(value);
        }
        if (to.values.empty() || !words.eof()) {
            error = to.name + ": whole numbers expected, not " + text;
            return false;
        }
        return true;
    }

    // The parts between commas that are in no parentheses.
    static std::vector<std::string> parts(const std::string& text) {
        std::vector<std::string> all(1);
        int depth = 0;
        for (const char c : text) {
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                all.emplace_back();
            } else if (c != ' ' && c != '\t' && c != '\r') {
                all.back() += c;
            }
        }
        return all;
    }

    bool add(const std::string& word, const std::string& rest, std::string& error) {
        error = "not a line of a space: " + word;
        if (word == "tune" || word == "define" || word == "size") {
            std::istringstream words(rest);
            quantity q{{}, {}, word != "size"};
            words >> q.name;
            std::string values;
            std::getline(words, values);
            if (!read_values(values, q, error)) return false;
            quantities_.push_back(std::move(q));
            return true;
        }
        if (word == "kernel") {
            kernel_ = parts(rest)[0];
        } else if (word == "where") {
            where_.push_back(rest);
        } else if (word == "grid" || word == "block") {
            auto& sides = word == "grid" ? grid_ : block_;
            sides = parts(rest);
            error = "at most three";
            return sides.size() <= 3;
        } else if (word == "shared") {
            shared_ = rest;
        } else if (word == "arguments") {
            arguments_ = parts(rest);
        } else if (word == "work") {
            work_ = rest;
        } else if (word == "loads" || word == "stores") {
            (word == "loads" ? loads_ : stores_) = rest;
        } else {
            return false;
        }
        return true;
    }

    // Values of all names, in the order of `quantities_`.
    [[nodiscard]] std::vector<double> values_at(std::span<const double> point) const {
        std::vector<double> all(point.begin(), point.end());
        all.insert(all.end(), fixed_.begin(), fixed_.end());
        return all;
    }

    std::string kernel_, shared_ = "0", work_ = "1", loads_ = "0", stores_ = "0";
    std::vector<quantity> quantities_;  // at last, those with several values first
    std::vector<std::string> where_, grid_{"1"}, block_{"1"}, arguments_;
    std::vector<double> fixed_;
    std::vector<warpgauge::axis> axes_;
    std::vector<expression> conditions_, grid_values_, block_values_, shared_value_, work_value_,
        footprint_values_, argument_values_;
};

#endif
