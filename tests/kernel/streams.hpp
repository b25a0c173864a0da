// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_KERNEL_STREAMS_HPP
#define WARPGAUGE_TESTS_KERNEL_STREAMS_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/instruction.hpp>

// Instruction streams that several tests walk.
namespace streams {

using warpgauge::errc;
using warpgauge::instruction;
using warpgauge::loop;
using warpgauge::model_error;
using warpgauge::unit_kind;

using instruction_list = std::vector<instruction>;

inline constexpr instruction add{.unit = unit_kind::integer, .op = warpgauge::operation::add};
inline constexpr instruction mem{.unit = unit_kind::global_memory};
inline constexpr instruction scattered{
    .unit = unit_kind::global_memory, .bytes = 8, .transactions = 16};
inline constexpr instruction shared{.unit = unit_kind::shared_memory};
inline constexpr instruction barrier{.unit = unit_kind::barrier};

struct bad_stream {
    instruction_list entries;
    model_error error;
};

// Every way in which a stream can be wrong.
inline std::vector<bad_stream> bad_streams() {
    const auto malformed = [](std::uint32_t entry) {
        return model_error{errc::malformed, "instructions", entry};
    };
    instruction_list deep;
    for (std::uint32_t i = 20; i > 0; --i) deep.push_back(loop(i, 1));
    deep.push_back(add);
    return {
        {{}, {errc::missing, "instructions"}},
        {{loop(1, 2)}, malformed(1)},
        {{loop(0, 2), add}, malformed(1)},
        {{add, loop(1, 0), add}, malformed(2)},
        {{loop(2, 2), loop(2, 2), add, add}, malformed(2)},  // out of the outer loop
        {{loop(0xffff'ffff, 2), add}, malformed(1)},
        {{{.needs = {1}}}, malformed(1)},
        {{add, {.needs = {-1}}}, malformed(2)},
        {{loop(1, 2), {.needs = {1}}}, malformed(2)},  // a loop has no result
        {deep, {errc::limit_reached, "instructions"}},
    };
}

}  // namespace streams

#endif
