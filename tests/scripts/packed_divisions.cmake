# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# With AVX2 a batch of MWP/CWP divides four configurations at a time: the assembly has packed divisions, and at
# most one of single numbers, blocks over SMs, which all configurations may share.
#
#   cmake -D source=DIR -D compiler=PATH -P packed_divisions.cmake
execute_process(
    COMMAND ${compiler} -std=c++20 -O3 -mavx2 -mfma -I${source}/include -S -o -
        ${source}/tests/assembly/batch.cpp
    OUTPUT_VARIABLE assembly RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "tests/assembly/batch.cpp does not compile")
endif()
string(REGEX MATCHALL "vdivpd[^\n]*ymm" packed "${assembly}")
string(REGEX MATCHALL "vdivsd" single "${assembly}")
list(LENGTH packed packed)
list(LENGTH single single)
message(STATUS "${packed} packed divisions, ${single} of single numbers")
if(packed LESS 9 OR single GREATER 1)
    message(FATAL_ERROR "the batch is not computed in packs")
endif()
