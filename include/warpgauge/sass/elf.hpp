// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_ELF_HPP
#define WARPGAUGE_SASS_ELF_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/sass/byte_cursor.hpp>

/// \file The sections and symbols of a cubin, which is an ELF file of 64 bits, the lowest byte first.
///
/// Nothing is copied and nothing allocated: names and contents are views of the file.
/// Source: Tool Interface Standard, Executable and Linking Format; its 64-bit form, System V ABI, "Object
/// Files", of which the offsets below are.

namespace WARPGAUGE_NAMESPACE::sass {

/// A part of the file.
struct section {
    std::string_view name{};  ///< in the file
    std::uint32_t type{};     ///< as ELF numbers them
    std::uint64_t size{};     ///< B; of one without content too
    std::uint32_t link{};     ///< another section, whose meaning depends on the type
    std::uint32_t info{};     ///< likewise
    byte_view content{};      ///< empty where the file holds none
    std::uint64_t offset{};   ///< of the content in the file
    std::size_t index{};      ///< in the file's table
};

/// A name for a place in a section.
struct symbol {
    std::string_view name{};  ///< in the file
    std::uint8_t type{};      ///< 2: a function
    std::uint16_t section{};  ///< index
    std::uint64_t value{};    ///< B from the section's beginning
    std::uint64_t size{};     ///< B
};

/// A file whose tables have been checked: all its parts are inside the file.
class elf_file {
public:
    /// The whole file.
    [[nodiscard]] constexpr byte_view bytes() const noexcept { return bytes_; }
    /// `e_flags` of the header; NVIDIA has the compute capability there.
    [[nodiscard]] constexpr std::uint32_t flags() const noexcept { return flags_; }
    /// The ABI version of the header; with it the layout of `flags` changes.
    [[nodiscard]] constexpr std::uint8_t abi_version() const noexcept { return abi_version_; }
    /// The number of sections.
    [[nodiscard]] constexpr std::size_t section_count() const noexcept { return section_count_; }
    /// The number of symbols.
    [[nodiscard]] constexpr std::size_t symbol_count() const noexcept { return symbol_count_; }

    /// Section `index`, below `section_count`.
    [[nodiscard]] section section_at(std::size_t index) const noexcept;

    /// The first section of a name, written in two parts; its name is empty if there is none.
    [[nodiscard]] section find(std::string_view prefix, std::string_view rest = {}) const noexcept;

    /// Symbol `index`, below `symbol_count`.
    [[nodiscard]] symbol symbol_at(std::size_t index) const noexcept;

    /// Checks a file and becomes it; see `read_elf`.
    model_error open(byte_view bytes) noexcept;

private:
    [[nodiscard]] static std::string_view name_in(const section& names,
                                                  std::uint64_t offset) noexcept;
    [[nodiscard]] constexpr section without_name(std::size_t index) const noexcept;
    constexpr model_error check_sections() const noexcept;

    byte_view bytes_{};
    std::size_t sections_{};  // offset of their table
    std::size_t section_count_{};
    std::size_t names_{};    // section that has the sections' names
    std::size_t symbols_{};  // section of symbols; 0: none
    std::size_t symbol_count_{};
    std::uint32_t flags_{};
    std::uint8_t abi_version_{};
};

/// Reads the header and checks the tables of sections and symbols.
/// \errors, with `line` as the byte, from 1:
///         malformed  `file`: too short, no ELF file of 64 bits, or not of an NVIDIA GPU; `sections`,
///                    `section`, `symbols`: a table or a content that goes beyond the file
[[nodiscard]] inline result<elf_file> read_elf(byte_view bytes) noexcept;

namespace detail {

inline constexpr std::size_t elf_header_bytes = 64;
inline constexpr std::size_t section_entry_bytes = 64;
inline constexpr std::size_t symbol_entry_bytes = 24;
inline constexpr std::uint32_t symbol_table_type = 2;
inline constexpr std::uint32_t no_content_type = 8;
inline constexpr std::uint64_t nvidia_machine = 190;  // EM_CUDA

}  // namespace detail

constexpr section elf_file::without_name(std::size_t index) const noexcept {
    const std::size_t at = sections_ + index * detail::section_entry_bytes;
    section s;
    s.type = static_cast<std::uint32_t>(detail::number_at(bytes_, at + 4, 4));
    s.offset = detail::number_at(bytes_, at + 24, 8);
    s.size = detail::number_at(bytes_, at + 32, 8);
    s.link = static_cast<std::uint32_t>(detail::number_at(bytes_, at + 40, 4));
    s.info = static_cast<std::uint32_t>(detail::number_at(bytes_, at + 44, 4));
    s.index = index;
    const bool holds = s.type != detail::no_content_type && s.type != 0;
    if (holds && s.offset <= bytes_.size() && s.size <= bytes_.size() - s.offset) {
        s.content =
            bytes_.subspan(static_cast<std::size_t>(s.offset), static_cast<std::size_t>(s.size));
    }
    return s;
}

inline std::string_view elf_file::name_in(const section& names, std::uint64_t offset) noexcept {
    if (offset >= names.content.size()) return {};
    const byte_view text = names.content.subspan(static_cast<std::size_t>(offset));
    std::size_t length = 0;
    while (length < text.size() && text[length] != std::byte{0}) ++length;
    return {reinterpret_cast<const char*>(text.data()), length};
}

inline section elf_file::section_at(std::size_t index) const noexcept {
    section s = without_name(index);
    const std::size_t at = sections_ + index * detail::section_entry_bytes;
    s.name = name_in(without_name(names_), detail::number_at(bytes_, at, 4));
    return s;
}

inline section elf_file::find(std::string_view prefix, std::string_view rest) const noexcept {
    const byte_view names = without_name(names_).content;
    const auto stands_at = [&](std::string_view text, std::size_t at) {
        for (std::size_t n = 0; n < text.size(); ++n) {
            if (std::to_integer<char>(names[at + n]) != text[n]) return false;
        }
        return true;
    };
    for (std::size_t n = 0; n < section_count_; ++n) {
        const std::uint64_t at =
            detail::number_at(bytes_, sections_ + n * detail::section_entry_bytes, 4);
        const std::size_t length = prefix.size() + rest.size();
        if (at >= names.size() || length >= names.size() - at) continue;
        const auto from = static_cast<std::size_t>(at);
        if (names[from + length] == std::byte{0} && stands_at(prefix, from) &&
            stands_at(rest, from + prefix.size())) {
            return section_at(n);
        }
    }
    return {};
}

inline symbol elf_file::symbol_at(std::size_t index) const noexcept {
    const section table = without_name(symbols_);
    const std::size_t at = index * detail::symbol_entry_bytes;
    symbol s;
    if (table.link < section_count_) {
        s.name = name_in(without_name(table.link), detail::number_at(table.content, at, 4));
    }
    s.type = static_cast<std::uint8_t>(detail::number_at(table.content, at + 4, 1) & 0xf);
    s.section = static_cast<std::uint16_t>(detail::number_at(table.content, at + 6, 2));
    s.value = detail::number_at(table.content, at + 8, 8);
    s.size = detail::number_at(table.content, at + 16, 8);
    return s;
}

constexpr model_error elf_file::check_sections() const noexcept {
    for (std::size_t n = 0; n < section_count_; ++n) {
        const section s = without_name(n);
        const bool holds = s.type != detail::no_content_type && s.type != 0;
        if (holds && (s.offset > bytes_.size() || s.size > bytes_.size() - s.offset)) {
            return detail::error_at(sections_ + n * detail::section_entry_bytes, errc::malformed,
                                    "section");
        }
    }
    return {};
}

inline model_error elf_file::open(byte_view bytes) noexcept {
    using detail::error_at;
    using detail::number_at;
    if (bytes.size() < detail::elf_header_bytes) {
        return error_at(bytes.size(), errc::malformed, "file");
    }
    // 0x7f "ELF", 64 bits, lowest byte first.
    if (number_at(bytes, 0, 6) != 0x0102'464c'457f) return error_at(0, errc::malformed, "file");
    if (number_at(bytes, 18, 2) != detail::nvidia_machine) {
        return error_at(18, errc::malformed, "file");
    }
    bytes_ = bytes;
    abi_version_ = static_cast<std::uint8_t>(number_at(bytes, 8, 1));
    flags_ = static_cast<std::uint32_t>(number_at(bytes, 48, 4));
    const std::uint64_t table = number_at(bytes, 40, 8);
    section_count_ = static_cast<std::size_t>(number_at(bytes, 60, 2));
    names_ = static_cast<std::size_t>(number_at(bytes, 62, 2));
    if (number_at(bytes, 58, 2) != detail::section_entry_bytes || table > bytes.size() ||
        section_count_ > (bytes.size() - table) / detail::section_entry_bytes ||
        names_ >= section_count_) {
        return error_at(40, errc::malformed, "sections");
    }
    sections_ = static_cast<std::size_t>(table);
    if (auto bad = check_sections()) return bad;
    for (std::size_t n = 1; n < section_count_; ++n) {
        const section s = without_name(n);
        if (s.type != detail::symbol_table_type) continue;
        symbols_ = n;
        symbol_count_ = s.content.size() / detail::symbol_entry_bytes;
        break;
    }
    return {};
}

inline result<elf_file> read_elf(byte_view bytes) noexcept {
    elf_file file;
    if (const model_error bad = file.open(bytes)) return bad;
    return file;
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
