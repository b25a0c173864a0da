/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The C interface: one launch, what limits it, a million configurations by columns, and a kernel from its PTX. */
#include <stdio.h>
#include <stdlib.h>

#include <warpgauge/c.h>

// region: predict
/* Predicts one launch; returns 0, or a code after a message. */
static int predict_saxpy(void) {
    warpgauge_device* gpu = NULL;
    warpgauge_profile* saxpy = NULL;
    warpgauge_prediction p;
    warpgauge_error error;
    int code = warpgauge_device_open("NVIDIA A100-SXM4-40GB", &gpu, &error);
    if (!code) code = warpgauge_profile_open(NULL, &saxpy, &error);
    if (!code) code = warpgauge_profile_set(saxpy, "blocks", 4096, &error);
    if (!code) code = warpgauge_profile_set(saxpy, "threads_per_block", 256, &error);
    if (!code) code = warpgauge_profile_set(saxpy, "comp_insts", 10, &error);
    if (!code) code = warpgauge_profile_set(saxpy, "coalesced_mem_insts", 3, &error);
    if (!code)
        code = warpgauge_predict(gpu, NULL, saxpy, &p, &error); /* NULL: the GPU's default model */
    if (code) {
        fprintf(stderr, "%s\n", error.message); /* "blocks must be a finite number above zero" */
    } else {
        printf("%s: %.2f us by %s, limited by %s\n", warpgauge_device_name(gpu), 1e6 * p.seconds,
               p.model, p.limited_by);
    }
    warpgauge_profile_close(saxpy);
    warpgauge_device_close(gpu);
    return code;
}
// endregion

// region: columns
/* Predicts `count` block sizes and prints the one that ranks first. The arrays are not copied. */
static int best_block_size(const warpgauge_device* gpu, const warpgauge_profile* common,
                           const double* blocks, const double* threads, size_t count) {
    const char* names[] = {"blocks", "threads_per_block"};
    const double* columns[] = {blocks, threads};
    const warpgauge_columns all = {count, 2, names, columns};
    double* seconds = malloc(count * sizeof *seconds);
    size_t* order = malloc(count * sizeof *order);
    warpgauge_error error;
    int code = warpgauge_predict_columns(gpu, NULL, common, &all, seconds, NULL, NULL, &error);
    if (!code) code = warpgauge_rank(seconds, count, 1e-9, order, NULL, &error);
    if (!code)
        printf("%g threads a block rank first: %.2f us\n", threads[order[0]],
               1e6 * seconds[order[0]]);
    free(order);
    free(seconds);
    return code;
}
// endregion

// region: trace
/* From PTX to a prediction: follows the warps of a launch with n = 1024. */
static int predict_matmul(const warpgauge_device* gpu, const char* text, size_t length) {
    const warpgauge_argument arguments[] = {{WARPGAUGE_INTEGER, 1024}};
    const warpgauge_launch launch = {"matmul_tiled", {64, 64, 1}, {16, 16, 1}, 0, arguments, 1, 0};
    warpgauge_ptx* ptx = NULL;
    warpgauge_profile* matmul = NULL;
    warpgauge_explanation why;
    warpgauge_error error;
    int code = warpgauge_ptx_open(text, length, &ptx, &error);
    if (!code) code = warpgauge_ptx_trace(ptx, &launch, gpu, &matmul, &error);
    if (!code) code = warpgauge_explain(gpu, NULL, matmul, &why, &error);
    if (code) {
        fprintf(stderr, "%s\n", error.message); /* "argument 1 (u32 n) has no value" */
    } else {
        printf("%.2f us; limited by %s, then by %s\n", 1e6 * why.seconds, why.limiting, why.next);
    }
    warpgauge_profile_close(matmul);
    warpgauge_ptx_close(ptx);
    return code;
}
// endregion

int main(void) {
    static char text[1 << 20];
    const double threads[] = {32, 64, 128, 256, 512, 1024};
    double blocks[6];
    size_t length;
    size_t n;
    FILE* file = fopen(KERNELS "/matmul.sm_75.ptx", "rb");
    warpgauge_device* gpu = NULL;
    warpgauge_profile* common = NULL;
    int code = file == NULL;
    if (code) return code;
    length = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    for (n = 0; n < 6; ++n) blocks[n] = (1 << 20) / threads[n];
    code = predict_saxpy();
    if (!code) code = warpgauge_device_open("a100 sxm4 40gb", &gpu, NULL);
    if (!code) code = warpgauge_profile_open(NULL, &common, NULL);
    if (!code) code = warpgauge_profile_set(common, "comp_insts", 10, NULL);
    if (!code) code = warpgauge_profile_set(common, "coalesced_mem_insts", 3, NULL);
    if (!code) code = warpgauge_profile_set(common, "registers_per_thread", 40, NULL);
    if (!code) code = best_block_size(gpu, common, blocks, threads, 6);
    if (!code) code = predict_matmul(gpu, text, length);
    warpgauge_profile_close(common);
    warpgauge_device_close(gpu);
    return code;
}
