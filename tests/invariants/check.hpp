// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_INVARIANTS_CHECK_HPP
#define WARPGAUGE_TESTS_INVARIANTS_CHECK_HPP

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "subject.hpp"

// What holds on every machine, and by what factor a model breaks it in one random case.

namespace invariants {

enum class invariant : std::uint8_t {
    issue_floor,
    bytes_floor,
    latency_floor,
    more_bandwidth,
    faster_clock,
    lower_latency,
    more_issue_slots,
    fewer_instructions,
    fewer_transactions,
    fewer_blocks,
    split,
    rescaled,
};
inline constexpr std::size_t invariant_count = 12;

constexpr std::string_view name(invariant i) {
    switch (i) {
        case invariant::issue_floor: return "no faster than its instructions issue";
        case invariant::bytes_floor: return "no faster than DRAM moves its bytes";
        case invariant::latency_floor: return "no faster than one warp alone";
        case invariant::more_bandwidth: return "more bandwidth is not slower";
        case invariant::faster_clock: return "a faster clock is not slower";
        case invariant::lower_latency: return "less latency is not slower";
        case invariant::more_issue_slots: return "more issue slots or lanes are not slower";
        case invariant::fewer_instructions: return "fewer instructions are not slower";
        case invariant::fewer_transactions: return "fewer transactions are not slower";
        case invariant::fewer_blocks: return "fewer blocks are not slower";
        case invariant::split: return "splitting what is the same changes nothing";
        case invariant::rescaled: return "another unit of time changes nothing";
    }
    return "unknown";
}

/// One GPU and one launch, and another pair that may not be slower, or has to be as fast.
struct trial {
    std::size_t model_at{};  ///< which of the subject's devices the GPU was made from
    any_device device{};
    launch_case kernel{};
};

/// A change of a trial, so that it can be made again to a simpler one.
struct change {
    std::string_view parameter{};  ///< of device or kernel; empty: another kind of change
    bool of_device{};
    double by = 1;        ///< the parameter times this
    bool whole{};         ///< a whole number stays one
    std::size_t at{};     ///< of a stream: the entry
    double expected = 1;  ///< seconds after / seconds before, where they have to be equal
};

trial any_trial(const subject& s, random_numbers& r);
/// Nothing where the invariant says nothing of this trial.
std::optional<change> any_change(const subject& s, invariant i, trial& t, random_numbers& r);
std::optional<trial> changed(const trial& t, invariant i, const change& c);

/// How an invariant fared in a case.
struct outcome {
    bool tried{};       ///< false: it says nothing of this case, or the model has no time for it
    double factor = 0;  ///< above 1: by so much it is broken
    bool told{};        ///< a floor that is broken is in the list of what the estimate assumes
    explicit operator bool() const { return tried; }
};

/// More than rounding.
inline constexpr double tolerance = 1e-9;
[[nodiscard]] inline bool broken(const outcome& o) {
    return o.tried && !(o.factor <= 1 + tolerance);
}

outcome measure(const subject& s, invariant i, equation_form form, const trial& t, const change& c);
outcome measure(const subject& s, invariant i, equation_form form, std::uint64_t seed);

/// How an invariant fared in many cases.
struct tally {
    std::size_t tried{};
    std::size_t broken{};
    std::size_t told{};  ///< broken floors that the estimate tells of
    double worst_factor{};
    std::uint64_t worst_seed{};
};
/// Of the seeds from 0 on, one in so many.
tally tally_of(const subject& s, invariant i, equation_form form, std::uint64_t cases,
               std::uint64_t step);

/// The tool whose time is not the model's in the case of a seed, in words; empty where all agree.
std::string disagreement_of_tools(const subject& s, std::uint64_t seed);

/// The case of a seed in words, made as simple as it can be while the invariant stays broken.
std::string explain(const subject& s, invariant i, equation_form form, std::uint64_t seed);

/// Every model, in its default form and with its options.
const std::vector<subject>& all_subjects();

}  // namespace invariants

#endif
