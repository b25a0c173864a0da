# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# What including a header costs, as a ratio to including <vector>, <string> and <algorithm>: the memory that GCC
# takes, which does not vary with the load of the machine; and with -D times=ON the user time of g++ and of
# clang++ too. Prints a table of the headers that have a limit, with -D all=ON of all, the most expensive first.
# Fails where a header takes more memory than its limit. Other options: -D include=FOLDER, -D rounds=NUMBER.

# Headers with a limit, in hundredths of the memory of the three standard headers.
if(NOT DEFINED limits)
    set(limits
        warpgauge.hpp=147
        by_name.hpp=183
        ptx.hpp=223
        sass.hpp=154
        tune.hpp=185
        what_if.hpp=200
        models/hybrid.hpp=115
        models/makespan.hpp=110
        models/mpd_cpd.hpp=70
        models/mwp_cwp.hpp=70
        models/ppt_compat.hpp=110
        models/roofline.hpp=70
        models/saturation.hpp=70
        models/trapezoid.hpp=70)
endif()
set(needs_a_library "^(boost_math|eigen)/")  # left out where that is not on the machine

if(NOT DEFINED include)
    set(include ${source}/include)
endif()
if(NOT DEFINED rounds)
    set(rounds 5)
endif()
find_program(gcc NAMES g++ g++-12 g++-13 g++-14 REQUIRED)
find_program(clang NAMES clang++ clang++-14)
find_path(eigen Eigen/Core PATHS /usr/include /usr/local/include PATH_SUFFIXES eigen3)
set(options -std=c++20 -fsyntax-only -I${include})
if(eigen)
    list(APPEND options -isystem ${eigen})
endif()

set(folder ${CMAKE_CURRENT_BINARY_DIR})
if(DEFINED binary)
    set(folder ${binary})
endif()
set(unit ${folder}/include_cost.cpp)

function(write_unit header)
    if(header STREQUAL "standard")
        file(WRITE ${unit} "#include <vector>\n#include <string>\n#include <algorithm>\n")
    else()
        file(WRITE ${unit} "#include <warpgauge/${header}>\n")
    endif()
endfunction()

# Bytes that GCC takes for a unit with one header; 0 where it does not compile.
function(memory_of header out)
    write_unit(${header})
    execute_process(COMMAND ${gcc} ${options} -ftime-report ${unit}
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE report)
    set(bytes 0)
    if(failed)
        if(NOT header MATCHES "${needs_a_library}")
            message(SEND_ERROR "${header} does not compile:\n${report}")
        endif()
    elseif(report MATCHES "TOTAL +: +[0-9.]+ +[0-9.]+ +[0-9.]+ +([0-9]+)([kMG]?)")
        set(scale_ 1)
        set(scale_k 1024)
        set(scale_M 1048576)
        set(scale_G 1073741824)
        math(EXPR bytes "${CMAKE_MATCH_1} * ${scale_${CMAKE_MATCH_2}}")
    else()
        message(FATAL_ERROR "no total in the report of ${gcc}:\n${report}")
    endif()
    set(${out} ${bytes} PARENT_SCOPE)
endfunction()

# Milliseconds of user time that a compiler takes for it.
function(time_of header compiler out)
    write_unit(${header})
    list(JOIN options " " words)
    execute_process(COMMAND bash -c "LC_ALL=C TIMEFORMAT=%3U; time ${compiler} ${words} ${unit}"
        OUTPUT_QUIET ERROR_VARIABLE report)
    string(REGEX MATCH "([0-9]+)\\.([0-9][0-9][0-9])\n$" found "${report}")
    math(EXPR milliseconds "${CMAKE_MATCH_1} * 1000 + 1${CMAKE_MATCH_2} - 1000")
    set(${out} ${milliseconds} PARENT_SCOPE)
endfunction()

# `part / whole` with two digits after the point, and in hundredths, rounded.
function(ratio part whole hundredths out)
    math(EXPR n "(200 * ${part} + ${whole}) / (2 * ${whole})")
    math(EXPR ones "${n} / 100")
    math(EXPR rest "${n} % 100 + 100")
    string(SUBSTRING ${rest} 1 2 rest)
    set(${hundredths} ${n} PARENT_SCOPE)
    set(${out} "${ones}.${rest}" PARENT_SCOPE)
endfunction()

function(padded text width out)
    string(LENGTH "${text}" length)
    math(EXPR missing "${width} - ${length}")
    if(missing GREATER 0)
        string(REPEAT " " ${missing} spaces)
        set(text "${text}${spaces}")
    endif()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

file(GLOB_RECURSE headers RELATIVE ${include}/warpgauge ${include}/warpgauge/*.hpp)
list(LENGTH headers count)
if(count LESS 20)
    message(FATAL_ERROR "only ${count} headers found in ${include}/warpgauge")
endif()
if(NOT all)
    set(headers ${limits})
    list(TRANSFORM headers REPLACE "=[0-9]+$" "")
endif()

# --- Memory.
memory_of(standard standard_bytes)
set(measured)
foreach(header IN LISTS headers)
    memory_of(${header} bytes)
    if(bytes EQUAL 0)
        continue()
    endif()
    list(APPEND measured ${header})
    ratio(${bytes} ${standard_bytes} hundredths text)
    set(memory_${header} ${text})
    set(hundredths_${header} ${hundredths})
endforeach()

# --- User time: the least of several rounds through all headers, so that a load of the machine meets them all.
set(compilers)
if(times)
    list(APPEND compilers ${gcc})
    if(clang)
        list(APPEND compilers ${clang})
    endif()
    foreach(round RANGE 1 ${rounds})
        foreach(header IN LISTS measured ITEMS standard)
            foreach(compiler IN LISTS compilers)
                time_of(${header} ${compiler} milliseconds)
                if(round EQUAL 1 OR milliseconds LESS least_${compiler}_${header})
                    set(least_${compiler}_${header} ${milliseconds})
                endif()
            endforeach()
        endforeach()
    endforeach()
endif()
file(REMOVE ${unit})

# --- The table.
set(rows)
foreach(header IN LISTS measured)
    math(EXPR key "1000000 + ${hundredths_${header}}")
    list(APPEND rows "${key}:${header}")
endforeach()
list(SORT rows ORDER DESCENDING)
set(heading "| header")
padded("${heading}" 38 heading)
string(APPEND heading "| memory |")
set(rule "|---|---:|")
foreach(compiler IN LISTS compilers)
    cmake_path(GET compiler FILENAME name)
    string(APPEND heading " time, ${name} |")
    string(APPEND rule "---:|")
endforeach()
set(table "${heading}\n${rule}\n")
foreach(row IN LISTS rows)
    string(REGEX REPLACE "^[0-9]+:" "" header ${row})
    padded("| ${header}" 38 line)
    string(APPEND line "| ${memory_${header}} |")
    foreach(compiler IN LISTS compilers)
        ratio(${least_${compiler}_${header}} ${least_${compiler}_standard} hundredths text)
        string(APPEND line " ${text} |")
    endforeach()
    string(APPEND table "${line}\n")
endforeach()
math(EXPR standard_kib "${standard_bytes} / 1024")
set(unit_of_measure "<vector>, <string>, <algorithm> = 1: ${standard_kib} KiB")
foreach(compiler IN LISTS compilers)
    cmake_path(GET compiler FILENAME name)
    string(APPEND unit_of_measure ", ${name} ${least_${compiler}_standard} ms")
endforeach()
message(NOTICE "${unit_of_measure}\n\n${table}")

# --- The limits.
foreach(limit IN LISTS limits)
    string(REGEX MATCH "^(.*)=([0-9]+)$" found "${limit}")
    set(header ${CMAKE_MATCH_1})
    set(hundredths ${CMAKE_MATCH_2})
    ratio(${hundredths} 100 same text)
    if(hundredths_${header} GREATER hundredths)
        message(SEND_ERROR "${header} takes ${memory_${header}} times the memory of <vector>, <string> and "
            "<algorithm>; its limit is ${text}")
    endif()
endforeach()
