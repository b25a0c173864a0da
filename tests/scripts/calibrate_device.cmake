# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# The example that fits a GPU to measured launches: the errors that are left where the measurements are on
# the machine, and what it says of input that is not as it should be.

set(program ${binary}/examples/calibrate_device)
if(NOT EXISTS ${program})
    message(STATUS "calibrate_device is not built")
    return()
endif()

# Fails unless `text` has the given regular expression.
function(expect text expression)
    if(NOT text MATCHES "${expression}")
        message(SEND_ERROR "no \"${expression}\" in:\n${text}")
    endif()
endfunction()

# Runs the program on launches of a kernel a and, if `rows` says so, of others.
set(heading "kernel,N,bx,by,time_ms_median,feature_ok,blocks,threads_per_block,shared_bytes,regs_sm75,comp_insts_per_warp,mem_insts_per_warp,tx_per_warp")
set(csv ${binary}/calibrate_device.csv)
function(runs rows)
    file(WRITE ${csv} "${rows}")
    execute_process(COMMAND ${program} ${csv} --device geforce_gtx_1080_ti ${ARGN}
        ERROR_VARIABLE error OUTPUT_VARIABLE said RESULT_VARIABLE status)
    set(status ${status} PARENT_SCOPE)
    set(said "${said}${error}" PARENT_SCOPE)
endfunction()
function(refuses rows expression)
    runs("${rows}" ${ARGN})
    if(NOT status EQUAL 1)
        message(SEND_ERROR "status ${status} for:\n${rows}")
    endif()
    expect("${said}" "${expression}")
endfunction()

set(rows "a,1024,32,8,1.5,1,128,256,0,20,58,10,170\na,1024,16,8,1.1,1,256,128,0,20,58,10,150\n")
set(others "b,1024,32,8,9.5,1,1280,256,0,20,580,10,170\nb,1024,16,8,7,1,2560,128,0,20,580,10,150\n")
string(APPEND others "c,1024,32,8,4,1,1280,256,0,20,58,100,1700\n")
refuses("" "line 1, column 1: kernel is needed")
refuses("${heading}\n" "measurements is needed")
refuses("${heading}\n${rows}" "kernel is needed")  # nothing to hold out
refuses("${heading}\n${rows}${others}" "entry 1: parameters is needed" --fit nothing)
refuses("${heading}\n${rows}${others}" "a=N-x: is not KERNEL=COUNT" --launches a=N-x)
refuses("${heading}\n${rows}${others}" "a=N-1024: is not KERNEL=COUNT" --launches a=N-1024)
refuses("${heading},launches\na,1024,32,8,1.5,1,128,256,0,20,58,10,170,0\n" "column 42: launches must be")
runs("${heading}\n${rows}${others}")
if(status)
    message(SEND_ERROR "${said}")
endif()
expect("${said}" "dram_latency_cycles.*held out.*a +2 .*b +2 .*c +1 ")
set(plain "${said}")

# A time over many launches is the same as the time of one, by option and by column.
set(sums "a,1024,32,8,1533,1,128,256,0,20,58,10,170\na,1024,16,8,1124.2,1,256,128,0,20,58,10,150\n")
runs("${heading}\n${sums}${others}" --launches a=N-2)
if(NOT said STREQUAL plain)
    message(SEND_ERROR "--launches: ${said}\nis not\n${plain}")
endif()
string(REPLACE "\n" ",1022\n" sums "${sums}")
string(REPLACE "\n" ",1\n" others "${others}")
runs("${heading},launches\n${sums}${others}")
if(NOT said STREQUAL plain)
    message(SEND_ERROR "launches: ${said}\nis not\n${plain}")
endif()

# Errors (in thousandths) are no greater, and top-1 no less, than those given.
function(scores text line most_error least_top_1)
    string(REGEX MATCH "${line} +([0-9]+)\\.([0-9]+) +0\\.([0-9]+)" found "${text}")
    message(STATUS "${found}")
    if(NOT found OR "${CMAKE_MATCH_1}${CMAKE_MATCH_2}" GREATER most_error OR CMAKE_MATCH_3 LESS least_top_1)
        message(SEND_ERROR "${line}: worse than ${most_error} ${least_top_1}:\n${text}")
    endif()
endfunction()
set(rtx ${shared}/data/polybench_rtx2070super.csv)
set(gtx ${shared}/data/polybench_gtx1080ti.csv)
if(NOT EXISTS ${rtx})
    message(STATUS "no measured launches in ${shared}/data: errors not checked")
    return()
endif()
execute_process(COMMAND ${program} ${rtx} --device geforce_rtx_2070_super --halves
    OUTPUT_VARIABLE said RESULT_VARIABLE status)
if(NOT said MATCHES "mean of kernels +[0-9.]+ +1\\.([0-9]+) +1\\.([0-9]+)" OR
   CMAKE_MATCH_1 GREATER 376 OR CMAKE_MATCH_2 GREATER 395)
    message(SEND_ERROR "fitted or held out worse than 1.376, 1.395:\n${said}")
endif()
string(REGEX MATCH "fitted to the odd.*" odd "${said}")
string(REGEX MATCH "fitted to the even.*" even "${said}")
scores("${said}" "scale alone" 1407 959)
scores("${said}" "calibrated" 1376 959)
scores("${odd}" "scale alone" 1538 970)
scores("${odd}" "calibrated" 1522 970)
scores("${even}" "scale alone" 1410 949)
scores("${even}" "calibrated" 1378 949)
# In this file the counters of the application CORR stand beside the wrong kernels.
execute_process(COMMAND ${program} ${gtx} --device geforce_gtx_1080_ti --launches convolution3D_kernel=N-2
    --without corr_kernel mean_kernel reduce_kernel std_kernel
    --score ${rtx} --score-device geforce_rtx_2070_super OUTPUT_VARIABLE said RESULT_VARIABLE status)
scores("${said}" "calibrated" 1601 892)
string(REGEX MATCH "on GeForce RTX 2070 SUPER.*" there "${said}")
scores("${there}" "scale alone" 2085 959)
