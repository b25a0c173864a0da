# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Loop nests, as nvcc makes them, access what the same loops access on the host; and, where the measurements are, what a
# profiler counted and what another program found in the addresses of the launches.
set(ptx ${binary}/loop_nests.ptx)
execute_process(COMMAND ${nvcc} -O3 -ptx -arch=compute_75 -o ${ptx} ${source}/tests/ptx/loop_nests.cu
    COMMAND_ERROR_IS_FATAL ANY)
set(measured ${shared}/data)
if(NOT EXISTS ${measured}/polybench_traced.csv)
    message(STATUS "no ${measured}/polybench_traced.csv: loop nests compared with the host alone")
    set(measured)
endif()
execute_process(COMMAND ${loop_nests_traced} ${ptx} ${measured} COMMAND_ERROR_IS_FATAL ANY)
