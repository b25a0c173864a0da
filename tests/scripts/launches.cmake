# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the tests of programs that read measured launches share.

# Fails unless `text` has the given regular expression.
function(expect text expression)
    if(NOT text MATCHES "${expression}")
        message(SEND_ERROR "no \"${expression}\" in:\n${text}")
    endif()
endfunction()

# The columns that are needed.
set(heading "kernel,N,bx,by,time_ms_median,feature_ok,blocks,threads_per_block,shared_bytes,regs_sm75,comp_insts_per_warp,mem_insts_per_warp,tx_per_warp")
