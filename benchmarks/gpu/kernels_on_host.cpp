// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the text of the kernels on the host, with the launches and arguments that kernels.cu measures but
// small sizes, and compares with the results that it expects of a GPU. Needs neither CUDA nor a GPU.
#include <iostream>
#include <set>
#include <string>

#include "host_machine.hpp"

#pragma GCC diagnostic push  // the kernels mix signed and unsigned numbers, as kernels do
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#include "kernels.hpp"

#pragma GCC diagnostic ignored "-Wdouble-promotion"  // and what they should compute is in double
#include "kernel_cases.hpp"
#pragma GCC diagnostic pop

int main() {
    const study over{.lengths = {1000, 4096},
                     .rows = {300},
                     .pixels = {17, 64},
                     .edges = {32, 64},
                     .cube_edges = {34},
                     .threads = {32, 96, 256},
                     .blocks = {{8, 8, 1}, {32, 1, 1}}};
    std::set<std::string> names;
    int failures = 0;
    int launches = 0;
    for (const auto& c : kernel_cases<host_machine>(over)) {
        host_machine machine;
        const prepared ready = c.prepare(machine, c.launch);
        if (ready.correct()) {
            std::cerr << c.name << ": correct before it has run\n";
            ++failures;
        }
        ready.launch();
        if (!ready.correct()) {
            std::cerr << c.name << ", size " << c.size << ", " << volume(c.launch.grid)
                      << " blocks of " << volume(c.launch.block) << ": wrong\n";
            ++failures;
        }
        names.insert(c.name);
        ++launches;
    }
    std::cout << launches << " launches of " << names.size() << " kernels, " << failures
              << " failures\n";
    return failures == 0 ? 0 : 1;
}
