// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a GPU kernel takes, and why, from its PTX and a launch. `warpgauge --help` lists the subcommands.
#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

#include <warpgauge/core/version.hpp>

#include "answer.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "launch.hpp"
#include "text.hpp"

namespace program {

namespace {

// What the command line says, before it is put together with a file of launches.
struct command_line {
    request asked{};
    output_options output{};
    std::string launch_path{};
    std::vector<std::string> files{}, blocks{};  // of `rank`
};

using strings = std::vector<std::string>;

// One word behind each of its occurrences.
void add_list(CLI::App& to, const char* names, strings& list, const char* says, const char* shown) {
    to.add_option(names, list, says)->allow_extra_args(false)->type_name(shown);
}

void add_text(CLI::App& to, const char* names, std::string& text, const char* says,
              const char* shown) {
    to.add_option(names, text, says)->type_name(shown);
}

void add_output(CLI::App& to, command_line& c, bool draws) {
    CLI::Option* json = to.add_flag("--json", c.output.json, "write JSON");
    to.add_flag("--csv", c.output.csv, "write comma-separated values")->excludes(json);
    if (draws) add_text(to, "--svg", c.output.svg, "draw the result", "FILE");
}

void add_arguments(CLI::App& to, launch_request& l) {
    add_text(to, "--kernel", l.kernel,
             "the kernel, if FILE has several: its name in the source, or its symbol", "NAME");
    add_text(to, "--grid", l.grid, "blocks", "X,Y,Z");
    add_text(to, "--threads", l.threads, "in place of --grid: threads of all blocks", "X,Y,Z");
    add_text(to, "--shared", l.shared, "dynamic shared memory of a block", "BYTES");
    add_list(
        to, "--arg", l.arguments,
        "an integer argument: by the name or index of its parameter, or the next one; ?: unknown",
        "NAME=VALUE");
    add_list(to, "-D,--define", l.macros, "a macro, to compile CUDA source with", "NAME=VALUE");
    add_text(to, "--arch", l.architecture, "to compile CUDA source for, else sm_75", "sm_NN");
    add_text(to, "--ptxas", l.ptxas, "the output of ptxas -v", "FILE");
    add_list(to, "--rounds", l.rounds, "rounds of a loop that depends on data", "LABEL=N");
    add_list(to, "--taken", l.taken, "fraction of lanes that jump at a branch that depends on data",
             "LABEL=P");
    to.add_flag("--all-blocks", l.all_blocks, "follow every block, not one of each kind");
}

void add_launch(CLI::App& to, command_line& c) {
    launch_request& l = c.asked.launch;
    add_text(to, "file", l.file, "PTX, as nvcc -ptx writes it, or CUDA source", "FILE");
    add_text(to, "--launch", c.launch_path, "launch, GPUs and models as JSON; options override it",
             "FILE");
    add_text(to, "--block", l.block, "threads of a block", "X,Y,Z");
    add_arguments(to, l);
}

void add_gpus(CLI::App& to, command_line& c, const char* says) {
    add_list(to, "--device", c.asked.devices, says, "GPU");
}

void add_models(CLI::App& to, command_line& c, const char* says) {
    add_list(to, "--model", c.asked.models, says, "MODEL");
}

CLI::App* add_command(CLI::App& app, const char* name, const char* says) {
    CLI::App* command = app.add_subcommand(name, says);
    command->get_formatter()->column_width(26);
    return command;
}

constexpr const char* four_gpus = "a GPU by name, may be repeated; else four";
constexpr const char* own_model = "a model by name, may be repeated; else the GPU's default";

void add_commands(CLI::App& app, command_line& c) {
    CLI::App* predict = add_command(app, "predict", "How long a kernel takes, and what limits it");
    add_launch(*predict, c);
    add_gpus(*predict, c, four_gpus);
    add_models(*predict, c, own_model);
    predict->add_flag("--details", c.asked.details,
                      "the instructions and accesses of its warps, and what is assumed");
    add_output(*predict, c, true);

    CLI::App* compare = add_command(app, "compare", "Times by several models, a column for each");
    add_launch(*compare, c);
    add_gpus(*compare, c, four_gpus);
    add_models(*compare, c, "a model by name, may be repeated; else all");
    add_output(*compare, c, true);

    CLI::App* explain = add_command(
        app, "explain", "What limits a kernel, what would limit it next, and the gains");
    add_launch(*explain, c);
    add_gpus(*explain, c, "the GPU, by name");
    add_models(*explain, c, "the model, by name; else the GPU's default");
    add_output(*explain, c, true);

    CLI::App* what_if = add_command(app, "what-if", "How long it would take on a changed GPU");
    add_launch(*what_if, c);
    add_gpus(*what_if, c, "the GPU, by name");
    add_models(*what_if, c, "the model, by name; else the GPU's default");
    add_list(*what_if, "--set", c.asked.set,
             "a parameter of the GPU or the kernel: a new value, or 2x; each alone, then all",
             "NAME=VALUE");
    add_output(*what_if, c, true);

    CLI::App* occupancy =
        add_command(app, "occupancy", "Resident blocks, what limits them, what adds one");
    add_launch(*occupancy, c);
    add_text(*occupancy, "--registers", c.asked.registers, "without FILE: registers of a thread",
             "N");
    add_gpus(*occupancy, c, four_gpus);
    add_output(*occupancy, c, false);

    CLI::App* sensitivity =
        add_command(app, "sensitivity", "How the time depends on each parameter");
    add_launch(*sensitivity, c);
    add_gpus(*sensitivity, c, "the GPU, by name");
    add_models(*sensitivity, c, "the model, by name; else the GPU's default");
    add_output(*sensitivity, c, true);

    CLI::App* roofline =
        add_command(app, "roofline", "How close a kernel is to the roofs of a GPU");
    add_launch(*roofline, c);
    add_gpus(*roofline, c, "the GPU, by name");
    add_models(*roofline, c, "the model of the time, may be repeated; else the GPU's default");
    add_output(*roofline, c, true);

    CLI::App* timeline = add_command(app, "timeline", "What one SM does, cycle by cycle");
    add_launch(*timeline, c);
    add_gpus(*timeline, c, "the GPU, by name; one that the model \"hybrid\" takes");
    add_output(*timeline, c, true);

    CLI::App* rank = add_command(app, "rank", "Launches by predicted time, and which to measure");
    rank->add_option("files", c.files, "PTX or CUDA source: each with each --block")
        ->type_name("FILE");
    add_text(*rank, "--launches", c.launch_path, "an array of launches as JSON", "FILE");
    add_list(*rank, "--block", c.blocks, "threads of a block", "X,Y,Z");
    add_arguments(*rank, c.asked.launch);
    add_gpus(*rank, c, "the GPU, by name");
    add_models(*rank, c, "the model, by name; else the GPU's default");
    rank->add_option("--keep", c.asked.keep, "the fraction to measure")
        ->type_name("P")
        ->capture_default_str();
    rank->add_option("--jobs", c.asked.jobs, "threads; else one for each processor")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    add_text(*rank, "--kernel-tuner", c.asked.tuner,
             "a cache or T4 results: FILE is compiled with the macros of each configuration",
             "FILE");
    add_text(*rank, "--problem-size", c.asked.problem_size, "if the record does not have it",
             "X,Y,Z");
    add_list(*rank, "--restriction", c.asked.restrictions,
             "keep only configurations that fulfil it, as in Kernel Tuner", "EXPRESSION");
    const auto divisors = [&](const char* name, strings& list) {
        rank->add_option(name, list, "parameters that divide the problem; else the block's side")
            ->delimiter(',')
            ->allow_extra_args(false)
            ->type_name("NAME,NAME");
    };
    divisors("--grid-div-x", c.asked.divisors.x);
    divisors("--grid-div-y", c.asked.divisors.y);
    divisors("--grid-div-z", c.asked.divisors.z);
    add_output(*rank, c, true);

    CLI::App* kernels = add_command(app, "kernels", "The kernels of a file, and their parameters");
    add_text(*kernels, "file", c.asked.launch.file, "PTX, or CUDA source", "FILE");
    add_output(*kernels, c, false);

    CLI::App* devices = add_command(app, "devices", "The GPUs, or the parameters of one");
    add_text(*devices, "gpu", c.asked.device, "by name; without it, all GPUs", "GPU");
    add_output(*devices, c, false);
}

// The launches of a file, and what the options say of each.
void read_launches(command_line& c, bool several) {
    request& r = c.asked;
    launch_file file;
    if (!c.launch_path.empty()) file = read_launch_file(c.launch_path);
    if (r.devices.empty()) r.devices = file.devices;
    if (r.models.empty()) r.models = file.models;
    if (!several) {
        if (file.launches.size() > 1) {
            fail_usage(c.launch_path + ": has several launches; warpgauge rank takes them");
        }
        if (!file.launches.empty()) r.launch = completed(r.launch, file.launches[0]);
        return;
    }
    for (const launch_request& one : file.launches) r.launches.push_back(completed(r.launch, one));
    for (const std::string& path : c.files) {
        for (const std::string& block : c.blocks.empty() ? strings{""} : c.blocks) {
            launch_request one = r.launch;
            one.file = path;
            one.block = block;
            r.launches.push_back(one);
        }
    }
}

answer answer_to(const CLI::App& app, command_line& c) {
    c.asked.picture = !c.output.svg.empty();
    const auto is = [&](const char* name) { return app.got_subcommand(name); };
    if (is("devices")) return devices(c.asked);
    if (is("kernels")) return kernels(c.asked);
    read_launches(c, is("rank"));
    if (is("predict")) return predict(c.asked);
    if (is("compare")) return compare(c.asked);
    if (is("explain")) return explain(c.asked);
    if (is("what-if")) return what_if(c.asked);
    if (is("occupancy")) return occupancy(c.asked);
    if (is("sensitivity")) return sensitivity(c.asked);
    if (is("roofline")) return roofline(c.asked);
    if (is("timeline")) return timeline(c.asked);
    return rank(c.asked);
}

// The first word names a subcommand, or is an option.
void check_subcommand(const CLI::App& app, const std::string& word) {
    strings names;
    for (const CLI::App* command : app.get_subcommands(nullptr)) {
        names.push_back(command->get_name());
        if (names.back() == word) return;
    }
    if (word.empty() || word[0] == '-') return;
    const std::string near = perhaps(word, names);
    fail_usage(word + ": no such subcommand" +
               (near.empty() ? "; the subcommands are " + joined(names) : near));
}

int run(int argc, char** argv) {
    CLI::App app("How long a GPU kernel takes, without running it.", "warpgauge");
    app.set_version_flag("--version", "warpgauge " + std::to_string(WARPGAUGE_VERSION_MAJOR) + "." +
                                          std::to_string(WARPGAUGE_VERSION_MINOR) + "." +
                                          std::to_string(WARPGAUGE_VERSION_PATCH));
    app.require_subcommand(1);
    command_line c;
    c.asked.jobs = std::max(1U, std::thread::hardware_concurrency());
    add_commands(app, c);
    if (argc > 1) check_subcommand(app, argv[1]);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? success : usage_failure;
    }
    const answer a = answer_to(app, c);
    if (!a.nothing_predicted) {
        write(std::cout, a, c.output);
        return success;
    }
    const std::string& file = c.asked.launch.file;
    for (const std::string& note : a.notes) {
        std::cerr << (file.empty() ? "" : file + ": ") << note << '\n';
    }
    return model_failure;
}

}  // namespace

}  // namespace program

int main(int argc, char** argv) {
    try {
        return program::run(argc, argv);
    } catch (const program::failure& e) {
        std::cerr << e.text << '\n';
        return e.status;
    } catch (const std::exception& e) {
        std::cerr << "warpgauge: " << e.what() << '\n';
        return program::model_failure;
    }
}
