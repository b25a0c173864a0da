// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launches.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>

namespace cost_pass {

namespace {

namespace json = llvm::json;
using extent = std::array<std::uint32_t, 3>;

// 64, or [64, 64].
std::optional<extent> extent_of(const json::Value* v) {
    if (v == nullptr) return std::nullopt;
    const json::Array one{*v};
    const json::Array& given = v->getAsArray() != nullptr ? *v->getAsArray() : one;
    extent sides{1, 1, 1};
    if (given.empty() || given.size() > sides.size()) return std::nullopt;
    for (std::size_t n = 0; n < given.size(); ++n) {
        const auto side = given[n].getAsInteger();
        if (!side || *side < 1 || *side > 0x7fff'ffff) return std::nullopt;
        sides[n] = static_cast<std::uint32_t>(*side);
    }
    return sides;
}

extent blocks_for(const extent& threads, const extent& block) {
    extent blocks{};
    for (std::size_t n = 0; n < blocks.size(); ++n) blocks[n] = (threads[n] - 1) / block[n] + 1;
    return blocks;
}

// What is wrong with a launch; empty if nothing is.
std::string read_launch(const json::Value& v, kernel_launch& to) {
    const json::Object* o = v.getAsObject();
    if (o == nullptr) return "a launch has to be an object";
    if (const auto name = o->getString("kernel")) to.kernel = name->str();
    const auto block = extent_of(o->get("block"));
    if (!block) return "block has to be one to three numbers";
    const auto grid = extent_of(o->get("grid"));
    const auto threads = extent_of(o->get("threads"));
    if (!grid && !threads) return "grid has to be one to three numbers, or threads";
    to.block = *block;
    to.grid = grid ? *grid : blocks_for(*threads, *block);
    const auto shared = o->getInteger("shared_bytes");
    if (o->get("shared_bytes") != nullptr && (!shared || *shared < 0)) {
        return "shared_bytes has to be a number";
    }
    if (shared) to.shared_bytes = static_cast<std::uint64_t>(*shared);
    const json::Array* arguments = o->getArray("arguments");
    if (o->get("arguments") != nullptr && arguments == nullptr) {
        return "arguments has to be an array";
    }
    if (arguments == nullptr) return "";
    for (const json::Value& a : *arguments) {
        const auto n = a.getAsInteger();
        to.arguments.push_back(n ? std::optional(*n) : std::nullopt);
    }
    return "";
}

}  // namespace

const kernel_launch* launch_list::of(std::string_view kernel) const {
    const auto named = [&](std::string_view name) {
        return std::find_if(all.begin(), all.end(),
                            [&](const kernel_launch& l) { return l.kernel == name; });
    };
    auto found = named(kernel);
    if (found == all.end()) found = named("");
    return found == all.end() ? nullptr : &*found;
}

launch_list read_launches(std::string_view text_or_path) {
    std::string text(text_or_path);
    if (text.empty()) return {};
    if (text.find_first_of("{[") != 0) {
        const auto file = llvm::MemoryBuffer::getFile(text);
        if (!file) return {.error = text + ": " + file.getError().message()};
        text = (*file)->getBuffer().str();
    }
    auto parsed = json::parse(text);
    if (!parsed) return {.error = llvm::toString(parsed.takeError())};
    const json::Array one{*parsed};
    launch_list to;
    for (const json::Value& v : parsed->getAsArray() != nullptr ? *parsed->getAsArray() : one) {
        to.error = read_launch(v, to.all.emplace_back());
        if (!to.error.empty()) break;
    }
    return to;
}

}  // namespace cost_pass
