// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every file parses, all of its opcodes are known, and it stays a module or an error with a position when
// it is cut off, a bit of it is flipped, or its lines are shuffled.
//   parse_files FILE...
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>

namespace {

int failures = 0;

bool survives(std::string_view text) {
    const auto m = warpgauge::ptx::parse(text);
    return m || (m.error().line > 0 && m.error().column > 0 && m.error());
}

std::string shuffled_lines(const std::string& text, std::mt19937& random) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        lines.back() += c;
        if (c == '\n') lines.emplace_back();
    }
    std::shuffle(lines.begin() + 3, lines.end(), random);
    std::string out;
    for (const std::string& line : lines) out += line;
    return out;
}

void check(const std::string& path, std::mt19937& random) {
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto m = warpgauge::ptx::parse(text);
    if (!m || m->unknown_opcodes != 0 || m->functions.empty() || m->instructions.empty()) {
        ++failures;
        std::cerr << path << ": "
                  << (m ? "empty, or with unknown opcodes" : message(m.error()).c_str()) << '\n';
        return;
    }
    const int rounds = text.size() < 100'000 ? 200 : 5;
    for (int i = 0; i < rounds; ++i) {
        std::string broken = text;
        const std::size_t at = random() % text.size();
        broken[at] = static_cast<char>(broken[at] ^ (1 << random() % 8));
        if (!survives(broken) || !survives(std::string_view(text).substr(0, at)) ||
            (i % 20 == 0 && !survives(shuffled_lines(text, random)))) {
            ++failures;
            std::cerr << path << ": an error without position, at byte " << at << '\n';
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::mt19937 random(20261121);  // printed by nobody, the same on every run
    for (int i = 1; i < argc; ++i) check(argv[i], random);
    std::cout << argc - 1 << " files, " << failures << " failures\n";
    return argc > 1 && failures == 0 ? 0 : 1;
}
