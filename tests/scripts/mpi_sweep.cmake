# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# One process, two and three say the same.

execute_process(COMMAND ${program} OUTPUT_VARIABLE alone RESULT_VARIABLE status)
if(status OR NOT alone MATCHES "262144 tilings")
    message(FATAL_ERROR "alone: ${status}: ${alone}")
endif()
foreach(ranks 2 3)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        ${mpirun} -n ${ranks} --oversubscribe ${program}
        OUTPUT_VARIABLE together ERROR_VARIABLE said RESULT_VARIABLE status)
    if(status OR NOT together STREQUAL alone)
        message(SEND_ERROR "${ranks} processes: ${status}: ${together}${said}, not ${alone}")
    endif()
endforeach()
