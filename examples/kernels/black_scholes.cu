// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prices of European options, one a thread (Black & Scholes 1973).
__device__ float cumulative_normal(float d) {
    return 0.5f * erfcf(-0.70710678f * d);
}

extern "C" __global__ void black_scholes(int n, float rate, float volatility, const float* price,
                                         const float* strike, const float* years, float* call,
                                         float* put) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float s = price[i], x = strike[i], t = years[i];
    const float spread = volatility * sqrtf(t);
    const float d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / spread;
    const float n1 = cumulative_normal(d1), n2 = cumulative_normal(d1 - spread);
    const float discounted = x * expf(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1 - n2) - s * (1 - n1);
}
