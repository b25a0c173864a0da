# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# An example compiled with one file in the place of all headers prints what it prints with the headers.

set(dir ${binary}/single_header)
file(REMOVE_RECURSE ${dir})
function(compare example headers)  # further arguments: of the compiler
    set(header ${dir}/${example}.hpp)
    execute_process(COMMAND ${CMAKE_COMMAND} -D output=${header} -D "headers=${headers}"
        -P ${source}/cmake/single_header.cmake COMMAND_ERROR_IS_FATAL ANY)
    file(STRINGS ${header} own REGEX "^ *# *include <warpgauge")
    if(own)
        message(SEND_ERROR "${header} is not one file: ${own}")
    endif()
    file(READ ${source}/examples/${example}.cpp text)
    string(REGEX REPLACE "#include <warpgauge/[^\n]*" "" text "${text}")
    file(WRITE ${dir}/${example}.cpp "#include \"${example}.hpp\"\n${text}")
    execute_process(COMMAND ${compiler} -std=c++20 -Wall -Wextra -Werror ${ARGN} ${dir}/${example}.cpp
        -o ${dir}/${example} COMMAND_ERROR_IS_FATAL ANY)
    foreach(program ${dir}/${example} ${binary}/examples/${example})
        execute_process(COMMAND ${program} OUTPUT_VARIABLE printed_by_${program} COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    set(one "${printed_by_${dir}/${example}}")
    set(all "${printed_by_${binary}/examples/${example}}")
    if(one STREQUAL "" OR NOT one STREQUAL all)
        message(SEND_ERROR "${example} prints \"${one}\" with one file, and \"${all}\" with the headers")
    endif()
    message(STATUS "${example}: ${one}")
endfunction()

compare(first_answer "")
compare(from_ptx "warpgauge.hpp;ptx.hpp" -DKERNELS="${source}/examples/kernels")
