// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_CONTROL_SLICE_HPP
#define WARPGAUGE_PTX_LINK_CONTROL_SLICE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/undecided_part.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file The part of a program that decides where its warps go, and what else of it.
///
/// A warp that executes the slice alone takes the way that it takes through all of the program. The slice has every
/// step that jumps or has a predicate, or says how much of a copy each lane reads, and all steps whose results these need.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// What a slice decides, besides where warps go.
enum class slice_extent : std::uint8_t {
    ways,           ///< nothing
    shared_stores,  ///< if it loads what may lie in shared memory: what is stored there
    accesses,       ///< what each access costs: its addresses and sizes
};

/// The steps of a program that decide where its warps go.
template <class Used = core::when_used>
class control_slice {
public:
    /// The program, with its points of reconvergence, must outlive the slice.
    /// `without`: its steps direct nothing that matters.
    explicit control_slice(const program& p, slice_extent extent = slice_extent::ways,
                           const undecided_part<Used>* without = nullptr)
        : program_(p), extent_(extent), without_(without), needed_(p.steps.size() + 1) {
        // Registers of several functions would have to be told apart; calls are rare.
        const bool whole = p.routines.size() != 1;
        for (const step& s : p.steps) has_shared_ = has_shared_ || s.space == address_space::shared;
        for (std::uint32_t s = 0; s < p.steps.size(); ++s) needed_[s] = whole;
        if (!whole) find_needed();
        find_stops();
    }

    /// Is the step of the slice?
    [[nodiscard]] bool has(std::uint32_t step) const { return needed_[step]; }
    /// Do some of its steps load what may lie in shared memory?
    [[nodiscard]] bool loads_shared() const { return loads_shared_; }
    /// The first step from `step` on, itself included, that is of the slice or that jumps go to.
    [[nodiscard]] std::uint32_t stop(std::uint32_t step) const { return stop_[step]; }

private:
    using action = text::action;
    template <class T>
    using list = core::late<Used, std::vector<T>>;

    static bool directs(const step& s) {
        switch (s.what) {
            case action::branch:
            case action::branch_table:
            case action::call:
            case action::return_:
            case action::exit: return true;
            default: return s.predicate != nowhere || s.reads_part();
        }
    }

    static bool may_be_local(const step& s) {
        return s.space == address_space::local || s.space == address_space::generic;
    }

    static bool may_be_shared(const step& s) {
        return s.space == address_space::shared || s.space == address_space::generic;
    }

    // The carry is not among the rows of a call: all that write it are needed where anything reads it.
    static bool has_carry(const step& s) {
        if (s.what == action::add_carry || s.what == action::subtract_borrow) return true;
        return (s.what == action::add || s.what == action::subtract) && s.mode != 0;
    }

    // From each step that is needed to those that write what it reads.
    void find_needed() {
        const std::uint32_t rows = program_.routines[0].rows;
        list<std::uint32_t> first(rows + 1);  // of the writers of each row
        for_each_written([&](std::uint32_t row, std::uint32_t) { ++first[row + 1]; }, rows);
        for (std::uint32_t r = 0; r < rows; ++r) first[r + 1] += first[r];
        list<std::uint32_t> writers(first[rows]);
        list<std::uint32_t> next(first.begin(), first.end() - 1);
        for_each_written([&](std::uint32_t row, std::uint32_t s) { writers[next[row]++] = s; },
                         rows);
        list<std::uint32_t> open_rows;
        list<bool> seen(rows);
        const auto read = [&](std::uint32_t row) {
            if (!belongs_to_call(row) || (row & ~of_call) >= rows || seen[row & ~of_call]) return;
            seen[row & ~of_call] = true;
            open_rows.push_back(row & ~of_call);
        };
        const auto read_sources = [&](const step& s) {
            for (std::uint32_t k = 0; k < s.sources; ++k) {
                read(program_.rows[s.first + s.results + k]);
            }
        };
        bool loads_local = false;
        for (std::uint32_t s = 0; s < program_.steps.size(); ++s) {
            const step& here = program_.steps[s];
            if (extent_ == slice_extent::accesses) read_of_access(here, read);
            if (!directs(here) && !has_carry(here)) continue;
            if (without_ != nullptr && without_->has(s)) continue;
            needed_[s] = true;
            read(here.predicate);
            read(program_.part_row(here));
            if (here.what == action::branch_table || has_carry(here)) read_sources(here);
            read(here.through);
        }
        for (;;) {
            while (!open_rows.empty()) {
                const std::uint32_t row = open_rows.back();
                open_rows.pop_back();
                for (std::uint32_t w = first[row]; w < first[row + 1]; ++w) {
                    const step& writer = program_.steps[writers[w]];
                    needed_[writers[w]] = true;
                    read_sources(writer);
                    const bool loads = writer.what == action::load;
                    loads_local = loads_local || (loads && may_be_local(writer));
                    loads_shared_ =
                        loads_shared_ || (loads && has_shared_ && may_be_shared(writer));
                }
            }
            const bool local = loads_local && program_.routines[0].local_bytes != 0;
            const bool shared =
                extent_ == slice_extent::shared_stores && (loads_shared_ || without_ != nullptr);
            if (!local && !shared) return;
            loads_local = false;
            for (std::uint32_t s = 0; s < program_.steps.size(); ++s) {
                const step& store = program_.steps[s];
                const bool remembered =
                    (local && store.what == action::store && may_be_local(store)) ||
                    (shared && (store.stores || store.is_atomic) && may_be_shared(store));
                if (!remembered) continue;
                needed_[s] = true;
                read_sources(store);
            }
            if (open_rows.empty()) return;
        }
    }

    // The rows that say what an access costs.
    template <class Read>
    void read_of_access(const step& s, const Read& read) const {
        const auto source = [&](std::uint32_t k) { read(program_.rows[s.first + s.results + k]); };
        if (s.accesses && s.sources != 0) source(0);
        if (s.size_source != 0) source(s.size_source - 1U);
        if (s.barrier_source != 0) source(s.barrier_source - 1U);
        if (s.written_source != 0) source(s.written_source - 1U);
    }

    template <class Visit>
    void for_each_written(const Visit& visit, std::uint32_t rows) const {
        for (std::uint32_t s = 0; s < program_.steps.size(); ++s) {
            const step& here = program_.steps[s];
            if (here.what == action::call) continue;
            for (std::uint32_t k = 0; k < here.results; ++k) {
                const std::uint32_t row = program_.rows[here.first + k];
                if (belongs_to_call(row) && (row & ~of_call) < rows) visit(row & ~of_call, s);
            }
        }
    }

    void find_stops() {
        const auto count = static_cast<std::uint32_t>(program_.steps.size());
        list<bool> stops(count + 1);
        const auto leads = [&](std::uint32_t s) {
            if (s < count) stops[s] = true;
        };
        for (std::uint32_t s = 0; s < count; ++s) {
            const step& here = program_.steps[s];
            if (needed_[s]) leads(s);
            if (here.what != action::branch && here.what != action::branch_table) continue;
            leads(here.reconverge);
            if (here.what == action::branch) leads(here.target);
            if (here.what != action::branch_table) continue;
            for (std::uint32_t t = 0; t < here.targets; ++t) leads(program_.rows[here.target + t]);
        }
        for (const routine& r : program_.routines) leads(r.first);
        stop_.resize(count + 1);
        stop_[count] = count;
        for (std::uint32_t s = count; s-- > 0;) stop_[s] = stops[s] ? s : stop_[s + 1];
    }

    const program& program_;
    slice_extent extent_;
    const undecided_part<Used>* without_;
    bool has_shared_ = false;    // the program accesses shared memory
    bool loads_shared_ = false;  // so does the slice
    list<bool> needed_;
    list<std::uint32_t> stop_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
