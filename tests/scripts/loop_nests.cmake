# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Loop nests, as nvcc makes them, access what the same loops access on the host; and, where the file is, what another
# program found in the addresses of measured launches.
set(ptx ${binary}/loop_nests.ptx)
execute_process(COMMAND ${nvcc} -O3 -ptx -arch=compute_75 -o ${ptx} ${source}/tests/ptx/loop_nests.cu
    COMMAND_ERROR_IS_FATAL ANY)
set(file ${shared}/data/polybench_traced.csv)
if(NOT EXISTS ${file})
    message(STATUS "no ${file}: loop nests compared with the host alone")
    set(file)
endif()
execute_process(COMMAND ${loop_nests_traced} ${ptx} ${file} COMMAND_ERROR_IS_FATAL ANY)
