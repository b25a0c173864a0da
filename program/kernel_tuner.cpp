// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_tuner.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "expression.hpp"
#include "failure.hpp"
#include "text.hpp"

namespace program {

namespace {

using json = nlohmann::ordered_json;

// A cache that a running tuner still appends to ends with a comma.
json parsed(const std::string& path) {
    auto text = text_of_file(path);
    if (!text) fail_usage(path + ": cannot be read");
    text->erase(text->find_last_not_of(" \t\r\n") + 1);
    if (!text->empty() && text->back() == ',') {
        text->back() = '}';
        *text += '}';
    }
    json all = json::parse(*text, nullptr, false);
    if (!all.is_object()) fail_usage(path + ": is no JSON object");
    return all;
}

std::string text_of(const json& held) {
    if (held.is_string()) return held.get<std::string>();
    if (held.is_boolean()) return held.get<bool>() ? "1" : "0";
    return held.dump();
}

double number_of(const json& object, const char* name) {
    const auto at = object.find(name);
    return at != object.end() && at->is_number() ? at->get<double>() : 0;
}

constexpr double ms = 1e-3;

// A result of a cache; an error stands in the place of the time.
tuned_configuration of_cache(const json& names, const json& result) {
    tuned_configuration c;
    for (const json& name : names) {
        const auto at = result.find(text_of(name));
        if (at != result.end()) c.parameters.emplace_back(text_of(name), text_of(*at));
    }
    c.seconds = ms * number_of(result, "time");
    for (const char* part : {"compile_time", "verification_time", "benchmark_time"}) {
        c.spent_seconds += ms * number_of(result, part);
    }
    return c;
}

tuned_configuration of_t4(const json& result) {
    tuned_configuration c;
    for (const auto& [name, held] : result.at("configuration").items()) {
        c.parameters.emplace_back(name, text_of(held));
    }
    if (result.value("invalidity", "correct") == "correct") {
        for (const json& m : result.value("measurements", json::array())) {
            if (m.value("name", "") == "time") c.seconds = ms * number_of(m, "value");
        }
    }
    const json times = result.value("times", json::object());
    for (const char* part : {"compilation", "compilation_time", "validation", "benchmark"}) {
        c.spent_seconds += ms * number_of(times, part);
    }
    return c;
}

std::string sides_of(const json& size) {
    if (!size.is_array()) return text_of(size);
    std::vector<std::string> sides;
    for (const json& side : size) sides.push_back(text_of(side));
    std::string all;
    for (const std::string& side : sides) all += (all.empty() ? "" : ",") + side;
    return all;
}

// The value of a parameter, which has to be a whole number above zero.
std::int64_t value_of(const tuned_configuration& c, const std::string& name) {
    for (const auto& [known, text] : c.parameters) {
        if (known != name) continue;
        const auto n = integer_in(text);
        if (!n || *n < 1 || *n > 0x7fff'ffff) {
            fail_model(name + "=" + text + ": has to be a whole number above zero");
        }
        return *n;
    }
    fail_usage("--grid-div: the record has no parameter " + name);
}

bool has(const tuned_configuration& c, const std::string& name) {
    return std::any_of(c.parameters.begin(), c.parameters.end(),
                       [&](const auto& parameter) { return parameter.first == name; });
}

std::string with_commas(const std::array<std::int64_t, 3>& sides) {
    return std::to_string(sides[0]) + "," + std::to_string(sides[1]) + "," +
           std::to_string(sides[2]);
}

}  // namespace

tuner_record read_tuner_record(const std::string& path) {
    const json all = parsed(path);
    tuner_record record;
    try {
        if (all.contains("cache")) {
            record.kernel = text_of(all.value("kernel_name", json("")));
            record.problem_size = sides_of(all.value("problem_size", json("")));
            for (const json& result : all.at("cache")) {
                record.configurations.push_back(of_cache(all.at("tune_params_keys"), result));
            }
        } else {
            for (const json& result : all.at("results")) {
                record.configurations.push_back(of_t4(result));
            }
        }
    } catch (const json::exception&) {
        fail_usage(path + ": is neither a cache of Kernel Tuner nor results in the T4 format");
    }
    if (record.configurations.empty()) fail_usage(path + ": has no configuration");
    return record;
}

void restrict_to(const std::string& restriction, tuner_record& record) {
    std::vector<std::string> names;
    for (const auto& parameter : record.configurations.at(0).parameters) {
        names.push_back(parameter.first);
    }
    std::string error;
    const auto holds = expression::read(restriction, names, error, expression::language::python);
    if (!holds) fail_usage("--restriction " + error);
    const auto broken = [&](const tuned_configuration& c) {
        std::vector<double> values(names.size());
        for (std::size_t n = 0; n < std::min(values.size(), c.parameters.size()); ++n) {
            values[n] = number_in(c.parameters[n].second)
                            .value_or(std::numeric_limits<double>::quiet_NaN());
        }
        return (*holds)(values).value_or(0) == 0;
    };
    auto& all = record.configurations;
    all.erase(std::remove_if(all.begin(), all.end(), broken), all.end());
    if (all.empty()) fail_usage("--restriction " + restriction + ": no configuration fulfils it");
}

launch_request launch_of(const tuned_configuration& c, const std::string& problem_size,
                         const grid_divisors& divisors, launch_request like) {
    const std::string names[] = {"block_size_x", "block_size_y", "block_size_z"};
    const std::vector<std::string>* lists[] = {&divisors.x, &divisors.y, &divisors.z};
    const auto problem = extent_of("--problem-size", problem_size);
    std::array<std::int64_t, 3> block{1, 1, 1};
    std::array<std::int64_t, 3> grid{problem.x, problem.y, problem.z};
    for (std::size_t d = 0; d < block.size(); ++d) {
        if (has(c, names[d])) block[d] = value_of(c, names[d]);
        std::int64_t by = lists[d]->empty() ? block[d] : 1;
        for (const std::string& name : *lists[d]) by *= value_of(c, name);
        grid[d] = (grid[d] - 1) / by + 1;
    }
    like.block = with_commas(block);
    like.grid = with_commas(grid);
    for (const auto& [name, text] : c.parameters) {
        like.macros.push_back(name + "=" + text);
        like.name += (like.name.empty() ? "" : " ") + like.macros.back();
    }
    return like;
}

}  // namespace program
