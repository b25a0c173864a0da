# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# How many of the recorded configurations searches measure, where these are on the machine: in the predicted order no more
# than three of each space, at random many.

include(${CMAKE_CURRENT_LIST_DIR}/tuning_data.cmake)
find_tuning_spaces(search_spaces)
if(NOT spaces)
    return()
endif()
execute_process(COMMAND ${program} ${spaces} OUTPUT_VARIABLE said RESULT_VARIABLE status)
execute_process(COMMAND ${program} ${spaces} OUTPUT_VARIABLE again)
if(status OR NOT said STREQUAL again)
    message(FATAL_ERROR "search_spaces fails, or says two things: ${said}${again}")
endif()
foreach(row "predicted order" "from a predicted population")
    if(NOT said MATCHES "${row}( +[1-3]\\.0 \\( +[1-3]\\))( +[1-3]\\.0 \\( +[1-3]\\))( +[1-3]\\.0 \\( +[1-3]\\))( +[1-3]\\.0 \\( +[1-3]\\))\n")
        message(SEND_ERROR "${row}: more than three measured in\n${said}")
    endif()
endforeach()
# Of N configurations with K good enough, (N + 1) / (K + 1) at random: from 20 to 70 in these spaces.
if(NOT said MATCHES "random( +[2-6][0-9]\\.[0-9] \\( *[0-9]+\\))( +[2-6][0-9]\\.[0-9] \\( *[0-9]+\\))")
    message(SEND_ERROR "random: not as many as chance takes in\n${said}")
endif()
