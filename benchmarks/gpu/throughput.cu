// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Latency and throughput of instructions, by class: chains of instructions that each need the result of
// the one before, on one SM. One chain of one warp shows the latency, many chains of many warps the
// throughput. Two kernels differ in nothing but how many instructions stand in their loop, and the
// difference of their times is that of the instructions alone (the method of Cheng & Suda 2011, sec. 3.1).
#include <type_traits>
#include <utility>

#include "cycles.cuh"

namespace {

constexpr int rounds = 256;
constexpr int shorter = 32, longer = 64;  // instructions of a chain in the loop
constexpr int samples = 25;

// A class: what it computes with, and one step of a chain. What ptxas could fold is written so that it
// cannot: no step undoes, repeats or extends the one before.
struct int_add {
    using value = std::uint32_t;
    static constexpr const char* name = "int_add";
    static constexpr int instructions = 2;  // Fibonacci's, or two additions would become one
    __device__ static void step(value& x, value& y) {
        asm volatile("add.u32 %0, %0, %1;\n\tadd.u32 %1, %1, %0;" : "+r"(x), "+r"(y));
    }
};
struct int_mad {
    using value = std::uint32_t;
    static constexpr const char* name = "int_mad";
    static constexpr int instructions = 1;
    __device__ static void step(value& x, value& y) {
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
    }
};
struct fp32_fma {
    using value = float;
    static constexpr const char* name = "fp32_fma";
    static constexpr int instructions = 1;
    __device__ static void step(value& x, value& y) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
    }
};
struct fp64_fma {
    using value = double;
    static constexpr const char* name = "fp64_fma";
    static constexpr int instructions = 1;
    __device__ static void step(value& x, value& y) {
        asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(y));
    }
};
struct fp16x2_fma {
    using value = std::uint32_t;
    static constexpr const char* name = "fp16x2_fma";
    static constexpr int instructions = 1;
    __device__ static void step(value& x, value& y) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(y));
    }
};
struct ex2 {
    using value = float;
    static constexpr const char* name = "ex2";
    static constexpr int instructions = 1;
    __device__ static void step(value& x, value&) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x));
    }
};
struct sine {  // with a multiplication before it, of the angle
    using value = float;
    static constexpr const char* name = "sine";
    static constexpr int instructions = 1;
    __device__ static void step(value& x, value&) {
        asm volatile("sin.approx.ftz.f32 %0, %0;" : "+f"(x));
    }
};
struct convert {  // to an integer and back
    using value = float;
    static constexpr const char* name = "convert";
    static constexpr int instructions = 2;
    __device__ static void step(value& x, value&) {
        asm volatile("{\n\t.reg .s32 i;\n\tcvt.rni.s32.f32 i, %0;\n\tcvt.rn.f32.s32 %0, i;\n\t}"
                     : "+f"(x));
    }
};
struct shared_load {
    using value = std::uint32_t;
    static constexpr const char* name = "shared_load";
    static constexpr int instructions = 1;
    __device__ static void step(value& x, value&) {
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)::"memory");
    }
};

__device__ std::uint64_t bits(std::uint32_t x) {
    return x;
}
__device__ std::uint64_t bits(float x) {
    return __float_as_uint(x);
}
__device__ std::uint64_t bits(double x) {
    return __double_as_longlong(x) & 0x7fff'ffff'ffff'ffff;
}

template <class Class, int Chains, int Length>
__global__ void repeat(int times, typename Class::value first, typename Class::value other,
                       interval* out, std::uint64_t* sink) {
    using value = typename Class::value;
    // Shared words that hold their own address: no two lanes meet in a bank.
    __shared__ std::uint32_t own_address[1024];
    own_address[threadIdx.x] =
        static_cast<std::uint32_t>(__cvta_generic_to_shared(&own_address[threadIdx.x]));
    // Other values in every lane, or the GPU's scalar unit would compute them once for all.
    value x[Chains], y[Chains];
#pragma unroll
    for (int c = 0; c < Chains; ++c) {
        x[c] = first + static_cast<value>(threadIdx.x + c);
        y[c] = other + static_cast<value>(threadIdx.x);
        if constexpr (std::is_same_v<Class, shared_load>) x[c] = own_address[threadIdx.x];
    }
    __syncthreads();
    const std::int64_t begin = clock_now();
#pragma unroll 1
    for (int r = 0; r < times; ++r) {
#pragma unroll
        for (int i = 0; i < Length; ++i) {
#pragma unroll
            for (int c = 0; c < Chains; ++c) Class::step(x[c], y[c]);
        }
    }
    std::uint64_t all = 0;
#pragma unroll
    for (int c = 0; c < Chains; ++c) all += bits(x[c]) + bits(y[c]) % 2;
    const std::int64_t end = clock_after(all);
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = {begin, end};
    sink[threadIdx.x] = all;
}

// Cycles of one SM for an instruction of every warp and chain.
template <class Class, int Chains>
std::vector<double> measure(const task& t) {
    const device_array<interval> out(t.launch.block[0] / 32);
    const device_array<std::uint64_t> sink(t.launch.block[0]);
    const auto time = [&](auto kernel) {
        using value = typename Class::value;
        start(kernel, t.launch, rounds, static_cast<value>(1), static_cast<value>(3), out.data(),
              sink.data());
        finish();
        return block_cycles(out.read());
    };
    std::vector<double> cycles;
    for (int s = -3; s < t.samples; ++s) {
        const double less = time(repeat<Class, Chains, shorter>);
        const double more = time(repeat<Class, Chains, longer>);
        const double each = (more - less) / ((longer - shorter) * rounds * Class::instructions);
        if (s >= 0) cycles.push_back(each);
    }
    return cycles;
}

template <class Class, int Chains>
void add(plan& all) {
    for (const std::uint32_t warps : {1U, 2U, 4U, 8U, 12U, 16U, 24U, 32U}) {
        task t;
        t.experiment = "throughput";
        t.name = Class::name;
        t.size = Chains;
        t.launch.block = {32 * warps, 1, 1};
        t.unit = "cycles";
        t.samples = samples;
        t.warp_instructions = double{longer - shorter} * rounds * Class::instructions * Chains;
        t.kernel = reinterpret_cast<const void*>(repeat<Class, Chains, longer>);
        t.measure = measure<Class, Chains>;
        all.push_back(std::move(t));
    }
}

template <class... Classes>
plan plan_of() {
    plan all;
    (add<Classes, 1>(all), ...);
    (add<Classes, 4>(all), ...);
    return all;
}

}  // namespace

plan throughput_plan(const gpu&) {
    return plan_of<int_add, int_mad, fp32_fma, fp64_fma, fp16x2_fma, ex2, sine, convert,
                   shared_load>();
}
