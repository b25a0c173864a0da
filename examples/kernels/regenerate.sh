#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes the PTX and the text of ptxas beside each kernel, for two architectures. Needs nvcc, and no GPU.
set -eu
cd "$(dirname "$0")"
for source in *.cu; do
    name=${source%.cu}
    for cc in 75 90; do
        nvcc -ptx -lineinfo -arch=compute_$cc -o "$name.sm_$cc.ptx" "$source"
        ptxas -v -arch=sm_$cc -o /dev/null "$name.sm_$cc.ptx" 2> "$name.sm_$cc.ptxas"
        sed -i '/^[[:space:]]*\.file/s,"[^"]*/,",' "$name.sm_$cc.ptx"  # no folders of this machine
    done
done
