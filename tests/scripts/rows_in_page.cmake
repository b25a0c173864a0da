# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Each row of the tables that a program prints has to be one of a page in docs/.
function(rows_in_page page said)
    file(READ ${source}/docs/${page} text)
    string(REGEX MATCHALL "\n\\|[^\n]*" rows "\n${said}")
    foreach(row IN LISTS rows)
        string(FIND "${text}" "${row}\n" at)
        if(at EQUAL -1)
            message(SEND_ERROR "docs/${page} lacks this row:${row}")
        endif()
    endforeach()
endfunction()
