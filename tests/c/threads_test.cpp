// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C interface from C++17, on several threads that share a device and a profile: all get what one gets.
#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <warpgauge/c.h>

namespace {

struct answers {
    double seconds{};
    double without_bandwidth{};
    double column{};
    std::string error{};

    bool operator==(const answers& o) const {
        return seconds == o.seconds && without_bandwidth == o.without_bandwidth &&
               column == o.column && error == o.error;
    }
};

answers ask(const warpgauge_device* device, const warpgauge_profile* profile) {
    answers a;
    warpgauge_prediction p{};
    (void)warpgauge_predict(device, nullptr, profile, &p, nullptr);
    a.seconds = p.seconds;

    warpgauge_explanation e{};
    (void)warpgauge_explain(device, nullptr, profile, &e, nullptr);
    a.without_bandwidth = e.removals[0].seconds;

    const std::array<double, 3> insts{10, 20, 30};
    const char* name = "comp_insts";
    const double* column = insts.data();
    std::array<double, 3> seconds{};
    const warpgauge_columns all{insts.size(), 1, &name, &column};
    (void)warpgauge_predict_columns(device, nullptr, profile, &all, seconds.data(), nullptr,
                                    nullptr, nullptr);
    a.column = seconds[2];

    // A device of the thread's own, and an error.
    warpgauge_error error{};
    warpgauge_device* own = nullptr;
    if (warpgauge_device_open("l4", &own, nullptr) == WARPGAUGE_OK) {
        (void)warpgauge_device_set(own, "sm_count", -1, &error);
    }
    warpgauge_device_close(own);
    a.error = error.message;
    return a;
}

}  // namespace

int main() {
    warpgauge_device* device = nullptr;
    warpgauge_profile* profile = nullptr;
    if (warpgauge_device_open("h100 sxm5", &device, nullptr) != WARPGAUGE_OK) return 2;
    if (warpgauge_profile_open(nullptr, &profile, nullptr) != WARPGAUGE_OK) return 2;
    for (const char* name : {"blocks", "threads_per_block", "comp_insts", "coalesced_mem_insts"}) {
        (void)warpgauge_profile_set(profile, name, 128, nullptr);
    }
    const answers alone = ask(device, profile);
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (int& count : wrong) {
        threads.emplace_back([&] {
            for (int n = 0; n < 50; ++n) count += ask(device, profile) == alone ? 0 : 1;
        });
    }
    for (std::thread& t : threads) t.join();
    int all = alone.seconds > 0 && alone.without_bandwidth > 0 && alone.column > 0 ? 0 : 1;
    all += alone.error == "sm_count must be a finite number above zero" ? 0 : 1;
    for (const int count : wrong) all += count;
    std::printf("%d wrong answers\n", all);
    warpgauge_profile_close(profile);
    warpgauge_device_close(device);
    return all != 0;
}
