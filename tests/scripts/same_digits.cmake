# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# The same predictions, to the last digit, from C++, C and Python: -D cpp=PROGRAM -D c=PROGRAM -D python=PYTHON
# -D library=FILE, each of which prints those of the same cases.

set(cases ${source}/tests/c/cases.txt)
file(STRINGS ${cases} lines)
list(LENGTH lines count)
set(ENV{WARPGAUGE_LIBRARY} ${library})
set(ENV{PYTHONPATH} ${source}/bindings/python)
set(ENV{PYTHONDONTWRITEBYTECODE} 1)
execute_process(COMMAND ${cpp} ${cases} OUTPUT_VARIABLE by_cpp COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${c} ${cases} OUTPUT_VARIABLE by_c COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+\n" printed "${by_cpp}")
list(LENGTH printed printed_count)
if(count LESS 8 OR NOT printed_count EQUAL count)
    message(FATAL_ERROR "${printed_count} of ${count} cases are predicted")
endif()
if(NOT by_c STREQUAL by_cpp)
    message(SEND_ERROR "C++ predicts\n${by_cpp}and C\n${by_c}")
endif()
if(python)
    execute_process(COMMAND ${python} ${source}/tests/python/digits.py ${cases} OUTPUT_VARIABLE by_python
        COMMAND_ERROR_IS_FATAL ANY)
    if(NOT by_python STREQUAL by_cpp)
        message(SEND_ERROR "C++ predicts\n${by_cpp}and Python\n${by_python}")
    endif()
endif()
message(STATUS "${count} cases")
