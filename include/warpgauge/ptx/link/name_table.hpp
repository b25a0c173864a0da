// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_NAME_TABLE_HPP
#define WARPGAUGE_PTX_LINK_NAME_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>

/// \file From names to numbers, by hashing.

namespace warpgauge::ptx::detail::link {

/// Names to numbers; each with a number of its own, the salt, so that equal names can differ.
template <class Used = core::when_used>
class name_table {
public:
    /// The number of a name, or `nowhere`.
    [[nodiscard]] std::uint32_t find(std::string_view name, std::uint64_t salt = 0) const {
        if (slots_.empty()) return nowhere;
        for (std::size_t at = hash(name, salt);; ++at) {
            const slot& s = slots_[at & (slots_.size() - 1)];
            if (s.value == nowhere) return nowhere;
            if (s.salt == salt && s.name == name) return s.value;
        }
    }

    /// Replaces what the name had.
    void insert(std::string_view name, std::uint64_t salt, std::uint32_t value) {
        if (2 * (count_ + 1) > slots_.size()) grow();
        count_ += put({name, salt, value});
    }

private:
    static constexpr std::uint32_t nowhere = ptx::link::nowhere;

    struct slot {
        std::string_view name{};
        std::uint64_t salt{};
        std::uint32_t value = nowhere;
    };

    static std::size_t hash(std::string_view name, std::uint64_t salt) {
        std::uint64_t h = 14'695'981'039'346'656'037U ^ (salt * 0x9e37'79b9'7f4a'7c15U);
        for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
        return static_cast<std::size_t>(h ^ (h >> 29));
    }

    bool put(const slot& wanted) {
        for (std::size_t at = hash(wanted.name, wanted.salt);; ++at) {
            slot& s = slots_[at & (slots_.size() - 1)];
            const bool empty = s.value == nowhere;
            if (!empty && (s.salt != wanted.salt || s.name != wanted.name)) continue;
            s = wanted;
            return empty;
        }
    }

    void grow() {
        std::vector<slot> old = std::move(slots_);
        slots_.assign(old.empty() ? 64 : 2 * old.size(), slot{});
        for (const slot& s : old) {
            if (s.value != nowhere) put(s);
        }
    }

    std::vector<slot> slots_;
    std::size_t count_ = 0;
};

}  // namespace warpgauge::ptx::detail::link

#endif
