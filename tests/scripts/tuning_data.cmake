# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For tests of programs that read the recorded tuning spaces: `program`, an example, says what it cannot read; `spaces` is where
# the measurements are, empty where they are not on the machine or the example is not built.

function(find_tuning_spaces name)
    set(program ${binary}/examples/${name})
    set(program ${program} PARENT_SCOPE)
    set(spaces "" PARENT_SCOPE)
    if(NOT EXISTS ${program})
        message(STATUS "${name} is not built")
        return()
    endif()
    execute_process(COMMAND ${program} ${binary}/nothing_here ERROR_VARIABLE said OUTPUT_QUIET RESULT_VARIABLE status)
    if(NOT status EQUAL 1 OR NOT said MATCHES "nothing_here/hotspot_a100.csv: cannot be read")
        message(SEND_ERROR "a folder without measurements: ${status}, ${said}")
    endif()
    if(EXISTS ${shared}/data/tuning/hotspot_a100.csv)
        set(spaces ${shared}/data/tuning PARENT_SCOPE)
    else()
        message(NOTICE "SKIPPED: no tuning spaces in ${shared}/data/tuning; ${name} is not checked")
    endif()
endfunction()
