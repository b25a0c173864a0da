// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_KERNELS_HPP
#define WARPGAUGE_BENCHMARKS_GPU_KERNELS_HPP

// The kernels that are measured against their predictions, as they stand in examples/kernels.
#include "../../examples/kernels/black_scholes.cu"
#include "../../examples/kernels/histogram.cu"
#include "../../examples/kernels/hotspot.cu"
#include "../../examples/kernels/jacobi.cu"
#include "../../examples/kernels/life.cu"
#include "../../examples/kernels/linear_filter.cu"
#include "../../examples/kernels/matmul.cu"
#include "../../examples/kernels/pathfinder.cu"
#include "../../examples/kernels/poisson.cu"
#include "../../examples/kernels/reduction.cu"
#include "../../examples/kernels/saxpy.cu"
#include "../../examples/kernels/sepia.cu"
#include "../../examples/kernels/spmv.cu"
#include "../../examples/kernels/svm.cu"
#include "../../examples/kernels/transpose.cu"

#endif
