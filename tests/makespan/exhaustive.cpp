// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All strings to length 8 of two types, 1 to 8 warps, 1 or 2 slots: the bounds are in order, and what
// docs/makespan.md says of warps, slots and direction holds. With a file of reference results (string,
// slots of L, slots of C, warps, worst, best), these as well, each with its two witnesses.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/search.hpp>

#include "short_problems.hpp"

using namespace warpgauge;

namespace {

int failures = 0;

void expect(bool holds, const char* what, const makespan_problem& p) {
    if (holds) return;
    ++failures;
    std::printf("%s: %.*s, slots %g and %g, %llu warps\n", what,
                static_cast<int>(p.instructions.size()), p.instructions.data(), p.slots[0].slots,
                p.slots[1].slots, static_cast<unsigned long long>(p.warps));
}

void all_short_strings() {
    // best makespans by string, slots and warps, to compare with those of other strings and slots
    std::map<std::tuple<std::string, int, std::uint64_t>, std::uint64_t> best;
    std::uint64_t instances = 0;
    std::uint64_t tight = 0;
    for_each_short_string(8, [&](const std::string& s, int which) {
        const auto slots = one_or_two_slots(which);
        makespan_range fewer{};
        for (std::uint64_t warps = 1; warps <= 8; ++warps) {
            const makespan_problem p{s, slots, warps};
            const auto range = exact_makespan(p);
            const auto upper = makespan_upper_bound(p);
            const auto pessimistic = pessimistic_makespan(p);
            if (!range || !upper || !pessimistic) {
                expect(false, "an error", p);
                continue;
            }
            ++instances;
            if (range->worst == upper->cycles) ++tight;
            expect(range->best <= range->worst, "best above worst", p);
            expect(range->worst <= upper->cycles, "worst above the bound", p);
            expect(range->worst <= each_type_bound(p)->cycles, "worst above B", p);
            expect(!pessimistic->safe || range->worst <= pessimistic->cycles,
                   "worst above a pessimistic bound that is called safe", p);
            expect(which != 0 || warps == 2 || range->worst == upper->cycles,
                   "one slot each, other than two warps: V is not tight", p);
            expect(range->worst >= fewer.worst && range->best >= fewer.best,
                   "fewer warps take longer", p);
            fewer = *range;
            best[{s, which, warps}] = range->best;
        }
    });
    for (const auto& [key, cycles] : best) {
        const auto& [s, which, warps] = key;
        const auto slots = one_or_two_slots(which);
        const makespan_problem p{s, slots, warps};
        expect(best.at({std::string(s.rbegin(), s.rend()), which, warps}) == cycles,
               "the reversed string has another best", p);
        for (const int more : {which | 1, which | 2}) {
            expect(best.at({s, more, warps}) <= cycles, "best rises with a slot", p);
        }
        for (std::size_t i = 0; s.size() > 1 && i < s.size(); ++i) {
            std::string less = s;
            less.erase(i, 1);
            expect(best.at({less, which, warps}) <= cycles, "best rises without an instruction", p);
        }
    }
    std::printf("%llu instances; the bound is the worst case in %llu\n",
                static_cast<unsigned long long>(instances), static_cast<unsigned long long>(tight));
    if (instances != 510 * 4 * 8) ++failures;
}

void reference_results(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);  // the header
    int rows = 0;
    while (std::getline(file, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        std::string s;
        std::array<unit_slots, 2> slots{{{'L', 0}, {'C', 0}}};
        makespan_problem p{.slots = slots};
        std::uint64_t worst = 0;
        std::uint64_t best = 0;
        if (!(fields >> s >> slots[0].slots >> slots[1].slots >> p.warps >> worst >> best)) {
            std::printf("cannot read: %s\n", line.c_str());
            ++failures;
            continue;
        }
        p.instructions = s;
        const auto range = exact_makespan(p);
        expect(range && range->worst == worst && range->best == best, "not the reference", p);
        for (const bool longest : {true, false}) {
            const auto witness = makespan_witness(p, longest);
            const auto length =
                witness ? check_schedule(p, *witness) : result<std::uint64_t>(witness.error());
            expect(length && *length == (longest ? worst : best), "a witness is refused", p);
        }
        ++rows;
    }
    std::printf("%d reference results\n", rows);
    if (rows == 0) ++failures;
}

}  // namespace

int main(int argc, char** argv) {
    all_short_strings();
    if (argc > 1) reference_results(argv[1]);
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
