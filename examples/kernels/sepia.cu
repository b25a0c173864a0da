// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ageing filter on 8-bit pixels of three colours (after Cheng & Suda 2011, sec. 4): strided bytes.
extern "C" __global__ void sepia(int n, const unsigned char* in, unsigned char* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    out[3 * i] = (unsigned char)fminf(0.393f * r + 0.769f * g + 0.189f * b, 255);
    out[3 * i + 1] = (unsigned char)fminf(0.349f * r + 0.686f * g + 0.168f * b, 255);
    out[3 * i + 2] = (unsigned char)fminf(0.272f * r + 0.534f * g + 0.131f * b, 255);
}
