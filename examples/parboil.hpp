// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The benchmark kernels of Chapuis et al. 2016, sec. 4.1, as instruction streams written by hand after
// what the kernels of the Parboil suite do (Stratton et al. 2012): loops as loops, one launch each.
#ifndef WARPGAUGE_EXAMPLES_PARBOIL_HPP
#define WARPGAUGE_EXAMPLES_PARBOIL_HPP

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>

/// A stream as it grows. `result()` names the last entry, so that later ones can need it by name.
class stream_writer {
public:
    using name = std::int32_t;

    name add(warpgauge::unit_kind unit, std::initializer_list<name> needs = {}) {
        warpgauge::instruction i{.unit = unit};
        std::size_t n = 0;
        for (const name needed : needs) i.needs.at(n++) = result() + 1 - needed;
        entries_.push_back(i);
        return result();
    }

    /// `rounds` times what `body` adds.
    template <class Body>
    void repeat(std::uint32_t rounds, Body body) {
        const std::size_t head = entries_.size();
        entries_.push_back(warpgauge::loop(1, rounds));
        body();
        entries_[head].loop_length = static_cast<std::uint32_t>(entries_.size() - head - 1);
    }

    [[nodiscard]] name result() const { return static_cast<name>(entries_.size()) - 1; }
    [[nodiscard]] warpgauge::instruction& last() { return entries_.back(); }
    [[nodiscard]] std::vector<warpgauge::instruction> done() { return std::move(entries_); }

private:
    std::vector<warpgauge::instruction> entries_;
};

struct streamed_kernel {
    std::vector<warpgauge::instruction> stream;
    warpgauge::kernel_profile<> launch;  // without the stream

    [[nodiscard]] warpgauge::kernel_profile<> profile() const {
        warpgauge::kernel_profile<> k = launch;
        k.instructions = stream;
        return k;
    }
};

/// Addresses from block and thread: `n` integer instructions, each on the one before.
inline stream_writer::name address(stream_writer& s, int n) {
    using enum warpgauge::unit_kind;
    s.add(l1_cache);  // parameters
    for (int i = 0; i < n; ++i) s.add(integer, {s.result()});
    return s.result();
}

/// C = A B, n x n: a thread keeps 16 elements of a row of C; a block of 128 threads shares 8 x 16
/// elements of B at a time.
inline streamed_kernel sgemm(double n) {
    using enum warpgauge::unit_kind;
    stream_writer s;
    const auto where = address(s, 8);
    std::vector<stream_writer::name> sums;
    for (int i = 0; i < 16; ++i) sums.push_back(s.add(integer));  // 0
    s.repeat(static_cast<std::uint32_t>(n / 8), [&] {
        const auto b_at = s.add(integer, {where});
        const auto b = s.add(global_memory, {b_at});
        s.add(shared_memory, {b});
        s.add(barrier);
        s.repeat(8, [&] {
            const auto a_at = s.add(integer, {b_at});
            const auto a = s.add(global_memory, {a_at});
            for (auto& sum : sums) {
                const auto shared = s.add(shared_memory);
                sum = s.add(single_precision, {a, shared});
                s.last().needs[2] = warpgauge::own_result;  // what it has summed up so far
            }
            s.add(integer, {a_at});
            s.add(branch, {s.result()});
        });
        s.add(barrier);
        s.add(branch);
    });
    for (const auto sum : sums) {
        const auto c = s.add(global_memory, {where});
        s.add(single_precision, {c, sum});
        s.add(global_memory, {s.result()});
    }
    return {s.done(),
            {.name = "SGEMM",
             .blocks = n / 128 * n / 16,
             .threads_per_block = 128,
             .registers_per_thread = 30,
             .shared_bytes_per_block = 8 * 16 * 4}};
}

/// A step of a seven-point stencil on n x n x n: a thread computes one element; all seven are read
/// from global memory.
inline streamed_kernel stencil(double n) {
    using enum warpgauge::unit_kind;
    stream_writer s;
    const auto where = address(s, 6);
    std::vector<stream_writer::name> values;
    for (int i = 0; i < 7; ++i) {
        const auto at = address(s, 3);
        values.push_back(s.add(global_memory, {where, at}));
    }
    auto sum = values[0];
    for (int i = 1; i < 7; ++i)
        sum = s.add(single_precision, {sum, values[static_cast<std::size_t>(i)]});
    sum = s.add(single_precision, {sum});             // times the one factor
    sum = s.add(single_precision, {sum, values[6]});  // less the centre times the other
    const auto at = address(s, 3);
    s.add(global_memory, {sum, at});
    return {s.done(),
            {.name = "STENCIL",
             .blocks = (n - 2) * (n - 2),
             .threads_per_block = n,
             .registers_per_thread = 18}};
}

/// The same step with planes in shared memory: a block of 32 x 4 threads marches through the third
/// dimension, each thread with two elements of every plane.
inline streamed_kernel opt_stencil(double n) {
    using enum warpgauge::unit_kind;
    stream_writer s;
    const auto where = address(s, 14);
    for (int i = 0; i < 4; ++i) s.add(global_memory, {where});  // two planes to begin with
    for (int i = 0; i < 2; ++i) s.add(shared_memory, {s.result()});
    s.add(barrier);
    s.repeat(static_cast<std::uint32_t>(n - 2), [&] {
        const auto plane = address(s, 4);
        const auto next = s.add(global_memory, {plane});
        const auto next2 = s.add(global_memory, {plane});
        // Beyond the tile: a row above or below for one warp of four each; a column to the left and
        // the right for one thread of each warp.
        const auto row = s.add(global_memory, {plane});
        const auto left = s.add(global_memory, {plane});
        s.last().bytes = 1;  // a sector of 32 B
        const auto right = s.add(global_memory, {plane});
        s.last().bytes = 1;
        for (int element = 0; element < 2; ++element) {
            std::vector<stream_writer::name> values{row, element == 0 ? left : right};
            for (int i = 0; i < 3; ++i) {
                s.add(integer, {plane});
                values.push_back(s.add(shared_memory, {s.result()}));
            }
            auto sum = element == 0 ? next : next2;
            for (const auto value : values) sum = s.add(single_precision, {sum, value});
            sum = s.add(single_precision, {sum});
            sum = s.add(single_precision, {sum});
            s.add(integer, {plane});
            s.add(global_memory, {sum, s.result()});
        }
        s.add(barrier);
        s.add(shared_memory, {next});
        s.add(shared_memory, {next2});
        s.add(barrier);
        s.add(integer);
        s.add(branch, {s.result()});
    });
    return {s.done(),
            {.name = "OPT_STENCIL",
             .blocks = n / 64 * n / 4,
             .threads_per_block = 128,
             .registers_per_thread = 25,
             .shared_bytes_per_block = 64 * 4 * 4}};
}

#endif
