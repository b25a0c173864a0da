// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The time of whole kernels, for comparison with predictions. The L2 cache is full of other lines when
// each of them starts.
#include <limits>
#include <memory>
#include <utility>

#include "cuda.hpp"
#include "kernels.hpp"

#include "kernel_cases.hpp"

namespace {

constexpr int samples = 25;

// Arrays in the GPU's memory, released with it.
class gpu_machine {
public:
    template <class T>
    T* give(const std::vector<T>& values) {
        const auto array = std::make_shared<device_array<T>>(values);
        arrays_.push_back(array);
        return array->data();
    }
    template <class T>
    std::vector<T> take(const T* from, std::size_t count) const {
        std::vector<T> to(count);
        check(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
    template <std::size_t Count>
    void set(const float (&symbol)[Count], const std::vector<float>& values) const {
        check(cudaMemcpyToSymbol(symbol, values.data(), sizeof symbol));
    }
    template <class... Parameters, class... Arguments>
    void launch(const shape& s, void (*kernel)(Parameters...), Arguments... arguments) const {
        start(kernel, s, arguments...);
    }

private:
    std::vector<std::shared_ptr<void>> arrays_;
};

std::vector<double> measure(const task& t, const gpu& g, const kernel_case<gpu_machine>& c) {
    gpu_machine machine;
    const prepared ready = c.prepare(machine, t.launch);
    ready.launch();
    finish();
    if (!ready.correct()) throw std::runtime_error(t.name + " does not compute what it should");
    const l2_flush flush(g);
    stopwatch watch;
    std::vector<double> ms;
    for (int s = -3; s < t.samples; ++s) {
        flush();
        watch.start();
        ready.launch();
        watch.stop();
        const double time = watch.milliseconds();
        if (s >= 0) ms.push_back(time);
    }
    return ms;
}

}  // namespace

plan kernels_plan(const gpu& g) {
    const study over{
        .lengths = {65'536, 262'144, 1'000'000, 4'194'304, 16'000'000},
        .rows = {16'384, 65'536, 250'000, 1'000'000},
        .pixels = {512, 1024, 2048, 4096},
        .edges = {256, 512, 1024, 2048},
        .cube_edges = {66, 130, 258, 386},
        .threads = {32, 64, 96, 128, 160, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024},
        .blocks = {{8, 8, 1},
                   {16, 2, 1},
                   {16, 4, 1},
                   {16, 8, 1},
                   {16, 16, 1},
                   {16, 32, 1},
                   {32, 1, 1},
                   {32, 2, 1},
                   {32, 4, 1},
                   {32, 8, 1},
                   {32, 16, 1},
                   {32, 32, 1},
                   {64, 2, 1},
                   {64, 8, 1},
                   {128, 2, 1},
                   {256, 1, 1}}};
    plan all;
    for (const auto& c : kernel_cases<gpu_machine>(over)) {
        task t;
        t.experiment = "kernels";
        t.name = c.name;
        t.size = c.size;
        t.launch = c.launch;
        t.problem = c.problem;
        t.per_block = c.per_block;
        t.unit = "ms";
        t.samples = samples;
        t.bytes = c.bytes;
        t.memory_bytes = static_cast<std::size_t>(1.5 * c.bytes) + 2 * g.l2_bytes;
        t.kernel = c.kernel;
        t.measure = [g, c](const task& self) { return measure(self, g, c); };
        all.push_back(std::move(t));
    }
    return all;
}
