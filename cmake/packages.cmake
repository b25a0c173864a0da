# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian packages by CPack, one for each component that is installed: cpack -G DEB in the build folder.
# docs/packaging.md lists the components. A further package is one call of warpgauge_debian_package.

set(WARPGAUGE_PACKAGE_MAINTAINER "warpgauge maintainers <maintainers@warpgauge.example>" CACHE STRING
    "Who answers for the Debian packages")
set(WARPGAUGE_PACKAGE_REVISION 1 CACHE STRING "Revision of the Debian packages of this version")

set(CPACK_PACKAGE_VENDOR "The warpgauge authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "analytical performance models of GPU kernels")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${WARPGAUGE_PACKAGE_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_RELEASE ${WARPGAUGE_PACKAGE_REVISION})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL)

# The text of the licence that Debian does not have, as the field of debian/copyright wants it: indented, no empty line.
file(READ LICENSE exceptions)
string(FIND "${exceptions}" "As an exception" at)
string(SUBSTRING "${exceptions}" ${at} -1 exceptions)
string(STRIP "${exceptions}" exceptions)
string(REPLACE "\n" "\n " exceptions " ${exceptions}")
string(REPLACE "\n \n" "\n .\n" exceptions "${exceptions}")
configure_file(cmake/debian/copyright.in debian/copyright @ONLY)

# A package of what `component` installs, with the papers that Debian asks for. Further arguments are fields of it, as
# CPACK_DEBIAN_<COMPONENT>_ names them, each before its value: PACKAGE_ARCHITECTURE all.
function(warpgauge_debian_package component package description)
    set(docs ${CMAKE_INSTALL_DATADIR}/doc/${package})
    string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or the environment's SOURCE_DATE_EPOCH
    set(changelog ${PROJECT_BINARY_DIR}/debian/${package}/changelog.Debian)
    configure_file(cmake/debian/changelog.in ${changelog} @ONLY)
    execute_process(COMMAND ${GZIP} --best --no-name --force ${changelog} COMMAND_ERROR_IS_FATAL ANY)
    install(FILES ${PROJECT_BINARY_DIR}/debian/copyright ${changelog}.gz ${PROJECT_BINARY_DIR}/warpgauge.spdx.json
        DESTINATION ${docs} COMPONENT ${component}_debian EXCLUDE_FROM_ALL)
    configure_file(cmake/debian/lintian-overrides.in debian/${package}/lintian-overrides @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/debian/${package}/lintian-overrides
        DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package}
        COMPONENT ${component}_debian EXCLUDE_FROM_ALL)

    string(TOUPPER ${component} COMPONENT)
    foreach(part ${component} ${component}_debian)
        string(TOUPPER ${part} PART)
        set(CPACK_COMPONENT_${PART}_GROUP ${component} PARENT_SCOPE)
    endforeach()
    set(CPACK_DEBIAN_${COMPONENT}_DESCRIPTION "${description}" PARENT_SCOPE)
    set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME ${package} PARENT_SCOPE)
    while(ARGN)
        list(POP_FRONT ARGN field value)
        set(CPACK_DEBIAN_${COMPONENT}_${field} "${value}" PARENT_SCOPE)
    endwhile()
    set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} ${component} ${component}_debian PARENT_SCOPE)
endfunction()

find_program(GZIP gzip)
if(GZIP)
    warpgauge_debian_package(devel libwarpgauge-dev
        "This C++20 library says how long a GPU kernel takes without running it. It
has closed-form models, bounds and a simulation of one streaming
multiprocessor, reads PTX, and knows the parameters of many GPUs. It consists
of headers alone and needs the standard library, and no GPU."
        PACKAGE_ARCHITECTURE all PACKAGE_SECTION libdevel PACKAGE_SUGGESTS "libboost-math-dev, libeigen3-dev")
    if(TARGET warpgauge_program)
        warpgauge_debian_package(program warpgauge
            "This program predicts from PTX or CUDA source how long a GPU kernel takes,
says what limits it, compares GPUs, and ranks launches and the configurations
of a tuner. It needs no GPU."
            PACKAGE_SHLIBDEPS ON PACKAGE_SECTION devel PACKAGE_SUGGESTS "clang, nvidia-cuda-toolkit")
        # Policy wants pages compressed.
        set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/debian/compress_manuals.cmake)
        configure_file(cmake/debian/compress_manuals.cmake.in debian/compress_manuals.cmake @ONLY)
    endif()
    if(TARGET warpgauge_c)
        set(same_version "libwarpgauge${PROJECT_VERSION_MAJOR} (= ${PROJECT_VERSION}-${WARPGAUGE_PACKAGE_REVISION})")
        warpgauge_debian_package(library libwarpgauge${PROJECT_VERSION_MAJOR}
            "This shared library says how long a GPU kernel takes without running it. It
predicts by several models, explains, ranks, and follows PTX, for programs
that are not written in C++20."
            PACKAGE_SHLIBDEPS ON PACKAGE_SECTION libs)
        set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
        file(WRITE ${PROJECT_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
        set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/triggers)
        warpgauge_debian_package(library_devel libwarpgauge-c-dev
            "These are the header for C and C++17 of the library that says how long a GPU
kernel takes without running it, the static library, and what CMake and
pkg-config need to find them."
            PACKAGE_SECTION libdevel PACKAGE_DEPENDS "${same_version}")
        warpgauge_debian_package(python python3-warpgauge
            "This module says how long a GPU kernel takes without running it. It predicts,
explains, ranks columns of configurations without copying them, follows PTX,
and has a strategy for Kernel Tuner. It needs Python's standard library alone."
            PACKAGE_ARCHITECTURE all PACKAGE_SECTION python PACKAGE_DEPENDS
            "python3, libwarpgauge${PROJECT_VERSION_MAJOR} (>= ${PROJECT_VERSION})")
    endif()
endif()
include(CPack)
