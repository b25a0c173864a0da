// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WARP_HPP
#define WARPGAUGE_PTX_RUN_WARP_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/access_cost.hpp>
#include <warpgauge/ptx/run/call_values.hpp>
#include <warpgauge/ptx/run/data_decisions.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/known_memory.hpp>
#include <warpgauge/ptx/run/lane_computer.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/loop_rounds.hpp>
#include <warpgauge/ptx/run/paths.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/round_skipper.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/run/warp_wide.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>

/// \file Follows one warp through a kernel.
///
/// Lanes that go different ways take turns and meet again at the branch's immediate post-dominator.
/// Values are known as far as they follow from the launch; where a branch needs one that is not, a
/// `decision` takes its place.

namespace WARPGAUGE_NAMESPACE::ptx::run {

/// Follows warps of one program, one after the other.
template <class Used = core::when_used>
class warp_machine {
public:
    /// Program, arguments and decisions, one for each step, must outlive the machine.
    warp_machine(const link::program& p, std::span<const argument_bytes> arguments,
                 std::span<const decision> decisions, compute_capability cc,
                 const machine_limits& limits)
        : program_(p),
          limits_(limits),
          step_limit_(limits.steps),
          registers_(p),
          accesses_(p, link::slice_extent::accesses),
          computer_(registers_, p.source->address_bits),
          warp_wide_(registers_),
          passed_(p, registers_),
          memory_(registers_, arguments, p.contents, p.source->address_bits),
          cost_(p.source->address_bits, cc),
          decisions_(decisions),
          skipper_(p, registers_, decisions_, {cycle_bytes(cc), bank_bytes(cc)},
                   !limits.equal_costs && coalescing_rule_of(cc) == coalescing_rule::sectors),
          fork_{.bounds = detail::run::way_bounds<Used>(p)} {}

    /// Refers to its parts, so it cannot be copied.
    warp_machine(const warp_machine&) = delete;  // its parts refer to each other
    warp_machine& operator=(const warp_machine&) = delete;

    /// Steps taken so far, of all warps.
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

    /// What loads of shared memory find from now on; null: nobody knows.
    void see_shared(const detail::run::shared_values<Used>* values) { memory_.see_shared(values); }
    /// Notes what is stored to shared memory, while no more than `max_steps` steps were taken since the machine was made;
    /// null ends that.
    void record_shared(detail::run::shared_recorder<Used>* recorder, std::uint64_t max_steps) {
        memory_.record_shared(recorder);
        skipper_.record_stores(recorder != nullptr);
        step_limit_ = recorder == nullptr ? limits_.steps : core::min(limits_.steps, max_steps);
    }

    /// The loop with most rounds that the warp was in when it was given up; `from` is `nowhere` if there is none.
    [[nodiscard]] loop_under_way longest_loop() const { return loops_.longest(); }
    /// The value of a row in the first lane of the call that was under way; false if it is not known.
    [[nodiscard]] bool value_of(std::uint32_t row, std::uint64_t& value) {
        if (row == nowhere || calls_.empty()) return false;
        const row_values& values = registers_.at(row);
        if (values.known == 0) return false;
        value = values.lanes[static_cast<std::size_t>(std::countr_zero(values.known))];
        return true;
    }

    /// Follows one warp to its end; `observe(executed)` sees every instruction; of a loop whose rounds are alike, those
    /// that stand for all. `bounds`, if given, say afterwards how far away warps may be that do the same.
    template <class Observer>
    model_error run(const warp_place& place, Observer&& observe,
                    detail::run::way_bounds<Used>* bounds = nullptr) {
        bounds_ = bounds;
        if (bounds != nullptr) bounds->begin(true);
        return follow<true>(place, accesses_, observe);
    }

    /// The same of the instructions of a slice, without what its accesses cost.
    template <class Observer>
    model_error run_slice(const warp_place& place, const link::control_slice<Used>& slice,
                          Observer&& observe, detail::run::way_bounds<Used>* bounds = nullptr) {
        bounds_ = bounds;
        if (bounds != nullptr) bounds->begin();
        return follow<false>(place, slice, observe);
    }

    /// Unknown data has decided in the warp under way.
    [[nodiscard]] bool has_decided() const { return has_decided_; }
    /// The last warp, whose bounds were asked for, can be followed again from where unknown data decided first.
    [[nodiscard]] bool has_fork() const { return has_fork_; }
    /// Follows it so after `run`, as one that begins to decide with another fraction. `observe` sees what comes then; the bounds
    /// say of the whole warp what they do after `run`.
    template <class Observer>
    model_error run_fork(double start, Observer&& observe) {
        go_back(start, accesses_, true);
        return go_on<true>(accesses_, observe);
    }
    /// The same after `run_slice`.
    template <class Observer>
    model_error run_slice_fork(double start, const link::control_slice<Used>& slice,
                               Observer&& observe) {
        go_back(start, slice, false);
        return go_on<false>(slice, observe);
    }

    /// How far off another warp may begin to decide unknown data that decides as the last one did.
    [[nodiscard]] const detail::run::start_room& start_room() const { return decisions_.room(); }
    /// Accesses a multiple of so many bytes apart cost the same: of lines, of 32 banks of 8 B, of 16 lanes of 16 B.
    static std::uint64_t cycle_bytes(compute_capability cc) {
        return cc.major < 2 || cc.major == 3 ? 256 : 128;
    }
    /// The same of shared memory: one bank is like another.
    static std::uint64_t bank_bytes(compute_capability cc) { return cc.major == 3 ? 256 : 4; }

private:
    using action = text::action;
    using path = detail::run::path;
    using row_values = detail::run::row_values;
    static constexpr std::uint32_t nowhere = link::nowhere;

    // `observe` sees all steps, or those of the slice. Only those of the slice change registers and memory: what the
    // others compute, as sums of what is loaded, decides nothing that is observed.
    template <bool Whole, class Observer>
    model_error follow(const warp_place& place, const link::control_slice<Used>& slice,
                       Observer& observe) {
        calls_.clear();
        paths_.clear();
        memory_.resize_local(0);
        decisions_.begin(detail::run::start_of(place.ordinal));
        has_decided_ = has_fork_ = false;
        skipper_.begin(slice, Whole);
        loops_.clear();
        computer_.begin();
        const std::uint32_t lanes = registers_.begin(place);
        if (auto bad = enter({.routine = 0}, lanes, nowhere)) return bad;
        return go_on<Whole>(slice, observe);
    }

    template <bool Whole, class Observer>
    model_error go_on(const link::control_slice<Used>& slice, Observer& observe) {
        while (!calls_.empty()) {
            const call& current = calls_.back();
            if (paths_.size() == current.first_path) {
                leave();
                continue;
            }
            path& now = paths_.top();
            const link::routine& r = program_.routines[current.routine];
            if (now.active == 0 || now.next == now.until || now.next >= r.first + r.count) {
                paths_.pop();
                continue;
            }
            if constexpr (!Whole) {
                const std::uint32_t stop = slice.stop(now.next);
                const bool stays = stop == now.next && slice.has(stop);
                if (!stays) {
                    now.next = stop == now.next ? stop + 1 : stop;
                    continue;
                }
            }
            if (++steps_ > step_limit_ || skipper_.finds_no_end()) return out_of_steps(now.next);
            if (auto bad = step_on<Whole>(now, observe)) return bad;
        }
        return {};
    }

    struct call {
        std::uint32_t routine{};
        std::uint32_t base{};        // its first row
        std::uint32_t first_path{};  // below it are the caller's
        link::passing values{};      // of the caller
        std::uint32_t active{};
        std::uint32_t local_base{};  // its first byte of local memory
    };

    model_error error(std::uint32_t step, errc code, std::string_view field) const {
        const position where = program_.source->instructions[program_.steps[step].statement].at;
        return {code, field, where.line, where.column};
    }

    // The error names the loop that takes so long.
    [[nodiscard]] model_error out_of_steps(std::uint32_t at) const {
        const loop_under_way loop = loops_.longest();
        return error(loop.from == nowhere ? at : loop.from, errc::limit_reached, "max_steps");
    }

    void jump_back(std::uint32_t from, bool together, std::uint32_t lanes) {
        const std::uint32_t to = program_.steps[from].target;
        loops_.jump(from, to, skipper_.rounds());
        if (!together || limits_.every_round) return;
        skipper_.jump_back(from, to, calls_.back().base, paths_.size(), lanes, steps_);
    }

    // --- One step

    template <bool Whole, class Observer>
    model_error step_on(path& now, Observer& observe) {
        const std::uint32_t index = now.next;
        const link::step& s = program_.steps[index];
        executed e{.step = index,
                   .base = calls_.back().base,
                   .depth = static_cast<std::uint32_t>(calls_.size() - 1),
                   .unit = s.unit,
                   .callee_base = static_cast<std::uint32_t>(registers_.size())};
        e.rounds = skipper_.rounds();
        std::uint32_t undecided = 0;
        const std::uint32_t guarded_lanes =
            s.predicate == nowhere ? now.active : guarded(index, now.active, e, undecided);
        detail::run::chosen_callee callee{.lanes = guarded_lanes};
        if (s.through != nowhere) callee = passed_.choose(s, guarded_lanes);
        const std::uint32_t active = callee.lanes;
        e.callee = callee.callee;
        e.unknown_callee = !callee.known;
        const bool jumps = s.what == action::branch || s.what == action::branch_table;
        e.active = jumps ? now.active : active;
        if (s.what == action::branch_table && s.predicate == nowhere) {
            e.unknown_predicate = (active & ~registers_.source(s, 0).known) != 0;
        }
        if (Whole && active != 0) {
            if (s.size_source != 0)
                e.size = registers_.first_of(s, s.size_source - 1U, active) & 0xffff'ffff;
            if (s.barrier_source != 0) {
                e.barrier = registers_.first_of(s, s.barrier_source - 1U, active);
                if (e.barrier != 0) e.barrier += static_cast<std::uint64_t>(s.barrier_offset);
            }
        }
        if (s.accesses && active != 0) count_access<Whole>(s, active, e);
        if (jumps) e.jumping = active;
        e.lists = skipper_.lists();
        if (e.rounds > 1 && e.access != nullptr) e.round_by = skipper_.moved_by(index);
        const bool changes = !Whole || accesses_.has(index);
        if (bounds_ != nullptr) bounds_->see(s, active, e.rounds, changes, registers_);
        // One whose predicate holds in no lane is issued, and no more.
        if (e.active == 0) e.unit = unit_kind::integer;
        if (!Whole || !s.in_bulk || !copy_in_bulk(s, active, e, observe)) observe(e);
        if (Whole && e.elsewhere != 0) access_elsewhere(s, e, observe);
        const bool proves = skipper_.proves();
        if (proves) {
            skipper_.before(index, s, now.active, active, undecided, memory_.local_size());
        }
        ++now.next;
        switch (changes ? s.what : action::no_result) {
            case action::branch:
                if (s.target <= index && active != 0)
                    jump_back(index, active == now.active, active);
                paths_.branch(s.target, s.reconverge, active);
                break;
            case action::branch_table: return branch_by_table(index, active);
            case action::call:  // lanes that call another function do so after it
                if (guarded_lanes != active) {
                    paths_.push({index, index + 1, guarded_lanes & ~active});
                }
                return enter(program_.passing_of(s, e.callee), active, index);
            case action::return_: paths_.end_lanes(active, calls_.back().first_path); break;
            case action::exit: paths_.end_lanes(active, 0); break;
            case action::barrier:
            case action::no_result: break;
            case action::load: memory_.load(s, active); break;
            case action::store: steps_ += memory_.store(s, active); break;
            case action::atomic: memory_.change(s, active); break;
            case action::unknown:
                computer_.forget_results(s, active);
                if (s.is_atomic) memory_.change(s, active);
                break;
            case action::elect:
            case action::match:
            case action::reduce:
            case action::come_true: warp_wide_.compute(s, active); break;
            default: computer_.compute(s, active);
        }
        if (proves && changes && skipper_.proves()) skipper_.after(s, active);
        if (s.loses_carry) registers_.forget(link::carry, active);
        return {};
    }

    // What an access costs; of a slice, only which lanes of a copy read nothing.
    template <bool Whole>
    void count_access(const link::step& s, std::uint32_t active, executed& e) {
        if (Whole && s.written_source != 0) {
            const row_values& to = registers_.source(s, s.written_source - 1U);
            detail::run::count_written(cost_, s, to, active, access_, e);
        }
        if (s.reads_part()) {
            const row_values& part = registers_.source(s, s.size_source - 1U);
            e.idle = cost_.idle_lanes(s, part, active);
            if (Whole) cost_.count_part(s, registers_.source(s, 0), part, active, access_, e);
        } else if (Whole && !s.in_bulk && s.sources != 0) {
            const row_values& address = registers_.source(s, 0);
            e.elsewhere = cost_.units().elsewhere(s, address, active);
            cost_.count(s, address, active & ~e.elsewhere, access_, e);
        }
    }

    // What the lanes of a generic access do whose addresses lie in other memories than those that `first` has.
    template <class Observer>
    void access_elsewhere(const link::step& s, const executed& first, Observer& observe);

    // Each lane's copy, in the accesses that it takes. False if none is made.
    template <class Observer>
    bool copy_in_bulk(const link::step& s, std::uint32_t active, executed& e, Observer& observe) {
        if (s.size_source == 0) return false;
        const row_values from = registers_.source(s, 0);
        const row_values size = registers_.source(s, s.size_source - 1U);
        steps_ += cost_.count_copies(s, from, size, active, access_, e, [&] {
            observe(e);
            e.continues = true;
        });
        e.idle = active & size.known;  // the copies of the other lanes are left
        if (!e.continues) return false;
        e.access = nullptr;
        e.transactions = e.bytes_moved = 0;
        if (e.idle != active) observe(e);
        return true;
    }

    // The lanes of a path for which a step's predicate holds; it has one.
    std::uint32_t guarded(std::uint32_t index, std::uint32_t active, executed& e,
                          std::uint32_t& open);

    // Here the ways of warps part that begin to decide with other fractions.
    void begin_to_decide();

    void go_back(double start, const link::control_slice<Used>& slice, bool whole);

    // Lanes go where their index says; those whose index is not known, to the first target.
    model_error branch_by_table(std::uint32_t index, std::uint32_t active);

    // --- Calls

    // Begins a call; of a function without a body, nothing is known but that it was called.
    model_error enter(const link::passing& p, std::uint32_t active, std::uint32_t caller_step);

    void preset(const link::preset& given, std::size_t local_base);

    // Ends a call and hands over what it returns.
    void leave();

    const link::program& program_;
    machine_limits limits_;
    std::uint64_t step_limit_;
    std::uint64_t steps_ = 0;
    std::vector<call> calls_;
    detail::run::paths<Used> paths_;
    detail::run::register_file<Used> registers_;
    link::control_slice<Used> accesses_;
    detail::run::lane_computer<Used> computer_;
    detail::run::warp_wide<Used> warp_wide_;
    detail::run::call_values<Used> passed_;
    detail::run::known_memory<Used> memory_;
    detail::run::access_cost<Used> cost_;
    warp_access access_;  // of the last step that has one
    detail::run::data_decisions<Used> decisions_;
    detail::run::round_skipper<Used> skipper_;
    detail::run::loop_rounds<Used> loops_;
    detail::run::way_bounds<Used>* bounds_ = nullptr;  // of the warp under way
    // Before the first step of a warp that unknown data decides.
    struct fork_point {
        typename detail::run::register_file<Used>::saved_rows registers{};
        detail::run::paths<Used> paths{};
        call kernel{};
        detail::run::way_bounds<Used> bounds;
        std::uint32_t computer{};
    };
    fork_point fork_;
    bool has_decided_ = false;
    bool has_fork_ = false;
};

template <class Used>
template <class Observer>
void warp_machine<Used>::access_elsewhere(const link::step& s, const executed& first,
                                          Observer& observe) {
    const row_values& address = registers_.source(s, 0);
    for (std::uint32_t lanes = first.elsewhere; lanes != 0;) {
        executed e{.step = first.step,
                   .active = lanes,
                   .base = first.base,
                   .depth = first.depth,
                   .unit = s.unit,
                   .elsewhere = cost_.units().elsewhere(s, address, lanes),
                   .continues = true,
                   .rounds = first.rounds,
                   .round_by = first.round_by,
                   .lists = first.lists};
        cost_.count(s, address, lanes & ~e.elsewhere, access_, e);
        observe(e);
        lanes = e.elsewhere;
    }
}

template <class Used>
void warp_machine<Used>::begin_to_decide() {
    has_decided_ = true;
    has_fork_ = bounds_ != nullptr && bounds_->holds() && calls_.size() == 1 &&
                !skipper_.has_loop() && memory_.local_size() == 0;
    if (!has_fork_) return;
    registers_.save(fork_.registers);
    fork_.paths = paths_;
    fork_.kernel = calls_.back();
    fork_.bounds = *bounds_;
    fork_.computer = computer_.state();
}

template <class Used>
void warp_machine<Used>::go_back(double start, const link::control_slice<Used>& slice, bool whole) {
    registers_.restore(fork_.registers);
    paths_ = fork_.paths;
    calls_.assign(1, fork_.kernel);
    *bounds_ = fork_.bounds;
    computer_.go_back_to(fork_.computer);
    decisions_.begin(start);
    skipper_.begin(slice, whole);
    loops_.clear();
}

template <class Used>
std::uint32_t warp_machine<Used>::guarded(std::uint32_t index, std::uint32_t active, executed& e,
                                          std::uint32_t& open) {
    const link::step& s = program_.steps[index];
    row_values& predicate = registers_.at(s.predicate);
    const std::uint32_t negated = s.predicate_negated ? detail::run::all_lanes : 0;
    open = active & ~predicate.known;
    e.unknown_predicate = open != 0;
    if (open != 0 && !has_decided_) begin_to_decide();
    if (open != 0) {  // from now on it is known, so that `@p` and `@!p` agree
        std::uint32_t together = 0;
        const std::uint32_t decided =
            decisions_.decide(index, open, predicate, s.predicate_negated, together) ^ negated;
        e.decided_together = together != 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((open >> l & 1U) != 0) predicate.lanes[l] = decided >> l & 1U;
        }
        predicate.known |= open;
    }
    return (detail::run::lanes_that_hold(predicate) ^ negated) & active;
}

template <class Used>
model_error warp_machine<Used>::branch_by_table(std::uint32_t index, std::uint32_t active) {
    const link::step& s = program_.steps[index];
    const row_values& by = registers_.source(s, 0);
    const auto target_of = [&](std::uint32_t lane) {
        const bool known = (by.known >> lane & 1U) != 0;
        const std::uint64_t n = known ? by.lanes[lane] & 0xffff'ffff : 0;
        return n < s.targets ? program_.rows[s.target + n] : nowhere;
    };
    if (paths_.branch_by_table(s.reconverge, active, target_of)) return {};
    return error(index, errc::outside_domain, "index");
}

template <class Used>
model_error warp_machine<Used>::enter(const link::passing& p, std::uint32_t active,
                                      std::uint32_t caller_step) {
    if (active == 0) return {};
    if (p.routine == nowhere) {
        passed_.forget_returned(p, active);
        steps_ += memory_.forget_local(active);  // it may have been given a pointer
        return {};
    }
    const link::routine& r = program_.routines[p.routine];
    const std::size_t base = registers_.size();
    const std::size_t local_base = memory_.local_size();
    if (calls_.size() > limits_.calls) return error(caller_step, errc::limit_reached, "calls");
    if ((registers_.fixed_size() + base + r.rows) * sizeof(row_values) +
            memory_.bytes_taken(local_base + r.local_bytes) >
        limits_.memory_bytes) {
        if (caller_step != nowhere) return error(caller_step, errc::limit_reached, "memory");
        const position at = program_.source->functions[r.function].at;
        return {errc::limit_reached, "memory", at.line, at.column};
    }
    registers_.add_rows(r.rows);
    memory_.resize_local(local_base + r.local_bytes);
    passed_.pass(p, base);
    steps_ += r.rows / 64 + p.targets / 64 + r.presets.size() + r.local_bytes / 64;
    calls_.push_back({p.routine, static_cast<std::uint32_t>(base), paths_.size(), p, active,
                      static_cast<std::uint32_t>(local_base)});
    registers_.enter(base);
    for (const link::preset& given : r.presets) preset(given, local_base);
    paths_.push({r.first, nowhere, active});
    return {};
}

template <class Used>
void warp_machine<Used>::leave() {
    const call ended = calls_.back();
    calls_.pop_back();
    registers_.enter(calls_.empty() ? 0 : calls_.back().base);
    passed_.give_back(ended.values, ended.base, ended.active);
    registers_.drop_rows(ended.base);
    memory_.resize_local(ended.local_base);
}

template <class Used>
void warp_machine<Used>::preset(const link::preset& given, std::size_t local_base) {
    const std::uint32_t to = link::of_call | given.row;
    std::uint64_t value = 0;
    if (given.parameter == nowhere) {
        registers_.make_known(to, local_base + given.offset);
    } else if (memory_.read_argument(given.parameter, given.offset, given.bytes, value)) {
        registers_.make_known(to, value);
    } else {  // the launch has one for all
        registers_.make_uniform(to);
    }
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::run

#endif
