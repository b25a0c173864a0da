# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Integer programs, as nvcc makes them for its oldest and its newest architecture and without optimisation,
# come to what the host's compiler makes of them.
execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "compute_[0-9]+" architectures "${listed}")
list(GET architectures 0 oldest)
list(GET architectures -1 newest)
set(texts)
foreach(options IN ITEMS "-lineinfo;-arch=${oldest}" "-lineinfo;-arch=${newest}" "-G;-arch=${oldest}")
    list(LENGTH texts n)
    set(text ${binary}/programs.${n}.ptx)
    execute_process(COMMAND ${nvcc} -ptx ${options} -o ${text} ${source}/tests/ptx/programs.cu
        COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND texts ${text})
endforeach()
execute_process(COMMAND ${against_host} ${texts} COMMAND_ERROR_IS_FATAL ANY)
