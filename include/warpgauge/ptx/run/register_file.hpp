// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_REGISTER_FILE_HPP
#define WARPGAUGE_PTX_RUN_REGISTER_FILE_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>

/// \file The values of all rows: constants, special registers, and the registers of each call.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::nowhere, ptx::link::of_call;
using ptx::run::warp_place;

/// All lanes of a warp.
inline constexpr std::uint32_t all_lanes = 0xffff'ffff;

/// Gives all lanes one value.
constexpr void fill(row_values& row, std::uint64_t value) {
    row.lanes.fill(value);
    row.known = all_lanes;
}

/// The lanes in which a predicate holds, known or not.
constexpr std::uint32_t lanes_that_hold(const row_values& predicate) {
    std::uint8_t holds[warp_lanes]{};
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        holds[l] = static_cast<std::uint8_t>(predicate.lanes[l] & 1U);
    }
    return packed(holds);
}

template <class Used = core::when_used>
class register_file {
public:
    /// The program must outlive the file.
    explicit register_file(const ptx::link::program& p) : program_(p) {
        fixed_.resize(ptx::link::special_rows + p.constants.size());
        for (std::size_t c = 0; c < p.constants.size(); ++c) {
            fill(fixed_[ptx::link::special_rows + c], p.constants[c]);
        }
        // A clock, the number of the SM: the same in all lanes.
        fixed_[ptx::link::unknown_row].base = opaque_base;
        fixed_[ptx::link::unknown_row].base.breaks = 0;
        for (const std::uint32_t row : p.rows) {
            has_clusters_ = has_clusters_ || (row >= ptx::link::cluster_ctaid_x &&
                                              row <= ptx::link::is_explicit_cluster);
        }
    }

    /// Gives special registers the values that a warp begins with, and forgets all calls. The lanes that
    /// have a thread.
    std::uint32_t begin(const warp_place& place);

    // --- Rows

    [[nodiscard]] row_values& at(std::uint32_t row) { return at(row, base_); }
    /// The same in a call whose rows begin at `base`.
    [[nodiscard]] row_values& at(std::uint32_t row, std::size_t base) {
        if ((row & of_call) == 0) return fixed_[row];
        const std::size_t n = base + (row & ~of_call);
        if (ages_[n] != age_) fill_in(n);
        return of_calls_[n];
    }
    /// The same of a row whose `lanes` nobody looks at: of one that `is_blank`, they may hold anything.
    [[nodiscard]] row_values& head(std::uint32_t row) {
        if ((row & of_call) == 0) return fixed_[row];
        const std::size_t n = base_ + (row & ~of_call);
        if ((ages_[n] | blank) != (age_ | blank)) renew(n);
        return of_calls_[n];
    }
    /// Sets the lanes of a row after all, which `head` gave.
    void set_lanes(std::uint32_t row) {
        if (is_blank(row)) fill_in(base_ + (row & ~of_call));
    }
    /// Are all lanes of a row 0, so that only `at` sets them?
    [[nodiscard]] bool is_blank(std::uint32_t row) const {
        return (row & of_call) != 0 && ages_[base_ + (row & ~of_call)] == (age_ | blank);
    }

    [[nodiscard]] row_values& source(const step& s, std::uint32_t k) {
        return at(program_.rows[s.first + s.results + k]);
    }
    [[nodiscard]] row_values& source_head(const step& s, std::uint32_t k) {
        return head(program_.rows[s.first + s.results + k]);
    }
    /// A source in the first lane that takes part; 0 if it is not known.
    [[nodiscard]] std::uint64_t first_of(const step& s, std::uint32_t k, std::uint32_t active) {
        const row_values& row = source(s, k);
        const auto lane = static_cast<std::size_t>(std::countr_zero(active));
        return has_lane(row.known, lane) ? row.lanes[lane] : 0;
    }
    [[nodiscard]] std::uint32_t result(const step& s, std::uint32_t k = 0) const {
        return program_.rows[s.first + k];
    }

    /// Puts values in the lanes that take part; those that are not known are offsets from `base`.
    void write(std::uint32_t row, const lane_values& values, std::uint32_t known,
               std::uint32_t active, const unknown_base& base = opaque_base) {
        if (!is_written(row)) return;
        row_values& to = head(row);
        if ((known & active) != active) set_base(to, base, active);
        if (active == all_lanes) {
            to.lanes = values;
        } else if (is_blank(row)) {
            put_alone(to.lanes, values, active);
        } else {
            put(to.lanes, values, active);
        }
        set_age(row, age_);
        to.known = (to.known & ~active) | (known & active);
    }

    /// The lanes of a row that gets known values in all of them; null if nothing is written.
    [[nodiscard]] lane_values* overwritten(std::uint32_t row) {
        if (!is_written(row)) return nullptr;
        row_values& to = head(row);
        set_age(row, age_);
        to.known = all_lanes;
        return &to.lanes;
    }

    /// As `write`, of zeros.
    void write_zeros(std::uint32_t row, std::uint32_t known, std::uint32_t active,
                     const unknown_base& base) {
        if (!is_written(row)) return;
        row_values& to = head(row);
        const bool stays_blank = is_blank(row) || (active == all_lanes && (row & of_call) != 0);
        if (!stays_blank) return write(row, zeros, known, active, base);
        if ((known & active) != active) set_base(to, base, active);
        set_age(row, age_ | blank);
        to.known = (to.known & ~active) | (known & active);
    }

    void forget(std::uint32_t row, std::uint32_t active) {
        write_zeros(row, 0, active, opaque_base);
    }
    void forget_results(const step& s, std::uint32_t active) {
        for (std::uint32_t k = 0; k < s.results; ++k) forget(result(s, k), active);
    }

    /// A base that nothing else has; `breaks`: lanes that may have another than the lane before.
    [[nodiscard]] unknown_base new_base(std::uint32_t breaks,
                                        std::uint64_t bits = ~std::uint64_t{0}) {
        return {.identity = identity_of(++identities_), .bits = bits, .breaks = breaks};
    }
    /// One value in all lanes, which nobody knows.
    void make_uniform(std::uint32_t row) { write_zeros(row, 0, all_lanes, new_base(0)); }
    /// One value in all lanes.
    void make_known(std::uint32_t row, std::uint64_t value) {
        fill(head(row), value);
        set_age(row, age_);
    }

    // --- Calls

    /// What a warp has in the rows of its calls.
    struct saved_rows {
        core::late<Used, std::vector<row_values>> rows{};  // that were set, one after the other
        core::late<Used, std::vector<std::uint32_t>> ages{};
        row_values carry{};
        std::uint64_t identities{};
    };
    void save(saved_rows& to) const {
        std::size_t count = 0;
        for (std::size_t n = 0; n < size_; ++n) count += is_set(n) ? 1U : 0U;
        if (to.rows.size() < count) to.rows.resize(count);
        to.ages.assign(ages_.begin(), ages_.begin() + static_cast<std::ptrdiff_t>(size_));
        for (std::size_t n = 0, at = 0; n < size_; ++n) {
            if (is_set(n)) copy_row(of_calls_[n], ages_[n], to.rows[at++]);
        }
        to.carry = fixed_[ptx::link::carry];
        to.identities = identities_;
    }
    /// Puts it back, of the warp that was followed last.
    void restore(const saved_rows& from) {
        base_ = 0;
        size_ = from.ages.size();
        for (std::size_t n = 0, at = 0; n < size_; ++n) {
            ages_[n] = from.ages[n];
            if (is_set(n)) copy_row(from.rows[at++], ages_[n], of_calls_[n]);
        }
        fixed_[ptx::link::carry] = from.carry;
        identities_ = from.identities;
    }

    /// Rows of constants and special registers.
    [[nodiscard]] std::size_t fixed_size() const { return fixed_.size(); }

    /// Rows of all calls; those of the next call begin here.
    [[nodiscard]] std::size_t size() const { return size_; }

    /// Rows of a call are numbered from its `base` on; nothing is known of new ones.
    void enter(std::size_t base) { base_ = base; }
    void add_rows(std::size_t count) {
        const std::size_t first = size_;
        size_ += count;
        if (of_calls_.size() < size_) {
            of_calls_.resize(size_);
            ages_.resize(size_);
        }
        if (first == 0) return begin_age();
        for (std::size_t n = first; n < size_; ++n) ages_[n] = 0;
    }
    void drop_rows(std::size_t base) { size_ = base; }

private:
    static constexpr lane_values zeros{};
    static constexpr std::uint32_t blank = 1;

    // Rows of the warp before are forgotten when they are looked at: most are written first.
    void begin_age() {
        age_ += 2;
        if (age_ != 0) return;
        for (std::uint32_t& age : ages_) age = 0;
        age_ = 2;
    }
    void set_age(std::uint32_t row, std::uint32_t age) {
        if ((row & of_call) != 0) ages_[base_ + (row & ~of_call)] = age;
    }
    void renew(std::size_t n) {
        of_calls_[n].known = 0;
        of_calls_[n].base = {};
        ages_[n] = age_ | blank;
    }
    // Apart, so that looking at a row is short.
    [[gnu::noinline]] void fill_in(std::size_t n) {
        if (ages_[n] != (age_ | blank)) renew(n);
        of_calls_[n].lanes.fill(0);
        ages_[n] = age_;
    }

    // By the warp under way; to zeros, too.
    [[nodiscard]] bool is_set(std::size_t n) const { return (ages_[n] | blank) == (age_ | blank); }

    // Of zeros, all but them.
    static void copy_row(const row_values& from, std::uint32_t age, row_values& to) {
        if ((age & blank) == 0) to.lanes = from.lanes;
        to.known = from.known;
        to.base = from.base;
    }

    // Constants and special registers never are, whatever an instruction says.
    static bool is_written(std::uint32_t row) {
        return row != nowhere && ((row & of_call) != 0 || row == ptx::link::carry);
    }

    // The lanes that take part get another base; those that keep theirs are told from them.
    static void set_base(row_values& to, const unknown_base& base, std::uint32_t active) {
        if ((~active & ~to.known) == 0 || to.base.is_unset()) {
            to.base = base;
            return;
        }
        if (to.base.identity != base.identity) to.base.identity = 0;
        to.base.bits |= base.bits;
        to.base.breaks = (to.base.breaks & ~active) | (base.breaks & active) | edges_of(active);
    }

    void set_lane(std::uint32_t row, std::uint32_t lane, std::uint64_t value) {
        fixed_[row].lanes[lane] = value;
        fixed_[row].known |= 1U << lane;
    }

    // Where the block is in its cluster, and that in the grid.
    void set_cluster(const warp_place& place);
    // What is the same of all warps.
    void begin_lanes() {
        using enum ptx::link::special_row;
        for (std::uint32_t l = 0; l < warp_lanes; ++l) {
            set_lane(laneid, l, l);
            const std::uint32_t bit = 1U << l;
            set_lane(lanemask_eq, l, bit);
            set_lane(lanemask_lt, l, bit - 1);
            set_lane(lanemask_le, l, bit | (bit - 1));
            set_lane(lanemask_gt, l, ~(bit | (bit - 1)));
            set_lane(lanemask_ge, l, ~(bit - 1));
        }
    }

    const ptx::link::program& program_;
    core::late<Used, std::vector<row_values>> fixed_;
    core::late<Used, std::vector<row_values>> of_calls_;
    // Of each of these, when it was set: of any at another time than `age_`, nothing is known.
    core::late<Used, std::vector<std::uint32_t>> ages_;
    std::uint32_t age_ = 0;  // of the warp under way, even; with `blank`, of a row of zeros
    std::size_t size_ = 0;
    std::size_t base_ = 0;          // of the current call
    std::uint64_t identities_ = 0;  // of bases so far
    bool has_clusters_ = false;
};

template <class Used>
void register_file<Used>::set_cluster(const warp_place& place) {
    using enum ptx::link::special_row;
    std::array<std::uint32_t, 3> size = place.cluster;
    const auto& routines = program_.routines;
    if (size[0] == 0 && !routines.empty()) {
        size = program_.source->functions[routines[0].function].cluster;
    }
    fill(fixed_[is_explicit_cluster], size[0] != 0 ? 1 : 0);
    std::uint32_t rank = 0;
    std::uint32_t blocks = 1;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::uint32_t along = size[d] == 0 ? 1 : size[d];
        const std::uint32_t at = place.block_index[d] % along;
        fill(fixed_[cluster_ctaid_x + d], at);
        fill(fixed_[cluster_nctaid_x + d], along);
        fill(fixed_[clusterid_x + d], place.block_index[d] / along);
        fill(fixed_[nclusterid_x + d], place.grid[d] / along);
        rank += at * blocks;
        blocks *= along;
    }
    fill(fixed_[cluster_ctarank], rank);
    fill(fixed_[cluster_nctarank], blocks);
}

template <class Used>
std::uint32_t register_file<Used>::begin(const warp_place& place) {
    using enum ptx::link::special_row;
    base_ = 0;
    identities_ = 0;
    drop_rows(0);
    for (std::size_t d = 0; d < 3; ++d) {
        fill(fixed_[ntid_x + d], place.block[d]);
        fill(fixed_[ctaid_x + d], place.block_index[d]);
        fill(fixed_[nctaid_x + d], place.grid[d]);
    }
    const std::uint32_t threads = place.block[0] * place.block[1] * place.block[2];
    fill(fixed_[warpid], place.warp);
    fill(fixed_[nwarpid], (threads + 31) / 32);
    fill(fixed_[dynamic_smem_size], place.dynamic_shared_bytes);
    fill(fixed_[total_smem_size], program_.shared_bytes + place.dynamic_shared_bytes);
    if (has_clusters_) set_cluster(place);
    std::uint32_t lanes = 0;
    const std::uint32_t first = place.warp * 32;
    std::uint32_t x = first % place.block[0];
    std::uint32_t y = first / place.block[0] % place.block[1];
    std::uint32_t z = first / place.block[0] / place.block[1];
    for (std::uint32_t l = 0; l < warp_lanes; ++l) {
        if (first + l < threads) lanes |= 1U << l;
        set_lane(tid_x, l, x);
        set_lane(tid_y, l, y);
        set_lane(tid_z, l, z);
        if (++x == place.block[0]) {
            x = 0;
            if (++y == place.block[1]) {
                y = 0;
                ++z;
            }
        }
    }
    if (fixed_[laneid].known == 0) begin_lanes();
    return lanes;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
