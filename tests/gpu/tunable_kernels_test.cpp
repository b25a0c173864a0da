// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text of the tunable kernels on the host, with sizes that no tile divides, against what they should compute.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../benchmarks/gpu/host_machine.hpp"

#define __launch_bounds__(...)
inline float __ldg(const float* from) {
    return *from;
}
inline float rsqrtf(float x) {
    return 1 / std::sqrt(x);
}

#pragma GCC diagnostic push  // the kernels mix signed and unsigned numbers, as kernels do
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wfloat-conversion"
#pragma GCC diagnostic ignored "-Wdouble-promotion"  // and one of them computes in double of floats
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-variable"
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wpass-failed"
#endif

#define WIDTH 37
#define HEIGHT 29
#define FILTER 5
#define BOUNDED 1
#define UNROLL 1
namespace shared_tile {
#define BLOCK_X 8
#define BLOCK_Y 4
#define TILE_X 2
#define TILE_Y 3
#define USE_SHARED 1
#define PADDING 1
#define READ_ONLY 0
#define convolution convolution_of_shared_tile
#include "../../examples/tunable/convolution.cu"
#undef convolution
#undef USE_SHARED
#undef PADDING
#undef READ_ONLY
}  // namespace shared_tile
namespace no_tile {
#define USE_SHARED 0
#define PADDING 0
#define READ_ONLY 1
#define convolution convolution_of_no_tile
#include "../../examples/tunable/convolution.cu"
#undef convolution
#undef USE_SHARED
#undef PADDING
#undef READ_ONLY
}  // namespace no_tile

namespace one_step {
#define STEPS 1
#define POWER_IN_SHARED 0
#define IN_DOUBLE 1
#define MIN_BLOCKS 0
#define hotspot hotspot_of_one_step
#include "../../examples/tunable/hotspot.cu"
#undef hotspot
#undef STEPS
#undef POWER_IN_SHARED
#undef IN_DOUBLE
#undef MIN_BLOCKS
#undef UNROLL
}  // namespace one_step
namespace three_steps {
#define STEPS 3
#define POWER_IN_SHARED 1
#define UNROLL 3
#define IN_DOUBLE 0
#define MIN_BLOCKS 2
#define hotspot hotspot_of_three_steps
#include "../../examples/tunable/hotspot.cu"
#undef hotspot
#undef STEPS
#undef POWER_IN_SHARED
#undef UNROLL
}  // namespace three_steps

namespace through_shared {
#define MWG 32
#define NWG 16
#define KWG 8
#define MDIMC 8
#define NDIMC 4
#define MDIMA 8
#define NDIMB 4
#define KWI 2
#define VWM 2
#define VWN 4
#define STRM 1
#define STRN 0
#define SA 1
#define SB 1
#define product product_through_shared
#include "../../examples/tunable/product.cu"
#undef product
#undef SA
#undef SB
#undef STRM
#undef STRN
}  // namespace through_shared
namespace from_global {
#define STRM 0
#define STRN 1
#define SA 0
#define SB 0
#define product product_from_global
#include "../../examples/tunable/product.cu"
#undef product
}  // namespace from_global

#define VERTICES 9
namespace by_slopes {
#define BLOCK 32
#define TILE 3
#define SLOPES 1
#define BRANCH 0
#define RANGE 1
#define UNROLL 2
#define point_in_polygon point_in_polygon_by_slopes
#include "../../examples/tunable/point_in_polygon.cu"
#undef point_in_polygon
#undef SLOPES
#undef BRANCH
#undef RANGE
}  // namespace by_slopes
namespace by_divisions {
#define SLOPES 0
#define BRANCH 1
#define RANGE 0
#define point_in_polygon point_in_polygon_by_divisions
#include "../../examples/tunable/point_in_polygon.cu"
#undef point_in_polygon
}  // namespace by_divisions

namespace bodies_in_shared {
#define SIDE_BY_SIDE 1
#define USE_SHARED 1
#define n_body n_body_in_shared
#include "../../examples/tunable/n_body.cu"
#undef n_body
#undef SIDE_BY_SIDE
#undef USE_SHARED
}  // namespace bodies_in_shared
namespace bodies_in_arrays {
#define SIDE_BY_SIDE 0
#define USE_SHARED 0
#define n_body n_body_in_arrays
#include "../../examples/tunable/n_body.cu"
#undef n_body
}  // namespace bodies_in_arrays
#pragma GCC diagnostic pop

namespace {

unsigned int up(std::size_t a, std::size_t b) {
    return static_cast<unsigned int>((a + b - 1) / b);
}

// Numbers between -1 and 1 without a pattern.
std::vector<float> numbers(std::size_t count) {
    std::vector<float> all(count);
    std::uint32_t state = 12'345;
    for (float& x : all) {
        state = state * 1'664'525 + 1'013'904'223;
        x = static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
    }
    return all;
}

bool close(const std::vector<float>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!(std::fabs(static_cast<double>(a[i]) - b[i]) <= 1e-4 * (1 + std::fabs(b[i])))) {
            return false;
        }
    }
    return true;
}

}  // namespace

TEST_CASE("the tunable convolution computes a convolution") {
    const std::size_t width = WIDTH;
    const std::size_t height = HEIGHT;
    const std::size_t in_width = width + FILTER - 1;
    const auto in = numbers(in_width * (height + FILTER - 1));
    const auto filter = numbers(FILTER * FILTER);
    std::vector<double> expected(width * height);
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            for (std::size_t i = 0; i < FILTER; ++i) {
                for (std::size_t j = 0; j < FILTER; ++j) {
                    expected[y * width + x] += static_cast<double>(in[(y + i) * in_width + x + j]) *
                                               static_cast<double>(filter[i * FILTER + j]);
                }
            }
        }
    }
    const host_machine machine;
    machine.set(shared_tile::filter, filter);
    machine.set(no_tile::filter, filter);
    const shape s{.grid = {up(width, BLOCK_X * TILE_X), up(height, BLOCK_Y * TILE_Y), 1},
                  .block = {BLOCK_X, BLOCK_Y, 1}};
    for (const auto kernel :
         {shared_tile::convolution_of_shared_tile, no_tile::convolution_of_no_tile}) {
        std::vector<float> out(width * height);
        machine.launch(s, kernel, in.data(), out.data());
        CHECK(close(out, expected));
    }
}

TEST_CASE("the tunable hot spot computes as many steps as it says") {
    const std::size_t width = 37;
    const std::size_t height = 29;
    const auto heat = numbers(width * height);
    const auto power = numbers(width * height);
    const auto step = [&](const std::vector<double>& from) {
        std::vector<double> to(from.size());
        for (std::size_t y = 0; y < height; ++y) {
            for (std::size_t x = 0; x < width; ++x) {
                const double here = from[y * width + x];
                const double north = y > 0 ? from[(y - 1) * width + x] : here;
                const double south = y + 1 < height ? from[(y + 1) * width + x] : here;
                const double west = x > 0 ? from[y * width + x - 1] : here;
                const double east = x + 1 < width ? from[y * width + x + 1] : here;
                to[y * width + x] =
                    here + 0.5 * (static_cast<double>(power[y * width + x]) +
                                  (north + south - 2 * here) * 0.125 +
                                  (west + east - 2 * here) * 0.25 + (2 - here) * 0.0625);
            }
        }
        return to;
    };
    const std::vector<double> first = step({heat.begin(), heat.end()});
    const host_machine machine;
    const shape s{.grid = {up(width, BLOCK_X * TILE_X), up(height, BLOCK_Y * TILE_Y), 1},
                  .block = {BLOCK_X, BLOCK_Y, 1}};
    const auto run = [&](auto kernel) {
        std::vector<float> to(width * height);
        machine.launch(s, kernel, static_cast<int>(width), static_cast<int>(height), 0.5F, 0.25F,
                       0.125F, 0.0625F, 2.0F, power.data(), heat.data(), to.data());
        return to;
    };
    CHECK(close(run(one_step::hotspot_of_one_step), first));
    CHECK(close(run(three_steps::hotspot_of_three_steps), step(step(first))));
}

TEST_CASE("the tunable product computes a product") {
    const std::size_t m = 50;
    const std::size_t n = 36;
    const std::size_t k = 21;
    const auto a = numbers(m * k);
    const auto b = numbers(n * k);
    std::vector<double> expected(m * n);
    for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t l = 0; l < k; ++l) {
                expected[j * m + i] +=
                    static_cast<double>(a[l * m + i]) * static_cast<double>(b[l * n + j]);
            }
        }
    }
    const host_machine machine;
    const shape s{.grid = {up(m, MWG), up(n, NWG), 1}, .block = {MDIMC, NDIMC, 1}};
    for (const auto kernel :
         {through_shared::product_through_shared, from_global::product_from_global}) {
        std::vector<float> c(m * n);
        machine.launch(s, kernel, static_cast<int>(m), static_cast<int>(n), static_cast<int>(k),
                       a.data(), b.data(), c.data());
        CHECK(close(c, expected));
    }
}

TEST_CASE("the tunable test for points in a polygon finds those inside a star") {
    // Vertices alternate between two radii; a point is inside if its radius is below that of the edge at its angle.
    const double turn = 2 * std::acos(-1.0) / 8;
    std::vector<double> x(VERTICES);
    std::vector<double> y(VERTICES);
    for (std::size_t v = 0; v < 8; ++v) {
        const double radius = v % 2 == 0 ? 1 : 0.5;
        x[v] = radius * std::cos(turn * static_cast<double>(v));
        y[v] = radius * std::sin(turn * static_cast<double>(v));
    }
    x[8] = 1;  // the first vertex again: an edge without length
    y[8] = 0;
    const auto prepare = [&](auto& vertex, auto& slope) {
        for (std::size_t v = 0; v < VERTICES; ++v) {
            const std::size_t last = (v + VERTICES - 1) % VERTICES;
            vertex[v] = {static_cast<float>(x[v]), static_cast<float>(y[v])};
            slope[v] =
                static_cast<float>(y[v] == y[last] ? 0 : (x[v] - x[last]) / (y[v] - y[last]));
        }
    };
    prepare(by_slopes::vertex, by_slopes::slope);
    prepare(by_divisions::vertex, by_divisions::slope);
    const std::size_t count = 500;
    const auto coordinates = numbers(2 * count);
    std::vector<int> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto px = static_cast<double>(coordinates[2 * i]);
        const auto py = static_cast<double>(coordinates[2 * i + 1]);
        const double angle = std::atan2(py, px);
        const double v = std::floor((angle < 0 ? angle + 8 * turn : angle) / turn);
        const auto from = static_cast<std::size_t>(v) % 8;
        const std::size_t to = (from + 1) % 8;
        // On the side of the edge that the centre is on.
        const double side = (x[to] - x[from]) * (py - y[from]) - (y[to] - y[from]) * (px - x[from]);
        expected[i] = side > 0 ? 1 : 0;
    }
    CHECK(std::count(expected.begin(), expected.end(), 1) > 50);
    const host_machine machine;
    const shape s{.grid = {up(count, BLOCK * TILE), 1, 1}, .block = {BLOCK, 1, 1}};
    const auto run = [&](auto kernel, auto point) {
        std::vector<decltype(point)> points(count);
        for (std::size_t i = 0; i < count; ++i) {
            points[i] = {coordinates[2 * i], coordinates[2 * i + 1]};
        }
        std::vector<int> inside(count);
        machine.launch(s, kernel, static_cast<int>(count), points.data(), inside.data());
        return inside;
    };
    CHECK(run(by_slopes::point_in_polygon_by_slopes, by_slopes::point{}) == expected);
    CHECK(run(by_divisions::point_in_polygon_by_divisions, by_divisions::point{}) == expected);
}

TEST_CASE("the tunable bodies attract each other") {
    const std::size_t count = 150;
    const auto bodies = numbers(4 * count);  // x, y, z and mass in arrays of their own
    std::vector<double> expected(3 * count);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < count; ++j) {
            double d[3];
            double squares = 0.5;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                d[axis] = static_cast<double>(bodies[j + axis * count]) -
                          static_cast<double>(bodies[i + axis * count]);
                squares += d[axis] * d[axis];
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                expected[i + axis * count] += static_cast<double>(bodies[j + 3 * count]) * d[axis] /
                                              (squares * std::sqrt(squares));
            }
        }
    }
    std::vector<float> beside(4 * count);
    for (std::size_t i = 0; i < 4 * count; ++i) beside[i] = bodies[i % 4 * count + i / 4];
    const host_machine machine;
    const shape s{.grid = {up(count, BLOCK * TILE), 1, 1}, .block = {BLOCK, 1, 1}};
    const auto run = [&](auto kernel, const std::vector<float>& of) {
        std::vector<float> acceleration(3 * count);
        machine.launch(s, kernel, static_cast<int>(count), 0.5F, of.data(), acceleration.data());
        return acceleration;
    };
    CHECK(close(run(bodies_in_shared::n_body_in_shared, beside), expected));
    CHECK(close(run(bodies_in_arrays::n_body_in_arrays, bodies), expected));
}
