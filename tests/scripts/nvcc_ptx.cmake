# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# What nvcc makes of the kernels, for every architecture that it knows, parses.
execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "compute_[0-9a-z]+" architectures "${listed}")
file(GLOB kernels ${source}/examples/kernels/*.cu)
set(all)
foreach(kernel IN LISTS kernels)
    string(APPEND all "#include \"${kernel}\"\n")
endforeach()
file(WRITE ${binary}/all_kernels.cu "${all}")
set(files)
foreach(architecture IN LISTS architectures)
    set(file ${binary}/all_kernels.${architecture}.ptx)
    execute_process(COMMAND ${nvcc} -ptx -lineinfo -arch=${architecture} -o ${file}
        ${binary}/all_kernels.cu COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND files ${file})
endforeach()
execute_process(COMMAND ${parse_files} ${files} COMMAND_ERROR_IS_FATAL ANY)
