// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_MEMORY_QUEUE_HPP
#define WARPGAUGE_SIMULATE_MEMORY_QUEUE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/caps.hpp>

/// \file The requests of an SM to L2 or DRAM: first in, first out (P1 of docs/hybrid.md).
///
/// The queue takes requests while fewer bytes are under way than the bandwidth moves in the time of one
/// access (Little's law), and sends them one after the other. Time is counted in whole ticks, 2^22 a cycle, so
/// that what a queue does depends on the time since, never on how late it is; a request takes its time
/// rounded up.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

struct memory_queue_options {
    double bytes_per_cycle{};
    double latency_cycles{};
    double min_request_bytes{};        ///< no request is smaller; memory is taken for so many
    std::size_t max_requests{};        ///< under way at a time; more are a failure
    std::string_view latency_field{};  ///< what the failure calls the latency
    /// From the request on before which so many bytes were requested, `last_bytes_per_cycle` holds.
    double last_from_bytes = core::infinity<double>();
    double last_bytes_per_cycle{};
};

/// Since an earlier cycle: how many ticks less or more a queue's phase could have been then, for every request since to be
/// answered in the same cycle; and whether its phase would now differ by as many. The phase is the time beyond that cycle
/// at which the last request has passed, 0 if that was before.
struct queue_margin {
    std::uint64_t less{};
    std::uint64_t more{};
    bool carried{};

    /// As far as nothing happens.
    static constexpr queue_margin any() { return {~std::uint64_t{0}, ~std::uint64_t{0}, true}; }
    /// As far as `later` happens then, too.
    constexpr void narrow(const queue_margin& later) {
        if (!carried) return;
        less = core::min(less, later.less);
        more = core::min(more, later.more);
        carried = later.carried;
    }
};

template <class = core::when_used>
class memory_queue {
public:
    void reset(const memory_queue_options& options) {
        options_ = options;
        last_ = false;
        latency_ticks_ = ticks_of(options.latency_cycles);
        moved_bytes_ = first_bytes_ = 0;
        use_rate(options.bytes_per_cycle);
        if (!(options.last_from_bytes > 0)) use_last_rate();
        // Also if it was larger before, since it must not depend on that whether too many are under way.
        requests_.resize(std::bit_ceil(expected_requests()));
        head_ = size_ = 0;
        queued_bytes_ = 0;
        free_from_ = ready_ = 0;
        margin_ = {};
    }

    /// The first cycle in which a full queue takes a request again; 0 while it is not full.
    [[nodiscard]] std::uint64_t ready() const { return ready_; }
    /// All bytes requested so far.
    [[nodiscard]] double moved_bytes() const { return moved_bytes_; }
    /// Cycles that the bandwidth takes for them.
    [[nodiscard]] double busy_cycles() const {
        return first_bytes_ / options_.bytes_per_cycle +
               (moved_bytes_ > first_bytes_
                    ? (moved_bytes_ - first_bytes_) / options_.last_bytes_per_cycle
                    : 0);
    }
    /// Counts bytes that were requested and answered while nobody looked, at the rate that holds.
    void add_moved(double bytes) {
        moved_bytes_ += bytes;
        if (!last_) first_bytes_ += bytes;
    }
    /// From so many bytes on it holds.
    [[nodiscard]] double last_from_bytes() const { return options_.last_from_bytes; }
    /// Whether the last rate holds.
    [[nodiscard]] bool last() const { return last_; }

    /// Sends a request in cycle `now`. Returns the cycle in which it is answered.
    std::uint64_t request(double bytes, std::uint64_t now, model_error& failure) {
        if (!last_ && moved_bytes_ >= options_.last_from_bytes) use_last_rate();
        const std::uint64_t ticks = now * ticks_per_cycle;
        const std::uint64_t departs = core::max(ticks, free_from_);
        if (margin_.carried) {
            margin_.narrow({free_from_ - ticks, ticks - free_from_, free_from_ >= ticks});
        }
        free_from_ = departs + ticks_to_pass(bytes);
        const std::uint64_t answered = core::max(departs + latency_ticks_, free_from_);
        const std::uint64_t completes = (answered - 1) / ticks_per_cycle + 1;
        if (margin_.carried) narrow(answered, completes);
        if (completes > max_simulated_cycles) failure = {errc::limit_reached, "cycles"};
        if (size_ == requests_.size()) grow(now, failure);
        requests_[(head_ + size_) & (requests_.size() - 1)] = {completes, bytes};
        ++size_;
        queued_bytes_ += bytes;
        moved_bytes_ += bytes;
        if (!last_) first_bytes_ += bytes;
        if (queued_bytes_ >= capacity_bytes_) update(now);
        return completes;
    }

    /// The same, of a request that is answered after another latency, but not before its bytes have passed. It keeps its
    /// place in the queue as long as any other.
    std::uint64_t request(double bytes, double latency_cycles, std::uint64_t now,
                          model_error& failure) {
        const std::uint64_t departs = core::max(now * ticks_per_cycle, free_from_);
        request(bytes, now, failure);
        const std::uint64_t answered = core::max(departs + ticks_of(latency_cycles), free_from_);
        const std::uint64_t completes = (answered - 1) / ticks_per_cycle + 1;
        if (margin_.carried) narrow(answered, completes);
        if (completes > max_simulated_cycles) failure = {errc::limit_reached, "cycles"};
        return completes;
    }

    /// The ticks from the begin of cycle `now` until the last request has passed; 0 if it has.
    [[nodiscard]] std::uint64_t phase(std::uint64_t now) const {
        const std::uint64_t ticks = now * ticks_per_cycle;
        return free_from_ > ticks ? free_from_ - ticks : 0;
    }
    void set_phase(std::uint64_t now, std::uint64_t phase) {
        free_from_ = now * ticks_per_cycle + phase;
    }
    /// The margin since this was called last. A phase of 0 has none.
    queue_margin take_margin(std::uint64_t now) {
        const std::uint64_t left = phase(now);
        if (margin_.carried) {
            margin_.narrow({left > 0 ? left - 1 : ~left,
                            left > 0 ? ~std::uint64_t{0} : now * ticks_per_cycle - free_from_,
                            left > 0});
        }
        const queue_margin since = margin_;
        margin_ = left > 0 ? queue_margin{left - 1, ~std::uint64_t{0}, true} : queue_margin{};
        return since;
    }

    /// Forgets what has completed, and finds out whether the queue is still full.
    void update(std::uint64_t now) {
        forget_completed(now);
        find_ready();
    }

    /// Calls `visit(word)` for all but the phase that decides what the queue does from cycle `now` on, times counted from it.
    /// What is under way decides whether it is full.
    template <class Visitor>
    void for_each_word(std::uint64_t now, Visitor& visit) const {
        for (std::size_t i = 0; i < size_; ++i) {
            const sent_request& r = requests_[(head_ + i) & (requests_.size() - 1)];
            if (r.completes <= now) continue;
            visit(r.completes - now);
            visit(__builtin_bit_cast(std::uint64_t, r.bytes));  // libc++ 13 has no std::bit_cast
        }
        visit(0);
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    void read_words(std::uint64_t now, Reader& next) {
        head_ = size_ = 0;
        queued_bytes_ = 0;
        for (std::uint64_t completes = next(); completes > 0; completes = next()) {
            const std::uint64_t word = next();
            const auto bytes = __builtin_bit_cast(double, word);
            requests_[size_++] = {now + completes, bytes};
            queued_bytes_ += bytes;
        }
        find_ready();
    }

private:
    struct sent_request {
        std::uint64_t completes{};
        double bytes{};
    };

    static constexpr std::uint64_t ticks_per_cycle = std::uint64_t{1} << 22;

    // Rounded up, but for what the division that gave `cycles` may have rounded.
    static std::uint64_t ticks_of(double cycles) {
        constexpr double exact = 1 - 0x1p-51;
        const double ticks = cycles * (static_cast<double>(ticks_per_cycle) * exact);
        return static_cast<std::uint64_t>(core::ceil(core::min(ticks, 0x1p63)));
    }

    // Most requests are as large as the one before.
    std::uint64_t ticks_to_pass(double bytes) {
        if (!(bytes == passing_bytes_)) {
            passing_bytes_ = bytes;
            passing_ticks_ = ticks_of(bytes / bytes_per_cycle_);
        }
        return passing_ticks_;
    }

    void use_rate(double bytes_per_cycle) {
        bytes_per_cycle_ = bytes_per_cycle;
        passing_bytes_ = 0;
        passing_ticks_ = 0;
        capacity_bytes_ = bytes_per_cycle * (options_.latency_cycles + 1);
    }
    void use_last_rate() {
        last_ = true;
        use_rate(options_.last_bytes_per_cycle);
    }

    // A request that is answered at a tick completes in the same cycle if that is a bit earlier or later.
    void narrow(std::uint64_t answered, std::uint64_t completes) {
        const std::uint64_t later = completes * ticks_per_cycle - answered;
        margin_.narrow({ticks_per_cycle - 1 - later, later, true});
    }

    // At most so many requests are under way at a time on any real device. On others the queue grows.
    [[nodiscard]] std::size_t expected_requests() const {
        return static_cast<std::size_t>(
            core::min(capacity_bytes_ / options_.min_request_bytes + 2, 65'536.0));
    }

    void forget_completed(std::uint64_t now) {
        while (size_ > 0 && requests_[head_].completes <= now) {
            queued_bytes_ -= requests_[head_].bytes;
            head_ = (head_ + 1) & (requests_.size() - 1);
            --size_;
        }
    }

    // Of a queue without completed requests.
    void find_ready() {
        ready_ = queued_bytes_ >= capacity_bytes_ ? requests_[head_].completes : 0;
    }

    // While the queue is not full, completed requests stay in it.
    void grow(std::uint64_t now, model_error& failure) {
        forget_completed(now);
        if (size_ < requests_.size()) return;
        if (size_ > options_.max_requests / 2) {
            failure = {errc::limit_reached, options_.latency_field};
        }
        // The full ring goes on behind its end, where what was before its head follows.
        const std::size_t full = requests_.size();
        requests_.resize(2 * full);
        for (std::size_t i = 0; i < head_; ++i) requests_[full + i] = requests_[i];
    }

    memory_queue_options options_{};
    std::vector<sent_request> requests_;  // a ring, of a power of two
    std::size_t head_ = 0;
    std::size_t size_ = 0;
    double bytes_per_cycle_ = 0;  // that hold now
    double capacity_bytes_ = 0;
    double queued_bytes_ = 0;
    double moved_bytes_ = 0;
    double first_bytes_ = 0;    // of them, before the last rate held
    double passing_bytes_ = 0;  // of the last request, and how long they take
    std::uint64_t passing_ticks_ = 0;
    std::uint64_t latency_ticks_ = 0;
    std::uint64_t free_from_ = 0;  // tick at which the last request has passed
    std::uint64_t ready_ = 0;
    bool last_ = false;
    queue_margin margin_{};
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
