// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the warps of examples/kernels access, told again by hand and counted lane by lane with none of the library's code:
// sectors, lines and passes of shared memory, of every block. `spmv` is left out, whose addresses are data.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/kernels.hpp"

namespace kernels_on_host_test {

namespace ptx = warpgauge::ptx;

namespace {

enum class kind : std::uint8_t { load, store, reduction, shared_load, shared_store };

/// An access of one thread: the `turn`-th at its place in the text below, so that lanes of a warp that have the same
/// place and turn make it together.
struct access {
    int place{}, turn{};
    kind what{};
    std::int64_t address{};  // B
    int bytes{};

    bool operator<(const access& o) const {
        return place != o.place ? place < o.place : turn < o.turn;
    }
};

/// A thread of a kernel, and what it has accessed.
class thread {
public:
    thread(const ptx::launch& l, std::uint64_t block, std::uint64_t of_block)
        : launch(l),
          bx(static_cast<int>(block % l.grid.x)),
          by(static_cast<int>(block / l.grid.x % l.grid.y)),
          bz(static_cast<int>(block / l.grid.x / l.grid.y)),
          tx(static_cast<int>(of_block % l.block.x)),
          ty(static_cast<int>(of_block / l.block.x % l.block.y)),
          tz(static_cast<int>(of_block / l.block.x / l.block.y)) {}

    // `array`: of a launch, each far from the others. `index`: of an element of `bytes`.
    void load(int array, std::int64_t index, int bytes = 4, int place = __builtin_LINE()) {
        add(place, kind::load, array, index, bytes);
    }
    void store(int array, std::int64_t index, int bytes = 4, int place = __builtin_LINE()) {
        add(place, kind::store, array, index, bytes);
    }
    void reduce(int array, std::int64_t index, int place = __builtin_LINE()) {
        add(place, kind::reduction, array, index, 4);
    }
    // `word`: of the block's shared memory.
    void shared_load(std::int64_t word, int place = __builtin_LINE()) {
        add(place, kind::shared_load, 0, word, 4);
    }
    void shared_store(std::int64_t word, int place = __builtin_LINE()) {
        add(place, kind::shared_store, 0, word, 4);
    }

    [[nodiscard]] int x() const { return bx * static_cast<int>(launch.block.x) + tx; }
    [[nodiscard]] int y() const { return by * static_cast<int>(launch.block.y) + ty; }

    ptx::launch launch;
    int bx, by, bz, tx, ty, tz;
    std::vector<access> all{};

private:
    void add(int place, kind what, int array, std::int64_t index, int bytes) {
        all.push_back(
            {place, turns_[place]++, what, (std::int64_t{array} << 40) + index * bytes, bytes});
    }

    std::map<int, int> turns_;
};

void saxpy(thread& t, int n) {
    if (t.x() >= n) return;
    t.load(0, t.x());
    t.load(1, t.x());
    t.store(1, t.x());
}

void transpose(thread& t, int n, int row) {  // `row`: words of a row of the tile; 0: there is none
    const int x = t.bx * 32 + t.tx;
    const int y = t.by * 32 + t.ty;
    t.load(0, y * n + x);
    if (row == 0) return t.store(1, x * n + y);
    t.shared_store(t.ty * row + t.tx);
    t.shared_load(t.tx * row + t.ty);
    t.store(1, (t.bx * 32 + t.ty) * n + t.by * 32 + t.tx);
}

void matmul_naive(thread& t, int n) {
    for (int k = 0; k < n; ++k) {
        t.load(0, t.y() * n + k);
        t.load(1, k * n + t.x());
    }
    t.store(2, t.y() * n + t.x());
}

void matmul_tiled(thread& t, int n) {
    for (int k = 0; k < n; k += 16) {
        t.load(0, t.y() * n + k + t.tx);
        t.shared_store(t.ty * 16 + t.tx);
        t.load(1, (k + t.ty) * n + t.x());
        t.shared_store(256 + t.ty * 16 + t.tx);
        for (int i = 0; i < 16; ++i) {
            t.shared_load(t.ty * 16 + i);
            t.shared_load(256 + i * 16 + t.tx);
        }
    }
    t.store(2, t.y() * n + t.x());
}

void reduction(thread& t, int n) {
    const int i = t.bx * 512 + t.tx;
    if (i < n) t.load(0, i);
    if (i + 256 < n) t.load(0, i + 256);
    t.shared_store(t.tx);
    for (int half = 128; half > 0; half /= 2) {
        if (t.tx >= half) continue;
        t.shared_load(t.tx + half);
        t.shared_load(t.tx);
        t.shared_store(t.tx);
    }
    if (t.tx != 0) return;
    t.shared_load(0);
    t.store(1, t.bx);
}

void pathfinder(thread& t, int columns, int height) {
    constexpr int next = 256;  // the second array begins there
    const int x = t.bx * (256 - 2 * height) - height + t.tx;
    const bool inside = x >= 0 && x < columns;
    if (inside) {
        t.load(1, x);
        t.shared_store(t.tx);
    }
    bool computed = false;
    for (int i = 0; i < height; ++i) {
        computed = t.tx >= i + 1 && t.tx <= 254 - i && inside;
        if (computed) {
            t.shared_load(x == 0 ? t.tx : t.tx - 1);
            t.shared_load(x == columns - 1 ? t.tx : t.tx + 1);
            t.shared_load(t.tx);
            t.load(0, std::int64_t{i} * columns + x);
            t.shared_store(next + t.tx);
        }
        if (i == height - 1) break;
        if (!computed) continue;
        t.shared_load(next + t.tx);
        t.shared_store(t.tx);
    }
    if (!computed) return;
    t.shared_load(next + t.tx);
    t.store(2, x);
}

void hotspot(thread& t, int n) {
    const int x = t.bx * 14 + t.tx - 1;
    const int y = t.by * 14 + t.ty - 1;
    t.load(1, std::clamp(y, 0, n - 1) * n + std::clamp(x, 0, n - 1));
    const int own = t.ty * 16 + t.tx;
    t.shared_store(own);
    if (t.tx < 1 || t.tx > 14 || t.ty < 1 || t.ty > 14 || x >= n || y >= n) return;
    for (const int neighbour : {0, 16, -16, 1, -1}) t.shared_load(own + neighbour);
    t.load(0, y * n + x);
    t.store(2, y * n + x);
}

void poisson(thread& t, int n) {
    if (t.x() < 1 || t.y() < 1 || t.x() >= n - 1 || t.y() >= n - 1) return;
    const int i = t.y() * n + t.x();
    for (const int neighbour : {-1, 1, -n, n}) t.load(1, i + neighbour);
    t.load(0, i);
    t.store(2, i);
}

void life(thread& t, int n) {
    const std::array at{t.bx * 6 + t.tx - 1, t.by * 6 + t.ty - 1, t.bz * 6 + t.tz - 1};
    const auto is_inside = [&](int c) { return c >= 0 && c < n; };
    const bool inside = std::all_of(at.begin(), at.end(), is_inside);
    const int i = (at[2] * n + at[1]) * n + at[0];
    const int own = (t.tz * 8 + t.ty) * 8 + t.tx;
    if (inside) t.load(0, i);
    t.shared_store(own);
    const auto is_edge = [](int c) { return c == 0 || c == 7; };
    if (!inside || is_edge(t.tx) || is_edge(t.ty) || is_edge(t.tz)) return;
    for (int k = 0; k < 27; ++k) {
        t.shared_load(own + (k / 9 - 1) * 64 + (k / 3 % 3 - 1) * 8 + k % 3 - 1);
    }
    t.store(1, i);
}

void jacobi_naive(thread& t, int n) {
    const int x = t.x();
    if (x < 1 || x >= n - 1) return;
    const int i = ((t.bz + 1) * n + t.by + 1) * n + x;
    for (const int neighbour : {-1, 1, -n, n, -n * n, n * n, 0}) t.load(0, i + neighbour);
    t.store(1, i);
}

void jacobi_shared(thread& t, int n) {
    constexpr int row = 34;
    const int tx = t.tx + 1;
    const int ty = t.ty + 1;
    const int x = t.bx * 32 + tx;
    const int y = t.by * 4 + ty;
    if (x >= n - 1 || y >= n - 1) return;
    int i = (n + y) * n + x;
    const int own = ty * row + tx;
    t.load(0, i - n * n);
    t.load(0, i);
    for (int z = 1; z < n - 1; ++z, i += n * n) {
        t.load(0, i + n * n);
        t.shared_store(own);
        if (tx == 1) {
            t.load(0, i - 1);
            t.shared_store(own - 1);
        }
        if (tx == 32) {
            t.load(0, i + 1);
            t.shared_store(own + 1);
        }
        if (ty == 1) {
            t.load(0, i - n);
            t.shared_store(own - row);
        }
        if (ty == 4) {
            t.load(0, i + n);
            t.shared_store(own + row);
        }
        for (const int neighbour : {-1, 1, -row, row}) t.shared_load(own + neighbour);
        t.store(1, i);
    }
}

void black_scholes(thread& t, int n) {
    if (t.x() >= n) return;
    for (const int array : {0, 1, 2}) t.load(array, t.x());
    for (const int array : {3, 4}) t.store(array, t.x());
}

void sepia(thread& t, int n) {
    if (t.x() >= n) return;
    for (const int colour : {0, 1, 2}) t.load(0, 3 * t.x() + colour, 1);
    for (const int colour : {0, 1, 2}) t.store(1, 3 * t.x() + colour, 1);
}

void linear_filter(thread& t, int width, int height) {
    if (t.x() < 1 || t.y() < 1 || t.x() >= width - 1 || t.y() >= height - 1) return;
    for (int k = 0; k < 9; ++k) t.load(0, (t.y() + k / 3 - 1) * width + t.x() + k % 3 - 1);
    t.store(1, t.y() * width + t.x());
}

void svm(thread& t, int count, int dimensions) {
    if (t.x() >= count) return;
    for (int d = 0; d < dimensions; ++d) {
        t.load(0, d * count + t.x());
        t.load(1, d);
    }
    t.load(2, t.x());
    t.store(3, t.x());
}

// Data say which counts a warp adds to in shared memory: a trace assumes that lanes do not meet in a bank.
void histogram(thread& t, int n) {
    t.shared_store(t.tx);
    for (int i = t.x(); i < n; i += static_cast<int>(t.launch.block.x * t.launch.grid.x)) {
        t.load(0, i, 1);
        t.shared_store(t.tx);
    }
    t.shared_load(t.tx);
    t.reduce(1, t.tx);
}

void follow(std::string_view kernel, thread& t, const std::vector<ptx::argument>& arguments) {
    const auto n = [&](std::size_t at) { return static_cast<int>(arguments[at].value()); };
    if (kernel == "saxpy") saxpy(t, n(0));
    if (kernel == "transpose_naive") transpose(t, n(0), 0);
    if (kernel == "transpose_shared") transpose(t, n(0), 32);
    if (kernel == "transpose_padded") transpose(t, n(0), 33);
    if (kernel == "matmul_naive") matmul_naive(t, n(0));
    if (kernel == "matmul_tiled") matmul_tiled(t, n(0));
    if (kernel == "reduction") reduction(t, n(0));
    if (kernel == "pathfinder") pathfinder(t, n(0), n(1));
    if (kernel == "hotspot") hotspot(t, n(0));
    if (kernel == "poisson") poisson(t, n(0));
    if (kernel == "life") life(t, n(0));
    if (kernel == "jacobi_naive") jacobi_naive(t, n(0));
    if (kernel == "jacobi_shared") jacobi_shared(t, n(0));
    if (kernel == "black_scholes") black_scholes(t, n(0));
    if (kernel == "sepia") sepia(t, n(0));
    if (kernel == "linear_filter") linear_filter(t, n(0), n(1));
    if (kernel == "svm") svm(t, n(0), n(1));
    if (kernel == "histogram") histogram(t, n(0));
}

/// Sums over the warps of a launch.
struct counts {
    double load_sectors{}, full_store_sectors{}, partial_store_sectors{}, lines{};
    double shared_load_passes{}, shared_store_passes{};
};

/// Adds what the lanes of a warp access together.
void add(const access* first, const access* last, counts& to) {
    if (first->what == kind::shared_load || first->what == kind::shared_store) {
        std::map<std::int64_t, std::set<std::int64_t>> words;  // by bank
        for (const access* a = first; a != last; ++a) words[a->address / 4 % 32].insert(a->address);
        std::size_t passes = 0;
        for (const auto& [bank, apart] : words) passes = std::max(passes, apart.size());
        (first->what == kind::shared_load ? to.shared_load_passes : to.shared_store_passes) +=
            static_cast<double>(passes);
        return;
    }
    std::map<std::int64_t, std::uint32_t> sectors;  // and which of their bytes
    for (const access* a = first; a != last; ++a) {
        sectors[a->address / 32] |= ((1U << a->bytes) - 1) << a->address % 32;
    }
    std::set<std::int64_t> lines;
    double whole = 0;
    for (const auto& [sector, bytes] : sectors) {
        lines.insert(sector / 4);
        whole += bytes == ~0U ? 1 : 0;
    }
    const auto count = static_cast<double>(sectors.size());
    to.lines += static_cast<double>(lines.size());
    if (first->what == kind::load) to.load_sectors += count;
    if (first->what == kind::load) return;
    to.full_store_sectors += whole;
    to.partial_store_sectors += count - whole;
}

counts on_host(const kernel_launch& k) {
    counts sum;
    const std::uint64_t threads = k.launch.block.count();
    for (std::uint64_t block = 0; block < k.launch.grid.count(); ++block) {
        for (std::uint64_t warp = 0; warp < threads; warp += 32) {
            std::vector<access> lanes;
            for (std::uint64_t lane = warp; lane < std::min(warp + 32, threads); ++lane) {
                thread t(k.launch, block, lane);
                follow(k.kernel, t, k.arguments);
                lanes.insert(lanes.end(), t.all.begin(), t.all.end());
            }
            std::sort(lanes.begin(), lanes.end());
            const access* const end = lanes.data() + lanes.size();
            for (const access* first = lanes.data(); first != end;) {
                const access* const last = std::upper_bound(first, end, *first);
                add(first, last, sum);
                first = last;
            }
        }
    }
    return sum;
}

/// A launch of a few blocks with the rests that a larger one has: every access of each is followed here twice.
std::vector<kernel_launch> launches() {
    return {{"saxpy", "saxpy", {{20}, {256}}, {4'900}},
            {"transpose", "transpose_naive", {{3, 2}, {32, 32}}, {100}},
            {"transpose", "transpose_shared", {{3, 2}, {32, 32}}, {100}},
            {"transpose", "transpose_padded", {{3, 2}, {32, 32}}, {100}},
            {"matmul", "matmul_naive", {{2, 2}, {16, 16}}, {36}},
            {"matmul", "matmul_tiled", {{2, 2}, {16, 16}}, {32}},
            {"reduction", "reduction", {{6}, {256}}, {2'900}},
            {"pathfinder", "pathfinder", {{5}, {256}}, {1'001, 20}},
            {"hotspot", "hotspot", {{5, 4}, {16, 16}}, {53}},
            {"poisson", "poisson", {{3, 3}, {16, 16}}, {45}},
            {"life", "life", {{3, 3, 3}, {8, 8, 8}}, {17}},
            {"jacobi", "jacobi_naive", {{1, 5, 3}, {64}}, {50}},
            {"jacobi", "jacobi_shared", {{2, 3}, {32, 4}}, {41}},
            {"black_scholes", "black_scholes", {{9}, {256}}, {2'111}},
            {"sepia", "sepia", {{9}, {256}}, {2'111}},
            {"linear_filter", "linear_filter", {{3, 3}, {16, 16}}, {45, 43}},
            {"svm", "svm", {{3}, {256}}, {700, 13}},
            {"histogram", "histogram", {{3}, {256}}, {5'000}}};
}

void compare(const ptx::traced_kernel& t, const counts& sum) {
    const auto same = [&](const char* what, double is, double should) {
        CAPTURE(std::string_view(what));
        CHECK(is * t.warps == doctest::Approx(should).epsilon(1e-12));
    };
    same("sectors of loads", t.touched.load_sectors, sum.load_sectors);
    same("whole sectors of stores", t.touched.full_store_sectors, sum.full_store_sectors);
    same("parts of sectors", t.touched.partial_store_sectors, sum.partial_store_sectors);
    same("lines", t.touched.lines, sum.lines);
    same("passes of loads", t.shared_load_passes, sum.shared_load_passes);
    same("passes of stores", t.shared_store_passes, sum.shared_store_passes);
}

}  // namespace

TEST_CASE("sectors, lines and passes of the kernels are those of their accesses told by hand") {
    for (const kernel_launch& k : launches()) {
        const counts should = on_host(k);
        for (const char* target : {"sm_75", "sm_90"}) {
            CAPTURE(std::string_view(k.kernel));
            CAPTURE(std::string_view(target));
            const std::string text = kernel_text(k.file, target);
            const auto m = ptx::parse(text);
            REQUIRE(m);
            const auto kernel = ptx::find_kernel(*m, k.kernel);
            REQUIRE(kernel);
            const auto t =
                ptx::trace(*kernel, k.launch, k.arguments, {.blocks = ptx::sampling::all});
            REQUIRE(t);
            compare(*t, should);
        }
    }
}

}  // namespace kernels_on_host_test
