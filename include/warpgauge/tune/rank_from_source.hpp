// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_RANK_FROM_SOURCE_HPP
#define WARPGAUGE_TUNE_RANK_FROM_SOURCE_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/text/resources.hpp>
#include <warpgauge/ptx/trace/argument.hpp>
#include <warpgauge/ptx/trace/explain.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/stopped_loop.hpp>
#include <warpgauge/ptx/trace/trace.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/tune/default_model.hpp>
#include <warpgauge/tune/rank.hpp>
#include <warpgauge/tune/sweep.hpp>

/// \file From the PTX of each configuration of a space to the order in which to measure them: `rank_from_source`.
///
/// - `source_variant`: one configuration, as its compiler gives it;
/// - `trace_variants`, `traced_variant`: the profile of each, for several models or devices;
/// - `rank_traced`: the order by a model;
/// - `rank_from_source`: both at once.
///
/// These functions start no compiler: a variant is PTX text, or a function of the caller that gives it. A configuration
/// that does not compile, parse, trace or predict comes last, with the stage and the reason.

namespace WARPGAUGE_NAMESPACE {

/// One configuration of a kernel: its compiled text and its launch. The caller may use another type with the same
/// members, for example one that owns its text.
struct source_variant {
    std::string_view ptx{};                      ///< the text
    std::string_view kernel{};                   ///< its name in the text; empty: the only one
    ptx::launch launch{};                        ///< grid, block and dynamic shared memory
    std::span<const ptx::argument> arguments{};  ///< of the kernel, in order; not owned
    ptx::kernel_resources compiled{};            ///< the report of ptxas; 0 registers: not known
    /// The work of one launch, > 0: configurations are compared by time for each unit of work.
    double work = 1;
    /// B of global memory that a launch loads and stores, each byte once; 0: as traced. One block
    /// (`sampling::middle_block`) does not show these bytes; without them, all misses of a cache go to DRAM.
    double loaded_bytes{};
    double stored_bytes{};  ///< likewise
};

struct traced_variant;

/// A type with the members of `source_variant`.
template <class V>
concept source_variant_like = std::default_initializable<V> && requires(const V& v) {
    { v.ptx } -> std::convertible_to<std::string_view>;
    { v.kernel } -> std::convertible_to<std::string_view>;
    { v.launch } -> std::convertible_to<ptx::launch>;
    std::span<const ptx::argument>(v.arguments);
    { v.compiled } -> std::convertible_to<ptx::kernel_resources>;
    { v.work } -> std::convertible_to<double>;
    { v.loaded_bytes } -> std::convertible_to<double>;
    { v.stored_bytes } -> std::convertible_to<double>;
};

/// A variant with more than its text: `refine` changes its counts, or gives an error.
/// `tune/machine_variant.hpp` has one with machine code.
template <class V>
concept refined_variant = source_variant_like<V> &&
    requires(const V& v, const ptx::module& text, const ptx::traced_kernel& trace,
             traced_variant& to) {
    { v.refine(text, trace, to) } -> std::convertible_to<model_error>;
};

/// A source of variants: `variants(n)` is a `result` of one. It may compile the text only when it is called.
template <class F>
concept variant_source = requires(const F& variants) {
    requires source_variant_like<
        typename std::remove_cvref_t<decltype(variants(std::size_t{}))>::value_type>;
};

/// The stages from source to a predicted time.
enum class source_stage : std::uint8_t {
    compile,  ///< the caller makes PTX text
    parse,    ///< the text is read
    trace,    ///< warps are followed
    machine,  ///< machine code is read, and weighted by the trace
    predict,  ///< a model computes the time
};

/// The stage in a word: "compile".
[[nodiscard]] constexpr std::string_view name(source_stage stage) noexcept {
    switch (stage) {
        case source_stage::compile: return "compile";
        case source_stage::parse: return "parse";
        case source_stage::trace: return "trace";
        case source_stage::machine: return "machine";
        case source_stage::predict: return "predict";
    }
    return "unknown";
}

/// The reason why a configuration has no predicted time. It views no text.
struct source_failure {
    errc code = errc::none;  ///< the error; `errc::none` if there is a time
    source_stage stage{};    ///< the stage that failed
    error_text message{};    ///< the error as a sentence, with line and column of the PTX

    /// Whether there is a failure.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return code != errc::none; }
};

/// The profile of one configuration. It views no text; copies of it share nothing.
struct traced_variant {
    kernel_profile<> counts{};                ///< without name and instructions
    std::vector<instruction> instructions{};  ///< the stream of one warp
    ptx::kernel_resources compiled{};         ///< as the variant gave it
    double work = 1;                          ///< as the variant gave it
    std::uint64_t steps{};                    ///< instructions that the trace followed
    std::size_t assumptions{};  ///< branches and accesses on which the trace assumed something
    source_failure failure{};   ///< why it was not traced

    /// The profile that a model reads, with views into this variant.
    [[nodiscard]] kernel_profile<> profile() const {
        kernel_profile<> k = counts;
        k.instructions = instructions;
        return k;
    }
};

/// The prediction of one configuration.
struct source_prediction {
    double seconds{};               ///< s of one launch; 0 if there is a failure
    std::string_view limited_by{};  ///< in words; empty if the model does not say
    assumptions<> assumed{};        ///< the assumptions of the estimate
    source_failure failure{};       ///< why there is no time
};

/// The order in which to measure configurations, as `prune.hpp` takes it, and the prediction of each.
struct source_ranking {
    warpgauge::ranking
        ranking{};  ///< seconds for each unit of work; of an error, `field` is the stage
    std::vector<source_prediction> variants{};  ///< of each configuration
};

/// How variants are traced and ranked.
struct source_options {
    ptx::trace_options trace{};  ///< how each is traced; failures name the loop, not `stopped`
    double tolerance = 0;        ///< as `rank` takes it
};

/// A function that is called with each finished configuration, on its thread. This one does nothing.
struct without_progress {
    /// Does nothing.
    constexpr void operator()(std::size_t) const noexcept {}
};

/// Follows `count` variants: `variants(n)` is called once for each. `run(count, task)` calls `task(n)` for n from 0 to
/// `count` - 1, in any order, on any number of threads, and returns when all are done; `variants` and `done` have
/// to allow this. The result does not depend on it.
template <variant_source Variants, class Run = one_after_another, class Done = without_progress>
[[nodiscard]] std::vector<traced_variant> trace_variants(std::size_t count,
                                                         const Variants& variants,
                                                         const ptx::trace_options& options = {},
                                                         const Run& run = {},
                                                         const Done& done = {});

/// Predicts every variant by `m` and orders the times.
/// \errors negative  `tolerance`
template <model M>
[[nodiscard]] result<source_ranking> rank_traced(const M& m, std::span<const traced_variant> traced,
                                                 double tolerance = 0);

/// From variants to the order in which to measure them, by a model, or by the default model of a device:
///
///     const auto r = rank_from_source(devices::a100_sxm4_40gb{}, names.size(),
///                                     [&](std::size_t n) { return compiled(names[n]); });
///     for (const std::size_t n : keep_fraction(r->ranking, 0.1)->kept) measure(names[n]);
///
/// \errors negative  `options.tolerance`
template <class ModelOrDevice, variant_source Variants, class Run = one_after_another,
          class Done = without_progress>
requires(model<ModelOrDevice> || has_default_model<ModelOrDevice>)
    [[nodiscard]] result<source_ranking> rank_from_source(
        const ModelOrDevice& by, std::size_t count, const Variants& variants,
        const source_options& options = {}, const Run& run = {}, const Done& done = {});

/// The same for variants that already exist.
template <class ModelOrDevice, class Run = one_after_another, class Done = without_progress>
requires(model<ModelOrDevice> || has_default_model<ModelOrDevice>)
    [[nodiscard]] result<source_ranking> rank_from_source(const ModelOrDevice& by,
                                                          std::span<const source_variant> variants,
                                                          const source_options& options = {},
                                                          const Run& run = {},
                                                          const Done& done = {}) {
    const auto at = [&](std::size_t n) { return result<source_variant>(variants[n]); };
    return rank_from_source(by, variants.size(), at, options, run, done);
}

// --- How

namespace detail::tune {

/// The maximum registers of a thread: ptxas spills the rest.
inline constexpr double max_registers = 255;

constexpr source_failure failure_of(const model_error& error, source_stage stage) {
    return {error.code, stage, message(error)};
}

/// Follows one variant.
template <source_variant_like Variant>
traced_variant trace_variant(const Variant& v, ptx::trace_options options) {
    ptx::stopped_loop stopped;  // its own: variants may be traced on several threads
    options.stopped = &stopped;
    traced_variant t;
    t.compiled = v.compiled;
    t.work = static_cast<double>(v.work);
    const auto fail = [&](const model_error& error, source_stage stage) {
        t.failure = failure_of(error, stage);
        return t;
    };
    if (!core::positive(t.work)) return fail({errc::not_positive, "work"}, source_stage::compile);
    const auto loaded = static_cast<double>(v.loaded_bytes);
    const auto stored = static_cast<double>(v.stored_bytes);
    if (!core::non_negative(loaded))
        return fail({errc::negative, "loaded_bytes"}, source_stage::compile);
    if (!core::non_negative(stored))
        return fail({errc::negative, "stored_bytes"}, source_stage::compile);
    const auto parsed = ptx::parse(std::string_view(v.ptx));
    if (!parsed) return fail(parsed.error(), source_stage::parse);
    const auto kernel = ptx::find_kernel(*parsed, std::string_view(v.kernel));
    if (!kernel) {
        t.failure = {kernel.error().code, source_stage::parse,
                     ptx::message(kernel.error(), *parsed)};
        return t;
    }
    auto traced =
        ptx::trace(*kernel, v.launch, std::span<const ptx::argument>(v.arguments), options);
    if (!traced) {
        t.failure = {traced.error().code, source_stage::trace,
                     ptx::message(traced.error(), *kernel, v.launch, options)};
        return t;
    }
    if (t.compiled.registers_per_thread > 0) {
        t.counts = traced->profile(t.compiled);
    } else {
        t.counts = traced->profile();
        t.counts.registers_per_thread = core::min(t.counts.registers_per_thread, max_registers);
    }
    if constexpr (refined_variant<Variant>) {
        if (const auto bad = v.refine(*parsed, *traced, t)) return fail(bad, source_stage::machine);
    }
    if (loaded > 0 || stored > 0) {
        t.counts.traffic.dram_read_bytes = loaded;
        t.counts.traffic.dram_write_bytes = stored;
        t.counts.traffic.footprint_bytes = loaded + stored;
    }
    // That all warps of a block load a sector does not say that all of the grid do.
    const bool one_of_many =
        options.blocks == ptx::sampling::middle_block && traced->launch.grid.count() > 1;
    if (one_of_many) t.counts.accesses.broadcast_loads = 0;
    t.counts.name = {};
    t.counts.instructions = {};
    if (t.instructions.empty()) t.instructions = std::move(traced->stream);
    t.steps = traced->steps;
    t.assumptions = traced->assumptions.size();
    return t;
}

template <class ModelOrDevice>
constexpr auto model_for(const ModelOrDevice& by) {
    if constexpr (model<ModelOrDevice>) {
        return by;
    } else {
        return default_model(by);
    }
}

}  // namespace detail::tune

template <variant_source Variants, class Run, class Done>
std::vector<traced_variant> trace_variants(std::size_t count, const Variants& variants,
                                           const ptx::trace_options& options, const Run& run,
                                           const Done& done) {
    std::vector<traced_variant> traced(count);
    run(count, [&](std::size_t n) {
        const auto v = variants(n);
        if (v) {
            traced[n] = detail::tune::trace_variant(*v, options);
        } else {
            traced[n].failure = detail::tune::failure_of(error_of(v), source_stage::compile);
        }
        done(n);
    });
    return traced;
}

template <model M>
result<source_ranking> rank_traced(const M& m, std::span<const traced_variant> traced,
                                   double tolerance) {
    source_ranking r;
    std::vector<double> seconds(traced.size());
    std::vector<model_error> errors(traced.size());
    r.variants.resize(traced.size());
    for (std::size_t n = 0; n < traced.size(); ++n) {
        source_prediction& p = r.variants[n];
        p.failure = traced[n].failure;
        if (!p.failure) {
            const auto e = m.predict(traced[n].profile());
            const auto time = seconds_of(e);
            if (time) {
                p.seconds = *time;
                p.limited_by = limit_of(*e);
                p.assumed = assumptions_of(*e);
            } else {
                p.failure = detail::tune::failure_of(time.error(), source_stage::predict);
            }
        }
        seconds[n] = p.seconds / traced[n].work;
        if (p.failure) errors[n] = {p.failure.code, name(p.failure.stage)};
    }
    auto order = rank(seconds, errors, tolerance);
    if (!order) return order.error();
    r.ranking = *std::move(order);
    return r;
}

template <class ModelOrDevice, variant_source Variants, class Run, class Done>
requires(model<ModelOrDevice> || has_default_model<ModelOrDevice>)
    result<source_ranking> rank_from_source(const ModelOrDevice& by, std::size_t count,
                                            const Variants& variants, const source_options& options,
                                            const Run& run, const Done& done) {
    if (!core::non_negative(options.tolerance)) return model_error{errc::negative, "tolerance"};
    const std::vector<traced_variant> traced =
        trace_variants(count, variants, options.trace, run, done);
    return rank_traced(detail::tune::model_for(by), traced, options.tolerance);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
