// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_SHARED_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_SHARED_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/undecided_part.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/shared_recorder.hpp>
#include <warpgauge/ptx/run/shared_values.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file What a block's warps find in shared memory, where what they find directs them: `if (tid == 0) n = ...`, a
/// barrier, and a loop of `n` rounds.
///
/// A byte is known if all that any warp of the block ever stores to it is one value. Then no order of the warps and no
/// barrier matters: the first load that found something else would have found what a store before it has written, and
/// all stores before it are those of warps that had found what is known. So the slices of all warps are followed, first
/// with nothing known, then with what they have stored, until that stays the same.
/// What is stored where data decides makes all of shared memory unknown.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

template <class Used = core::when_used>
class block_shared {
public:
    using machine = ptx::run::warp_machine<Used>;
    using place = ptx::run::warp_place;

    /// Program and machine must outlive it. `slice`: what directs the warps.
    block_shared(const ptx::link::program& p, machine& m,
                 const ptx::link::control_slice<Used>& slice)
        : program_(p), machine_(m), is_of_use_(slice.loads_shared() && has_plain_stores(p)) {}

    /// Finds out what the warps of a block find; the machine's next warps are to be of this block. `of_block`: the place of
    /// any of them.
    void begin(place of_block) {
        if (!is_of_use_) return;
        const bool same = begun_ && of_block.block_index == block_;
        if (same) return;
        begun_ = true;
        block_ = of_block.block_index;
        machine_.see_shared(nullptr);
        const std::uint64_t bytes = program_.shared_bytes + of_block.dynamic_shared_bytes;
        if (bytes > max_bytes) return;
        known_.clear(static_cast<std::size_t>(bytes));
        if (find(of_block, static_cast<std::size_t>(bytes))) {
            machine_.see_shared(&known_);
            is_proved_ = true;
        } else if (!is_proved_) {
            is_of_use_ = false;  // as of this block, nothing will be known of the others
        }
    }

    /// Does it depend on the block what its warps find?
    [[nodiscard]] bool is_of_use() const { return is_of_use_; }

private:
    using undecided = ptx::link::undecided_part<Used>;
    using control_slice = ptx::link::control_slice<Used>;
    static constexpr std::uint64_t max_bytes = 1 << 18;  // B, more than any GPU has
    static constexpr std::uint64_t max_steps = 50'000;   // of a block's slices, all passes
    static constexpr int max_passes = 8;

    // Does nothing but plain stores and atomics write to shared memory?
    static bool has_plain_stores(const ptx::link::program& p) {
        using ptx::text::has_part;
        bool any = false;
        for (const ptx::link::step& s : p.steps) {
            const std::string_view opcode = p.source->instructions[s.statement].opcode;
            const std::string_view root = opcode.substr(0, opcode.find('.'));
            if (s.what == ptx::text::action::call || root == "cp" || root == "mbarrier" ||
                root == "mapa" || root == "stmatrix" || root == "tcgen05" || root == "tensormap" ||
                s.in_rows || s.in_bulk || has_part(opcode, "async") ||
                has_part(opcode, "shared::cluster")) {
                return false;
            }
            if (!run::may_write_shared(s)) continue;
            if (s.what != ptx::text::action::store && !s.is_atomic) return false;
            any = true;
        }
        return any;
    }

    // True if something is known in the end that directs a warp.
    bool find(place of_block, std::size_t bytes) {
        undecided part(program_);
        const control_slice slice(program_, ptx::link::slice_extent::shared_stores);
        if (!is_proved_ && directs_none(of_block, bytes, slice)) return false;
        run::shared_values<Used> found;
        const std::uint64_t limit = machine_.steps() + max_steps;
        for (int pass = 0; pass < max_passes; ++pass) {
            found.clear(bytes);
            bool more_undecided = false;
            run::shared_recorder<Used> recorder(program_, part, found);
            machine_.see_shared(known_.any() ? &known_ : nullptr);
            machine_.record_shared(&recorder, limit);
            open_.assign(program_.steps.size(), false);
            const bool done = follow_warps(of_block, slice, part, more_undecided);
            if (pass == 0) open_at_first_ = open_;
            machine_.record_shared(nullptr, 0);
            machine_.see_shared(nullptr);
            if (!done) return false;
            if (more_undecided) part.close();
            if (more_undecided && writes_undecided(part)) return false;
            // Another pass would find the same.
            if (more_undecided && !stores_undecided(part)) more_undecided = false;
            if (!more_undecided && known_.follow(found)) return known_.any() && decides();
        }
        return false;
    }

    static std::uint32_t warps_of(const place& at) {
        return (at.block[0] * at.block[1] * at.block[2] + 31) / 32;
    }

    bool follow_warps(place at, const control_slice& of, undecided& part, bool& more_undecided) {
        for (at.warp = 0; at.warp < warps_of(at); ++at.warp) {
            if (!follow_warp(at, of, part, more_undecided)) return false;
        }
        return true;
    }

    bool follow_warp(place at, const control_slice& of, undecided& part, bool& more_undecided) {
        at.ordinal = at.warp;
        return !machine_.run_slice(at, of, [&](const ptx::run::executed& e) {
            if (!e.unknown_predicate) return;
            open_[e.step] = true;
            more_undecided = part.add(e.step) || more_undecided;
        });
    }

    // Where what is stored does not hang on what is loaded, one pass finds all of it. Is it certain after few warps more that it
    // directs none?
    bool directs_none(place at, std::size_t bytes, const control_slice& all) {
        undecided loaded(program_);
        for (std::uint32_t s = 0; s < program_.steps.size(); ++s) {
            const ptx::link::step& here = program_.steps[s];
            if (all.has(s) && here.what == ptx::text::action::load && run::may_be_of_shared(here)) {
                loaded.add_results(s);
            }
        }
        loaded.close();
        if (writes_undecided(loaded) || stores_undecided(loaded)) return false;
        const std::uint64_t limit = machine_.steps() + max_steps;
        const control_slice stores(program_, ptx::link::slice_extent::shared_stores, &loaded);
        undecided part(program_);
        bool more_undecided = false;
        run::shared_values<Used> found, ignored;
        found.clear(bytes);
        ignored.clear(bytes);
        open_.assign(program_.steps.size(), false);
        run::shared_recorder<Used> recorder(program_, part, found);
        run::shared_recorder<Used> stored_again(program_, part, ignored);
        machine_.record_shared(&recorder, limit);
        bool done = follow_warps(at, stores, part, more_undecided);
        bool none = !found.any();
        machine_.record_shared(&stored_again, limit);
        machine_.see_shared(&found);
        const std::uint32_t warps = warps_of(at);
        for (std::uint32_t n = 0; n < warps && done && !none; ++n) {
            at.warp = (n + warps / 2) % warps;
            done = follow_warp(at, all, part, more_undecided);
            none = are_open(loaded);
        }
        machine_.see_shared(nullptr);
        machine_.record_shared(nullptr, 0);
        return done && none;
    }

    // Is nothing known, all the same, of what directs the steps of a part?
    [[nodiscard]] bool are_open(const undecided& part) const {
        for (std::uint32_t s = 0; s < open_.size(); ++s) {
            if (part.directs(s) && !open_[s]) return false;
        }
        return true;
    }

    // Does what is known decide where data had to?
    [[nodiscard]] bool decides() const {
        for (std::size_t s = 0; s < open_.size(); ++s) {
            if (open_at_first_[s] && !open_[s]) return true;
        }
        return false;
    }

    // May what nobody knows decide whether something is stored, or where?
    [[nodiscard]] bool writes_undecided(const undecided& part) const {
        for (std::uint32_t s = 0; s < program_.steps.size(); ++s) {
            const ptx::link::step& here = program_.steps[s];
            if (!run::may_write_shared(here)) continue;
            const bool by_address =
                here.sources != 0 && part.taints(program_.rows[here.first + here.results]);
            if (part.has(s) || by_address) return true;
        }
        return false;
    }

    // Or what is stored?
    [[nodiscard]] bool stores_undecided(const undecided& part) const {
        for (const ptx::link::step& s : program_.steps) {
            for (std::uint32_t k = 0; k < s.sources && run::may_write_shared(s); ++k) {
                if (part.taints(program_.rows[s.first + s.results + k])) return true;
            }
        }
        return false;
    }

    const ptx::link::program& program_;
    machine& machine_;
    bool is_of_use_;
    bool begun_ = false;
    bool is_proved_ = false;  // of some block, something is known
    std::array<std::uint32_t, 3> block_{};
    run::shared_values<Used> known_;
    // Steps whose predicate was not known in the pass under way, and in the first.
    core::late<Used, std::vector<bool>> open_, open_at_first_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
