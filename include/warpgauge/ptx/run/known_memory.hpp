// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_KNOWN_MEMORY_HPP
#define WARPGAUGE_PTX_RUN_KNOWN_MEMORY_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/known_contents.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/shared_recorder.hpp>
#include <warpgauge/ptx/run/shared_values.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file The memories whose contents are followed: a warp's local memory, byte by byte, the kernel's
/// arguments, variables with initial values that nothing writes to, and what a block's warps store to shared memory if
/// that is given. What other memories hold is not known.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::address_space, ptx::link::address_windows;
using ptx::run::argument_bytes;

template <class Used = core::when_used>
class known_memory {
public:
    /// The registers, arguments and contents of variables must outlive the memory.
    known_memory(register_file<Used>& registers, std::span<const argument_bytes> arguments,
                 const ptx::link::known_contents<>& contents, std::uint32_t address_bits)
        : registers_(registers),
          arguments_(arguments),
          contents_(contents),
          windows_(address_bits) {}

    /// B of local memory in use, of each lane; nothing is known of new ones.
    [[nodiscard]] std::size_t local_size() const { return local_.size() / warp_lanes; }
    void resize_local(std::size_t bytes) { local_.resize(bytes * warp_lanes); }
    static constexpr std::size_t bytes_taken(std::size_t local_bytes) {
        return local_bytes * warp_lanes * sizeof(local_byte);
    }

    /// Some bytes of a kernel's argument; false if they are not known.
    bool read_argument(std::uint64_t parameter, std::uint64_t offset, std::uint32_t count,
                       std::uint64_t& value) const {
        return parameter < arguments_.size() && arguments_[parameter].read(offset, count, value);
    }

    /// What loads of shared memory find from now on; null: nobody knows. It must outlive the memory.
    void see_shared(const shared_values<Used>* values) { shared_ = values; }
    /// Notes what is stored to shared memory, until it is told to stop with null.
    void record_shared(shared_recorder<Used>* recorder) { recorder_ = recorder; }
    /// An atomic operation, whose results are not known.
    void change(const step& s, std::uint32_t active) {
        if (recorder_ != nullptr && active != 0) (*recorder_)(s, active, registers_);
        registers_.forget_results(s, active);
    }

    void load(const step& s, std::uint32_t active) {
        if (s.sources == 0) return registers_.forget_results(s, active);
        const std::uint32_t breaks = load_breaks(s, active);
        const bool of_variable = may_be_variable(s, active);
        const bool of_shared = shared_ != nullptr && may_be_shared(s);
        if (!may_be_local(s) && !of_variable && !of_shared) {
            return load_unknown(s, active, breaks);
        }
        const row_values address = registers_.source(s, 0);
        for (std::uint32_t k = 0; k < s.results; ++k) {
            lane_values out{};
            std::uint32_t known = 0;
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                const bool is_known =
                    (of_shared && load_shared(address, s, l, k, out[l])) ||
                    (of_variable && load_variable(address, s, l, k, out[l])) ||
                    (may_be_local(s) && (load_argument(address, s, l, k, out[l]) ||
                                         load_local(address, s, l, k, out[l])));
                out[l] = as(s.type, out[l]);
                // Of an address that is not known, local memory keeps in which memory it lies.
                if (!is_known) out[l] = may_be_local(s) ? windows_.window_near(out[l]) : 0;
                known |= static_cast<std::uint32_t>(is_known) << l;
            }
            const unknown_base base = (known & active) == active
                                          ? opaque_base
                                          : registers_.new_base(breaks, loaded_bits(s));
            registers_.write(registers_.result(s, k), out, known, active, base);
        }
    }

    /// The work that is done beside the step itself, in steps; so `forget_local`.
    std::uint64_t store(const step& s, std::uint32_t active) {
        if (recorder_ != nullptr && active != 0) (*recorder_)(s, active, registers_);
        if (s.sources == 0 || local_.empty() || !may_be_local(s)) return 0;
        const row_values address = registers_.source(s, 0);
        // A store to who knows where may change all that a lane has. A generic one nearly always goes
        // to global memory.
        std::uint64_t work = 0;
        if (s.space == address_space::local) work = forget_local(active & ~address.known);
        for (std::uint32_t k = 0; k + 1 < s.sources; ++k) {
            const row_values value = registers_.source(s, 1U + k);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if (has_lane(active, l)) store_local(address, s, l, k, value);
            }
        }
        return work;
    }

    /// Nothing is known any more of what these lanes have in local memory.
    std::uint64_t forget_local(std::uint32_t lanes) {
        if (lanes == 0) return 0;
        for (std::size_t n = 0; n < local_.size(); ++n) {
            if (has_lane(lanes, n % warp_lanes)) local_[n] = 0;
        }
        return local_.size() / 64;
    }

private:
    using local_byte = std::uint16_t;
    static constexpr local_byte known_byte = 0x100;

    // Lanes that do not load from where the lane before does: what they get may be another value. Each lane has a local
    // memory of its own. Of floats it counts only whether all lanes get one.
    std::uint32_t load_breaks(const step& s, std::uint32_t active) {
        if (!s.by_lane) return ~0U;
        const row_values& address = registers_.source(s, 0);
        if (s.space == address_space::local || (may_be_local(s) && is_local(address, active))) {
            return ~0U;
        }
        const std::uint32_t unknown = active & ~address.known;
        std::uint32_t breaks = unknown == 0 ? 0 : address.base.breaks;
        if (!s.type.followed && address.lanes[0] != address.lanes[1] && (active & 3U) == 3) {
            return ~0U;
        }
        if (unknown != active) breaks |= edges_of(unknown);
        if ((breaks | 1U) != ~0U) breaks |= breaks_of(address.lanes);
        return s.type.followed || (breaks & active & (active - 1)) == 0 ? breaks : ~0U;
    }

    // Is there local memory, and some lane's generic address in it?
    [[nodiscard]] bool is_local(const row_values& address, std::uint32_t active) const {
        for (std::size_t l = 0; l < warp_lanes && !local_.empty(); ++l) {
            const bool here = windows_.window_near(address.lanes[l]) == windows_.local();
            if (here && has_lane(active, l)) return true;
        }
        return false;
    }

    void load_unknown(const step& s, std::uint32_t active, std::uint32_t breaks) {
        if (!s.type.followed && unknown_base{.breaks = breaks}.is_opaque()) {
            return registers_.forget_results(s, active);
        }
        for (std::uint32_t k = 0; k < s.results; ++k) {
            registers_.write_zeros(registers_.result(s, k), 0, active,
                                   registers_.new_base(breaks, loaded_bits(s)));
        }
    }

    static std::uint64_t loaded_bits(const step& s) {
        return s.type.is_signed ? ~std::uint64_t{0} : ones(s.type.bits);
    }

    static bool may_be_local(const step& s) {
        return s.space == address_space::local || s.space == address_space::generic;
    }

    static bool may_be_shared(const step& s) {
        return s.space == address_space::shared || s.space == address_space::generic;
    }

    bool load_shared(const row_values& address, const step& s, std::size_t lane, std::uint32_t part,
                     std::uint64_t& value) const {
        if (!has_lane(address.known, lane)) return false;
        const std::uint64_t from = place(address, s, lane, part);
        const bool is_shared =
            s.space == address_space::shared || windows_.window_of(from) == windows_.shared();
        return is_shared &&
               shared_->read(windows_.within(from), ptx::text::bytes_of(s.type), value);
    }

    // Does some lane load from an address where a known variable may lie?
    bool may_be_variable(const step& s, std::uint32_t active) {
        if (contents_.empty() || s.space == address_space::local ||
            s.space == address_space::shared) {
            return false;
        }
        const row_values& address = registers_.source(s, 0);
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (has_lane(active & address.known, l) &&
                contents_.may_have(place(address, s, l, 0))) {
                return true;
            }
        }
        return false;
    }

    // Where one lane finds a part of what it loads.
    static std::uint64_t place(const row_values& address, const step& s, std::size_t lane,
                               std::uint32_t part) {
        return address.lanes[lane] + static_cast<std::uint64_t>(s.offset) +
               std::uint64_t{part} * ptx::text::bytes_of(s.type);
    }

    bool load_variable(const row_values& address, const step& s, std::size_t lane,
                       std::uint32_t part, std::uint64_t& value) const {
        return has_lane(address.known, lane) &&
               contents_.read(place(address, s, lane, part), ptx::text::bytes_of(s.type), value);
    }

    // One lane's load of a kernel's parameter by its address.
    bool load_argument(const row_values& address, const step& s, std::size_t lane,
                       std::uint32_t part, std::uint64_t& value) const {
        if (!has_lane(address.known, lane)) return false;
        const std::uint32_t bytes = ptx::text::bytes_of(s.type);
        const std::uint64_t from = place(address, s, lane, part);
        return windows_.window_of(from) == windows_.parameters() &&
               read_argument(windows_.parameter_number(from), windows_.parameter_offset(from),
                             bytes, value);
    }

    // The first byte of one lane's access, or null; the next one is `warp_lanes` further.
    local_byte* local_bytes(const row_values& address, const step& s, std::size_t lane,
                            std::uint32_t part) {
        if (!has_lane(address.known, lane)) return nullptr;
        const std::uint64_t at = address.lanes[lane] + static_cast<std::uint64_t>(s.offset);
        if (s.space != address_space::local && windows_.window_of(at) != windows_.local()) {
            return nullptr;
        }
        const std::uint32_t bytes = ptx::text::bytes_of(s.type);
        const std::uint64_t within = windows_.within(at) + std::uint64_t{part} * bytes;
        const std::uint64_t size = local_size();
        if (within > size || bytes > size - within) return nullptr;
        return &local_[within * warp_lanes + lane];
    }

    bool load_local(const row_values& address, const step& s, std::size_t lane, std::uint32_t part,
                    std::uint64_t& value) {
        const local_byte* const from = local_bytes(address, s, lane, part);
        if (from == nullptr) return false;
        bool all = true;
        for (std::uint32_t b = 0; b < ptx::text::bytes_of(s.type); ++b) {
            const unsigned byte = from[b * warp_lanes];
            value |= std::uint64_t{byte & 0xffU} << 8 * b;
            all = all && (byte & known_byte) != 0;
        }
        return all;
    }

    void store_local(const row_values& address, const step& s, std::size_t lane, std::uint32_t part,
                     const row_values& value) {
        local_byte* const to = local_bytes(address, s, lane, part);
        if (to == nullptr) return;
        const bool known = has_lane(value.known, lane);
        const std::uint64_t kept =
            known ? value.lanes[lane] : windows_.window_near(value.lanes[lane]);
        for (std::uint32_t b = 0; b < ptx::text::bytes_of(s.type); ++b) {
            const auto byte = static_cast<local_byte>(kept >> 8 * b & 0xff);
            to[b * warp_lanes] = known ? static_cast<local_byte>(byte | known_byte) : byte;
        }
    }

    register_file<Used>& registers_;
    std::span<const argument_bytes> arguments_;
    const ptx::link::known_contents<>& contents_;
    address_windows windows_;
    const shared_values<Used>* shared_ = nullptr;
    shared_recorder<Used>* recorder_ = nullptr;
    core::late<Used, std::vector<local_byte>> local_;  // of each byte, lane after lane
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
