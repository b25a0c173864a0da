# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# The example on measured launches: its scores where the measurements are on the machine, and what it
# says of input that is not as it should be.

set(program ${binary}/examples/rank_launches)
if(NOT EXISTS ${program})
    message(STATUS "rank_launches is not built")
    return()
endif()

include(${CMAKE_CURRENT_LIST_DIR}/launches.cmake)

# Runs the program on CSV text; it has to fail and to say what matches.
set(good "k,1024,32,8,1.5,1,128,256,0,20,58,10,170")
function(refuses rows expression)
    file(WRITE ${binary}/bad.csv "${rows}")
    execute_process(COMMAND ${program} ${binary}/bad.csv --device geforce_gtx_1080_ti
        ERROR_VARIABLE said OUTPUT_QUIET RESULT_VARIABLE status)
    if(NOT status EQUAL 1)
        message(SEND_ERROR "status ${status} for:\n${rows}")
    endif()
    expect("${said}" "${expression}")
endfunction()
refuses("" "bad.csv: line 1, column 1: kernel is needed")
refuses("kernel,N,kernel\n" "bad.csv: line 1, column 10: kernel is a name of several")
refuses("kernel,N\n" "bad.csv: line 1, column 9: bx is needed")
refuses("${heading}\n${good}\nk,1024\n" "bad.csv: line 3, column 3: row does not have the expected form")
refuses("${heading}\nk,1024,32,8,fast,1,128,256,0,20,58,10,170\n" "line 2, column 13: time_ms_median does not have")
refuses("${heading}\nk,1024,32,8,1.5,1,128,256,0,20,58,1x,170\n" "line 2, column 35: mem_insts_per_warp does not have")
refuses("${heading}\nk,1024,32,8,1.5,1,128,0,0,20,58,10,170\n" "line 2, column 23: threads_per_block must be a finite number above zero")
refuses("${heading}\nk,1024,32,8,nan,1,128,256,0,20,58,10,170\n" "line 2, column 13: time_ms_median must be")
refuses("${heading}\n${good},\n" "line 2, column 42: row does not have")
refuses("${heading}\n${good}\n" "no group of 20 launches")
refuses("${heading}\nk,1024,32,8,1.5,1,128,2000,0,20,58,10,170\n" "k, N = 1024, block 32x8: threads_per_block is more than the device allows")

execute_process(COMMAND ${program} ${binary}/bad.csv --device nothing ERROR_VARIABLE said
    OUTPUT_QUIET RESULT_VARIABLE status)
expect("${said}" "nothing: no such device.*GeForce GTX 1080 Ti")
execute_process(COMMAND ${program} ${binary}/not_there.csv --device x ERROR_VARIABLE said
    OUTPUT_QUIET RESULT_VARIABLE status)
expect("${said}" "not_there.csv: cannot be read")

# Kernels of one name in two programs are two groups, and take counts of their own program alone.
set(rows "app,${heading}\n")
set(counts "app,${heading}\n")
foreach(n RANGE 20)
    string(APPEND rows "p,k,1024,${n},8,1.5,1,128,256,0,20,58,10,170\nq,k,1024,${n},8,2.5,1,128,128,0,20,58,10,170\n")
    string(APPEND counts "p,k,1024,${n},8,1.5,1,128,256,0,20,58,10,170\n")
endforeach()
file(WRITE ${binary}/two_programs.csv "${rows}")
file(WRITE ${binary}/counts.csv "${counts}")
set(two ${binary}/two_programs.csv --device geforce_gtx_1080_ti)
execute_process(COMMAND ${program} ${two} OUTPUT_VARIABLE said)
expect("${said}" "p/k.*q/k.*quotient +2 ")
expect("${said}" "5% of a group: the nearest whole number")
execute_process(COMMAND ${program} ${two} --counts ${binary}/counts.csv --part up
    OUTPUT_VARIABLE said ERROR_VARIABLE error)
expect("${said}" "quotient +1 .*5% of a group: rounded up")
expect("${error}" "21 of 42 launches: no counts of the same program")

# Scores are no worse than those given, in thousandths: Spearman, top-1, top-5%, best of the tenth kept.
function(scores line least_spearman least_top_1 least_top_5 least_kept)
    execute_process(COMMAND ${program} ${ARGN} OUTPUT_VARIABLE said RESULT_VARIABLE status)
    set(number " +0\\.([0-9]+)")
    string(REGEX MATCH "${line} +[0-9]+${number}${number}${number}${number}${number}" found "${said}")
    message(STATUS "${found}")
    if(status OR NOT found OR CMAKE_MATCH_1 LESS least_spearman OR CMAKE_MATCH_3 LESS least_top_1
       OR CMAKE_MATCH_4 LESS least_top_5 OR CMAKE_MATCH_5 LESS least_kept)
        message(SEND_ERROR
            "${ARGN}: worse than ${least_spearman} ${least_top_1} ${least_top_5} ${least_kept}: ${found}")
    endif()
endfunction()
if(EXISTS ${shared}/data/polybench_rtx2070super.csv)
    set(rtx_file ${shared}/data/polybench_rtx2070super.csv --device geforce_rtx_2070_super)
    set(rtx ${rtx_file} --part up)
    set(gtx ${shared}/data/polybench_gtx1080ti.csv --device geforce_gtx_1080_ti --part up)
    # A grid of less than a round takes a whole one. Counted by its fraction, faster than one block, it was 0.959, 0.845 and
    # 0.937 in top-1: of launches that wait for latency, those of few warps came first (docs/mwp_cwp.md).
    scores("#Rep as a quotient" 731 854 949 959 ${rtx})
    scores("summed" 799 957 977 990 ${rtx})
    scores("#Rep as a quotient" 716 911 955 991 ${gtx})
    scores("#Rep in whole waves" 716 911 955 991 ${gtx})
    scores("#Rep as a quotient" 731 854 884 959 ${rtx_file})
    # With counts that belong to the launches, one rule serves both GPUs.
    list(APPEND gtx --counts ${shared}/data/polybench_rtx2070super.csv)
    scores("#Rep as a quotient" 659 835 921 944 ${gtx})
    scores("summed" 793 944 966 982 ${gtx})
else()
    message(STATUS "no measured launches in ${shared}/data: scores not checked")
endif()
