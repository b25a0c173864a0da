// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_HPP
#define WARPGAUGE_SIMULATE_SM_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/result_slots.hpp>
#include <warpgauge/simulate/sleepers.hpp>

/// \file One SM and its resident blocks, cycle by cycle (Chapuis et al. 2016, sec. 3.2).
///
/// In every cycle each scheduler may choose a warp and issue its next instruction, in order, if the
/// results it needs are there and its unit can start it. Where the authors' program departs from
/// that, this follows the text; P1 to P10 are explained in docs/hybrid.md. Cycles in which nothing can
/// be issued are not walked but counted.

namespace warpgauge {

/// Which warp is asked first.
enum class warp_policy : std::uint8_t {
    lowest_index,        ///< in order of index, every time; what the authors' program does
    loose_round_robin,   ///< the one after the last that issued
    greedy_then_oldest,  ///< those that issued last, then in order of index: all are of one age
};

/// The units of an SM that can be busy.
enum class sm_unit : std::uint8_t {
    integer,
    single_precision,
    double_precision,
    special_function,
    load_store,
};
inline constexpr std::size_t sm_units = 5;

/// What the simulation reads of a device; one SM of it.
struct sm_parameters {
    double warp_size{};             ///< threads
    double warp_schedulers{};       ///< per SM
    double issues_per_scheduler{};  ///< instructions per cycle, of the same warp
    std::array<double, sm_units>
        lanes{};                      ///< by `sm_unit`; integer 0: single-precision lanes do it
    double integer_latency_cycles{};  ///< cycles until the result is there; so for the others
    double single_precision_latency_cycles{};
    double double_precision_latency_cycles{};
    double special_function_latency_cycles{};
    double shared_latency_cycles{};
    double l1_latency_cycles{};
    double l2_latency_cycles{};
    double dram_latency_cycles{};     ///< cycles, with nothing before it in the queue
    double dram_bytes_per_cycle{};    ///< B/cycle, this SM's share of the bandwidth
    double dram_transaction_bytes{};  ///< B; 0: not known
};

/// The blocks on the SM.
struct sm_residency {
    std::uint64_t blocks{};
    std::uint64_t warps_per_block{};
    std::uint64_t start_cycle{};  ///< no warp is there before
};

/// Cycles in which no instruction was issued, by what held most of the warps up; of equals, the
/// first in this order.
struct sm_stalls {
    std::uint64_t memory_queue{};       ///< the memory system takes no more requests
    std::uint64_t unit_busy{};          ///< the unit still works on earlier instructions
    std::uint64_t memory_dependence{};  ///< waits for a result of DRAM or L2
    std::uint64_t dependence{};         ///< waits for any other result
    std::uint64_t barrier{};            ///< waits for other warps of the block
    std::uint64_t nothing_resident{};   ///< no warp is there yet

    [[nodiscard]] constexpr std::uint64_t total() const noexcept {
        return memory_queue + unit_busy + memory_dependence + dependence + barrier +
               nothing_resident;
    }
    friend constexpr bool operator==(const sm_stalls&, const sm_stalls&) = default;
};

/// What one SM did. `issue_cycles + stalls.total() == cycles`.
struct sm_estimate {
    std::uint64_t cycles{};             ///< until the last result is there
    std::uint64_t warp_instructions{};  ///< issued
    std::uint64_t issue_slots{};        ///< scheduler slots used; a dual issue counts once
    std::uint64_t issue_cycles{};       ///< cycles in which at least one was
    sm_stalls stalls{};
    double issue_utilisation{};                       ///< of the schedulers' slots, 0 to 1
    std::array<double, sm_units> unit_utilisation{};  ///< by `sm_unit`, 0 to 1
    double dram_bytes{};                              ///< B moved
    double dram_utilisation{};                        ///< of this SM's share, 0 to 1
    double mean_block_end_cycles{};                   ///< cycles
};

/// What takes most of the time: the busiest resource, or what warps wait for, whichever share of the
/// cycles is larger; of equals, the first in this order.
enum class sm_limiter : std::uint8_t {
    issue_slots,
    integer_units,
    single_precision_units,
    double_precision_units,
    special_function_units,
    load_store_units,
    memory_bandwidth,
    memory_latency,  ///< too few requests under way to reach the bandwidth
    dependences,     ///< too few independent instructions and warps
    barriers,
    start,      ///< the time until the first instruction
    not_known,  ///< the form does not tell
};

[[nodiscard]] constexpr sm_limiter limiter_of(const sm_estimate& e) noexcept {
    if (e.cycles == 0) return sm_limiter::not_known;
    const double cycles = static_cast<double>(e.cycles);
    const std::array<double, 11> shares{e.issue_utilisation,
                                        e.unit_utilisation[0],
                                        e.unit_utilisation[1],
                                        e.unit_utilisation[2],
                                        e.unit_utilisation[3],
                                        e.unit_utilisation[4],
                                        e.dram_utilisation,
                                        static_cast<double>(e.stalls.memory_dependence) / cycles,
                                        static_cast<double>(e.stalls.dependence) / cycles,
                                        static_cast<double>(e.stalls.barrier) / cycles,
                                        static_cast<double>(e.stalls.nothing_resident) / cycles};
    std::size_t most = 0;
    for (std::size_t i = 1; i < shares.size(); ++i) {
        if (shares[most] < shares[i]) most = i;
    }
    return static_cast<sm_limiter>(most);
}

/// One issue, as an observer sees it.
struct sm_event {
    std::uint64_t cycle{};      ///< in which it is issued, from 0
    std::uint64_t completes{};  ///< cycle in which its result is there
    std::uint32_t warp{};       ///< on the SM, from 0; those of a block stand together
    std::uint32_t entry{};      ///< in the stream, from 0
    unit_kind unit{};
};

namespace detail::simulate {

template <class Observer>
class sm_machine;

/// As an observer: sees nothing.
struct no_observer {
    constexpr void operator()(const sm_event&) const noexcept {}
};

// No simulation runs longer.
inline constexpr std::uint64_t most_cycles = std::uint64_t{1} << 40;

// What a device calls the lanes, by `sm_unit`.
inline constexpr std::array<std::string_view, sm_units> lane_fields{
    "integer_units", "cuda_cores", "double_precision_units", "special_function_units",
    "load_store_units"};

inline model_error check_sm(const sm_parameters& p) {
    constexpr double wait = 65'536;
    for (std::size_t u = 0; u < sm_units; ++u) {
        const auto bad = core::check_bounded({p.lanes[u], lane_fields[u], true, 0, 4096});
        if (bad) return bad;
    }
    for (const core::bounded_parameter& f : std::initializer_list<core::bounded_parameter>{
             {p.warp_size, "warp_size", true, 1, 1024},
             {p.warp_schedulers, "warp_schedulers", true, 1, 1024},
             {p.issues_per_scheduler, "issues_per_scheduler", true, 1, 1024},
             {p.integer_latency_cycles, "integer_latency_cycles", false, 1, wait},
             {p.single_precision_latency_cycles, "single_precision_latency_cycles", false, 1, wait},
             {p.double_precision_latency_cycles, "double_precision_latency_cycles", false, 1, wait},
             {p.special_function_latency_cycles, "special_function_latency_cycles", false, 1, wait},
             {p.shared_latency_cycles, "shared_latency_cycles", false, 1, wait},
             {p.l1_latency_cycles, "l1_latency_cycles", false, 1, wait},
             {p.l2_latency_cycles, "l2_latency_cycles", false, 1, wait},
             {p.dram_latency_cycles, "dram_latency_cycles", false, 1, wait},
             {p.dram_transaction_bytes, "dram_transaction_bytes", false, 0, wait}}) {
        if (const auto bad = core::check_bounded(f)) return bad;
    }
    return core::check_input(p.dram_bytes_per_cycle, "dram_bytes_per_cycle");
}

/// The unit that executes an instruction, as an index; `sm_units`: none.
constexpr std::size_t unit_of(unit_kind kind, const sm_parameters& p) {
    const auto index = [](sm_unit u) { return static_cast<std::size_t>(u); };
    switch (kind) {
        case unit_kind::integer:
        case unit_kind::branch:
            return index(p.lanes[index(sm_unit::integer)] > 0 ? sm_unit::integer
                                                              : sm_unit::single_precision);
        case unit_kind::single_precision: return index(sm_unit::single_precision);
        case unit_kind::double_precision: return index(sm_unit::double_precision);
        case unit_kind::special_function: return index(sm_unit::special_function);
        case unit_kind::shared_memory:
        case unit_kind::l1_cache:
        case unit_kind::l2_cache:
        case unit_kind::global_memory: return index(sm_unit::load_store);
        case unit_kind::barrier:
        case unit_kind::loop: break;
    }
    return sm_units;
}

}  // namespace detail::simulate

/// The memory of a simulation, to be used again for the next one. Not to be shared by threads.
class sm_workspace {
public:
    /// Cycle in which each block of the last simulation ended.
    [[nodiscard]] std::span<const std::uint64_t> block_ends() const {
        return {block_ends_.data(), block_ends_.size()};
    }

private:
    template <class Observer>
    friend class detail::simulate::sm_machine;

    struct loop_frame {
        std::uint32_t begin, end, rounds_left;
    };
    struct warp {
        std::uint32_t at{};           // next entry
        std::uint32_t depth{};        // loops around it
        std::uint64_t last_result{};  // the latest of all, as in `times_`
        std::uint8_t resource{};      // what the next entry needs
        bool waits_for_memory{};      // while it sleeps
        std::array<loop_frame, max_nested_loops> loops;
    };
    struct block {
        std::uint64_t at_barrier{}, end{};
    };
    struct request {
        std::uint64_t completes{};
        double bytes{};
    };

    detail::simulate::result_slots<> slots_;
    detail::simulate::sleepers<> sleepers_;
    std::vector<warp> warps_;
    std::vector<block> blocks_;
    std::vector<std::uint64_t> times_;    // by warp and slot: 2 x cycle, + 1 if of memory
    std::vector<request> queue_;          // a ring, of a power of two
    detail::simulate::warp_words masks_;  // warps that only wait for a resource, by resource
    detail::simulate::warp_words eligible_, greedy_, issued_;
    std::vector<std::uint64_t> block_ends_;
};

namespace detail::simulate {

/// One simulation. Use `simulate_sm`, which checks its input.
template <class Observer>
class sm_machine {
    // What an instruction has to get: a unit; a unit and a place in the queue; nothing.
    static constexpr std::size_t memory = sm_units;
    static constexpr std::size_t nothing = sm_units + 1;
    static constexpr std::size_t resources = sm_units + 2;

public:
    static result<sm_estimate> simulate(std::span<const instruction> stream, const sm_parameters& p,
                                        const sm_residency& r, warp_policy policy,
                                        const simulation_caps& caps, sm_workspace& space,
                                        Observer& observer) {
        space.slots_.assign(stream);
        if (space.slots_.count() > caps.words / (r.blocks * r.warps_per_block)) {
            return model_error{errc::limit_reached, "instructions"};
        }
        sm_machine machine(stream, p, r, policy, caps, space, observer);
        machine.run();
        if (machine.failure_) return machine.failure_;
        return machine.e_;
    }

private:
    sm_machine(std::span<const instruction> stream, const sm_parameters& p, const sm_residency& r,
               warp_policy policy, const simulation_caps& caps, sm_workspace& space,
               Observer& observer)
        : stream_(stream),
          entries_(space.slots_.entries()),
          p_(p),
          policy_(policy),
          at_(space),
          observe_(observer),
          warps_per_block_(static_cast<std::size_t>(r.warps_per_block)),
          warps_(static_cast<std::size_t>(r.blocks * r.warps_per_block)),
          words_(detail::simulate::words_of(warps_)),
          slots_(space.slots_.count()),
          schedulers_(static_cast<std::uint64_t>(p.warp_schedulers)),
          issues_(static_cast<std::uint64_t>(p.issues_per_scheduler)),
          most_requests_(caps.words / 2),
          now_(r.start_cycle) {
        capacity_bytes_ = p.dram_bytes_per_cycle * (p.dram_latency_cycles + 1);
        at_.sleepers_.reset(warps_);
        at_.warps_.assign(warps_, {});
        at_.blocks_.assign(static_cast<std::size_t>(r.blocks), {});
        at_.times_.assign(warps_ * slots_, 0);
        at_.masks_.assign(resources * words_, 0);
        if (at_.queue_.size() < most_queued()) at_.queue_.resize(std::bit_ceil(most_queued()));
        at_.eligible_.assign(words_, 0);
        at_.greedy_.assign(words_, 0);
        at_.issued_.assign(words_, 0);
        unfinished_ = warps_;
        for (std::size_t w = 0; w < warps_; ++w) {
            enter_loops(at_.warps_[w]);
            at_.warps_[w].resource = resource_of(stream_[at_.warps_[w].at].unit);
            mask(at_.warps_[w].resource)[w / 64] |= detail::simulate::bit_of(w);
        }
        e_.stalls.nothing_resident = r.start_cycle;
    }

    // More requests than this are not under way at a time, or it is more than any real device has; then
    // the queue grows as it must.
    [[nodiscard]] std::size_t most_queued() const {
        double least = 65'536;
        for (const instruction& i : stream_) {
            if (is_memory(i)) least = core::min(least, bytes_of(i));
        }
        return static_cast<std::size_t>(core::min(capacity_bytes_ / least + 2, 65'536.0));
    }

    [[nodiscard]] double bytes_of(const instruction& i) const {
        return i.transactions > 1 ? p_.dram_transaction_bytes * i.transactions
                                  : p_.warp_size * i.bytes;
    }

    void run() {
        while (unfinished_ > 0 && !failure_) {
            if (now_ > detail::simulate::most_cycles) fail("cycles");
            now_ = issue_cycle() ? now_ + 1 : wait();
            at_.sleepers_.wake(now_, [&](std::size_t w) {
                asleep_for_memory_ -= at_.warps_[w].waits_for_memory;
                --asleep_;
                mask(at_.warps_[w].resource)[w / 64] |= detail::simulate::bit_of(w);
            });
        }
        finish();
    }

    void fail(std::string_view field) { failure_ = {errc::limit_reached, field}; }

    static constexpr std::size_t index(sm_unit u) { return static_cast<std::size_t>(u); }

    std::uint64_t* mask(std::size_t resource) { return &at_.masks_[resource * words_]; }

    [[nodiscard]] std::uint8_t resource_of(unit_kind unit) const {
        if (unit == unit_kind::global_memory) return memory;
        const std::size_t u = unit_of(unit, p_);
        return static_cast<std::uint8_t>(u == sm_units ? nothing : u);
    }

    [[nodiscard]] double latency_of(unit_kind unit) const {
        switch (unit) {
            case unit_kind::integer:
            case unit_kind::branch: return p_.integer_latency_cycles;
            case unit_kind::single_precision: return p_.single_precision_latency_cycles;
            case unit_kind::double_precision: return p_.double_precision_latency_cycles;
            case unit_kind::special_function: return p_.special_function_latency_cycles;
            case unit_kind::shared_memory: return p_.shared_latency_cycles;
            case unit_kind::l1_cache: return p_.l1_latency_cycles;
            case unit_kind::l2_cache: return p_.l2_latency_cycles;
            case unit_kind::global_memory: return p_.dram_latency_cycles;
            case unit_kind::barrier:
            case unit_kind::loop: break;
        }
        return 1;
    }

    // A time in whole cycles. Past the most that a simulation has, it ends.
    std::uint64_t rounded_up(double cycles) {
        if (!(cycles <= static_cast<double>(detail::simulate::most_cycles))) {
            fail("cycles");
            return detail::simulate::most_cycles;
        }
        const auto down = static_cast<std::uint64_t>(cycles);
        return static_cast<double>(down) < cycles ? down + 1 : down;
    }

    // --- A warp's place in the stream

    void enter_loops(sm_workspace::warp& w) {
        while (w.at < stream_.size() && stream_[w.at].unit == unit_kind::loop) {
            const instruction& l = stream_[w.at];
            w.loops[w.depth++] = {w.at + 1, w.at + 1 + l.loop_length, l.loop_count};
            ++w.at;
        }
    }

    void advance(sm_workspace::warp& w) {
        ++w.at;
        while (w.depth > 0 && w.at == w.loops[w.depth - 1].end) {
            sm_workspace::loop_frame& l = w.loops[w.depth - 1];
            if (--l.rounds_left > 0) {
                w.at = l.begin;
            } else {
                --w.depth;
            }
        }
        enter_loops(w);
    }

    // --- One cycle

    // True if any instruction is issued.
    bool issue_cycle() {
        refresh_queue();
        for (std::uint64_t& word : at_.eligible_) word = 0;
        for (std::size_t r = 0; r < resources; ++r) {
            if (ready_[r] > now_) continue;
            for (std::size_t i = 0; i < words_; ++i) at_.eligible_[i] |= mask(r)[i];
        }
        std::uint64_t slots = 0;
        for (std::size_t w = 0; slots < schedulers_ && choose(w); ++slots) {
            if (slots == 0) {
                for (std::uint64_t& word : at_.issued_) word = 0;
            }
            at_.issued_[w / 64] |= detail::simulate::bit_of(w);
            at_.eligible_[w / 64] &= ~detail::simulate::bit_of(w);
            cursor_ = w + 1 == warps_ ? 0 : w + 1;
            issue_from(w);
        }
        e_.issue_slots += slots;
        if (slots == 0) return false;
        ++e_.issue_cycles;
        std::swap(at_.greedy_, at_.issued_);
        return true;
    }

    // The first warp of `eligible_` from `first` on, that is also in `among` if given.
    bool first_from(std::size_t first, const detail::simulate::warp_words* among,
                    std::size_t& w) const {
        for (std::size_t i = first / 64; i < words_; ++i) {
            std::uint64_t word = at_.eligible_[i];
            if (among != nullptr) word &= (*among)[i];
            if (i == first / 64) word &= ~std::uint64_t{0} << (first % 64);
            if (word != 0) {
                w = i * 64 + static_cast<std::size_t>(std::countr_zero(word));
                return true;
            }
        }
        return false;
    }

    bool choose(std::size_t& w) const {
        switch (policy_) {
            case warp_policy::loose_round_robin:
                if (first_from(cursor_, nullptr, w)) return true;
                break;
            case warp_policy::greedy_then_oldest:
                if (first_from(0, &at_.greedy_, w)) return true;
                break;
            case warp_policy::lowest_index: break;
        }
        return first_from(0, nullptr, w);
    }

    // Issues from a warp whose next instruction can be, as many as its scheduler may.
    void issue_from(std::size_t w) {
        sm_workspace::warp& it = at_.warps_[w];
        mask(it.resource)[w / 64] &= ~detail::simulate::bit_of(w);
        for (std::uint64_t n = 1;; ++n) {
            const unit_kind unit = stream_[it.at].unit;
            issue(w, it);
            if (unit == unit_kind::barrier) return arrive(w);
            if (it.at == stream_.size()) return retire(w, it);
            it.resource = resource_of(stream_[it.at].unit);
            const std::uint64_t needed = needs_of(w, it);
            if (n < issues_ && needed >> 1 <= now_ && ready_[it.resource] <= now_) continue;
            return sleep(w, it, needed);
        }
    }

    // When what the next entry needs is there, as in `times_`. A barrier needs all results.
    [[nodiscard]] std::uint64_t needs_of(std::size_t w, const sm_workspace::warp& it) const {
        if (stream_[it.at].unit == unit_kind::barrier) return it.last_result;
        const std::uint64_t* const times = &at_.times_[w * slots_];
        const auto& needs = entries_[it.at].needs;
        return core::max(core::max(times[needs[0]], times[needs[1]]), times[needs[2]]);
    }

    void sleep(std::size_t w, sm_workspace::warp& it, std::uint64_t needed) {
        it.waits_for_memory = (needed & 1) != 0;
        asleep_for_memory_ += it.waits_for_memory;
        ++asleep_;
        at_.sleepers_.sleep(w, core::max(needed >> 1, now_ + 1));
    }

    void issue(std::size_t w, sm_workspace::warp& it) {
        const instruction& i = stream_[it.at];
        const std::size_t resource = it.resource;
        std::uint64_t completes = now_ + 1;
        const double parts =
            uses_load_store_units(i.unit) && i.transactions > 1 ? i.transactions : 1;
        if (resource == memory) {
            const double done = occupy(index(sm_unit::load_store), parts);
            completes = rounded_up(core::max(request(i), done));
        } else if (resource != nothing) {
            const double done = occupy(resource, parts);
            const double later = (parts - 1) * p_.warp_size / p_.lanes[resource];
            completes =
                rounded_up(core::max(static_cast<double>(now_) + latency_of(i.unit) + later, done));
        }
        const bool far = i.unit == unit_kind::global_memory || i.unit == unit_kind::l2_cache;
        const std::uint64_t time = completes << 1 | static_cast<std::uint64_t>(far);
        at_.times_[w * slots_ + entries_[it.at].result] = time;
        it.last_result = core::max(it.last_result, time);
        ++e_.warp_instructions;
        observe_(sm_event{.cycle = now_,
                          .completes = completes,
                          .warp = static_cast<std::uint32_t>(w),
                          .entry = it.at,
                          .unit = i.unit});
        advance(it);
    }

    // A unit works off lanes' worth of threads in every cycle; it can start what it cannot finish in
    // this cycle, but nothing after it (P6). Returns when it has finished.
    double occupy(std::size_t unit, double parts) {
        const double work = p_.warp_size * parts;
        const double from = static_cast<double>(now_) * p_.lanes[unit];
        work_until_[unit] = core::max(work_until_[unit], from) + work;
        work_[unit] += work;
        const double done = work_until_[unit] / p_.lanes[unit];
        if (work_until_[unit] >= from + p_.lanes[unit]) {
            ready_[unit] = static_cast<std::uint64_t>(done);
            drop(unit);
            if (unit == index(sm_unit::load_store)) ready_memory();
        }
        return done;
    }

    // Warps that need a resource that is not ready any more cannot issue in this cycle.
    void drop(std::size_t resource) {
        for (std::size_t i = 0; i < words_; ++i) at_.eligible_[i] &= ~mask(resource)[i];
    }

    // --- The memory queue: first in, first out (P1)

    // The queue takes requests while fewer bytes are under way than the bandwidth moves in the
    // time of one access (Little's law), and sends them one after the other.
    double request(const instruction& i) {
        const double bytes = bytes_of(i);
        const double departs = core::max(static_cast<double>(now_), queue_free_from_);
        queue_free_from_ = departs + bytes / p_.dram_bytes_per_cycle;
        const double there = core::max(departs + p_.dram_latency_cycles, queue_free_from_);
        const std::uint64_t completes = rounded_up(there);
        if (queued_ == at_.queue_.size()) grow_queue();
        at_.queue_[(queue_head_ + queued_) & (at_.queue_.size() - 1)] = {completes, bytes};
        ++queued_;
        queued_bytes_ += bytes;
        e_.dram_bytes += bytes;
        if (queued_bytes_ >= capacity_bytes_) refuse_until_free();
        return there;
    }

    void refresh_queue() {
        if (queue_ready_ != 0 && queue_ready_ <= now_) refuse_until_free();
    }

    void refuse_until_free() {
        forget_completed();
        queue_ready_ = queued_bytes_ >= capacity_bytes_ ? at_.queue_[queue_head_].completes : 0;
        ready_memory();
    }

    void forget_completed() {
        while (queued_ > 0 && at_.queue_[queue_head_].completes <= now_) {
            queued_bytes_ -= at_.queue_[queue_head_].bytes;
            queue_head_ = (queue_head_ + 1) & (at_.queue_.size() - 1);
            --queued_;
        }
    }

    // While the queue is not full, what has completed stays in it.
    void grow_queue() {
        forget_completed();
        if (queued_ < at_.queue_.size()) return;
        if (queued_ > most_requests_ / 2) fail("dram_latency_cycles");
        std::vector<sm_workspace::request> larger(2 * at_.queue_.size());
        for (std::size_t i = 0; i < queued_; ++i) {
            larger[i] = at_.queue_[(queue_head_ + i) & (at_.queue_.size() - 1)];
        }
        at_.queue_ = std::move(larger);
        queue_head_ = 0;
    }

    void ready_memory() {
        ready_[memory] = core::max(ready_[index(sm_unit::load_store)], queue_ready_);
        if (ready_[memory] > now_) drop(memory);
    }

    // --- Barriers and ends

    void arrive(std::size_t w) {
        const std::size_t b = w / warps_per_block_;
        ++at_barrier_;
        if (++at_.blocks_[b].at_barrier < warps_per_block_) return;
        at_barrier_ -= warps_per_block_;
        at_.blocks_[b].at_barrier = 0;
        for (std::size_t o = b * warps_per_block_; o < (b + 1) * warps_per_block_; ++o) {
            sm_workspace::warp& it = at_.warps_[o];
            it.last_result = core::max(it.last_result, (now_ + 1) << 1);
            if (it.at == stream_.size()) {
                retire(o, it);
            } else {
                it.resource = resource_of(stream_[it.at].unit);
                sleep(o, it, 0);
            }
        }
    }

    // A warp has ended when all its results are there (P7).
    void retire(std::size_t w, const sm_workspace::warp& it) {
        sm_workspace::block& b = at_.blocks_[w / warps_per_block_];
        b.end = core::max(b.end, it.last_result >> 1);
        last_result_ = core::max(last_result_, it.last_result);
        --unfinished_;
    }

    // --- Cycles without an issue

    // The next cycle in which anything changes; those until then count for what holds most warps up.
    std::uint64_t wait() {
        std::uint64_t next = at_.sleepers_.next();
        std::uint64_t busy = 0;
        std::uint64_t queue = 0;
        for (std::size_t r = 0; r < nothing; ++r) {
            const std::uint64_t warps = count(r);
            if (warps == 0) continue;
            next = core::min(next, ready_[r]);
            if (r == memory && queue_ready_ > now_) {
                queue = warps;
                next = core::min(next, queue_ready_);  // from then on they wait for the unit alone
            } else {
                busy += warps;
            }
        }
        stall(next - now_, queue, busy);
        return next;
    }

    [[nodiscard]] std::uint64_t count(std::size_t resource) {
        std::uint64_t warps = 0;
        for (std::size_t i = 0; i < words_; ++i) {
            warps += static_cast<std::uint64_t>(std::popcount(mask(resource)[i]));
        }
        return warps;
    }

    void stall(std::uint64_t cycles, std::uint64_t queue, std::uint64_t busy) {
        std::uint64_t most = queue;
        std::uint64_t* reason = &e_.stalls.memory_queue;
        const auto compare = [&](std::uint64_t warps, std::uint64_t& why) {
            if (warps > most) {
                most = warps;
                reason = &why;
            }
        };
        compare(busy, e_.stalls.unit_busy);
        compare(asleep_for_memory_, e_.stalls.memory_dependence);
        compare(asleep_ - asleep_for_memory_, e_.stalls.dependence);
        compare(at_barrier_, e_.stalls.barrier);
        *reason += cycles;
    }

    void finish() {
        e_.cycles = last_result_ >> 1;
        // After the last issue, results are waited for.
        std::uint64_t& drained =
            (last_result_ & 1) != 0 ? e_.stalls.memory_dependence : e_.stalls.dependence;
        drained += e_.cycles - now_;
        const auto cycles = static_cast<double>(e_.cycles);
        e_.issue_utilisation =
            static_cast<double>(e_.issue_slots) / (static_cast<double>(schedulers_) * cycles);
        for (std::size_t u = 0; u < sm_units; ++u) {
            if (p_.lanes[u] > 0) e_.unit_utilisation[u] = work_[u] / (p_.lanes[u] * cycles);
        }
        e_.dram_utilisation = e_.dram_bytes / (p_.dram_bytes_per_cycle * cycles);
        double ends = 0;
        at_.block_ends_.clear();
        for (const sm_workspace::block& b : at_.blocks_) {
            at_.block_ends_.push_back(b.end);
            ends += static_cast<double>(b.end);
        }
        e_.mean_block_end_cycles = ends / static_cast<double>(at_.blocks_.size());
    }

    std::span<const instruction> stream_;
    std::span<const detail::simulate::entry_slots> entries_;
    const sm_parameters& p_;
    warp_policy policy_;
    sm_workspace& at_;
    Observer& observe_;
    std::size_t warps_per_block_;
    std::size_t warps_;
    std::size_t words_;
    std::size_t slots_;
    std::uint64_t schedulers_;
    std::uint64_t issues_;
    std::uint64_t most_requests_;

    std::uint64_t now_;
    std::array<std::uint64_t, resources> ready_{};  // first cycle in which a resource can be got
    std::array<double, sm_units> work_until_{};     // in threads: cycles x lanes
    std::array<double, sm_units> work_{};
    double capacity_bytes_ = 0;
    double queue_free_from_ = 0;  // cycle
    double queued_bytes_ = 0;
    std::size_t queue_head_ = 0;
    std::size_t queued_ = 0;
    std::uint64_t queue_ready_ = 0;  // 0: not full
    std::size_t cursor_ = 0;
    std::size_t unfinished_ = 0;
    std::uint64_t asleep_ = 0;
    std::uint64_t asleep_for_memory_ = 0;
    std::uint64_t at_barrier_ = 0;
    std::uint64_t last_result_ = 0;
    sm_estimate e_{};
    model_error failure_{};
};

/// That every instruction can be issued at some time.
inline model_error check_units(std::span<const instruction> stream, const sm_parameters& p) {
    for (std::size_t at = 0; at < stream.size(); ++at) {
        const instruction& i = stream[at];
        const auto entry = static_cast<std::uint32_t>(at + 1);
        const std::size_t unit = unit_of(i.unit, p);
        if (unit < sm_units && !(p.lanes[unit] > 0)) {
            return {errc::not_positive, lane_fields[unit], entry};
        }
        if (is_memory(i) && i.transactions <= 1 && i.bytes == 0) {
            return stream_error(errc::malformed, at);
        }
        if (is_memory(i) && i.transactions > 1 && !(p.dram_transaction_bytes > 0)) {
            return {errc::missing, "dram_transaction_bytes", entry};
        }
    }
    return {};
}

}  // namespace detail::simulate

/// Simulates the blocks of `r` on one SM until the last result is there. `observer(event)` is called
/// at every issue, in order of cycles. Memory is taken from `space`, before the first cycle.
/// \errors as `instructions.hpp`, for the stream; besides
///         negative, outside_domain, overflow  a figure of `p`: latencies are 1 to 65536 cycles,
///                                             lanes and schedulers whole numbers
///         not_positive   `blocks`, `warps_per_block`; or a figure of units, with the entry of the
///                        stream that could never be issued
///         malformed      `instructions`: an access to global memory moves no bytes
///         missing        `dram_transaction_bytes`, with the entry that takes several
///         limit_reached  `instructions`: past `caps`; `cycles`: past 2^40; `blocks` or
///                        `warps_per_block`: past `most_sm_warps`; `dram_latency_cycles`: more
///                        requests under way than `caps`
template <class Observer = detail::simulate::no_observer>
[[nodiscard]] result<sm_estimate> simulate_sm(std::span<const instruction> stream,
                                              const sm_parameters& p, const sm_residency& r,
                                              warp_policy policy, const simulation_caps& caps,
                                              sm_workspace& space, Observer&& observer = {}) {
    const auto mix = mix_of(stream);
    if (!mix) return mix.error();
    if (const auto bad = detail::simulate::check_sm(p)) return bad;
    if (const auto bad = detail::simulate::check_units(stream, p)) return bad;
    if (r.blocks == 0) return model_error{errc::not_positive, "blocks"};
    if (r.warps_per_block == 0) return model_error{errc::not_positive, "warps_per_block"};
    if (r.start_cycle > detail::simulate::most_cycles)
        return model_error{errc::overflow, "start_cycle"};
    if (r.warps_per_block > most_sm_warps) {
        return model_error{errc::limit_reached, "warps_per_block"};
    }
    if (r.blocks > most_sm_warps / r.warps_per_block) {
        return model_error{errc::limit_reached, "blocks"};
    }
    const std::uint64_t warps = r.blocks * r.warps_per_block;
    if (mix->executed() * static_cast<double>(warps) >
            static_cast<double>(caps.warp_instructions) ||
        stream.size() > caps.words / 8) {
        return model_error{errc::limit_reached, "instructions"};
    }
    return detail::simulate::sm_machine<std::remove_reference_t<Observer>>::simulate(
        stream, p, r, policy, caps, space, observer);
}

}  // namespace warpgauge

#endif
