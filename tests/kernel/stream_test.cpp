// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include <warpgauge/warpgauge.hpp>

using namespace warpgauge;

namespace {

using stream = std::vector<instruction>;

constexpr instruction add{.unit = unit_kind::integer, .op = operation::add};
constexpr instruction mem{.unit = unit_kind::global_memory};
constexpr instruction scattered{.unit = unit_kind::global_memory, .bytes = 8, .transactions = 16};
constexpr instruction shared{.unit = unit_kind::shared_memory};
constexpr instruction barrier{.unit = unit_kind::barrier};

struct seen {
    calculate_period period, previous;
    double times;
};

double unit_cost(const instruction& i) {
    return is_memory(i) ? 10 : 1;
}

std::vector<seen> periods(const stream& s) {
    std::vector<seen> all;
    REQUIRE(!for_each_period(s, unit_cost, [&](const auto& p, const auto& before, double times) {
        all.push_back({p, before, times});
    }));
    return all;
}

// The stream with every loop written out.
void expand(const stream& s, std::size_t first, std::size_t last, stream& to) {
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
stream random_stream(std::mt19937& random, int depth = 0) {
    stream s;
    const auto entries = 1 + random() % 5;
    for (unsigned i = 0; i < entries; ++i) {
        if (depth < 3 && random() % 3 == 0) {
            const stream body = random_stream(random, depth + 1);
            s.push_back(loop(static_cast<std::uint32_t>(body.size()),
                             1 + static_cast<std::uint32_t>(random() % 5)));
            s.insert(s.end(), body.begin(), body.end());
        } else {
            s.push_back(random() % 2 == 0 ? add : mem);
        }
    }
    return s;
}

model_error error_of(const stream& s) {
    const auto mix = mix_of(s);
    REQUIRE_FALSE(mix);
    CHECK(kernel_instruction_string(s).error() == mix.error());
    CHECK(task_list(s).error() == mix.error());
    CHECK(for_each_period(s, unit_cost, [](auto&&...) {}) == mix.error());
    return mix.error();
}

}  // namespace

TEST_CASE("the mix counts loops without walking them") {
    const stream s{add, loop(4, 1'000'000'000), loop(2, 3), mem, add, scattered, barrier};
    const auto mix = mix_of(s);
    REQUIRE(mix);
    CHECK(mix->comp_insts == 1 + 3e9);
    CHECK(mix->coalesced_mem_insts == 3e9);
    CHECK(mix->uncoalesced_mem_insts == 1e9);
    CHECK(mix->sync_insts == 1);
    CHECK(mix->transactions_per_uncoalesced == 16);
    CHECK(mix->bytes_per_access == 5);  // three of 4 B, one of 8 B
}

TEST_CASE("the tiled matrix multiplication of Hong & Kim 2009, fig. 13, gives their counts") {
    // Nine computation instructions, two loads and two barriers, three times (sec. 3.6).
    const stream s{loop(13, 3), scattered, shared, scattered, shared, barrier, shared,
                   shared,      add,       add,    barrier,   add,    add,     add};
    const kernel_profile<> k{.blocks = 80, .threads_per_block = 128, .instructions = s};
    const auto counted = with_mix(k);
    REQUIRE(counted);
    CHECK(counted->comp_insts == 27);
    CHECK(counted->uncoalesced_mem_insts == 6);
    CHECK(counted->sync_insts == 6);
    CHECK(counted->blocks == 80);
}

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

TEST_CASE("periods of loops are those of the loops written out") {
    std::mt19937 random(5);
    for (int round = 0; round < 500; ++round) {
        CAPTURE(round);
        const stream s = random_stream(random);
        stream flat;
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

TEST_CASE("the kernel instruction string, with sub-warps (Berezovskyi et al. 2012, fig. 1)") {
    const auto text = [](const stream& s, sub_warps e) {
        const auto v = kernel_instruction_string(s, e);
        REQUIRE(v);
        return std::string(v->begin(), v->end());
    };
    CHECK(text({mem, add}, {}) == "LC");
    CHECK(text({mem, add}, {.memory = 2}) == "LLC");
    CHECK(text({loop(2, 2), shared, add, barrier, add}, {.compute = 2}) == "LCCLCCCC");
    const stream s{mem};
    CHECK(kernel_instruction_string(s, {.memory = 0}).error() ==
          model_error{errc::not_positive, "memory"});
}

TEST_CASE("the task list of Chapuis et al. 2016, fig. 5") {
    // Two arrays in global memory: load, add ten, store; each step waits for the one before.
    const instruction load{.unit = unit_kind::global_memory};
    const instruction ten{.unit = unit_kind::single_precision, .needs = {1}};
    const instruction store{.unit = unit_kind::global_memory, .needs = {1}};
    const auto tasks = task_list(stream{load, ten, store, load, ten, store});
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 6);
    const std::uint32_t after[] = {task::none, 0, 1, task::none, 3, 4};
    for (std::size_t i = 0; i < 6; ++i) {
        CHECK((*tasks)[i].after[0] == after[i]);
        CHECK((*tasks)[i].after[1] == task::none);
    }
}

TEST_CASE("needs in a loop are of the latest round, and of the round before") {
    const instruction sum{.unit = unit_kind::single_precision, .needs = {1, -1}};
    const instruction next{.unit = unit_kind::integer};
    const auto tasks = task_list(stream{loop(3, 2), mem, sum, next});
    REQUIRE(tasks);
    REQUIRE(tasks->size() == 6);
    CHECK((*tasks)[1].after == std::array<std::uint32_t, 3>{0, task::none, task::none});
    CHECK((*tasks)[4].after == std::array<std::uint32_t, 3>{3, 2, task::none});
}

TEST_CASE("bad streams are errors of every function") {
    const auto malformed = [](std::uint32_t entry) {
        return model_error{errc::malformed, "instructions", entry};
    };
    CHECK(error_of({}) == model_error{errc::missing, "instructions"});
    CHECK(error_of({loop(1, 2)}) == malformed(1));
    CHECK(error_of({loop(0, 2), add}) == malformed(1));
    CHECK(error_of({add, loop(1, 0), add}) == malformed(2));
    CHECK(error_of({loop(2, 2), loop(2, 2), add, add}) == malformed(2));  // out of the outer loop
    CHECK(error_of({loop(0xffff'ffff, 2), add}) == malformed(1));
    CHECK(error_of({{.needs = {1}}}) == malformed(1));
    CHECK(error_of({add, {.needs = {-1}}}) == malformed(2));
    CHECK(error_of({loop(1, 2), {.needs = {1}}}) == malformed(2));  // a loop has no result
    stream deep;
    for (std::uint32_t i = 20; i > 0; --i) deep.push_back(loop(i, 1));
    deep.push_back(add);
    CHECK(error_of(deep) == model_error{errc::limit_reached, "instructions"});
}

TEST_CASE("answers as long as the execution are bounded") {
    const stream s{loop(1, 4'000'000'000), add};
    CHECK(kernel_instruction_string(s).error() == model_error{errc::limit_reached, "instructions"});
}
