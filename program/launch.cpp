// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "failure.hpp"
#include "text.hpp"

namespace program {

namespace {

using json = nlohmann::ordered_json;
namespace ptx = warpgauge::ptx;

// One member of a launch, with what an error names: "launches.json: launch 2: grid".
class member {
public:
    member(std::string where, const json& held) : where_(std::move(where)), held_(held) {}

    [[noreturn]] void refuse(const std::string& expected) const {
        fail_usage(where_ + " has to be " + expected);
    }

    // A number or a text, as the command line would have it.
    [[nodiscard]] std::string text() const {
        if (held_.is_string()) return held_.get<std::string>();
        if (held_.is_number()) return held_.dump();
        refuse("a text or a number");
    }

    // "16,8" of [16, 8].
    [[nodiscard]] std::string extent() const {
        if (!held_.is_array()) return text();
        std::string joined;
        for (const json& side : held_) {
            joined += (joined.empty() ? "" : ",") + member(where_, side).text();
        }
        return joined;
    }

    [[nodiscard]] std::vector<std::string> texts() const {
        if (!held_.is_array()) return {text()};
        std::vector<std::string> all;
        for (const json& one : held_) all.push_back(member(where_, one).text());
        return all;
    }

    // "NAME=VALUE" of each member of an object.
    [[nodiscard]] std::vector<std::string> pairs(const std::string& expected = "an object") const {
        if (!held_.is_object()) refuse(expected);
        std::vector<std::string> all;
        for (const auto& [name, one] : held_.items()) {
            all.push_back(name + "=" + member(where_ + "." + name, one).text());
        }
        return all;
    }

    // The same; of an array, which has the values of all parameters in order, "PLACE=VALUE" where it is not null.
    [[nodiscard]] std::vector<std::string> arguments() const {
        if (!held_.is_array()) return pairs("an object, or an array of the values in order");
        std::vector<std::string> all;
        for (std::size_t n = 0; n < held_.size(); ++n) {
            if (held_[n].is_null()) continue;
            const std::string place = std::to_string(n);
            const member one(where_ + "[" + place + "]", held_[n]);
            const std::string value = one.text();
            if (value.find('=') != std::string::npos)
                one.refuse("a value; names go into an object");
            all.push_back(place + "=" + value);
        }
        return all;
    }

    [[nodiscard]] bool is_object() const { return held_.is_object(); }

    [[nodiscard]] bool yes() const {
        if (!held_.is_boolean()) refuse("true or false");
        return held_.get<bool>();
    }

private:
    std::string where_;
    const json& held_;
};

const std::vector<std::string> member_names{
    "name",   "file",  "kernel", "grid",       "block",   "threads", "shared_bytes", "arguments",
    "rounds", "taken", "ptxas",  "all_blocks", "devices", "models",  "defines",      "arch"};

std::string beside(const std::string& path, const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    return std::filesystem::path(file).is_absolute() ? file : (folder / file).string();
}

void read_member(const std::string& path, const std::string& name, const member& m,
                 launch_request& to, launch_file& all) {
    if (name == "name") to.name = m.text();
    if (name == "file") to.file = beside(path, m.text());
    if (name == "kernel") to.kernel = m.text();
    if (name == "grid") to.grid = m.extent();
    if (name == "block") to.block = m.extent();
    if (name == "threads") to.threads = m.extent();
    if (name == "shared_bytes") to.shared = m.text();
    if (name == "arguments") to.arguments = m.arguments();
    if (name == "arguments") to.unordered_arguments = m.is_object();
    if (name == "rounds") to.rounds = m.pairs();
    if (name == "taken") to.taken = m.pairs();
    if (name == "ptxas") to.ptxas = beside(path, m.text());
    if (name == "defines") to.macros = m.pairs();
    if (name == "arch") to.architecture = m.text();
    if (name == "all_blocks") to.all_blocks = m.yes();
    if (name == "devices") all.devices = m.texts();
    if (name == "models") all.models = m.texts();
}

void read_launch(const std::string& path, const std::string& where, const json& object,
                 launch_file& to) {
    if (!object.is_object()) fail_usage(where + " has to be an object");
    launch_request r;
    for (const auto& [name, held] : object.items()) {
        if (std::find(member_names.begin(), member_names.end(), name) == member_names.end()) {
            fail_usage(where + ": " + name + " is not known" + perhaps(name, member_names));
        }
        read_member(path, name, member(where + ": " + name, held), r, to);
    }
    to.launches.push_back(r);
}

// "line 1, column 12" of a place in a text.
std::string place_in(std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1) + 1;
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::uint32_t blocks_for(std::uint32_t threads, std::uint32_t of_block) {
    return of_block == 0 ? 0 : threads / of_block + (threads % of_block != 0 ? 1U : 0U);
}

}  // namespace

launch_file read_launch_file(const std::string& path) {
    const auto text = text_of_file(path);
    if (!text) fail_usage(path + ": cannot be read");
    return launches_in(path, *text);
}

launch_file launches_in(const std::string& path, std::string_view text) {
    json all;
    try {
        all = json::parse(text);
    } catch (const json::parse_error& e) {
        const std::string what = e.what();  // "[json.exception...] parse error at line 1, ..."
        const std::size_t at = what.find("at line");
        fail_usage(path + ": is no JSON" + (at == std::string::npos ? "" : " " + what.substr(at)));
    } catch (const json::out_of_range& e) {
        const std::string what = e.what();  // "[json.exception...] number overflow parsing '1e999'"
        const std::size_t first = what.find('\'') + 1;
        const std::string number = what.substr(first, what.rfind('\'') - first);
        fail_usage(path + ": " + place_in(text, text.find(number)) + ": " + number +
                   " is too large");
    }
    launch_file to;
    if (!all.is_array()) {
        read_launch(path, path, all, to);
        return to;
    }
    for (std::size_t n = 0; n < all.size(); ++n) {
        read_launch(path, path + ": launch " + std::to_string(n + 1), all[n], to);
    }
    if (to.launches.empty()) fail_usage(path + ": has no launch");
    return to;
}

launch_request completed(launch_request given, const launch_request& otherwise) {
    const auto take = [](auto& to, const auto& from) {
        if (to.empty()) to = from;
    };
    take(given.name, otherwise.name);
    take(given.file, otherwise.file);
    take(given.kernel, otherwise.kernel);
    const bool no_grid = given.grid.empty() && given.threads.empty();
    if (no_grid) given.grid = otherwise.grid;
    if (no_grid) given.threads = otherwise.threads;
    take(given.block, otherwise.block);
    take(given.shared, otherwise.shared);
    if (given.arguments.empty()) given.unordered_arguments = otherwise.unordered_arguments;
    take(given.arguments, otherwise.arguments);
    take(given.rounds, otherwise.rounds);
    take(given.taken, otherwise.taken);
    take(given.ptxas, otherwise.ptxas);
    take(given.macros, otherwise.macros);
    take(given.architecture, otherwise.architecture);
    given.all_blocks = given.all_blocks || otherwise.all_blocks;
    return given;
}

ptx::extent extent_of(const std::string& option, const std::string& text) {
    std::array<std::uint32_t, 3> sides{1, 1, 1};
    std::size_t from = 0;
    for (std::uint32_t& side : sides) {
        const std::size_t to = text.find_first_of(",x", from);
        const auto n = integer_in(std::string_view(text).substr(from, to - from));
        if (!n || *n < 0 || *n > 0xffff'ffff) break;
        side = static_cast<std::uint32_t>(*n);
        if (to == std::string::npos) return {sides[0], sides[1], sides[2]};
        from = to + 1;
    }
    fail_usage(option + " " + text + ": takes one to three whole numbers, as 64,64");
}

ptx::launch launch_of(const launch_request& r) {
    ptx::launch l;
    if (r.block.empty()) fail_usage("--block is needed: threads of a block, as 256 or 16,16");
    l.block = extent_of("--block", r.block);
    if (!r.grid.empty() && !r.threads.empty())
        fail_usage("--grid and --threads: one of them is taken");
    if (!r.grid.empty()) {
        l.grid = extent_of("--grid", r.grid);
    } else if (!r.threads.empty()) {
        const ptx::extent all = extent_of("--threads", r.threads);
        l.grid = {blocks_for(all.x, l.block.x), blocks_for(all.y, l.block.y),
                  blocks_for(all.z, l.block.z)};
    } else {
        fail_usage("--grid is needed, or --threads: blocks, or threads of all blocks");
    }
    if (!r.shared.empty()) {
        const auto bytes = integer_in(r.shared);
        if (!bytes || *bytes < 0) fail_usage("--shared " + r.shared + ": takes a number of bytes");
        l.dynamic_shared_bytes = static_cast<std::uint64_t>(*bytes);
    }
    return l;
}

}  // namespace program
