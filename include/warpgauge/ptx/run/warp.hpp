// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WARP_HPP
#define WARPGAUGE_PTX_RUN_WARP_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file Follows one warp through a kernel.
///
/// Lanes that go different ways take turns and meet again at the branch's immediate post-dominator.
/// Values are known as far as they follow from the launch; where a branch needs one that is not, a
/// `decision` takes its place.

namespace warpgauge::ptx::detail {

/// What an instruction that depends on unknown data does.
struct decision {
    double probability = 0.5;      ///< that a lane's condition holds
    double rounds = 0;             ///< of a loop: how often it runs; 0: by `probability`
    bool leaves{};                 ///< the condition ends the loop, else it goes on
    std::uint32_t loop = nowhere;  ///< the step that jumps back
};

/// One executed instruction.
struct executed {
    std::uint32_t step{};
    std::uint32_t active{};  ///< lanes that take part; 0: its predicate is false in all
    std::uint32_t base{};    ///< where the rows of the call begin
    std::uint32_t depth{};   ///< of the call; 0: the kernel itself
    unit_kind unit{};
    std::uint32_t transactions{};  ///< of a memory access
    std::uint32_t least_transactions{};
    std::uint32_t bytes_moved{};
    std::uint32_t alignment{};    ///< B past a boundary of 128, of its first lane's address
    std::uint32_t callee_base{};  ///< of a call: where its rows will begin
    bool coalesced{};
    bool unknown_address{};    ///< of some lane
    bool unknown_predicate{};  ///< of some lane: a decision was taken
};

/// What a warp is given.
struct warp_place {
    std::array<std::uint32_t, 3> grid{}, block{}, block_index{};
    std::uint32_t warp{};
    std::uint64_t dynamic_shared_bytes{};
    std::uint32_t ordinal{};  ///< spreads decisions on unknown data over warps
};

struct machine_limits {
    std::uint64_t steps{};
    std::uint64_t memory_bytes{};
    std::uint32_t calls{};
};

/// A kernel's argument as bytes; `known`: how many of them are.
struct argument_bytes {
    std::array<unsigned char, 8> small{};
    std::span<const unsigned char> bytes{};
    bool known{};
};

template <int Instance>
class warp_machine {
public:
    warp_machine(const program& p, std::span<const argument_bytes> arguments,
                 std::span<const decision> decisions, compute_capability cc,
                 const machine_limits& limits)
        : p_(p),
          arguments_(arguments),
          decisions_(decisions),
          coalescing_(coalescing_rule_of(cc)),
          banks_(bank_rule_of(cc)),
          limits_(limits),
          window_shift_(p.text->address_bits == 32 ? 32 : 0),
          state_of_(p.steps.size(), nowhere) {
        fixed_.resize(special_rows + p.constants.size());
        for (std::size_t c = 0; c < p.constants.size(); ++c) {
            fill(fixed_[special_rows + c], p.constants[c]);
        }
    }

    /// Steps taken so far, of all warps.
    [[nodiscard]] std::uint64_t steps() const { return steps_; }

    /// Follows one warp to its end; `observe(executed)` sees every instruction.
    template <class Observer>
    model_error run(const warp_place& place, Observer&& observe) {
        place_warp(place);
        frames_.clear();
        paths_.clear();
        rows_.clear();
        local_.clear();
        states_.clear();
        ordinal_ = place.ordinal;
        for (const std::uint32_t s : decided_) state_of_[s] = nowhere;
        decided_.clear();
        if (auto bad = enter(0, alive_, nowhere, nowhere)) return bad;
        while (!frames_.empty()) {
            const frame& f = frames_.back();
            if (paths_.size() == f.first_path) {
                leave();
                continue;
            }
            path& now = paths_.back();
            const routine& r = p_.routines[f.routine];
            if (now.active == 0 || now.at == now.until || now.at >= r.first + r.count) {
                paths_.pop_back();
                continue;
            }
            if (++steps_ > limits_.steps) return error(now.at, errc::limit_reached, "steps");
            if (auto bad = step_on(now, observe)) return bad;
        }
        return {};
    }

private:
    struct path {
        std::uint32_t at{};
        std::uint32_t until{};  // where it meets the others
        std::uint32_t active{};
    };
    struct frame {
        std::uint32_t routine{};
        std::uint32_t base{};        // its first row
        std::uint32_t first_path{};  // below it are the caller's
        std::uint32_t call = nowhere;
        std::uint32_t active{};
        std::uint32_t local{};  // its first byte
    };
    struct decided {
        double share = 0;
        std::array<std::uint32_t, warp_lanes> left{};
    };
    static constexpr std::uint16_t known_byte = 0x100;

    model_error error(std::uint32_t at, errc code, std::string_view field) const {
        const position where = p_.text->instructions[p_.steps[at].statement].at;
        return {code, field, where.line, where.column};
    }

    [[nodiscard]] std::uint64_t window_of(std::uint64_t window) const {
        return window >> window_shift_;
    }

    static void fill(row& r, std::uint64_t value) {
        r.lane.fill(value);
        r.known = 0xffff'ffff;
    }

    // --- The launch

    void place_warp(const warp_place& w) {
        for (std::size_t d = 0; d < 3; ++d) {
            fill(fixed_[ntid_x + d], w.block[d]);
            fill(fixed_[ctaid_x + d], w.block_index[d]);
            fill(fixed_[nctaid_x + d], w.grid[d]);
        }
        const std::uint32_t threads = w.block[0] * w.block[1] * w.block[2];
        fill(fixed_[warpid], w.warp);
        fill(fixed_[nwarpid], (threads + 31) / 32);
        fill(fixed_[dynamic_smem_size], w.dynamic_shared_bytes);
        fill(fixed_[total_smem_size], p_.shared_bytes + w.dynamic_shared_bytes);
        alive_ = 0;
        for (std::uint32_t l = 0; l < warp_lanes; ++l) {
            const std::uint32_t thread = w.warp * 32 + l;
            if (thread < threads) alive_ |= 1U << l;
            set_lane(tid_x, l, thread % w.block[0]);
            set_lane(tid_y, l, thread / w.block[0] % w.block[1]);
            set_lane(tid_z, l, thread / w.block[0] / w.block[1]);
            set_lane(laneid, l, l);
            const std::uint32_t bit = 1U << l;
            set_lane(lanemask_eq, l, bit);
            set_lane(lanemask_lt, l, bit - 1);
            set_lane(lanemask_le, l, bit | (bit - 1));
            set_lane(lanemask_gt, l, ~(bit | (bit - 1)));
            set_lane(lanemask_ge, l, ~(bit - 1));
        }
    }

    void set_lane(std::uint32_t r, std::uint32_t l, std::uint64_t value) {
        fixed_[r].lane[l] = value;
        fixed_[r].known |= 1U << l;
    }

    // --- Rows

    row& at(std::uint32_t r) {
        return (r & of_call) != 0 ? rows_[frames_.back().base + (r & ~of_call)] : fixed_[r];
    }
    row& source(const step& s, std::uint32_t k) { return at(p_.rows[s.first + s.results + k]); }

    // Puts values in the lanes that take part.
    void write(std::uint32_t r, const lane_values& values, std::uint32_t known,
               std::uint32_t active) {
        if (!is_written(r)) return;
        row& to = at(r);
        if (active == 0xffff'ffff) {
            to.lane = values;
        } else {
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                const std::uint64_t keep = (active >> l & 1U) - std::uint64_t{1};
                to.lane[l] = (to.lane[l] & keep) | (values[l] & ~keep);
            }
        }
        to.known = (to.known & ~active) | (known & active);
    }

    void forget(std::uint32_t r, std::uint32_t active) {
        if (is_written(r)) at(r).known &= ~active;
    }

    // Constants and special registers never are, whatever an instruction says.
    static bool is_written(std::uint32_t r) {
        return r != nowhere && ((r & of_call) != 0 || r == carry);
    }

    void forget_results(const step& s, std::uint32_t active) {
        for (std::uint32_t k = 0; k < s.results; ++k) forget(p_.rows[s.first + k], active);
    }

    static std::uint32_t holds(const row& r) {
        std::uint32_t bits = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            bits |= static_cast<std::uint32_t>(r.lane[l] & 1U) << l;
        }
        return bits;
    }

    // --- Decisions

    decided& state_of(std::uint32_t s) {
        if (state_of_[s] == nowhere) {
            state_of_[s] = static_cast<std::uint32_t>(states_.size());
            // Warps begin at different shares, evenly spread, so that together they meet the odds.
            const double start = ordinal_ * 0.618033988749894848 + 0.5;
            states_.push_back(
                {.share = start - static_cast<double>(static_cast<std::uint64_t>(start))});
            decided_.push_back(s);
        }
        return states_[state_of_[s]];
    }

    // For which of the lanes a condition on unknown data holds.
    std::uint32_t decide(std::uint32_t index, std::uint32_t lanes) {
        const decision& how = decisions_[index];
        decided& d = state_of(index);
        std::uint32_t holding = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((lanes >> l & 1U) == 0) continue;
            bool yes = false;
            if (how.rounds > 0) {
                if (d.left[l] == 0) d.left[l] = begin_rounds(how, d);
                yes = (--d.left[l] > 0) != how.leaves;
            } else {
                d.share += how.probability;
                yes = d.share >= 1;
                if (yes) d.share -= 1;
            }
            holding |= static_cast<std::uint32_t>(yes) << l;
        }
        return holding;
    }

    // A lane enters a loop: how often it runs, such that the mean is as decided.
    static std::uint32_t begin_rounds(const decision& how, decided& d) {
        const double total = d.share + how.rounds;
        const auto n = static_cast<std::uint32_t>(total);
        d.share = total - n;
        return n > 0 ? n : 1;
    }

    // The lanes of a path for which a step's predicate holds.
    std::uint32_t guarded(std::uint32_t index, std::uint32_t active, bool& unknown) {
        const step& s = p_.steps[index];
        if (s.predicate == nowhere) return active;
        row& r = at(s.predicate);
        const std::uint32_t negated = s.predicate_negated ? 0xffff'ffff : 0;
        const std::uint32_t open = active & ~r.known;
        unknown = open != 0;
        if (unknown) {  // from now on it is known, so that `@p` and `@!p` agree
            const std::uint32_t decided_for = decide(index, open) ^ negated;
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if ((open >> l & 1U) != 0) r.lane[l] = decided_for >> l & 1U;
            }
            r.known |= open;
        }
        return (holds(r) ^ negated) & active;
    }

    // --- One step

    template <class Observer>
    model_error step_on(path& now, Observer& observe) {
        const std::uint32_t index = now.at;
        const step& s = p_.steps[index];
        executed e{.step = index,
                   .base = frames_.back().base,
                   .depth = static_cast<std::uint32_t>(frames_.size() - 1),
                   .unit = s.unit,
                   .callee_base = static_cast<std::uint32_t>(rows_.size())};
        const std::uint32_t all = now.active;
        const std::uint32_t active = guarded(index, all, e.unknown_predicate);
        const bool jumps = s.what == action::branch || s.what == action::branch_table;
        e.active = jumps ? all : active;
        if (s.what == action::branch_table && s.predicate == nowhere) {
            e.unknown_predicate = (active & ~at(p_.rows[s.first]).known) != 0;
        }
        if (s.accesses && active != 0) access(s, active, e);
        // One whose predicate holds in no lane is issued, and no more.
        if (e.active == 0) e.unit = unit_kind::integer;
        observe(e);
        ++now.at;
        switch (s.what) {
            case action::branch: split(index, s.target, active, all); break;
            case action::branch_table: return jump_by_table(index, active, all);
            case action::call: return enter(s.target, active, index, index);
            case action::return_: end_lanes(active, frames_.back().first_path); break;
            case action::exit:
                end_lanes(active, 0);
                alive_ &= ~active;
                break;
            case action::barrier:
            case action::no_result: break;
            case action::load: load(s, active); break;
            case action::store: store(s, active); break;
            case action::atomic:
            case action::unknown: forget_results(s, active); break;
            default: compute(s, active);
        }
        if (s.loses_carry) forget(carry, active);
        return {};
    }

    // --- Control

    // The lanes of the path on top, which has gone on to the next step, go to `target` or stay.
    void split(std::uint32_t index, std::uint32_t target, std::uint32_t taken, std::uint32_t all) {
        path& now = paths_.back();
        if (taken == 0) return;
        if (taken == all) {
            now.at = target;
            return;
        }
        const std::uint32_t meet = p_.steps[index].reconverge;
        const std::uint32_t next = now.at;
        const std::uint32_t until = now.until;
        // Who waits where the paths meet, unless the path would have ended there anyway.
        if (meet == nowhere || meet == until) {
            paths_.pop_back();
        } else {
            now.at = meet;
        }
        const std::uint32_t end = meet == nowhere ? until : meet;
        if (target != end) paths_.push_back({target, end, taken});
        if (next != end) paths_.push_back({next, end, all & ~taken});
    }

    // Lanes go where their index says; those whose index is not known, to the first target.
    model_error jump_by_table(std::uint32_t index, std::uint32_t active, std::uint32_t all) {
        const step& s = p_.steps[index];
        const row by = at(p_.rows[s.first]);
        path now = paths_.back();
        if (active == 0) return {};
        const std::uint32_t meet = s.reconverge == nowhere ? now.until : s.reconverge;
        if (meet == now.until) {
            paths_.pop_back();
        } else {
            paths_.back().at = meet;
        }
        if (active != all) paths_.push_back({now.at, meet, all & ~active});
        for (std::uint32_t left = active; left != 0;) {
            const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
            const std::uint32_t target = target_of(s, by, first);
            if (target == nowhere) return error(index, errc::outside_domain, "index");
            std::uint32_t together = 0;
            for (std::uint32_t l = first; l < warp_lanes; ++l) {
                if ((left >> l & 1U) != 0 && target_of(s, by, l) == target) together |= 1U << l;
            }
            left &= ~together;
            if (target != meet) paths_.push_back({target, meet, together});
        }
        return {};
    }

    // Where a lane's index says; `nowhere` beyond the table.
    [[nodiscard]] std::uint32_t target_of(const step& s, const row& by, std::uint32_t lane) const {
        const bool known = (by.known >> lane & 1U) != 0;
        const std::uint64_t n = known ? by.lane[lane] & 0xffff'ffff : 0;
        return n < s.targets ? p_.rows[s.target + n] : nowhere;
    }

    void end_lanes(std::uint32_t lanes, std::uint32_t first_path) {
        for (std::size_t n = first_path; n < paths_.size(); ++n) paths_[n].active &= ~lanes;
    }

    // Begins a call; of a function without a body, nothing is known but that it was called.
    model_error enter(std::uint32_t target, std::uint32_t active, std::uint32_t call,
                      std::uint32_t at_step) {
        if (active == 0) return {};
        if (target == nowhere) {
            const step& s = p_.steps[call];
            for (std::uint32_t k = 0; k < s.returned; ++k) {
                forget(p_.moves[s.first + s.targets + k].to, active);
            }
            forget_local(active);  // it may have been given a pointer
            return {};
        }
        const routine& r = p_.routines[target];
        const std::size_t base = rows_.size();
        const std::size_t local = local_.size();
        if (frames_.size() > limits_.calls) return error(at_step, errc::limit_reached, "calls");
        if ((base + r.rows) * sizeof(row) + (local + std::size_t{r.local_bytes} * warp_lanes) * 2 >
            limits_.memory_bytes) {
            return r.count == 0 || at_step == nowhere
                       ? model_error{errc::limit_reached, "memory"}
                       : error(at_step, errc::limit_reached, "memory");
        }
        rows_.resize(base + r.rows);
        local_.resize(local + std::size_t{r.local_bytes} * warp_lanes);
        if (call != nowhere) {
            const step& s = p_.steps[call];
            const std::uint32_t caller = frames_.back().base;
            for (std::uint32_t k = 0; k < s.targets; ++k) {
                const move_of_call& m = p_.moves[s.first + k];
                if (m.from == nowhere) continue;
                row value =
                    (m.from & of_call) != 0 ? rows_[caller + (m.from & ~of_call)] : fixed_[m.from];
                carry_over(m, value, rows_[base + (m.to & ~of_call)]);
            }
        }
        steps_ += r.rows / 64 + r.presets.size() + r.local_bytes / 64;
        frames_.push_back({target, static_cast<std::uint32_t>(base),
                           static_cast<std::uint32_t>(paths_.size()), call, active,
                           static_cast<std::uint32_t>(local)});
        for (const preset& given : r.presets) give(given, static_cast<std::uint32_t>(local));
        paths_.push_back({r.first, nowhere, active});
        return {};
    }

    // The part of a value that a call takes in or gives back.
    static void carry_over(const move_of_call& m, const row& from, row& to) {
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const std::uint64_t part = (from.lane[l] >> m.shift & ones(m.bits)) << m.at;
            to.lane[l] = m.joins ? to.lane[l] | part : part;
        }
        to.known = m.joins ? to.known & from.known : from.known;
    }

    void give(const preset& given, std::uint32_t local) {
        row& to = at(of_call | given.row);
        if (given.parameter == nowhere) {
            fill(to, local / warp_lanes + given.offset);
            return;
        }
        std::uint64_t value = 0;
        if (argument_part(given.parameter, given.offset, given.bytes, value)) fill(to, value);
    }

    // Some bytes of a kernel's argument; false if they are not known.
    bool argument_part(std::uint64_t parameter, std::uint64_t offset, std::uint32_t count,
                       std::uint64_t& value) const {
        if (parameter >= arguments_.size()) return false;
        const argument_bytes& a = arguments_[parameter];
        const std::span<const unsigned char> bytes =
            a.bytes.empty() ? std::span<const unsigned char>(a.small) : a.bytes;
        if (!a.known || count > 8 || offset > bytes.size() || count > bytes.size() - offset) {
            return false;
        }
        value = 0;
        for (std::uint32_t b = 0; b < count; ++b) {
            value |= std::uint64_t{bytes[offset + b]} << 8 * b;
        }
        return true;
    }

    // Ends a call and hands over what it returns.
    void leave() {
        const frame ended = frames_.back();
        frames_.pop_back();
        if (!frames_.empty() && ended.call != nowhere) {
            const step& s = p_.steps[ended.call];
            for (std::uint32_t k = 0; k < s.returned; ++k) {
                const move_of_call& m = p_.moves[s.first + s.targets + k];
                if (m.from == nowhere) {
                    forget(m.to, ended.active);
                } else {
                    row value = at(m.to);
                    carry_over(m, rows_[ended.base + (m.from & ~of_call)], value);
                    write(m.to, value.lane, value.known, ended.active);
                }
            }
        }
        rows_.resize(ended.base);
        local_.resize(ended.local);
    }

    // --- Computation

    void compute(const step& s, std::uint32_t active) {
        switch (s.what) {
            case action::move: move(s, active); break;
            case action::pack: pack(s, active); break;
            case action::unpack: unpack(s, active); break;
            case action::convert_address: convert_address(s, active); break;
            case action::add_carry:
            case action::subtract_borrow: add_with_carry(s, active); break;
            case action::add:
            case action::subtract:
                if (s.mode != 0) return add_with_carry(s, active);
                compute_lanes(s, active);
                break;
            case action::compare: compare(s, active); break;
            case action::select: select(s, active); break;
            case action::active_mask: {
                lane_values v;
                v.fill(active);
                write(p_.rows[s.first], v, 0xffff'ffff, active);
                break;
            }
            case action::vote: vote(s, active); break;
            case action::shuffle: shuffle(s, active); break;
            default: compute_lanes(s, active);
        }
    }

    // The type in which an instruction reads a source.
    static value_type source_type(const step& s, unsigned k) {
        if (k == 2 && s.what == action::multiply_add && s.part == halves::wide) {
            return {.bits = static_cast<std::uint8_t>(2 * s.type.bits > 64 ? 64 : 2 * s.type.bits),
                    .is_signed = s.type.is_signed};
        }
        if (s.what == action::select_by_sign && k < 2) return s.type;
        const bool shifts = s.what == action::shift_left || s.what == action::shift_right;
        if (shifts && k == 1) return {.bits = 32};
        return s.from;
    }

    static unsigned result_bits(const step& s) {
        const bool wide = s.part == halves::wide &&
                          (s.what == action::multiply || s.what == action::multiply_add);
        if (s.what == action::find_bit || s.what == action::leading_zeros ||
            s.what == action::count_ones) {
            return 32;
        }
        return wide ? 2U * s.type.bits : s.type.bits;
    }

    void compute_lanes(const step& s, std::uint32_t active) {
        std::array<lane_values, 4> in;
        std::uint32_t known = 0xffff'ffff;
        const unsigned sources = s.sources < 4 ? s.sources : 4;
        for (unsigned k = 0; k < 4; ++k) {
            if (k >= sources) {
                in[k].fill(0);
                continue;
            }
            const row& r = source(s, k);
            const value_type type = source_type(s, k);
            for (std::size_t l = 0; l < warp_lanes; ++l) in[k][l] = as(type, r.lane[l]);
            known &= r.known;
        }
        lane_values out;
        const std::uint64_t kept = ones(result_bits(s));
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const std::uint64_t value = computed(s, in[0][l], in[1][l], in[2][l], in[3][l]);
            // A conversion fills the register that it writes, however wide, with the sign.
            out[l] = s.what == action::convert ? as(s.type, value) : value & kept;
        }
        if (s.what == action::divide || s.what == action::remainder) {
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if (in[1][l] == 0) known &= ~(1U << l);
            }
        }
        write(p_.rows[s.first], out, known, active);
    }

    void move(const step& s, std::uint32_t active) {
        const value_type type = s.type;
        for (std::uint32_t k = 0; k < s.results && k < s.sources; ++k) {
            const std::uint32_t from = p_.rows[s.first + s.results + k];
            if (from == nowhere) {
                forget(p_.rows[s.first + k], active);
                continue;
            }
            row value = at(from);
            for (std::uint64_t& v : value.lane) v = as(type, v);
            write(p_.rows[s.first + k], value.lane, value.known, active);
        }
    }

    void pack(const step& s, std::uint32_t active) {
        const unsigned bits = s.type.bits / (s.sources == 0 ? 1U : s.sources);
        lane_values out{};
        std::uint32_t known = 0xffff'ffff;
        for (std::uint32_t k = 0; k < s.sources && bits > 0; ++k) {
            const row& r = source(s, k);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] |= (r.lane[l] & ones(bits)) << bits * k;
            }
            known &= r.known;
        }
        write(p_.rows[s.first], out, known, active);
    }

    void unpack(const step& s, std::uint32_t active) {
        const unsigned bits = s.type.bits / (s.results == 0 ? 1U : s.results);
        const row from = source(s, 0);
        for (std::uint32_t k = 0; k < s.results && bits > 0; ++k) {
            lane_values out;
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] = from.lane[l] >> bits * k & ones(bits);
            }
            write(p_.rows[s.first + k], out, from.known, active);
        }
    }

    // Addresses of shared and local memory and the generic ones differ by where their window is.
    void convert_address(const step& s, std::uint32_t active) {
        row value = source(s, 0);
        const std::uint64_t window = s.space == address_space::shared  ? window_of(shared_window)
                                     : s.space == address_space::local ? window_of(local_window)
                                                                       : 0;
        const bool to_space = (s.mode & 1U) != 0;
        for (std::uint64_t& v : value.lane) {
            if (window != 0) v = to_space ? v & ~window_of(window_mask) : v | window;
        }
        write(p_.rows[s.first], value.lane, value.known, active);
    }

    void add_with_carry(const step& s, std::uint32_t active) {
        const bool subtracts = s.what == action::subtract || s.what == action::subtract_borrow;
        const bool takes = s.what == action::add_carry || s.what == action::subtract_borrow;
        const row a = source(s, 0);
        const row b = source(s, 1);
        const row in = fixed_[carry];
        const std::uint64_t kept = ones(s.type.bits);
        lane_values out;
        lane_values over;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const std::uint64_t x = a.lane[l] & kept;
            const std::uint64_t y = b.lane[l] & kept;
            const std::uint64_t c = takes ? in.lane[l] & 1U : 0;
            const std::uint64_t sum = subtracts ? x - y - c : x + y + c;
            out[l] = sum & kept;
            over[l] = subtracts ? (x < y || (x == y && c != 0) ? 1 : 0)
                                : ((sum & kept) < x || ((sum & kept) == x && c != 0) ? 1 : 0);
        }
        const std::uint32_t known = a.known & b.known & (takes ? in.known : 0xffff'ffff);
        write(p_.rows[s.first], out, known, active);
        if (s.mode != 0) write(carry, over, known, active);
    }

    void compare(const step& s, std::uint32_t active) {
        const row& a = source(s, 0);
        const row& b = source(s, 1);
        value_type type = s.from;
        if (s.unsigned_compare) type.is_signed = false;
        std::uint32_t known = a.known & b.known;
        std::uint32_t yes = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const bool holding = compared(s, as(type, a.lane[l]), as(type, b.lane[l]));
            yes |= static_cast<std::uint32_t>(holding) << l;
        }
        std::uint32_t no = ~yes;
        if (s.sources > 2 && s.mode != 0) {
            const row& c = source(s, 2);
            const std::uint32_t with = holds(c) ^ ((s.negated_sources & 4U) != 0 ? ~0U : 0U);
            known &= c.known;
            yes = combined(s.mode, yes, with);
            no = combined(s.mode, no, with);
        }
        write_bits(p_.rows[s.first], yes, s, known, active);
        if (s.results > 1) write_bits(p_.rows[s.first + 1], no, s, known, active);
    }

    static std::uint32_t combined(unsigned mode, std::uint32_t a, std::uint32_t b) {
        return mode == 1 ? a & b : mode == 2 ? a | b : a ^ b;
    }

    void write_bits(std::uint32_t r, std::uint32_t bits, const step& s, std::uint32_t known,
                    std::uint32_t active) {
        lane_values out;
        const std::uint64_t yes = s.all_ones ? ones(s.type.bits) : 1;
        for (std::size_t l = 0; l < warp_lanes; ++l) out[l] = (bits >> l & 1U) != 0 ? yes : 0;
        write(r, out, known, active);
    }

    void select(const step& s, std::uint32_t active) {
        const row a = source(s, 0);
        const row b = source(s, 1);
        const row& p = source(s, 2);
        lane_values out;
        const std::uint64_t kept = ones(s.type.bits);
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            out[l] = ((p.lane[l] & 1U) != 0 ? a.lane[l] : b.lane[l]) & kept;
        }
        const std::uint32_t yes = holds(p);
        const std::uint32_t known = p.known & ((yes & a.known) | (~yes & b.known));
        write(p_.rows[s.first], out, known, active);
    }

    void vote(const step& s, std::uint32_t active) {
        const row& p = source(s, 0);
        const std::uint32_t yes = (holds(p) ^ ((s.negated_sources & 1U) != 0 ? ~0U : 0U)) & active;
        const bool known = (active & ~p.known) == 0;
        const std::uint64_t answer = s.mode == 1   ? (yes == active ? 1 : 0)
                                     : s.mode == 2 ? (yes != 0 ? 1 : 0)
                                                   : yes;
        lane_values out;
        out.fill(answer);
        write(p_.rows[s.first], out, known && s.mode != 0 ? 0xffff'ffff : 0, active);
    }

    void shuffle(const step& s, std::uint32_t active) {
        const row a = source(s, 0);
        const row b = source(s, 1);
        const row c = source(s, 2);
        lane_values out;
        lane_values valid;
        std::uint32_t known = b.known & c.known;
        const std::uint32_t index_known = known;
        for (std::uint32_t l = 0; l < warp_lanes; ++l) {
            const auto by = static_cast<std::uint32_t>(b.lane[l] & 31);
            const auto clamp = static_cast<std::uint32_t>(c.lane[l] & 31);
            const auto segment = static_cast<std::uint32_t>(c.lane[l] >> 8 & 31);
            const std::uint32_t last = (l & segment) | (clamp & ~segment);
            std::uint32_t from = (l & segment) | (by & ~segment);
            bool good = from <= last;
            if (s.mode == 1) {
                from = l - by;
                good = l >= by && from >= last;
            } else if (s.mode == 2) {
                from = l + by;
                good = from <= last;
            } else if (s.mode == 3) {
                from = l ^ by;
                good = from <= last;
            }
            if (!good) from = l;
            out[l] = a.lane[from & 31];
            valid[l] = good ? 1 : 0;
            if (((a.known & active) >> (from & 31) & 1U) == 0) known &= ~(1U << l);
        }
        write(p_.rows[s.first], out, known, active);
        if (s.results > 1) write(p_.rows[s.first + 1], valid, index_known, active);
    }

    // --- Memory

    // What an access costs, and the unit that serves it.
    void access(const step& s, std::uint32_t active, executed& e) {
        if (s.sources == 0) return;
        const row& address = source(s, 0);
        const std::uint32_t in_text = s.hides_addresses ? 0 : address.known;
        warp_access a{.active = active & in_text, .bytes = s.lane_bytes};
        const std::uint64_t width = p_.text->address_bits == 32 ? 0xffff'ffff : ~std::uint64_t{0};
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            a.addresses[l] = (address.lane[l] + static_cast<std::uint64_t>(s.offset)) & width;
        }
        const std::uint32_t unknown = active & ~in_text;
        e.unknown_address = unknown != 0;
        const auto first = static_cast<std::size_t>(std::countr_zero(a.active));
        if (a.active != 0) e.alignment = static_cast<std::uint32_t>(a.addresses[first] % 128);
        if (s.space == address_space::generic && a.active != 0) {
            const std::uint64_t window = a.addresses[first] & window_of(window_mask);
            if (window == window_of(parameter_window)) e.unit = unit_kind::l1_cache;
            if (window == window_of(shared_window)) e.unit = unit_kind::shared_memory;
            if (window == window_of(local_window)) e.unit = unit_kind::l1_cache;
        }
        if (e.unit == unit_kind::global_memory) {
            global_access(a, unknown, e);
        } else if (e.unit == unit_kind::shared_memory) {
            const auto passes =
                bank_passes(a, banks_, s.is_atomic ? same_word::in_turn : same_word::together);
            e.transactions = passes && *passes > 0 ? *passes : 1;
            e.least_transactions = s.lane_bytes <= 4 ? 1 : s.lane_bytes <= 8 ? 2 : 4;
            if (e.least_transactions > e.transactions) e.least_transactions = e.transactions;
            e.coalesced = e.transactions <= e.least_transactions;
        } else {
            // Constants are read word by word; local memory is laid out lane by lane.
            const bool words = s.space == address_space::constant && a.active != 0;
            e.transactions =
                words ? warpgauge::detail::sm::count_pieces(a, 0, warp_lanes, s.lane_bytes) : 1;
            e.least_transactions = 1;
            e.coalesced = e.transactions == 1;
        }
    }

    // A lane of unknown address is taken to need a transaction of its own.
    void global_access(const warp_access& a, std::uint32_t unknown, executed& e) const {
        const auto t = coalesce(a, coalescing_);
        if (!t) return;
        const auto apart = static_cast<std::uint32_t>(std::popcount(unknown));
        const std::uint32_t size = coalescing_ == coalescing_rule::lines ? 128 : 32;
        e.transactions = t->transactions + apart;
        e.bytes_moved = t->bytes_moved + apart * size;
        e.coalesced = apart == 0 && t->coalesced();
        warp_access side_by_side{.active = a.active | unknown, .bytes = a.bytes};
        for (std::size_t l = 0; l < warp_lanes; ++l) side_by_side.addresses[l] = l * a.bytes;
        const auto least = coalesce(side_by_side, coalescing_);
        e.least_transactions = least ? least->least : 0;
    }

    // Local memory is followed byte by byte; what other memories hold is not known.
    [[nodiscard]] bool is_local(const step& s, std::uint64_t address) const {
        return s.space == address_space::local ||
               (s.space == address_space::generic &&
                (address & window_of(window_mask)) == window_of(local_window));
    }

    // The first byte of one lane's access, or null; the next one is `warp_lanes` further.
    std::uint16_t* local_bytes(const row& address, const step& s, std::size_t lane,
                               std::uint32_t part, std::uint32_t bytes) {
        if ((address.known >> lane & 1U) == 0) return nullptr;
        const std::uint64_t at_byte = address.lane[lane] + static_cast<std::uint64_t>(s.offset);
        if (!is_local(s, at_byte)) return nullptr;
        const std::uint64_t within =
            (at_byte & ~window_of(window_mask)) + std::uint64_t{part} * bytes;
        const std::uint64_t size = local_.size() / warp_lanes;
        if (within > size || bytes > size - within) return nullptr;
        return &local_[within * warp_lanes + lane];
    }

    void load(const step& s, std::uint32_t active) {
        if (s.sources == 0 ||
            (s.space != address_space::local && s.space != address_space::generic)) {
            return forget_results(s, active);
        }
        const row address = source(s, 0);
        const std::uint32_t bytes = s.type.bits < 8 ? 1 : s.type.bits / 8U;
        for (std::uint32_t k = 0; k < s.results; ++k) {
            lane_values out{};
            std::uint32_t known = 0;
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if (load_argument(address, s, l, k, bytes, out[l])) {
                    out[l] = as(s.type, out[l]);
                    known |= 1U << l;
                    continue;
                }
                const std::uint16_t* const from = local_bytes(address, s, l, k, bytes);
                if (from == nullptr) continue;
                bool all = true;
                for (std::uint32_t b = 0; b < bytes; ++b) {
                    const unsigned byte = from[b * warp_lanes];
                    out[l] |= std::uint64_t{byte & 0xffU} << 8 * b;
                    all = all && (byte & known_byte) != 0;
                }
                out[l] = as(s.type, out[l]);
                known |= static_cast<std::uint32_t>(all) << l;
            }
            write(p_.rows[s.first + k], out, known, active);
        }
    }

    // One lane's access of a kernel's parameter by its address.
    bool load_argument(const row& address, const step& s, std::size_t lane, std::uint32_t part,
                       std::uint32_t bytes, std::uint64_t& value) const {
        if ((address.known >> lane & 1U) == 0) return false;
        const std::uint64_t from =
            address.lane[lane] + static_cast<std::uint64_t>(s.offset) + std::uint64_t{part} * bytes;
        if ((from & window_of(window_mask)) != window_of(parameter_window)) return false;
        const std::uint64_t within = from & ~window_of(window_mask);
        const unsigned bits = window_shift_ != 0 ? 16 : 20;
        return argument_part(within >> bits, within & ones(bits), bytes, value);
    }

    void store(const step& s, std::uint32_t active) {
        if (s.sources == 0 || local_.empty()) return;
        const row address = source(s, 0);
        if (s.space != address_space::local && s.space != address_space::generic) return;
        // A store to who knows where may change all that a lane has. A generic one nearly always goes
        // to global memory.
        if (s.space == address_space::local) forget_local(active & ~address.known);
        const std::uint32_t bytes = s.type.bits < 8 ? 1 : s.type.bits / 8U;
        for (std::uint32_t k = 0; k + 1 < s.sources; ++k) {
            const std::uint32_t from = p_.rows[s.first + s.results + 1 + k];
            if (from == nowhere) continue;
            const row value = at(from);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if ((active >> l & 1U) == 0) continue;
                std::uint16_t* const to = local_bytes(address, s, l, k, bytes);
                if (to == nullptr) continue;
                const bool known = (value.known >> l & 1U) != 0;
                for (std::uint32_t b = 0; b < bytes; ++b) {
                    const auto byte = static_cast<std::uint16_t>(value.lane[l] >> 8 * b & 0xff);
                    to[b * warp_lanes] = known ? static_cast<std::uint16_t>(byte | known_byte) : 0;
                }
            }
        }
    }

    void forget_local(std::uint32_t lanes) {
        if (lanes == 0) return;
        steps_ += local_.size() / 64;
        for (std::size_t at_byte = 0; at_byte < local_.size(); ++at_byte) {
            if ((lanes >> at_byte % warp_lanes & 1U) != 0) local_[at_byte] = 0;
        }
    }

    const program& p_;
    std::span<const argument_bytes> arguments_;
    std::span<const decision> decisions_;
    coalescing_rule coalescing_;
    bank_rule banks_;
    machine_limits limits_;
    unsigned window_shift_;
    std::uint64_t steps_ = 0;
    std::uint32_t ordinal_ = 0;
    std::uint32_t alive_ = 0;
    std::vector<row> fixed_;
    std::vector<row> rows_;
    std::vector<frame> frames_;
    std::vector<path> paths_;
    std::vector<std::uint16_t> local_;     // lane after lane
    std::vector<std::uint32_t> state_of_;  // of a step, in `states_`
    std::vector<decided> states_;
    std::vector<std::uint32_t> decided_;
};

}  // namespace warpgauge::ptx::detail

#endif
