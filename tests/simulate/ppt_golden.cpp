// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every result of the authors' program, reproduced: times to 1e-9 relative, all else exactly.
//   ppt_golden FOLDER    with ppt_2017.json and ppt_hardware.json
#include <cmath>
#include <cstddef>
#include <exception>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/devices/all.hpp>

#include "golden.hpp"

using namespace warpgauge;

namespace {

int failures = 0;

template <class A, class B>
void equal(const golden::row& r, std::string_view what, const A& got, const B& expected) {
    if (got == expected) return;
    ++failures;
    std::cerr << r.name << ": " << what << " differ\n";
    if constexpr (requires { std::cerr << got << expected; }) {
        std::cerr << "  " << got << " instead of " << expected << '\n';
    }
}

void close(const golden::row& r, std::string_view what, double got, double expected) {
    if (std::abs(got - expected) <= 1e-9 * expected) return;
    ++failures;
    std::cerr << r.name << ": " << what << ' ' << got << " instead of " << expected << '\n';
}

double twelve_digits(double x) {
    std::ostringstream text;
    text << std::setprecision(12) << x;
    return std::stod(text.str());
}

// What the rows without a result do, in the words of the file, and our error for it.
model_error error_of(const golden::row& r) {
    if (r.name.starts_with("sfu_mix")) return {errc::outside_domain, "special_function_units", 4};
    if (r.name.starts_with("register_overflow")) {
        return {errc::exceeds_device, "registers_per_thread"};
    }
    if (r.name.starts_with("forward_dependency")) return {errc::malformed, "tasks", 1};
    return {};
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) return 2;
    const golden::book book = golden::open(argv[1]);
    for (const auto& [name, described] : {std::pair{"M2090", devices::tesla_m2090::ppt},
                                          {"K40", devices::tesla_k40::ppt},
                                          {"K6000", devices::quadro_k6000::ppt},
                                          {"Pascal", devices::pascal_projection::ppt}}) {
        if (book.gpus.at(name) == described) continue;
        ++failures;
        std::cerr << name << ": the device's description differs\n";
    }
    std::size_t ok = 0;
    std::size_t errors = 0;
    for (const golden::row& r : book.rows) {
        ppt_state state;
        for (const golden::call& c : r.calls) {
            const auto e = ppt_call(*r.tasks, c.launch, r.gpu, state);
            if (c.expected.at("result") != "ok") {
                ++errors;
                if (e || e.error() != error_of(r)) {
                    ++failures;
                    std::cerr << r.name << ": not the expected error\n";
                }
                continue;
            }
            ++ok;
            if (!e) {
                ++failures;
                std::cerr << r.name << ": " << message(e.error()).c_str() << '\n';
                continue;
            }
            const auto& x = c.expected;
            equal(r, "blocks per SM", e->blocks_per_sm, x.at("blocks_per_sm").get<std::uint64_t>());
            equal(r, "workloads", e->workloads, x.at("workloads").get<std::uint64_t>());
            // The program prints twelve digits, and the ends of blocks in full.
            equal(r, "cycles", twelve_digits(e->cycles), x.at("cycles_printed").get<double>());
            equal(r, "slots", static_cast<double>(e->issue_slots_used),
                  x.at("issue_slots_used").get<double>());
            equal(r, "instructions", e->warp_instructions,
                  x.at("instructions_issued").get<std::uint64_t>());
            equal(r, "ends of blocks", e->block_ends,
                  x.at("block_end_cycles").get<std::vector<double>>());
            equal(r, "last results of blocks", e->block_last_ends,
                  x.at("block_actual_end_cycles").get<std::vector<double>>());
            close(r, "mean block", e->mean_block_s, x.at("block_average_s").get<double>());
            close(r, "time", e->seconds, x.at("total_time_s").get<double>());
        }
    }
    std::cout << ok << " results and " << errors << " errors compared, " << failures
              << " differences\n";
    return failures == 0 && ok > 0 ? 0 : 1;
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 2;
}
