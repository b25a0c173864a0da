// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_NVCC_HPP
#define WARPGAUGE_EXAMPLES_NVCC_HPP

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

// NVIDIA's compilers as other processes, and a folder that keeps what they wrote.

extern char** environ;  // NOLINT

// What a file holds; empty where there is none.
inline std::string file_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Runs a program without a shell; what it prints goes to `log`. Its exit status, or -1.
inline int run_program(const std::vector<std::string>& words, const std::string& log) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    pid_t child = 0;
    const int failed =
        posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return -1;
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// A folder of its own for as long as it lives.
class scratch_folder {
public:
    scratch_folder() {
        std::error_code none;
        std::string path =
            (std::filesystem::temp_directory_path(none) / "warpgauge-XXXXXX").string();
        if (mkdtemp(path.data()) != nullptr) path_ = path;
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    ~scratch_folder() {
        std::error_code none;
        if (!path_.empty()) std::filesystem::remove_all(path_, none);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// What is compiled of one configuration, or why it is not.
struct compiled_text {
    std::string ptx{};
    std::string ptxas{};  // what ptxas -v says
    std::string cubin{};  // with lines of the PTX; empty unless it was asked for
    std::string error{};
    bool from_cache{};
};

class nvcc {
public:
    // `program`: its path, or a name to look for on PATH and where CUDA is usually installed. `cache`: a folder, or
    // empty for none. `error` says what is wrong, if anything is.
    nvcc(const std::string& program, std::string cache, std::string& error)
        : cache_(std::move(cache)) {
        const std::string log = (scratch_.path() / "version").string();
        for (const std::string& path : {program, "/usr/local/cuda/bin/" + program}) {
            if (run_program({path, "--version"}, log) != 0) continue;
            program_ = path;
            break;
        }
        if (program_.empty()) {
            error =
                program +
                " not found: install the CUDA toolkit, put nvcc on PATH, or name it with --nvcc";
            return;
        }
        version_ = file_text(log);
        const std::filesystem::path path(program_);
        ptxas_ = path.has_parent_path() ? (path.parent_path() / "ptxas").string() : "ptxas";
        if (run_program({ptxas_, "--version"}, log) != 0) ptxas_.clear();
        if (run_program({program_, "--list-gpu-arch"}, log) == 0) architectures_ = file_text(log);
        if (cache_.empty()) return;
        std::error_code bad;
        std::filesystem::create_directories(cache_, bad);
        if (bad) error = cache_ + ": " + bad.message();
    }

    // "13.0", of "release 13.0, V13.0.88".
    [[nodiscard]] std::string release() const {
        const std::size_t at = version_.find("release ");
        if (at == std::string::npos) return "?";
        return version_.substr(at + 8, version_.find(',', at) - at - 8);
    }
    [[nodiscard]] bool has_ptxas() const { return !ptxas_.empty(); }
    // "compute_75\ncompute_80\n...".
    [[nodiscard]] const std::string& architectures() const { return architectures_; }
    [[nodiscard]] bool compiles_for(const std::string& number) const {
        return ("\n" + architectures_).find("\ncompute_" + number + "\n") != std::string::npos;
    }

    // Compiles for compute_NUMBER with further options; to machine code too if `with_cubin`, which needs ptxas.
    [[nodiscard]] compiled_text compile(const std::string& source, const std::string& number,
                                        const std::vector<std::string>& options,
                                        bool with_cubin = false) const {
        const std::string key = key_of(source, number, options);
        const std::filesystem::path kept = std::filesystem::path(cache_) / key;
        compiled_text c;
        if (!cache_.empty()) {
            c.ptx = file_text(kept.string() + ".ptx");
            c.ptxas = file_text(kept.string() + ".ptxas");
            if (with_cubin) c.cubin = file_text(kept.string() + ".cubin");
            c.from_cache = !c.ptx.empty() && (!has_ptxas() || !c.ptxas.empty()) &&
                           (!with_cubin || !c.cubin.empty());
            if (c.from_cache) return c;
        }
        const std::string to = (scratch_.path() / key).string();
        const std::string log = to + ".log";
        std::vector<std::string> words{program_, "-ptx", "-lineinfo", "-arch=compute_" + number};
        words.insert(words.end(), options.begin(), options.end());
        words.insert(words.end(), {"-o", to + ".ptx", source});
        if (run_program(words, log) != 0) {
            c.error = first_error(file_text(log), "nvcc ended without a word");
        } else if (has_ptxas() &&
                   run_program({ptxas_, "-v", "-lineinfo", "-arch=sm_" + number, to + ".ptx", "-o",
                                with_cubin ? to + ".cubin" : "/dev/null"},
                               to + ".ptxas") != 0) {
            c.error = first_error(file_text(to + ".ptxas"), "ptxas ended without a word");
        } else {
            c.ptx = file_text(to + ".ptx");
            c.ptxas = file_text(to + ".ptxas");
            if (with_cubin) c.cubin = file_text(to + ".cubin");
            keep(c, kept);
        }
        for (const char* ending : {".ptx", ".ptxas", ".cubin", ".log"})
            std::remove((to + ending).c_str());
        return c;
    }

private:
    // The line of a log that says what is wrong.
    static std::string first_error(const std::string& log, const std::string& otherwise) {
        for (const std::string_view word : {"error", "fatal"}) {
            const std::size_t at = log.find(word);
            if (at == std::string::npos) continue;
            const std::size_t before = log.rfind('\n', at);
            const std::size_t from = before == std::string::npos ? 0 : before + 1;
            return log.substr(from, log.find('\n', at) - from);
        }
        return log.empty() ? otherwise : log.substr(0, log.find('\n'));
    }

    // Another run sees all of a file or nothing: it is renamed when it is whole, the PTX last.
    static void keep(const compiled_text& c, const std::filesystem::path& kept) {
        if (kept.parent_path().empty()) return;
        const auto write = [&](const std::string& ending, const std::string& text) {
            const std::string part =
                kept.string() + ending + "." + std::to_string(getpid()) + ".part";
            std::ofstream file(part, std::ios::binary);
            file << text;
            file.close();
            std::error_code none;
            if (file) std::filesystem::rename(part, kept.string() + ending, none);
        };
        write(".ptxas", c.ptxas);
        if (!c.cubin.empty()) write(".cubin", c.cubin);
        write(".ptx", c.ptx);
    }

    // The text of a source and of what it includes by a name in quotes, however deep.
    static void add_source(const std::filesystem::path& path, std::vector<std::string>& seen,
                           std::string& text) {
        for (const std::string& s : seen) {
            if (s == path.string()) return;
        }
        seen.push_back(path.string());
        const std::string own = file_text(path);
        text += own + '\0';
        for (std::size_t at = own.find("#include"); at != std::string::npos;
             at = own.find("#include", at + 1)) {
            const std::size_t from = own.find_first_not_of(" \t", at + 8);
            if (from == std::string::npos || own[from] != '"') continue;
            const std::size_t to = own.find('"', from + 1);
            if (to == std::string::npos) continue;
            add_source(path.parent_path() / own.substr(from + 1, to - from - 1), seen, text);
        }
    }

    // 128 bits of everything that decides what the compilers write.
    [[nodiscard]] std::string key_of(const std::string& source, const std::string& number,
                                     const std::vector<std::string>& options) const {
        std::string all = version_ + '\0' + (has_ptxas() ? "ptxas" : "") + '\0' + number + '\0';
        for (const std::string& option : options) all += option + '\0';
        std::vector<std::string> seen;
        add_source(source, seen, all);
        std::uint64_t hash[2]{14'695'981'039'346'656'037U, 0x9E3779B97F4A7C15U};
        for (const char c : all) {
            const auto byte = static_cast<unsigned char>(c);
            hash[0] = (hash[0] ^ byte) * 1'099'511'628'211U;
            hash[1] = (hash[1] + byte) * 0xD6E8FEB86659FD93U;
            hash[1] ^= hash[1] >> 32;
        }
        char text[33];
        std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash[0]),
                      static_cast<unsigned long long>(hash[1]));
        return text;
    }

    scratch_folder scratch_;
    std::string program_, ptxas_, version_, architectures_, cache_;
};

#endif
