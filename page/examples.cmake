# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Writes the examples of ${list} to ${out} as a script, with the text of their kernels from ${kernels}.
file(READ ${list} all)
string(JSON last LENGTH "${all}")
math(EXPR last "${last} - 1")

# ${text} as a string of JavaScript.
function(quoted result text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\t" "\\t" text "${text}")
    string(REPLACE "\n" "\\n" text "${text}")
    set(${result} "\"${text}\"" PARENT_SCOPE)
endfunction()

foreach(n RANGE ${last})
    string(JSON file GET "${all}" ${n} file)
    foreach(kind IN ITEMS ptx ptxas)
        file(READ ${kernels}/${file}.${kind} text)
        quoted(text "${text}")
        string(JSON all SET "${all}" ${n} ${kind} "${text}")
    endforeach()
endforeach()
file(WRITE ${out} "'use strict';\nconst EXAMPLES = ${all};\n")
