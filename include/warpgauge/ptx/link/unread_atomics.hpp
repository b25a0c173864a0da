// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_UNREAD_ATOMICS_HPP
#define WARPGAUGE_PTX_LINK_UNREAD_ATOMICS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/routine_rows.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Makes a `red` of each `atom` whose result nothing reads.
///
/// nvcc writes `atomicAdd(p, 1);` as an `atom`, of which ptxas makes a RED if nothing reads what was there before:
/// it only stores, and nobody waits for it. Source: the machine code of ptxas 13.0 for 7.5 and 9.0, by which `exch`, `cas`
/// and what acquires stay an ATOM.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::belongs_to_call, ptx::link::nowhere, ptx::link::program, ptx::link::step;
using ptx::text::action;

/// Is an `atom` also an operation of `red`, which has no result?
constexpr bool may_reduce(std::string_view opcode) {
    for (const std::string_view part : {"exch", "cas", "acquire", "acq_rel"}) {
        if (ptx::text::has_part(opcode, part)) return false;
    }
    return true;
}

template <class Used = core::when_used>
class unread_atomics {
public:
    /// The program must outlive it.
    explicit unread_atomics(program& p) : program_(p), rows_(p) {}

    /// Changes the program if it has such atomics.
    void drop_results() {
        if (!has_candidates()) return;
        count_reads();
        for (std::size_t r = 0; r < program_.routines.size(); ++r) drop_results(r);
    }

private:
    [[nodiscard]] bool is_candidate(const step& s) const {
        return s.what == action::atomic &&
               may_reduce(program_.source->instructions[s.statement].opcode);
    }
    [[nodiscard]] bool has_candidates() const {
        for (const step& s : program_.steps) {
            if (is_candidate(s)) return true;
        }
        return false;
    }

    // How often a row is read, of a routine's call; null of rows that are no registers.
    std::uint32_t* reads(std::size_t routine, std::uint32_t row) {
        return belongs_to_call(row) ? &reads_[rows_.number(routine, row)] : nullptr;
    }
    void read(std::size_t routine, std::uint32_t row) {
        if (std::uint32_t* const n = reads(routine, row)) ++*n;
    }

    void count_reads() {
        reads_.resize(rows_.size());
        for (std::size_t r = 0; r < program_.routines.size(); ++r) {
            const ptx::link::routine& of = program_.routines[r];
            for (std::uint32_t n = 0; n < of.count; ++n)
                count_reads(program_.steps[of.first + n], r);
        }
    }

    void count_reads(const step& s, std::size_t r) {
        read(r, s.predicate);
        read(r, s.through);
        if (s.what == action::call) {
            program_.for_each_passing(s, [&](const ptx::link::passing& p) {
                for (const auto& m : program_.passed(p)) read(r, m.from);
                if (p.routine == nowhere) return;
                for (const auto& m : program_.returned(p)) read(p.routine, m.from);
            });
            return;
        }
        for (std::uint32_t k = 0; k < s.sources; ++k) read(r, source(s, k));
    }

    [[nodiscard]] std::uint32_t source(const step& s, std::uint32_t k) const {
        return program_.rows[s.first + s.results + k];
    }

    [[nodiscard]] bool is_unread(const step& s, std::size_t r) {
        for (std::uint32_t k = 0; k < s.results; ++k) {
            const std::uint32_t* const n = reads(r, program_.rows[s.first + k]);
            if (n != nullptr && *n != 0) return false;
        }
        return true;
    }

    // From the end, so that copies of a result that nothing reads are seen before it.
    void drop_results(std::size_t r) {
        const ptx::link::routine& of = program_.routines[r];
        for (std::uint32_t n = of.count; n-- > 0;) {
            step& s = program_.steps[of.first + n];
            const bool copies = s.what == action::move;
            if (!(copies || is_candidate(s)) || !is_unread(s, r)) continue;
            if (copies) {
                for (std::uint32_t k = 0; k < s.sources; ++k) {
                    if (std::uint32_t* const from = reads(r, source(s, k))) --*from;
                }
                continue;
            }
            s.first += s.results;
            s.results = 0;
            s.stores = true;
            s.what = action::unknown;  // as of `red`
        }
    }

    program& program_;
    ptx::link::routine_rows<Used> rows_;
    core::late<Used, std::vector<std::uint32_t>> reads_;  // of each of these
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
