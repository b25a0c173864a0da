# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Fuzzes one reader of files, -D target=ptx, for a minute; -D seconds=600 for ten. It starts from files as the reader
# is made for, and from tests/fuzz/corpus. The inputs found stay in the build folder and are the start of the next run.
# -D keep=ON adds those to tests/fuzz/corpus that take branches which nothing there takes.
if(NOT DEFINED seconds)
    set(seconds 60)
endif()
set(units ${source}/tests/fuzz/${target}.cpp)
set(corpus ${binary}/fuzz_${target})
file(MAKE_DIRECTORY ${corpus})
if(target STREQUAL "ptx")
    file(GLOB seeds ${source}/examples/kernels/*.ptx)
elseif(target STREQUAL "ptxas")  # the kernel's name in the first line
    file(GLOB outputs ${source}/examples/kernels/*.ptxas)
    foreach(output IN LISTS outputs)
        file(READ ${output} text)
        string(REGEX MATCH "'([A-Za-z0-9_]+)'" found "${text}")
        cmake_path(GET output FILENAME name)
        file(WRITE ${corpus}/${name} "${CMAKE_MATCH_1}\n${text}")
    endforeach()
elseif(target STREQUAL "cubin" AND ptxas)
    foreach(kernel IN ITEMS matmul reduction histogram)
        file(GLOB seed ${source}/examples/kernels/${kernel}.sm_75.ptx)
        foreach(cc IN ITEMS 75 90)
            execute_process(COMMAND ${ptxas} -lineinfo -arch=sm_${cc} -o ${corpus}/${kernel}_${cc}.cubin ${seed}
                OUTPUT_QUIET ERROR_QUIET)
        endforeach()
    endforeach()
elseif(target STREQUAL "csv")
    file(WRITE ${corpus}/launches.csv "kernel,N,bx,by,time_ms_median,feature_ok,blocks,threads_per_block,shared_bytes,"
        "regs_sm75,comp_insts_per_warp,mem_insts_per_warp,tx_per_warp\nk,512,32,8,0.25,1,128,256,0,24,120,6,48\n")
elseif(target STREQUAL "json")
    list(APPEND units ${source}/program/launch.cpp ${source}/program/text.cpp ${source}/program/failure.cpp)
    file(WRITE ${corpus}/launches.json "[{\"file\":\"a.ptx\",\"kernel\":\"k\",\"grid\":[64,64],\"block\":\"16,16\","
        "\"arguments\":{\"n\":1024},\"rounds\":{\"$L\":4},\"devices\":[\"a100\"],\"all_blocks\":true}]")
endif()
execute_process(COMMAND ${clang} -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined
    -fno-sanitize-recover=all -I${source}/include -I${source}/examples -I${source}/program ${units}
    -o ${corpus}_target RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "the fuzzer does not compile")
endif()
file(COPY ${seeds} DESTINATION ${corpus})
set(kept ${source}/tests/fuzz/corpus/${target})
if(EXISTS ${kept})
    set(start ${kept})
endif()
execute_process(COMMAND ${corpus}_target -max_total_time=${seconds} -max_len=16384 -timeout=5
    -verbosity=0 -print_final_stats=1 -artifact_prefix=${corpus}_ ${corpus} ${start}
    COMMAND_ERROR_IS_FATAL ANY)
if(keep)
    file(MAKE_DIRECTORY ${kept})
    execute_process(COMMAND ${corpus}_target -set_cover_merge=1 -use_counters=0 -max_len=1024 ${kept} ${corpus}
        COMMAND_ERROR_IS_FATAL ANY)
endif()
