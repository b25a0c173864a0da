// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_ROW_USES_HPP
#define WARPGAUGE_PTX_LINK_ROW_USES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Which steps of a routine give a row its value, and which read it.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Definitions and uses of a routine's rows. Steps are numbers of the program. Memory and work are in proportion to the
/// operands of the routine.
template <class Used = core::when_used>
class row_uses {
public:
    /// Program and routine need not outlive the uses.
    row_uses(const program& p, const routine& r)
        : definitions_(r.rows), definition_(r.rows, nowhere), first_(std::size_t{r.rows} + 1) {
        for (std::uint32_t n = r.first; n < r.first + r.count; ++n) {
            for_each_result(p, p.steps[n], [&](std::uint32_t row) {
                definitions_[row] += 1;
                definition_[row] = n;
            });
            for_each_source(p, p.steps[n], [&](std::uint32_t row) { first_[row + 1] += 1; });
        }
        for (std::size_t row = 0; row < r.rows; ++row) first_[row + 1] += first_[row];
        users_.resize(first_[r.rows]);
        core::late<Used, std::vector<std::uint32_t>> next(first_.begin(), first_.end() - 1);
        for (std::uint32_t n = r.first; n < r.first + r.count; ++n) {
            for_each_source(p, p.steps[n], [&](std::uint32_t row) { users_[next[row]++] = n; });
        }
    }

    /// The only step that gives a row its value; `nowhere` if several do, none does, or the row is fixed.
    [[nodiscard]] std::uint32_t definition(std::uint32_t row) const {
        if (!belongs_to_call(row)) return nowhere;
        row &= ~of_call;
        return definitions_[row] == 1 ? definition_[row] : nowhere;
    }
    /// Number of steps that give a row its value; of a fixed row, none.
    [[nodiscard]] std::uint32_t definitions(std::uint32_t row) const {
        return belongs_to_call(row) ? definitions_[row & ~of_call] : 0;
    }
    /// Times that steps read a row; of a fixed row, 0.
    [[nodiscard]] std::uint32_t uses(std::uint32_t row) const {
        if (!belongs_to_call(row)) return 0;
        row &= ~of_call;
        return first_[row + 1] - first_[row];
    }
    /// Does `holds(step)` of every step that reads a row? A step that reads it twice is asked twice. True of none.
    template <class Predicate>
    [[nodiscard]] bool all_users(std::uint32_t row, Predicate holds) const {
        if (!belongs_to_call(row)) return true;
        row &= ~of_call;
        for (std::uint32_t u = first_[row]; u < first_[row + 1]; ++u) {
            if (!holds(users_[u])) return false;
        }
        return true;
    }

private:
    template <class Visitor>
    static void for_each_result(const program& p, const step& s, Visitor visit) {
        const auto one = [&](std::uint32_t row) {
            if (belongs_to_call(row)) visit(row & ~of_call);
        };
        if (s.what == text::action::call) {
            for (const auto& m : p.returned(p.passing_of(s))) one(m.to);
            return;
        }
        for (std::uint32_t k = 0; k < s.results; ++k) one(p.rows[s.first + k]);
    }

    template <class Visitor>
    static void for_each_source(const program& p, const step& s, Visitor visit) {
        const auto one = [&](std::uint32_t row) {
            if (belongs_to_call(row)) visit(row & ~of_call);
        };
        one(s.predicate);
        if (s.what == text::action::call) {
            p.for_each_passing(s, [&](const passing& call) {
                for (const auto& m : p.passed(call)) one(m.from);
            });
            one(s.through);
            return;
        }
        for (std::uint32_t k = 0; k < s.sources; ++k) one(p.rows[s.first + s.results + k]);
    }

    core::late<Used, std::vector<std::uint32_t>> definitions_;  // of each row, how many
    core::late<Used, std::vector<std::uint32_t>> definition_;   // of each row, the last step
    core::late<Used, std::vector<std::uint32_t>> first_;        // of each row, in `users_`
    core::late<Used, std::vector<std::uint32_t>> users_;        // steps
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
