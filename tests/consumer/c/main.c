/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <warpgauge/c.h>

int main(void) {
    warpgauge_device* device = 0;
    warpgauge_profile* profile = 0;
    warpgauge_prediction p;
    int code = warpgauge_device_open("h100 sxm5", &device, 0);
    if (code == WARPGAUGE_OK) code = warpgauge_profile_open(0, &profile, 0);
    if (code == WARPGAUGE_OK) code = warpgauge_profile_set(profile, "blocks", 4096, 0);
    if (code == WARPGAUGE_OK) code = warpgauge_profile_set(profile, "threads_per_block", 256, 0);
    if (code == WARPGAUGE_OK) code = warpgauge_profile_set(profile, "comp_insts", 10, 0);
    if (code == WARPGAUGE_OK) code = warpgauge_predict(device, 0, profile, &p, 0);
    if (code == WARPGAUGE_OK) printf("%.3g us by C\n", 1e6 * p.seconds);
    warpgauge_profile_close(profile);
    warpgauge_device_close(device);
    return code;
}
