// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_INITIAL_VALUES_HPP
#define WARPGAUGE_PTX_TEXT_INITIAL_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/text/constant_expression.hpp>
#include <warpgauge/ptx/text/cursor.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file The initial values of a variable, as bytes: `[4] = {1, 2}`, `= {{1}, {2, 3}}`, `= {f, table+4}`.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 5.4.4: what an initialiser leaves out is zero.

namespace WARPGAUGE_NAMESPACE::ptx::text {

/// Values side by side.
struct value_run {
    std::uint64_t at{};     ///< B, from the variable's begin
    std::uint64_t bytes{};  ///< B
    /// Place in `initial_values::bytes`; of values that are not known, none.
    std::uint64_t first{};
    bool known{};  ///< not a float that takes rounding, nor a part of an address
};

/// `name+8`, as a value.
struct initial_address {
    std::uint64_t at{};       ///< B, from the variable's begin
    std::string_view name{};  ///< of a variable or a function
    std::int64_t offset{};    ///< B, added to the address
    std::uint32_t bytes{};    ///< B, size of the value
};

/// What a variable begins with. Bytes that no run has are zero.
template <class Used = core::when_used>
struct initial_values {
    core::late<Used, std::vector<value_run>> runs{};  ///< in order of `at`
    core::late<Used, std::vector<unsigned char>>
        bytes{};  ///< of all known runs, the lowest of a number first
    core::late<Used, std::vector<initial_address>>
        addresses{};  ///< their bytes are not known in `runs`
    /// B of the variable; of an array of no given length, as its values take.
    std::uint64_t size{};
};

/// Reads the values behind a declaration's name.
/// \errors outside_domain  `initial values`: more than the variable has room for
///         expected        `initial values`: what is no list of values
///         limit_reached   `initial values`: more than 64 dimensions, or expressions nested too deep
/// A line and column are those of the declaration.
template <class Used = core::when_used>
[[nodiscard]] result<initial_values<Used>> read_initial_values(const declaration& d);

/// The value of a decimal literal if it takes no rounding but the last: up to 15 digits and a power of ten up to 22.
/// Both are doubles, so one product or quotient is the value to the last bit (W. Clinger, PLDI 1990).
constexpr bool read_decimal(std::string_view text, double& value) {
    double digits = 0;
    std::int64_t count = 0;
    std::int64_t power = 0;
    bool behind_point = false;
    std::size_t at = 0;
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) ++at;
    for (; at < text.size() && (detail::text::is_digit(text[at]) || text[at] == '.'); ++at) {
        if (text[at] == '.') {
            if (behind_point) return false;
            behind_point = true;
            continue;
        }
        digits = 10 * digits + (text[at] - '0');
        if (digits != 0) ++count;
        if (behind_point) --power;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        const bool below = text.substr(at).starts_with('-');
        if (below || text.substr(at).starts_with('+')) ++at;
        std::int64_t exponent = 0;
        for (; at < text.size() && detail::text::is_digit(text[at]) && exponent < 1000; ++at) {
            exponent = 10 * exponent + (text[at] - '0');
        }
        power += below ? -exponent : exponent;
    }
    if (at != text.size() || count > 15 || power < -22 || power > 22) return false;
    double scale = 1;
    for (std::int64_t n = 0; n < power || n < -power; ++n) scale *= 10;
    value = power < 0 ? digits / scale : digits * scale;
    if (negative) value = -value;
    return true;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::text

namespace WARPGAUGE_NAMESPACE::ptx::detail::text {

using ptx::text::initial_address, ptx::text::initial_values, ptx::text::value_run;

/// Calls `see(name)` for each word of initial values that begins as a name does, without reading what they say.
template <class See>
constexpr void for_each_name(std::string_view values, const See& see) {
    for (std::size_t at = 0; at < values.size();) {
        const bool is_word = belongs(values[at], of_name);
        std::size_t end = at + 1;
        while (is_word && end < values.size() && belongs(values[end], of_name)) ++end;
        if (is_letter(values[at])) see(values.substr(at, end - at));
        at = end;
    }
}

template <class Used = core::when_used>
class initial_values_reader {
public:
    explicit initial_values_reader(const declaration& d) : in_(d.initial), at_(d.at) {
        is_followed_ = ptx::text::read_type(d.type, type_) && (type_.followed || type_.is_real) &&
                       type_.bits >= 8;
        in_.skip_space();
        read_dimensions(d.vector);
    }

    result<initial_values<Used>> read() {
        if (!is_followed_) {
            add_unknown(0, max_end);
        } else if (in_.ok()) {
            if (in_.peek() == '{') {
                read_group(0, 0);
            } else {
                read_value(0, rooms_[0]);
            }
            if (in_.ok() && !in_.at_end()) in_.fail("initial values");
        }
        if (!in_.ok()) return model_error{in_.error().code, "initial values", at_.line, at_.column};
        if (found_.size == 0) found_.size = rooms_[0];
        return std::move(found_);
    }

private:
    static constexpr std::size_t max_dimensions = 64;

    // Bytes of the whole, of what an element of the outermost dimension has, and so on to a single value. A vector is
    // the innermost dimension.
    void read_dimensions(std::uint32_t vector) {
        core::late<Used, std::vector<std::uint64_t>> lengths;
        while (in_.accept('[')) {
            lengths.push_back(in_.peek() == ']' ? 0 : in_.whole());
            in_.expect(']', "initial values");
            if (lengths.size() > max_dimensions) in_.fail(errc::limit_reached, "initial values");
        }
        in_.expect('=', "initial values");
        if (vector > 1) lengths.push_back(vector);
        std::uint64_t room = ptx::text::bytes_of(type_);
        rooms_.assign(lengths.size() + 1, room);
        for (std::size_t n = lengths.size(); n-- > 0;) {
            room *= lengths[n];  // the declaration's product of them is no more than 2^48
            rooms_[n] = room;
        }
    }

    // `{...}` of values or of groups of the next level, from `begin` on.
    void read_group(std::size_t level, std::uint64_t begin) {
        // Of an outermost dimension without length there is room for anything.
        const std::uint64_t room = rooms_[level];
        const std::uint64_t end = room == 0 ? max_end : begin + room;
        std::uint64_t at = begin;
        in_.accept('{');
        while (in_.peek() != '}') {
            if (in_.peek() == '{') {
                const std::uint64_t next = level + 1 < rooms_.size() ? rooms_[level + 1] : 0;
                if (next == 0 || next > end - at) return in_.fail(errc::outside_domain, "values");
                read_group(level + 1, at);
                at += next;
            } else {
                at += read_value(at, end - at);
            }
            if (level == 0 && room == 0) found_.size = at;
            if (!in_.accept(',')) break;
        }
        in_.expect('}', "initial values");
    }

    // One value, which takes as many bytes as it returns.
    std::uint64_t read_value(std::uint64_t at, std::uint64_t room) {
        const std::uint32_t bytes = ptx::text::bytes_of(type_);
        if (bytes > room) {
            in_.fail(errc::outside_domain, "values");
            return bytes;
        }
        if (is_letter(in_.peek()) && !next_is("WARP_SZ")) {
            read_address(at);
            return bytes;
        }
        const char* const from = in_.mark();
        const constant c = read_expression(in_);
        if (in_.peek() == '(') {  // `0xFF00(name)`: a byte of an address
            in_.skip_parentheses();
            add_unknown(at, bytes);
        } else if (std::uint64_t bits = c.bits;
                   c.is_real ? read_real(in_.since(from), bits) : type_.followed || bits == 0) {
            add(at, bytes, bits);
        } else {
            add_unknown(at, bytes);
        }
        return bytes;
    }

    [[nodiscard]] bool next_is(std::string_view word) const {
        for (std::size_t n = 0; n < word.size(); ++n) {
            if (in_.peek(static_cast<std::ptrdiff_t>(n)) != word[n]) return false;
        }
        return !belongs(in_.peek(static_cast<std::ptrdiff_t>(word.size())), of_name);
    }

    // `name`, `name+8`, `generic(name)+8`.
    void read_address(std::uint64_t at) {
        initial_address a{.at = at, .bytes = ptx::text::bytes_of(type_)};
        a.name = in_.name();
        if (a.name == "generic" && in_.accept('(')) {
            a.name = in_.name();
            in_.expect(')', "initial values");
        }
        if (in_.peek() == '+' || in_.peek() == '-') {
            a.offset = static_cast<std::int64_t>(read_rest(in_, {}).bits);
        }
        add_unknown(at, a.bytes);
        if (in_.ok()) found_.addresses.push_back(a);
    }

    // The bits of a float: `0f3F800000`, `0d...`, `-1.5e3`.
    bool read_real(std::string_view text, std::uint64_t& bits) const {
        if (!type_.is_real) return false;
        const bool has_bits =
            text.size() > 2 && text[0] == '0' &&
            (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D');
        if (has_bits) {
            const bool is_single = text[1] == 'f' || text[1] == 'F';
            cursor digits(text.substr(2));
            return digits.digits<16>(bits) && digits.at_end() && is_single == (type_.bits == 32);
        }
        double value = 0;
        if (!ptx::text::read_decimal(text, value)) return false;
        if (type_.bits == 64) {
            bits = std::bit_cast<std::uint64_t>(value);
            return true;
        }
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        return true;
    }

    void add(std::uint64_t at, std::uint32_t bytes, std::uint64_t value) {
        auto& runs = found_.runs;
        if (runs.empty() || !runs.back().known || runs.back().at + runs.back().bytes != at) {
            runs.push_back({.at = at, .first = found_.bytes.size(), .known = true});
        }
        runs.back().bytes += bytes;
        for (std::uint32_t b = 0; b < bytes; ++b) {
            found_.bytes.push_back(static_cast<unsigned char>(value >> 8 * b & 0xff));
        }
    }

    void add_unknown(std::uint64_t at, std::uint64_t bytes) {
        auto& runs = found_.runs;
        if (runs.empty() || runs.back().known || runs.back().at + runs.back().bytes != at) {
            runs.push_back({.at = at});
        }
        runs.back().bytes += bytes;
    }

    static constexpr std::uint64_t max_end = std::uint64_t{1} << 48;

    cursor in_;
    position at_;
    ptx::text::value_type type_;
    bool is_followed_ = false;
    core::late<Used, std::vector<std::uint64_t>> rooms_;  // B, by level
    initial_values<Used> found_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::text

namespace WARPGAUGE_NAMESPACE::ptx::text {

template <class Used>
result<initial_values<Used>> read_initial_values(const declaration& d) {
    return detail::text::initial_values_reader<Used>(d).read();
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::text

#endif
