# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.25)
# The Debian packages hold what they should, lintian accepts them where it is on the machine, and a program is built with
# nothing but what libwarpgauge-dev holds. Pass -D lintian=PROGRAM to run lintian, -D packages=LIST to say which there are.

set(dir ${binary}/debian_package)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${dir})
run(${CMAKE_CPACK_COMMAND} --config ${binary}/CPackConfig.cmake -G DEB -B ${dir})
file(GLOB package ${dir}/libwarpgauge-dev_*_all.deb)
if(NOT package)
    message(FATAL_ERROR "no libwarpgauge-dev_*_all.deb in ${dir}")
endif()
foreach(name IN LISTS packages)
    file(GLOB built ${dir}/${name}_*.deb)
    if(NOT built)
        message(FATAL_ERROR "no ${name}_*.deb in ${dir}")
    endif()
    if(lintian)  # a build whose prefix is not /usr has no folder for each architecture
        run(${lintian} --allow-root --fail-on error,warning --suppress-tags
            pkg-config-unavailable-for-cross-compilation ${built})
    endif()
    run(dpkg-deb --extract ${built} ${dir}/all)
endforeach()

# What the others hold runs where they lie.
if("warpgauge" IN_LIST packages)
    run(${dir}/all/usr/bin/warpgauge devices l40)
endif()
if("python3-warpgauge" IN_LIST packages)
    file(GLOB_RECURSE library ${dir}/all/usr/lib/libwarpgauge.so.0)
    run(${CMAKE_COMMAND} -E env WARPGAUGE_LIBRARY=${library} PYTHONPATH=${dir}/all/usr/lib/python3/dist-packages
        python3 -B -c "import warpgauge; warpgauge.Device('l40')")
endif()

set(root ${dir}/root)
run(dpkg-deb --extract ${package} ${root})
file(GLOB_RECURSE files RELATIVE ${root}/usr ${root}/*)
foreach(file IN LISTS files)
    if(NOT file MATCHES "^(include/warpgauge|share/(cmake/warpgauge|pkgconfig|doc/libwarpgauge-dev|lintian/overrides))/")
        message(SEND_ERROR "the package has ${file}")
    endif()
endforeach()
foreach(file IN ITEMS include/warpgauge/warpgauge.hpp share/pkgconfig/warpgauge.pc
        share/doc/libwarpgauge-dev/copyright share/doc/libwarpgauge-dev/changelog.Debian.gz)
    if(NOT file IN_LIST files)
        message(SEND_ERROR "the package lacks ${file}")
    endif()
endforeach()

run(${CMAKE_COMMAND} -S ${source}/tests/consumer/find_package -B ${dir}/consumer -G ${generator}
    -DCMAKE_CXX_COMPILER=${compiler} -Dwarpgauge_DIR=${root}/usr/share/cmake/warpgauge)
run(${CMAKE_COMMAND} --build ${dir}/consumer)
run(${dir}/consumer/consumer)
list(LENGTH files count)
message(STATUS "${count} files")
