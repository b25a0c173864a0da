# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# The program as its users call it: what each subcommand answers, what it says of input that is not as it should be,
# and with which exit status; the manual page; the completion of bash.
# Options: -D program=FILE, -D against_library=FILE.

set(kernels ${source}/examples/kernels)
set(scratch ${binary}/program_test)
file(REMOVE_RECURSE ${scratch})
file(MAKE_DIRECTORY ${scratch})

# Runs the program in the folder of kernels: `status`, `said` and `error`.
macro(run)
    execute_process(COMMAND ${program} ${ARGN} WORKING_DIRECTORY ${kernels}
        OUTPUT_VARIABLE said ERROR_VARIABLE error RESULT_VARIABLE status)
endmacro()

function(expect what is expected)
    if(NOT is STREQUAL expected)
        message(SEND_ERROR "${what} is \"${is}\", not \"${expected}\"")
    endif()
endfunction()

# --- Answers

# One member of what the program answers in JSON.
function(answers path expected)
    run(${ARGN} --json)
    if(NOT status EQUAL 0)
        message(SEND_ERROR "${ARGN}: status ${status}: ${error}")
        return()
    endif()
    string(REPLACE "." ";" path "${path}")
    string(JSON is ERROR_VARIABLE missing GET "${said}" ${path})
    if(missing)
        message(SEND_ERROR "${ARGN}: ${missing} in:\n${said}")
    endif()
    expect("${path} of ${ARGN}" "${is}" "${expected}")
endfunction()

set(launch saxpy.sm_75.ptx --threads 1000000 --block 256 --arg n=1000000)
answers(kernel saxpy predict ${launch})
answers(grid.0 3907 predict ${launch})
answers(registers_per_thread 10 predict ${launch})
answers(predictions.0.gpu "GeForce RTX 2070 SUPER" predict ${launch})
answers(predictions.3.model saturation predict ${launch})
answers(predictions.0.limited_by "DRAM bandwidth" predict ${launch} --device "RTX 2070 SUPER")
answers(predictions.1.model roofline predict ${launch} --device l40 --model saturation --model roofline)
answers(predictions.0.warps_per_sm 48 predict ${launch} --device l40)
answers(seconds.0.gpu "L40" compare ${launch} --device l40)
answers(seconds.0.mwp_cwp "" compare ${launch} --device l40)
answers(notes.1 "no mwp_cwp for L40: issue_cycles is needed and not given" compare ${launch} --device l40)
answers(limited_by "memory bandwidth" explain ${launch} --device h100_sxm5)
answers(removals.0.without "memory bandwidth" explain ${launch} --device h100_sxm5)
answers(answers.0.speed_up 1 what-if ${launch} --device l40 --set dram_bytes_per_s=2x)
answers(answers.1.change dram_bytes_per_s=2x what-if ${launch} --device l40 --set dram_bytes_per_s=2x)
answers(answers.3.change "all of them" what-if ${launch} --device l40 --set sm_count=71 --set clock_hz=2x)
answers(notes.0 "much of the time on L40 is launch overhead; no source gives that of A100 SXM4 40GB, H100 SXM5"
    predict saxpy.sm_75.ptx --threads 256 --block 256 --arg n=256 --device a100_sxm4_40gb --device l40 --device h100_sxm5)
answers(answers.1.speed_up 0.5 what-if ${launch} --device l40 --model roofline --set blocks=2x)  # twice the bytes
# A change that changes no digit has a note, which says why if the model has no such parameter.
set(unread what-if ${launch} --device l40 --model saturation)
answers(notes.0 "saturation does not read cpd_a" ${unread} --set cpd_a=2)
answers(notes.0 "registers_per_sm=2x changes no digit of the time by saturation" ${unread} --set registers_per_sm=2x)
answers(notes.0 "registers_per_thread=2x changes no digit of the time by saturation"
    ${unread} --set comp_insts=2x --set registers_per_thread=2x)
answers(notes.0 "tensor_fmas is 0, and 2x is too" ${unread} --set tensor_fmas=2x)
set(no_traffic "dram_read_bytes and dram_write_bytes of 0 are not known, and no absence of traffic; the footprint gives them")
answers(notes.0 "all of them: ${no_traffic}" ${unread} --set dram_read_bytes=0 --set dram_write_bytes=0)
run(${unread} --set sm_count=1x --set comp_insts=2x --json)
if(said MATCHES "does not read|changes no digit|is too")
    message(SEND_ERROR "what is as it was, or changes the time, has a note:\n${said}")
endif()
answers(occupancy.0.blocks_per_sm 4 occupancy --block 16,16 --registers 64 --shared 2048 --device a100_sxm4_40gb)
answers(occupancy.0.limited_by registers occupancy --block 256 --registers 64 --device a100_sxm4_40gb)
answers(occupancy.0.next_registers_per_thread 48 occupancy --block 256 --registers 64 --device a100_sxm4_40gb)
answers(occupancy.0.occupancy 1 occupancy ${launch} --device l40)
answers(launches.2.launch "saxpy.sm_75.ptx 32" rank saxpy.sm_75.ptx --threads 1000000 --block 32 --block 256
    --block 512 --arg 1000000 --device l40)
answers(launches.0.measure ON rank saxpy.sm_75.ptx --threads 1000000 --block 32 --block 256 --arg 1000000 --device l40)
answers(devices.0.gpu "GeForce 8800 GTX" devices)
answers(parameters.0.value 132 devices h100_sxm5)

answers(kernels.1.parameter matmul_naive_param_1 kernels matmul.sm_75.ptx)
answers(kernels.0.needs_value ON kernels matmul.sm_75.ptx)
answers(kernels.1.needs_value OFF kernels matmul.sm_75.ptx)
answers(sensitivities.0.parameter dram_bytes_per_s sensitivity ${launch} --device h100_sxm5)
answers(points.1.model roofline roofline ${launch} --device h100_sxm5 --model saturation --model roofline)
answers(points.1.fraction_of_roof 1 roofline ${launch} --device h100_sxm5 --model saturation --model roofline)
answers(cycles.0.what "with an issue" timeline ${launch} --device h100_sxm5)

# What text and launch leave open is noted, and a size that is as wide as an address needs its value.
file(WRITE ${scratch}/open.ptx ".version 7.0\n.target sm_75\n.address_size 64\n.extern .shared .align 4 .b8 tile[];
.visible .entry k(.param .u64 data, .param .u64 n) .maxntid 128, 1, 1\n{\n.reg .pred %p<3>;\n.reg .b32 %r<3>;\n.reg .b64 %d<4>;
ld.param.u64 %d1, [data];\nld.param.u64 %d2, [n];\ncvta.to.global.u64 %d3, %d1;\nsetp.eq.u64 %p1, %d2, 0;\n@%p1 bra END;\nLOOP:
ld.global.u32 %r1, [%d3];\nst.shared.u32 [tile], %r1;\nfrobnicate.u32 %r2, %r1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra LOOP;\nEND:\nret;\n}\n")
set(open predict ${scratch}/open.ptx --grid 1 --block 128 --arg n=5 --device h200)
answers(notes.0 "assumed, since neither text nor launch says: 1 loop; predict --details lists them" ${open})
answers(notes.1 "1 instruction of an unknown opcode, frobnicate.u32, counts as integer arithmetic" ${open})
answers(notes.2 "tile is dynamic shared memory, and the launch gives it 0 B (--shared)" ${open})
answers(notes.3 "H200: no source gives dram_latency_cycles, which saturation needs; roofline is a time that no launch can beat"
    ${open})
answers(notes.1 "line 8 of the source is 2 loops of the text, as where a compiler unrolls; --rounds of the line is for each, of a label for one: $L__BB0_4 $L__BB0_7"
    predict spmv.sm_75.ptx --grid 4096 --block 256 --arg 1048576 --device l40)
file(WRITE ${scratch}/sum.ptx ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry sum(.param .u64 out)\n{\n.reg .f32 %f<2>;
.reg .b64 %d<2>;\nld.param.u64 %d1, [out];\nred.global.add.f32 [%d1], %f1;\nret;\n}\n")
answers(notes.0 "PTX:9: 1048576 atomic operations on one sector, one after the other: no model has their time (on GK110, one takes a clock)"
    predict ${scratch}/sum.ptx --grid 4096 --block 256 --device l40)
# Of 1000 blocks one has work: a model of one warp does not see it.
answers(notes.0 "hybrid takes every warp for one with 0 accesses to global memory; the mean is 0.003, and the warp with most waits 1 times for loads"
    predict saxpy.sm_75.ptx --grid 1000 --block 256 --arg n=256 --device l40 --model hybrid)
answers(kernels.0.needs_value OFF kernels ${scratch}/open.ptx)
answers(kernels.1.needs_value ON kernels ${scratch}/open.ptx)
answers(notes.0 "limited by launch of blocks, which none of these removes"
    explain saxpy.sm_75.ptx --grid 1000000 --block 32 --arg n=1 --device h100_sxm5)
set(small_blocks saxpy.sm_75.ptx --threads 1000000 --block 32 --arg n=1000000 --device l40)
answers(limited_by "" explain ${small_blocks})
answers(next "" explain ${small_blocks})
run(explain ${small_blocks})
if(NOT said MATCHES "limited by launch of blocks, which nothing here removes: the most to gain is 0.3%, without too few warps")
    message(SEND_ERROR "a kernel that no removal makes faster is explained by:\n${said}")
endif()

# A launch from a file, where options go first.
file(WRITE ${scratch}/launch.json "{\"file\": \"${kernels}/saxpy.sm_75.ptx\", \"grid\": [3907], \"block\": 256,
    \"arguments\": {\"n\": 1000000}, \"devices\": [\"l40\"], \"models\": [\"roofline\"]}")
answers(predictions.0.gpu L40 predict --launch ${scratch}/launch.json)
answers(predictions.0.model saturation predict --launch ${scratch}/launch.json --model saturation)
answers(grid.0 16 predict --launch ${scratch}/launch.json --grid 16)
file(WRITE ${scratch}/launches.json "[{\"name\": \"many\", \"file\": \"${kernels}/saxpy.sm_75.ptx\", \"threads\": 4096000,
    \"block\": 256, \"arguments\": [4096000, 2.5, null, null]}, {\"name\": \"few\", \"grid\": 4, \"block\": 256,
    \"file\": \"${kernels}/saxpy.sm_75.ptx\", \"arguments\": [1024]}]")
answers(launches.0.launch few rank --launches ${scratch}/launches.json --device l40)

# Names of arguments are those of the source beside the PTX, in any order.
set(path pathfinder.sm_75.ptx --grid 463 --block 256 --device l40)
run(predict ${path} --arg columns=100000 --arg height=8 --json)
string(JSON path_seconds GET "${said}" predictions 0 seconds)
string(JSON path_notes LENGTH "${said}" notes)
foreach(given "--arg;height=8;--arg;columns=100000" "--arg;1=8;--arg;columns=100000" "--arg;height=8;--arg;100000"
        "--arg;100000;--arg;8")
    answers(predictions.0.seconds ${path_seconds} predict ${path} ${given})
endforeach()
answers(predictions.0.gpu L40 predict saxpy.sm_75.ptx --grid 16 --block 256 --arg a=2.5 --arg n=4096 --device l40)
# Without a source the order counts, and a note says so where several are meant.
file(COPY ${kernels}/pathfinder.sm_75.ptx ${kernels}/pathfinder.sm_75.ptxas DESTINATION ${scratch})
set(nameless ${scratch}/pathfinder.sm_75.ptx --grid 463 --block 256 --device l40)
set(by_order "neither PTX nor source has the names of parameters; by their order")
answers(notes.0 "${by_order}, rows is taken for 0 (u32 pathfinder_param_0), cols is taken for 1 (u32 pathfinder_param_1)"
    predict ${nameless} --arg rows=100000 --arg cols=8)
answers(notes.0 "${by_order}, n is taken for 0 (u32 pathfinder_param_0)" predict ${nameless} --arg n=100000 --arg 8)
foreach(given "--arg;1=8;--arg;n=100000" "--arg;n=100000;--arg;1=8" "--arg;100000;--arg;8")
    answers(predictions.0.seconds ${path_seconds} predict ${nameless} ${given})
    run(predict ${nameless} ${given} --json)
    string(JSON count LENGTH "${said}" notes)
    expect("number of notes of ${given}" ${count} ${path_notes})
endforeach()
# The members of an object have no order.
foreach(given "height\": 8, \"columns\": 100000" "columns\": 100000, \"height\": 8" "1\": 8, \"0\": 100000"
        "height\": 8, \"0\": 100000")
    file(WRITE ${scratch}/path.json "{\"file\": \"${kernels}/pathfinder.sm_75.ptx\", \"arguments\": {\"${given}}}")
    answers(predictions.0.seconds ${path_seconds} predict --grid 463 --block 256 --device l40 --launch ${scratch}/path.json)
endforeach()
file(WRITE ${scratch}/nameless.json "{\"file\": \"${scratch}/pathfinder.sm_75.ptx\", \"arguments\": {\"rows\": 100000, \"1\": 8}}")
answers(predictions.0.seconds ${path_seconds} predict --grid 463 --block 256 --device l40 --launch ${scratch}/nameless.json)

# The numbers are the library's, to the last digit.
run(predict ${launch} --device h100_sxm5 --model saturation --model roofline --json)
file(WRITE ${scratch}/predict.json "${said}")
run(explain ${launch} --device h100_sxm5 --model roofline --json)
file(WRITE ${scratch}/explain.json "${said}")
run(occupancy ${launch} --device h100_sxm5 --json)
file(WRITE ${scratch}/occupancy.json "${said}")
execute_process(COMMAND ${against_library} ${scratch}/predict.json ${scratch}/explain.json ${scratch}/occupancy.json
    RESULT_VARIABLE status)
if(NOT status EQUAL 0)
    message(SEND_ERROR "the program's numbers are not the library's: ${status}")
endif()

# Comma-separated values have the keys of JSON; a picture is drawn beside the answer.
run(predict ${launch} --device l40 --csv --svg ${scratch}/predict.svg)
string(REGEX MATCH "^[^\n]*" first "${said}")
expect("the heading" "${first}"
    "gpu,model,seconds,cycles,limited_by,registers_per_thread,warps_per_sm,warps_limited_by,bytes_per_access")
set(what-if_more --set sm_count=2x)
foreach(command compare explain what-if sensitivity roofline timeline rank)
    run(${command} ${launch} --device h100_sxm5 --svg ${scratch}/${command}.svg ${${command}_more})
    expect("status of ${command} --svg" "${status}" 0)
endforeach()
file(GLOB pictures ${scratch}/*.svg)
list(LENGTH pictures drawn)
expect("the number of pictures" "${drawn}" 8)
foreach(picture IN LISTS pictures)
    file(READ ${picture} drawn)
    if(NOT drawn MATCHES "^<svg .*</svg>\n$")
        message(SEND_ERROR "${picture} is no picture")
    endif()
endforeach()

# --- Input that is not as it should be

function(refuses expected_status expected)
    run(${ARGN})
    if(NOT status EQUAL expected_status OR NOT error STREQUAL "${expected}\n" OR NOT said STREQUAL "")
        message(SEND_ERROR "${ARGN}: status ${status}, not ${expected_status}:\n${error}instead of\n${expected}")
    endif()
endfunction()

set(saxpy saxpy.sm_75.ptx --block 256)
set(one saxpy.sm_75.ptx --grid 16 --block 256 --arg n=1)
refuses(1 "saxpy.sm_75.ptx: argument 1 (u32 saxpy_param_0) has no value; --arg 0=VALUE gives it one"
    predict ${saxpy} --grid 16)
refuses(1 "saxpy.sm_75.ptx: grid must be a finite number above zero" predict ${saxpy} --grid 0 --arg n=1)
refuses(1 "saxpy.sm_75.ptx: block has 2048 threads; a device allows 1024"
    predict saxpy.sm_75.ptx --grid 16 --block 2048 --arg n=1)
refuses(1 "L40: registers_per_thread is more than the device allows"
    occupancy --block 1024 --registers 128 --device l40)
refuses(1 "saxpy.sm_75.ptx: grid has 3000000000 blocks along x; a device allows 2147483647"
    predict saxpy.sm_75.ptx --grid 3000000000 --block 256 --arg n=1)
refuses(1 "saxpy.sm_75.ptx: block has 65 threads along z; a device allows 64"
    predict saxpy.sm_75.ptx --grid 1 --block 1,1,65 --arg n=1)
refuses(1 "saxpy.sm_75.ptx: argument 1 (u32 saxpy_param_0) has too few bits for its value"
    predict ${saxpy} --grid 16 --arg n=99999999999)
# A loop that never ends, and what keeps it going.
file(WRITE ${scratch}/endless.ptx ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"wait.cu\"\n.visible .entry wait(.param .u32 n)\n{
.reg .pred %p<2>;\n.reg .b32 %r<2>;\nld.param.u32 %r1, [n];\nLOOP:\n.loc 1 7 3\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nret;\n}\n")
refuses(1 "${scratch}/endless.ptx: line 13, column 1: max_steps reached in loop LOOP, source line 7, after 3 rounds, by %r1 = 5, 0"
    predict ${scratch}/endless.ptx --grid 1 --block 32 --arg n=5 --device l40)
refuses(1 "${scratch}/open.ptx: blocks of 129 threads are launched, and the kernel allows 128 (.maxntid, __launch_bounds__): launch smaller blocks, or compile it for larger ones"
    predict ${scratch}/open.ptx --grid 1 --block 129 --arg n=5)
refuses(2 "--arg n=few: the value is no integer" predict ${saxpy} --grid 16 --arg n=few)
refuses(2 "--arg 9=1: no such parameter; the kernel has 0 (u32 n), 1 (f32 a), 2 (u64 x), 3 (u64 y)"
    predict ${saxpy} --grid 16 --arg 9=1)
refuses(2 "--arg colums=8: no such parameter; perhaps columns" predict ${path} --arg colums=8)
refuses(2 "--arg bogus=8: no such parameter; the kernel has 0 (u32 columns), 1 (u32 height), 2 (u64 wall), 3 (u64 from), 4 (u64 to)"
    predict ${path} --arg bogus=8)
refuses(2 "--arg m=5: no such parameter; the kernel has 0 (u64 data), 1 (u64 n)" predict ${scratch}/open.ptx --grid 1 --block 32 --arg m=5)
file(WRITE ${scratch}/nameless.json "{\"file\": \"pathfinder.sm_75.ptx\", \"grid\": 463, \"block\": 256, \"arguments\": {\"cols\": 100000, \"rows\": 8}}")
refuses(2 "${scratch}/pathfinder.sm_75.ptx: arguments: neither PTX nor source has the names of parameters, and 2 of them need a value: give an array of the values in order, or indices in place of names; the kernel has 0 (u32 pathfinder_param_0), 1 (u32 pathfinder_param_1), 2 (u64 pathfinder_param_2), 3 (u64 pathfinder_param_3), 4 (u64 pathfinder_param_4)"
    predict --launch ${scratch}/nameless.json)
# The names of a kernel's definition, not of comments, texts, macros, declarations and other functions.
file(WRITE ${scratch}/names.sm_75.ptx ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry _Z4copyILi2EEviiPfi(
.param .u32 _Z4copyILi2EEviiPfi_param_0, .param .u32 _Z4copyILi2EEviiPfi_param_1, .param .u64 _Z4copyILi2EEviiPfi_param_2,
.param .u32 _Z4copyILi2EEviiPfi_param_3) { ret; }\n")
set(cuda "// __global__ void copy(int a, int b, float* c, int d) {}\n/* __global__ void copy(int a, int b, float* c, int d) {} */
#define COPY \\\n__global__ void copy(int a, int b, float* c, int d) {}
const char* text = \"\\\"__global__ void copy(int a, int b, float* c, int d) {}\"; const char quote = '\"';
__global__ void copy(int a, int b, float* c, int d); __global__ void copy(int a, float* b) {}
void copy(int a, int b, float* c, int d) {} __global__ void copy_all(int a, int b, float* c, int d) {}
template <int N> __global__ void __launch_bounds__(256) copy(const int rows, pair<int, int> /* of, all */ columns,
    float* __restrict__ x, unsigned int) {}\n")
set(names "0 (u32 rows), 1 (u32 columns), 2 (u64 x), 3 (u32 _Z4copyILi2EEviiPfi_param_3)")
set(numbers "0 (u32 _Z4copyILi2EEviiPfi_param_0), 1 (u32 _Z4copyILi2EEviiPfi_param_1), 2 (u64 _Z4copyILi2EEviiPfi_param_2), 3 (u32 _Z4copyILi2EEviiPfi_param_3)")
foreach(added "" "__global__ void copy(int rows, int columns, float* x, int) {}" "__global__ void copy(int* a, int b, float* c, int d) {}")
    file(WRITE ${scratch}/names.cu "${cuda}${added}")
    refuses(2 "--arg 9=1: no such parameter; the kernel has ${names}"
        predict ${scratch}/names.sm_75.ptx --grid 1 --block 32 --arg 9=1)
endforeach()
file(APPEND ${scratch}/names.cu "__global__ void copy(int a, int b, float* c, int d) {}")  # which of both is not known
refuses(2 "--arg 9=1: no such parameter; the kernel has ${numbers}"
    predict ${scratch}/names.sm_75.ptx --grid 1 --block 32 --arg 9=1)
refuses(2 "--grid 4,x: takes one to three whole numbers, as 64,64" predict ${saxpy} --grid 4,x)
refuses(2 "--grid is needed, or --threads: blocks, or threads of all blocks" predict ${saxpy})
refuses(2 "--grid and --threads: one of them is taken" predict ${saxpy} --grid 4 --threads 9)
refuses(2 "--block is needed: threads of a block, as 256 or 16,16" predict saxpy.sm_75.ptx --grid 4)
refuses(2 "--device h200x: no such GPU; perhaps H200" predict ${one} --device h200x)
refuses(2 "--device abacus: no such GPU; warpgauge devices lists all" predict ${one} --device abacus)
refuses(2 "--device sxm4: could be any of A100 SXM4 40GB, A100 SXM4 80GB" predict ${one} --device sxm4)
refuses(2 "--model mwp_cpw: no such model; perhaps mwp_cwp" predict ${one} --model mwp_cpw)
refuses(2 "--set dram_byte_per_s=2x: dram_byte_per_s is no parameter of a GPU or a kernel; perhaps dram_bytes_per_s"
    what-if ${one} --device l40 --set dram_byte_per_s=2x)
refuses(2 "predic: no such subcommand; perhaps predict" predic)
refuses(2 "what_if: no such subcommand; perhaps what-if" what_if ${one} --set sm_count=2x)
refuses(2 "abacus: no such subcommand; the subcommands are predict, compare, explain, what-if, occupancy, sensitivity, roofline, timeline, rank, kernels, devices"
    abacus)
refuses(2 "--set sm_count=twice: takes NAME=NUMBER, or NAME=2x" what-if ${one} --device l40 --set sm_count=twice)
refuses(2 "--set sm_count=-1: sm_count must be a finite number above zero"
    what-if ${one} --device l40 --set sm_count=-1)
refuses(2 "--set issue_cycles=2x: no source gives issue_cycles of the L40, so it has no factor; --set issue_cycles=NUMBER gives it a value"
    what-if ${one} --device l40 --set issue_cycles=2x)
refuses(2 "--set sm_count=3x: sm_count is set already, by --set sm_count=2x"
    what-if ${one} --device l40 --set sm_count=2x --set clock_hz=2x --set sm_count=3x)
refuses(2 "--set is needed: NAME=2x, or NAME=NUMBER" what-if ${one} --device l40)
refuses(2 "--device is needed, once: a GPU, as h100; warpgauge devices lists all" explain ${one})
refuses(2 "--device is needed, once: a GPU, as h100; warpgauge devices lists all" roofline ${one})
refuses(2 "FILE is needed: PTX, or CUDA source" kernels)
refuses(1 "saxpy.sm_75.ptx: hybrid on H200: entry 15: dram_latency_cycles is needed and not given"
    timeline saxpy.sm_75.ptx --grid 1 --block 1 --arg n=1 --device h200)
refuses(1 "saxpy.sm_75.ptx: L40, mpd_cpd: cpd_a is needed and not given" predict ${one} --device l40 --model mpd_cpd)
refuses(2 "nowhere.ptx: cannot be read" predict nowhere.ptx --grid 1 --block 1)
refuses(2 "matmul.sm_75.ptx: --kernel is needed; the file has matmul_naive matmul_tiled"
    predict matmul.sm_75.ptx --grid 1 --block 1)
refuses(2 "matmul.sm_75.ptx: no kernel is called matmul_tile; perhaps matmul_tiled"
    predict matmul.sm_75.ptx --grid 1 --block 1 --kernel matmul_tile)
file(WRITE ${scratch}/mangled.ptx ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry _Z4copyPf() { ret; }\n"
    ".visible .entry _Z5scaleIfEvv() { ret; }\n.visible .entry _Z5scaleIdEvv() { ret; }\n")
refuses(1 "${scratch}/mangled.ptx: block has 2048 threads; a device allows 1024"
    predict ${scratch}/mangled.ptx --grid 1 --block 2048 --kernel copy)
refuses(2 "${scratch}/mangled.ptx: several kernels are called scale: _Z5scaleIfEvv _Z5scaleIdEvv"
    predict ${scratch}/mangled.ptx --grid 1 --block 32 --kernel scale)
refuses(2 "/nowhere/a.svg: cannot be written" predict ${one} --svg /nowhere/a.svg)
file(WRITE ${scratch}/bad.ptx ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() { add.u32 %r1 %r2; }\n")
refuses(1 "${scratch}/bad.ptx:4:35: ',' or ';' is expected here" predict ${scratch}/bad.ptx --grid 1 --block 1)
file(WRITE ${scratch}/bad.json "{\"grids\": 3}")
refuses(2 "${scratch}/bad.json: grids is not known; perhaps grid" predict --launch ${scratch}/bad.json)
file(WRITE ${scratch}/bad.json "{\"block\": {}}")
refuses(2 "${scratch}/bad.json: block has to be a text or a number" predict --launch ${scratch}/bad.json)
foreach(member rounds taken defines)
    file(WRITE ${scratch}/bad.json "{\"${member}\": [4]}")
    refuses(2 "${scratch}/bad.json: ${member} has to be an object" predict --launch ${scratch}/bad.json)
endforeach()
file(WRITE ${scratch}/bad.json "{\"arguments\": [null, \"n=4\"]}")
refuses(2 "${scratch}/bad.json: arguments[1] has to be a value; names go into an object" predict --launch ${scratch}/bad.json)
file(WRITE ${scratch}/bad.json "{\"arguments\": 4}")
refuses(2 "${scratch}/bad.json: arguments has to be an object, or an array of the values in order"
    predict --launch ${scratch}/bad.json)
file(WRITE ${scratch}/bad.json "{\"grid\": 3,}")
run(predict --launch ${scratch}/bad.json)
if(NOT status EQUAL 2 OR NOT error MATCHES "bad.json: is no JSON at line 1, column 12")
    message(SEND_ERROR "bad JSON: status ${status}: ${error}")
endif()
file(WRITE ${scratch}/bad.json "{\"file\": \"a.ptx\",\n \"grid\": 1e999}")
refuses(2 "${scratch}/bad.json: line 2, column 10: 1e999 is too large" predict --launch ${scratch}/bad.json)
foreach(wrong "" "guess" "predict;--json;--csv" "predict;--brief")
    run(${wrong})
    expect("status of \"${wrong}\"" "${status}" 2)
endforeach()

# --- Help, the manual page and the completion know every subcommand.
foreach(command predict compare explain what-if occupancy rank devices)
    run(${command} --help)
    expect("status of ${command} --help" "${status}" 0)
    if(NOT said MATCHES "--json")
        message(SEND_ERROR "${command} --help says:\n${said}")
    endif()
    string(REGEX MATCHALL "\n +(-h,)?--[a-z-]+" options "${said}")
    string(REGEX REPLACE "[\n ]|-h," "" options "${options}")
    list(REMOVE_ITEM options --help)
    file(READ ${source}/program/warpgauge.1 page)
    string(REPLACE "\\-" "-" page "${page}")
    foreach(option IN LISTS options)
        if(NOT page MATCHES "${option}[^a-z-]" AND NOT option STREQUAL "--registers")
            message(SEND_ERROR "the manual page does not know ${option} of ${command}")
        endif()
    endforeach()
    if(NOT page MATCHES "B ${command}\n")
        message(SEND_ERROR "the manual page does not know ${command}")
    endif()
    list(APPEND ${command}_options ${options})
endforeach()
run(--version)
if(NOT said MATCHES "^warpgauge [0-9]+\\.[0-9]+\\.[0-9]+\n$")
    message(SEND_ERROR "--version says ${said}")
endif()

find_program(groff groff)
if(groff)
    execute_process(COMMAND ${groff} -man -ww -Tutf8 ${source}/program/warpgauge.1 OUTPUT_QUIET ERROR_VARIABLE warnings)
    expect("what groff says of the manual page" "${warnings}" "")
else()
    message(STATUS "groff not found: the manual page is not set")
endif()

find_program(bash bash)
if(bash)
    # What bash offers for the words of a line; the last is under the cursor.
    function(completes expected)
        list(LENGTH ARGN count)
        list(JOIN ARGN "' '" words)
        execute_process(COMMAND ${bash} -c "source '${source}/program/completion.bash' && COMP_WORDS=('${program}' '${words}')
            COMP_CWORD=${count} && _warpgauge && echo \"\${COMPREPLY[*]}\""
            OUTPUT_VARIABLE offered ERROR_VARIABLE error OUTPUT_STRIP_TRAILING_WHITESPACE)
        expect("completion of ${ARGN}" "${offered}${error}" "${expected}")
    endfunction()
    completes("predict" pre)
    completes("--json" predict --js)
    completes("h100_sxm5" predict --device h100_s)
    completes("mwp_cwp" compare --model mw)
    completes("l40 l40s" devices l40)
    foreach(command predict compare explain what-if occupancy rank devices)
        foreach(option IN LISTS ${command}_options)
            execute_process(COMMAND ${bash} -c "source '${source}/program/completion.bash' &&
                COMP_WORDS=('${program}' ${command} ${option}) COMP_CWORD=2 && _warpgauge && echo \"\${COMPREPLY[*]}\""
                OUTPUT_VARIABLE offered)
            if(NOT offered MATCHES "${option}[ \n]")
                message(SEND_ERROR "bash does not complete ${option} of ${command}")
            endif()
        endforeach()
    endforeach()
endif()

# --- CUDA source, by nvcc or by clang alone.
find_program(nvcc nvcc HINTS /usr/local/cuda/bin)
find_program(clang NAMES clang++ clang++-14)
foreach(compiler nvcc clang)
    if(NOT ${compiler})
        message(STATUS "${compiler} not found: no CUDA source is compiled by it")
        continue()
    endif()
    get_filename_component(folder ${${compiler}} DIRECTORY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${folder}:/usr/bin:/bin
        ${program} predict saxpy.cu --grid 16 --block 256 --arg n=4096 --device l40 --json
        WORKING_DIRECTORY ${kernels} OUTPUT_VARIABLE said ERROR_VARIABLE error RESULT_VARIABLE status)
    expect("status of saxpy.cu by ${compiler}" "${status}${error}" 0)
    string(JSON is ERROR_VARIABLE missing GET "${said}" kernel)
    expect("kernel of saxpy.cu by ${compiler}" "${is}" saxpy)
    file(WRITE ${scratch}/bad.cu "extern \"C\" __global__ void k() { nothing; }\n")
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${folder}:/usr/bin:/bin
        ${program} predict ${scratch}/bad.cu --grid 1 --block 1 ERROR_VARIABLE error RESULT_VARIABLE status)
    if(NOT status EQUAL 1 OR NOT error MATCHES "bad.cu.1.*error.*nothing")
        message(SEND_ERROR "bad.cu by ${compiler}: ${status}: ${error}")
    endif()

    # A kernel that only one architecture has, and its macro.
    file(WRITE ${scratch}/new.cu "#if __CUDA_ARCH__ == 800\nextern \"C\" __global__ void only(float* x) { x[threadIdx.x * STEP] = 0; }\n#endif\n")
    foreach(given "" "--arch;sm_80;-D;STEP=8" "--launch;${scratch}/new.json")
        file(WRITE ${scratch}/new.json "{\"file\": \"new.cu\", \"arch\": \"sm_80\", \"defines\": {\"STEP\": 8}}")
        execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${folder}:/usr/bin:/bin
            ${program} predict ${scratch}/new.cu --grid 1 --block 32 --device l40 --details ${given}
            OUTPUT_VARIABLE said ERROR_VARIABLE error RESULT_VARIABLE status)
        if(given STREQUAL "")
            string(STRIP "${error}" error)
            expect("new.cu for the oldest by ${compiler}" "${status} ${error}" "2 ${scratch}/new.cu: has no kernel")
        elseif(NOT status EQUAL 0 OR NOT said MATCHES "st.global[^\n]* 32 +32 +4 +1024")
            message(SEND_ERROR "new.cu ${given} by ${compiler}: ${status}: ${said}${error}")
        endif()
    endforeach()
    refuses(2 "--arch 80: takes an architecture, as sm_90" predict ${scratch}/new.cu --grid 1 --block 32 --arch 80)

    # What Kernel Tuner has recorded: a cache, and the same as T4.
    set(tuned ${source}/examples/kernel_tuner)
    foreach(record "cache.json" "t4.json;--problem-size;2048,2048")
        execute_process(COMMAND ${CMAKE_COMMAND} -E env PATH=${folder}:/usr/bin:/bin ${program} rank transpose.cu
            --kernel-tuner ${record} --restriction "32 <= block_size_x < 64 and block_size_y >= 8" --restriction
            "through_shared or block_size_y // 8 == 1" --arg n=2048 --device l40 --keep 0.4 --json
            WORKING_DIRECTORY ${tuned} OUTPUT_VARIABLE said ERROR_VARIABLE error RESULT_VARIABLE status)
        expect("status of ${record} by ${compiler}" "${status}${error}" 0)
        string(JSON count LENGTH "${said}" launches)
        expect("configurations of ${record}" "${count}" 3)
        string(JSON last GET "${said}" launches 2)
        string(JSON is GET "${last}" launch)
        expect("the last of ${record} by ${compiler}" "${is}" "block_size_x=32 block_size_y=8 through_shared=0")
        string(JSON is GET "${last}" measured_seconds)
        expect("its recorded time" "${is}" "0.00020899999999999998")
        string(JSON is GET "${said}" notes 0)
        if(NOT is MATCHES "^the fastest of those recorded, block_size_x=32 block_size_y=16 through_shared=1 with 100.00 us, is at place [12]$")
            message(SEND_ERROR "${record} by ${compiler}: ${is}")
        endif()
        string(JSON is GET "${said}" notes 1)
        if(NOT is MATCHES "they cost the tuner [48][24]+.00 ms of 1.27 s$")
            message(SEND_ERROR "${record} by ${compiler}: ${is}")
        endif()
    endforeach()
endforeach()
set(tuned ${source}/examples/kernel_tuner)
set(rank_tuned rank ${tuned}/transpose.cu --device l40 --kernel-tuner)
refuses(2 "--problem-size is needed: ${tuned}/t4.json does not say it" ${rank_tuned} ${tuned}/t4.json)
refuses(2 "${tuned}/transpose.cu: is no JSON object" ${rank_tuned} ${tuned}/transpose.cu)
refuses(2 "--restriction \"tile > 1\": a number or a known name expected before \"tile > 1\""
    ${rank_tuned} ${tuned}/cache.json --restriction "tile > 1")
refuses(2 "--restriction block_size_x == 1 / 0: no configuration fulfils it"
    ${rank_tuned} ${tuned}/cache.json --restriction "block_size_x == 1 / 0")
refuses(2 "--restriction needs --kernel-tuner" rank saxpy.sm_75.ptx --grid 1 --block 32 --arg 1 --device l40 --restriction "x")
refuses(2 "--grid-div: the record has no parameter tile" ${rank_tuned} ${tuned}/cache.json --grid-div-x tile)
file(WRITE ${scratch}/launch_again.json "{\"grid\": 1}")
refuses(2 "${scratch}/launch_again.json: is neither a cache of Kernel Tuner nor results in the T4 format"
    ${rank_tuned} ${scratch}/launch_again.json)
# A cache that a tuner still writes to.
file(WRITE ${scratch}/open.json "{\"kernel_name\": \"transpose\", \"problem_size\": \"64\", \"tune_params_keys\": [\"block_size_x\"],
    \"cache\": {\n\"0\": {\"block_size_x\": 0, \"time\": 1.0},\n")
refuses(1 "block_size_x=0: has to be a whole number above zero" ${rank_tuned} ${scratch}/open.json)
