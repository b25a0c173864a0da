# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Every header include/warpgauge/X/Y.hpp has a test of its own, tests/X/Y_test.cpp; tests/CMakeLists.txt builds those
# of the rooms that it names.

# Headers without one, and what tests them in its place.
set(exempt
    "[a-z_]+.hpp"                # a group header: headers_stand_alone and odr.cpp compile it
    "core/when_used.hpp"         # an empty tag, without behaviour
    "devices/.*")                # numbers alone: devices/all_test.cpp goes through every device

file(GLOB_RECURSE headers RELATIVE ${source}/include/warpgauge ${source}/include/warpgauge/*.hpp)
list(LENGTH headers count)
if(count LESS 20)
    message(FATAL_ERROR "only ${count} headers found in ${source}/include/warpgauge")
endif()
file(READ ${source}/tests/CMakeLists.txt built)
set(mirrored 0)
foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.hpp$" "_test.cpp" test ${header})
    string(REGEX REPLACE "/.*" "" room ${header})
    if(EXISTS ${source}/tests/${test})
        math(EXPR mirrored "${mirrored} + 1")
        if(NOT built MATCHES "[ (]${room}[ )]|[ (]${room}/\\*_test")
            message(SEND_ERROR "tests/CMakeLists.txt does not build tests/${test}")
        endif()
        continue()
    endif()
    set(excused NO)
    foreach(name IN LISTS exempt)
        if(header MATCHES "^${name}$")
            set(excused YES)
        endif()
    endforeach()
    if(NOT excused)
        message(SEND_ERROR "${header} has no tests/${test}")
    endif()
endforeach()
message(STATUS "${mirrored} of ${count} headers have a test of their own")
