// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>

#include <doctest/doctest.h>

#include <warpgauge/sass/profile_pipes.hpp>

namespace profile_pipes_test {

using namespace warpgauge;
using sass::pipe;

TEST_CASE("each pipe's instructions are where a profile has them") {
    std::array<double, sass::pipe_count> insts{};
    const auto put = [&](pipe p, double n) { insts[static_cast<std::size_t>(p)] = n; };
    put(pipe::barrier, 1);
    put(pipe::branch, 2);
    put(pipe::shared_load, 3);
    put(pipe::shared_store, 4);
    put(pipe::shared_atomic, 5);
    put(pipe::global_load, 6);
    put(pipe::global_store, 7);
    put(pipe::global_atomic, 8);
    put(pipe::texture, 9);
    put(pipe::fp32, 10);
    put(pipe::half, 11);
    put(pipe::fp64, 12);
    put(pipe::integer_fma, 13);
    put(pipe::alu, 14);
    put(pipe::special, 15);
    kernel_profile<> k;
    sass::detail::profile_pipes(insts, 200, 16, k);
    CHECK(k.sync_insts == 1);
    CHECK(k.branches == 16);  // not all of the pipe
    CHECK(k.shared_insts == 3 + 4 + 5);
    CHECK(k.comp_insts == 200 - 1 - (6 + 7 + 8 + 9));
    CHECK(k.ops.fp32_ops == 32 * (10 + 11));
    CHECK(k.ops.fp64_ops == 32 * 12);
    CHECK(k.ops.integer_ops == 32 * (13 + 14));
    CHECK(k.ops.special_ops == 32 * 15);
}

}  // namespace profile_pipes_test
