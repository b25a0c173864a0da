# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# From the source of each tunable kernel to a ranking: twice the same bits, the second time without a compiler; what
# cannot be compiled or ranked is named.
if(NOT nvcc)
    message(NOTICE "SKIPPED: no nvcc on this machine")
    return()
endif()
set(folder ${binary}/tune_from_source)
file(REMOVE_RECURSE ${folder})
file(MAKE_DIRECTORY ${folder})
set(common --cache ${folder}/cache --jobs 2 --keep 0.5)

function(run out err expected)
    execute_process(COMMAND ${program} --nvcc ${nvcc} ${common} ${ARGN} OUTPUT_VARIABLE printed ERROR_VARIABLE said
        RESULT_VARIABLE status)
    if(NOT status EQUAL expected)
        message(SEND_ERROR "${ARGN}: status ${status}\n${printed}${said}")
    endif()
    set(${out} "${printed}" PARENT_SCOPE)
    set(${err} "${said}" PARENT_SCOPE)
endfunction()

function(must_match text pattern what)
    if(NOT text MATCHES "${pattern}")
        message(SEND_ERROR "${what}: no \"${pattern}\" in\n${text}")
    endif()
endfunction()

# Two configurations of each kernel, for GPUs from the first to the last that nvcc 13 compiles for.
function(twice variants kernel device)
    run(first said 0 ${kernel} --device ${device} --json - ${ARGN})
    must_match("${said}" "compiled ${variants}, 0 from the cache" ${kernel})
    string(REGEX MATCHALL "\"place\": " ranked "${first}")
    list(LENGTH ranked count)
    if(NOT count EQUAL variants)
        message(SEND_ERROR "${kernel}: ${count} of ${variants} ranked\n${first}")
    endif()
    must_match("${first}" "\"place\": 1, .*\"measure\": true.*\"measure\": false" ${kernel})
    run(second said 0 ${kernel} --device ${device} --json - ${ARGN})
    must_match("${said}" "compiled 0, ${variants} from the cache" ${kernel})
    if(NOT first STREQUAL second)
        message(SEND_ERROR "${kernel}: a second run says\n${second}and not\n${first}")
    endif()
endfunction()

twice(2 convolution "Tesla T4" --set BLOCK_X=32 --set BLOCK_Y=4 --set TILE_X=2 --set TILE_Y=2 --set USE_SHARED=0,1
    --set PADDING=0 --set READ_ONLY=0 --set FILTER=5)
twice(2 product "A100 SXM4 40GB" --set MWG=32 --set NWG=64 --set KWG=16 --set MDIMC=8 --set NDIMC=8 --set MDIMA=8
    --set NDIMB=8 --set KWI=2 --set VWM=2,4 --set VWN=2 --set STRM=0 --set STRN=0 --set SA=1 --set SB=1 --set K=64)
twice(2 hotspot "L40" --set BLOCK_X=32 --set BLOCK_Y=8 --set TILE_X=1 --set TILE_Y=2 --set STEPS=1,2
    --set POWER_IN_SHARED=0 --set UNROLL=1)
twice(2 point_in_polygon "B200" --set BLOCK=128 --set TILE=2,4 --set SLOPES=1 --set BRANCH=0 --set RANGE=0
    --set UNROLL=1 --set VERTICES=40)
twice(2 n_body "GeForce RTX 5090" --set BLOCK=64 --set TILE=1,2 --set SIDE_BY_SIDE=1 --set USE_SHARED=1
    --set UNROLL=2 --set COUNT=1024)

# By the machine code of the same, and by simulating it.
set(hotspot hotspot --device L40 --set BLOCK_X=32 --set BLOCK_Y=8 --set TILE_X=1 --set TILE_Y=2 --set STEPS=1,2
    --set POWER_IN_SHARED=0 --set UNROLL=1)
foreach(option --machine-code --simulate)
    run(printed${option} said 0 ${hotspot} ${option})
    must_match("${printed${option}}" "2 of 2 configurations, 1 worth measuring" ${option})
endforeach()
run(printed said 0 ${hotspot})
if(printed STREQUAL printed--machine-code OR printed--machine-code STREQUAL printed--simulate)
    message(SEND_ERROR "PTX, machine code and its simulation predict the same:\n${printed}")
endif()

# A kernel of one's own, whose space is in a file; one variant does not compile, one does not fit a block.
file(WRITE ${folder}/own.cu [[
extern "C" __global__ void own(int n, float* x) {
#if WIDTH == 3
#error no width of three
#endif
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int w = 0; w < WIDTH; ++w) {
        if (i * WIDTH + w < n) x[i * WIDTH + w] += 1;
    }
}
]])
file(WRITE ${folder}/own.space "tune WIDTH 1 3\ntune BLOCK 128 2048\nsize N 100000\ngrid up(N, BLOCK * WIDTH)\n"
    "block BLOCK\narguments N, -\nwhere BLOCK == 128 || WIDTH == 1\n")
run(printed said 0 ${folder}/own.cu --space ${folder}/own.space --device "H100 PCIe" --svg ${folder}/own.svg)
must_match("${printed}" "3 of 3 configurations, 1 worth measuring" own)
must_match("${printed}" "1 without a prediction, compile: .*no width of three\n  such as WIDTH=3 BLOCK=128" own)
must_match("${printed}" "1 without a prediction, trace: block .*\n  such as WIDTH=1 BLOCK=2048" own)
file(READ ${folder}/own.svg drawn)
must_match("${drawn}" "^<svg .*own on H100 PCIe" own.svg)

# What is missing is said.
run(printed said 1 ${folder}/own.cu --device "H100 PCIe")
must_match("${said}" "nothing to tune" "without a space")
run(printed said 1 convolution --device "Tesla V100 SXM2")
must_match("${said}" "does not compile for compute_70; it does for compute_75" V100)
run(printed said 1 convolution --device "no such GPU")
must_match("${said}" "not a known name" "no GPU")
run(printed said 1 convolution --device "H100 PCIe" --where "BLOCK_X > 1000")
must_match("${said}" "no configuration fulfils" "no configuration")
run(printed said 1 convolution --device "H100 PCIe" --where "BLOCK > 1")
must_match("${said}" "a number or a known name expected" "a wrong condition")
set(nvcc no_such_compiler)
run(printed said 1 convolution --device "H100 PCIe")
must_match("${said}" "no_such_compiler not found" "no compiler")
