// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_CALL_ROWS_HPP
#define WARPGAUGE_PTX_TRACE_CALL_ROWS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Something known of each register of the calls under way, as who wrote it last; calls and returns hand it on
/// with the register.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::nowhere, ptx::link::of_call, ptx::link::program;
using ptx::run::executed;

template <class Value, class Used = core::when_used>
class call_rows {
public:
    /// `nothing` is known of constants and of registers that nobody has written. The program must outlive the rows.
    call_rows(const program& p, const Value& nothing) : program_(&p), nothing_(nothing) {}

    /// Forgets all.
    void clear() {
        values_.assign(values_.size(), nothing_);
        calls_.clear();
    }

    /// Of a row as steps name it, in the call whose rows begin at `base`.
    [[nodiscard]] Value of(std::uint32_t row, std::uint32_t base) const {
        if (!ptx::link::belongs_to_call(row)) return nothing_;
        const std::size_t at = place(row, base);
        return at < values_.size() ? values_[at] : nothing_;
    }

    void set(std::uint32_t row, std::uint32_t base, const Value& value) {
        if (!ptx::link::belongs_to_call(row)) return;
        const std::size_t at = place(row, base);
        if (at >= values_.size()) values_.resize(at + 1, nothing_);
        values_[at] = value;
    }

    /// Hands on what goes into a call.
    void enter(const executed& call) {
        const auto p = program_->passing_of(program_->steps[call.step], call.callee);
        calls_.push_back({p, call.base, call.callee_base});
        for (const auto& m : program_->passed(p)) {
            set(m.to, call.callee_base, of(m.from, call.base));
        }
    }

    /// Hands on what comes back from calls that have ended, where `depth` calls are under way.
    void leave(std::uint32_t depth) {
        while (calls_.size() > depth) {
            const open_call call = calls_.back();
            calls_.pop_back();
            for (const auto& m : program_->returned(call.values)) {
                set(m.to, call.base, of(m.from, call.callee_base));
            }
        }
    }

    /// Changes what is known of the rows that a step of a call has written, or that it hands on to the call that it
    /// begins and gets back.
    template <class Change>
    void change_written(std::uint32_t step, std::uint32_t base, std::uint32_t callee_base,
                        const Change& change) {
        if (step == nowhere) return;
        const ptx::link::step& s = program_->steps[step];
        if (s.what == ptx::text::action::call) {
            program_->for_each_passing(s, [&](const ptx::link::passing& p) {
                for (const auto& m : program_->passed(p)) change_at(m.to, callee_base, change);
            });
            for (const auto& m : program_->returned(program_->passing_of(s))) {
                change_at(m.to, base, change);
            }
        } else {
            for (std::uint32_t k = 0; k < s.results; ++k) {
                change_at(program_->rows[s.first + k], base, change);
            }
        }
    }

    /// Changes what is known of all rows.
    template <class Change>
    void change_all(const Change& change) {
        for (Value& value : values_) value = change(value);
    }

private:
    struct open_call {
        ptx::link::passing values{};
        std::uint32_t base{}, callee_base{};
    };

    template <class Change>
    void change_at(std::uint32_t row, std::uint32_t base, const Change& change) {
        if (!ptx::link::belongs_to_call(row)) return;
        const std::size_t at = place(row, base);
        if (at < values_.size()) values_[at] = change(values_[at]);
    }

    static std::size_t place(std::uint32_t row, std::uint32_t base) {
        return base + (row & ~of_call);
    }

    const program* program_;
    Value nothing_;
    core::late<Used, std::vector<Value>> values_;
    core::late<Used, std::vector<open_call>> calls_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
