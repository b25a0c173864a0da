# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a command that has to succeed; what it prints goes to `printed`.
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
    if(failed)
        message(FATAL_ERROR "${ARGN}:\n${text}")
    endif()
    set(printed "${text}" PARENT_SCOPE)
endfunction()
