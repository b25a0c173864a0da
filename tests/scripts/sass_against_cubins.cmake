# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# What ptxas makes of the kernels, decoded and counted, for the architectures that this nvcc knows of those that
# against_cubins goes through, or of -D architectures=LIST; and what is estimated of it from PTX alone, of these kernels,
# of loop nests and of each opcode.
execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
get_filename_component(tools ${nvcc} DIRECTORY)
find_program(ptxas ptxas HINTS ${tools} REQUIRED)
if(NOT architectures)
    set(architectures 75 80 86 89 90 100 120)
endif()
list(JOIN architectures _ folder)
set(folder ${binary}/cubins_${folder})
file(MAKE_DIRECTORY ${folder})
file(GLOB kernels ${source}/examples/kernels/*.cu)
# FILE.ptx and FILE.cubin of a kernel; further arguments are nvcc's.
function(compile file kernel)
    execute_process(COMMAND ${nvcc} -ptx -lineinfo -arch=compute_${architecture} ${ARGN} -o ${file}.ptx ${kernel}
        COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${ptxas} -lineinfo -arch=sm_${architecture} -o ${file}.cubin ${file}.ptx
        COMMAND_ERROR_IS_FATAL ANY)
endfunction()
foreach(architecture IN LISTS architectures)
    if(NOT known MATCHES "sm_${architecture}[^0-9]")
        continue()
    endif()
    foreach(kernel IN LISTS kernels ITEMS ${source}/tests/ptx/loop_nests.cu ${source}/tests/sass/joined_kernels.cu)
        get_filename_component(name ${kernel} NAME_WE)
        compile(${folder}/${name}.sm_${architecture} ${kernel})
    endforeach()
    execute_process(COMMAND ${against_cubins} more ${architecture} OUTPUT_VARIABLE more COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" more "${more}")
    foreach(line IN LISTS more)
        separate_arguments(words UNIX_COMMAND "${line}")
        list(POP_FRONT words name kernel)
        list(TRANSFORM words PREPEND -D)
        compile(${folder}/${name}.sm_${architecture} ${source}/${kernel} ${words})
    endforeach()
    if(architecture LESS 100)
        set(file ${folder}/opcodes.sm_${architecture})
        execute_process(COMMAND ${lowered_against_cubins} write ${file}.ptx ${architecture}
            COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND ${ptxas} -arch=sm_${architecture} -o ${file}.cubin ${file}.ptx
            COMMAND_ERROR_IS_FATAL ANY)
    endif()
endforeach()
execute_process(COMMAND ${against_cubins} ${folder} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${lowered_against_cubins} alone ${folder} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${lowered_against_cubins} ${folder} COMMAND_ERROR_IS_FATAL ANY)
