// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_SIMULATE_RANDOM_COPIES_HPP
#define WARPGAUGE_TESTS_SIMULATE_RANDOM_COPIES_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

namespace random_streams {

/// The same stream with asynchronous copies: half of its accesses to global memory and caches are copies, half of its
/// arithmetic closes groups or waits for some. Nothing needs the result of a copy any more.
/// `random()` gives 64 random bits. Copies in bulk only if `in_bulk`.
template <class Random>
std::vector<warpgauge::instruction> with_copies(std::vector<warpgauge::instruction> s,
                                                Random& random, bool in_bulk = true) {
    using namespace warpgauge;
    for (instruction& i : s) {
        if (i.unit == unit_kind::loop || random() % 2 == 0) continue;
        if (uses_load_store_units(i.unit) && i.unit != unit_kind::shared_memory) {
            const bool bulk = random() % 4 == 0;
            i.async = bulk && in_bulk ? async_step::bulk : async_step::copy;
        } else if (i.unit < unit_kind::shared_memory) {
            constexpr async_step steps[]{async_step::commit, async_step::commit, async_step::wait,
                                         async_step::wait, async_step::wait_all};
            i.unit = unit_kind::integer;
            i.async = steps[random() % 5];
            if (i.async == async_step::wait) {
                i.groups_left = static_cast<std::uint8_t>(random() % 4);
            }
            if (waits_for_copies(i)) i.needs[1] = i.needs[2] = 0;
        }
    }
    for (std::size_t at = 0; at < s.size(); ++at) {
        for (std::int32_t& need : s[at].needs) {
            if (need == 0) continue;
            if (is_async_copy(s[static_cast<std::size_t>(needed_entry(at, need))])) need = 0;
        }
    }
    return s;
}

/// The same stream with asynchronous products: half of its products of warps are, of warps or of blocks, and half of its
/// arithmetic closes their groups or waits for some. Only `of_blocks`, where no other product shall be left.
template <class Random>
std::vector<warpgauge::instruction> with_async_products(std::vector<warpgauge::instruction> s,
                                                        Random& random, bool of_blocks = false) {
    using namespace warpgauge;
    for (instruction& i : s) {
        const bool is_product = i.unit == unit_kind::tensor;
        if (i.async != async_step::none || (!of_blocks && random() % 2 == 0)) continue;
        if (is_product) {
            i.async =
                of_blocks || random() % 2 == 0 ? async_step::block_product : async_step::product;
            if (i.async == async_step::block_product) {
                i.sharing_warps = static_cast<std::uint16_t>(random() % 9);
            }
        } else if (i.unit < unit_kind::shared_memory && random() % 2 == 0) {
            i.unit = unit_kind::integer;
            const bool closes = random() % 2 == 0;
            i.async = closes ? async_step::commit_products : async_step::wait_products;
            if (closes) continue;
            i.groups_left = static_cast<std::uint8_t>(random() % 4);
            i.needs[1] = i.needs[2] = 0;
        }
    }
    for (std::size_t at = 0; at < s.size(); ++at) {
        for (std::int32_t& need : s[at].needs) {
            if (need == 0) continue;
            if (is_async_product(s[static_cast<std::size_t>(needed_entry(at, need))])) need = 0;
        }
    }
    return s;
}

}  // namespace random_streams

#endif
