// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_MEMORY_PORTS_HPP
#define WARPGAUGE_SIMULATE_MEMORY_PORTS_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/memory_queue.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file What an SM has of the memories that all SMs share: a queue to L2, where its bandwidth is known, and behind it
/// one to DRAM. A request to DRAM passes both, and is answered when the later of them answers.
/// A request to L2 alone may wait longer, for data that others have asked DRAM for.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// Phases and margins of the queues to L2 and to DRAM.
struct queue_phases {
    std::uint64_t of[2]{};
};
struct queue_margins {
    queue_margin of[2]{};
};

template <class Used = core::when_used>
class memory_ports {
public:
    /// Of an SM on which all blocks but the last have `warps_before_last`.
    void reset(const sm_parameters& p, const decoded_stream<Used>& stream,
               std::uint64_t warps_before_last, const simulation_caps& caps) {
        const auto most = static_cast<std::size_t>(caps.words / 2);
        memory_queue_options dram{.bytes_per_cycle = p.dram_bytes_per_cycle,
                                  .latency_cycles = p.dram_latency_cycles,
                                  .min_request_bytes = stream.min_request_bytes(),
                                  .max_requests = most,
                                  .latency_field = "dram_latency_cycles"};
        if (p.last_dram_bytes_per_cycle > 0) {
            dram.last_bytes_per_cycle = p.last_dram_bytes_per_cycle;
            dram.last_from_bytes =
                static_cast<double>(warps_before_last) * stream.per_warp().dram_bytes;
        }
        dram_.reset(dram);
        has_l2_ = p.l2_bytes_per_cycle > 0;
        l2_.reset({.bytes_per_cycle = has_l2_ ? p.l2_bytes_per_cycle : 1,
                   .latency_cycles = p.l2_latency_cycles,
                   .min_request_bytes = stream.min_request_bytes(),
                   .max_requests = most,
                   .latency_field = "l2_latency_cycles"});
        find_due();
    }

    /// Sends the request of an entry in cycle `now`. Returns the cycle in which it is answered.
    std::uint64_t request(const decoded_entry& e, std::uint64_t now, model_error& failure) {
        std::uint64_t answered = 0;
        if (e.l2_bytes > 0) answered = l2_.request(e.l2_bytes, now, failure);
        if (e.own_latency_cycles > 0) [[unlikely]] {
            answered = core::max(answered, answer_after_own(e, now, failure));
        } else if (e.dram_bytes > 0) {
            answered = core::max(answered, dram_.request(e.dram_bytes, now, failure));
        }
        find_due();
        return answered;
    }

    /// The first cycle in which a request to L2 or to DRAM is taken again; 0 while none is held up.
    [[nodiscard]] std::uint64_t l2_ready() const { return l2_.ready(); }
    [[nodiscard]] std::uint64_t dram_ready() const { return core::max(l2_.ready(), dram_.ready()); }

    /// The same of the resource that an entry needs; 0 of one without a queue.
    [[nodiscard]] std::uint64_t ready(std::size_t resource) const {
        if (resource == l2_resource) return l2_ready();
        return resource == memory_resource ? dram_ready() : 0;
    }

    /// The first cycle in which to find out whether a full queue takes requests again; ~0 while none is full.
    [[nodiscard]] std::uint64_t due() const { return due_; }
    /// Finds out whether queues that were full by `now` take requests again.
    void update(std::uint64_t now) {
        if (l2_.ready() != 0 && l2_.ready() <= now) l2_.update(now);
        if (dram_.ready() != 0 && dram_.ready() <= now) dram_.update(now);
        find_due();
    }

    /// Counts what was requested and answered while nobody looked, at the rates that hold.
    void add_moved(double l2_bytes, double dram_bytes) {
        l2_.add_moved(l2_bytes);
        dram_.add_moved(dram_bytes);
    }

    [[nodiscard]] const memory_queue<Used>& l2() const { return l2_; }
    [[nodiscard]] const memory_queue<Used>& dram() const { return dram_; }

    /// As `memory_queue`.
    [[nodiscard]] queue_phases phases(std::uint64_t now) const {
        return {{l2_.phase(now), dram_.phase(now)}};
    }
    void set_phases(std::uint64_t now, const queue_phases& phases) {
        l2_.set_phase(now, phases.of[0]);
        dram_.set_phase(now, phases.of[1]);
    }
    queue_margins take_margins(std::uint64_t now) {
        return {{l2_.take_margin(now), dram_.take_margin(now)}};
    }

    /// Calls `visit(word)` for all but phases that decides what the queues do from cycle `now` on, times counted from it.
    template <class Visitor>
    void for_each_word(std::uint64_t now, Visitor& visit) const {
        if (has_l2_) l2_.for_each_word(now, visit);
        dram_.for_each_word(now, visit);
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    void read_words(std::uint64_t now, Reader& next) {
        if (has_l2_) l2_.read_words(now, next);
        dram_.read_words(now, next);
        find_due();
    }

private:
    // Where the levels of an entry are not those of all accesses.
    std::uint64_t answer_after_own(const decoded_entry& e, std::uint64_t now,
                                   model_error& failure) {
        const auto latency = static_cast<double>(e.own_latency_cycles);
        if (e.dram_bytes > 0) return dram_.request(e.dram_bytes, latency, now, failure);
        return now + static_cast<std::uint64_t>(core::ceil(latency));
    }

    void find_due() {
        constexpr std::uint64_t never = ~std::uint64_t{0};
        due_ = core::min(l2_.ready() != 0 ? l2_.ready() : never,
                         dram_.ready() != 0 ? dram_.ready() : never);
    }

    memory_queue<Used> l2_;
    memory_queue<Used> dram_;
    bool has_l2_ = false;
    std::uint64_t due_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
