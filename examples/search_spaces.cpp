// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many configurations a search measures until one is within 5% of the best, with and without a predicted order: the
// usual strategies of tuners, replayed over configurations whose times are public.
//
//     search_spaces DIR
//
// DIR as for tuning_spaces. The recorded configurations are a random part of their spaces. So a neighbour of one is
// among the eight that differ from it in the fewest parameters, and a child of two is the one recorded that is most like
// it. What was measured once costs nothing again. Means, and what suffices 9 times in 10, over 1000 seeds.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/core/random.hpp>

#include "tuned_spaces.hpp"

namespace {

using places = std::vector<std::size_t>;

constexpr std::size_t max_genes = 7;
using genes = std::array<double, max_genes>;  // the values of the tuner's parameters

struct recorded {
    std::vector<genes> points;
    std::vector<double> seconds;
    places by_prediction;         // configurations, the one predicted fastest first
    std::vector<places> nearest;  // to each configuration, eight others
    double good_enough{};         // s
};

std::size_t differences(const genes& a, const genes& b) {
    std::size_t count = 0;
    for (std::size_t g = 0; g < max_genes; ++g) count += a[g] != b[g] ? 1U : 0U;
    return count;
}

// Numbers without a pattern, one after another.
class dice {
public:
    explicit dice(std::uint64_t seed) : seed_(seed) {}
    std::size_t below(std::size_t count) {
        return wg::core::uniform_below(static_cast<std::uint32_t>(count), seed_, next_++, 0);
    }
    double fraction() { return wg::core::uniform(seed_, next_++, 0); }
    void shuffle(places& p) {
        for (std::size_t n = p.size(); n > 1; --n) std::swap(p[n - 1], p[below(n)]);
    }

private:
    std::uint64_t seed_;
    std::uint64_t next_ = 0;
};

// A search: it asks for times until one is good enough.
class replay {
public:
    explicit replay(const recorded& of) : of_(of), seen_(of.points.size()) {}
    double measure(std::size_t n) {
        if (!done_ && !seen_[n]) {
            seen_[n] = true;
            ++count_;
            done_ = of_.seconds[n] <= of_.good_enough;
        }
        return of_.seconds[n];
    }
    [[nodiscard]] bool done() const { return done_; }
    [[nodiscard]] bool seen(std::size_t n) const { return seen_[n]; }
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    const recorded& of_;
    std::vector<bool> seen_;
    std::size_t count_ = 0;
    bool done_ = false;
};

// `start` says in which order a strategy takes what it takes at random.
using strategy = void (*)(const recorded&, const places& start, dice&, replay&);

void in_order(const recorded&, const places& start, dice&, replay& r) {
    for (const std::size_t n : start) {
        if (r.done()) return;
        r.measure(n);
    }
}

// The next of `start` that was not measured.
std::size_t next_unseen(const places& start, const replay& r) {
    const auto found =
        std::find_if(start.begin(), start.end(), [&](std::size_t n) { return !r.seen(n); });
    return found == start.end() ? start[0] : *found;
}

// Goes to a neighbour if it is faster, or by chance; from a new start where it has been everywhere near.
void annealing(const recorded& of, const places& start, dice& d, replay& r) {
    while (!r.done()) {
        std::size_t at = next_unseen(start, r);
        double seconds = r.measure(at);
        std::size_t idle = 0;
        for (double temperature = 1; temperature > 0.001 && idle < 30 && !r.done();
             temperature *= 0.995) {
            const std::size_t to = of.nearest[at][d.below(of.nearest[at].size())];
            idle = r.seen(to) ? idle + 1 : 0;
            const double then = r.measure(to);
            const double chance = std::exp((seconds - then) / seconds / temperature);
            if (then < seconds || d.fraction() < chance) {
                at = to;
                seconds = then;
            }
        }
    }
}

// Twenty configurations; children take each parameter from one of two parents, the faster the likelier a parent, and
// one in ten parameters from anywhere.
void genetic(const recorded& of, const places& start, dice& d, replay& r) {
    constexpr std::size_t size = 20;
    places population(start.begin(), start.begin() + size);
    while (!r.done()) {
        for (const std::size_t n : population) r.measure(n);
        std::sort(population.begin(), population.end(), [&](std::size_t a, std::size_t b) {
            return of.seconds[a] != of.seconds[b] ? of.seconds[a] < of.seconds[b] : a < b;
        });
        const auto parent = [&] { return population[std::min(d.below(size), d.below(size))]; };
        places children{population[0]};
        while (children.size() < size) {
            const genes& a = of.points[parent()];
            const genes& b = of.points[parent()];
            genes child;
            for (std::size_t g = 0; g < max_genes; ++g) {
                child[g] = (d.below(2) == 0 ? a : b)[g];
                if (d.below(10) == 0) child[g] = of.points[d.below(of.points.size())][g];
            }
            // The recorded one most like it; of several, one that was not measured.
            std::size_t most = 0;
            for (std::size_t n = 1; n < of.points.size(); ++n) {
                const std::size_t off = 2 * differences(child, of.points[n]) + (r.seen(n) ? 1 : 0);
                const std::size_t best =
                    2 * differences(child, of.points[most]) + (r.seen(most) ? 1 : 0);
                if (off < best) most = n;
            }
            children.push_back(most);
        }
        // Where all children are known, new blood.
        const bool stale =
            std::all_of(children.begin(), children.end(), [&](std::size_t n) { return r.seen(n); });
        if (stale) children.back() = next_unseen(start, r);
        population = children;
    }
}

recorded read(const tuned_spaces::space& s) {
    const bool is_hotspot = s.file.find("hotspot") != std::string::npos;
    const csv::column_names<max_genes> names =
        is_hotspot ? csv::column_names<max_genes>{"block_size_x",
                                                  "block_size_y",
                                                  "tile_size_x",
                                                  "tile_size_y",
                                                  "temporal_tiling_factor",
                                                  "loop_unroll_factor_t",
                                                  "sh_power"}
                   : csv::column_names<max_genes>{"BLOCK_SIZE_X", "BLOCK_SIZE_Y", "TILE_SIZE_X",
                                                  "TILE_SIZE_Y",  "PADDING",      "HFS",
                                                  "READ_ONLY"};
    recorded of{.points = {}, .seconds = s.measured, .by_prediction = {}, .nearest = {}};
    std::ifstream in(s.file);
    const auto bad = csv::read_rows(in, names, max_genes, [&](const auto& row) -> wg::model_error {
        genes p{};
        for (std::size_t g = 0; g < max_genes; ++g) {
            if (const auto wrong = row.number(g, 0, false, p[g])) return wrong;
        }
        of.points.push_back(p);
        return {};
    });
    if (bad) throw std::runtime_error(s.file + ": " + message(bad).c_str());
    places all(of.points.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    of.by_prediction = all;
    std::stable_sort(
        of.by_prediction.begin(), of.by_prediction.end(),
        [&](std::size_t a, std::size_t b) { return s.predicted[0][a] < s.predicted[0][b]; });
    for (const std::size_t n : all) {
        places others = all;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(n));
        std::stable_sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
            return differences(of.points[n], of.points[a]) <
                   differences(of.points[n], of.points[b]);
        });
        others.resize(8);
        of.nearest.push_back(others);
    }
    of.good_enough = 1.05 * *std::min_element(of.seconds.begin(), of.seconds.end());
    return of;
}

struct needed {
    double mean{};
    std::size_t nine_in_ten{};
};

needed run(const recorded& of, strategy search, bool predicted) {
    constexpr std::uint64_t seeds = 1000;
    std::vector<std::size_t> counts;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        dice d(seed);
        places start = of.by_prediction;
        if (!predicted) d.shuffle(start);
        replay r(of);
        search(of, start, d, r);
        counts.push_back(r.count());
    }
    std::sort(counts.begin(), counts.end());
    const auto sum = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    return {static_cast<double>(sum) / static_cast<double>(seeds), counts[counts.size() * 9 / 10]};
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc != 2) {
        std::cerr << "usage: search_spaces DIR\n";
        return 2;
    }
    struct row {
        const char* name;
        strategy search;
        bool predicted;
    };
    constexpr row rows[]{{"random", in_order, false},
                         {"predicted order", in_order, true},
                         {"simulated annealing", annealing, false},
                         {"  from predicted starts", annealing, true},
                         {"genetic", genetic, false},
                         {"  from a predicted population", genetic, true}};
    std::puts("configurations measured until one is within 5% of the best: mean (9 times in 10)\n");
    const auto spaces = tuned_spaces::read_spaces(argv[1]);
    std::vector<recorded> all;
    std::printf("%-30s", "");
    for (const auto& s : spaces) {
        all.push_back(read(s));
        std::printf("  %20s", s.name.c_str());
    }
    std::printf("\n%-30s", "recorded");
    for (const recorded& of : all) std::printf("  %20zu", of.points.size());
    std::puts("");
    for (const row& r : rows) {
        std::printf("%-30s", r.name);
        for (const recorded& of : all) {
            const needed n = run(of, r.search, r.predicted);
            std::printf("  %14.1f (%3zu)", n.mean, n.nine_in_ten);
        }
        std::puts("");
    }
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
