# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An overlay port of the sources around it: vcpkg install warpgauge --overlay-ports=packaging/vcpkg/ports
set(VCPKG_BUILD_TYPE release)  # headers alone

get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../../../.." ABSOLUTE)
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -DWARPGAUGE_BUILD_TESTS=OFF -DWARPGAUGE_BUILD_EXAMPLES=OFF -DWARPGAUGE_BUILD_PROGRAM=OFF
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/warpgauge)
vcpkg_fixup_pkgconfig()

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/lib" "${CURRENT_PACKAGES_DIR}/share/cmake")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
