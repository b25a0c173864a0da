/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What clang has to know of CUDA's language where no CUDA is installed: -nocudainc -nocudalib -include this file. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#include <__clang_cuda_builtin_vars.h>
