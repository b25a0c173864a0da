// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What holds on every machine, for every model: tried on random launches and random GPUs.
//
//   invariants [CASES]        every model against every invariant; RC_PARAMS="max_success=N seed=S" says how many seeds
//                             are drawn, and CASES how many cases are tried from each on (1)
//   invariants worst [CASES [MODEL]]  how often each is broken, the exceptions too, and the worst case made simple
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>

#include <rapidcheck.h>

#include "check.hpp"
#include "exceptions.hpp"

namespace {

using namespace invariants;

constexpr auto form = equation_form::corrected;

/// Whether the invariant says something of some launch of the model.
bool applies(const subject& s, invariant i) {
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        if (measure(s, i, form, seed)) return true;
    }
    return false;
}

std::uint64_t any_seed() {
    const auto seeds = rc::gen::arbitrary<std::uint64_t>();
    return *rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, seeds));
}

/// From each seed that is drawn on, as many cases of which the invariant says something.
bool hold(const subject& s, invariant i, std::uint64_t cases) {
    const permitted_exception* const permitted = exception_of(s, i);
    const double most = permitted != nullptr ? permitted->max_factor : 1 + tolerance;
    return rc::check(std::string(s.name) + ": " + std::string(name(i)), [&] {
        const std::uint64_t seed = any_seed();
        std::uint64_t tried = 0;
        for (std::uint64_t n = 0; n < 100 * cases && tried < cases; ++n) {
            const outcome o = measure(s, i, form, seed + n);
            if (o && !(o.factor <= most)) RC_FAIL(explain(s, i, form, seed + n));
            if (o) ++tried;
        }
    });
}

/// An exception that no longer occurs has to go.
bool occurs(const permitted_exception& e) {
    for (const subject& s : all_subjects()) {
        if (s.name == e.model && broken(measure(s, e.what, form, e.seed))) return true;
    }
    std::cout << e.model << ": " << name(e.what) << ": the exception does not occur with seed "
              << e.seed << '\n';
    return false;
}

bool tools_agree(const subject& s) {
    if (s.tools == nullptr) return true;
    return rc::check(std::string(s.name) + ": tools that predict at once agree", [&] {
        const std::uint64_t seed = any_seed();
        if (seed % (10 * s.cases_per_test) != 0) return;
        const std::string wrong = disagreement_of_tools(s, seed);
        if (!wrong.empty()) RC_FAIL(wrong);
    });
}

void print_worst(std::uint64_t cases, std::string_view only) {
    for (const subject& s : all_subjects()) {
        if (!only.empty() && s.name != only) continue;
        std::cout << s.name << ", " << s.devices.size() << " GPUs\n";
        for (std::size_t n = 0; n < invariant_count; ++n) {
            const auto i = static_cast<invariant>(n);
            const tally t = tally_of(s, i, form, cases, 1);
            std::cout << "  " << name(i) << ": " << t.broken << " of " << t.tried << '\n';
            if (t.broken > 0) std::cout << "    " << explain(s, i, form, t.worst_seed) << '\n';
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc > 1 && std::string_view(argv[1]) == "worst") {
        print_worst(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10'000,
                    argc > 3 ? argv[3] : "");
        return EXIT_SUCCESS;
    }
    const std::uint64_t cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    if (cases == 0) {
        std::cerr << "usage: invariants [CASES] | invariants worst [CASES [MODEL]]\n";
        return EXIT_FAILURE;
    }
    bool all = true;
    for (const permitted_exception& e : exceptions) all = occurs(e) && all;
    for (const subject& s : all_subjects()) {
        for (std::size_t n = 0; n < invariant_count; ++n) {
            const auto i = static_cast<invariant>(n);
            if (applies(s, i)) all = hold(s, i, cases) && all;
        }
        all = tools_agree(s) && all;
    }
    return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
