// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integer programs in what C++ and CUDA C++ have in common: compiled by both, they must come to the same.
// Each takes a lane and a number and returns 32 bits.
#ifndef WARPGAUGE_TESTS_PTX_PROGRAMS_HPP
#define WARPGAUGE_TESTS_PTX_PROGRAMS_HPP

#ifdef __CUDACC__
#define PROGRAM __device__ static
#define APART __device__ static __noinline__
#else
#define PROGRAM static
#define APART static
#endif

typedef unsigned int u32;
typedef unsigned long long u64;

PROGRAM u32 collatz(u32 lane, int n) {
    u32 x = lane * 7 + static_cast<u32>(n);
    u32 steps = 0;
    while (x != 1 && steps < 200) {
        x = x % 2 != 0 ? 3 * x + 1 : x / 2;
        ++steps;
    }
    return steps * 977 + x;
}

PROGRAM u32 triangle(u32 lane, int n) {
    u32 sum = 0;
    for (u32 i = 0; i < lane; ++i) {
        for (u32 j = i; j < lane + 3; ++j) {
            if ((i * j) % 5 == 2) continue;
            if (j > 20) break;
            sum += i ^ (j << 2);
        }
        if (sum > 900 + static_cast<u32>(n)) return sum;
    }
    return sum + 1;
}

PROGRAM u32 cases(u32 lane, int n) {
    u32 r = 0;
    for (u32 i = 0; i < 12; ++i) {
        switch ((lane + i + static_cast<u32>(n)) % 7) {
            case 0: r += 3; break;
            case 1: r ^= lane << i;
#ifndef __CUDACC__
                [[fallthrough]];
#endif
            case 2: r -= 5; break;
            case 3: r = (r << 3) | (r >> 29); break;
            case 4: r *= 11; break;
            case 5:
                if (i > 8) return r + 17;
                break;
            default: r = ~r;
        }
    }
    return r;
}

struct pair {
    int low;
    long long high;
    short narrow[3];
};

APART pair folded(pair p, u64 by) {
    p.high = static_cast<long long>(static_cast<u64>(p.high) * by - static_cast<u64>(p.low));
    p.low = static_cast<int>(p.high >> 7);
    p.narrow[1] = static_cast<short>(p.low);
    p.narrow[2] = static_cast<short>(p.narrow[1] * 3);
    return p;
}

PROGRAM u32 structures(u32 lane, int n) {
    pair p = {n - static_cast<int>(lane), static_cast<long long>(lane) - 9, {1, 2, 3}};
    for (u32 i = 0; i < 4; ++i) p = folded(p, 0x1'0000'0001ULL + i);
    return static_cast<u32>(p.low) ^ static_cast<u32>(p.high >> 32) ^
           static_cast<u32>(p.narrow[1] + p.narrow[2]);
}

PROGRAM u32 table(u32 lane, int n) {
    unsigned char bytes[40];
    signed char small[8];
    for (u32 i = 0; i < 40; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + lane);
    for (u32 i = 0; i < 8; ++i) small[i] = static_cast<signed char>(200 + i * 9 + lane);
    u32 at = lane;
    int sum = n;
    for (u32 i = 0; i < 25; ++i) {
        at = bytes[at % 40];
        bytes[(at + i) % 40] ^= static_cast<unsigned char>(sum);
        sum += small[at % 8] * static_cast<int>(i);
    }
    return static_cast<u32>(sum) * 31 + at;
}

PROGRAM u32 divisions(u32 lane, int n) {
    int a = n * 1000003 - static_cast<int>(lane) * 77777;
    u32 r = 0;
    for (int d = -7; d < 8; ++d) {
        if (d == 0) continue;
        r = r * 33 + static_cast<u32>(a / d) + static_cast<u32>(a % d);
        r ^= static_cast<u32>((static_cast<long long>(a) << 9) / (d * 3LL));
        r += static_cast<u32>(static_cast<u64>(a) / 10 % 1000);
    }
    return r;
}

APART u32 depth_of(u32 x, u32 depth) {
    if (x < 2 || depth > 20) return depth;
    const u32 a = depth_of(x / 2, depth + 1);
    return x % 3 == 0 ? a + depth_of(x / 3, depth + 1) : a;
}

PROGRAM u32 recursion(u32 lane, int n) {
    return depth_of(lane * 3 + static_cast<u32>(n), 0);
}

#define FOR_EACH_PROGRAM(visit)                                                                 \
    visit(collatz) visit(triangle) visit(cases) visit(structures) visit(table) visit(divisions) \
        visit(recursion)

#endif
