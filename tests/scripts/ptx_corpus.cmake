# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# PTX that others' libraries and compilers make parses: programs that use CUB, Thrust and cuda::std, by nvcc for its
# oldest and its newest architecture; and, where -D clang=PROGRAM knows PTX, kernels without CUDA by clang, optimised
# and with debug sections. -D all=ON takes every architecture, which takes minutes.
set(corpus ${source}/tests/ptx/corpus)
execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "compute_[0-9]+" architectures "${listed}")
list(REMOVE_DUPLICATES architectures)
set(taken ${architectures})
if(NOT all)
    list(GET architectures 0 oldest)
    list(GET architectures -1 newest)
    set(taken ${oldest} ${newest})
endif()
set(files)
file(GLOB programs ${corpus}/*.cu)
foreach(architecture IN LISTS taken)
    foreach(program IN LISTS programs)
        cmake_path(GET program STEM name)
        set(file ${binary}/${name}.${architecture}.ptx)
        execute_process(COMMAND ${nvcc} -std=c++17 -ptx -lineinfo -arch=${architecture} -o ${file} ${program}
            COMMAND_ERROR_IS_FATAL ANY)
        list(APPEND files ${file})
    endforeach()
endforeach()

# An old clang does not know the attribute of a kernel, one without PTX not the target.
if(clang)
    file(WRITE ${binary}/one_kernel.cpp "extern \"C\" __attribute__((nvptx_kernel)) void k() {}\n")
    execute_process(COMMAND ${clang} --target=nvptx64-nvidia-cuda -march=sm_75 -nocudalib -Werror -S -o
        ${binary}/one_kernel.ptx ${binary}/one_kernel.cpp RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    foreach(architecture IN LISTS architectures)
        if(failed)
            break()
        endif()
        string(REPLACE compute_ sm_ target ${architecture})
        foreach(options IN ITEMS "-O2" "-O0;-g")
            list(GET options 0 level)
            set(file ${binary}/plain_kernels.${target}${level}.ptx)
            execute_process(COMMAND ${clang} --target=nvptx64-nvidia-cuda -march=${target} -nocudalib ${options} -S
                -o ${file} ${corpus}/plain_kernels.cpp RESULT_VARIABLE unknown_target OUTPUT_QUIET ERROR_QUIET)
            if(NOT unknown_target)
                list(APPEND files ${file})
            endif()
        endforeach()
    endforeach()
endif()
execute_process(COMMAND ${parse_files} ${files} COMMAND_ERROR_IS_FATAL ANY)
