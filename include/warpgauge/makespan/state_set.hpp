// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_STATE_SET_HPP
#define WARPGAUGE_MAKESPAN_STATE_SET_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/makespan/problem.hpp>

/// \file Sets of states of a search: the number of warps at each instruction.

namespace WARPGAUGE_NAMESPACE {

namespace detail::makespan {

/// Counts of warps at all positions, packed into one number of 64 bits, or of 128 if 64 are not enough.
__extension__ typedef unsigned __int128 wide_key;  // NOLINT(modernize-use-using)

/// A state's longest and shortest ways in cycles, and for a witness, the origin of the
/// longest or shortest way.
template <class Key, bool Witness>
struct state_entry {
    Key key{};
    std::uint32_t worst{};
    std::uint32_t best{};
};
template <class Key>
struct state_entry<Key, true> {
    Key key{};
    std::uint32_t worst{};
    std::uint32_t best{};
    std::uint32_t from_step{};   ///< instructions executed before the way's last cycle
    std::uint32_t from_entry{};  ///< position in that step's set
};

/// States of equal progress: a list with an open-addressing index.
template <class Entry>
class state_set {
public:
    using key_type = decltype(Entry::key);

    void clear() {
        index_.assign(index_.size(), 0U);
        entries_.clear();
    }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] std::uint64_t bytes() const {
        return entries_.capacity() * sizeof(Entry) + index_.capacity() * sizeof(index_[0]);
    }

    Entry& find_or_add(key_type key, bool& added) {
        if ((entries_.size() + 1) * 2 > index_.size()) grow();
        std::size_t place = hash(key) & (index_.size() - 1);
        while (index_[place] != 0) {
            Entry& e = entries_[index_[place] - 1];
            if (e.key == key) {
                added = false;
                return e;
            }
            place = (place + 1) & (index_.size() - 1);
        }
        Entry made{};
        made.key = key;
        entries_.push_back(made);
        index_[place] = static_cast<std::uint32_t>(entries_.size());
        added = true;
        return entries_.back();
    }

private:
    static std::size_t hash(key_type key) {
        std::uint64_t h = static_cast<std::uint64_t>(key);
        if constexpr (sizeof(key_type) > 8) {
            h ^= static_cast<std::uint64_t>(key >> 64) * 0x9e37'79b9'7f4a'7c15;
        }
        h *= 0xd6e8'feb8'6659'fd93;
        return static_cast<std::size_t>((h ^ h >> 32) * 0xd6e8'feb8'6659'fd93 >> 24);
    }
    void grow() {
        index_.assign(index_.empty() ? 64 : index_.size() * 2, 0);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            std::size_t place = hash(entries_[i].key) & (index_.size() - 1);
            while (index_[place] != 0) place = (place + 1) & (index_.size() - 1);
            index_[place] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> index_;
};

}  // namespace detail::makespan

}  // namespace WARPGAUGE_NAMESPACE

#endif
