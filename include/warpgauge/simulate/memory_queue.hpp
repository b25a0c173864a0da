// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_MEMORY_QUEUE_HPP
#define WARPGAUGE_SIMULATE_MEMORY_QUEUE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/caps.hpp>

/// \file The requests of an SM to DRAM: first in, first out (P1 of docs/hybrid.md).
///
/// The queue takes requests while fewer bytes are under way than the bandwidth moves in the time of one
/// access (Little's law), and sends them one after the other.

namespace warpgauge::detail::simulate {

struct memory_queue_options {
    double bytes_per_cycle{};
    double latency_cycles{};
    double min_request_bytes{};  ///< no request is smaller; memory is taken for so many
    std::size_t max_requests{};  ///< under way at a time; more are a failure
};

template <class = core::when_used>
class memory_queue {
public:
    void reset(const memory_queue_options& options) {
        options_ = options;
        capacity_bytes_ = options.bytes_per_cycle * (options.latency_cycles + 1);
        const std::size_t expected = expected_requests();
        if (requests_.size() < expected) requests_.resize(std::bit_ceil(expected));
        head_ = size_ = 0;
        free_from_ = queued_bytes_ = moved_bytes_ = 0;
        ready_ = 0;
    }

    /// The first cycle in which a full queue takes a request again; 0 while it is not full.
    [[nodiscard]] std::uint64_t ready() const { return ready_; }
    /// All bytes requested so far.
    [[nodiscard]] double moved_bytes() const { return moved_bytes_; }

    /// Sends a request in cycle `now`. Returns the time at which it is answered.
    double request(double bytes, std::uint64_t now, model_error& failure) {
        const double departs = core::max(static_cast<double>(now), free_from_);
        free_from_ = departs + bytes / options_.bytes_per_cycle;
        const double answered = core::max(departs + options_.latency_cycles, free_from_);
        const std::uint64_t completes = whole_cycles(answered, failure);
        if (size_ == requests_.size()) grow(now, failure);
        requests_[(head_ + size_) & (requests_.size() - 1)] = {completes, bytes};
        ++size_;
        queued_bytes_ += bytes;
        moved_bytes_ += bytes;
        if (queued_bytes_ >= capacity_bytes_) update(now);
        return answered;
    }

    /// Forgets what has completed, and finds out whether the queue is still full.
    void update(std::uint64_t now) {
        forget_completed(now);
        ready_ = queued_bytes_ >= capacity_bytes_ ? requests_[head_].completes : 0;
    }

private:
    struct sent_request {
        std::uint64_t completes{};
        double bytes{};
    };

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

    // While the queue is not full, completed requests stay in it.
    void grow(std::uint64_t now, model_error& failure) {
        forget_completed(now);
        if (size_ < requests_.size()) return;
        if (size_ > options_.max_requests / 2) {
            failure = {errc::limit_reached, "dram_latency_cycles"};
        }
        std::vector<sent_request> larger(2 * requests_.size());
        for (std::size_t i = 0; i < size_; ++i) {
            larger[i] = requests_[(head_ + i) & (requests_.size() - 1)];
        }
        requests_ = std::move(larger);
        head_ = 0;
    }

    memory_queue_options options_{};
    std::vector<sent_request> requests_;  // a ring, of a power of two
    std::size_t head_ = 0;
    std::size_t size_ = 0;
    double capacity_bytes_ = 0;
    double free_from_ = 0;  // cycle in which the last request has passed
    double queued_bytes_ = 0;
    double moved_bytes_ = 0;
    std::uint64_t ready_ = 0;
};

}  // namespace warpgauge::detail::simulate

#endif
