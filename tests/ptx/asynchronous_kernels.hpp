// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels of our own that let hardware copy and multiply, as PTX. ptxas 13.0 takes each for the architecture in it.
#ifndef WARPGAUGE_TESTS_PTX_ASYNCHRONOUS_KERNELS_HPP
#define WARPGAUGE_TESTS_PTX_ASYNCHRONOUS_KERNELS_HPP

#include <string>

// One warpgroup's product of halves, 64 by 256, in `rounds` of a depth of 64: per round two tiles of tensors, of 8,192 B
// and 32,768 B, and four instructions of 64 x 256 x 16.
inline std::string hopper_product() {
    std::string d, list;
    for (int n = 0; n < 128; ++n) {
        list += (n == 0 ? "%f" : ",%f") + std::to_string(n);
    }
    std::string products;
    for (int n = 0; n < 4; ++n) {
        products += "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" + list +
                    "}, %d5, %d6, 1, 1, 1, 0, 0;\n";
    }
    return R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry product(.param .align 64 .b8 map_a[128], .param .align 64 .b8 map_b[128],
                        .param .u32 rounds, .param .u64 out)
{
.reg .pred %p<9>;
.reg .b32 %r<20>;
.reg .f32 %f<128>;
.reg .b64 %d<20>;
.shared .align 128 .b8 tile[40960];
.shared .align 8 .b64 bar;
ld.param.u32 %r9, [rounds];
mov.u32 %r1, %tid.x;
setp.eq.u32 %p1, %r1, 0;
mov.u32 %r2, bar;
mov.u32 %r3, tile;
mov.b64 %d1, map_a;
cvta.param.u64 %d1, %d1;
mov.b64 %d2, map_b;
cvta.param.u64 %d2, %d2;
@%p1 mbarrier.init.shared::cta.b64 [%r2], 1;
fence.proxy.async;
bar.sync 0;
mov.u32 %r4, 0;
mov.u32 %r5, 0;
mov.b64 %d5, 0;
mov.b64 %d6, 0;
ROUND:
@!%p1 bra WAIT;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 40960;
shl.b32 %r6, %r4, 6;
mov.u32 %r7, %ctaid.x;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%d1, {%r6, %r7}], [%r2];
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r3+8192], [%d2, {%r6, %r7}], [%r2];
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], %r5;
@%p2 bra READY;
bra WAIT;
READY:
wgmma.fence.sync.aligned;
)" + products +
           R"(wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
xor.b32 %r5, %r5, 1;
add.u32 %r4, %r4, 1;
setp.lt.u32 %p3, %r4, %r9;
@%p3 bra ROUND;
ld.param.u64 %d3, [out];
cvta.to.global.u64 %d3, %d3;
mul.wide.u32 %d4, %r1, 4;
add.s64 %d3, %d3, %d4;
st.global.f32 [%d3], %f0;
ret;
}
)";
}

// Each block copies 4,096 B to shared memory and back to another array.
inline constexpr char bulk_copy[] = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry copy(.param .u64 to, .param .u64 from)
{
.reg .pred %p<9>;
.reg .b32 %r<20>;
.reg .b64 %d<20>;
.shared .align 128 .b8 tile[4096];
.shared .align 8 .b64 bar;
ld.param.u64 %d1, [to];
ld.param.u64 %d2, [from];
cvta.to.global.u64 %d1, %d1;
cvta.to.global.u64 %d2, %d2;
mov.u32 %r1, %ctaid.x;
mul.wide.u32 %d3, %r1, 4096;
add.s64 %d1, %d1, %d3;
add.s64 %d2, %d2, %d3;
mov.u32 %r2, bar;
mov.u32 %r3, tile;
mov.u32 %r5, %tid.x;
setp.ne.u32 %p1, %r5, 0;
@%p1 bra WAIT;
mbarrier.init.shared::cta.b64 [%r2], 1;
mov.u32 %r4, 4096;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], %r4;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%d2], %r4, [%r2];
WAIT:
bar.sync 0;
AGAIN:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r2], 0;
@!%p2 bra AGAIN;
@%p1 bra DONE;
cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r3], 4096;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
DONE:
ret;
}
)";

// One warpgroup's products of halves, 64 by 16: `rounds` groups of two of a depth of 16, of which one may be under way.
// `products_sm_90a` in tests/sass/cubins.hpp is this text as ptxas compiled it.
inline constexpr char warpgroup_products[] = R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry products(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 rounds)
{
.reg .pred %p<3>;
.reg .b32 %r<8>;
.reg .f32 %f<8>;
.reg .b64 %d<8>;
ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
ld.param.u32 %r1, [rounds];
mov.f32 %f0, 0f00000000;
mov.f32 %f1, 0f00000000;
mov.f32 %f2, 0f00000000;
mov.f32 %f3, 0f00000000;
mov.f32 %f4, 0f00000000;
mov.f32 %f5, 0f00000000;
mov.f32 %f6, 0f00000000;
mov.f32 %f7, 0f00000000;
mov.u32 %r2, 0;
ROUND:
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, %d1, %d2, 1, 1, 1, 0, 0;
add.s64 %d1, %d1, 2;
add.s64 %d2, %d2, 2;
wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, %d1, %d2, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 1;
add.u32 %r2, %r2, 1;
setp.lt.u32 %p1, %r2, %r1;
@%p1 bra ROUND;
wgmma.wait_group.sync.aligned 0;
ld.param.u64 %d3, [out];
cvta.to.global.u64 %d3, %d3;
mov.u32 %r3, %tid.x;
mul.wide.u32 %d4, %r3, 4;
add.s64 %d3, %d3, %d4;
st.global.f32 [%d3], %f0;
ret;
}
)";

// Each block of 128 threads sums up `rounds` tiles of 4,096 B, of which the next two are under way. `bulk_sums_sm_90` in
// tests/sass/cubins.hpp is this text as ptxas compiled it.
inline constexpr char bulk_sums[] = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry sums(.param .u64 to, .param .u64 from, .param .u32 rounds)
{
.reg .pred %p<9>;
.reg .b32 %r<30>;
.reg .f32 %f<20>;
.reg .b64 %d<20>;
.shared .align 128 .b8 tiles[8192];
.shared .align 8 .b64 bars[2];
ld.param.u64 %d1, [to];
ld.param.u64 %d2, [from];
ld.param.u32 %r9, [rounds];
cvta.to.global.u64 %d1, %d1;
cvta.to.global.u64 %d2, %d2;
mov.u32 %r1, %tid.x;
mov.u32 %r2, bars;
mov.u32 %r3, tiles;
mov.u32 %r4, %ctaid.x;
mul.lo.u32 %r5, %r4, %r9;
mul.wide.u32 %d3, %r5, 4096;
add.s64 %d2, %d2, %d3;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra BEGIN;
mbarrier.init.shared::cta.b64 [%r2], 1;
mbarrier.init.shared::cta.b64 [%r2+8], 1;
fence.proxy.async;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2], 4096;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3], [%d2], 4096, [%r2];
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r2+8], 4096;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r3+4096], [%d2+4096], 4096, [%r2+8];
BEGIN:
bar.sync 0;
mov.u32 %r6, 0;
mov.f32 %f0, 0f00000000;
ROUND:
and.b32 %r7, %r6, 1;
shr.u32 %r8, %r6, 1;
and.b32 %r8, %r8, 1;
shl.b32 %r10, %r7, 3;
add.u32 %r10, %r2, %r10;
shl.b32 %r11, %r7, 12;
add.u32 %r11, %r3, %r11;
WAIT:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], %r8;
@!%p2 bra WAIT;
shl.b32 %r12, %r1, 4;
add.u32 %r12, %r11, %r12;
ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r12];
ld.shared.v4.f32 {%f5, %f6, %f7, %f8}, [%r12+2048];
add.f32 %f0, %f0, %f1;
add.f32 %f0, %f0, %f2;
add.f32 %f0, %f0, %f3;
add.f32 %f0, %f0, %f4;
add.f32 %f0, %f0, %f5;
add.f32 %f0, %f0, %f6;
add.f32 %f0, %f0, %f7;
add.f32 %f0, %f0, %f8;
bar.sync 0;
add.u32 %r13, %r6, 2;
setp.ge.u32 %p3, %r13, %r9;
or.pred %p3, %p3, %p1;
@%p3 bra NEXT;
mul.wide.u32 %d4, %r13, 4096;
add.s64 %d5, %d2, %d4;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r10], 4096;
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r11], [%d5], 4096, [%r10];
NEXT:
add.u32 %r6, %r6, 1;
setp.lt.u32 %p4, %r6, %r9;
@%p4 bra ROUND;
mad.lo.u32 %r14, %r4, 128, %r1;
mul.wide.u32 %d6, %r14, 4;
add.s64 %d6, %d1, %d6;
st.global.f32 [%d6], %f0;
ret;
}
)";

// One product of 128 x 256 x 16 halves by one lane, its result brought to registers.
inline constexpr char blackwell_product[] = R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry product(.param .u64 out)
{
.reg .pred %p<9>;
.reg .b32 %r<20>;
.reg .b64 %d<20>;
.shared .align 8 .b64 bar;
.shared .align 4 .b32 columns;
mov.u32 %r1, columns;
mov.u32 %r2, bar;
mov.u32 %r3, %tid.x;
shr.u32 %r4, %r3, 5;
setp.ne.u32 %p1, %r4, 0;
@%p1 bra WAIT;
tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 256;
ld.shared.u32 %r5, [%r1];
elect.sync _|%p2, -1;
@!%p2 bra WAIT;
mbarrier.init.shared::cta.b64 [%r2], 1;
mov.u32 %r6, 0x8400010;
mov.b64 %d1, 0;
mov.b64 %d2, 0;
setp.ne.u32 %p3, %r3, %r3;
tcgen05.mma.cta_group::1.kind::f16 [%r5], %d1, %d2, %r6, %p3;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r2];
WAIT:
bar.sync 0;
AGAIN:
mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r2], 0;
@!%p4 bra AGAIN;
ld.shared.u32 %r5, [%r1];
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r7}, [%r5];
tcgen05.wait::ld.sync.aligned;
ld.param.u64 %d3, [out];
cvta.to.global.u64 %d3, %d3;
mul.wide.u32 %d4, %r3, 4;
add.s64 %d3, %d3, %d4;
st.global.u32 [%d3], %r7;
ret;
}
)";

// One lane of a block orders `rounds` groups of four products of 128 x 256 x 16 halves. It goes on while the last group is
// under way, and tells the barriers in turn. The lane is one of blocks whose rank in their cluster is 0.
inline constexpr char blackwell_rounds[] = R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry products(.param .u64 out, .param .u32 rounds)
{
.reg .pred %p<9>;
.reg .b32 %r<20>;
.reg .b64 %d<20>;
.shared .align 8 .b64 bars[2];
.shared .align 4 .b32 columns;
ld.param.u32 %r9, [rounds];
mov.u32 %r1, columns;
mov.u32 %r2, bars;
mov.u32 %r3, %tid.x;
mov.u32 %r4, %cluster_ctarank;
or.b32 %r4, %r3, %r4;
setp.ne.u32 %p1, %r4, 0;
@%p1 bra DONE;
mbarrier.init.shared::cta.b64 [%r2], 1;
mbarrier.init.shared::cta.b64 [%r2+8], 1;
ld.shared.u32 %r5, [%r1];
mov.u32 %r6, 0x8400010;
mov.b64 %d1, 0;
mov.b64 %d2, 0;
setp.eq.u32 %p3, %r3, %r3;
mov.u32 %r7, 0;
mov.u32 %r8, 0;
ROUND:
tcgen05.mma.cta_group::1.kind::f16 [%r5], %d1, %d2, %r6, %p3;
tcgen05.mma.cta_group::1.kind::f16 [%r5], %d1, %d2, %r6, %p3;
tcgen05.mma.cta_group::1.kind::f16 [%r5], %d1, %d2, %r6, %p3;
tcgen05.mma.cta_group::1.kind::f16 [%r5], %d1, %d2, %r6, %p3;
and.b32 %r10, %r7, 1;
shl.b32 %r10, %r10, 3;
add.u32 %r11, %r2, %r10;
xor.b32 %r10, %r10, 8;
add.u32 %r12, %r2, %r10;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11];
setp.eq.u32 %p4, %r7, 0;
@%p4 bra NEXT;
BEFORE:
mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r12], %r8;
@!%p5 bra BEFORE;
NEXT:
add.u32 %r7, %r7, 1;
setp.lt.u32 %p6, %r7, %r9;
@%p6 bra ROUND;
LAST:
mbarrier.try_wait.parity.shared::cta.b64 %p5, [%r11], %r8;
@!%p5 bra LAST;
DONE:
bar.sync 0;
tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r7}, [%r5];
tcgen05.wait::ld.sync.aligned;
ld.param.u64 %d3, [out];
cvta.to.global.u64 %d3, %d3;
mul.wide.u32 %d4, %r3, 4;
add.s64 %d3, %d3, %d4;
st.global.u32 [%d3], %r7;
ret;
}
)";

// One lane of a block copies `rounds` tiles of so many bytes, three of them ahead, and multiplies each by itself in four
// products of 128 x 256 x 16 halves, which are under way while it begins the next copy.
inline std::string blackwell_pipeline(int bytes) {
    const std::string size = std::to_string(bytes);
    const auto copy = [&](const std::string& to, const std::string& from, const std::string& bar) {
        return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" + bar + "], " + size +
               ";\ncp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [" + to + "], [" +
               from + "], " + size + ", [" + bar + "];\n";
    };
    std::string first;
    for (int n = 0; n < 3; ++n) {
        first += copy("%r3+" + std::to_string(n * bytes), "%d2+" + std::to_string(n * bytes),
                      "%r2+" + std::to_string(8 * n));
    }
    std::string products;
    for (int n = 0; n < 4; ++n) {
        products += "tcgen05.mma.cta_group::1.kind::f16 [%r5], %d4, %d4, %r6, %p3;\n";
    }
    return R"(.version 8.7
.target sm_100a
.address_size 64
.visible .entry pipeline(.param .u64 from, .param .u32 rounds)
{
.reg .pred %p<9>;
.reg .b32 %r<30>;
.reg .b64 %d<20>;
.shared .align 128 .b8 tiles[)" +
           std::to_string(4 * bytes) + R"(];
.shared .align 8 .b64 bars[8];
ld.param.u64 %d2, [from];
ld.param.u32 %r9, [rounds];
cvta.to.global.u64 %d2, %d2;
mov.u32 %r1, %tid.x;
mov.u32 %r2, bars;
mov.u32 %r3, tiles;
mov.u32 %r4, %ctaid.x;
mul.lo.u32 %r4, %r4, %r9;
mul.wide.u32 %d3, %r4, )" +
           size + R"(;
add.s64 %d2, %d2, %d3;
setp.ne.u32 %p1, %r1, 0;
@%p1 bra DONE;
mbarrier.init.shared::cta.b64 [%r2], 1;
mov.u32 %r5, 0;
mov.u32 %r6, 0x8400010;
mov.b64 %d4, 0;
setp.eq.u32 %p3, %r1, %r1;
)" + first +
           R"(mov.u32 %r7, 0;
ROUND:
and.b32 %r10, %r7, 3;
shl.b32 %r11, %r10, 3;
add.u32 %r11, %r2, %r11;
shr.u32 %r12, %r7, 2;
and.b32 %r12, %r12, 1;
FULL:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r11], %r12;
@!%p2 bra FULL;
)" + products +
           R"(tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r11+32];
add.u32 %r13, %r7, 3;
setp.ge.u32 %p4, %r13, %r9;
@%p4 bra NEXT;
and.b32 %r14, %r13, 3;
shl.b32 %r15, %r14, 3;
add.u32 %r15, %r2, %r15;
setp.eq.u32 %p5, %r7, 0;
@%p5 bra COPY;
EMPTY:
mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r15+32], %r12;
@!%p2 bra EMPTY;
COPY:
mad.lo.u32 %r16, %r14, )" +
           size + R"(, %r3;
mul.wide.u32 %d5, %r13, )" +
           size + ";\nadd.s64 %d5, %d2, %d5;\n" + copy("%r16", "%d5", "%r15") + R"(NEXT:
add.u32 %r7, %r7, 1;
setp.lt.u32 %p6, %r7, %r9;
@%p6 bra ROUND;
DONE:
bar.sync 0;
ret;
}
)";
}

#endif
