# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sets `version` from the one header where it is written.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../include/warpgauge/core/version.hpp version_lines
    REGEX "VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version_parts "${version_lines}")
list(JOIN version_parts "." version)
