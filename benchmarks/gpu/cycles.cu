// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The clock of an SM, against the timer of the GPU.
#include "cycles.cuh"

namespace {

struct passed {
    std::int64_t cycles, nanoseconds;
};

// The timer may advance in steps of a microsecond: so wait for a step, and long enough.
__global__ void spin(std::int64_t nanoseconds, passed* out) {
    const std::int64_t before = nanoseconds_now();
    std::int64_t first = before;
    while (first == before) first = nanoseconds_now();
    const std::int64_t start = clock_now();
    std::int64_t last = first;
    while (last - first < nanoseconds) last = nanoseconds_now();
    const std::int64_t stop = clock_now();
    if (threadIdx.x == 0 && blockIdx.x == 0) *out = {stop - start, last - first};
}

passed spin_for(double milliseconds, unsigned int blocks) {
    const device_array<passed> out(1);
    start(spin, {{blocks, 1, 1}, {32, 1, 1}}, static_cast<std::int64_t>(1e6 * milliseconds),
          out.data());
    finish();
    return out.read().at(0);
}

}  // namespace

double sm_clock_hz() {
    const passed p = spin_for(4, 1);
    return 1e9 * static_cast<double>(p.cycles) / static_cast<double>(p.nanoseconds);
}

void warm_up() {
    int sms = 0;
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    for (int i = 0; i < 100; ++i) spin_for(10, static_cast<unsigned int>(sms));
}
