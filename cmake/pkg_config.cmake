# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# warpgauge.pc, for whatever folders the caller installs to. It may be moved with all that is installed, unless one
# of the folders is absolute.

set(pc_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)
if(IS_ABSOLUTE ${pc_dir})
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
    file(RELATIVE_PATH up /prefix/${pc_dir} /prefix)
    set(pc_prefix "\${pcfiledir}/${up}")
endif()
if(IS_ABSOLUTE ${CMAKE_INSTALL_INCLUDEDIR})
    set(pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
else()
    set(pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/warpgauge.pc.in warpgauge.pc @ONLY)
