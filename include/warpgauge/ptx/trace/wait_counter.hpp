// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_WAIT_COUNTER_HPP
#define WARPGAUGE_PTX_TRACE_WAIT_COUNTER_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/asynchronous_copies.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/trace/call_rows.hpp>

/// \file How often a warp waits for loads, one wait after the other.
///
/// The compiler issues loads as early as it can: those of one basic block go before the first use of their results,
/// unless a store to the same memory stands between (it may write what they read; not so for `ld.global.nc`). So
/// loads of one block that do not need each other are one wait, of the last of them. Ours; J. Sim et al., PPoPP 2012,
/// count such waits too (memory-level parallelism).

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::nowhere, ptx::link::program, ptx::link::step;
using ptx::run::executed;
using ptx::text::action;

/// Waits of a warp, one after the other.
struct wait_counts {
    std::uint32_t global{};   ///< for loads of global memory, and for atomics that return a value
    std::uint32_t on_chip{};  ///< for loads of shared and local memory

    constexpr void raise(const wait_counts& other) {
        global = core::max(global, other.global);
        on_chip = core::max(on_chip, other.on_chip);
    }
    friend constexpr bool operator==(const wait_counts&, const wait_counts&) = default;
};

/// Whether an opcode loads from memory that no store of the kernel changes.
[[nodiscard]] inline bool is_read_only(std::string_view opcode) {
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    return root == "ldu" || (root == "ld" && ptx::text::has_part(opcode, "nc"));
}

/// Whether a step ends a basic block.
[[nodiscard]] constexpr bool ends_block(const step& s) {
    switch (s.what) {
        case action::branch:
        case action::branch_table:
        case action::call:
        case action::return_:
        case action::exit:
        case action::barrier: return true;
        default: return false;
    }
}

/// Sees every instruction of one warp in order.
template <class Used = core::when_used>
class wait_counter {
public:
    /// The program must outlive the counter.
    explicit wait_counter(const program& p) : program_(p), kinds_(p.steps.size()), ready_(p, {}) {
        for (std::size_t s = 0; s < p.steps.size(); ++s) {
            kinds_[s] = kind_of(p.source->instructions[p.steps[s].statement].opcode);
        }
    }

    void begin_warp() {
        ready_.clear();
        copies_.clear();
        arriving_.clear();
        open_copies_ = {};
        waited_ = block_ = after_stores_ = {};
        rounds_ = 1;
        before_rounds_ = {};
        not_followed_ = 0;
        loaded_ = stored_ = lists_ = false;
    }

    /// The waits that a load has before it: it is issued after so many.
    wait_counts operator()(const executed& e) {
        if (e.continues) return issued_;
        ready_.leave(e.depth);
        if (e.rounds != rounds_) count_rounds(e.rounds);
        lists_ = e.lists;
        const step& s = program_.steps[e.step];
        const kind k = kinds_[e.step];
        wait_counts inputs = e.active == 0 ? wait_counts{} : inputs_of(s, e.base);
        if (s.predicate != nowhere) inputs.raise(ready_.of(s.predicate, e.base));
        if (s.through != nowhere) inputs.raise(ready_.of(s.through, e.base));
        if (e.active != 0 && s.accesses && s.what != action::come_true) {
            return issued_ = access(s, k, inputs, e);
        }
        waited_.raise(inputs);
        if (s.what == action::call) {
            ready_.enter(e);
        } else {
            set_results(s, e.base, inputs);
        }
        wait_for_copies(k, e);
        if (s.what == action::come_true) wait_at_barrier(e);
        if (ends_block(s)) block_ = after_stores_ = waited_;
        return inputs;
    }

    /// Waits so far.
    [[nodiscard]] const wait_counts& waits() const { return waited_; }
    /// Of those for loads of global memory, how many were in rounds that others stood for.
    [[nodiscard]] std::uint32_t not_followed() const { return not_followed_; }
    /// The same that the last rounds which one stood for had, each.
    [[nodiscard]] std::uint32_t round_waits() const { return round_waits_; }
    /// A store came after a load.
    [[nodiscard]] bool stores_behind_load() const { return stored_; }

private:
    enum class kind : std::uint8_t { other, read_only, copy, bulk, commit, wait_copies };

    static kind kind_of(std::string_view opcode) {
        const std::string_view root = opcode.substr(0, opcode.find('.'));
        if (is_read_only(opcode)) return kind::read_only;
        if (root == "cp" && ptx::text::has_part(opcode, "bulk")) return kind::bulk;
        switch (ptx::link::async_step_of(opcode)) {
            case async_step::copy: return kind::copy;
            case async_step::commit: return kind::commit;
            case async_step::wait:
            case async_step::wait_all: return kind::wait_copies;
            default: return kind::other;
        }
    }

    // The round that has ended stood for others: what came of it is as much later.
    void count_rounds(std::uint64_t next) {
        const auto more = [&](std::uint32_t now, std::uint32_t before) {
            constexpr std::uint64_t most = 0xffff'ffff;
            return static_cast<std::uint32_t>(
                core::min((now - before) * (rounds_ - 1), most - now));
        };
        const wait_counts since{more(waited_.global, before_rounds_.global),
                                more(waited_.on_chip, before_rounds_.on_chip)};
        const auto later = [&](wait_counts c) {
            if (c.global > before_rounds_.global) c.global += since.global;
            if (c.on_chip > before_rounds_.on_chip) c.on_chip += since.on_chip;
            return c;
        };
        if (!(since == wait_counts{})) {
            ready_.change_all(later);
            for (wait_counts* c : {&open_copies_, &waited_, &block_, &after_stores_})
                *c = later(*c);
            for (wait_counts& c : copies_) c = later(c);
            for (arrival& a : arriving_) a.when = later(a.when);
            if (!lists_) not_followed_ += since.global;
        }
        round_waits_ = waited_.global - since.global - before_rounds_.global;
        before_rounds_ = waited_;
        rounds_ = next;
    }

    wait_counts inputs_of(const step& s, std::uint32_t base) {
        wait_counts all;
        if (s.what == action::call) return all;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            all.raise(ready_.of(program_.rows[s.first + s.results + k], base));
        }
        return all;
    }

    void set_results(const step& s, std::uint32_t base, const wait_counts& when) {
        for (std::uint32_t k = 0; k < s.results; ++k) {
            ready_.set(program_.rows[s.first + k], base, when);
        }
    }

    wait_counts access(const step& s, kind k, const wait_counts& inputs, const executed& e) {
        waited_.raise(inputs);
        const bool global = e.unit == unit_kind::global_memory;
        const bool arrives = k == kind::bulk && s.barrier_source != 0;
        // A record of a warp has the bytes of an access without its transactions.
        const bool copies = k == kind::copy && e.bytes_moved != 0;
        const bool reads = !s.stores && (s.results != 0 || copies || arrives);
        wait_counts issued = k == kind::read_only ? block_ : after_stores_;
        issued.raise(inputs);
        if (reads) {
            wait_counts when = issued;
            if (global) ++when.global;
            if (!global && s.space != ptx::link::address_space::constant) ++when.on_chip;
            loaded_ = loaded_ || global;
            if (k == kind::copy) {
                open_copies_.raise(when);
            } else if (arrives) {
                arrival_at(e.barrier).raise(when);
            } else {
                set_results(s, e.base, when);
            }
        }
        if (s.stores || s.is_atomic) {
            stored_ = stored_ || (global && loaded_);
            after_stores_ = waited_;
        }
        return issued;
    }

    // Copies under way that a barrier waits for.
    wait_counts& arrival_at(std::uint64_t barrier) {
        for (arrival& a : arriving_) {
            if (a.barrier == barrier) return a.when;
        }
        if (arriving_.size() >= max_barriers) return arriving_.front().when;
        arriving_.push_back({barrier, {}});
        return arriving_.back().when;
    }

    // Of copies that other warps have begun, nothing is known: those are not waited for.
    void wait_at_barrier(const executed& e) {
        wait_counts& arrived = arrival_at(e.barrier);
        waited_.raise(arrived);
        arrived = {};
        block_ = after_stores_ = waited_;
    }

    // `cp.async`: groups are waited for from the oldest on.
    void wait_for_copies(kind k, const executed& e) {
        if (k == kind::commit) {
            copies_.push_back(open_copies_);
            open_copies_ = {};
        }
        if (k != kind::wait_copies) return;
        const std::size_t left = core::min(groups_left(e.step), copies_.size());
        for (std::size_t n = 0; n + left < copies_.size(); ++n) waited_.raise(copies_[n]);
        copies_.erase(copies_.begin(), copies_.end() - static_cast<std::ptrdiff_t>(left));
        if (ptx::text::has_part(opcode_of(e.step), "wait_all")) waited_.raise(open_copies_);
        block_ = after_stores_ = waited_;
    }

    [[nodiscard]] std::string_view opcode_of(std::uint32_t at) const {
        return program_.source->instructions[program_.steps[at].statement].opcode;
    }

    [[nodiscard]] std::size_t groups_left(std::uint32_t at) const {
        const ptx::instruction& i = program_.source->instructions[program_.steps[at].statement];
        return ptx::link::groups_left(program_.source->operands_of(i));
    }

    struct arrival {
        std::uint64_t barrier{};  // its address; 0: not known
        wait_counts when{};
    };
    static constexpr std::size_t max_barriers = 64;  // more count as the first

    const program& program_;
    wait_counts issued_;  // before the last access
    core::late<Used, std::vector<arrival>> arriving_;
    core::late<Used, std::vector<kind>> kinds_;          // by step
    call_rows<wait_counts, Used> ready_;                 // waits after which a row has its value
    core::late<Used, std::vector<wait_counts>> copies_;  // of groups of copies under way
    wait_counts open_copies_;                            // of the group that is not committed
    wait_counts waited_;                                 // for what has been used
    wait_counts block_;                                  // before the basic block
    wait_counts after_stores_;  // before the first load behind the last store
    std::uint64_t rounds_ = 1;  // that the one under way stands for
    wait_counts before_rounds_;
    std::uint32_t not_followed_ = 0;
    std::uint32_t round_waits_ = 0;
    bool lists_ = false;  // its rounds are told apart
    bool loaded_ = false;
    bool stored_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
