# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# CLI11 and nlohmann-json for another platform than this one: they are headers alone. Each gets a folder of links, since
# a compiler that looks into all of /usr/include finds this platform's C library there.
function(warpgauge_host_headers package target folder)
    find_path(${package}_include ${folder} PATHS /usr/include /usr/local/include NO_CMAKE_FIND_ROOT_PATH)
    if(NOT ${package}_include)
        return()
    endif()
    set(links ${PROJECT_BINARY_DIR}/host_headers)
    file(MAKE_DIRECTORY ${links})
    file(CREATE_LINK ${${package}_include}/${folder} ${links}/${folder} SYMBOLIC)
    add_library(${target} INTERFACE IMPORTED GLOBAL)
    target_include_directories(${target} SYSTEM INTERFACE ${links})
    set(${package}_FOUND TRUE PARENT_SCOPE)
endfunction()

warpgauge_host_headers(CLI11 CLI11::CLI11 CLI)
warpgauge_host_headers(nlohmann_json nlohmann_json::nlohmann_json nlohmann)
