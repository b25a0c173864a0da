# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# PTX that compilers make of others' libraries and of our own kernels parses, and at least 95 of 100 kernels are followed
# to the end: programs that use CUB, Thrust and cuda::std and every kernel of this repository, by nvcc for its oldest and
# its newest architecture; the kernels of examples/kernels by NVRTC, with -D nvrtc_ptx=PROGRAM; and, where -D clang=PROGRAM
# knows PTX, kernels without CUDA's headers by clang, optimised and with debug sections, and with -D llc=PROGRAM for
# architectures that nvcc no longer knows too. -D all=ON takes every architecture, which takes half an hour.
# docs/ptx.md has what it prints.
set(corpus ${source}/tests/ptx/corpus)
set(folder ${binary}/ptx_corpus)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "compute_[0-9]+" architectures "${listed}")
list(REMOVE_DUPLICATES architectures)
set(taken ${architectures})
if(NOT all)
    list(GET architectures 0 oldest)
    list(GET architectures -1 newest)
    set(taken ${oldest} ${newest})
endif()

file(GLOB kernels ${source}/examples/kernels/*.cu)
set(included)
foreach(kernel IN LISTS kernels ITEMS ${source}/tests/ptx/loop_nests.cu)
    string(APPEND included "#include \"${kernel}\"\n")
endforeach()
file(WRITE ${folder}/own_kernels.cu "${included}")

set(files)
# PTX of a source by nvcc; further arguments are nvcc's.
function(compile name program)
    set(file ${folder}/${name}.${architecture}.ptx)
    execute_process(COMMAND ${nvcc} -ptx -lineinfo -arch=${architecture} ${ARGN} -o ${file} ${program}
        COMMAND_ERROR_IS_FATAL ANY)
    set(files ${files} ${file} PARENT_SCOPE)
endfunction()
# The kernels with parameters of their own: a line for each, with NAME, its source and its definitions.
execute_process(COMMAND ${against_cubins} more 75 OUTPUT_VARIABLE tunable COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" tunable "${tunable}")
file(GLOB programs ${corpus}/*.cu)
foreach(architecture IN LISTS taken)
    foreach(program IN LISTS programs ITEMS ${source}/tests/ptx/programs.cu ${folder}/own_kernels.cu)
        cmake_path(GET program STEM name)
        compile(${name} ${program} -std=c++17)
    endforeach()
    foreach(name IN ITEMS latency mixture sync throughput)
        compile(${name} ${source}/benchmarks/gpu/${name}.cu -std=c++20 -I${source}/include)
    endforeach()
    foreach(line IN LISTS tunable)
        separate_arguments(words UNIX_COMMAND "${line}")
        list(POP_FRONT words name kernel)
        list(TRANSFORM words PREPEND -D)
        compile(${name} ${source}/${kernel} ${words})
    endforeach()
    compile(transpose_tuned ${source}/examples/kernel_tuner/transpose.cu -Dblock_size_x=32 -Dblock_size_y=8
        -Dthrough_shared=1)
    if(nvrtc_ptx)
        set(file ${folder}/nvrtc.${architecture}.ptx)
        execute_process(COMMAND ${nvrtc_ptx} ${folder}/own_kernels.cu ${file} --gpu-architecture=${architecture}
            --generate-line-info COMMAND_ERROR_IS_FATAL ANY)
        list(APPEND files ${file})
    endif()
endforeach()
# A loop of these is followed up to `max_steps`, for seconds; one architecture is enough.
list(GET taken -1 architecture)
compile(joined_kernels ${source}/tests/sass/joined_kernels.cu)

# An old clang does not know the attribute of a kernel, one without PTX not the target.
foreach(architecture IN LISTS architectures)
    if(NOT clang)
        break()
    endif()
    string(REPLACE compute_ sm_ target ${architecture})
    set(plain --target=nvptx64-nvidia-cuda -march=${target} -nocudalib ${corpus}/plain_kernels.cpp)
    set(cuda -x cuda --cuda-device-only --cuda-gpu-arch=${target} -nocudainc -nocudalib -Wno-unknown-cuda-version
        -include ${corpus}/cuda_for_clang.h ${folder}/own_kernels.cu)
    foreach(name IN ITEMS plain cuda)
        foreach(options IN ITEMS "-O2" "-O0;-g")
            list(GET options 0 level)
            # Loops of own kernels through local memory take minutes to follow; one architecture is enough.
            if(name STREQUAL "cuda" AND level STREQUAL "-O0" AND NOT target STREQUAL "sm_75")
                continue()
            endif()
            set(file ${folder}/clang_${name}.${target}${level}.ptx)
            execute_process(COMMAND ${clang} ${options} -S -o ${file} ${${name}}
                RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
            if(NOT unknown)
                list(APPEND files ${file})
            endif()
        endforeach()
    endforeach()
endforeach()
# LLVM's code generator on its own, as compilers of other languages use it: what clang says of a processor is left out, so
# that the same code is for any.
if(clang AND llc)
    set(ir ${folder}/own_kernels.ll)
    execute_process(COMMAND ${clang} -O2 -S -emit-llvm -o ${ir} -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc
        -nocudalib -Wno-unknown-cuda-version -include ${corpus}/cuda_for_clang.h ${folder}/own_kernels.cu
        RESULT_VARIABLE unknown OUTPUT_QUIET ERROR_QUIET)
    if(NOT unknown)
        file(READ ${ir} text)
        string(REGEX REPLACE "\"target-(cpu|features)\"=\"[^\"]*\"" "" text "${text}")
        file(WRITE ${ir} "${text}")
        foreach(target IN ITEMS sm_20 sm_35 sm_60 sm_90a)
            set(file ${folder}/llc.${target}.ptx)
            execute_process(COMMAND ${llc} -mcpu=${target} -o ${file} ${ir} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
            if(NOT failed)
                list(APPEND files ${file})
            endif()
        endforeach()
    endif()
endif()

execute_process(COMMAND ${trace_files} ${files} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${parse_files} ${files} COMMAND_ERROR_IS_FATAL ANY)
