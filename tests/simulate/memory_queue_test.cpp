// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/memory_queue.hpp>

#include "move_words.hpp"

namespace memory_queue_test {

using namespace warpgauge;
using detail::simulate::memory_queue;
using detail::simulate::memory_queue_options;
using detail::simulate::queue_margin;

namespace {

memory_queue<> queue_of(double bytes_per_cycle, double latency, double smallest = 128,
                        std::size_t most = 1'000'000) {
    memory_queue<> q;
    q.reset({.bytes_per_cycle = bytes_per_cycle,
             .latency_cycles = latency,
             .min_request_bytes = smallest,
             .max_requests = most,
             .latency_field = "a_latency"});
    return q;
}

using words = std::vector<std::uint64_t>;

words words_of(const memory_queue<>& q, std::uint64_t now) {
    words all;
    auto add = [&](std::uint64_t word) { all.push_back(word); };
    q.for_each_word(now, add);
    return all;
}

constexpr std::uint64_t ticks = std::uint64_t{1} << 22;  // of a cycle

}  // namespace

TEST_CASE("requests depart one after the other, and each takes the latency") {
    auto q = queue_of(16, 400);
    model_error failure;
    CHECK(q.request(128, 10, failure) == 410);
    CHECK(q.request(128, 10, failure) == 418);  // 128 B pass in 8 cycles
    CHECK(q.request(128, 11, failure) == 426);
    CHECK(q.request(128, 100, failure) == 500);  // the queue has run empty
    CHECK(q.moved_bytes() == 4 * 128);
    CHECK(q.ready() == 0);
    CHECK_FALSE(failure);
}

TEST_CASE("a request that takes longer than the latency is there when it has passed") {
    auto q = queue_of(1, 400);
    model_error failure;
    CHECK(q.request(1000, 0, failure) == 1000);
}

TEST_CASE("a request with a latency of its own: those behind it wait as behind any other") {
    auto q = queue_of(16, 400);
    model_error failure;
    CHECK(q.request(128, 50.5, 0, failure) == 51);
    CHECK(q.request(128, 0, failure) == 408);
    CHECK(q.request(128, 600, 0, failure) == 616);
    CHECK(q.request(1600, 1, 100, failure) == 200);  // its bytes have not passed before
    CHECK(q.request(128, 400, 300, failure) == 700);
    CHECK(q.moved_bytes() == 4 * 128 + 1600);
    CHECK_FALSE(failure);
    q.request(128, 1e18, 300, failure);
    CHECK(failure == model_error{errc::limit_reached, "cycles"});
}

TEST_CASE("the queue is full with the bytes of one access's time under way (Little's law)") {
    auto q = queue_of(128, 9);  // 10 x 128 B
    model_error failure;
    for (int i = 0; i < 9; ++i) q.request(128, 0, failure);
    CHECK(q.ready() == 0);
    q.request(128, 0, failure);
    CHECK(q.ready() == 9);  // when the first request is answered
    q.update(8);
    CHECK(q.ready() == 9);
    q.update(9);
    CHECK(q.ready() == 0);
    // Requests are answered one a cycle from now on: the bandwidth, and no more.
    CHECK(q.request(128, 9, failure) == 19);
    CHECK(q.ready() == 10);
    q.update(100);
    CHECK(q.ready() == 0);
    CHECK(q.request(128, 100, failure) == 109);
}

TEST_CASE("what decides of a queue: when it is free and ready, and what is under way") {
    auto q = queue_of(128, 3);  // full with four requests; one passes in a cycle
    model_error failure;
    const std::uint64_t size = std::bit_cast<std::uint64_t>(128.0);
    for (std::uint64_t i = 0; i < 4; ++i) CHECK(q.request(128, 10, failure) == 13 + i);
    CHECK(words_of(q, 11) == words{2, size, 3, size, 4, size, 5, size, 0});
    CHECK(words_of(q, 13) == words{1, size, 2, size, 3, size, 0});
    q.update(14);
    CHECK(q.request(128, 14, failure) == 17);
    CHECK(words_of(q, 14) == words{1, size, 2, size, 3, size, 0});
    CHECK(words_of(q, 17) == words{0});
    CHECK(q.phase(11) == 4 * ticks);
    CHECK(q.phase(15) == 0);
    CHECK(q.phase(99) == 0);
}

TEST_CASE("a ring of few requests grows, in order") {
    auto q = queue_of(1, 100, 65'536);  // expects no more than two requests
    model_error failure;
    for (std::uint64_t i = 0; i < 100; ++i) CHECK(q.request(1, i, failure) == 100 + i);
    CHECK_FALSE(failure);
    CHECK(q.ready() == 0);
    CHECK(q.request(1, 99, failure) == 200);
    CHECK(q.ready() == 100);
    for (std::uint64_t now = 100; now < 150; ++now) {
        q.update(now);
        CHECK(q.ready() == 0);
        CHECK(q.request(1, now, failure) == 101 + now);
        CHECK(q.ready() == now + 1);
    }
}

TEST_CASE("a request takes its time rounded up to a tick, however late it is") {
    for (const double rate : {25.77, 0.3, 12.8, 100.0 / 3}) {
        CAPTURE(rate);
        auto early = queue_of(rate, 400.5);
        auto late = queue_of(rate, 400.5);
        const std::uint64_t shift = (std::uint64_t{1} << 39) + 7;
        model_error failure;
        for (std::uint64_t i = 0; i < 50; ++i) {
            CHECK(late.request(128, shift + i, failure) == shift + early.request(128, i, failure));
        }
        CHECK_FALSE(failure);
        CHECK(early.busy_cycles() == doctest::Approx(50 * 128 / rate).epsilon(1e-12));
    }
    auto thirds =
        queue_of(3, 0.1);  // a third of a tick is one, so three take two more than a cycle
    model_error none;
    CHECK(thirds.request(1, 0, none) == 1);
    CHECK(thirds.request(1, 0, none) == 1);
    CHECK(thirds.request(1, 0, none) == 2);
    CHECK(queue_of(1, 0.1).request(1 + 0x1p-22, 0, none) == 2);  // a tick more than a cycle
    auto even = queue_of(12.8, 1, 128);  // 10 cycles each, though 12.8 is no double
    model_error failure;
    for (std::uint64_t i = 1; i < 100; ++i) CHECK(even.request(128, 0, failure) == 10 * i);
}

TEST_CASE("the last rate holds from the request on before which so much was requested") {
    memory_queue<> q;
    const auto faster_from = [&](double bytes) {
        q.reset({.bytes_per_cycle = 1,
                 .latency_cycles = 1,
                 .min_request_bytes = 10,
                 .max_requests = 100,
                 .last_from_bytes = bytes,
                 .last_bytes_per_cycle = 10});
    };
    model_error failure;
    faster_from(20);
    CHECK(q.request(10, 0, failure) == 10);
    CHECK(q.request(10, 0, failure) == 20);
    CHECK_FALSE(q.last());
    CHECK(q.request(10, 0, failure) == 21);
    CHECK(q.last());
    CHECK(q.moved_bytes() == 30);
    CHECK(q.busy_cycles() == 21);
    q.add_moved(7);  // at the last rate
    CHECK(q.moved_bytes() == 37);
    CHECK(q.busy_cycles() == 20 + 17.0 / 10);

    faster_from(0);
    CHECK(q.last());

    faster_from(20);
    CHECK(q.request(10, 0, failure) == 10);
    q.add_moved(7);  // before the last rate holds
    CHECK(q.moved_bytes() == 17);
    CHECK(q.busy_cycles() == 17);
}

TEST_CASE("a queue can be used again for another one") {
    auto q = queue_of(128, 9);
    model_error failure;
    for (int i = 0; i < 10; ++i) q.request(128, 0, failure);
    q.reset({.bytes_per_cycle = 16,
             .latency_cycles = 400,
             .min_request_bytes = 128,
             .max_requests = 9});
    CHECK(q.ready() == 0);
    CHECK(q.moved_bytes() == 0);
    CHECK(q.request(128, 3, failure) == 403);
}

TEST_CASE("how many requests may be under way does not depend on earlier uses") {
    constexpr memory_queue_options few{.bytes_per_cycle = 1,
                                       .latency_cycles = 100,
                                       .min_request_bytes = 65'536,
                                       .max_requests = 16,
                                       .latency_field = "a_latency"};
    memory_queue<> q = queue_of(128, 1000);  // expects a thousand requests
    q.reset(few);
    model_error failure;
    for (std::uint64_t i = 0; i < 16; ++i) q.request(1, 0, failure);
    CHECK_FALSE(failure);
    q.request(1, 0, failure);
    CHECK(failure == model_error{errc::limit_reached, "a_latency"});
}

TEST_CASE("failures: too many requests, too long a time") {
    auto q = queue_of(1, 100, 65'536, 16);
    model_error failure;
    for (std::uint64_t i = 0; i < 16; ++i) q.request(1, 0, failure);
    CHECK_FALSE(failure);
    q.request(1, 0, failure);
    CHECK(failure == model_error{errc::limit_reached, "a_latency"});
    failure = {};
    auto late = queue_of(128, 400);
    CHECK(late.request(128, max_simulated_cycles - 400, failure) == max_simulated_cycles);
    CHECK_FALSE(failure);
    late.request(128, max_simulated_cycles - 399, failure);
    CHECK(failure == model_error{errc::limit_reached, "cycles"});
    failure = {};
    auto slow = queue_of(1e-10, 400);
    slow.request(128, 0, failure);
    CHECK(failure == model_error{errc::limit_reached, "cycles"});
}

TEST_CASE("what is under way comes later together, and what has come stays") {
    auto q = queue_of(16, 9);  // full with 160 B
    model_error failure;
    CHECK(q.request(128, 0, failure) == 9);
    CHECK(q.request(128, 1, failure) == 17);
    CHECK(q.ready() == 9);
    auto late = queue_of(16, 9);
    late.request(128, 3, failure);  // forgotten
    move_words(q, 1, late, 1001);
    late.set_phase(1001, q.phase(1));
    CHECK(late.ready() == 1009);
    CHECK(words_of(late, 1001) == words_of(q, 1));
    late.update(1009);
    CHECK(late.ready() == 0);
    CHECK(late.request(128, 1010, failure) == 1025);  // behind the second
    CHECK_FALSE(failure);
    move_words(q, 20, late, 1020);  // all has come
    late.set_phase(1020, q.phase(20));
    CHECK(late.request(128, 1020, failure) == 1029);
}

TEST_CASE(
    "within a margin, requests are answered in the same cycles, and the phase differs by as much") {
    for (const double rate : {25.77, 12.8, 300.0}) {
        // Requests every 4 to 11 cycles, so that a queue runs empty or not, from a phase.
        const auto answers = [&](std::uint64_t phase, queue_margin& margin, std::uint64_t& then) {
            auto q = queue_of(rate, 40.5);
            model_error none;
            words all;
            q.set_phase(100, phase);
            q.take_margin(100);
            std::uint64_t now = 100;
            for (std::uint64_t i = 0; i < 12; ++i) {
                all.push_back(q.request(128, now, none));
                now += rate < 20 ? 4 + i % 8 : 2 + i % 4;
            }
            then = q.phase(now);
            margin = q.take_margin(now);
            return all;
        };
        int carried = 0;
        for (std::uint64_t phase = 0; phase < 12 * ticks; phase += ticks / 3) {
            CAPTURE(rate);
            CAPTURE(phase);
            queue_margin margin;
            queue_margin unused;
            std::uint64_t then = 0;
            const words all = answers(phase, margin, then);
            carried += margin.carried ? 1 : 0;
            CHECK(margin.less <= phase);
            CHECK((margin.more <= 100 * ticks || margin.less == phase));
            const std::uint64_t more = std::min(margin.more, 100 * ticks);
            for (const std::uint64_t other :
                 {phase - margin.less, phase + more / 2, phase + more}) {
                std::uint64_t other_then = 0;
                CHECK(answers(other, unused, other_then) == all);
                CHECK(other_then == (margin.carried ? then + other - phase : then));
            }
        }
        CHECK((carried > 0) == (rate < 300));
        CHECK(carried < 37);
    }
}

TEST_CASE("a margin begins with the phase, and every request and look narrows it") {
    constexpr std::uint64_t cycle = std::uint64_t{1} << 22;  // in ticks
    model_error failure;
    // A quarter of a cycle each, answered a quarter before a whole one.
    memory_queue<> q = queue_of(2, 10.5);
    q.request(0.5, 0, failure);
    CHECK_FALSE(q.take_margin(0).carried);
    q.request(0.5, 0, failure);
    const queue_margin one = q.take_margin(0);
    CHECK(one.less == cycle / 4 - 1);
    CHECK(one.more == cycle / 4);
    CHECK(one.carried);
    // Two and a half cycles from the third on; then a quarter, half a cycle before it can depart.
    memory_queue<> late = queue_of(2, 10.5);
    late.request(5, 3, failure);
    late.take_margin(3);
    late.request(0.5, 5, failure);
    const queue_margin half = late.take_margin(5);
    CHECK(half.less == cycle / 2);
    CHECK(half.more == 0);
    // Until cycle 7 all has passed, for a cycle and a quarter.
    const queue_margin passed = late.take_margin(7);
    CHECK(passed.less == cycle * 3 / 4 - 1);
    CHECK(passed.more == cycle * 5 / 4);
    CHECK_FALSE(passed.carried);
    // A look narrows it to the phase of its cycle; a request answered with a cycle's end, to a cycle.
    memory_queue<> looked = queue_of(2, 10.5);
    looked.request(5, 3, failure);
    looked.take_margin(3);
    CHECK(looked.take_margin(4).less == cycle * 3 / 2 - 1);
    memory_queue<> whole = queue_of(2, 10.5);
    whole.request(5, 3, failure);
    whole.take_margin(3);
    whole.request(0.5, 3, failure);
    CHECK(whole.take_margin(3).less == cycle - 1);
    CHECK_FALSE(failure);
}

TEST_CASE("what may happen before later requests leaves their margins") {
    queue_margin m = queue_margin::any();
    m.narrow({5, 7, true});
    m.narrow({6, 3, true});
    CHECK(m.less == 5);
    CHECK(m.more == 3);
    m.narrow({4, 9, false});
    m.narrow({1, 1, true});
    CHECK(m.less == 4);
    CHECK(m.more == 3);
    CHECK_FALSE(m.carried);
}

TEST_CASE("a queue whose head completes in this very cycle is full with the rest") {
    model_error failure;
    memory_queue<> q = queue_of(12, 5, 1);  // full with 72 B
    q.request(1, 0, failure);
    q.request(40, 0, failure);
    q.request(40, 0, failure);
    CHECK(q.ready() == 5);
    memory_queue<> other = queue_of(12, 5, 1);
    move_words(q, 5, other, 105);
    q.update(5);
    CHECK(q.ready() == 6);
    CHECK(other.ready() == 106);
    CHECK_FALSE(failure);
}

TEST_CASE("a queue that goes on from words is full with what is under way") {
    model_error failure;
    memory_queue<> q = queue_of(128, 1);  // full with 256 B
    memory_queue<> other = queue_of(128, 1);
    q.request(128, 0, failure);
    move_words(q, 0, other, 100);
    CHECK(other.ready() == 0);
    other.request(128, 100, failure);
    CHECK(other.ready() == 101);
    CHECK_FALSE(failure);
}

}  // namespace memory_queue_test
