// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_LOOP_ROUNDS_HPP
#define WARPGAUGE_PTX_RUN_LOOP_ROUNDS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>

/// \file The loops that a warp is in, and how many rounds of each it has made: for who asks why it takes so long.

namespace WARPGAUGE_NAMESPACE::ptx::run {

/// A loop that a warp is in.
struct loop_under_way {
    std::uint32_t from = link::nowhere;  ///< step that jumps back
    std::uint32_t to{};                  ///< where it jumps to
    std::uint64_t rounds{};              ///< since the loop was entered
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::run

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

template <class Used = core::when_used>
class loop_rounds {
public:
    void clear() { loops_.clear(); }

    /// A jump back. Loops within it have ended.
    void jump(std::uint32_t from, std::uint32_t to, std::uint64_t rounds) {
        std::size_t kept = 0;
        ptx::run::loop_under_way now{from, to, rounds};
        for (const ptx::run::loop_under_way& l : loops_) {
            if (l.from == from) now.rounds += l.rounds;
            if (l.from < to || l.from > from) loops_[kept++] = l;
        }
        loops_.resize(kept);
        loops_.push_back(now);
    }

    /// The one with most rounds; `from` is `nowhere` if there is none.
    [[nodiscard]] ptx::run::loop_under_way longest() const {
        ptx::run::loop_under_way most;
        for (const ptx::run::loop_under_way& l : loops_) {
            if (l.rounds > most.rounds) most = l;
        }
        return most;
    }

private:
    core::late<Used, std::vector<ptx::run::loop_under_way>> loops_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
