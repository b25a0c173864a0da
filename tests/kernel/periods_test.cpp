// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>
#include <vector>

#include <warpgauge/kernel/periods.hpp>

#include "kernel/streams.hpp"

namespace periods_test {

using namespace warpgauge;
using streams::add;
using streams::barrier;
using streams::instruction_list;
using streams::mem;
using streams::scattered;

namespace {

struct seen {
    calculate_period period, previous;
    double times;
};

double unit_cost(const instruction& i) {
    return is_memory(i) ? 10 : 1;
}

std::vector<seen> periods(const instruction_list& s) {
    std::vector<seen> all;
    REQUIRE(!for_each_period(s, unit_cost, [&](const auto& p, const auto& before, double times) {
        all.push_back({p, before, times});
    }));
    return all;
}

// A price that says what moves, too.
struct moving_price {
    double operator()(const instruction& i) const { return unit_cost(i); }
    bool moves_words(const instruction& i) const { return i.transactions <= 1; }
};

// The stream with every loop written out.
void expand(const instruction_list& s, std::size_t first, std::size_t last, instruction_list& to) {
    for (std::size_t at = first; at < last; ++at) {
        if (s[at].unit != unit_kind::loop) {
            to.push_back(s[at]);
            continue;
        }
        for (std::uint32_t i = 0; i < s[at].loop_count; ++i) {
            expand(s, at + 1, at + 1 + s[at].loop_length, to);
        }
        at += s[at].loop_length;
    }
}

// A random stream of well-formed nested loops.
instruction_list random_stream(std::mt19937& random, int depth = 0) {
    instruction_list s;
    const auto entries = 1 + random() % 5;
    for (unsigned i = 0; i < entries; ++i) {
        if (depth < 3 && random() % 3 == 0) {
            const instruction_list body = random_stream(random, depth + 1);
            s.push_back(loop(static_cast<std::uint32_t>(body.size()),
                             1 + static_cast<std::uint32_t>(random() % 5)));
            s.insert(s.end(), body.begin(), body.end());
        } else {
            s.push_back(random() % 2 == 0 ? add : mem);
        }
    }
    return s;
}

}  // namespace

TEST_CASE("periods: a computation task and the memory task behind it") {
    const auto all = periods({add, add, mem, mem, add, mem, add});
    REQUIRE(all.size() == 3);
    CHECK(all[0].period.comp_cycles == 2);
    CHECK(all[0].period.mem_cycles == 20);
    CHECK(all[0].period.mem_insts == 2);
    CHECK(all[0].previous == calculate_period{});  // C6
    CHECK(all[1].previous == all[0].period);
    CHECK(all[2].period.comp_cycles == 1);
    CHECK(all[2].period.mem_cycles == 0);                   // C6: no memory task at the end
    CHECK(periods({mem, add})[0].period.comp_cycles == 0);  // C6: begins with memory
}

TEST_CASE("a period has the bytes and transactions of its memory task; a barrier computes") {
    const auto all = periods({barrier, mem, scattered});
    REQUIRE(all.size() == 1);
    CHECK(all[0].times == 1);
    CHECK(all[0].period == calculate_period{.comp_cycles = 1,
                                            .mem_cycles = 20,
                                            .mem_insts = 2,
                                            .bytes = 4 + 8,
                                            .transactions = 1 + 16});
}

TEST_CASE("periods of loops are those of the loops written out") {
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
        CAPTURE(round);
        const instruction_list s = random_stream(random);
        instruction_list flat;
        expand(s, 0, s.size(), flat);
        double count = 0, comp = 0, mem_cycles = 0, pairs = 0;
        for (const seen& p : periods(s)) {
            count += p.times;
            comp += p.times * p.period.comp_cycles;
            mem_cycles += p.times * p.period.mem_cycles;
            pairs += p.times * p.period.comp_cycles * (p.previous.mem_cycles + 1);
        }
        for (const seen& p : periods(flat)) {
            count -= p.times;
            comp -= p.times * p.period.comp_cycles;
            mem_cycles -= p.times * p.period.mem_cycles;
            pairs -= p.times * p.period.comp_cycles * (p.previous.mem_cycles + 1);
        }
        CHECK(count == 0);
        CHECK(comp == 0);
        CHECK(mem_cycles == 0);
        CHECK(pairs == 0);
    }
}

TEST_CASE("rounds that are alike are reported once: time does not grow with the count") {
    const auto all =
        periods({loop(5, 4'000'000'000), loop(4, 4'000'000'000), add, loop(1, 1000), mem, add});
    CHECK(all.size() < 30);
    double count = 0;
    for (const seen& p : all) count += p.times;
    CHECK(count == 16e18 + 1);
    CHECK(periods({loop(1, 4'000'000'000), add}).front().period.comp_cycles == 4e9);
}

TEST_CASE("a memory task that begins before a loop grows by each of its rounds") {
    const auto all = periods({add, mem, loop(2, 5), mem, scattered});
    REQUIRE(all.size() == 1);
    CHECK(all[0].period == calculate_period{.comp_cycles = 1,
                                            .mem_cycles = 110,
                                            .mem_insts = 11,
                                            .bytes = 4 + 5 * (4 + 8),
                                            .transactions = 1 + 5 * (1 + 16)});
}

TEST_CASE("a bad stream has no periods") {
    for (const auto& [entries, error] : streams::bad_streams()) {
        CHECK(for_each_period(entries, unit_cost, [](auto&&...) { FAIL("visited"); }) == error);
    }
}

TEST_CASE("a price may say what moves, in loops that grow a task as well") {
    const instruction_list s{loop(2, 7), mem, scattered, loop(3, 5), add, mem, scattered};
    double words = 0;
    double transactions = 0;
    REQUIRE(!for_each_period(s, moving_price{}, [&](const auto& p, const auto&, double times) {
        words += times * p.moved_words;
        transactions += times * p.moved_transactions;
    }));
    CHECK(words == 12.0 * mem.bytes);
    CHECK(transactions == 12.0 * scattered.transactions);
    CHECK(periods(s)[0].period.moved_words == 0);
}

}  // namespace periods_test
