# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Builds the page, for the tests that open it.
foreach(step IN ITEMS "--preset;page" "--build;--preset;page")
    execute_process(COMMAND ${CMAKE_COMMAND} ${step} WORKING_DIRECTORY ${source} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
