// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_SYMBOLS_HPP
#define WARPGAUGE_PTX_LINK_SYMBOLS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/module_index.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file What a name means at a place of the text: functions, variables, registers, labels.
///
/// A name belongs to the braces that declare it, to a function or to the module; the innermost
/// declaration counts.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::nowhere;

/// All results are positions in the module's lists; `nowhere` where the name means nothing.
template <class Used = core::when_used>
class symbols {
public:
    /// Knows the module's functions and variables, from the state's index if it has one.
    explicit symbols(const link_state<Used>& state) : state_(state), source_(state.source) {
        if (state.index == nullptr) own_index_ = module_index<Used>(state.source);
    }

    /// Adds the parameters, declarations and labels of a function, the state's current routine.
    void add(const ptx::function& f) {
        declare(f.returns, false);
        declare(f.parameters, false);
        declare(f.declarations, true);
        labels_.reserve(f.labels.count);
        for (std::uint32_t l = f.labels.first; l < f.labels.first + f.labels.count; ++l) {
            labels_.insert(source_.labels[l].name, salt_of_braces(source_.labels[l].braces), l);
        }
    }

    [[nodiscard]] std::uint32_t function(std::string_view name) const {
        return index().function(name);
    }

    /// What no function declares.
    [[nodiscard]] std::uint32_t module_variable(std::string_view name) const {
        return index().variable(name);
    }

    /// May a variable of global memory be written to, though it has initial values?
    [[nodiscard]] bool may_be_written(std::uint32_t declaration) const {
        return index().may_be_written(declaration);
    }

    /// The declaration that the current instruction sees, within its function.
    [[nodiscard]] std::uint32_t visible(std::string_view name) const {
        return visible(hashed_name(name));
    }

    [[nodiscard]] std::uint32_t label(std::string_view name) const {
        return find_in_braces(labels_, hashed_name(name));
    }

    /// The declaration of a register: by its name, or `%r<8>` by `%r7`.
    [[nodiscard]] std::uint32_t register_declaration(std::string_view name) const {
        std::size_t digits = name.size();
        while (digits > 1 && name.size() - digits < max_digits && name[digits - 1] >= '0' &&
               name[digits - 1] <= '9') {
            --digits;
        }
        hashed_name prefix(name.substr(0, digits));
        hashed_name whole = prefix;
        while (whole.text.size() < name.size()) whole = whole.lengthened();
        std::uint32_t d = visible(whole);
        if (d != nowhere && source_.declarations[d].registers == 0) return d;
        for (; digits < name.size(); ++digits, prefix = prefix.lengthened()) {
            d = visible(prefix);
            if (d == nowhere) continue;
            std::uint32_t number = 0;
            for (const char c : name.substr(digits)) {
                number = 10 * number + static_cast<std::uint32_t>(c - '0');
            }
            if (number < source_.declarations[d].registers) return d;
        }
        return nowhere;
    }

private:
    static constexpr std::size_t max_digits = 9;  // of a register's number

    [[nodiscard]] const module_index<Used>& index() const {
        return state_.index != nullptr ? *state_.index : own_index_;
    }

    [[nodiscard]] std::uint32_t visible(const hashed_name& name) const {
        const std::uint32_t d = find_in_braces(names_, name);
        return d != nowhere ? d : names_.find_hashed(name, salt_of_function());
    }

    static std::uint64_t salt_of_braces(std::uint32_t braces) {
        return std::uint64_t{1} << 62 | braces;
    }
    [[nodiscard]] std::uint64_t salt_of_function() const {
        return std::uint64_t{1} << 61 | state_.routine;
    }

    // In the braces around the instruction, from the inner ones to the outer.
    [[nodiscard]] std::uint32_t find_in_braces(const name_table<Used>& table,
                                               const hashed_name& name) const {
        for (std::uint32_t b = source_.instructions[state_.statement].braces;;
             b = source_.braces[b]) {
            const std::uint32_t found = table.find_hashed(name, salt_of_braces(b));
            if (found != nowhere || source_.braces[b] == b) return found;
        }
    }

    void declare(const range& r, bool in_braces) {
        for (std::uint32_t d = r.first; d < r.first + r.count; ++d) {
            const declaration& v = source_.declarations[d];
            names_.insert(v.name, in_braces ? salt_of_braces(v.braces) : salt_of_function(), d);
        }
    }

    const link_state<Used>& state_;
    const module& source_;
    module_index<Used> own_index_;  // where the state has none
    name_table<Used> names_;        // of declarations of functions, by what they belong to
    name_table<Used> labels_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
