// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_KERNEL_CASES_HPP
#define WARPGAUGE_BENCHMARKS_GPU_KERNEL_CASES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <warpgauge/core/random.hpp>

#include "plan.hpp"

// The kernels of examples/kernels as one would launch them: sizes, blocks, arguments, and what has to
// come out, computed in another way. A `Machine` keeps the arrays and launches, a GPU (kernels.cu) or
// the host (host_machine.hpp); the kernels themselves are included before this header.

// Arrays in place and a launch that can be made again and again.
struct prepared {
    std::function<void()> launch;
    std::function<bool()> correct;  // after one launch
};

template <class Machine>
struct kernel_case {
    std::string name;
    double size{};
    shape launch;
    extent problem{}, per_block{};  // work along each dimension, and what a block takes of it
    double bytes{};                 // B that have to move at least: every element once
    const void* kernel{};
    std::function<prepared(Machine&, const shape&)> prepare;
};

// Which sizes and blocks.
struct study {
    std::vector<std::uint32_t> lengths, rows, pixels, edges, cube_edges;
    std::vector<std::uint32_t> threads;
    std::vector<extent> blocks;  // sides are powers of two
};

namespace cases {

inline std::uint32_t quotient_up(std::uint32_t a, std::uint32_t b) {
    return (a + b - 1) / b;
}

inline extent grid_for(const extent& problem, const extent& per_block) {
    extent grid{};
    for (std::size_t d = 0; d < 3; ++d) grid[d] = quotient_up(problem[d], per_block[d]);
    return grid;
}

// Numbers in (0, 1), the same for the same stream.
inline std::vector<float> random_floats(std::size_t count, std::uint64_t stream) {
    std::vector<float> all(count);
    for (std::size_t i = 0; i < count; i += 4) {
        const auto bits = warpgauge::core::random_bits(1, i, stream);
        for (std::size_t k = 0; k < std::min<std::size_t>(4, count - i); ++k) {
            all[i + k] = (static_cast<float>(bits[k] >> 9) + 0.5f) * 0x1p-23f;
        }
    }
    return all;
}

// From 0 to below - 1.
template <class T>
std::vector<T> random_integers(std::size_t count, std::uint32_t below, std::uint64_t stream) {
    std::vector<T> all(count);
    for (std::size_t i = 0; i < count; i += 4) {
        const auto bits = warpgauge::core::random_bits(1, i, stream);
        for (std::size_t k = 0; k < std::min<std::size_t>(4, count - i); ++k) {
            all[i + k] = static_cast<T>(bits[k] % below);
        }
    }
    return all;
}

// Whether the output is what `expected(i)` says, to one of two tolerances, for all i of a small problem
// and some of a large one.
template <class T, class Expected>
bool agrees(const std::vector<T>& output, double relative, double absolute,
            const Expected& expected) {
    constexpr std::size_t most = 20'000;
    const std::size_t count = output.size();
    for (std::size_t k = 0; k < std::min(count, most); ++k) {
        std::size_t i = k;
        if (count > most && k > 0) {
            i = warpgauge::core::uniform_below(static_cast<std::uint32_t>(count), 2, k, 0);
        }
        const double should = expected(i);
        const double is = static_cast<double>(output[i]);
        if (std::isnan(should)) continue;  // not written by the kernel
        const double allowed = std::max(absolute, relative * std::abs(should));
        if (!(std::abs(is - should) <= allowed)) return false;
    }
    return true;
}

// Numbers below 1 may be off by as much as 1.
template <class T, class Expected>
bool agrees(const std::vector<T>& output, double tolerance, const Expected& expected) {
    return agrees(output, tolerance, tolerance, expected);
}

constexpr double not_written = std::numeric_limits<double>::quiet_NaN();

template <class Machine>
kernel_case<Machine> make(std::string name, double size, extent problem, extent per_block,
                          extent block, double bytes, const void* kernel) {
    return {std::move(name), size,      {grid_for(problem, per_block), block, 0},
            problem,         per_block, bytes,
            kernel,          {}};
}

template <class Kernel>
const void* address(Kernel* kernel) {
    return reinterpret_cast<const void*>(kernel);
}

template <class Machine>
kernel_case<Machine> saxpy_case(std::uint32_t n, std::uint32_t threads) {
    auto c = make<Machine>("saxpy", n, {n, 1, 1}, {threads, 1, 1}, {threads, 1, 1}, 12.0 * n,
                           address(saxpy));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        const auto x = random_floats(n, 1), y = random_floats(n, 2);
        const float* const px = m.give(x);
        float* const py = m.give(y);
        return {[=, &m] { m.launch(s, saxpy, static_cast<int>(n), 2.5f, px, py); },
                [=, &m] {
                    return agrees(m.take(py, n), 1e-6,
                                  [&](std::size_t i) { return 2.5 * x[i] + y[i]; });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> sepia_case(std::uint32_t n, std::uint32_t threads) {
    auto c = make<Machine>("sepia", n, {n, 1, 1}, {threads, 1, 1}, {threads, 1, 1}, 6.0 * n,
                           address(sepia));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        const auto in = random_integers<unsigned char>(std::size_t{3} * n, 256, 3);
        const unsigned char* const from = m.give(in);
        unsigned char* const to = m.give(std::vector<unsigned char>(in.size()));
        return {[=, &m] { m.launch(s, sepia, static_cast<int>(n), from, to); },
                [=, &m] {
                    // A value on the edge between two integers may fall either way.
                    return agrees(m.take(to, in.size()), 0, 1, [&](std::size_t i) {
                        constexpr double mix[3][3]{
                            {0.393, 0.769, 0.189}, {0.349, 0.686, 0.168}, {0.272, 0.534, 0.131}};
                        double sum = 0;
                        for (std::size_t k = 0; k < 3; ++k)
                            sum += mix[i % 3][k] * in[i / 3 * 3 + k];
                        return std::floor(std::min(sum, 255.0));
                    });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> black_scholes_case(std::uint32_t n, std::uint32_t threads) {
    auto c = make<Machine>("black_scholes", n, {n, 1, 1}, {threads, 1, 1}, {threads, 1, 1},
                           20.0 * n, address(black_scholes));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        auto price = random_floats(n, 4), strike = random_floats(n, 5), years = random_floats(n, 6);
        for (std::uint32_t i = 0; i < n; ++i) {
            price[i] = 5 + 25 * price[i];
            strike[i] = 1 + 99 * strike[i];
            years[i] = 0.25f + 9.75f * years[i];
        }
        const float *const ps = m.give(price), *const px = m.give(strike),
                           *const pt = m.give(years);
        float* const call = m.give(std::vector<float>(n));
        float* const put = m.give(std::vector<float>(n));
        return {
            [=, &m] {
                m.launch(s, black_scholes, static_cast<int>(n), 0.02f, 0.3f, ps, px, pt, call, put);
            },
            [=, &m] {
                const auto normal = [](double d) { return 0.5 * std::erfc(-d * std::sqrt(0.5)); };
                const auto d1 = [&](std::size_t i) {
                    const double t = years[i];
                    return (std::log(double{price[i]} / strike[i]) + (0.02 + 0.045) * t) /
                           (0.3 * std::sqrt(t));
                };
                const auto call_price = [&](std::size_t i) {
                    const double t = years[i];
                    return price[i] * normal(d1(i)) -
                           strike[i] * std::exp(-0.02 * t) * normal(d1(i) - 0.3 * std::sqrt(t));
                };
                // The put from the call: their difference is that of what is paid and had.
                const auto put_price = [&](std::size_t i) {
                    return call_price(i) - price[i] + strike[i] * std::exp(-0.02 * years[i]);
                };
                return agrees(m.take(call, n), 2e-4, call_price) &&
                       agrees(m.take(put, n), 2e-4, put_price);
            }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> svm_case(std::uint32_t count, std::uint32_t threads) {
    constexpr std::uint32_t dimensions = 64;
    auto c = make<Machine>("svm", count, {count, 1, 1}, {threads, 1, 1}, {threads, 1, 1},
                           4.0 * (dimensions + 2) * count, address(svm));
    c.prepare = [count](Machine& m, const shape& s) -> prepared {
        const auto support = random_floats(std::size_t{dimensions} * count, 7);
        const auto vector = random_floats(dimensions, 8), alpha = random_floats(count, 9);
        const float *const ps = m.give(support), *const pv = m.give(vector),
                           *const pa = m.give(alpha);
        float* const out = m.give(std::vector<float>(count));
        return {[=, &m] {
                    m.launch(s, svm, static_cast<int>(count), static_cast<int>(dimensions), 0.1f,
                             ps, pv, pa, out);
                },
                [=, &m] {
                    return agrees(m.take(out, count), 1e-4, [&](std::size_t i) {
                        double distance = 0;
                        for (std::size_t d = 0; d < dimensions; ++d) {
                            const double difference = double{support[d * count + i]} - vector[d];
                            distance += difference * difference;
                        }
                        return alpha[i] * std::exp(-0.1 * distance);
                    });
                }};
    };
    return c;
}

// Rows of 0 to 31 elements.
template <class Machine>
kernel_case<Machine> spmv_case(std::uint32_t rows, std::uint32_t threads) {
    auto c = make<Machine>("spmv", rows, {rows, 1, 1}, {threads, 1, 1}, {threads, 1, 1},
                           4.0 * rows * (15.5 * 2 + 3), address(spmv));
    c.prepare = [rows](Machine& m, const shape& s) -> prepared {
        const auto lengths = random_integers<int>(rows, 32, 10);
        std::vector<int> first(rows + 1);
        for (std::uint32_t r = 0; r < rows; ++r) first[r + 1] = first[r] + lengths[r];
        const auto elements = static_cast<std::size_t>(first[rows]);
        const auto column = random_integers<int>(elements, rows, 11);
        const auto value = random_floats(elements, 12), x = random_floats(rows, 13);
        const int *const pr = m.give(first), *const pc = m.give(column);
        const float *const pv = m.give(value), *const px = m.give(x);
        float* const y = m.give(std::vector<float>(rows));
        return {[=, &m] { m.launch(s, spmv, static_cast<int>(rows), pr, pc, pv, px, y); },
                [=, &m] {
                    return agrees(m.take(y, rows), 1e-5, [&](std::size_t row) {
                        double sum = 0;
                        for (int i = first[row]; i < first[row + 1]; ++i) {
                            const auto e = static_cast<std::size_t>(i);
                            sum += double{value[e]} * x[static_cast<std::size_t>(column[e])];
                        }
                        return sum;
                    });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> reduction_case(std::uint32_t n) {
    auto c = make<Machine>("reduction", n, {n, 1, 1}, {512, 1, 1}, {256, 1, 1}, 4.0 * n,
                           address(reduction));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        const auto in = random_floats(n, 14);
        const float* const from = m.give(in);
        float* const to = m.give(std::vector<float>(s.grid[0]));
        return {[=, &m] { m.launch(s, reduction, static_cast<int>(n), from, to); },
                [=, &m] {
                    return agrees(m.take(to, s.grid[0]), 1e-5, [&](std::size_t block) {
                        double sum = 0;
                        for (std::size_t i = 512 * block;
                             i < std::min<std::size_t>(n, 512 * block + 512); ++i) {
                            sum += in[i];
                        }
                        return sum;
                    });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> histogram_case(std::uint32_t n) {
    auto c = make<Machine>("histogram", n, {n, 1, 1}, {4096, 1, 1}, {256, 1, 1}, 1.0 * n,
                           address(histogram));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        const auto in = random_integers<unsigned char>(n, 256, 15);
        const unsigned char* const from = m.give(in);
        unsigned int* const counts = m.give(std::vector<unsigned int>(256));
        return {[=, &m] { m.launch(s, histogram, static_cast<int>(n), from, counts); },
                [=, &m] {
                    std::vector<double> expected(256);
                    for (const unsigned char x : in) ++expected[x];
                    return agrees(m.take(counts, 256), 0,
                                  [&](std::size_t i) { return expected[i]; });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> pathfinder_case(std::uint32_t columns, std::uint32_t height) {
    auto c = make<Machine>("pathfinder_height_" + std::to_string(height), columns, {columns, 1, 1},
                           {256 - 2 * height, 1, 1}, {256, 1, 1}, 4.0 * columns * (height + 2),
                           address(pathfinder));
    c.prepare = [columns, height](Machine& m, const shape& s) -> prepared {
        const auto wall = random_integers<int>(std::size_t{columns} * height, 10, 16);
        const auto from = random_integers<int>(columns, 100, 17);
        const int *const pw = m.give(wall), *const pf = m.give(from);
        int* const to = m.give(std::vector<int>(columns));
        return {[=, &m] {
                    m.launch(s, pathfinder, static_cast<int>(columns), static_cast<int>(height), pw,
                             pf, to);
                },
                [=, &m] {
                    std::vector<int> row = from, next(columns);
                    for (std::size_t h = 0; h < height; ++h) {
                        for (std::size_t x = 0; x < columns; ++x) {
                            int least = row[x];
                            if (x > 0) least = std::min(least, row[x - 1]);
                            if (x + 1 < columns) least = std::min(least, row[x + 1]);
                            next[x] = least + wall[h * columns + x];
                        }
                        row.swap(next);
                    }
                    return agrees(m.take(to, columns), 0, [&](std::size_t x) { return row[x]; });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> linear_filter_case(std::uint32_t n, const extent& block) {
    auto c = make<Machine>("linear_filter", n, {n, n, 1}, block, block, 8.0 * n * n,
                           address(linear_filter));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        const auto in = random_floats(std::size_t{n} * n, 18), w = random_floats(9, 19);
        m.set(weights, w);
        const float* const from = m.give(in);
        float* const to = m.give(std::vector<float>(in.size()));
        return {[=, &m] {
                    m.launch(s, linear_filter, static_cast<int>(n), static_cast<int>(n), from, to);
                },
                [=, &m] {
                    return agrees(m.take(to, in.size()), 1e-5, [&](std::size_t i) {
                        const std::size_t x = i % n, y = i / n;
                        if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return not_written;
                        double sum = 0;
                        for (std::size_t k = 0; k < 9; ++k) {
                            sum += double{w[k]} * in[(y + k / 3 - 1) * n + x + k % 3 - 1];
                        }
                        return sum;
                    });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> poisson_case(std::uint32_t n, const extent& block) {
    auto c = make<Machine>("poisson", n, {n, n, 1}, block, block, 12.0 * n * n, address(poisson));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        const auto f = random_floats(std::size_t{n} * n, 20), u = random_floats(f.size(), 21);
        const float *const pf = m.give(f), *const from = m.give(u);
        float* const to = m.give(std::vector<float>(f.size()));
        return {[=, &m] { m.launch(s, poisson, static_cast<int>(n), 0.5f, pf, from, to); },
                [=, &m] {
                    return agrees(m.take(to, f.size()), 1e-6, [&](std::size_t i) {
                        const std::size_t x = i % n, y = i / n;
                        if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return not_written;
                        return (double{u[i - 1]} + u[i + 1] + u[i - n] + u[i + n] - 0.5 * f[i]) / 4;
                    });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> hotspot_case(std::uint32_t n) {
    auto c = make<Machine>("hotspot", n, {n, n, 1}, {14, 14, 1}, {16, 16, 1}, 12.0 * n * n,
                           address(hotspot));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        const auto power = random_floats(std::size_t{n} * n, 22),
                   u = random_floats(power.size(), 23);
        const float *const pp = m.give(power), *const from = m.give(u);
        float* const to = m.give(std::vector<float>(u.size()));
        return {[=, &m] {
                    m.launch(s, hotspot, static_cast<int>(n), 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, pp,
                             from, to);
                },
                [=, &m] {
                    return agrees(m.take(to, u.size()), 1e-5, [&](std::size_t i) {
                        const std::size_t x = i % n, y = i / n;
                        const double here = u[i];
                        const double west = u[x > 0 ? i - 1 : i], east = u[x + 1 < n ? i + 1 : i];
                        const double north = u[y > 0 ? i - n : i], south = u[y + 1 < n ? i + n : i];
                        return here + 0.1 * (power[i] + (south + north - 2 * here) * 0.3 +
                                             (east + west - 2 * here) * 0.2 + (0.5 - here) * 0.4);
                    });
                }};
    };
    return c;
}

// Both steps of the seven-point stencil: `launch` calls one of them.
template <class Machine, class Kernel>
kernel_case<Machine> jacobi_case(kernel_case<Machine> c, std::uint32_t n, Kernel* kernel) {
    c.prepare = [n, kernel](Machine& m, const shape& s) -> prepared {
        const auto u = random_floats(std::size_t{n} * n * n, 24);
        const float* const from = m.give(u);
        float* const to = m.give(std::vector<float>(u.size()));
        return {[=, &m] { m.launch(s, kernel, static_cast<int>(n), 0.7f, 0.05f, from, to); },
                [=, &m] {
                    return agrees(m.take(to, u.size()), 1e-5, [&](std::size_t i) {
                        const std::size_t x = i % n, y = i / n % n, z = i / n / n;
                        for (const std::size_t k : {x, y, z}) {
                            if (k < 1 || k >= n - 1) return not_written;
                        }
                        const std::size_t plane = std::size_t{n} * n;
                        return 0.05 * (double{u[i - 1]} + u[i + 1] + u[i - n] + u[i + n] +
                                       u[i - plane] + u[i + plane]) -
                               0.7 * u[i];
                    });
                }};
    };
    return c;
}

template <class Machine>
kernel_case<Machine> jacobi_naive_case(std::uint32_t n, std::uint32_t threads) {
    return jacobi_case(make<Machine>("jacobi_naive", n, {n, n - 2, n - 2}, {threads, 1, 1},
                                     {threads, 1, 1}, 8.0 * n * n * n, address(jacobi_naive)),
                       n, jacobi_naive);
}

// n - 2 is a multiple of 32: a block that is not full has no halo on its right.
template <class Machine>
kernel_case<Machine> jacobi_shared_case(std::uint32_t n) {
    return jacobi_case(make<Machine>("jacobi_shared", n, {n - 2, n - 2, 1}, {32, 4, 1}, {32, 4, 1},
                                     8.0 * n * n * n, address(jacobi_shared)),
                       n, jacobi_shared);
}

template <class Machine>
kernel_case<Machine> life_case(std::uint32_t n) {
    auto c =
        make<Machine>("life", n, {n, n, n}, {6, 6, 6}, {8, 8, 8}, 8.0 * n * n * n, address(life));
    c.prepare = [n](Machine& m, const shape& s) -> prepared {
        auto cells = random_integers<int>(std::size_t{n} * n * n, 8, 25);
        for (int& cell : cells) cell = cell == 0;
        const int* const from = m.give(cells);
        int* const to = m.give(std::vector<int>(cells.size()));
        return {[=, &m] { m.launch(s, life, static_cast<int>(n), from, to); },
                [=, &m] {
                    return agrees(m.take(to, cells.size()), 0, [&](std::size_t i) {
                        const std::size_t x = i % n, y = i / n % n, z = i / n / n;
                        int alive = 0;
                        for (std::size_t k = 0; k < 27; ++k) {
                            const std::size_t nx = x + k % 3, ny = y + k / 3 % 3,
                                              nz = z + k / 9;  // + 1
                            const bool inside =
                                nx > 0 && ny > 0 && nz > 0 && nx <= n && ny <= n && nz <= n;
                            if (k != 13 && inside)
                                alive += cells[((nz - 1) * n + ny - 1) * n + nx - 1];
                        }
                        return alive == 3 || (alive == 2 && cells[i] == 1) ? 1.0 : 0.0;
                    });
                }};
    };
    return c;
}

template <class Machine, class Kernel>
kernel_case<Machine> matmul_case(kernel_case<Machine> c, std::uint32_t n, Kernel* kernel) {
    c.prepare = [n, kernel](Machine& m, const shape& s) -> prepared {
        const auto a = random_floats(std::size_t{n} * n, 26), b = random_floats(a.size(), 27);
        const float *const pa = m.give(a), *const pb = m.give(b);
        float* const pc = m.give(std::vector<float>(a.size()));
        return {[=, &m] { m.launch(s, kernel, static_cast<int>(n), pa, pb, pc); },
                [=, &m] {
                    return agrees(m.take(pc, a.size()), 1e-4, [&](std::size_t i) {
                        double sum = 0;
                        for (std::size_t k = 0; k < n; ++k) {
                            sum += double{a[i / n * n + k]} * b[k * n + i % n];
                        }
                        return sum;
                    });
                }};
    };
    return c;
}

// n is a multiple of the block's sides: the kernel checks no bounds.
template <class Machine>
kernel_case<Machine> matmul_naive_case(std::uint32_t n, const extent& block) {
    return matmul_case(make<Machine>("matmul_naive", n, {n, n, 1}, block, block, 12.0 * n * n,
                                     address(matmul_naive)),
                       n, matmul_naive);
}

template <class Machine>
kernel_case<Machine> matmul_tiled_case(std::uint32_t n) {
    return matmul_case(make<Machine>("matmul_tiled", n, {n, n, 1}, {16, 16, 1}, {16, 16, 1},
                                     12.0 * n * n, address(matmul_tiled)),
                       n, matmul_tiled);
}

// n is a multiple of 32.
template <class Machine, class Kernel>
kernel_case<Machine> transpose_case(const char* name, Kernel* kernel, std::uint32_t n) {
    auto c =
        make<Machine>(name, n, {n, n, 1}, {32, 32, 1}, {32, 32, 1}, 8.0 * n * n, address(kernel));
    c.prepare = [n, kernel](Machine& m, const shape& s) -> prepared {
        const auto in = random_floats(std::size_t{n} * n, 28);
        const float* const from = m.give(in);
        float* const to = m.give(std::vector<float>(in.size()));
        return {[=, &m] { m.launch(s, kernel, static_cast<int>(n), from, to); },
                [=, &m] {
                    return agrees(m.take(to, in.size()), 0,
                                  [&](std::size_t i) { return double{in[i % n * n + i / n]}; });
                }};
    };
    return c;
}

}  // namespace cases

// All kernels over all sizes and blocks of a study.
template <class Machine>
std::vector<kernel_case<Machine>> kernel_cases(const study& over) {
    using namespace cases;
    std::vector<kernel_case<Machine>> all;
    for (const std::uint32_t n : over.lengths) {
        for (const std::uint32_t threads : over.threads) {
            all.push_back(saxpy_case<Machine>(n, threads));
            all.push_back(sepia_case<Machine>(n, threads));
            all.push_back(black_scholes_case<Machine>(n, threads));
        }
        all.push_back(reduction_case<Machine>(n));
        all.push_back(histogram_case<Machine>(n));
    }
    for (const std::uint32_t n : over.rows) {
        for (const std::uint32_t threads : over.threads) {
            all.push_back(spmv_case<Machine>(n, threads));
            all.push_back(svm_case<Machine>(n, threads));
        }
        for (const std::uint32_t height : {1U, 4U, 16U, 64U}) {
            all.push_back(pathfinder_case<Machine>(n, height));
        }
    }
    for (const std::uint32_t n : over.pixels) {
        for (const extent& block : over.blocks) {
            all.push_back(linear_filter_case<Machine>(n, block));
            all.push_back(poisson_case<Machine>(n, block));
        }
        all.push_back(hotspot_case<Machine>(n));
    }
    for (const std::uint32_t n : over.edges) {
        for (const extent& block : over.blocks) all.push_back(matmul_naive_case<Machine>(n, block));
        all.push_back(matmul_tiled_case<Machine>(n));
        all.push_back(transpose_case<Machine>("transpose_naive", transpose_naive, n));
        all.push_back(transpose_case<Machine>("transpose_shared", transpose_shared, n));
        all.push_back(transpose_case<Machine>("transpose_padded", transpose_padded, n));
    }
    for (const std::uint32_t n : over.cube_edges) {
        for (const std::uint32_t threads : over.threads) {
            if (threads <= n) all.push_back(jacobi_naive_case<Machine>(n, threads));
        }
        all.push_back(jacobi_shared_case<Machine>(n));
        all.push_back(life_case<Machine>(n));
    }
    return all;
}

#endif
