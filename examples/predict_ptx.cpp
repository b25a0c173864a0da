// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a kernel's PTX and a launch to what it does and how long it takes, without a GPU.
//
//   predict_ptx FILE.ptx --kernel NAME --grid X,Y,Z --block X,Y,Z [--arg n=4096 ...] [--device NAME ...]
//               [--model NAME ...]
//
// Without --model, each GPU is predicted by its default model. A file of examples/kernels needs no folder. PTX does not keep the names of parameters: a name that it
// does not have stands for the next integer parameter, in order; a number is the parameter's place,
// from 0; `?` is a value that nothing is known of. Of a structure, `--arg 0+16:4=1024` is a field of 4 B from its byte 16
// on, and `--arg 0=x0001fe` all of its bytes; pointers in it that no field gives are arrays of their own. What ptxas -v
// says is read from FILE.ptxas, or from --ptxas.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <warpgauge/by_name.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace ptx = warpgauge::ptx;
namespace report = warpgauge::report;
using warpgauge::unit_kind;

struct request {
    std::string file, kernel, grid = "1", block = "1", ptxas;
    std::vector<std::string> arguments, devices, models, rounds, taken;
    std::uint64_t shared = 0;
    bool brief = false;
    bool all_blocks = false;
};

std::optional<std::string> read(const std::string& path) {
    for (const std::string& folder : {std::string(), std::string(KERNELS) + "/"}) {
        std::ifstream file(folder + path);
        if (file) return std::string(std::istreambuf_iterator<char>(file), {});
    }
    return std::nullopt;
}

// --- What the command line says

std::optional<std::int64_t> number(std::string_view text) {
    const bool negative = text.substr(0, 1) == "-";
    if (negative) text.remove_prefix(1);
    const bool hex = text.substr(0, 2) == "0x";
    if (hex) text.remove_prefix(2);
    std::uint64_t value = 0;
    const auto [end, bad] =
        std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
    if (bad != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return static_cast<std::int64_t>(negative ? 0 - value : value);
}

std::optional<ptx::extent> extent(const std::string& text) {
    std::array<std::uint32_t, 3> sides{1, 1, 1};
    std::size_t from = 0;
    for (std::uint32_t& side : sides) {
        const std::size_t to = text.find_first_of(",x", from);
        const auto n = number(std::string_view(text).substr(from, to - from));
        if (!n || *n < 0 || *n > 0x7fff'ffff) return std::nullopt;
        side = static_cast<std::uint32_t>(*n);
        if (to == std::string::npos) return ptx::extent{sides[0], sides[1], sides[2]};
        from = to + 1;
    }
    return std::nullopt;  // more than three
}

bool is_integer(const ptx::declaration& p) {
    return p.elements == 1 && !p.type.empty() &&
           (p.type[0] == 's' || p.type[0] == 'u' || p.type[0] == 'b');
}

// The parameter that a name on the command line stands for.
std::optional<std::size_t> place_of(std::string_view name,
                                    std::span<const ptx::declaration> parameters,
                                    const std::vector<ptx::argument>& given) {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (parameters[p].name == name) return p;
    }
    if (const auto place = number(name)) {
        const bool there = *place >= 0 && static_cast<std::size_t>(*place) < parameters.size();
        return there ? std::optional(static_cast<std::size_t>(*place)) : std::nullopt;
    }
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        const bool address = parameters[p].type == "u64" || parameters[p].type == "b64";
        const bool open = given[p].what() == ptx::argument::kind::not_given;
        if (open && is_integer(parameters[p]) && !address) return p;
    }
    return std::nullopt;
}

// What the arguments are views of.
struct bound {
    std::vector<ptx::argument> given{};
    std::map<std::size_t, std::vector<unsigned char>> bytes{};
    std::map<std::size_t, std::vector<ptx::argument_field>> fields{};
};

// `x0001fe`: bytes in the order of their addresses.
std::optional<std::vector<unsigned char>> bytes_of(std::string_view text) {
    if (text.size() < 3 || text[0] != 'x' || text.size() % 2 == 0) return std::nullopt;
    std::vector<unsigned char> bytes;
    for (std::size_t at = 1; at < text.size(); at += 2) {
        const auto byte = number("0x" + std::string(text.substr(at, 2)));
        if (!byte) return std::nullopt;
        bytes.push_back(static_cast<unsigned char>(*byte));
    }
    return bytes;
}

// `16:4`: where in a structure, and how many bytes.
std::optional<ptx::argument_field> field_of(std::string_view text, std::int64_t value) {
    const std::size_t colon = text.find(':');
    const auto offset = number(text.substr(0, colon));
    const auto bytes = number(colon == std::string_view::npos ? "4" : text.substr(colon + 1));
    if (!offset || !bytes || *offset < 0 || *offset > 4096 || *bytes < 1 || *bytes > 8) {
        return std::nullopt;
    }
    return ptx::argument_field{static_cast<std::uint32_t>(*offset),
                               static_cast<std::uint32_t>(*bytes),
                               static_cast<std::uint64_t>(value)};
}

bool bind_one(std::string_view name, std::string_view value,
              std::span<const ptx::declaration> parameters, bound& b) {
    const std::size_t plus = name.find('+');
    const auto place = place_of(name.substr(0, plus), parameters, b.given);
    if (!place) return false;
    const auto n = number(value);
    if (plus != std::string_view::npos) {
        const auto field = n ? field_of(name.substr(plus + 1), *n) : std::nullopt;
        if (!field) return false;
        b.fields[*place].push_back(*field);
        b.given[*place] = ptx::argument(std::span<const ptx::argument_field>(b.fields[*place]));
        return true;
    }
    if (const auto bytes = bytes_of(value)) {
        b.bytes[*place] = *bytes;
        b.given[*place] = ptx::argument(std::span<const unsigned char>(b.bytes[*place]));
        return true;
    }
    if (!n && value != "?") return false;
    b.given[*place] = n ? ptx::argument(*n) : ptx::argument::unknown();
    return true;
}

std::optional<bound> bind(const std::vector<std::string>& texts,
                          std::span<const ptx::declaration> parameters) {
    bound b{.given = std::vector<ptx::argument>(parameters.size())};
    for (const std::string& text : texts) {
        const std::size_t sign = text.find('=');
        const std::string value = sign == std::string::npos ? "" : text.substr(sign + 1);
        if (bind_one(std::string_view(text).substr(0, sign), value, parameters, b)) continue;
        std::cerr << "--arg " << text << ": no such parameter, or no integer\n";
        return std::nullopt;
    }
    return b;
}

std::optional<std::vector<ptx::hint>> hints_of(const request& r) {
    std::vector<ptx::hint> hints;
    for (const auto* list : {&r.rounds, &r.taken}) {
        for (const std::string& text : *list) {
            const std::size_t sign = text.find('=');
            char* end = nullptr;
            const double value =
                sign == std::string::npos ? -1 : std::strtod(text.c_str() + sign + 1, &end);
            if (end == nullptr || *end != '\0' || end == text.c_str() + sign + 1) {
                std::cerr << text << ": not LABEL=NUMBER\n";
                return std::nullopt;
            }
            ptx::hint h{.label = std::string_view(text).substr(0, sign)};
            if (const auto line = number(h.label); line && *line > 0) {
                h.label = {};
                h.source_line = static_cast<std::uint32_t>(*line);
            }
            (list == &r.rounds ? h.rounds : h.probability) = value;
            hints.push_back(h);
        }
    }
    return hints;
}

// --- What it prints

template <class Number>
std::string short_number(Number n) {
    const auto x = static_cast<double>(n);
    return report::fixed(x, x < 100 && x != static_cast<double>(static_cast<long>(x)) ? 2 : 0);
}

std::string name_of(const ptx::module& m, std::uint32_t file, std::uint32_t line,
                    const ptx::position& at) {
    for (const ptx::source_file& f : m.files) {
        if (f.number == file && line > 0) {
            return std::string(f.name) + ":" + std::to_string(line);
        }
    }
    return "PTX:" + std::to_string(at.line);
}

void print_mix(const ptx::traced_kernel& t) {
    report::table units({"unit", "instructions of a warp"});
    for (std::size_t u = 0; u < t.unit_insts.size(); ++u) {
        if (t.unit_insts[u] == 0) continue;
        units.add({name(static_cast<unit_kind>(u)), short_number(t.unit_insts[u])});
    }
    units.add({"all", short_number(t.warp_insts)});
    std::cout << units << report::fixed(t.active_lanes, 1) << " of 32 lanes active; "
              << t.warps_traced << " warps of " << t.blocks_traced << " blocks followed, for "
              << short_number(t.warps) << "\n\n";
}

// Accesses of one line of the source, of one kind and behaviour, together.
void print_accesses(const ptx::module& m, const ptx::traced_kernel& t) {
    struct sum {
        const ptx::memory_access* first{};
        double executions{}, lanes{};
    };
    std::vector<sum> sums;
    for (const ptx::memory_access& a : t.accesses) {
        const auto same = [&](const sum& s) {
            return s.first->opcode == a.opcode && s.first->source_line == a.source_line &&
                   s.first->source_file == a.source_file &&
                   s.first->transactions == a.transactions &&
                   s.first->min_transactions == a.min_transactions;
        };
        auto at = std::find_if(sums.begin(), sums.end(), same);
        if (at == sums.end()) at = sums.insert(at, {&a});
        at->executions += a.executions;
        at->lanes += a.executions * a.active_lanes;
    }
    report::table accesses(
        {"source", "access", "of a warp", "lanes", "transactions", "at best", "B moved"}, 2);
    for (const sum& s : sums) {
        const ptx::memory_access& a = *s.first;
        accesses.add({name_of(m, a.source_file, a.source_line, a.at), a.opcode,
                      short_number(s.executions), short_number(s.lanes / s.executions),
                      short_number(a.transactions) +
                          (a.unknown_address || a.unknown_base ? " (assumed)" : ""),
                      short_number(a.min_transactions),
                      a.unit == unit_kind::global_memory ? short_number(a.bytes_moved) : ""});
    }
    std::cout << accesses
              << "Transactions of global memory for each execution, passes of shared memory.\n\n";
}

void print_assumptions(const ptx::module& m, const ptx::traced_kernel& t, bool compiled) {
    std::cout << "Assumed:\n";
    std::cout << "  " << t.live_registers << " registers a thread, as many as are needed at a time"
              << (compiled ? ", on GPUs older than the PTX is for\n" : "\n");
    std::cout << "  arrays that no --arg places are apart, each aligned to 256 B\n";
    std::map<std::string, std::size_t> unknown_addresses, unknown_bases;
    for (const ptx::assumption& a : t.assumptions) {
        const std::string where = name_of(m, a.source_file, a.source_line, a.at);
        switch (a.what) {
            case ptx::assumed::branch:
                std::cout << "  " << where << ": " << report::fixed(100 * a.value, 0)
                          << (a.by_warp ? "% of warps go to " : "% of lanes go to ") << a.label
                          << " (--taken)\n";
                break;
            case ptx::assumed::loop:
                std::cout << "  " << where << ": the loop " << a.label << " runs "
                          << short_number(a.value) << " times (--rounds)\n";
                break;
            case ptx::assumed::predicate:
                std::cout << "  " << where << ": executed by " << report::fixed(100 * a.value, 0)
                          << (a.by_warp ? "% of warps\n" : "% of lanes\n");
                break;
            case ptx::assumed::table:
                std::cout << "  " << where << ": the first case of a table\n";
                break;
            case ptx::assumed::address: ++unknown_addresses[where]; break;
            case ptx::assumed::base: ++unknown_bases[where]; break;
            case ptx::assumed::callee:
                std::cout << "  " << where << ": a function that is not in the text, not counted\n";
                break;
            case ptx::assumed::copy:
                std::cout << "  " << where << ": a copy moves " << short_number(a.value) << " B\n";
                break;
            case ptx::assumed::arrival:
                std::cout << "  " << where << ": what a barrier waits for has come\n";
                break;
            case ptx::assumed::product:
                std::cout << "  " << where << ": a matrix product of " << short_number(a.value)
                          << " multiply-adds\n";
                break;
            case ptx::assumed::texels:
                std::cout << "  " << where << ": texels of neighbouring lanes side by side\n";
                break;
        }
    }
    for (const auto& [where, count] : unknown_addresses) {
        std::cout
            << "  " << where << ": " << count << (count == 1 ? " access" : " accesses")
            << " whose address depends on data: a transaction for each lane, no bank conflict\n";
    }
    for (const auto& [where, count] : unknown_bases) {
        std::cout << "  " << where << ": " << count << (count == 1 ? " access" : " accesses")
                  << " of lanes side by side from where data says: from a multiple of 128 B on\n";
    }
}

// --- Models

// The table of GPUs: a column for each model, and what limits the first of them.
class prediction_table {
public:
    explicit prediction_table(std::vector<std::string> models) : models_(std::move(models)) {}

    // The kernel is followed anew for each GPU, by the rules of its memory.
    template <class Device>
    void add(const Device& d, const ptx::traced_kernel& t, const warpgauge::kernel_profile<>& k) {
        row r{.cells = {std::string(d.name), "", "", ""}};
        const double requests = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
        if (requests > 0) r.cells[1] = short_number(t.bytes_moved / requests);
        if constexpr (warpgauge::occupancy_device<Device>) {
            const auto o = warpgauge::occupancy(k, d);
            r.cells[2] = o ? short_number(o->active_blocks_per_sm * o->warps_per_block) : "none";
            r.cells[3] = o ? std::string(name(o->limiter)) : "too large a block";
        }
        // region: by_name
        const warpgauge::any_device gpu = completed(d);
        const auto by_default = std::string(warpgauge::default_model_name(gpu));
        for (const std::string& model : models_.empty() ? std::vector{by_default} : models_) {
            const auto p = warpgauge::predict(model, gpu, k);
            // endregion
            if (!p && p.error().code == warpgauge::errc::unknown_name) unknown_ = model;
            if (!p) continue;
            r.seconds[model] = p->seconds;
            if (r.limit.empty()) r.limit = p->limited_by;
            for_each_assumption(p->assumed, [&](warpgauge::assumption a) { note(model, a); });
        }
        rows_.push_back(r);
    }

    // Of --model, what no model is called; empty if all are known.
    [[nodiscard]] const std::string& unknown() const { return unknown_; }

    void print() const {
        std::vector<std::string> columns;
        for (const std::string_view model : warpgauge::model_names) {
            const auto used = [&](const row& r) { return r.seconds.count(std::string(model)) > 0; };
            if (std::any_of(rows_.begin(), rows_.end(), used)) columns.emplace_back(model);
        }
        std::vector<std::string> heading{"GPU", "B/access", "warps/SM", "limited by"};
        heading.insert(heading.end(), columns.begin(), columns.end());
        heading.emplace_back("what limits");
        report::table t(heading);
        for (const row& r : rows_) {
            std::vector<std::string> cells = r.cells;
            for (const std::string& model : columns) {
                const auto at = r.seconds.find(model);
                cells.push_back(at == r.seconds.end() ? "" : report::duration(at->second));
            }
            cells.push_back(r.limit);
            t.add_row(cells);
        }
        std::cout << t;
        for (const auto& [model, notes] : notes_) {
            for (const std::string& text : notes) std::cout << model << ": " << text << '\n';
        }
    }

private:
    struct row {
        std::vector<std::string> cells{};
        std::map<std::string, double> seconds{};  // by model
        std::string limit{};
    };

    // Table 1 of Cheng & Suda 2011 lists arithmetic and memory; the rest is taken as an addition.
    template <class Device>
    static warpgauge::any_device completed(const Device& device) {
        auto d = warpgauge::edit(device);
        if constexpr (warpgauge::has_computation_costs<Device>) {
            d.costs.other_cycles = d.costs.arithmetic[0].int_register;
        }
        return warpgauge::any_device(d);
    }

    void note(const std::string& model, warpgauge::assumption a) {
        std::string text(name(a));
        if (a == warpgauge::assumption::costs_of_others) text += ", that of an addition";
        auto& notes = notes_[model];
        if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
    }

    std::vector<std::string> models_;
    std::vector<row> rows_;
    std::map<std::string, std::vector<std::string>> notes_;  // what a model took for granted
    std::string unknown_;
};

// What ptxas says of the same source for a GPU of that capability: of matmul.sm_90.ptxas, beside matmul.sm_75.ptx.
auto compiled_for(const request& r, warpgauge::compute_capability c, std::string_view kernel) {
    std::filesystem::path file(r.file);
    file.replace_extension();  // .ptx, and of what is left .sm_75
    file.replace_extension(".sm_" + std::to_string(10 * c.major + c.minor) + ".ptxas");
    return ptx::read_resources(r.ptxas.empty() ? read(file.string()).value_or("") : "", kernel);
}

int predict(const request& r) {
    const auto text = read(r.file);
    if (!text) {
        std::cerr << r.file << ": cannot be read\n";
        return 1;
    }
    const auto fail = [&](const warpgauge::model_error& e) {
        std::cerr << r.file << ": " << message(e).view() << '\n';
        return 1;
    };
    const auto m = ptx::parse(*text);
    if (!m) return fail(m.error());
    const auto kernel = ptx::find_kernel(*m, r.kernel);
    if (!kernel) {
        std::cerr << r.file << ": " << message(kernel.error(), *m).view() << '\n';
        return 1;
    }
    const ptx::function& f = m->functions[kernel->function];
    const auto grid = extent(r.grid);
    const auto block = extent(r.block);
    if (!grid || !block) {
        std::cerr << "--grid and --block take one to three numbers, with commas\n";
        return 1;
    }
    const ptx::launch launch{*grid, *block, r.shared};
    const auto arguments = bind(r.arguments, m->parameters(f));
    const auto hints = hints_of(r);
    if (!arguments || !hints) return 1;
    const std::string beside = std::filesystem::path(r.file).replace_extension(".ptxas").string();
    const auto compiled =
        ptx::read_resources(read(r.ptxas.empty() ? beside : r.ptxas).value_or(""), f.name);
    if (!compiled && !r.ptxas.empty()) return fail(compiled.error());

    prediction_table predictions(r.models);
    bool first = true;
    for (const std::string& name : r.devices) {
        std::optional<warpgauge::model_error> error;
        const bool known = warpgauge::devices::visit(name, [&](const auto& device) {
            // region: trace
            ptx::trace_options options{.hints = *hints};
            if constexpr (requires { device.capability; }) options.capability = device.capability;
            if (r.all_blocks) options.blocks = ptx::sampling::all;
            const auto t = ptx::trace(*kernel, launch, arguments->given, options);
            if (!t) {
                error = t.error();
                return;
            }
            // What the compiler says is true of the GPUs that it compiled for. What it says for this GPU goes first.
            const auto own = compiled_for(r, t->capability, f.name);
            const bool applies = compiled && t->capability >= ptx::target_of(*m);
            const auto k = own ? t->profile(*own) : applies ? t->profile(*compiled) : t->profile();
            // endregion
            if (first) {
                std::cout << f.name << ", " << short_number(k.blocks) << " blocks of "
                          << short_number(k.threads_per_block) << " threads, "
                          << (compiled ? short_number(compiled->registers_per_thread)
                                       : short_number(t->live_registers))
                          << " registers, " << short_number(k.shared_bytes_per_block)
                          << " B shared\n\n";
                if (!r.brief) {
                    print_mix(*t);
                    print_accesses(*m, *t);
                    print_assumptions(*m, *t, compiled.has_value());
                    std::cout << '\n';
                }
            }
            first = false;
            predictions.add(device, *t, k);
        });
        if (!known) {
            std::cerr << name << ": no such device; known:\n";
            warpgauge::devices::for_each(
                [](const auto& device) { std::cerr << "  " << device.name << '\n'; });
            return 1;
        }
        if (error) {
            std::cerr << r.file << ": " << message(*error, *kernel).view() << '\n';
            return 1;
        }
    }
    if (!predictions.unknown().empty()) {
        std::cerr << "--model " << predictions.unknown() << ": no such model; known:\n";
        for (const std::string_view model : warpgauge::model_names) {
            std::cerr << "  " << model << '\n';
        }
        return 1;
    }
    predictions.print();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Says what a kernel does and how long it takes, from its PTX and a launch."};
    request r;
    app.add_option("FILE", r.file, "PTX, as nvcc -ptx writes it")->required();
    app.add_option("--kernel", r.kernel, "of several, which");
    app.add_option("--grid", r.grid, "blocks: X or X,Y or X,Y,Z")->required();
    app.add_option("--block", r.block, "threads: X or X,Y or X,Y,Z")->required();
    app.add_option("--arg", r.arguments, "NAME=INTEGER, or NAME=?");
    app.add_option("--shared", r.shared, "B of shared memory besides what the kernel declares");
    app.add_option("--device", r.devices, "by name; what the kernel does is shown for the first");
    app.add_option("--model", r.models, "by name: saturation, mwp_cwp, hybrid, ...");
    app.add_option("--ptxas", r.ptxas, "what ptxas -v has written");
    app.add_option("--rounds", r.rounds, "LABEL=N: rounds of a loop that data decides");
    app.add_option("--taken", r.taken, "LABEL=P: share of lanes that go there, where data decides");
    app.add_flag("--brief", r.brief, "the table of GPUs alone");
    app.add_flag("--all-blocks", r.all_blocks, "follow every block, not one of each kind");
    CLI11_PARSE(app, argc, argv);
    if (r.devices.empty()) {
        r.devices = {"GeForce RTX 2070 SUPER", "A100 SXM4 40GB", "H100 SXM5", "L40"};
    }
    return predict(r);
}
