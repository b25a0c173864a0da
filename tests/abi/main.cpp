// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what each unit of UNITS finds; fails if two of them share a function of the library.
#include <cstdio>

#include "unit.hpp"

#define DECLARE(unit) found unit();
#define CALL(unit) {#unit, unit()},
UNITS(DECLARE)

int main() {
    const struct {
        const char* name;
        found result;
    } units[]{UNITS(CALL)};
    for (const auto& unit : units) {
        std::printf("%s %a %g\n", unit.name, unit.result.seconds, unit.result.rounded);
        for (const auto& other : units) {
            if (&other != &unit && other.result.model == unit.result.model) {
                std::printf("%s and %s call the same function\n", unit.name, other.name);
                return 1;
            }
        }
    }
}
