// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_PIPELINED_PRODUCTS_HPP
#define WARPGAUGE_EXAMPLES_PIPELINED_PRODUCTS_HPP

#include <string>
#include <string_view>

// Tiled products of matrices as PTX text, by whether they fetch the next tile while they compute on one. ptxas 13.0
// takes each. Blocks have 128 threads; `tiles` is how many tiles deep the factors are.
namespace pipelined_products {

inline std::string number(int n) {
    return std::to_string(n);
}

// Parameters, registers, and the thread's index in %r1.
inline std::string begin_kernel(int shared_bytes) {
    return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry product(.param .u64 a, .param .u64 b, .param .u64 c,
                        .param .u32 width, .param .u32 tiles)
{
.reg .pred %p<4>;
.reg .b32 %r<60>;
.reg .b32 %m<80>;
.reg .f32 %f<80>;
.reg .b64 %d<16>;
.shared .align 128 .b8 tile[)" +
           number(shared_bytes) + R"(];
ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
ld.param.u64 %d3, [c];
ld.param.u32 %r2, [width];
ld.param.u32 %r3, [tiles];
mov.u32 %r1, %tid.x;
mov.u32 %r4, %ctaid.x;
mov.u32 %r5, %ctaid.y;
mov.u32 %r6, tile;
)";
}

// --- Single precision: 32 by 32 results a block, tiles of depth 16, both factors with their depth down the rows.

// The thread's places in both factors (%d1, %d2), in the tiles (%r11, and 2,048 B behind), and of the rows of a tile that
// it multiplies (%r12, %r13). %d4: from tile to tile.
inline std::string begin_single() {
    return begin_kernel(4096) + R"(shr.u32 %r7, %r1, 3;
and.b32 %r8, %r1, 7;
shl.b32 %r9, %r8, 4;
mad.lo.u32 %r10, %r7, 128, %r9;
add.u32 %r11, %r6, %r10;
mad.lo.u32 %r12, %r7, 8, %r6;
add.u32 %r13, %r6, %r9;
mul.lo.u32 %r14, %r7, %r2;
shl.b32 %r15, %r8, 2;
mad.lo.u32 %r16, %r4, 32, %r15;
add.u32 %r17, %r14, %r16;
mad.lo.u32 %r18, %r5, 32, %r15;
add.u32 %r19, %r14, %r18;
mul.wide.u32 %d5, %r17, 4;
add.u64 %d1, %d1, %d5;
mul.wide.u32 %d6, %r19, 4;
add.u64 %d2, %d2, %d6;
mul.wide.u32 %d4, %r2, 64;
)";
}

inline std::string fetch_single(std::string_view guard) {
    const std::string p(guard);
    return p + "ld.global.v4.f32 {%f64,%f65,%f66,%f67}, [%d1];\n" + p +
           "ld.global.v4.f32 {%f68,%f69,%f70,%f71}, [%d2];\n" +
           "add.u64 %d1, %d1, %d4;\nadd.u64 %d2, %d2, %d4;\n";
}

inline std::string keep_single() {
    return "st.shared.v4.f32 [%r11], {%f64,%f65,%f66,%f67};\n"
           "st.shared.v4.f32 [%r11+2048], {%f68,%f69,%f70,%f71};\n";
}

// Two rows by four columns of results a thread, 16 deep. Factors are read one step ahead.
inline std::string multiply_single() {
    const auto read = [](int k) {
        const std::string row = k % 2 == 0 ? "{%f40,%f41}" : "{%f50,%f51}";
        const std::string columns = k % 2 == 0 ? "{%f44,%f45,%f46,%f47}" : "{%f54,%f55,%f56,%f57}";
        return "ld.shared.v2.f32 " + row + ", [%r12+" + number(k * 128) + "];\n" +
               "ld.shared.v4.f32 " + columns + ", [%r13+" + number(2048 + k * 128) + "];\n";
    };
    std::string text = read(0);
    for (int k = 0; k < 16; ++k) {
        if (k < 15) text += read(k + 1);
        const int first = k % 2 == 0 ? 40 : 50;
        for (int n = 0; n < 8; ++n) {
            const std::string sum = "%f" + number(n);
            text += "fma.rn.f32 " + sum + ", %f" + number(first + n / 4) + ", %f" +
                    number(first + 4 + n % 4) + ", " + sum + ";\n";
        }
    }
    return text;
}

inline std::string end_single() {
    return "st.global.v4.f32 [%d3], {%f0,%f1,%f2,%f3};\n"
           "st.global.v4.f32 [%d3+16], {%f4,%f5,%f6,%f7};\nret;\n}\n";
}

inline constexpr std::string_view next_tile =
    "sub.u32 %r3, %r3, 1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra TILE;\n";

/// Loads a tile, and computes on it.
inline std::string single_in_turn() {
    return begin_single() + "TILE:\n" + fetch_single("") + keep_single() + "bar.sync 0;\n" +
           multiply_single() + "bar.sync 0;\n" + std::string(next_tile) + end_single();
}

/// Loads the next tile into registers before it computes.
inline std::string single_prefetching() {
    return begin_single() + fetch_single("") + "TILE:\n" + keep_single() +
           "bar.sync 0;\nsetp.gt.u32 %p2, %r3, 1;\n" + fetch_single("@%p2 ") + multiply_single() +
           "bar.sync 0;\n" + std::string(next_tile) + end_single();
}

// --- Halves on tensor cores: 64 by 64 results a block, tiles of depth 32. Rows of tiles are 16 B longer than their data,
// so that no two rows of a matrix of ldmatrix are in the same banks.

inline constexpr int row_of_a = 80, row_of_b = 144;
inline constexpr int bytes_of_a = 64 * row_of_a;
inline constexpr int stage_bytes = bytes_of_a + 32 * row_of_b;

// Where the thread's 16 B of both factors are (%d1 and %d2 and, of the second half, %d7 and %d8), where in a stage they
// go (%r11, %r12), and what of a stage its warp multiplies (%r13, %r14). %d4 and %d5: from tile to tile.
inline std::string begin_halves(int stages) {
    return begin_kernel(stages * stage_bytes) + R"(shr.u32 %r7, %r1, 2;
and.b32 %r8, %r1, 3;
shr.u32 %r9, %r1, 3;
and.b32 %r10, %r1, 7;
mad.lo.u32 %r15, %r7, )" +
           number(row_of_a) + R"(, %r6;
mad.lo.u32 %r11, %r8, 16, %r15;
mad.lo.u32 %r16, %r9, )" +
           number(row_of_b) + R"(, %r6;
mad.lo.u32 %r12, %r10, 16, %r16;
mad.lo.u32 %r17, %r4, 64, %r7;
mul.lo.u32 %r18, %r17, %r2;
mad.lo.u32 %r19, %r8, 8, %r18;
mul.wide.u32 %d9, %r19, 2;
add.u64 %d1, %d1, %d9;
mul.wide.u32 %d10, %r2, 64;
add.u64 %d7, %d1, %d10;
mul.lo.u32 %r20, %r9, %r2;
mad.lo.u32 %r21, %r10, 8, %r20;
mad.lo.u32 %r22, %r5, 64, %r21;
mul.wide.u32 %d11, %r22, 2;
add.u64 %d2, %d2, %d11;
mul.wide.u32 %d12, %r2, 32;
add.u64 %d8, %d2, %d12;
mov.u64 %d4, 64;
mul.wide.u32 %d5, %r2, 64;
and.b32 %r23, %r1, 15;
shr.u32 %r24, %r1, 4;
and.b32 %r25, %r24, 1;
shr.u32 %r26, %r1, 6;
and.b32 %r27, %r26, 1;
mad.lo.u32 %r28, %r27, 32, %r23;
mad.lo.u32 %r29, %r28, )" +
           number(row_of_a) + R"(, %r6;
mad.lo.u32 %r13, %r25, 16, %r29;
mad.lo.u32 %r30, %r23, )" +
           number(row_of_b) + R"(, %r6;
mad.lo.u32 %r31, %r25, 16, %r30;
shr.u32 %r32, %r1, 5;
and.b32 %r33, %r32, 1;
mad.lo.u32 %r14, %r33, 64, %r31;
)";
}

inline std::string step_halves() {
    return "add.u64 %d1, %d1, %d4;\nadd.u64 %d7, %d7, %d4;\n"
           "add.u64 %d2, %d2, %d5;\nadd.u64 %d8, %d8, %d5;\n";
}

// 32 by 32 results a warp, 32 deep: a quarter of the products of a block. All factors are read before the first product.
inline std::string multiply_halves() {
    const auto some = [](char kind, int first, int count) {
        std::string list = "{";
        for (int n = 0; n < count; ++n) {
            list += (n > 0 ? ",%" : "%") + (kind + number(first + n));
        }
        return list + "}";
    };
    std::string reads, products;
    for (int k = 0; k < 2; ++k) {
        const int a = 16 * k;
        const int b = a + 8;
        for (int n = 0; n < 2; ++n) {
            reads += "ldmatrix.sync.aligned.m8n8.x4.shared.b16 " + some('m', a + 4 * n, 4) +
                     ", [%r13+" + number(n * 16 * row_of_a + k * 32) + "];\n";
            reads += "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 " + some('m', b + 4 * n, 4) +
                     ", [%r14+" + number(bytes_of_a + k * 16 * row_of_b + n * 32) + "];\n";
        }
        for (int n = 0; n < 8; ++n) {
            const std::string sums = some('f', 4 * n, 4);
            products += "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + sums + ", " +
                        some('m', a + n / 4 * 4, 4) + ", " + some('m', b + n % 4 * 2, 2) + ", " +
                        sums + ";\n";
        }
    }
    return reads + products;
}

inline std::string end_halves() {
    std::string text;
    for (int n = 0; n < 8; ++n) {
        text += "st.global.v4.f32 [%d3+" + number(16 * n) + "], {%f" + number(4 * n) + ",%f" +
                number(4 * n + 1) + ",%f" + number(4 * n + 2) + ",%f" + number(4 * n + 3) + "};\n";
    }
    return text + "ret;\n}\n";
}

/// Loads a tile through registers, and computes on it.
inline std::string halves_in_turn() {
    std::string loads, stores;
    const char* const from[]{"%d1", "%d7", "%d2", "%d8"};
    const std::string to[]{"%r11", "%r11+" + number(32 * row_of_a), "%r12+" + number(bytes_of_a),
                           "%r12+" + number(bytes_of_a + 16 * row_of_b)};
    for (int n = 0; n < 4; ++n) {
        std::string four = "{%m" + number(40 + 4 * n);
        for (int k = 1; k < 4; ++k) four += ",%m" + number(40 + 4 * n + k);
        loads += "ld.global.v4.b32 " + four + "}, [" + from[n] + "];\n";
        stores += "st.shared.v4.b32 [" + to[n] + "], " + four + "};\n";
    }
    return begin_halves(1) + "TILE:\n" + loads + step_halves() + stores + "bar.sync 0;\n" +
           multiply_halves() + "bar.sync 0;\n" + std::string(next_tile) + end_halves();
}

// region: copies
// The thread's part of the next tile, into the stage at %r40.
inline std::string copy_halves(std::string_view guard) {
    const std::string copy = std::string(guard) + "cp.async.cg.shared.global [";
    return "add.u32 %r41, %r11, %r40;\nadd.u32 %r42, %r12, %r40;\n" +    //
           copy + "%r41], [%d1], 16;\n" +                                //
           copy + "%r41+" + number(32 * row_of_a) + "], [%d7], 16;\n" +  //
           copy + "%r42+" + number(bytes_of_a) + "], [%d2], 16;\n" +     //
           copy + "%r42+" + number(bytes_of_a + 16 * row_of_b) + "], [%d8], 16;\n" +
           "cp.async.commit_group;\n" + step_halves();
}
// endregion

// Copies tiles to shared memory while it computes on earlier ones, as many as there are `stages`, 2 or more.
inline std::string halves_in_stages(int stages) {
    const auto next_stage = [&](const std::string& stage) {
        return "add.u32 " + stage + ", " + stage + ", " + number(stage_bytes) +
               ";\nsetp.eq.u32 %p3, " + stage + ", " + number(stages * stage_bytes) +
               ";\nselp.u32 " + stage + ", 0, " + stage + ", %p3;\n";
    };
    std::string text = begin_halves(stages) + "mov.u32 %r40, 0;\nmov.u32 %r43, 0;\n" +
                       "mov.u32 %r44, %r13;\nmov.u32 %r45, %r14;\n";
    for (int n = 1; n < stages; ++n) text += copy_halves("") + next_stage("%r40");
    text += "TILE:\ncp.async.wait_group " + number(stages - 2) + ";\nbar.sync 0;\n" +
            "setp.ge.u32 %p2, %r3, " + number(stages) + ";\n" + copy_halves("@%p2 ") +
            next_stage("%r40") + "add.u32 %r13, %r44, %r43;\nadd.u32 %r14, %r45, %r43;\n" +
            multiply_halves() + next_stage("%r43");
    return text + std::string(next_tile) + end_halves();
}

}  // namespace pipelined_products

#endif
