// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/load_order.hpp>

namespace load_order_test {

using namespace warpgauge;
using ptx::detail::trace::load_order;
using ptx::detail::trace::ordered_entry;

namespace {

using order = std::vector<std::uint32_t>;

ordered_entry load(std::uint32_t need = ordered_entry::none) {
    return {.needs = {need, ordered_entry::none, ordered_entry::none},
            .unit = unit_kind::global_memory,
            .loads = true,
            .goes_early = true};
}
ordered_entry store(std::uint32_t need) {
    return {.needs = {need, ordered_entry::none, ordered_entry::none},
            .unit = unit_kind::global_memory,
            .stores = true};
}
ordered_entry add(std::uint32_t first, std::uint32_t second = ordered_entry::none) {
    return {.needs = {first, second, ordered_entry::none}};
}

order found(const std::vector<ordered_entry>& entries) {
    return load_order<>().find(entries);
}

}  // namespace

TEST_CASE("loads go before the first use, and what their addresses need with them") {
    CHECK(found({}).empty());
    CHECK(found({load(), add(0), load(), add(2, 1)}) == order{0, 2, 1, 3});
    CHECK(found({load(), add(0), add(ordered_entry::none), load(2), add(3, 1)}) ==
          order{0, 2, 3, 1, 4});
    // One that needs another waits for it.
    CHECK(found({load(), load(0), add(1), load(), add(3)}) == order{0, 3, 1, 4, 2});
}

TEST_CASE(
    "a load does not pass a store to its memory, nor a store a load, unless nothing is written "
    "there") {
    CHECK(found({load(), add(0), store(1), load(), add(3)}) == order{0, 1, 2, 3, 4});
    std::vector<ordered_entry> other{load(), add(0), store(1), load(), add(3)};
    other[3].unit = unit_kind::shared_memory;
    CHECK(found(other) == order{0, 3, 1, 2, 4});
    other[3].unit = unit_kind::global_memory;
    other[3].is_read_only = true;
    CHECK(found(other) == order{0, 3, 1, 2, 4});
    // The store waits for nothing, but the load before it does.
    CHECK(found({load(), load(0), store(ordered_entry::none), add(0)}) == order{0, 1, 2, 3});
}

TEST_CASE("a load of shared memory stays behind what is before it, and waits for stores there") {
    std::vector<ordered_entry> e{load(), add(0), store(1), load(), add(3), load(), add(5)};
    for (const std::size_t n : {std::size_t{2}, std::size_t{3}})
        e[n].unit = unit_kind::shared_memory;
    e[3].goes_early = false;
    CHECK(found(e) == order{0, 5, 1, 2, 3, 4, 6});
    e[2].stores = false;
    e[2].loads = true;
    CHECK(found(e) == order{0, 3, 4, 5, 1, 2, 6});
}

TEST_CASE("nothing passes the end of a basic block") {
    std::vector<ordered_entry> e{load(), add(0), {.ends_block = true}, load(), add(3), load()};
    CHECK(found(e) == order{0, 1, 2, 3, 5, 4});
    e[2].ends_block = false;
    CHECK(found(e) == order{0, 2, 3, 5, 1, 4});
    e[2].begins_block = true;
    CHECK(found(e) == order{0, 1, 2, 3, 5, 4});
}

TEST_CASE("what is overwritten for the next round is read first") {
    // 1 reads the 3 of the round before, and is late; the load 4 needs the new one.
    std::vector<ordered_entry> e{load(), add(0, 3), load(), add(3), load(3)};
    CHECK(found(e) == order{0, 2, 1, 3, 4});
    e[2] = {.ends_block = true};  // the reader is in another block
    e.push_back(load());
    CHECK(found(e) == order{0, 1, 2, 3, 4, 5});
}

TEST_CASE(
    "entries of a stream are put in order, with their needs; a loop's end is one of a block") {
    struct entry {
        int name{};
        std::uint32_t length{};
        std::array<std::uint32_t, 3> needs{ordered_entry::none, ordered_entry::none,
                                           ordered_entry::none};
    };
    constexpr std::uint32_t none = ordered_entry::none;
    std::vector<entry> stream{
        {0, 4}, {1, 0}, {2, 0, {1, 4, none}}, {3, 0}, {4, 0, {3, 2, none}}, {5, 0, {4, none, none}},
        {6, 0}};
    ptx::detail::trace::issue_loads_early(stream, [](const entry& e, ordered_entry& to) {
        to.ends_block = e.length > 0;
        to.goes_early = to.loads = e.name == 1 || e.name == 3 || e.name == 6;
    });
    const int names[]{0, 1, 3, 2, 4, 5, 6};
    for (std::size_t n = 0; n < 7; ++n) CHECK(stream[n].name == names[n]);
    CHECK(stream[3].needs == std::array{1U, 4U, none});
    CHECK(stream[4].needs == std::array{2U, 3U, none});
    CHECK(stream[5].needs == std::array{4U, none, none});
}

TEST_CASE("every order keeps all needs, stores and blocks") {
    for (unsigned seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        std::mt19937 random(seed);
        const std::size_t count = 1 + random() % 40;
        std::vector<ordered_entry> entries(count);
        for (std::uint32_t n = 0; n < count; ++n) {
            ordered_entry& e = entries[n];
            e.unit = random() % 2 == 0 ? unit_kind::global_memory : unit_kind::shared_memory;
            e.loads = random() % 3 == 0;
            e.goes_early = e.loads && random() % 2 == 0;
            e.stores = random() % 6 == 0;
            e.ends_block = random() % 12 == 0;
            for (auto& need : e.needs) {
                if (random() % 2 == 0) need = static_cast<std::uint32_t>(random() % count);
            }
        }
        const order in = found(entries);
        REQUIRE(in.size() == count);
        std::vector<std::size_t> place(count, count);
        for (std::size_t n = 0; n < count; ++n) place[in[n]] = n;
        for (std::size_t a = 0; a < count; ++a) {
            REQUIRE(place[a] < count);
            if (entries[a].ends_block) CHECK(place[a] == a);
            for (const std::uint32_t by : entries[a].needs) {
                if (by < count && by != a) CHECK((by < a) == (place[by] < place[a]));
            }
            for (std::size_t b = a + 1; b < count; ++b) {
                const bool same = entries[a].unit == entries[b].unit;
                const bool writes = entries[a].stores || entries[b].stores;
                const bool both = (entries[a].loads || entries[a].stores) &&
                                  (entries[b].loads || entries[b].stores);
                if (same && writes && both) CHECK(place[a] < place[b]);
            }
        }
    }
}

}  // namespace load_order_test
