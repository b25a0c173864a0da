// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_TASK_LIST_HPP
#define WARPGAUGE_KERNEL_TASK_LIST_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/copy_groups.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The task list of an instruction stream (Chapuis et al. 2016, sec. 3.2): `task_list`.
/// Errors are those of `stream.hpp`.

namespace WARPGAUGE_NAMESPACE {

/// One executed instruction and the earlier ones that it waits for (Chapuis et al. 2016, sec. 3.2).
struct task {
    static constexpr std::uint32_t none = 0xffff'ffff;  ///< in `after`: no task

    unit_kind unit{};                                      ///< what executes it
    std::array<std::uint32_t, 3> after{none, none, none};  ///< positions in the task list

    friend constexpr bool operator==(const task&, const task&) = default;
};

/// Writes every execution as a task. A need for a result that no earlier execution has produced
/// (of a loop's round before the first) waits for nothing. A wait for asynchronous copies is a task after the last of
/// these copies, since memory answers in order; it has at most one need of its own.
template <class = core::when_used>
[[nodiscard]] result<std::vector<task>> task_list(std::span<const instruction> stream) {
    if (const auto bad = check_stream(stream)) return bad;
    std::vector<task> tasks;
    std::vector<std::uint32_t> latest(stream.size(), task::none);
    copy_groups<std::size_t> copies;  // by the number of tasks up to the copy
    auto write = [&](const instruction& i, std::size_t at) {
        task t{.unit = i.unit};
        if (const std::size_t last = copies.awaited(i); last > 0) {
            t.after[1] = static_cast<std::uint32_t>(last - 1);
        }
        copies.execute(i, tasks.size() + 1);
        for (std::size_t n = 0; n < i.needs.size(); ++n) {
            if (i.needs[n] == 0) continue;
            t.after[n] = latest[static_cast<std::size_t>(needed_entry(at, i.needs[n]))];
        }
        latest[at] = static_cast<std::uint32_t>(tasks.size());
        tasks.push_back(t);
        return true;
    };
    if (!for_each_bounded_execution(stream, write)) {
        return stream_error(errc::limit_reached);
    }
    return tasks;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
