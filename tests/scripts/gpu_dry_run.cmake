# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# measure_gpu compiles for the oldest, a middle and the newest architecture of nvcc, plans without fault
# and says what is wrong with its arguments; its loops hold the instructions that they are to time, in PTX
# and in machine code.
execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9]+" known "${listed}")
list(SORT known COMPARE NATURAL)
list(LENGTH known count)
math(EXPR middle "${count} / 2")
math(EXPR last "${count} - 1")
list(GET known 0 ${middle} ${last} architectures)
set(out ${binary}/gpu)
execute_process(COMMAND ${CMAKE_COMMAND} -D nvcc=${nvcc} -D "architectures=${architectures}" -D out=${out}
    -P ${source}/benchmarks/gpu/build.cmake COMMAND_ERROR_IS_FATAL ANY)

function(says arguments expected_status expression)
    execute_process(COMMAND ${out}/measure_gpu ${arguments} OUTPUT_VARIABLE printed ERROR_VARIABLE said
        RESULT_VARIABLE status)
    if(NOT status EQUAL expected_status OR NOT "${said}${printed}" MATCHES "${expression}")
        message(SEND_ERROR "measure_gpu ${arguments}: status ${status}, no \"${expression}\" in\n${said}")
    endif()
endfunction()
foreach(name IN ITEMS "GeForce RTX 2070 SUPER" "H100 SXM5")
    says("--dry-run" 0 "# ${name}:.*\n# 1[0-9][0-9][0-9] rows of 27 columns, 0 faults\n")
endforeach()
says("--dry-run;--only;latency" 0 "\nlatency shared 4096, 1x1x1, 1x1x1, 4096, 0, 2048, 25\n")
says("--only;nothing" 2 "^nothing: no such experiment; there are latency departure")
says("--out" 2 "^--out needs a value\nusage: ")
says("--fast" 2 "^--fast: no such option\nusage: ")

# The loops of the PTX, followed.
list(GET architectures 0 oldest)
set(texts)
foreach(name IN ITEMS latency mixture sync throughput)
    execute_process(COMMAND ${nvcc} -std=c++20 -O3 -I${source}/include -arch=compute_${oldest} -ptx
        -o ${out}/${name}.ptx ${source}/benchmarks/gpu/${name}.cu COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND texts ${out}/${name}.ptx)
endforeach()
execute_process(COMMAND ${loops_traced} ${texts} COMMAND_ERROR_IS_FATAL ANY)

# Of the kernels that are alike but for 32 and 64 instructions of each chain in their loop, the second is
# longer by as many as it should be, of 16 B each, to the padding of 128 B.
find_program(readelf readelf)
if(NOT readelf)
    message(STATUS "readelf not found: sizes of loops not checked")
    return()
endif()
set(checked 0)
foreach(architecture IN LISTS architectures)
    set(cubin ${out}/throughput.sm_${architecture}.cubin)
    execute_process(COMMAND ${nvcc} -std=c++20 -O3 -I${source}/include -arch=sm_${architecture} -cubin
        -o ${cubin} ${source}/benchmarks/gpu/throughput.cu COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${readelf} --wide --section-headers ${cubin} OUTPUT_VARIABLE sections
        ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL " \\.text\\.[^\n]*repeatI[^\n]* PROGBITS [^\n]*" kernels "${sections}")
    foreach(kernel IN LISTS kernels)
        # .text.…repeatINS_8fp32_fmaELi4ELi64EEE… PROGBITS address offset size
        if(NOT kernel MATCHES "repeatINS_[0-9]+([a-z0-9_]+)ELi([0-9]+)ELi([0-9]+)E.* +PROGBITS +[0-9a-f]+ +[0-9a-f]+ +([0-9a-f]+) ")
            message(SEND_ERROR "${kernel}: in no known form")
            continue()
        endif()
        math(EXPR size_${CMAKE_MATCH_1}_${CMAKE_MATCH_2}_${CMAKE_MATCH_3} "0x${CMAKE_MATCH_4}")
    endforeach()
    foreach(class IN ITEMS int_add:2 int_mad:1 fp32_fma:1 fp64_fma:1 fp16x2_fma:1 ex2:1 sine:2 convert:2
            shared_load:1)
        string(REPLACE ":" ";" parts ${class})
        list(GET parts 0 name)
        list(GET parts 1 instructions)
        foreach(chains IN ITEMS 1 4)
            math(EXPR longer "${size_${name}_${chains}_64} - ${size_${name}_${chains}_32}")
            math(EXPR least "32 * ${chains} * ${instructions} * 16 - 127")
            if(longer LESS least)
                message(SEND_ERROR "sm_${architecture}: ${name}, ${chains} chains: ${longer} B longer, "
                    "not ${least}: instructions were folded or dropped")
            endif()
            math(EXPR checked "${checked} + 1")
        endforeach()
    endforeach()
endforeach()
message(STATUS "${checked} loops")
