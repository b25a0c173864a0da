// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failure.hpp"
#include "text.hpp"

extern "C" char**
    environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to programs

namespace program {

namespace {

// The oldest architecture that today's compilers make, so that no GPU of theirs is left out.
constexpr std::string_view oldest = "75";

// 90a of "sm_90a".
std::string number_of(const std::string& architecture) {
    if (architecture.empty()) return std::string(oldest);
    const std::string number = architecture.rfind("sm_", 0) == 0 ? architecture.substr(3) : "";
    const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
    const bool is_one = digits >= 2 && number.size() - digits <= 1 &&
                        (digits == number.size() || (number.back() >= 'a' && number.back() <= 'z'));
    if (!is_one) fail_usage("--arch " + architecture + ": takes an architecture, as sm_90");
    return number;
}

// What clang has to know of CUDA's language where no CUDA is installed.
constexpr std::string_view keywords = R"(#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#include <__clang_cuda_builtin_vars.h>
)";

// A folder that is removed with what is in it.
class scratch_folder {
public:
    scratch_folder() {
        std::string name = (std::filesystem::temp_directory_path() / "warpgauge.XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) fail_usage(name + ": cannot be made");
        path_ = name;
    }
    ~scratch_folder() {
        std::error_code none;
        std::filesystem::remove_all(path_, none);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    [[nodiscard]] std::string file(const std::string& name) const {
        return (path_ / name).string();
    }

private:
    std::filesystem::path path_;
};

// The path of a program; empty if none of the names is one.
std::string program_called(const std::vector<std::string>& names) {
    const char* path = std::getenv("PATH");
    for (const std::string& name : names) {
        std::istringstream folders(path == nullptr ? "" : path);
        for (std::string folder; std::getline(folders, folder, ':');) {
            const std::string file = folder + "/" + name;
            if (access(file.c_str(), X_OK) == 0) return file;
        }
    }
    return "";
}

// Runs a program; what it prints goes to a file. Returns whether it succeeded.
bool run(const std::vector<std::string>& words, const std::string& log) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int bad =
        posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (bad != 0) return false;
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The first line of a log that says what is wrong.
std::string first_error(const std::string& log) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (line.find("error") != std::string::npos || line.find("fatal") != std::string::npos) {
            return line;
        }
    }
    return "the compiler failed";
}

}  // namespace

compiled_source compile_cuda(const std::string& source, const std::vector<std::string>& macros,
                             const std::string& architecture) {
    const std::string compute = number_of(architecture);
    const scratch_folder scratch;
    const std::string to = scratch.file("kernel.ptx");
    const std::string log = scratch.file("log");
    const std::string nvcc = program_called({"nvcc"});
    std::vector<std::string> words{nvcc, "-ptx", "-lineinfo", "-arch=compute_" + compute};
    if (nvcc.empty()) {
        const std::string prelude = scratch.file("keywords.h");
        const std::string clang = program_called({"clang++", "clang++-14"});
        if (clang.empty()) fail_usage(source + ": neither nvcc nor clang++ is on the path");
        write_file(prelude, std::string(keywords));
        words = {clang,
                 "-x",
                 "cuda",
                 "--cuda-device-only",
                 "--cuda-gpu-arch=sm_" + compute,
                 "-nocudainc",
                 "-nocudalib",
                 "-Wno-unknown-cuda-version",
                 "-gline-tables-only",
                 "-include",
                 prelude,
                 "-O3",
                 "-S"};
    }
    for (const std::string& macro : macros) words.push_back("-D" + macro);
    words.insert(words.end(), {"-o", to, source});
    if (!run(words, log)) {
        const std::string error = first_error(text_of_file(log).value_or(""));
        fail_model(error.rfind(source, 0) == 0 ? error : source + ": " + error);
    }
    compiled_source c{.ptx = text_of_file(to).value_or("")};
    const std::string ptxas = program_called({"ptxas"});
    const std::string said = scratch.file("ptxas");
    if (!ptxas.empty() && run({ptxas, "-v", "-arch=sm_" + compute, to, "-o", "/dev/null"}, said)) {
        c.ptxas = text_of_file(said).value_or("");
    }
    return c;
}

}  // namespace program
