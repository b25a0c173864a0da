// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_PARAMETER_PARTS_HPP
#define WARPGAUGE_PTX_LINK_PARAMETER_PARTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/registers.hpp>

/// \file The rows of parameters, which are read and written in parts.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::move_of_call;

template <class Used = core::when_used>
class parameter_parts {
public:
    using move_list = core::late<Used, std::vector<move_of_call>>;

    parameter_parts(link_state<Used>& state, registers<Used>& rows)
        : state_(state), registers_(rows) {}

    /// The row of some bytes of a parameter. Of the kernel it is preset; of a call, the caller's.
    std::uint32_t row_of(std::uint32_t declaration, std::int64_t offset, std::uint32_t bytes) {
        if (offset < 0 || offset > 0xffff'ffff) return ptx::link::unknown_row;
        const auto at = static_cast<std::uint32_t>(offset);
        const std::uint32_t head = first_of(declaration);
        for (std::uint32_t n = head; n != nowhere; n = parts_[n].next) {
            if (parts_[n].offset == at && parts_[n].bytes == bytes) return parts_[n].row;
            state_.count_work();
        }
        const std::uint32_t row = registers_.new_row(0);
        parts_.push_back({at, bytes, row, head});
        first_.insert({}, declaration, static_cast<std::uint32_t>(parts_.size() - 1));
        const std::uint32_t parameter = state_.kernel_parameter(declaration);
        if (parameter != nowhere) {
            state_.current().presets.push_back(
                {.row = row, .parameter = parameter, .offset = at, .bytes = bytes});
        }
        return row;
    }

    /// Adds the moves that give every part of one parameter that is read its value, from the parts of
    /// another that are written; `from` is `nowhere` where nothing is known of it.
    void join(std::uint32_t from, std::uint32_t to, move_list& moves) {
        for (std::uint32_t t = first_of(to); t != nowhere; t = parts_[t].next) {
            const std::size_t before = moves.size();
            if (!within_one(from, parts_[t], moves) && !from_several(from, parts_[t], moves)) {
                moves.resize(before);
                moves.push_back({.to = parts_[t].row});
            }
        }
    }

private:
    struct part {
        std::uint32_t offset{};
        std::uint32_t bytes{};
        std::uint32_t row{};
        std::uint32_t next{};  // of the same parameter
    };

    [[nodiscard]] std::uint32_t first_of(std::uint32_t declaration) const {
        return first_.find({}, declaration);
    }

    bool within_one(std::uint32_t from, const part& to, move_list& moves) {
        for (std::uint32_t n = from == nowhere ? nowhere : first_of(from); n != nowhere;
             n = parts_[n].next) {
            state_.count_work();
            const part& f = parts_[n];
            if (f.offset > to.offset || to.offset - f.offset > f.bytes ||
                to.bytes > f.bytes - (to.offset - f.offset)) {
                continue;
            }
            moves.push_back({.from = f.row,
                             .to = to.row,
                             .shift = static_cast<std::uint8_t>(8 * (to.offset - f.offset)),
                             .bits = static_cast<std::uint8_t>(8 * to.bytes)});
            return true;
        }
        return false;
    }

    bool from_several(std::uint32_t from, const part& to, move_list& moves) {
        std::uint32_t done = 0;
        while (done < to.bytes) {
            bool found = false;
            for (std::uint32_t n = from == nowhere ? nowhere : first_of(from);
                 n != nowhere && !found; n = parts_[n].next) {
                state_.count_work();
                const part& f = parts_[n];
                if (f.offset != to.offset + done || f.bytes > to.bytes - done) continue;
                moves.push_back({.from = f.row,
                                 .to = to.row,
                                 .bits = static_cast<std::uint8_t>(8 * f.bytes),
                                 .at = static_cast<std::uint8_t>(8 * done),
                                 .joins = done > 0});
                done += f.bytes;
                found = true;
            }
            if (!found) return false;
        }
        return true;
    }

    link_state<Used>& state_;
    registers<Used>& registers_;
    std::vector<part> parts_;
    name_table<Used> first_;  // part of a declaration
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
