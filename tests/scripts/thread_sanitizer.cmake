# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# The tests that start threads, under ThreadSanitizer.
execute_process(COMMAND ${clang} -std=c++20 -O1 -g1 -fsanitize=thread -pthread -I${source}/include -I${source}/tests
    -DKERNELS="${source}/examples/kernels" ${source}/tests/main.cpp ${source}/tests/tune/sweep_test.cpp
    ${source}/tests/tune/rank_from_source_test.cpp -o ${binary}/thread_sanitizer COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${binary}/thread_sanitizer COMMAND_ERROR_IS_FATAL ANY)
