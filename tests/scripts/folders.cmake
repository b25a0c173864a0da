# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# Installed to unusual folders, the headers are found through pkg-config and find_package.
find_package(PkgConfig REQUIRED)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

foreach(include include /absolute/include)
    foreach(data share lib/deep/share)
        string(MAKE_C_IDENTIFIER "folders_${include}_${data}" name)
        set(build ${binary}/${name})
        set(prefix ${build}/installed)
        set(to ${include})  # as given, or absolute
        if(IS_ABSOLUTE ${include})
            set(to ${prefix}${include})
        endif()
        run(${CMAKE_COMMAND} -S ${source} -B ${build} -DWARPGAUGE_BUILD_TESTS=OFF -DWARPGAUGE_BUILD_EXAMPLES=OFF
            -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_INSTALL_PREFIX=${prefix} -DCMAKE_INSTALL_INCLUDEDIR=${to}
            -DCMAKE_INSTALL_DATADIR=${data})
        run(${CMAKE_COMMAND} --install ${build})
        set(ENV{PKG_CONFIG_PATH} ${prefix}/${data}/pkgconfig)
        execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --variable=includedir warpgauge OUTPUT_VARIABLE said
            OUTPUT_STRIP_TRAILING_WHITESPACE)
        if(NOT EXISTS ${said}/warpgauge/warpgauge.hpp)
            message(SEND_ERROR "${include}, ${data}: pkg-config says \"${said}\"")
        endif()
        run(${CMAKE_COMMAND} -S ${source}/tests/consumer/find_package -B ${build}/consumer
            -DCMAKE_CXX_COMPILER=${compiler} -Dwarpgauge_DIR=${prefix}/${data}/cmake/warpgauge)
    endforeach()
endforeach()
