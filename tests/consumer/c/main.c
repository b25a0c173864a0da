/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <warpgauge/c.h>

int main(void) {
    warpgauge_device* device = 0;
    const int code = warpgauge_device_open("h100 sxm5", &device, 0);
    warpgauge_device_close(device);
    return code;
}
