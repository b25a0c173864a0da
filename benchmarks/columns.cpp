// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A million configurations by columns: through the C interface, and by `predict_batch` on the same device. One prediction
// and one explanation through the C interface.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include <benchmark/benchmark.h>

#include <warpgauge/c.h>
#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/by_name.hpp>
#include <warpgauge/tune.hpp>

namespace {

constexpr std::size_t count = 1'000'000;

constexpr std::array names{"threads_per_block",   "registers_per_thread",  "comp_insts",
                           "coalesced_mem_insts", "uncoalesced_mem_insts", "sync_insts"};

struct launches {
    std::array<std::vector<double>, names.size()> values;
    std::array<std::span<const double>, names.size()> columns;
    std::array<const double*, names.size()> pointers;
    std::vector<double> seconds = std::vector<double>(count);
};

// In an order that no branch predictor learns.
launches make() {
    launches l;
    std::mt19937 random(1);
    for (std::size_t n = 0; n < count; ++n) {
        const auto i = static_cast<double>(random() % 1024);
        const std::array<double, names.size()> row{32 + 32 * static_cast<double>(random() % 16),
                                                   16 + static_cast<double>(random() % 32),
                                                   20 + 7 * i,
                                                   1 + static_cast<double>(random() % 9),
                                                   static_cast<double>(random() % 5),
                                                   static_cast<double>(random() % 3)};
        for (std::size_t c = 0; c < row.size(); ++c) l.values[c].push_back(row[c]);
    }
    for (std::size_t c = 0; c < names.size(); ++c) {
        l.columns[c] = l.values[c];
        l.pointers[c] = l.values[c].data();
    }
    return l;
}

constexpr warpgauge::kernel_profile<> common{.blocks = 4096, .shared_bytes_per_block = 1000};

constexpr auto describe = [](auto p, auto& k) {
    k.threads_per_block = p[0];
    k.registers_per_thread = p[1];
    k.comp_insts = p[2];
    k.coalesced_mem_insts = p[3];
    k.uncoalesced_mem_insts = p[4];
    k.sync_insts = p[5];
};

const char* device_of(std::string_view model) {
    return model == "mwp_cwp" ? "GeForce RTX 2070 SUPER" : "A100 SXM4 40GB";
}

void per_prediction(benchmark::State& state, std::size_t predictions) {
    state.counters["ns"] = benchmark::Counter(
        static_cast<double>(predictions),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Model>
inline constexpr bool is_saturation = false;
template <class D>
inline constexpr bool is_saturation<warpgauge::saturation_model<D>> = true;

template <class Model>
void by_batch(benchmark::State& state, const Model& m) {
    launches l = make();
    warpgauge::kernel_profile<> same = common;
    benchmark::DoNotOptimize(&same);  // known when the program runs, as through C
    benchmark::ClobberMemory();
    const warpgauge::described space{same, describe};
    for (auto _ : state) {
        const auto predicted = warpgauge::predict_batch(space, m, l.columns, l.seconds);
        if (!predicted || *predicted != count) state.SkipWithError("not all predicted");
        benchmark::ClobberMemory();
    }
    per_prediction(state, count);
}

// Kept from the optimiser, as a device that is read from a file.
template <class D>
auto runtime_device(const D& d) {
    auto device = warpgauge::edit(d);
    benchmark::DoNotOptimize(&device);
    benchmark::ClobberMemory();
    return device;
}
void batch_mwp_cwp(benchmark::State& state) {
    by_batch(state, warpgauge::mwp_cwp_model{
                        runtime_device(warpgauge::devices::geforce_rtx_2070_super{})});
}
void batch_saturation(benchmark::State& state) {
    by_batch(state,
             warpgauge::saturation_model{runtime_device(warpgauge::devices::a100_sxm4_40gb{})});
}

// The device by name, as through C.
void batch_saturation_by_name(benchmark::State& state) {
    const auto device = warpgauge::find_device("A100 SXM4 40GB");
    const auto bad = warpgauge::visit_model("saturation", *device, [&](const auto& m) {
        if constexpr (is_saturation<std::remove_cvref_t<decltype(m)>>) by_batch(state, m);
        return warpgauge::model_error{};
    });
    if (bad) state.SkipWithError("no such model");
}

struct close {
    void operator()(warpgauge_device* d) const { warpgauge_device_close(d); }
    void operator()(warpgauge_profile* p) const { warpgauge_profile_close(p); }
};
struct inputs {
    std::unique_ptr<warpgauge_device, close> device;
    std::unique_ptr<warpgauge_profile, close> profile;
};

inputs open(const char* device_name) {
    warpgauge_device* device = nullptr;
    warpgauge_profile* profile = nullptr;
    if (warpgauge_device_open(device_name, &device, nullptr) != WARPGAUGE_OK) std::abort();
    if (warpgauge_profile_open(nullptr, &profile, nullptr) != WARPGAUGE_OK) std::abort();
    (void)warpgauge_profile_set(profile, "blocks", common.blocks, nullptr);
    (void)warpgauge_profile_set(profile, "shared_bytes_per_block", common.shared_bytes_per_block,
                                nullptr);
    return {std::unique_ptr<warpgauge_device, close>(device),
            std::unique_ptr<warpgauge_profile, close>(profile)};
}

void by_c(benchmark::State& state, const char* model, bool with_codes) {
    launches l = make();
    std::vector<int32_t> codes(count);
    const inputs in = open(device_of(model));
    const warpgauge_columns columns{count, names.size(), names.data(), l.pointers.data()};
    for (auto _ : state) {
        std::size_t predicted = 0;
        (void)warpgauge_predict_columns(in.device.get(), model, in.profile.get(), &columns,
                                        l.seconds.data(), with_codes ? codes.data() : nullptr,
                                        &predicted, nullptr);
        if (predicted != count) state.SkipWithError("not all predicted");
        benchmark::ClobberMemory();
    }
    per_prediction(state, count);
}

inputs open_one(const char* model) {
    inputs in = open(device_of(model));
    const std::array<double, names.size()> row{256, 24, 500, 6, 1, 1};
    for (std::size_t c = 0; c < row.size(); ++c) {
        (void)warpgauge_profile_set(in.profile.get(), names[c], row[c], nullptr);
    }
    return in;
}

void one(benchmark::State& state, const char* model) {
    const inputs in = open_one(model);
    warpgauge_prediction p;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            warpgauge_predict(in.device.get(), model, in.profile.get(), &p, nullptr));
    }
    per_prediction(state, 1);
}

void explained(benchmark::State& state, const char* model) {
    const inputs in = open_one(model);
    warpgauge_explanation e;
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            warpgauge_explain(in.device.get(), model, in.profile.get(), &e, nullptr));
    }
    per_prediction(state, 1);
}

// By the templates, on a device whose groups of parameters are known when this is compiled.
void explained_by_templates(benchmark::State& state) {
    const warpgauge::saturation_model m{runtime_device(warpgauge::devices::a100_sxm4_40gb{})};
    auto k = common;
    const std::array<double, names.size()> row{256, 24, 500, 6, 1, 1};
    describe(std::span(row), k);
    for (auto _ : state) benchmark::DoNotOptimize(warpgauge::explain(m, k));
    per_prediction(state, 1);
}

BENCHMARK(batch_mwp_cwp);
BENCHMARK_CAPTURE(by_c, mwp_cwp, "mwp_cwp", false);
BENCHMARK_CAPTURE(by_c, mwp_cwp_with_codes, "mwp_cwp", true);
BENCHMARK(batch_saturation);
BENCHMARK(batch_saturation_by_name);
BENCHMARK_CAPTURE(by_c, saturation, "saturation", false);
BENCHMARK_CAPTURE(by_c, saturation_with_codes, "saturation", true);
BENCHMARK_CAPTURE(one, mwp_cwp, "mwp_cwp");
BENCHMARK_CAPTURE(one, saturation, "saturation");
BENCHMARK_CAPTURE(explained, roofline, "roofline");
BENCHMARK_CAPTURE(explained, mwp_cwp, "mwp_cwp");
BENCHMARK_CAPTURE(explained, saturation, "saturation");
BENCHMARK(explained_by_templates);

}  // namespace
