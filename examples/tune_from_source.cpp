// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the source of a kernel and a space of macros to the configurations that are worth measuring, without a GPU:
// compiles each one, follows what its warps do, predicts, ranks, keeps a tenth.
//
//   tune_from_source KERNEL --device NAME [--sample N] [--set NAME=V,V,...] [--where EXPRESSION] [--json FILE]
//                    [--svg FILE]
//
// KERNEL is one of examples/tunable, or a .cu file of your own whose comments have the same lines (kernel_space.hpp);
// they may stand in another file, --space. Needs nvcc, and ptxas for registers and spills.
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <CLI/CLI.hpp>

#include <warpgauge/by_name/find_device.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/tune/machine_variant.hpp>
#include <warpgauge/tune/prune.hpp>
#include <warpgauge/tune/rank_from_source.hpp>
#include <warpgauge/tune/sample.hpp>

#include "kernel_space.hpp"
#include "nvcc.hpp"

namespace {

namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;
using timer = std::chrono::steady_clock;

struct request {
    std::string source, device, space, nvcc = "nvcc", cache, arch, json, svg;
    std::vector<std::string> set, where, options;
    std::size_t sample = 200;
    std::uint64_t seed = 1;
    std::size_t rows = 40;
    double keep = 0.1;
    double tolerance = 0;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    bool no_cache = false;
    std::string blocks;
    std::uint64_t max_steps = 1'000'000'000;
    bool devices = false;
    bool machine_code = false;
    bool simulate = false;
};

double since(timer::time_point start) {
    return std::chrono::duration<double>(timer::now() - start).count();
}

// region: pool
// Threads that each take the next task.
struct pool {
    unsigned threads;

    template <class Task>
    void operator()(std::size_t count, const Task& task) const {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t n = next++; n < count; n = next++) task(n);
        };
        std::vector<std::jthread> others;
        for (unsigned t = 1; t < std::min<std::size_t>(threads, count); ++t) {
            others.emplace_back(work);
        }
        work();
    }
};
// endregion

// How far a phase is, on a terminal.
class progress {
public:
    progress(std::string what, std::size_t count) : what_(std::move(what)), count_(count) {}
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;
    ~progress() {
        if (shown_) std::cerr << "\r\033[K" << std::flush;
    }

    void operator()() {
        const std::lock_guard lock(mutex_);
        ++done_;
        if (!shown_) return;
        const double elapsed = since(start_);
        const auto left =
            static_cast<double>(count_ - done_) * elapsed / static_cast<double>(done_);
        constexpr std::size_t width = 30;
        const std::size_t full = width * done_ / count_;
        std::cerr << "\r\033[K[" << std::string(full, '#') << std::string(width - full, '.') << "] "
                  << what_ << " " << done_ << " of " << count_ << ", " << report::fixed(left, 0)
                  << " s left" << std::flush;
    }

private:
    std::string what_;
    std::size_t count_;
    std::size_t done_ = 0;
    bool shown_ = isatty(2) != 0;
    timer::time_point start_ = timer::now();
    std::mutex mutex_;
};

struct variant {
    std::vector<double> point;
    std::optional<kernel_space::start> start;
    compiled_text text;
    double compile_seconds = 0;
    timer::time_point trace_start;
    double trace_seconds = 0;
};

// --- What the command line says

std::string usual_cache() {
    const char* const cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache != '\0') return std::string(cache) + "/warpgauge";
    const char* const home = std::getenv("HOME");
    return home != nullptr ? std::string(home) + "/.cache/warpgauge" : "";
}

// The groups that the model has to know; an error names what is missing.
warpgauge::model_error missing_of(const warpgauge::any_device& d, bool simulate = false) {
    using namespace warpgauge::parameters;
    const auto missing = d.missing_of<chip, warp, dram_latency, schedulers, residency>();
    return missing || !simulate ? missing : d.missing_of<cores, arithmetic_latency>();
}

void list_devices() {
    warpgauge::for_each_device_name([](std::string_view name) {
        const auto d = warpgauge::find_device(name);
        if (d && !missing_of(*d) && d->capability().major > 0) std::cout << name << '\n';
    });
}

std::optional<warpgauge::any_device> device_called(const std::string& name, bool simulate) {
    const auto d = warpgauge::find_device(name);
    if (!d) {
        std::cerr << message(d.error()).view() << "; --devices lists those that there are\n";
        return std::nullopt;
    }
    if (const auto missing = missing_of(*d, simulate)) {
        std::cerr << d->name() << ": " << message(missing).view()
                  << "; --devices lists the GPUs of which enough is known\n";
        return std::nullopt;
    }
    return *d;
}

std::string path_of(const std::string& source) {
    if (std::ifstream(source)) return source;
    return std::string(TUNABLE) + "/" + source + ".cu";
}

bool read_space(const request& r, const std::string& source, kernel_space& space) {
    std::string error;
    const std::string text = file_text(source);
    bool good = !text.empty();
    if (!good) error = r.source + ": no such file, nor a kernel of " + TUNABLE;
    good = good && space.read(text, "//@", error);
    if (good && !r.space.empty()) {
        const std::string more = file_text(r.space);
        good = !more.empty() && space.read(more, "", error);
        if (more.empty()) error = r.space + ": no such file, or empty";
    }
    for (const std::string& s : r.set) good = good && space.set(s, error);
    for (const std::string& s : r.where) space.add_where(s);
    good = good && space.finish(error);
    if (!good) std::cerr << error << '\n';
    return good;
}

// The architecture to compile for: the device's own, unless another is asked for.
std::optional<std::string> architecture(const request& r, const warpgauge::any_device& device,
                                        const nvcc& compiler) {
    std::string number = r.arch.substr(r.arch.find('_') + 1);
    const auto own = device.capability();
    if (r.arch.empty()) number = std::to_string(own.major) + std::to_string(own.minor);
    if (compiler.compiles_for(number)) return number;
    std::string known = compiler.architectures();
    std::replace(known.begin(), known.end(), '\n', ' ');
    std::cerr << "nvcc " << compiler.release() << " does not compile for compute_" << number
              << "; it does for " << known
              << "\n--arch takes one of these: its PTX is then followed by the memory rules of the "
              << device.name() << '\n';
    return std::nullopt;
}

// --- The work

// Compiles all; false where no configuration does.
void compile_all(std::vector<variant>& variants, const kernel_space& space, const nvcc& compiler,
                 const std::string& source, const std::string& number, const request& r) {
    progress bar("compiled", variants.size());
    pool{r.jobs}(variants.size(), [&](std::size_t n) {
        variant& v = variants[n];
        const auto start = timer::now();
        std::vector<std::string> options = space.macros(v.point);
        options.insert(options.end(), r.options.begin(), r.options.end());
        v.start = space.launch(v.point);
        if (v.start) {
            v.text = compiler.compile(source, number, options, r.machine_code || r.simulate);
        } else {
            v.text.error = "an expression of the launch has no value";
        }
        v.compile_seconds = since(start);
        bar();
    });
}

// region: rank
// The input of the library for a configuration, or the error of its compilation. With a cubin, its machine code counts.
warpgauge::result<warpgauge::machine_variant> source_of(const variant& v, std::string_view kernel) {
    if (!v.text.error.empty()) {
        return warpgauge::model_error{warpgauge::errc::malformed, v.text.error};
    }
    const auto resources = ptx::read_resources(v.text.ptxas, kernel);
    warpgauge::machine_variant s;
    s.ptx = v.text.ptx;
    s.kernel = kernel;
    s.launch = v.start->launch;
    s.arguments = v.start->arguments;
    if (resources) s.compiled = *resources;
    s.work = v.start->work;
    s.loaded_bytes = v.start->loaded_bytes;
    s.stored_bytes = v.start->stored_bytes;
    s.cubin = std::as_bytes(std::span(v.text.cubin));
    return s;
}

template <class Model>
warpgauge::result<warpgauge::source_ranking> ranked(const Model& model,
                                                    std::vector<variant>& variants,
                                                    std::string_view kernel,
                                                    const warpgauge::source_options& options,
                                                    unsigned threads) {
    progress bar("followed", variants.size());
    return warpgauge::rank_from_source(
        model, variants.size(),
        [&](std::size_t n) {
            variants[n].trace_start = timer::now();
            return source_of(variants[n], kernel);
        },
        options, pool{threads},
        [&](std::size_t n) {
            variants[n].trace_seconds = since(variants[n].trace_start);
            bar();
        });
}
// endregion

// The simulation of so many instructions as are enough to order by (docs/sass.md).
auto simulation_of(const warpgauge::any_device& device) {
    using namespace warpgauge;
    constexpr simulation_caps few{.max_simulated = std::uint64_t{1} << 16};
    return hybrid_model{device.known_of(simulated_groups{} + simulated_extras{}), {.caps = few}};
}

// The same from a space whose comments do not name the kernel.
std::string kernel_name(const kernel_space& space, const std::vector<variant>& variants) {
    if (!space.kernel().empty()) return space.kernel();
    for (const variant& v : variants) {
        const auto m = ptx::parse(v.text.ptx);
        if (!m) continue;
        const auto only = ptx::find_kernel(*m, "");
        if (only) return std::string(m->functions[only->function].name);
    }
    return "";
}

// --- What it prints

struct answer {
    const kernel_space& space;
    const std::vector<variant>& variants;
    const warpgauge::source_ranking& ranked;
    std::vector<bool> kept;
    std::string_view kernel;

    [[nodiscard]] ptx::kernel_resources resources(std::size_t n) const {
        const auto r = ptx::read_resources(variants[n].text.ptxas, kernel);
        return r ? *r : ptx::kernel_resources{};
    }
    [[nodiscard]] std::string parameters(std::size_t n) const {
        std::string text;
        for (std::size_t a = 0; a < space.axes().size(); ++a) {
            text += (a > 0 ? " " : "") + std::string(space.axes()[a].name) + "=" +
                    kernel_space::whole(variants[n].point[a]);
        }
        return text;
    }
};

// The places of configurations from 1; those that the model cannot tell apart share one.
std::vector<std::size_t> places(const warpgauge::ranking& r) {
    std::vector<std::size_t> of(r.order.size());
    for (const warpgauge::rank_group& g : r.groups) {
        for (std::size_t at = g.first; at < g.first + g.count; ++at) of[r.order[at]] = g.first + 1;
    }
    return of;
}

void print_kept(const answer& a, std::size_t rows) {
    const warpgauge::ranking& r = a.ranked.ranking;
    const auto place = places(r);
    std::vector<std::string> heading{"", "predicted", "limited by", "registers", "spilled"};
    for (const auto& axis : a.space.axes()) heading.emplace_back(axis.name);
    report::table t(heading, 0);
    std::size_t shown = 0;
    std::size_t more = 0;
    for (std::size_t at = 0; at < r.predicted(); ++at) {
        const std::size_t n = r.order[at];
        if (!a.kept[n]) break;
        if (shown == rows) {
            ++more;
            continue;
        }
        ++shown;
        const auto compiled = a.resources(n);
        const bool known = compiled.registers_per_thread > 0;
        std::vector<std::string> row{
            std::to_string(place[n]), report::duration(r.seconds[n]),
            std::string(a.ranked.variants[n].limited_by),
            known ? std::to_string(compiled.registers_per_thread) : "?",
            known ? std::to_string(compiled.spill_store_bytes + compiled.spill_load_bytes) + " B"
                  : "?"};
        for (const double value : a.variants[n].point) {
            row.push_back(kernel_space::whole(value));
        }
        t.add_row(row);
    }
    std::cout << t;
    if (more > 0) std::cout << "and " << more << " more to measure\n";
}

void print_failures(const answer& a) {
    std::map<std::string, std::vector<std::size_t>> by_reason;
    for (std::size_t n = 0; n < a.variants.size(); ++n) {
        const auto& failure = a.ranked.variants[n].failure;
        if (!failure) continue;
        const std::string reason = a.variants[n].text.error.empty()
                                       ? std::string(failure.message.view())
                                       : a.variants[n].text.error;
        by_reason[std::string(name(failure.stage)) + ": " + reason].push_back(n);
    }
    for (const auto& [reason, which] : by_reason) {
        std::cout << which.size() << " without a prediction, " << reason << "\n  such as "
                  << a.parameters(which[0]) << '\n';
    }
}

void print_slowest(const answer& a) {
    const warpgauge::ranking& r = a.ranked.ranking;
    if (r.predicted() == 0) return;
    const std::size_t last = r.order[r.predicted() - 1];
    std::cout << "The last of " << r.predicted() << " is predicted to take "
              << report::fixed(r.seconds[last] / r.seconds[r.order[0]], 1)
              << " times as long as the first, limited by " << a.ranked.variants[last].limited_by
              << ": " << a.parameters(last) << '\n';
}

bool draw(const answer& a, const std::string& file, const std::string& title) {
    report::line_chart chart{.title = title,
                             .x_label = "place in the predicted order",
                             .y_label = "predicted time, µs",
                             .log_y = true,
                             .curves = {{"to measure", {}}, {"the rest", {}}}};
    const warpgauge::ranking& r = a.ranked.ranking;
    for (std::size_t at = 0; at < r.predicted(); ++at) {
        const std::size_t n = r.order[at];
        const report::point p{static_cast<double>(at + 1), r.seconds[n] * 1e6};
        const bool next_kept = at + 1 < r.predicted() && a.kept[r.order[at + 1]];
        if (a.kept[n]) chart.curves[0].points.push_back(p);
        if (!a.kept[n] || !next_kept) chart.curves[1].points.push_back(p);  // one line
    }
    std::ofstream out(file);
    out << chart;
    out.close();
    if (!out) std::cerr << file << ": cannot be written\n";
    return static_cast<bool>(out);
}

// --- JSON

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            constexpr std::string_view digits = "0123456789abcdef";
            out += "\\u00";
            out += digits[static_cast<unsigned char>(c) >> 4];
            out += digits[static_cast<unsigned char>(c) & 15U];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string exact(double x) {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

void write_json(std::ostream& out, const answer& a, std::string_view device, std::size_t allowed) {
    const auto place = places(a.ranked.ranking);
    out << "{\"kernel\": " << quoted(a.kernel) << ", \"device\": " << quoted(device)
        << ", \"allowed\": " << allowed << ", \"variants\": [";
    for (std::size_t at = 0; at < a.variants.size(); ++at) {
        const std::size_t n = a.ranked.ranking.order[at];
        out << (at > 0 ? ",\n" : "\n") << "{\"parameters\": {";
        for (std::size_t p = 0; p < a.space.axes().size(); ++p) {
            out << (p > 0 ? ", " : "") << quoted(a.space.axes()[p].name) << ": "
                << kernel_space::whole(a.variants[n].point[p]);
        }
        out << "}";
        const auto& predicted = a.ranked.variants[n];
        if (predicted.failure) {
            const std::string& error = a.variants[n].text.error;
            out << ", \"failed\": " << quoted(name(predicted.failure.stage)) << ", \"error\": "
                << quoted(error.empty() ? predicted.failure.message.view()
                                        : std::string_view(error))
                << "}";
            continue;
        }
        const auto compiled = a.resources(n);
        out << ", \"place\": " << place[n]
            << ", \"seconds\": " << exact(a.ranked.ranking.seconds[n])
            << ", \"limited_by\": " << quoted(predicted.limited_by)
            << ", \"registers\": " << compiled.registers_per_thread
            << ", \"spilled_bytes\": " << compiled.spill_store_bytes + compiled.spill_load_bytes
            << ", \"measure\": " << (a.kept[n] ? "true" : "false") << "}";
    }
    out << "\n]}\n";
}

// What was spent, on the standard error: it differs from run to run.
void print_times(const std::vector<variant>& variants, double compile_wall, double trace_wall,
                 unsigned jobs) {
    std::size_t cached = 0;
    double compiled = 0;
    double traced = 0;
    for (const variant& v : variants) {
        cached += v.text.from_cache ? 1 : 0;
        compiled += v.text.from_cache ? 0 : v.compile_seconds;
        traced += v.trace_seconds;
    }
    const auto count = static_cast<double>(variants.size());
    const std::size_t made = variants.size() - cached;
    std::cerr << "compiled " << made << ", " << cached << " from the cache, in "
              << report::duration(compile_wall);
    if (made > 0) {
        std::cerr << ": " << report::duration(compiled / static_cast<double>(made))
                  << " each on one of " << jobs << " threads";
    }
    std::cerr << "\nfollowed and ranked " << variants.size() << " in "
              << report::duration(trace_wall) << ": " << report::duration(traced / count)
              << " each\n";
}

int tune(const request& r) {
    const auto device = device_called(r.device, r.simulate);
    if (!device) return 1;
    const std::string source = path_of(r.source);
    kernel_space space;
    if (!read_space(r, source, space)) return 1;
    std::string error;
    const nvcc compiler(r.nvcc, r.no_cache ? "" : r.cache.empty() ? usual_cache() : r.cache, error);
    if (!error.empty()) {
        std::cerr << error << '\n';
        return 1;
    }
    if (!compiler.has_ptxas()) {
        std::cerr << "ptxas not found beside nvcc: registers are an estimate, spills unknown\n";
        if (r.machine_code || r.simulate) return 1;
    }
    const auto number = architecture(r, *device, compiler);
    if (!number) return 1;

    // region: space
    const warpgauge::configurations all{
        space.axes(),
        {},
        [](auto, auto&) {},  // the PTX describes a configuration
        [&](std::span<const double> point) { return space.broken(point); }};
    const auto drawn = warpgauge::sample(all, {.max_count = r.sample, .seed = r.seed});
    // endregion
    if (!drawn || drawn->places.empty()) {
        std::cerr << (drawn ? "no configuration fulfils all conditions"
                            : std::string(message(drawn.error()).view()))
                  << '\n';
        return 1;
    }
    std::vector<variant> variants(drawn->places.size());
    for (std::size_t n = 0; n < variants.size(); ++n) {
        variants[n].point.resize(space.axes().size());
        all.point(drawn->places[n], variants[n].point);
    }

    auto start = timer::now();
    compile_all(variants, space, compiler, source, *number, r);
    const double compile_wall = since(start);

    start = timer::now();
    const std::string kernel = kernel_name(space, variants);
    const warpgauge::saturation_model model{
        device->known_of(warpgauge::detail::models::saturation_groups{} +
                         warpgauge::group_list<warpgauge::parameters::residency>{})};
    const bool one_block = r.blocks.empty() ? space.knows_footprint() : r.blocks == "middle";
    const ptx::trace_options trace{
        .capability = device->capability(),
        .blocks = one_block ? ptx::sampling::middle_block : ptx::sampling::representative,
        .max_steps = r.max_steps};
    const auto rank = [&](const auto& by) {
        return ranked(by, variants, kernel, {.trace = trace, .tolerance = r.tolerance}, r.jobs);
    };
    const auto order = r.simulate ? rank(simulation_of(*device)) : rank(model);
    if (!order) {
        std::cerr << message(order.error()).view() << '\n';
        return 1;
    }
    const double trace_wall = since(start);
    const auto worth = warpgauge::keep_fraction(order->ranking, r.keep);
    if (!worth) {
        std::cerr << message(worth.error()).view() << '\n';
        return 1;
    }
    answer a{space, variants, *order, std::vector<bool>(variants.size()), kernel};
    for (const std::size_t n : worth->kept) a.kept[n] = true;

    print_times(variants, compile_wall, trace_wall, r.jobs);
    if (r.json == "-") {
        write_json(std::cout, a, device->name(), drawn->allowed);
    } else {
        std::cout << kernel << " on " << device->name() << ": " << variants.size() << " of "
                  << drawn->allowed << " configurations, " << worth->kept.size()
                  << " worth measuring\n\n";
        print_kept(a, r.rows);
        std::cout << '\n';
        print_slowest(a);
        print_failures(a);
    }
    bool good = true;
    if (!r.json.empty() && r.json != "-") {
        std::ofstream out(r.json);
        write_json(out, a, device->name(), drawn->allowed);
        out.close();
        good = static_cast<bool>(out);
        if (!good) std::cerr << r.json << ": cannot be written\n";
    }
    if (!r.svg.empty()) {
        good = draw(a, r.svg, kernel + " on " + std::string(device->name())) && good;
    }
    return good && order->ranking.predicted() > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    request r;
    CLI::App app("Which configurations of a kernel are worth measuring?");
    app.add_option("kernel", r.source, "A kernel of examples/tunable, or a .cu file");
    app.add_option("--device", r.device, "The GPU, by name");
    app.add_flag("--devices", r.devices, "Lists the GPUs of which enough is known");
    app.add_option("--space", r.space, "A file with the lines of the space, without //@");
    app.add_option("--set", r.set, "NAME=V,V,...: other values of a macro or size");
    app.add_option("--where", r.where, "A further condition, such as 'BLOCK_X >= 32'");
    app.add_option("--sample", r.sample, "At most so many configurations, drawn at random")
        ->check(CLI::PositiveNumber);
    app.add_option("--seed", r.seed, "Of the draw");
    app.add_option("--keep", r.keep, "The fraction to measure");
    app.add_option("--tolerance", r.tolerance,
                   "Times that differ by less are a tie, as a fraction");
    app.add_option("--rows", r.rows, "At most so many rows of the table");
    app.add_option("--jobs", r.jobs, "Threads")->check(CLI::Range(1, 1024));
    app.add_option("--arch", r.arch, "sm_80: compiles for this one, not for the device's own");
    app.add_option("--nvcc", r.nvcc, "The compiler");
    app.add_option("--option", r.options,
                   "A further option of nvcc, such as --option=-use_fast_math");
    app.add_option("--cache", r.cache, "Folder of what was compiled");
    app.add_flag("--no-cache", r.no_cache, "Compiles all and keeps nothing");
    app.add_option("--blocks", r.blocks,
                   "Follows one middle block, or one of each kind; middle where the space says "
                   "what is loaded and stored")
        ->check(CLI::IsMember({"middle", "representative"}));
    app.add_flag("--machine-code", r.machine_code,
                 "Counts what ptxas makes of the PTX, not the PTX");
    app.add_flag("--simulate", r.simulate,
                 "Ranks by a simulation of the machine code, not by the closed form");
    app.add_option("--max-steps", r.max_steps, "Of a trace: instructions of all its warps");
    app.add_option("--json", r.json,
                   "Writes all configurations in order; -: in place of the table");
    app.add_option("--svg", r.svg, "Draws the predicted order");
    CLI11_PARSE(app, argc, argv);
    if (r.devices) {
        list_devices();
        return 0;
    }
    if (r.source.empty() || r.device.empty()) {
        std::cerr << "A kernel and --device are needed; --help says more\n";
        return 1;
    }
    return tune(r);
}
