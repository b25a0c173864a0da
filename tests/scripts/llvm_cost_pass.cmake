# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# What a plugin of llvm_cost_pass makes opt and clang say of four kernels, at which lines; what it says where launch or
# GPU are not known; that it changes no code, and takes less than 50 ms.
# Options: -D plugin=FILE, -D llvm=FOLDER, which has bin/opt and bin/clang.
if(NOT EXISTS ${llvm}/bin/clang OR NOT EXISTS ${llvm}/bin/opt)
    message(NOTICE "SKIPPED: no clang and opt in ${llvm}/bin")
    return()
endif()
get_filename_component(name ${plugin} NAME_WE)
set(folder ${binary}/${name})
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})

file(WRITE ${folder}/four.cu "#include \"saxpy.cu\"\n#include \"transpose.cu\"\n")
file(WRITE ${folder}/launches.json [=[
[{"kernel": "saxpy", "threads": 4194304, "block": 256, "arguments": [4194304]},
 {"grid": [64, 64], "block": [32, 32], "arguments": [2048]}]
]=])
set(clang ${llvm}/bin/clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib
    -Wno-unknown-cuda-version -include ${source}/examples/llvm_cost_pass/cuda_keywords.h -I${source}/examples/kernels -O2)

# Runs a command with a GPU and launches: `said` is what it writes.
macro(run gpu launches)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env WARPGAUGE_DEVICE=${gpu} "WARPGAUGE_LAUNCH=${launches}" ${ARGN}
        WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE said ERROR_VARIABLE said RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
        message(SEND_ERROR "${ARGN}: status ${status}\n${said}")
    endif()
endmacro()

function(must_say pattern)
    if(NOT said MATCHES "${pattern}")
        message(SEND_ERROR "no \"${pattern}\" in\n${said}")
    endif()
endfunction()

function(says_times of pattern times)
    string(REGEX MATCHALL "${pattern}" found "${of}")
    list(LENGTH found count)
    if(NOT count EQUAL times)
        message(SEND_ERROR "${count} times \"${pattern}\", not ${times}, in\n${of}")
    endif()
endfunction()

# --- clang
run(l40 launches.json ${clang} -S -o with.ptx four.cu -fpass-plugin=${plugin} -Rpass-analysis=warpgauge)
must_say("saxpy.cu:3:1: remark: [0-9.]+ us on L40, limited by DRAM bandwidth \\[-Rpass-analysis=warpgauge")
must_say("transpose.cu:7:20: remark: 32.0 transactions of a warp, 4.0 if its lanes were side by side")
must_say("transpose.cu:16:9: remark: 32.0 passes of shared memory, 1.0 if its lanes were side by side")
says_times("${said}" " remark: " 6)

run(l40 launches.json ${clang} -S -o without.ptx four.cu)
file(READ ${folder}/with.ptx with)
file(READ ${folder}/without.ptx without)
string(REGEX REPLACE "\t*//[^\n]*|\t\\.(loc|file)[^\n]*" "" with "${with}")
string(REGEX REPLACE "\t*//[^\n]*|\t\\.(loc|file)[^\n]*" "" without "${without}")
if(NOT with STREQUAL without)
    message(SEND_ERROR "the plugin changes the code that clang makes")
endif()

run(voodoo launches.json ${clang} -S -o none.ptx four.cu -fpass-plugin=${plugin} -Rpass-analysis=warpgauge)
must_say("saxpy.cu:3:1: remark: WARPGAUGE_DEVICE: voodoo is not a known name")
says_times("${said}" " remark: " 4)
run(l40 "{\"kernel\": \"saxpy\", \"block\": 256}" ${clang} -S -o none.ptx four.cu -fpass-plugin=${plugin}
    -Rpass-analysis=warpgauge)
must_say("saxpy.cu:3:1: remark: WARPGAUGE_LAUNCH: grid has to be one to three numbers, or threads")
run(l40 "{\"grid\": 1, \"block\": 256}" ${clang} -S -o none.ptx four.cu -fpass-plugin=${plugin} -Rpass-analysis=warpgauge)
must_say("saxpy.cu:3:1: remark: argument 1 \\(u32 saxpy_param_0\\) has no value")
run(l40 "" ${clang} -S -o none.ptx four.cu -fpass-plugin=${plugin} -Rpass-analysis=warpgauge)
must_say("saxpy.cu:3:1: remark: WARPGAUGE_LAUNCH has no launch of it")

# --- A host program has no kernels.
file(WRITE ${folder}/host.c "int main(void) { return 0; }\n")
run(l40 launches.json ${llvm}/bin/clang -c -o host.o host.c -fpass-plugin=${plugin} -Rpass-analysis=warpgauge)
says_times("${said}" "remark" 0)

# --- opt, whose YAML has these remarks and no others; with what makes room for a further block.
run(l40 launches.json ${clang} -gline-tables-only -S -emit-llvm -o four.ll four.cu)
set(opt ${llvm}/bin/opt -load-pass-plugin ${plugin} -passes=warpgauge -disable-output four.ll)
run(l40 launches.json ${opt} -pass-remarks-output=remarks.yaml)
file(READ ${folder}/remarks.yaml yaml)
says_times("${yaml}" "--- !Analysis\nPass: +warpgauge\n" 6)
says_times("${yaml}" "--- !" 6)
says_times("${yaml}" "Name: +Time\n" 4)
says_times("${yaml}" "Name: +Uncoalesced\nDebugLoc: +{ File: '[^']*transpose.cu', *Line: 7, *Column: 20 }" 1)
run(h100_sxm5 "{\"grid\": 64, \"block\": 256, \"shared_bytes\": 65536, \"arguments\": [2048]}" ${opt}
    -pass-remarks-analysis=warpgauge)
must_say("% of the warps of an SM, limited by shared memory. one block more with [0-9]+ B of shared memory")

# --- The time, of the fastest of five runs.
set(fastest 1000)
foreach(run RANGE 1 5)
    run(l40 launches.json ${opt} -pass-remarks-output=remarks.yaml -time-passes)
    if(said MATCHES "([0-9]+)\\.([0-9][0-9][0-9])[0-9] \\([ 0-9.]+%\\) +[^\n]*cost_pass_of_module")
        math(EXPR milliseconds "${CMAKE_MATCH_1} * 1000 + 1${CMAKE_MATCH_2} - 1000")
        if(milliseconds LESS fastest)
            set(fastest ${milliseconds})
        endif()
    endif()
endforeach()
message(STATUS "four kernels: ${fastest} ms")
if(NOT fastest LESS 50)
    message(SEND_ERROR "four kernels take ${fastest} ms")
endif()
