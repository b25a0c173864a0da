// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_PTX_LOOP_NESTS_ON_HOST_HPP
#define WARPGAUGE_TESTS_PTX_LOOP_NESTS_ON_HOST_HPP

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/trace/traced_kernel.hpp>

// What the warps of loop_nests.cu access, told again by hand and counted lane by lane, with none of the library's code.

namespace loop_nests {

/// An access of one float.
struct access {
    bool stores;
    int array;
    std::int64_t index;
};
using accesses = std::vector<access>;

/// Arrays of a launch.
enum array : int { a, b, c, x, y, z };

/// What a thread accesses, in order: a sum that a loop keeps in memory is stored in every round, and loaded where a store
/// to another array stands between.
class thread_accesses {
public:
    thread_accesses(std::string_view name, std::int64_t column, std::int64_t row, std::int64_t n)
        : name_(name), column_(column), row_(row), n_(n) {
        if (column >= n || row >= n) return;
        if (name == "product" || name == "plain_product" || name == "rank_update") products();
        if (name == "rows_times" || name == "columns_times") times_vector();
        if (name == "two_rows_times") two_rows_times();
        if (name == "two_rows_at_once") two_rows_at_once();
        if (name == "plane_filter") plane_filter();
        if (name == "column_means" || name == "column_deviations") statistics();
        if (name == "normalise") normalise();
        if (name == "correlate") correlate();
    }
    accesses all;

private:
    void load(int of, std::int64_t index) { all.push_back({false, of, index}); }
    void store(int of, std::int64_t index) { all.push_back({true, of, index}); }

    void products() {
        const std::int64_t own = row_ * n_ + column_;
        load(c, own);
        if (name_ != "plain_product") store(c, own);
        for (std::int64_t k = 0; k < n_; ++k) {
            load(a, row_ * n_ + k);
            load(b, name_ == "rank_update" ? column_ * n_ + k : k * n_ + column_);
            if (name_ == "rank_update") load(b, row_ * n_ + k);
            if (name_ == "rank_update") load(a, column_ * n_ + k);
            store(c, own);
        }
    }
    void times_vector() {
        load(y, column_);
        for (std::int64_t k = 0; k < n_; ++k) {
            load(a, name_ == "rows_times" ? column_ * n_ + k : k * n_ + column_);
            load(x, k);
            store(y, column_);
        }
    }
    void two_rows_times() {
        for (std::int64_t k = 0; k < n_; ++k) {
            for (const int matrix : {a, b}) {
                load(matrix == a ? c : y, column_);
                load(matrix, column_ * n_ + k);
                load(x, k);
                store(matrix == a ? c : y, column_);
            }
        }
        load(c, column_);
        load(y, column_);
        store(y, column_);
    }
    void two_rows_at_once() {
        load(y, column_);
        for (std::int64_t k = 0; k < n_; ++k) {
            load(c, column_);
            load(a, column_ * n_ + k);
            load(x, k);
            load(b, column_ * n_ + k);
            load(z, k);
            store(c, column_);
            store(y, column_);
        }
        load(c, column_);
        load(y, column_);
        store(y, column_);
    }
    void plane_filter() {
        if (row_ < 1 || row_ >= n_ - 1 || column_ < 1 || column_ >= n_ - 1) return;
        for (std::int64_t k = 0; k < 9; ++k) load(a, (row_ + k / 3 - 1) * n_ + column_ + k % 3 - 1);
        store(b, row_ * n_ + column_);
    }
    void statistics() {
        store(y, column_ + 1);
        for (std::int64_t k = 1; k <= n_; ++k) {
            load(a, k * width() + column_ + 1);
            if (name_ == "column_deviations") load(x, column_ + 1);
            store(y, column_ + 1);
        }
        store(y, column_ + 1);
    }
    void normalise() {
        const std::int64_t own = (row_ + 1) * width() + column_ + 1;
        load(a, own);
        load(x, column_ + 1);
        store(a, own);
        load(y, column_ + 1);
        store(a, own);
    }
    void correlate() {
        const std::int64_t one = column_ + 1;
        if (one >= n_) return;
        store(c, one * width() + one);
        for (std::int64_t other = one + 1; other <= n_; ++other) {
            store(c, one * width() + other);
            for (std::int64_t k = 1; k <= n_; ++k) {
                load(a, k * width() + one);
                load(a, k * width() + other);
                store(c, one * width() + other);
            }
            store(c, other * width() + one);
        }
    }
    // A row of a statistic's matrix.
    [[nodiscard]] std::int64_t width() const { return n_ + 1; }

    std::string_view name_;
    std::int64_t column_, row_, n_;
};

/// Means of a warp, of all warps of a launch.
struct counts {
    double loads{}, stores{};
    warpgauge::memory_accesses<> touched{};
};

/// Adds the `at`-th access of a warp's lanes; the sector that all of them load, or -1.
inline std::int64_t add(const std::vector<accesses>& lanes, std::size_t at, counts& to) {
    std::map<std::int64_t, std::uint32_t> bytes;  // by sector; arrays are far from each other
    bool stores = false;
    for (const accesses& lane : lanes) {
        if (at >= lane.size()) continue;
        stores = lane[at].stores;
        const std::int64_t address = (std::int64_t{lane[at].array} << 40) + lane[at].index * 4;
        bytes[address / 32] |= 0xfU << (address % 32);
    }
    std::set<std::int64_t> lines;
    double whole = 0;
    for (const auto& [sector, touched] : bytes) {
        lines.insert(sector / 4);
        whole += touched == 0xffff'ffff;
    }
    const auto sectors = static_cast<double>(bytes.size());
    to.touched.lines += static_cast<double>(lines.size());
    to.touched.full_store_sectors += stores ? whole : 0;
    to.touched.partial_store_sectors += stores ? sectors - whole : 0;
    to.touched.load_sectors += stores ? 0 : sectors;
    (stores ? to.stores : to.loads) += 1;
    return stores || bytes.size() != 1 ? -1 : bytes.begin()->first;
}

/// All warps of a launch, thread by thread.
inline counts on_host(std::string_view name, bool plane, const warpgauge::ptx::launch& l,
                      std::int64_t n) {
    counts sum;
    std::uint32_t warps = 0;
    std::vector<std::int64_t> same;  // sector that all warps load at a time; -1: none
    std::vector<double> executions;
    const auto threads = static_cast<std::uint32_t>(l.block.count());
    for (std::uint32_t block = 0; block < l.grid.count(); ++block) {
        for (std::uint32_t first = 0; first < threads; first += 32, ++warps) {
            std::vector<accesses> lanes;
            std::size_t longest = 0;
            for (std::uint32_t t = first; t < first + 32 && t < threads; ++t) {
                const std::int64_t column =
                    std::int64_t{block % l.grid.x} * l.block.x + t % l.block.x;
                const std::int64_t row = std::int64_t{block / l.grid.x} * l.block.y + t / l.block.x;
                lanes.push_back(thread_accesses(name, column, plane ? row : 0, n).all);
                longest = lanes.back().size() > longest ? lanes.back().size() : longest;
            }
            for (std::size_t at = 0; at < longest; ++at) {
                const std::int64_t sector = add(lanes, at, sum);
                if (at == same.size()) {
                    same.push_back(sector);
                    executions.push_back(0);
                }
                if (same[at] != sector) same[at] = -1;
                executions[at] += 1;
            }
        }
    }
    for (std::size_t at = 0; at < same.size() && warps > 1; ++at) {
        sum.touched.broadcast_loads += same[at] == -1 ? 0 : executions[at];
    }
    for (double* count :
         {&sum.loads, &sum.stores, &sum.touched.load_sectors, &sum.touched.full_store_sectors,
          &sum.touched.partial_store_sectors, &sum.touched.lines, &sum.touched.broadcast_loads}) {
        *count /= warps;
    }
    return sum;
}

}  // namespace loop_nests

#endif
