# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Files of pkg-config, for whatever folders the caller installs to. They may be moved with all that is installed, unless
# one of the folders is absolute.

# Writes `to` from `from`, which names @pc_prefix@, @pc_includedir@ and @pc_libdir@, to be installed in `folder`.
function(warpgauge_pkg_config from to folder)
    set(pc_prefix ${CMAKE_INSTALL_PREFIX})
    if(NOT IS_ABSOLUTE ${folder})
        file(RELATIVE_PATH up /prefix/${folder} /prefix)
        set(pc_prefix "\${pcfiledir}/${up}")
    endif()
    foreach(kind IN ITEMS include lib)
        string(TOUPPER ${kind} KIND)
        set(pc_${kind}dir ${CMAKE_INSTALL_${KIND}DIR})
        if(NOT IS_ABSOLUTE ${pc_${kind}dir})
            set(pc_${kind}dir "\${prefix}/${pc_${kind}dir}")
        endif()
    endforeach()
    configure_file(${from} ${to} @ONLY)
endfunction()
