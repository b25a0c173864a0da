// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate/naive_sm.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <warpgauge/kernel/task_list.hpp>

namespace naive {

namespace {

struct step {
    instruction what;
    std::size_t entry;  // of the stream
    std::vector<std::uint32_t> after;
    bool is_read;  // by any execution of any entry
};

// What serves an access to global memory: fractions of its bytes, and the latency with nothing before it.
struct served {
    double beyond_l1, from_dram, latency;
};

// Whether an entry reads the result of `target`: of one before it, or of one in the round before of a loop around both.
bool reads(std::span<const instruction> stream, std::size_t at, std::size_t target) {
    if (target < at) return true;
    for (std::size_t l = 0; l < at; ++l) {
        if (stream[l].unit == unit_kind::loop && target <= l + stream[l].loop_length) return true;
    }
    return false;
}

bool is_read(std::span<const instruction> stream, std::size_t target) {
    for (std::size_t at = 0; at < stream.size(); ++at) {
        for (const std::int32_t need : stream[at].needs) {
            if (need == 0 || stream[at].unit == unit_kind::loop) continue;
            if (needed_entry(at, need) == static_cast<std::int64_t>(target) &&
                reads(stream, at, target)) {
                return true;
            }
        }
    }
    return false;
}

std::vector<step> unroll(std::span<const instruction> stream) {
    std::vector<step> all;
    std::size_t n = 0;
    const auto tasks = task_list(stream);
    using group_list = std::vector<std::vector<std::uint32_t>>;  // the last is open
    group_list copies(1), products(1);
    auto visit = [&](const instruction& i, std::size_t at) {
        const auto here = static_cast<std::uint32_t>(n);
        const auto& needed = (*tasks)[n++].after;
        all.push_back({i, at, {needed.begin(), needed.end()}, is_read(stream, at)});
        group_list& groups = i.async >= async_step::product ? products : copies;
        std::size_t awaited = 0;
        if (i.async == async_step::wait_all) awaited = groups.size();
        if ((i.async == async_step::wait || i.async == async_step::wait_products) &&
            groups.size() - 1 > i.groups_left) {
            awaited = groups.size() - 1 - i.groups_left;
        }
        for (std::size_t g = 0; g < awaited; ++g) {
            all.back().after.insert(all.back().after.end(), groups[g].begin(), groups[g].end());
        }
        switch (i.async) {
            case async_step::copy:
            case async_step::product:
            case async_step::block_product: groups.back().push_back(here); break;
            case async_step::bulk:
                groups.back().push_back(here);
                groups.emplace_back();
                break;
            case async_step::commit:
            case async_step::commit_products: groups.emplace_back(); break;
            default: break;
        }
        return true;
    };
    for_each_execution(stream, 0, stream.size(), visit);
    return all;
}

class sm {
public:
    sm(std::span<const instruction> stream, const sm_parameters& p, const sm_residency& r,
       warp_policy policy, chooser choose)
        : steps_(unroll(stream)),
          p_(p),
          r_(r),
          policy_(policy),
          choose_(std::move(choose)),
          now_(r.start_cycle) {
        warps_.resize(r.blocks * r.warps_per_block);
        for (warp& w : warps_) w.there.assign(steps_.size(), 0);
        begun_ = r.blocks;
        total_ = std::max(r.blocks, r.total_blocks);
        double bytes = 0;
        for (const step& s : steps_) bytes += dram_bytes_of(s);
        last_from_bytes_ = p.last_dram_bytes_per_cycle > 0
                               ? bytes * static_cast<double>((total_ - 1) * r.warps_per_block)
                               : std::numeric_limits<double>::infinity();
    }

    outcome run() {
        o_.stalls.nothing_resident = now_;
        while (std::any_of(warps_.begin(), warps_.end(), [&](const warp& w) { return !done(w); })) {
            if (cycle()) {
                ++o_.issue_cycles;
            } else {
                stall();
            }
            ++now_;
        }
        o_.block_ends.assign(r_.blocks, 0);
        std::uint64_t far_until = last_far_;
        o_.cycles = last_;
        for (std::size_t w = 0; w < warps_.size(); ++w) {
            auto& end = o_.block_ends[w / r_.warps_per_block];
            end = std::max(end, warps_[w].last);
            o_.cycles = std::max(o_.cycles, warps_[w].last);
        }
        (far_until == o_.cycles ? o_.stalls.memory_dependence : o_.stalls.dependence) +=
            o_.cycles - now_;
        return o_;
    }

private:
    struct warp {
        std::size_t at = 0;
        bool waits = false;  // at a barrier
        std::uint64_t begins = 0;
        std::uint64_t last = 0;
        std::vector<std::uint64_t> there;  // of each step's result
    };
    struct access {
        std::uint64_t there;
        double bytes;
    };

    [[nodiscard]] bool done(const warp& w) const { return w.at == steps_.size() && !w.waits; }

    // A store: an access whose result nobody reads.
    [[nodiscard]] bool left_behind(const step& s) const {
        return s.what.unit >= unit_kind::shared_memory && s.what.unit <= unit_kind::global_memory &&
               !s.is_read && s.what.async == async_step::none && !p_.ends_wait_for_stores;
    }

    // Results a cycle of its class; 0: as many as its unit has lanes.
    [[nodiscard]] double rate(const instruction& i) const {
        const bool integer = i.unit == unit_kind::integer;
        const bool compares =
            i.op == operation::compare || i.op == operation::min || i.op == operation::max;
        if (!integer && i.unit != unit_kind::single_precision &&
            i.unit != unit_kind::double_precision) {
            return 0;
        }
        if (i.op == operation::convert) return p_.rates.conversions;
        if (i.op == operation::convert_wide) return p_.rates.wide_conversions;
        if (compares && i.unit != unit_kind::double_precision) return p_.rates.comparisons;
        if (!integer) return 0;
        if (i.op == operation::mul) return p_.rates.integer_products;
        if (i.op == operation::shift) return p_.rates.shifts;
        if (i.op == operation::count_bits) return p_.rates.bit_counts;
        if (i.op == operation::add || i.op == operation::sub || i.op == operation::neg) {
            return p_.rates.integer_adds;
        }
        return i.op >= operation::bit_and && i.op <= operation::logic ? p_.rates.integer_logic : 0;
    }

    // With a class that other lanes can execute at its rate, those: of two, the fewer.
    [[nodiscard]] unit_kind kind(const instruction& i) const {
        const double needed = rate(i);
        if (!(needed > 0)) return i.unit;
        const bool converts = i.op == operation::convert || i.op == operation::convert_wide;
        if (!converts && i.op != operation::count_bits) {
            const bool moves = i.unit == unit_kind::single_precision && p_.lanes[0] >= needed;
            return moves ? unit_kind::integer : i.unit;
        }
        const bool special = p_.lanes[3] >= needed && p_.special_function_latency_cycles > 0;
        const bool twofold = i.op == operation::convert_wide && p_.lanes[2] >= needed &&
                             p_.double_precision_latency_cycles > 0;
        if (twofold && (!special || p_.lanes[2] < p_.lanes[3])) return unit_kind::double_precision;
        return special ? unit_kind::special_function : i.unit;
    }

    [[nodiscard]] std::size_t unit(const instruction& i) const { return unit(kind(i)); }
    [[nodiscard]] std::size_t unit(unit_kind kind) const {
        switch (kind) {
            case unit_kind::integer:
            case unit_kind::branch: return p_.lanes[0] > 0 ? 0 : 1;
            case unit_kind::single_precision: return 1;
            case unit_kind::double_precision: return 2;
            case unit_kind::special_function: return 3;
            case unit_kind::tensor: return 5;
            default: return 4;
        }
    }

    // Levels as they are, not moved to other means.
    [[nodiscard]] served served_by(const step& s) const {
        const auto& own = p_.levels.of_entries;
        if (own.empty()) {
            return {p_.beyond_l1_fraction, p_.from_dram_fraction, p_.dram_latency_cycles};
        }
        const auto [beyond, dram] = own[s.entry];
        return {beyond, dram,
                (1 - beyond) * p_.l1_latency_cycles + (beyond - dram) * p_.l2_latency_cycles +
                    dram * p_.levels.dram_latency_cycles};
    }
    [[nodiscard]] bool is_far(const step& s) const {
        if (s.what.unit == unit_kind::l2_cache) return true;
        return is_memory(s.what) && served_by(s).beyond_l1 > 0;
    }

    [[nodiscard]] double latency(const step& s) const {
        switch (kind(s.what)) {
            case unit_kind::single_precision: return p_.single_precision_latency_cycles;
            case unit_kind::double_precision: return p_.double_precision_latency_cycles;
            case unit_kind::special_function: return p_.special_function_latency_cycles;
            case unit_kind::tensor: return p_.tensor_latency_cycles;
            case unit_kind::shared_memory: return p_.shared_latency_cycles;
            case unit_kind::l1_cache: return p_.l1_latency_cycles;
            case unit_kind::l2_cache: return p_.l2_latency_cycles;
            case unit_kind::global_memory: return served_by(s).latency;
            default: return p_.integer_latency_cycles;
        }
    }

    enum class blocked { no, by_barrier, by_memory, by_result, by_unit, by_queue, by_begin };

    [[nodiscard]] blocked why(const warp& w) const {
        if (w.waits) return blocked::by_barrier;
        if (w.begins > now_) return blocked::by_begin;
        const step& s = steps_[w.at];
        std::uint64_t until = 0;
        bool far = false;
        const auto wait_for = [&](std::size_t i) {
            if (w.there[i] > until) far = false;
            if (w.there[i] >= until) far = far || is_far(steps_[i]);
            until = std::max(until, w.there[i]);
        };
        if (s.what.unit == unit_kind::barrier && p_.barriers_wait_for_results) {
            for (std::size_t i = 0; i < w.at; ++i) {
                if (!left_behind(steps_[i])) wait_for(i);
            }
            if (w.last > until) {  // a store has been issued in this cycle
                until = w.last;
                far = false;
            }
        }
        for (const std::uint32_t i : s.after) {
            if (i != task::none) wait_for(i);
        }
        if (until > now_) {
            return far ? blocked::by_memory : blocked::by_result;
        }
        if (s.what.unit == unit_kind::barrier) return blocked::no;
        if (s.what.async == async_step::block_product) return blocked::no;
        if (dram_bytes_of(s) > 0) {
            double bytes = 0;
            for (const access& a : accesses_) bytes += a.there > now_ ? a.bytes : 0;
            if (bytes >= pipe_rate_ * (p_.dram_latency_cycles + 1)) {
                return blocked::by_queue;
            }
        }
        if (l2_bytes_of(s) > 0) {
            double bytes = 0;
            for (const access& a : l2_accesses_) bytes += a.there > now_ ? a.bytes : 0;
            if (bytes >= p_.l2_bytes_per_cycle * (p_.l2_latency_cycles + 1)) {
                return blocked::by_queue;
            }
        }
        const std::size_t u = unit(s.what);
        if (!(until_of(u, w) < static_cast<double>(now_ + 1) * lanes_of(u))) {
            return blocked::by_unit;
        }
        return blocked::no;
    }

    // A unit that the sub-cores do not divide among them is the first one's.
    [[nodiscard]] bool divided(std::size_t u) const {
        return u != 4 && std::fmod(p_.lanes[u], p_.sub_cores) == 0;
    }
    [[nodiscard]] double lanes_of(std::size_t u) const {
        return divided(u) ? p_.lanes[u] / p_.sub_cores : p_.lanes[u];
    }
    [[nodiscard]] std::size_t sub_cores() const { return static_cast<std::size_t>(p_.sub_cores); }
    [[nodiscard]] std::size_t owner(std::size_t u, const warp& w) const {
        const auto index = static_cast<std::size_t>(&w - warps_.data());
        return divided(u) ? index % sub_cores() : 0;
    }
    [[nodiscard]] double until_of(std::size_t u, const warp& w) const {
        return work_until_[u][owner(u, w)];
    }
    double& until_of(std::size_t u, const warp& w) { return work_until_[u][owner(u, w)]; }

    bool cycle() {
        bool any = false;
        const std::size_t first = first_sub_core_;
        for (std::size_t n = 0; n < sub_cores(); ++n) any = turn((first + n) % sub_cores()) || any;
        return any;
    }

    // The schedulers of one sub-core.
    bool turn(std::size_t s) {
        std::vector<std::size_t> order;
        for (std::size_t n = 0; n < warps_.size(); ++n) {
            const bool around = policy_ == warp_policy::loose_round_robin;
            const std::size_t w = around ? (next_first_[s] + n) % warps_.size() : n;
            if (w % sub_cores() == s) order.push_back(w);
        }
        if (policy_ == warp_policy::greedy_then_oldest) {
            std::vector<std::size_t> first = greedy_[s];
            std::sort(first.begin(), first.end());
            const auto count = static_cast<std::ptrdiff_t>(first.size());
            for (const std::size_t w : order) {
                if (!std::binary_search(first.begin(), first.begin() + count, w)) {
                    first.push_back(w);
                }
            }
            order = first;
        }
        if (choose_) choose_(order, s);
        // Where the schedulers are no multiple of the sub-cores, the first have one more.
        const auto all = static_cast<std::size_t>(p_.warp_schedulers);
        const std::size_t mine = all / sub_cores() + (s < all % sub_cores() ? 1 : 0);
        std::vector<std::size_t> issued;
        for (const std::size_t w : order) {
            if (issued.size() == mine) break;
            warp& it = warps_[w];
            bool any = false;
            for (double n = 0; n < p_.issues_per_scheduler && !done(it); ++n) {
                if (why(it) != blocked::no) break;
                issue(w);
                lift_barrier(w / r_.warps_per_block);
                replace(w / r_.warps_per_block);  // blocks in the order in which they end
                any = true;
            }
            if (any) issued.push_back(w);
        }
        o_.issue_slots += issued.size();
        if (issued.empty()) return false;
        next_first_[s] = (issued.back() + 1) % warps_.size();
        greedy_[s] = issued;
        return true;
    }

    void issue(std::size_t w) {
        warp& it = warps_[w];
        const instruction& i = steps_[it.at].what;
        std::uint64_t there = now_ + 1;
        if (i.unit == unit_kind::barrier) {
            it.waits = true;
        } else if (i.async == async_step::block_product) {
            there = spread(i);
        } else {
            const std::size_t u = unit(i);
            const double threads = threads_of(i);
            if (u == 4) first_sub_core_ = (w + 1) % sub_cores();
            double& work_until = until_of(u, it);
            work_until = std::max(work_until, static_cast<double>(now_) * lanes_of(u)) + threads;
            const double time = answered(steps_[it.at]);
            there = static_cast<std::uint64_t>(std::ceil(std::max(time, work_until / lanes_of(u))));
        }
        it.there[it.at] = there;
        it.last = std::max(it.last, left_behind(steps_[it.at]) ? now_ + 1 : there);
        last_ = std::max(last_, there);
        if (is_far(steps_[it.at])) last_far_ = std::max(last_far_, there);
        ++it.at;
        ++o_.warp_instructions;
    }

    // When the result of an instruction that is issued now arrives, whatever its unit is busy with.
    double answered(const step& s) {
        const auto now = static_cast<double>(now_);
        const double once = latency(s);
        const double l2_bytes = l2_bytes_of(s);
        const double dram_bytes = dram_bytes_of(s);
        if (l2_bytes + dram_bytes == 0) return now + once + later_cycles_of(s.what);
        double time = 0;
        if (l2_bytes > 0) {
            const double departs = std::max(now, l2_free_);
            l2_free_ = departs + in_ticks(l2_bytes / p_.l2_bytes_per_cycle);
            time = std::max(departs + p_.l2_latency_cycles, l2_free_);
            l2_accesses_.push_back({static_cast<std::uint64_t>(std::ceil(time)), l2_bytes});
        }
        const bool has_own = is_memory(s.what) && !p_.levels.of_entries.empty();
        if (dram_bytes == 0) return has_own ? std::max(time, now + once) : time;
        if (moved_bytes_ >= last_from_bytes_) pipe_rate_ = p_.last_dram_bytes_per_cycle;
        moved_bytes_ += dram_bytes;
        const double departs = std::max(now, pipe_free_);
        pipe_free_ = departs + in_ticks(dram_bytes / pipe_rate_);
        const double leaves = std::max(departs + p_.dram_latency_cycles, pipe_free_);
        accesses_.push_back({static_cast<std::uint64_t>(std::ceil(leaves)), dram_bytes});
        return std::max(time, std::max(departs + once, pipe_free_));
    }

    // A part of a product on all tensor cores. Returns when it is done.
    std::uint64_t spread(const instruction& i) {
        const double all = i.tensor_fmas * std::max<double>(i.sharing_warps, 1) / p_.lanes[5];
        double done = static_cast<double>(now_) + std::max(p_.tensor_latency_cycles, all);
        const std::size_t parts = divided(5) ? sub_cores() : 1;
        const double lanes = p_.lanes[5] / static_cast<double>(parts);
        for (std::size_t s = 0; s < parts; ++s) {
            double& until = work_until_[5][s];
            until = std::max(until, static_cast<double>(now_) * lanes) +
                    i.tensor_fmas / static_cast<double>(parts);
            done = std::max(done, until / lanes);
        }
        return static_cast<std::uint64_t>(std::ceil(done));
    }

    void lift_barrier(std::size_t b) {
        const auto first = warps_.begin() + static_cast<std::ptrdiff_t>(b * r_.warps_per_block);
        const auto last = first + static_cast<std::ptrdiff_t>(r_.warps_per_block);
        if (!std::all_of(first, last, [](const warp& w) { return w.waits; })) return;
        std::for_each(first, last, [&](warp& w) {
            w.waits = false;
            w.begins = now_ + 1;  // again
            w.last = std::max(w.last, now_ + 1);
        });
    }

    void replace(std::size_t b) {
        const auto first = warps_.begin() + static_cast<std::ptrdiff_t>(b * r_.warps_per_block);
        const auto last = first + static_cast<std::ptrdiff_t>(r_.warps_per_block);
        if (begun_ == total_ || !std::all_of(first, last, [&](const warp& w) { return done(w); })) {
            return;
        }
        ++begun_;
        warp next;
        for (auto w = first; w != last; ++w) next.begins = std::max(next.begins, w->last);
        next.begins += static_cast<std::uint64_t>(p_.turnaround_cycles);
        next.there.assign(steps_.size(), 0);
        std::fill(first, last, next);
    }

    [[nodiscard]] double bytes_of(const instruction& i) const {
        const bool whole = is_memory(i) || p_.dram_transaction_bytes > 0;
        return i.transactions > 1 && whole ? i.transactions * p_.dram_transaction_bytes
                                           : p_.warp_size * i.bytes;
    }

    [[nodiscard]] double l2_bytes_of(const step& s) const {
        if (!(p_.l2_bytes_per_cycle > 0)) return 0;
        if (is_memory(s.what)) return served_by(s).beyond_l1 * bytes_of(s.what);
        return s.what.unit == unit_kind::l2_cache ? bytes_of(s.what) : 0;
    }
    [[nodiscard]] double dram_bytes_of(const step& s) const {
        return is_memory(s.what) ? served_by(s).from_dram * bytes_of(s.what) : 0;
    }

    struct port {
        double parts, bytes, rate;
    };
    [[nodiscard]] port port_of(const instruction& i) const {
        const double parts = std::max<double>(i.transactions, 1);
        if (i.unit != unit_kind::shared_memory) {
            // L1 serves one line of 128 B at a time.
            const double lines = std::max<double>(bytes_of(i), i.lines * 128);
            const bool by_lines = i.lines > 0 && p_.l1_bytes_per_cycle > 0;
            return {by_lines ? 1 : parts, lines, p_.l1_bytes_per_cycle};
        }
        const double rows = std::max(p_.warp_size * i.bytes, parts > 1 ? parts * 128 : 0);
        return {p_.shared_bytes_per_cycle > 0 ? 1 : parts, rows, p_.shared_bytes_per_cycle};
    }

    // What an instruction keeps its unit busy with: a warp; that for each part; or as long as its bytes take.
    [[nodiscard]] double threads_of(const instruction& i) const {
        if (i.unit == unit_kind::tensor) return i.tensor_fmas;
        if (unit(i) != 4) {
            const double longer = rate(i) > 0 ? p_.lanes[unit(i)] / rate(i) : 1;
            return longer > 1 ? std::floor(p_.warp_size * 64 * longer + 0.5) / 64 : p_.warp_size;
        }
        const port m = port_of(i);
        const double lanes = i.async == async_step::bulk ? 1 : m.parts * p_.warp_size;
        if (!(m.rate > 0)) return lanes;
        return std::max(lanes, std::ceil(m.bytes * p_.lanes[4] * 64 / m.rate) / 64);
    }
    [[nodiscard]] double later_cycles_of(const instruction& i) const {
        if (unit(i) != 4) return 0;
        const port m = port_of(i);
        const bool in_bulk = i.async == async_step::bulk;
        const double parts = in_bulk ? 0 : (m.parts - 1) * p_.warp_size / p_.lanes[4];
        return m.rate > 0 ? std::max(parts, (m.bytes - 128) / m.rate) : parts;
    }

    // In ticks of 2^-22 cycles, rounded up.
    static double in_ticks(double cycles) {
        return std::ceil(cycles * 0x1p22 * (1 - 0x1p-51)) * 0x1p-22;
    }

    void stall() {
        std::array<std::uint64_t, 7> counts{};
        for (const warp& w : warps_) {
            if (!done(w)) ++counts[static_cast<std::size_t>(why(w))];
        }
        const std::array reasons{blocked::by_queue,  blocked::by_unit,    blocked::by_memory,
                                 blocked::by_result, blocked::by_barrier, blocked::by_begin};
        const std::array<std::uint64_t*, 6> fields{
            &o_.stalls.memory_queue, &o_.stalls.unit_busy, &o_.stalls.memory_dependence,
            &o_.stalls.dependence,   &o_.stalls.barrier,   &o_.stalls.nothing_resident};
        std::size_t most = 0;
        for (std::size_t i = 1; i < reasons.size(); ++i) {
            if (counts[static_cast<std::size_t>(reasons[i])] >
                counts[static_cast<std::size_t>(reasons[most])]) {
                most = i;
            }
        }
        ++*fields[most];
    }

    std::vector<step> steps_;
    const sm_parameters& p_;
    const sm_residency& r_;
    warp_policy policy_;
    chooser choose_;
    std::uint64_t now_;
    std::vector<warp> warps_;
    std::array<std::array<double, 4>, sm_unit_count> work_until_{};  // by unit and sub-core
    std::vector<access> accesses_, l2_accesses_;
    std::uint64_t begun_ = 0, total_ = 0, last_ = 0, last_far_ = 0;
    double pipe_rate_ = p_.dram_bytes_per_cycle, moved_bytes_ = 0, last_from_bytes_ = 0;
    double pipe_free_ = 0, l2_free_ = 0;
    std::size_t first_sub_core_ = 0;  // after the last one that used the load/store units
    std::array<std::size_t, 4> next_first_{};
    std::array<std::vector<std::size_t>, 4> greedy_;
    outcome o_;
};

}  // namespace

outcome run_sm(std::span<const instruction> stream, const sm_parameters& p, const sm_residency& r,
               warp_policy policy, chooser choose) {
    return sm(stream, p, r, policy, std::move(choose)).run();
}

}  // namespace naive
