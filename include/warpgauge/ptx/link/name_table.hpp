// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_NAME_TABLE_HPP
#define WARPGAUGE_PTX_LINK_NAME_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>

/// \file From names to numbers, by hashing.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

/// A name that is looked for several times, as in one pair of braces after the other: hashed once.
struct hashed_name {
    std::string_view text{};
    std::uint64_t hash = 14'695'981'039'346'656'037U;

    constexpr hashed_name() = default;
    constexpr explicit hashed_name(std::string_view name) : text(name) {
        for (const char c : name) add(c);
    }

    /// The first characters of a name; `lengthened` adds the next one.
    [[nodiscard]] constexpr hashed_name lengthened() const {
        hashed_name longer = *this;
        longer.text = {text.data(), text.size() + 1};
        longer.add(longer.text.back());
        return longer;
    }

private:
    constexpr void add(char c) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
    }
};

/// Names to numbers; each with a number of its own, the salt, so that equal names can differ.
template <class Used = core::when_used>
class name_table {
public:
    /// The number of a name, or `nowhere`.
    [[nodiscard]] std::uint32_t find(std::string_view name, std::uint64_t salt = 0) const {
        return slots_.empty() ? nowhere : find_hashed(hashed_name(name), salt);
    }
    [[nodiscard]] std::uint32_t find_hashed(const hashed_name& name, std::uint64_t salt = 0) const {
        if (slots_.empty()) return nowhere;
        for (std::size_t at = place_of(name, salt);; ++at) {
            const std::uint32_t n = slots_[at & (slots_.size() - 1)];
            if (n == nowhere) return nowhere;
            if (is_of(entries_[n], name.text, salt)) return entries_[n].value;
        }
    }

    /// Replaces what the name had.
    void insert(std::string_view name, std::uint64_t salt, std::uint32_t value) {
        if (2 * (entries_.size() + 1) > slots_.size()) {
            grow(slots_.empty() ? 64 : 2 * slots_.size());
        }
        const std::size_t place = place_of(hashed_name(name), salt);
        for (std::size_t at = place;; ++at) {
            std::uint32_t& n = slots_[at & (slots_.size() - 1)];
            if (n == nowhere) {
                n = static_cast<std::uint32_t>(entries_.size());
                entries_.push_back({name, salt, static_cast<std::uint32_t>(place), value});
                return;
            }
            if (is_of(entries_[n], name, salt)) {
                entries_[n].value = value;
                return;
            }
        }
    }

    /// Makes room for so many names.
    void reserve(std::size_t count) {
        std::size_t slots = 64;
        while (slots < 2 * count + 2) slots *= 2;
        if (slots > slots_.size()) grow(slots);
        entries_.reserve(count);
    }

private:
    static constexpr std::uint32_t nowhere = ptx::link::nowhere;

    struct entry {
        std::string_view name{};
        std::uint64_t salt{};
        std::uint32_t place{};  // where in the slots it would like to be
        std::uint32_t value = nowhere;
    };

    static constexpr std::size_t place_of(const hashed_name& name, std::uint64_t salt) {
        const std::uint64_t h = (name.hash ^ (salt * 0x9e37'79b9'7f4a'7c15U)) * 1'099'511'628'211U;
        return static_cast<std::size_t>(h ^ (h >> 29));
    }
    static bool is_of(const entry& e, std::string_view name, std::uint64_t salt) {
        return e.salt == salt && e.name == name;
    }

    void grow(std::size_t size) {
        slots_.assign(size, nowhere);
        for (std::uint32_t n = 0; n < entries_.size(); ++n) {
            std::size_t at = entries_[n].place;
            while (slots_[at & (size - 1)] != nowhere) ++at;
            slots_[at & (size - 1)] = n;
        }
    }

    core::late<Used, std::vector<entry>> entries_;
    core::late<Used, std::vector<std::uint32_t>> slots_;  // entries, where their hashes say
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
