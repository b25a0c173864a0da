// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every file parses, and at least 95 of 100 kernels are followed to the end; for the others it prints the cause.
//   trace_files FILE...
// A launch has 8 blocks of 256 threads, or as many threads as the text allows; each integer that a kernel needs is 1000, or 100 if it has 8
// bits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/explain.hpp>
#include <warpgauge/ptx/trace/needed_arguments.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

namespace {

namespace ptx = warpgauge::ptx;

struct summary {
    int files{}, parsed{}, kernels{}, traced{}, assumed{};
    std::map<std::string, std::set<std::string>> failed{};  // kernels, by cause
};

ptx::launch launch_of(const ptx::function& f) {
    const auto& wanted = f.required_threads[0] != 0 ? f.required_threads : f.max_threads;
    const auto at = [&](std::size_t n) { return std::max(1U, wanted[n]); };
    if (wanted[0] == 0) return {{8}, {256}};
    return {{8}, {at(0), at(1), at(2)}};
}

ptx::argument value_of(std::string_view type) {
    return type.ends_with('8') ? ptx::argument(100) : ptx::argument(1000);
}

// Empty where it is followed to the end, else the reason.
std::string follow(const ptx::module& m, const ptx::module_index<>& index, const ptx::function& f,
                   summary& all) {
    const auto kernel = ptx::find_kernel(index, f.name);
    if (!kernel) return message(kernel.error()).c_str();
    const auto needed = ptx::needed_arguments(*kernel);
    if (!needed) return message(needed.error()).c_str();
    std::vector<ptx::argument> arguments;
    std::size_t n = 0;
    for (const ptx::declaration& d : m.parameters(f)) {
        arguments.push_back((*needed)[n++] ? value_of(d.type) : ptx::argument());
    }
    const auto t = ptx::trace(*kernel, launch_of(f), arguments);
    if (!t) return message(t.error()).c_str();
    all.assumed += t->assumptions.empty() ? 0 : 1;
    return {};
}

void follow_all(const std::string& path, summary& all) {
    ++all.files;
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto m = ptx::parse(text);
    if (!m) {
        std::cerr << path << ": " << message(m.error()).view() << '\n';
        return;
    }
    ++all.parsed;
    const ptx::module_index<> index(*m);
    for (const ptx::function& f : m->functions) {
        if (!f.is_kernel || !f.has_body) continue;
        ++all.kernels;
        const std::string cause = follow(*m, index, f, all);
        if (cause.empty()) {
            ++all.traced;
        } else {
            all.failed[cause].insert(path.substr(path.rfind('/') + 1) + " " + std::string(f.name));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    summary all;
    for (int i = 1; i < argc; ++i) follow_all(argv[i], all);
    for (const auto& [cause, kernels] : all.failed) {
        std::cout << kernels.size() << ": " << cause << '\n';
        for (const std::string& kernel : kernels) std::cout << "  " << kernel << '\n';
    }
    std::cout << all.parsed << " of " << all.files << " files parse; " << all.traced << " of "
              << all.kernels << " kernels are followed to the end, " << all.assumed
              << " of them with an assumption about data\n";
    const bool good = all.files > 0 && all.parsed == all.files && all.traced >= 0.95 * all.kernels;
    return good ? 0 : 1;
}
