# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The API site, where Doxygen is: the target `api-site` writes api/index.html into the build folder.

find_program(DOXYGEN NAMES doxygen)
find_program(api_awk NAMES awk mawk gawk)
mark_as_advanced(DOXYGEN api_awk)
if(NOT DOXYGEN OR NOT api_awk)
    message(STATUS "No doxygen: neither the API site nor its test")
    return()
endif()

# Writes a configuration of Doxygen for pages in the folder `output`; its path to `out`.
function(configure_api_site out output warnings_are_errors)
    set(api_folder ${PROJECT_SOURCE_DIR}/cmake/api_site)
    set(api_output ${output})
    set(api_warnings_are_errors ${warnings_are_errors})
    file(MAKE_DIRECTORY ${output})
    configure_file(${api_folder}/Doxyfile.in ${output}.doxyfile @ONLY)
    set(${out} ${output}.doxyfile PARENT_SCOPE)
endfunction()

configure_api_site(doxyfile ${PROJECT_BINARY_DIR}/api NO)
add_custom_target(api-site COMMAND ${DOXYGEN} ${doxyfile} VERBATIM
    COMMENT "Pages of the API in ${PROJECT_BINARY_DIR}/api/index.html")
