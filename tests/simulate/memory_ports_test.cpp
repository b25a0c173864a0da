// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/memory_ports.hpp>

#include "move_words.hpp"
#include "plain_sm.hpp"

namespace memory_ports_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr sm_parameters with_l2 = [] {
    sm_parameters p =
        plain_sm({0, 32, 32, 32, 32});  // L2 answers in 101 cycles, DRAM in 400 at 16 B a cycle
    p.l2_bytes_per_cycle = 32;
    return p;
}();

struct ports {
    memory_ports<> memory{};
    decoded_stream<> stream{};

    explicit ports(const sm_parameters& p, std::uint64_t warps_before_last = 0,
                   const simulation_caps& caps = {}) {
        const std::vector<instruction> accesses{{.unit = unit_kind::l2_cache},
                                                {.unit = unit_kind::global_memory}};
        result_slots<> slots;
        slots.assign(accesses);
        stream.assign(accesses, slots, p);
        memory.reset(p, stream, warps_before_last, caps);
    }
    std::uint64_t request(std::size_t entry, std::uint64_t now) {
        model_error failure;
        const std::uint64_t answered = memory.request(stream.entries()[entry], now, failure);
        CHECK_FALSE(failure);
        return answered;
    }
};

}  // namespace

TEST_CASE("requests to L2 and DRAM pass the same port to the SM") {
    ports p(with_l2);
    CHECK(p.request(0, 0) == 101);
    CHECK(p.request(0, 0) == 105);  // 128 B behind
    CHECK(p.request(1, 0) == 400);
    CHECK(p.request(0, 0) == 113);  // behind what comes from DRAM
    CHECK(p.memory.l2().moved_bytes() == 4 * 128);
    CHECK(p.memory.dram().moved_bytes() == 128);
}

TEST_CASE("a full queue to L2 holds up both, a full queue to DRAM only its own") {
    ports p(with_l2);
    // Little's law: 32 B a cycle for 102 cycles are under way before it is full.
    for (int i = 0; i < 26; ++i) p.request(0, 0);
    CHECK(p.memory.l2_ready() == 101);
    CHECK(p.memory.dram_ready() == 101);
    CHECK(p.memory.due() == 101);
    CHECK(p.memory.ready(l2_resource) == 101);
    CHECK(p.memory.ready(memory_resource) == 101);
    CHECK(p.memory.ready(index_of(sm_unit::load_store)) == 0);
    p.memory.update(100);
    CHECK(p.memory.l2_ready() == 101);
    CHECK(p.memory.due() == 101);
    p.memory.update(101);
    CHECK(p.memory.l2_ready() == 0);
    CHECK(p.memory.due() == ~std::uint64_t{0});

    ports q(with_l2);
    for (int i = 0; i < 51; ++i) q.request(1, 7 * static_cast<std::uint64_t>(i));
    CHECK(q.memory.l2_ready() == 0);
    CHECK(q.memory.dram_ready() == 400);
    CHECK(q.memory.due() == 400);
    CHECK(q.memory.ready(l2_resource) == 0);
    CHECK(q.memory.ready(memory_resource) == 400);
    q.memory.update(399);
    CHECK(q.memory.dram_ready() == 400);
    q.memory.update(400);
    CHECK(q.memory.dram_ready() == 0);
    CHECK(q.memory.due() == ~std::uint64_t{0});
}

TEST_CASE("an access that is not like all: its own latency, but no less than its queues take") {
    ports p(with_l2);
    model_error failure;
    const auto answered = [&](double l2_bytes, double dram_bytes, float own, std::uint64_t now) {
        decoded_entry e = p.stream.entries()[1];
        e.l2_bytes = l2_bytes;
        e.dram_bytes = dram_bytes;
        e.own_latency_cycles = own;
        return p.memory.request(e, now, failure);
    };
    CHECK(answered(128, 128, 300.5F, 0) == 301);
    CHECK(answered(128, 0, 250.5F, 1000) == 1251);  // for data that others have asked for
    CHECK(answered(128, 128, 60, 2000) == 2101);    // that of L2
    CHECK(answered(128, 0, 60, 3000) == 3101);
    CHECK(answered(0, 16'000, 60, 4000) == 5000);  // 16 B a cycle
    CHECK_FALSE(failure);
    CHECK(p.memory.l2().moved_bytes() == 4 * 128);
    CHECK(p.memory.dram().moved_bytes() == 2 * 128 + 16'000);
}

TEST_CASE("from the last blocks on, DRAM has another rate") {
    sm_parameters p = with_l2;
    p.l2_bytes_per_cycle = 1024;
    p.last_dram_bytes_per_cycle = 64;
    ports all(p, 3);  // 3 warps of one access to DRAM
    CHECK(all.stream.per_warp().dram_bytes == 128);
    std::vector<std::uint64_t> answered;
    for (int i = 0; i < 53; ++i) answered.push_back(all.request(1, 0));
    CHECK(answered[1] == 408);  // 128 B at 16 B a cycle
    CHECK(answered[3] == 424);
    CHECK(answered[4] == 426);  // and at 64
    CHECK(answered[52] == 424 + 49 * 2);
    CHECK(all.memory.dram().busy_cycles() == 3 * 8 + 50 * 2);
    all.memory.add_moved(0, 640);
    CHECK(all.memory.dram().moved_bytes() == 58 * 128);
    CHECK(all.memory.dram().busy_cycles() == 3 * 8 + 55 * 2);
    CHECK(all.memory.l2().moved_bytes() == 53 * 128);
}

TEST_CASE("more requests under way than the memory allows are an error") {
    for (const std::uint64_t words : {std::uint64_t{255}, std::uint64_t{256}}) {
        ports p(with_l2, 0, {.words = words});
        model_error failure;
        // 16 B a cycle for 401 cycles are 50 requests and a part: there is room for 64 at first.
        for (int i = 0; i < 64; ++i) p.memory.request(p.stream.entries()[1], 0, failure);
        CHECK_FALSE(failure);
        p.memory.request(p.stream.entries()[1], 0, failure);
        CHECK(failure == (words == 255 ? model_error{errc::limit_reached, "dram_latency_cycles"}
                                       : model_error{}));
    }
}

TEST_CASE("where L2's part is not known, its accesses need no queue") {
    const ports p(plain_sm({0, 32, 32, 32, 32}));
    CHECK(p.stream.entries()[0].resource == index_of(sm_unit::load_store));
    CHECK(p.stream.entries()[0].l2_bytes == 0);
    CHECK(p.stream.entries()[1].l2_bytes == 0);
    // Its latency is no request's, and its queue no part of the state.
    sm_parameters slow = plain_sm({0, 32, 32, 32, 32});
    slow.dram_latency_cycles = 50;
    ports only_dram(slow);
    CHECK(only_dram.request(1, 0) == 50);
    int words = 0;
    auto count = [&](std::uint64_t) { ++words; };
    only_dram.memory.for_each_word(50, count);
    CHECK(words == 1);
    words = 0;
    ports(with_l2).memory.for_each_word(0, count);
    CHECK(words == 2);
}

TEST_CASE("requests to both memories come later together") {
    ports p(with_l2);
    CHECK(p.request(1, 0) == 400);
    ports early(with_l2);
    CHECK(early.request(1, 0) == 400);
    move_words(early.memory, 0, p.memory, 5000);
    p.memory.set_phases(5000, early.memory.phases(0));
    CHECK(p.request(0, 5000) == 5105);  // 4 cycles behind the first in L2
    CHECK(p.request(1, 5000) == 5408);
}

}  // namespace memory_ports_test
