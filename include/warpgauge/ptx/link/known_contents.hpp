// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_KNOWN_CONTENTS_HPP
#define WARPGAUGE_PTX_LINK_KNOWN_CONTENTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>

/// \file What variables hold that a kernel only reads, by address: bytes of the text, and zeros between them.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Bytes side by side.
struct known_run {
    std::uint64_t address{};  ///< of the first
    std::uint64_t bytes{};    ///< B
    std::uint64_t first{};    ///< place in the bytes of all runs
    bool known{};             ///< false: nobody knows what they are
};

/// The contents of some variables.
template <class Used = core::when_used>
class known_contents {
public:
    /// Adds a variable that lies behind all that were added before: zeros, but for its runs.
    void add_variable(std::uint64_t address, std::uint64_t bytes) {
        variables_.push_back({.address = address, .bytes = bytes});
    }
    /// Adds a run of the last variable, behind those before. Its bytes begin at `bytes().size()`, and the caller adds them.
    void add_run(const known_run& run) { runs_.push_back(run); }
    /// The bytes of all known runs.
    [[nodiscard]] auto& bytes() { return bytes_; }

    /// No variable is known.
    [[nodiscard]] bool empty() const { return variables_.empty(); }

    /// May an address be that of a known variable?
    [[nodiscard]] bool may_have(std::uint64_t address) const {
        return !empty() && address >= first() && address < end();
    }
    /// The first address of known variables, of which there is one.
    [[nodiscard]] std::uint64_t first() const { return variables_.front().address; }
    /// The one behind the last.
    [[nodiscard]] std::uint64_t end() const {
        return variables_.back().address + variables_.back().bytes;
    }

    /// Reads some bytes; false if they are not known.
    [[nodiscard]] bool read(std::uint64_t address, std::uint32_t count,
                            std::uint64_t& value) const {
        const std::size_t v = last_before(variables_, address);
        if (v == variables_.size() || count > 8) return false;
        const std::uint64_t within = address - variables_[v].address;
        if (within > variables_[v].bytes || count > variables_[v].bytes - within) return false;
        value = 0;
        std::size_t r = last_before(runs_, address);
        for (std::uint32_t b = 0; b < count; ++b) {
            const std::uint64_t at = address + b;
            const std::size_t next = r == runs_.size() ? 0 : r + 1;
            if (next < runs_.size() && runs_[next].address <= at) r = next;
            if (r == runs_.size() || at - runs_[r].address >= runs_[r].bytes) continue;  // zero
            if (!runs_[r].known) return false;
            value |= std::uint64_t{bytes_[runs_[r].first + (at - runs_[r].address)]} << 8 * b;
        }
        return true;
    }

private:
    // The last one that begins at an address or before; the number of all if none does.
    static std::size_t last_before(const core::late<Used, std::vector<known_run>>& all,
                                   std::uint64_t address) {
        std::size_t from = 0;
        std::size_t to = all.size();
        while (from < to) {
            const std::size_t middle = from + (to - from) / 2;
            if (all[middle].address <= address) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from == 0 ? all.size() : from - 1;
    }

    core::late<Used, std::vector<known_run>> variables_;  // in order of addresses; so the next
    core::late<Used, std::vector<known_run>> runs_;
    core::late<Used, std::vector<unsigned char>> bytes_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
