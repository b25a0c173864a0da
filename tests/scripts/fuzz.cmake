# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Fuzzes for a minute, from the kernels' PTX on; -D seconds=600 for ten. The inputs found stay in the
# build folder and are the start of the next run.
if(NOT DEFINED seconds)
    set(seconds 60)
endif()
execute_process(COMMAND ${clang} -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined
    -fno-sanitize-recover=all -I${source}/include ${source}/tests/fuzz/ptx.cpp
    -o ${binary}/fuzz_ptx_target RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "the fuzzer does not compile")
endif()
file(MAKE_DIRECTORY ${binary}/fuzz_ptx)
file(GLOB seeds ${source}/examples/kernels/*.ptx)
file(COPY ${seeds} DESTINATION ${binary}/fuzz_ptx)
execute_process(COMMAND ${binary}/fuzz_ptx_target -max_total_time=${seconds} -max_len=16384 -timeout=5
    -verbosity=0 -print_final_stats=1 -artifact_prefix=${binary}/ ${binary}/fuzz_ptx
    COMMAND_ERROR_IS_FATAL ANY)
