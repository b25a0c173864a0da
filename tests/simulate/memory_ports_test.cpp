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

    explicit ports(const sm_parameters& p) {
        const std::vector<instruction> accesses{{.unit = unit_kind::l2_cache},
                                                {.unit = unit_kind::global_memory}};
        result_slots<> slots;
        slots.assign(accesses);
        stream.assign(accesses, slots, p);
        memory.reset(p, stream, 0, {});
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
}

TEST_CASE("where L2's part is not known, its accesses need no queue") {
    const ports p(plain_sm({0, 32, 32, 32, 32}));
    CHECK(p.stream.entries()[0].resource == index_of(sm_unit::load_store));
    CHECK(p.stream.entries()[0].l2_bytes == 0);
    CHECK(p.stream.entries()[1].l2_bytes == 0);
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
