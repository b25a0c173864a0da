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
#include <warpgauge/ptx/trace/repeated_rounds.hpp>

/// \file How often a warp waits for loads, one wait after the other.
///
/// The compiler issues loads as early as it can: those of one basic block go before the first use of their results,
/// unless a store to the same memory stands between (it may write what they read; not so for `ld.global.nc`; shared
/// memory is not the same as global memory, as the text names them). So
/// loads of one block that do not need each other are one wait, of the last of them. Ours; J. Sim et al., PPoPP 2012,
/// count such waits too (memory-level parallelism). Rounds of a loop may wait in turns: one uses what the last but one has
/// loaded. So a round that stands for others is repeated here, until the waits repeat.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::address_space, ptx::link::nowhere, ptx::link::program, ptx::link::step;
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
    explicit wait_counter(const program& p) : program_(&p), kinds_(p.steps.size()), ready_(p, {}) {
        for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
            kinds_[s] = kind_of(p.source->instructions[p.steps[s].statement].opcode);
            if (kinds_[s] == kind::other && is_plain(p.steps[s])) kinds_[s] = kind::plain;
            if (kinds_[s] == kind::wait_copies) {
                max_groups_left_ = core::max(max_groups_left_, groups_left(s));
            }
        }
    }

    void begin_warp() {
        ready_.clear();
        copies_.clear();
        arriving_.clear();
        open_copies_ = {};
        waited_ = block_ = {};
        after_stores_ = {};
        rounds_.clear();
        not_followed_ = 0;
        has_loads_ = loaded_ = stored_ = lists_ = false;
    }

    /// The waits that a load has before it: it is issued after so many.
    wait_counts operator()(const executed& e) {
        if (e.continues) return issued_;
        ready_.leave(e.depth);
        if (e.rounds != rounds_.times()) change_rounds(e.rounds);
        lists_ = e.lists;
        if (rounds_.is_open()) rounds_.add(repeated_step(e));
        return take(e);
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
    // --- One step

    wait_counts take(const executed& e) {
        const step& s = program_->steps[e.step];
        const kind k = kinds_[e.step];
        if (k == kind::plain && !has_loads_) return {};
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
        if (ends_block(s)) end_block();
        return inputs;
    }

    enum class kind : std::uint8_t { other, plain, read_only, copy, bulk, commit, wait_copies };

    // A step that neither loads, nor waits for what its sources do not wait for.
    static bool is_plain(const step& s) {
        return !s.accesses && s.what != action::call && s.what != action::come_true;
    }

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

    wait_counts inputs_of(const step& s, std::uint32_t base) {
        wait_counts all;
        if (s.what == action::call) return all;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            all.raise(ready_.of(program_->rows[s.first + s.results + k], base));
        }
        return all;
    }

    void set_results(const step& s, std::uint32_t base, const wait_counts& when) {
        for (std::uint32_t k = 0; k < s.results; ++k) {
            ready_.set(program_->rows[s.first + k], base, when);
        }
    }

    wait_counts access(const step& s, kind k, const wait_counts& inputs, const executed& e) {
        waited_.raise(inputs);
        const bool global = e.unit == unit_kind::global_memory;
        const bool arrives = k == kind::bulk && s.barrier_source != 0;
        // A record of a warp has the bytes of an access without its transactions.
        const bool copies = k == kind::copy && e.bytes_moved != 0;
        const bool reads = !s.stores && (s.results != 0 || copies || arrives);
        wait_counts issued = block_;
        if (k != kind::read_only) after_stores_.visit(s.space, [&](auto& w) { issued.raise(w); });
        issued.raise(inputs);
        if (reads) {
            wait_counts when = issued;
            has_loads_ = true;
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
            after_stores_.visit(s.space, [&](auto& w) { w = waited_; });
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
        end_block();
    }

    // `cp.async`: groups are waited for from the oldest on.
    void wait_for_copies(kind k, const executed& e) {
        if (k == kind::commit) {
            copies_.push_back(open_copies_);
            open_copies_ = {};
            if (copies_.size() > max_groups_left_ + 1) {  // the first two are waited for together
                copies_[1].raise(copies_[0]);
                copies_.erase(copies_.begin());
            }
        }
        if (k != kind::wait_copies) return;
        const std::size_t left = core::min(groups_left(e.step), copies_.size());
        for (std::size_t n = 0; n + left < copies_.size(); ++n) waited_.raise(copies_[n]);
        copies_.erase(copies_.begin(), copies_.end() - static_cast<std::ptrdiff_t>(left));
        if (ptx::text::has_part(opcode_of(e.step), "wait_all")) waited_.raise(open_copies_);
        end_block();
    }

    [[nodiscard]] std::string_view opcode_of(std::uint32_t at) const {
        return program_->source->instructions[program_->steps[at].statement].opcode;
    }

    [[nodiscard]] std::size_t groups_left(std::uint32_t at) const {
        const ptx::instruction& i = program_->source->instructions[program_->steps[at].statement];
        return ptx::link::groups_left(program_->source->operands_of(i));
    }

    // --- Rounds that stand for others

    // What counts of a step of such a round: it begins and ends no call.
    struct repeated_step {
        std::uint64_t barrier{};
        std::uint32_t step{}, base{}, active{}, bytes_moved{};
        unit_kind unit{};

        explicit repeated_step(const executed& e)
            : barrier(e.barrier),
              step(e.step),
              base(e.base),
              active(e.active),
              bytes_moved(e.bytes_moved),
              unit(e.unit) {}
    };

    // What `repeated_rounds` asks for.
    struct rounds_of_waits {
        wait_counter& c;

        void take(const repeated_step& s) {
            c.take({.step = s.step,
                    .active = s.active,
                    .base = s.base,
                    .unit = s.unit,
                    .bytes_moved = s.bytes_moved,
                    .barrier = s.barrier});
        }
        // What is not later than the last branch is as good as then: all that comes is later.
        void add_state(core::late<Used, std::vector<wait_counts>>& to) {
            const wait_counts from = c.block_;
            const auto groups = static_cast<std::uint32_t>(c.copies_.size());
            const auto barriers = static_cast<std::uint32_t>(c.arriving_.size());
            to.push_back({groups, barriers});
            c.change_all([&](const wait_counts& w) {
                wait_counts late = w;
                late.raise(from);
                to.push_back({late.global - from.global, late.on_chip - from.on_chip});
                return w;
            });
        }
        [[nodiscard]] const wait_counts& count() const { return c.waited_; }

        void pass(const wait_counts& before, std::uint64_t times) {
            const auto more = [&](std::uint32_t now, std::uint32_t then) {
                constexpr std::uint64_t most = 0xffff'ffff;
                return static_cast<std::uint32_t>(core::min((now - then) * times, most - now));
            };
            const wait_counts by{more(c.waited_.global, before.global),
                                 more(c.waited_.on_chip, before.on_chip)};
            if (by == wait_counts{}) return;
            const wait_counts from = c.block_;
            c.change_all([&](wait_counts w) {
                if (w.global >= from.global) w.global += by.global;
                if (w.on_chip >= from.on_chip) w.on_chip += by.on_chip;
                return w;
            });
        }
        void end_rounds(const wait_counts& before, const wait_counts& followed) {
            c.round_waits_ = followed.global - before.global;
            if (!c.lists_) c.not_followed_ += c.waited_.global - followed.global;
        }
    };

    void change_rounds(std::uint64_t times) {
        rounds_of_waits waits{*this};
        rounds_.change(times, waits);
    }

    void end_block() {
        block_ = waited_;
        after_stores_.visit(address_space::generic, [&](auto& w) { w = waited_; });
    }

    // Changes all that the next steps depend on.
    template <class Change>
    void change_all(const Change& change) {
        for (wait_counts* c : {&waited_, &block_, &open_copies_}) *c = change(*c);
        after_stores_.visit(address_space::generic, [&](auto& w) { w = change(w); });
        for (wait_counts& c : copies_) c = change(c);
        for (arrival& a : arriving_) a.when = change(a.when);
        ready_.change_all(change);
    }

    // Before the first load behind the last store, by memory.
    struct of_stores {
        wait_counts global{}, shared{}, local{};

        // The memory that an address is in; all of them if the text does not tell.
        template <class Act>
        constexpr void visit(address_space space, const Act& act) {
            const bool any = space == address_space::generic || space == address_space::none;
            if (any || space == address_space::global) act(global);
            if (any || space == address_space::shared) act(shared);
            if (any || space == address_space::local) act(local);
        }
    };

    struct arrival {
        std::uint64_t barrier{};  // its address; 0: not known
        wait_counts when{};
    };
    static constexpr std::size_t max_barriers = 64;  // more count as the first

    const program* program_;
    wait_counts issued_;  // before the last access
    core::late<Used, std::vector<arrival>> arriving_;
    core::late<Used, std::vector<kind>> kinds_;          // by step
    call_rows<wait_counts, Used> ready_;                 // waits after which a row has its value
    core::late<Used, std::vector<wait_counts>> copies_;  // of groups of copies under way
    wait_counts open_copies_;                            // of the group that is not committed
    wait_counts waited_;                                 // for what has been used
    wait_counts block_;  // before the basic block: no load is issued earlier
    of_stores after_stores_;
    repeated_rounds<repeated_step, wait_counts, Used> rounds_;
    std::size_t max_groups_left_ = 0;  // of copies, where a step waits for the others
    std::uint32_t not_followed_ = 0;
    std::uint32_t round_waits_ = 0;
    bool lists_ = false;      // its rounds are told apart
    bool has_loads_ = false;  // before the first one, nobody waits
    bool loaded_ = false;     // of global memory
    bool stored_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
