# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Builds the page, and compares what it shows in Chromium with what ${program} prints.
foreach(step IN ITEMS "--preset;page" "--build;--preset;page")
    execute_process(COMMAND ${CMAKE_COMMAND} ${step} WORKING_DIRECTORY ${source} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND python3 -B ${source}/tests/page/check_page.py ${source}/build/page/page/warpgauge ${program}
    ${source}/examples/kernels ${chromium} COMMAND_ERROR_IS_FATAL ANY)
