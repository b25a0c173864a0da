# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes headers of the library, and all that they include of it, into one file:
#   cmake -D output=warpgauge.hpp -P cmake/single_header.cmake
#   cmake -D output=warpgauge.hpp -D "headers=warpgauge.hpp;ptx.hpp" -P cmake/single_header.cmake
# Without `headers`, it is warpgauge.hpp that is written. Each header comes once, after those that it includes, in its own
# guard; what it includes of the standard library stays where it is.
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/version.cmake)
set(include_dir ${CMAKE_CURRENT_LIST_DIR}/../include)
if(NOT output)
    message(FATAL_ERROR "name the file to write: -D output=FILE")
endif()
if(NOT headers)
    set(headers warpgauge.hpp)
endif()
set(own_include "\n#include <(warpgauge/[^>\n]+)>")

function(append_header header)
    get_property(appended GLOBAL PROPERTY appended)
    if(header IN_LIST appended)
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY appended ${header})
    if(NOT EXISTS ${include_dir}/${header})
        message(FATAL_ERROR "there is no header ${header}")
    endif()
    file(READ ${include_dir}/${header} text)
    string(REGEX MATCHALL "${own_include}" includes "${text}")
    foreach(line IN LISTS includes)
        string(REGEX REPLACE "${own_include}" "\\1" included "${line}")
        append_header(${included})
    endforeach()
    string(REGEX REPLACE "${own_include}" "" text "${text}")
    string(REGEX REPLACE "^// SPDX[^\n]*\n" "" text "${text}")
    string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
    set_property(GLOBAL APPEND_STRING PROPERTY written "\n// ${header}\n${text}")
endfunction()

foreach(header IN LISTS headers)
    append_header(warpgauge/${header})
endforeach()
get_property(written GLOBAL PROPERTY written)
list(JOIN headers ", " names)
file(WRITE ${output} "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// warpgauge ${version}, the headers ${names} as one file, made by cmake/single_header.cmake.
${written}")
