// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/asynchronous_steps.hpp>

#include "ptx/linked.hpp"

namespace asynchronous_steps_test {

using namespace warpgauge;
using ptx::detail::trace::asynchronous_steps;

namespace {

struct seen {
    linked_text kernel;
    asynchronous_steps<> steps{kernel.program};

    explicit seen(const std::string& body) : kernel(kernel_of(body + "ret;")) {}

    // The n-th instruction of the body, at a barrier.
    auto next(std::uint32_t n, std::uint64_t barrier = 0, std::uint32_t active = 1) {
        const std::uint32_t step = instructions_before_body + n;
        return steps.next(
            {.step = step,
             .active = active,
             .unit = active == 0 ? unit_kind::integer : kernel.program.steps[step].unit,
             .barrier = barrier});
    }
};

}  // namespace

TEST_CASE("products of a block, and waits at the barriers that they tell") {
    seen s(
        "tcgen05.mma.cta_group::1.kind::f16 [%r3], %d1, %d2, %r4, %p1;\n"
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\n"
        "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n");
    CHECK(s.next(2, 8).what == async_step::none);  // nobody has told it
    CHECK(s.next(0).what == async_step::block_product);
    CHECK(s.next(0, 0, 0).what == async_step::none);
    CHECK(s.next(1, 8).what == async_step::commit_products);
    CHECK(s.next(1, 16).what == async_step::commit_products);
    CHECK(s.next(1, 24, 0).what == async_step::none);
    const auto first = s.next(2, 8);
    CHECK(first.what == async_step::wait_products);
    CHECK(first.groups_left == 1);
    CHECK(s.next(2, 16).groups_left == 0);
    CHECK(s.next(2, 24).what == async_step::none);
}

TEST_CASE("a barrier waits for what told it last, copies or products") {
    seen s(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1], 64, "
        "[tile+512];\n"
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [tile+8];\n"
        "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n");
    CHECK(s.kernel.program.steps[instructions_before_body + 1].barrier_source == 1);
    CHECK(s.kernel.program.steps[instructions_before_body + 1].barrier_offset == 8);
    CHECK(s.next(0, 8).what == async_step::bulk);
    CHECK(s.next(2, 8).what == async_step::wait);
    CHECK(s.next(1, 8).what == async_step::commit_products);
    CHECK(s.next(2, 8).what == async_step::wait_products);
    CHECK(s.next(0, 8).what == async_step::bulk);
    CHECK(s.next(0, 16).what == async_step::bulk);
    const auto wait = s.next(2, 8);
    CHECK(wait.what == async_step::wait);
    CHECK(wait.groups_left == 1);
}

TEST_CASE("products of a warpgroup have the groups of the text") {
    seen s(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1,%f2,%f3,%f4}, %d1, %d2, 1, 1, 1, "
        "0, 0;\n"
        "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 2;\n"
        "wgmma.fence.sync.aligned;\ncp.async.wait_group 3;\n");
    CHECK(s.next(0).what == async_step::product);
    CHECK(s.next(1).what == async_step::commit_products);
    CHECK(s.next(2).what == async_step::wait_products);
    CHECK(s.next(2).groups_left == 2);
    CHECK(s.next(3).what == async_step::none);
    CHECK(s.next(4).what == async_step::wait);
    CHECK(s.next(4).groups_left == 3);
}

TEST_CASE("of very many barriers, the last ones count as the first") {
    seen s(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];\n"
        "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n");
    for (std::uint64_t barrier = 8; barrier <= 520; barrier += 8) s.next(0, barrier);
    CHECK(s.next(1, 8).groups_left == 0);  // as of the 65th
    CHECK(s.next(1, 16).groups_left == 63);
}

}  // namespace asynchronous_steps_test
