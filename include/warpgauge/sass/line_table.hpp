// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LINE_TABLE_HPP
#define WARPGAUGE_SASS_LINE_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sass/byte_cursor.hpp>
#include <warpgauge/sass/elf.hpp>
#include <warpgauge/sass/instruction.hpp>

/// \file The line that each machine instruction comes from.
///
/// `ptxas -lineinfo` writes two sections, each a sequence of line programs as in DWARF, version 2:
/// `.nv_debug_line_sass` with lines of the PTX text, and `.debug_line` with lines of the source that `.loc` names.
/// A program's address is 0 in the file, and a relocation names its code. (Read off the output of ptxas 13.0.)
/// Source: DWARF Debugging Information Format, version 2.0.0, 1993, section 6.2; version 4, 2010, section 6.2.

namespace WARPGAUGE_NAMESPACE::sass {

/// The section with lines of the PTX text.
inline constexpr std::string_view ptx_lines = ".nv_debug_line_sass";
/// The section with lines of the source.
inline constexpr std::string_view source_lines = ".debug_line";

/// A line for each instruction of a section of code, 0 if the table has none. Empty if the file has no such table.
/// \errors, with `line` as the byte of the file, from 1:
///         malformed  `line program`: cut off, of a version above 4, with addresses that go back, or with an
///                    operation that takes more than it has; or lines that are written over and over
template <class = core::when_used>
[[nodiscard]] result<std::vector<std::uint32_t>> read_lines(const elf_file& file,
                                                            const section& code,
                                                            std::string_view table);

namespace detail {

/// Runs the programs of one table for one section of code.
template <class Used = core::when_used>
class line_program {
public:
    line_program(const elf_file& file, const section& code, const section& table)
        : file_(file),
          code_(code),
          table_(table),
          relocations_(relocations_of(table)),
          lines_(code.content.size() / instruction_bytes) {}

    result<std::vector<std::uint32_t>> run() {
        for (byte_cursor units(table_.content, 0); units.left() > 0;) {
            const std::size_t begin = units.offset();
            const std::uint64_t length = units.number(4);
            if (!units.ok() || length > units.left()) return malformed(begin);
            const std::size_t from = units.offset();
            if (auto bad = run_unit(from, from + static_cast<std::size_t>(length))) return bad;
            units.skip(length);
        }
        return lines_;
    }

private:
    static constexpr std::uint64_t max_rewrites =
        16;  // of an instruction; one is what compilers need

    struct header {
        std::uint64_t least_bytes{}, line_range{}, first_special{};
        std::int64_t line_base{};
        std::size_t arguments{};  // offset of their counts, one for each standard operation
    };
    struct row {
        std::uint64_t address{};
        std::int64_t line = 1;
        bool ours{};     // its address is in the section of code
        bool pending{};  // a row lies before: `from` and `of` say where
        std::uint64_t from{};
        std::int64_t of{};
    };

    [[nodiscard]] model_error malformed(std::size_t offset) const {
        return error_at(table_.offset + offset, errc::malformed, "line program");
    }

    [[nodiscard]] section relocations_of(const section& table) const {
        const section plain = file_.find(".rel", table.name);
        return plain.name.empty() ? file_.find(".rela", table.name) : plain;
    }

    model_error run_unit(std::size_t from, std::size_t end) {
        byte_cursor in(table_.content.first(end), from);
        const std::uint64_t version = in.number(2);
        const std::uint64_t header_bytes = in.number(4);
        const std::size_t after = in.offset();
        if (!in.ok() || version < 2 || version > 4 || header_bytes > in.left()) {
            return malformed(from);
        }
        header h;
        h.least_bytes = in.byte();
        if (version == 4) in.skip(1);  // operations of an instruction
        in.skip(1);                    // whether rows are statements at first
        h.line_base = static_cast<std::int8_t>(in.byte());
        h.line_range = in.byte();
        h.first_special = in.byte();
        h.arguments = in.offset();
        in.skip(h.first_special == 0 ? 0 : h.first_special - 1);
        if (!in.ok() || h.line_range == 0 || h.first_special == 0) return malformed(from);
        byte_cursor program(table_.content.first(end),
                            after + static_cast<std::size_t>(header_bytes));
        row at;
        while (program.left() > 0) {
            const std::size_t operation = program.offset();
            if (!step(h, program, at) || !program.ok()) return malformed(operation);
        }
        return {};
    }

    // One operation; false where it is not as it should be.
    bool step(const header& h, byte_cursor& in, row& at) {
        const std::uint8_t operation = in.byte();
        if (operation >= h.first_special) {
            const std::uint64_t n = operation - h.first_special;
            at.address += n / h.line_range * h.least_bytes;
            at.line += h.line_base + static_cast<std::int64_t>(n % h.line_range);
            return add_row(at);
        }
        switch (operation) {
            case 0: return extended(in, at);
            case 1: return add_row(at);
            case 2: at.address += in.unsigned_leb() * h.least_bytes; return true;
            case 3: at.line = add(at.line, in.signed_leb()); return true;
            case 8:
                at.address += (255 - h.first_special) / h.line_range * h.least_bytes;
                return true;
            case 9: at.address += in.number(2); return true;
            default: break;
        }
        const auto arguments = number_at(table_.content, h.arguments + operation - 1, 1);
        for (std::uint64_t n = 0; n < arguments; ++n) in.unsigned_leb();
        return true;
    }

    static std::int64_t add(std::int64_t a, std::int64_t b) {  // wraps around
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                         static_cast<std::uint64_t>(b));
    }

    bool extended(byte_cursor& in, row& at) {
        const std::uint64_t length = in.unsigned_leb();
        if (!in.ok() || length == 0 || length > in.left()) return false;
        const std::size_t begin = in.offset();
        const std::uint8_t operation = in.byte();
        if (operation == 1) {  // end of a sequence
            const bool good = close(at);
            at = {};
            in.skip(length - 1);
            return good;
        }
        if (operation == 2) {  // an address, of `length - 1` bytes
            if (length != 9) return false;
            at = {.address = in.number(8), .line = at.line};
            at.ours = relocated(begin + 1, at.address);
            return true;
        }
        in.skip(length - 1);
        return true;
    }

    // Whether the address at this offset of the table lies in our code; then it is made relative to that.
    bool relocated(std::size_t offset, std::uint64_t& address) const {
        const bool with_addend = relocations_.name.substr(0, 5) == ".rela";
        const std::size_t bytes = with_addend ? 24 : 16;
        const byte_view entries = relocations_.content;
        for (std::size_t at = 0; bytes <= entries.size() - at; at += bytes) {
            if (number_at(entries, at, 8) != offset) continue;
            const std::uint64_t index = number_at(entries, at + 12, 4);
            if (index >= file_.symbol_count()) return false;
            const symbol s = file_.symbol_at(static_cast<std::size_t>(index));
            address += s.value + (with_addend ? number_at(entries, at + 16, 8) : 0);
            return s.section == code_.index;
        }
        return false;
    }

    bool add_row(row& at) {
        if (at.pending && !close(at)) return false;
        at.pending = true;
        at.from = at.address;
        at.of = at.line;
        return true;
    }

    // Instructions from the last row up to here have its line.
    bool close(row& at) {
        if (!at.pending) return true;
        at.pending = false;
        if (at.address < at.from) return false;
        if (!at.ours) return true;
        const std::uint64_t line =
            at.of > 0 && at.of <= 0xffff'ffff ? static_cast<std::uint64_t>(at.of) : 0;
        for (std::uint64_t n = (at.from + instruction_bytes - 1) / instruction_bytes;
             n < lines_.size() && n * instruction_bytes < at.address; ++n) {
            lines_[static_cast<std::size_t>(n)] = static_cast<std::uint32_t>(line);
            ++written_;
        }
        return written_ <= max_rewrites * lines_.size();
    }

    const elf_file& file_;
    const section& code_;
    const section& table_;
    section relocations_;
    core::late<Used, std::vector<std::uint32_t>> lines_;
    std::uint64_t written_ = 0;  // entries, rewritten ones too
};

}  // namespace detail

template <class Used>
result<std::vector<std::uint32_t>> read_lines(const elf_file& file, const section& code,
                                              std::string_view table) {
    const section found = file.find(table);
    if (found.name.empty()) return core::late<Used, std::vector<std::uint32_t>>{};
    return detail::line_program<Used>(file, code, found).run();
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
