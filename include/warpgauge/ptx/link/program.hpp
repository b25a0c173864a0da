// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_PROGRAM_HPP
#define WARPGAUGE_PTX_LINK_PROGRAM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode.hpp>

/// \file A kernel made ready to be followed: names become numbers.
///
/// A register, a parameter or a constant is a *row*: the values of a warp's 32 lanes. Rows of constants
/// and special registers are fixed; those of a function's registers belong to each call of it.

namespace warpgauge::ptx::detail {

inline constexpr std::uint32_t nowhere = 0xffff'ffff;

/// Marks rows that belong to a call.
inline constexpr std::uint32_t of_call = 0x8000'0000;

/// Fixed rows, before those of constants.
enum special_row : std::uint32_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_smem_size,
    total_smem_size,
    carry,
    unknown_row,
    special_rows
};

// Generic addresses of shared and local memory and of parameters lie where no allocation does. In texts
// of 32-bit addresses, the windows are as many bits lower.
inline constexpr std::uint64_t shared_window = std::uint64_t{0x70} << 56;
inline constexpr std::uint64_t local_window = std::uint64_t{0x60} << 56;
inline constexpr std::uint64_t parameter_window = std::uint64_t{0x50} << 56;
inline constexpr std::uint64_t window_mask = std::uint64_t{0xff} << 56;

/// A type as the values of a row have it.
struct value_type {
    std::uint8_t bits = 32;  ///< 1 of a predicate
    bool is_signed{};
    bool followed{};  ///< an integer, a predicate or plain bits: not a float, nor several in one
};

enum class comparison : std::uint8_t { eq, ne, lt, le, gt, ge };
enum class halves : std::uint8_t { low, high, wide };

/// The memory that an address is in.
enum class address_space : std::uint8_t { none, generic, global, shared, local, constant };

/// One instruction.
struct step {
    action what{};
    operation op = operation::other;
    unit_kind unit{};
    bool has_constant{};  ///< its second operand is one
    value_type type{};
    value_type from{};  ///< of the sources, where that is another
    comparison compare{};
    bool unsigned_compare{};
    bool all_ones{};  ///< a comparison gives a number with all bits set, as `set` does
    halves part{};
    std::uint8_t mode{};     ///< of `vote`, `shfl` and others, its own
    bool accesses{};         ///< memory, and not a parameter
    bool loses_carry{};      ///< writes a carry that is not followed
    bool hides_addresses{};  ///< of an access: where its lanes go is not in the text
    bool stores{};
    bool is_atomic{};
    bool predicate_negated{};
    std::uint8_t negated_sources{};  ///< a bit for each
    address_space space{};
    std::uint8_t lane_bytes{};          ///< B that a lane moves
    std::uint32_t predicate = nowhere;  ///< row
    std::uint32_t first{};              ///< of its rows: results, then sources
    std::uint16_t results{};
    std::uint16_t sources{};             ///< of a memory access: address, then what it stores
    std::uint32_t target = nowhere;      ///< step, of a branch; first target of a table; routine
    std::uint32_t targets{};             ///< of a table; of a call, values that go in
    std::uint32_t returned{};            ///< of a call: values that come back, after those
    std::uint32_t reconverge = nowhere;  ///< step where the paths of a branch meet
    std::int64_t offset{};               ///< of an address; the value of an immediate table
    std::uint32_t statement{};           ///< instruction of the module
};

/// A value that goes into a call or comes back.
struct move_of_call {
    std::uint32_t from = nowhere;  ///< row of the caller, or of the call; `nowhere`: not known
    std::uint32_t to{};            ///< row of the other
    std::uint8_t shift{};          ///< bits of `from` below the part that goes
    std::uint8_t bits = 64;        ///< of the part
    std::uint8_t at{};             ///< bits of `to` below it
    bool joins{};                  ///< it is not the first part of `to`
};

/// A row that a call gives a value before it begins.
struct preset {
    std::uint32_t row{};        ///< of the call
    std::uint32_t parameter{};  ///< of the kernel; `nowhere`: an address of local memory
    std::uint32_t offset{};     ///< B, in that parameter or in the call's local memory
    std::uint32_t bytes{};
};

/// One function.
struct routine {
    std::uint32_t function{};  ///< of the module
    std::uint32_t first{};     ///< step
    std::uint32_t count{};
    std::uint32_t rows{};
    std::uint32_t local_bytes{};
    std::vector<std::uint8_t> weights{};  ///< 32-bit registers of each row
    std::vector<preset> presets{};
};

/// A kernel and all that it calls.
struct program {
    const module* text{};
    std::vector<step> steps{};
    std::vector<std::uint32_t> rows{};  ///< of the steps; targets of tables
    std::vector<std::uint64_t> constants{};
    std::vector<routine> routines{};    ///< the kernel first
    std::vector<move_of_call> moves{};  ///< of calls
    std::uint64_t shared_bytes{};       ///< B, static
};

/// Names to numbers; each with a number of its own, so that equal names can differ.
class name_table {
public:
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
        count_ += place({name, salt, value});
    }

private:
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

    bool place(const slot& wanted) {
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
            if (s.value != nowhere) place(s);
        }
    }

    std::vector<slot> slots_;
    std::size_t count_ = 0;
};

constexpr std::string_view next_part(std::string_view& rest) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
    return part;
}

/// A type such as `s32`; false if the part of an opcode is none.
constexpr bool read_type(std::string_view part, value_type& type) {
    if (part == "pred") {
        type = {.bits = 1, .followed = true};
        return true;
    }
    const std::size_t digits = part.find_first_of("0123456789");
    if (digits == 0 || digits == std::string_view::npos) return false;
    const std::string_view kind = part.substr(0, digits);
    if (kind != "u" && kind != "s" && kind != "b" && kind != "f" && kind != "bf" && kind != "tf" &&
        kind != "e") {
        return false;
    }
    unsigned bits = 0;
    std::size_t at = digits;
    for (; at < part.size() && part[at] >= '0' && part[at] <= '9' && bits < 1000; ++at) {
        bits = 10 * bits + static_cast<unsigned>(part[at] - '0');
    }
    if (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128) {
        type = {};
        return kind != "e";
    }
    const bool whole = at == part.size() && bits <= 64;
    type = {.bits = static_cast<std::uint8_t>(bits == 128 ? 64 : bits),
            .is_signed = kind == "s",
            .followed = whole && (kind == "u" || kind == "s" || kind == "b")};
    return true;
}

/// Makes a `program`.
template <int Instance>
class linker {
public:
    linker(const module& m, std::uint64_t most_steps) : m_(m), most_steps_(most_steps) {
        p_.text = &m;
    }

    result<program> link(std::uint32_t kernel) {
        for (std::uint32_t f = 0; f < m_.functions.size(); ++f) {
            const std::uint32_t known = functions_.find(m_.functions[f].name);
            if (known == nowhere || (m_.functions[f].has_body && !m_.functions[known].has_body)) {
                functions_.insert(m_.functions[f].name, 0, f);
            }
        }
        variables_of_module();
        routine_of(kernel);
        for (std::uint32_t r = 0; r < p_.routines.size() && ok(); ++r) decode(r);
        for (const pending_call& call : calls_) {
            if (ok()) connect(call);
        }
        // What a launch adds comes after all that is declared.
        for (const auto& [constant, offset] : dynamic_shared_) {
            p_.constants[constant] = align(p_.shared_bytes, 16) + offset;
        }
        if (!ok()) return error_;
        return std::move(p_);
    }

private:
    struct cell {  // a part of a parameter: a row
        std::uint32_t declaration{};
        std::uint32_t offset{};
        std::uint32_t bytes{};
        std::uint32_t row{};
        std::uint32_t next{};  // of the same declaration
    };
    struct actual {                           // a value in a call's lists
        std::uint32_t declaration = nowhere;  // of a parameter
        std::uint32_t row = nowhere;          // else
    };
    struct pending_call {
        std::uint32_t step{};
        std::vector<actual> results{}, arguments{};
    };
    [[nodiscard]] bool ok() const { return !error_; }

    void fail(errc code, std::string_view field, position at) {
        if (ok()) error_ = {code, field, at.line, at.column};
    }

    static std::uint64_t align(std::uint64_t at, std::uint64_t to) {
        return to <= 1 ? at : (at + to - 1) / to * to;
    }

    static std::uint64_t size_of(const declaration& d) {
        value_type type;
        read_type(d.type, type);
        std::uint64_t bits = type.bits == 1 ? 8 : type.bits;
        if (d.type == "b128") bits = 128;
        return d.elements * d.vector * (bits / 8);
    }

    static std::uint64_t alignment_of(const declaration& d) {
        if (d.alignment != 0) return d.alignment;
        value_type type;
        read_type(d.type, type);
        return std::uint64_t{d.vector} * (type.bits < 8 ? 1U : type.bits / 8U);
    }

    // --- Rows

    std::uint32_t constant(std::uint64_t value) {
        std::uint32_t row = constants_.find({}, value);
        if (row == nowhere) {
            row = special_rows + static_cast<std::uint32_t>(p_.constants.size());
            p_.constants.push_back(value);
            constants_.insert({}, value, row);
        }
        return row;
    }

    std::uint32_t new_row(unsigned weight) {
        routine_->weights.push_back(static_cast<std::uint8_t>(weight));
        return of_call | routine_->rows++;
    }

    // --- Variables

    // What no function declares. A name may be declared before it is defined.
    void variables_of_module() {
        std::vector<bool> in_function(m_.declarations.size());
        for (const function& f : m_.functions) {
            for (const range& r : {f.returns, f.parameters, f.declarations}) {
                for (std::uint32_t d = r.first; d < r.first + r.count; ++d) in_function[d] = true;
            }
        }
        for (std::uint32_t d = 0; d < m_.declarations.size(); ++d) {
            const declaration& v = m_.declarations[d];
            if (!in_function[d] && (v.elements > 0 || variables_.find(v.name) == nowhere)) {
                variables_.insert(v.name, 0, d);
            }
        }
    }

    // The first use of a variable gives it its address, so that others take no room.
    std::uint32_t place(std::uint32_t d) {
        const declaration& v = m_.declarations[d];
        std::uint32_t row = addresses_.find({}, d);
        if (row != nowhere) return row;
        if (v.space == state_space::shared) {
            p_.shared_bytes = align(p_.shared_bytes, alignment_of(v));
            row = address(p_.shared_bytes);
            p_.shared_bytes += size_of(v);
            if (p_.shared_bytes > (std::uint64_t{1} << 40)) fail(errc::overflow, "shared", v.at);
        } else {  // apart from each other, and below all allocations
            row = address((std::uint64_t{1} << 38) + (std::uint64_t{d} << 16));
        }
        addresses_.insert({}, d, row);
        return row;
    }

    // Two variables must not share a constant's row if one of them moves at the end.
    std::uint32_t address(std::uint64_t value) {
        p_.constants.push_back(value);
        return special_rows + static_cast<std::uint32_t>(p_.constants.size() - 1);
    }

    std::uint32_t address_of(std::uint32_t d, std::int64_t offset) {
        const declaration& v = m_.declarations[d];
        const auto add = static_cast<std::uint64_t>(offset);
        if (v.space == state_space::local) {
            const std::uint32_t row = new_row(0);
            const std::uint32_t at = locals_.find({}, d);
            routine_->presets.push_back(
                {.row = row,
                 .parameter = nowhere,
                 .offset = static_cast<std::uint32_t>((at == nowhere ? 0 : at) + add),
                 .bytes = 8});
            return row;
        }
        if (v.space == state_space::shared && v.elements == 0) {
            const std::uint32_t row = address(0);
            dynamic_shared_.push_back({row - special_rows, add});
            return row;
        }
        const std::uint32_t row = place(d);
        return add == 0 ? row : constant(p_.constants[row - special_rows] + add);
    }

    // --- Names of a function

    // Names belong to braces, or to a function.
    static std::uint64_t block_salt(std::uint32_t block) { return std::uint64_t{1} << 62 | block; }
    [[nodiscard]] std::uint64_t function_salt() const { return std::uint64_t{1} << 61 | current_; }

    // A declaration of the name that the instruction sees; the innermost one.
    [[nodiscard]] std::uint32_t visible(std::string_view name) const {
        const std::uint32_t d = find_in_blocks(names_, name);
        return d != nowhere ? d : names_.find(name, function_salt());
    }

    // In the braces around the instruction, from the inner ones to the outer.
    [[nodiscard]] std::uint32_t find_in_blocks(const name_table& table,
                                               std::string_view name) const {
        for (std::uint32_t b = m_.instructions[statement_].block;; b = m_.blocks[b]) {
            const std::uint32_t found = table.find(name, block_salt(b));
            if (found != nowhere || m_.blocks[b] == b) return found;
        }
    }

    static bool is_in(const range& r, std::uint32_t n) { return n - r.first < r.count; }

    // The declaration of a register: by its name, or `%r<8>` by `%r`.
    std::uint32_t register_declaration(std::string_view name) {
        std::uint32_t d = visible(name);
        if (d != nowhere && m_.declarations[d].registers == 0) return d;
        std::size_t digits = name.size();
        while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
        for (; digits < name.size(); ++digits) {
            d = visible(name.substr(0, digits));
            if (d == nowhere || name.size() - digits > 9) continue;
            std::uint32_t number = 0;
            for (const char c : name.substr(digits)) {
                number = 10 * number + static_cast<std::uint32_t>(c - '0');
            }
            if (number < m_.declarations[d].registers) return d;
        }
        return nowhere;
    }

    // The row of a register, or `nowhere`.
    std::uint32_t register_row(std::string_view name) {
        std::uint32_t d = register_declaration(name);
        if (d == nowhere) {  // an element of a vector: `%v.x`
            const std::size_t dot = name.rfind('.');
            if (dot == std::string_view::npos || dot == 0) return nowhere;
            d = register_declaration(name.substr(0, dot));
            if (d == nowhere) return nowhere;
        }
        const declaration& r = m_.declarations[d];
        if (r.space != state_space::reg) return nowhere;
        const std::uint64_t salt = row_salt(d);
        std::uint32_t row = names_.find(name, salt);
        if (row == nowhere) {
            row = new_row(weight_of(r.type));
            names_.insert(name, salt, row);
        }
        return row;
    }

    static std::uint64_t row_salt(std::uint32_t d) { return std::uint64_t{1} << 63 | d; }

    static unsigned weight_of(std::string_view type) {
        value_type t;
        if (type == "pred") return 0;
        if (type == "b128") return 4;
        read_type(type, t);
        return type == "f64" || t.bits == 64 ? 2 : 1;
    }

    static std::uint32_t special_register(std::string_view name) {
        struct known {
            std::string_view name;
            std::uint32_t row;
        };
        static constexpr known all[] = {{"%tid.x", tid_x},
                                        {"%tid.y", tid_y},
                                        {"%tid.z", tid_z},
                                        {"%ntid.x", ntid_x},
                                        {"%ntid.y", ntid_y},
                                        {"%ntid.z", ntid_z},
                                        {"%ctaid.x", ctaid_x},
                                        {"%ctaid.y", ctaid_y},
                                        {"%ctaid.z", ctaid_z},
                                        {"%nctaid.x", nctaid_x},
                                        {"%nctaid.y", nctaid_y},
                                        {"%nctaid.z", nctaid_z},
                                        {"%laneid", laneid},
                                        {"%warpid", warpid},
                                        {"%nwarpid", nwarpid},
                                        {"%lanemask_eq", lanemask_eq},
                                        {"%lanemask_le", lanemask_le},
                                        {"%lanemask_lt", lanemask_lt},
                                        {"%lanemask_ge", lanemask_ge},
                                        {"%lanemask_gt", lanemask_gt},
                                        {"%dynamic_smem_size", dynamic_smem_size},
                                        {"%total_smem_size", total_smem_size}};
        for (const known& k : all) {
            if (k.name == name) return k.row;
        }
        // Those whose value does not follow from the launch, or that have several, by how they begin.
        for (const std::string_view other :
             {"%clock", "%globaltimer", "%smid", "%nsmid", "%gridid", "%envreg", "%pm", "%cluster",
              "%is_explicit_cluster", "%reserved_smem", "%current_graph", "%aggr_smem", "%tid",
              "%ntid", "%ctaid", "%nctaid"}) {
            if (name.substr(0, other.size()) == other) return unknown_row;
        }
        return nowhere;
    }

    // The row of a parameter's part. Of the kernel it is preset; of a call, the caller's.
    std::uint32_t parameter_row(std::uint32_t d, std::int64_t offset, std::uint32_t bytes) {
        if (offset < 0 || offset > 0xffff'ffff) return unknown_row;
        const auto at = static_cast<std::uint32_t>(offset);
        const std::uint32_t head = first_cell(d);
        for (std::uint32_t c = head; c != nowhere; c = cells_[c].next) {
            if (cells_[c].offset == at && cells_[c].bytes == bytes) return cells_[c].row;
            if (++work_ > most_steps_) fail(errc::limit_reached, "steps", here());
        }
        const std::uint32_t row = new_row(0);
        cells_.push_back({d, at, bytes, row, head});
        cell_heads_.insert({}, d, static_cast<std::uint32_t>(cells_.size() - 1));
        const function& f = m_.functions[routine_->function];
        if (current_ == 0 && is_in(f.parameters, d)) {
            routine_->presets.push_back(
                {.row = row, .parameter = d - f.parameters.first, .offset = at, .bytes = bytes});
        }
        return row;
    }

    [[nodiscard]] std::uint32_t first_cell(std::uint32_t d) const {
        return cell_heads_.find({}, d);
    }

    [[nodiscard]] std::uint64_t parameter_address(std::uint32_t parameter) const {
        const std::uint64_t window = parameter_window >> (m_.address_bits == 32 ? 32 : 0);
        return window + std::uint64_t{parameter} * (m_.address_bits == 32 ? 1 << 16 : 1 << 20);
    }

    // The row of any name that has a value. One that has none is an error.
    std::uint32_t value_row(const operand& o) {
        if (o.kind == operand_kind::integer) return constant(static_cast<std::uint64_t>(o.value));
        if (o.kind == operand_kind::real) {  // known to the bit where it is written so
            const bool bits = o.text.size() > 2 && (o.text[1] == 'f' || o.text[1] == 'F' ||
                                                    o.text[1] == 'd' || o.text[1] == 'D');
            return bits ? constant(static_cast<std::uint64_t>(o.value)) : unknown_row;
        }
        if (o.text == "_") return nowhere;
        if (o.text == "WARP_SZ") return constant(32);
        std::uint32_t row = register_row(o.text);
        if (row != nowhere) return row;
        row = special_register(o.text);
        if (row != nowhere) return row;
        std::uint32_t d = visible(o.text);
        if (d == nowhere) d = variables_.find(o.text);
        if (d != nowhere && m_.declarations[d].space != state_space::param) {
            return address_of(d, o.value);
        }
        const function& f = m_.functions[routine_->function];
        if (d != nowhere && current_ == 0 && is_in(f.parameters, d)) {  // known to the kernel alone
            return constant(parameter_address(d - f.parameters.first) +
                            static_cast<std::uint64_t>(o.value));
        }
        if (d != nowhere || functions_.find(o.text) != nowhere ||
            find_in_blocks(labels_, o.text) != nowhere) {
            return unknown_row;
        }
        fail(errc::missing, "declaration", here());
        return unknown_row;
    }

    [[nodiscard]] position here() const { return m_.instructions[statement_].at; }

    // --- Functions

    std::uint32_t routine_of(std::uint32_t function_index) {
        std::uint32_t r = routines_.find({}, function_index);
        if (r == nowhere) {
            r = static_cast<std::uint32_t>(p_.routines.size());
            p_.routines.push_back({.function = function_index});
            routines_.insert({}, function_index, r);
        }
        return r;
    }

    void declare(const range& r, bool in_braces) {
        for (std::uint32_t d = r.first; d < r.first + r.count; ++d) {
            const declaration& v = m_.declarations[d];
            names_.insert(v.name, in_braces ? block_salt(v.block) : function_salt(), d);
        }
    }

    void decode(std::uint32_t index) {
        current_ = index;
        routine_ = &p_.routines[index];
        const function& f = m_.functions[routine_->function];
        routine_->first = static_cast<std::uint32_t>(p_.steps.size());
        declare(f.returns, false);
        declare(f.parameters, false);
        declare(f.declarations, true);
        for (std::uint32_t d = f.declarations.first;
             d < f.declarations.first + f.declarations.count && ok(); ++d) {
            const declaration& v = m_.declarations[d];
            if (v.space == state_space::local) place_local(d, v);
        }
        for (std::uint32_t l = f.labels.first; l < f.labels.first + f.labels.count; ++l) {
            labels_.insert(m_.labels[l].name, block_salt(m_.labels[l].block), l);
        }
        for (std::uint32_t i = 0; i < f.instructions.count && ok(); ++i) {
            statement_ = f.instructions.first + i;
            decode_one();
        }
        routine_ = &p_.routines[index];
        routine_->count = static_cast<std::uint32_t>(p_.steps.size()) - routine_->first;
    }

    void place_local(std::uint32_t d, const declaration& v) {
        const std::uint64_t at = align(routine_->local_bytes, alignment_of(v));
        const std::uint64_t size = size_of(v);
        if (size > (1U << 30) || at + size > (1U << 30)) return fail(errc::overflow, "local", v.at);
        locals_.insert({}, d, static_cast<std::uint32_t>(at));
        routine_->local_bytes = static_cast<std::uint32_t>(at + size);
    }

    // The step of a label.
    std::uint32_t step_of(std::string_view name) {
        const std::uint32_t l = find_in_blocks(labels_, name);
        if (l == nowhere) {
            fail(errc::missing, "label", here());
            return 0;
        }
        const function& f = m_.functions[routine_->function];
        return routine_->first + (m_.labels[l].before - f.instructions.first);
    }

    // --- One instruction

    void decode_one() {
        const ptx::instruction& i = m_.instructions[statement_];
        step s{.unit = i.unit, .statement = statement_};
        if (!i.predicate.empty()) {
            s.predicate = register_row(i.predicate);
            if (s.predicate == nowhere) return fail(errc::missing, "declaration", i.at);
            s.predicate_negated = i.predicate_negated;
        }
        const root_rule* const rule = rule_of(i.opcode);
        s.what = rule == nullptr ? action::unknown : rule->what;
        modifiers(i.opcode, s);
        s.first = static_cast<std::uint32_t>(p_.rows.size());
        const std::span<const operand> all = m_.operands_of(i);
        switch (s.what) {
            case action::branch:
                if (all.empty()) return fail(errc::missing, "label", i.at);
                s.target = step_of(all[0].text);
                break;
            case action::branch_table: table(all, s); break;
            case action::call: call(s); break;
            case action::return_:
            case action::exit: break;
            case action::barrier:
                if (!has_part(i.opcode, "red")) break;
                s.what = action::unknown;  // it has a result
                arithmetic(all, s);
                break;
            default:
                if (rule != nullptr &&
                    (rule->rule == by::memory || (rule->rule == by::tensor && is_access(i.unit)))) {
                    memory(i.opcode, all, s);
                } else {
                    arithmetic(all, s);
                }
        }
        if (ok()) p_.steps.push_back(s);
    }

    static bool is_access(unit_kind unit) {
        return unit == unit_kind::global_memory || unit == unit_kind::shared_memory;
    }

    void modifiers(std::string_view opcode, step& s) {
        const std::string_view root = next_part(opcode);
        s.all_ones = root == "set";
        bool first_type = true;
        bool exact = true;
        bool carries = root == "madc";
        unsigned vector = 1;
        while (!opcode.empty()) {
            const std::string_view part = next_part(opcode);
            value_type type;
            if (part == "b128") vector = vector <= 32 ? 2 * vector : vector;
            exact = exact && part != "b128";
            if (read_type(part, type)) {
                if (first_type) s.type = type;
                s.from = type;
                first_type = false;
            } else if (part == "lo") {
                s.part = halves::low;
                if (s.what == action::compare)
                    s.compare = comparison::lt, s.unsigned_compare = true;
            } else if (part == "hi") {
                s.part = halves::high;
                if (s.what == action::compare)
                    s.compare = comparison::gt, s.unsigned_compare = true;
            } else if (part == "wide") {
                s.part = halves::wide;
            } else if (part == "cc") {
                carries = true;
                s.mode = 1;
            } else if (part == "v2" || part == "v4" || part == "v8") {
                if (vector <= 32) vector *= static_cast<unsigned>(part[1] - '0');
            } else if (part == "sat" || part == "relu" || part == "f4e" || part == "b4e" ||
                       part == "rc8" || part == "ecl" || part == "ecr" || part == "rc16") {
                exact = false;
            } else {
                other_modifier(part, s);
            }
        }
        const bool whole = s.type.followed && s.from.followed && exact;
        s.op = operation_of(root, s.what);
        const unsigned lane = vector * (s.type.bits < 8 ? 8U : s.type.bits) / 8;
        s.lane_bytes = static_cast<std::uint8_t>(lane > 32 ? 32 : lane);
        if (!whole && is_computed(s.what)) s.what = action::unknown;
        if (!exact && s.what == action::move) s.what = action::unknown;
        s.loses_carry = carries && s.what != action::add && s.what != action::subtract &&
                        s.what != action::add_carry && s.what != action::subtract_borrow;
        if (s.loses_carry) s.what = action::unknown;
        if (s.what == action::vote && s.mode == 4) s.what = action::unknown;
    }

    static bool is_computed(action a) {
        return a > action::unpack && a <= action::select_by_sign && a != action::convert_address &&
               a != action::select;
    }

    static void other_modifier(std::string_view part, step& s) {
        if (s.what == action::compare) {
            struct named {
                std::string_view name;
                comparison compare;
            };
            static constexpr named all[] = {{"eq", comparison::eq}, {"ne", comparison::ne},
                                            {"lt", comparison::lt}, {"le", comparison::le},
                                            {"gt", comparison::gt}, {"ge", comparison::ge},
                                            {"ls", comparison::le}, {"hs", comparison::ge}};
            for (const named& n : all) {
                if (n.name != part) continue;
                s.compare = n.compare;
                s.unsigned_compare = part == "ls" || part == "hs";
            }
            if (part == "and") s.mode = 1;
            if (part == "or") s.mode = 2;
            if (part == "xor") s.mode = 3;
        } else if (s.what == action::vote) {
            s.mode = part == "all" ? 1 : part == "any" ? 2 : part == "ballot" ? 3 : s.mode;
            if (part == "uni") s.mode = 4;
        } else if (s.what == action::shuffle) {
            s.mode = part == "up" ? 1 : part == "down" ? 2 : part == "bfly" ? 3 : s.mode;
        } else if (s.what == action::funnel_shift) {
            if (part == "r") s.mode |= 1U;
            if (part == "wrap") s.mode |= 2U;
        } else if (s.what == action::convert_address && part == "to") {
            s.mode |= 1U;
        } else if (s.what == action::find_bit && part == "shiftamt") {
            s.mode = 1;
        }
        if (part == "global") s.space = address_space::global;
        if (part == "local") s.space = address_space::local;
        if (part == "const") s.space = address_space::constant;
        if (part.substr(0, 6) == "shared" && s.space != address_space::global) {
            s.space = address_space::shared;
        }
    }

    static operation operation_of(std::string_view root, action what) {
        switch (what) {
            case action::add:
            case action::add_carry: return operation::add;
            case action::subtract:
            case action::subtract_borrow: return operation::sub;
            case action::multiply:
            case action::multiply_24:
            case action::multiply_add:
            case action::multiply_add_24: return operation::mul;
            case action::divide: return operation::div;
            case action::negate: return operation::neg;
            case action::minimum: return operation::min;
            case action::maximum: return operation::max;
            case action::bit_and: return operation::bit_and;
            case action::bit_or: return operation::bit_or;
            case action::bit_xor: return operation::bit_xor;
            case action::bit_not: return operation::bit_not;
            default: return root == "div" ? operation::div : operation::other;
        }
    }

    // Adds the rows of one operand, and of a vector all of its parts; goes on to the next.
    void add_rows(std::span<const operand> all, std::size_t& at, const value_type& type,
                  std::uint16_t& count) {
        const std::size_t end = at + all[at].parts + 1;
        const bool group =
            all[at].kind == operand_kind::vector || all[at].kind == operand_kind::list;
        for (std::size_t o = group ? at + 1 : at; o < end && ok(); ++o) {
            if (all[o].kind == operand_kind::vector || all[o].kind == operand_kind::list) continue;
            std::uint32_t row = nowhere;
            if (all[o].kind == operand_kind::integer) {
                row = constant(static_cast<std::uint64_t>(all[o].value) & mask_of(type));
            } else if (all[o].kind == operand_kind::address) {
                row = all[o].text.empty() ? constant(0) : address_row(all[o]);
            } else {
                row = value_row(all[o]);
            }
            if (count == 0xffff) return fail(errc::limit_reached, "operands", here());
            p_.rows.push_back(row);
            ++count;
        }
        at = end;
    }

    static std::uint64_t mask_of(const value_type& type) {
        return type.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << type.bits) - 1;
    }

    void arithmetic(std::span<const operand> all, step& s) {
        std::size_t at = 0;
        const bool packs = s.what == action::move && all.size() > 1 &&
                           all[0].kind != operand_kind::vector &&
                           all[1].kind == operand_kind::vector;
        const bool unpacks =
            s.what == action::move && !all.empty() && all[0].kind == operand_kind::vector;
        if (packs) s.what = action::pack;
        if (unpacks) s.what = action::unpack;
        const bool has_result = !all.empty() && (all[0].kind == operand_kind::name ||
                                                 all[0].kind == operand_kind::vector);
        if (s.what != action::no_result && has_result) {
            if (packs || s.what == action::move) remember_address_of_parameter(all);
            add_rows(all, at, s.type, s.results);
            if (at < all.size() && all[at].second_result) add_rows(all, at, s.type, s.results);
        }
        unsigned source = 0;
        while (at < all.size() && ok()) {
            if (all[at].negated && source < 8) {
                s.negated_sources = static_cast<std::uint8_t>(s.negated_sources | 1U << source);
            }
            if (source == 1) {
                s.has_constant =
                    all[at].kind == operand_kind::integer || all[at].kind == operand_kind::real;
            }
            add_rows(all, at, literal_type(s, source), s.sources);
            ++source;
        }
        check_operands(s);
    }

    // The width in which a literal is read: an amount to shift by has 32 bits, what is added to a wide
    // product twice as many as its factors.
    static value_type literal_type(const step& s, unsigned source) {
        const bool shifts = s.what == action::shift_left || s.what == action::shift_right;
        if (shifts && source == 1) return {.bits = 32};
        if (s.part == halves::wide && source == 2) return {.bits = 64};
        return s.from;
    }

    // `mov.b64 %rd1, parameter`: accesses by that register are accesses of the parameter.
    void remember_address_of_parameter(std::span<const operand> all) {
        if (all.size() != 2 || all[0].kind != operand_kind::name ||
            all[1].kind != operand_kind::name) {
            return;
        }
        const std::uint32_t d = visible(all[1].text);
        const std::uint32_t row = register_row(all[0].text);
        if (row == nowhere || d == nowhere || m_.declarations[d].space != state_space::param)
            return;
        parameter_in_.insert({}, std::uint64_t{current_} << 32 | row,
                             static_cast<std::uint32_t>(held_.size()));
        held_.push_back({d, all[1].value});
    }

    // What the executor reads must be there; a form it does not know is not followed.
    void check_operands(step& s) {
        struct shape {
            action what;
            unsigned least, most;
        };
        static constexpr shape shapes[] = {{action::move, 1, 1},
                                           {action::pack, 2, 8},
                                           {action::unpack, 1, 1},
                                           {action::convert, 1, 1},
                                           {action::convert_address, 1, 1},
                                           {action::add, 2, 2},
                                           {action::add_carry, 2, 2},
                                           {action::subtract, 2, 2},
                                           {action::subtract_borrow, 2, 2},
                                           {action::multiply, 2, 2},
                                           {action::multiply_24, 2, 2},
                                           {action::multiply_add, 3, 3},
                                           {action::multiply_add_24, 3, 3},
                                           {action::divide, 2, 2},
                                           {action::remainder, 2, 2},
                                           {action::absolute, 1, 1},
                                           {action::negate, 1, 1},
                                           {action::minimum, 2, 2},
                                           {action::maximum, 2, 2},
                                           {action::sum_of_difference, 3, 3},
                                           {action::bit_and, 2, 2},
                                           {action::bit_or, 2, 2},
                                           {action::bit_xor, 2, 2},
                                           {action::bit_not, 1, 1},
                                           {action::is_zero, 1, 1},
                                           {action::logic_3, 4, 4},
                                           {action::shift_left, 2, 2},
                                           {action::shift_right, 2, 2},
                                           {action::funnel_shift, 3, 3},
                                           {action::extract, 3, 3},
                                           {action::insert, 4, 4},
                                           {action::find_bit, 1, 1},
                                           {action::leading_zeros, 1, 1},
                                           {action::count_ones, 1, 1},
                                           {action::reverse_bits, 1, 1},
                                           {action::permute, 3, 3},
                                           {action::dot_2, 3, 3},
                                           {action::dot_4, 3, 3},
                                           {action::compare, 2, 3},
                                           {action::select, 3, 3},
                                           {action::select_by_sign, 3, 3},
                                           {action::active_mask, 0, 0},
                                           {action::vote, 1, 2},
                                           {action::shuffle, 3, 4}};
        bool good = true;
        for (const shape& form : shapes) {
            if (form.what == s.what) {
                good = s.sources >= form.least && s.sources <= form.most && s.results >= 1;
            }
        }
        const bool one_result = s.what != action::unpack && s.what != action::compare &&
                                s.what != action::shuffle && s.what != action::unknown;
        if (one_result && s.results > 1) good = false;
        if (s.what == action::unpack && s.results > 8) good = false;
        for (unsigned k = 0; k < s.sources && good; ++k) {
            good = p_.rows[s.first + s.results + k] != nowhere;
        }
        if (!good) s.what = action::unknown;
    }

    // The row of an address's base: a register's or a variable's.
    std::uint32_t address_row(const operand& o) {
        operand base = o;
        base.kind = operand_kind::name;
        base.value = 0;
        const std::uint32_t row = value_row(base);
        return row == nowhere ? unknown_row : row;
    }

    void memory(std::string_view opcode, std::span<const operand> all, step& s) {
        const std::string_view root = opcode.substr(0, opcode.find('.'));
        s.stores = root == "st" || root == "red" || root == "stmatrix" || root == "sust" ||
                   root == "sured";
        s.is_atomic = root == "atom" || root == "red";
        if (is_param(opcode) && parameter_access(all, s)) return;
        // The address: the last one where several are given, as of `cp.async [to], [from], bytes`.
        std::size_t address = all.size();
        for (std::size_t o = 0; o < all.size(); o += all[o].parts + 1) {
            if (all[o].kind == operand_kind::address) address = o;
        }
        if (address == all.size()) {  // it waits for others, or moves no data
            s.what = action::unknown;
            return arithmetic(all, s);
        }
        s.accesses = true;
        s.hides_addresses = root == "wmma";  // each lane's follow from the first by the hardware
        if (root == "cp") copy_bytes(all, address, s);
        if (root == "ldmatrix" || root == "stmatrix") s.lane_bytes = 16;
        const bool results =
            s.what == action::load || s.what == action::atomic || s.what == action::unknown;
        std::size_t at = 0;
        if (results && !all.empty() && all[0].kind != operand_kind::address) {
            add_rows(all, at, s.type, s.results);
            if (at < all.size() && all[at].second_result) add_rows(all, at, s.type, s.results);
        }
        const bool plain = address < all.size() && (all[address].parts == 0 || root == "ld");
        p_.rows.push_back(!plain                      ? unknown_row
                          : all[address].text.empty() ? constant(0)
                                                      : address_row(all[address]));
        s.sources = 1;
        s.offset = plain ? all[address].value : 0;
        if (s.space == address_space::none) s.space = address_space::generic;
        while (at < all.size() && ok()) {
            if (at == address) {
                at += all[at].parts + 1;
            } else {
                add_rows(all, at, s.type, s.sources);
            }
        }
        if (s.what == action::load || s.what == action::store) return;
        if (s.what != action::atomic) s.what = action::unknown;
    }

    // Bytes of `cp.async`, where they are written.
    void copy_bytes(std::span<const operand> all, std::size_t address, step& s) {
        s.what = action::unknown;
        s.lane_bytes = 4;
        const std::size_t size = address < all.size() ? address + all[address].parts + 1 : 0;
        if (size != 0 && size < all.size() && all[size].kind == operand_kind::integer &&
            all[size].value > 0 && all[size].value <= 16) {
            s.lane_bytes = static_cast<std::uint8_t>(all[size].value);
        }
    }

    // `ld.param` and `st.param` of a named parameter move values between rows.
    bool parameter_access(std::span<const operand> all, step& s) {
        if (all.size() < 2) return false;
        const bool loads = s.what == action::load;
        const std::size_t address = loads ? all[0].parts + 1 : 0;
        std::size_t value = loads ? 0 : 1;
        if (address >= all.size() || all[address].kind != operand_kind::address ||
            all[address].parts != 0) {
            return false;
        }
        std::uint32_t d = visible(all[address].text);
        std::int64_t offset = all[address].value;
        if (const std::uint32_t row = register_row(all[address].text); row != nowhere) {
            const std::uint32_t held = parameter_in_.find({}, std::uint64_t{current_} << 32 | row);
            if (held == nowhere) return false;
            d = held_[held].first;
            offset += held_[held].second;
        }
        if (d == nowhere || m_.declarations[d].space != state_space::param) return false;
        std::vector<std::uint32_t> values;
        std::uint16_t count = 0;
        add_rows(all, value, s.type, count);
        values.assign(p_.rows.end() - count, p_.rows.end());
        p_.rows.resize(p_.rows.size() - count);
        const std::uint32_t bytes = s.type.bits < 8 ? 1 : s.type.bits / 8U;
        std::vector<std::uint32_t> cells;
        for (std::uint32_t k = 0; k < count; ++k) {
            cells.push_back(parameter_row(d, offset + std::int64_t{k} * bytes, bytes));
        }
        const auto& to = loads ? values : cells;
        const auto& from = loads ? cells : values;
        p_.rows.insert(p_.rows.end(), to.begin(), to.end());
        p_.rows.insert(p_.rows.end(), from.begin(), from.end());
        s.results = count;
        s.sources = count;
        s.what = action::move;
        s.accesses = false;
        return true;
    }

    // --- Control

    void table(std::span<const operand> all, step& s) {
        if (all.size() < 2) return fail(errc::missing, "label", here());
        std::uint16_t count = 0;
        std::size_t at = 0;
        add_rows(all, at, {.bits = 32, .followed = true}, count);
        if (count != 1) return fail(errc::missing, "index", here());
        s.sources = 1;
        const std::uint32_t l = find_in_blocks(labels_, all[1].text);
        if (l == nowhere || m_.labels[l].targets.count == 0) {
            return fail(errc::missing, "label", here());
        }
        const range names = m_.labels[l].targets;
        for (std::uint32_t n = 0; n < names.count && ok(); ++n) {
            p_.rows.push_back(step_of(m_.operands[names.first + n].text));
        }
        s.target = s.first + 1;
        s.targets = names.count;
    }

    // Which values go in and come back is known when both functions are.
    void call(step& s) {
        pending_call pending{.step = static_cast<std::uint32_t>(p_.steps.size())};
        const std::span<const operand> all = m_.operands_of(m_.instructions[statement_]);
        bool named = false;
        for (std::size_t o = 0; o < all.size(); o += all[o].parts + 1) {
            if (all[o].kind == operand_kind::list) {
                auto& list = named ? pending.arguments : pending.results;
                if (list.empty()) add_actuals(all.subspan(o + 1, all[o].parts), list);
            } else if (!named) {
                named = true;
                const std::uint32_t f = functions_.find(all[o].text);
                if (f == nowhere || !m_.functions[f].has_body) continue;
                s.target = routine_of(f);
                routine_ = &p_.routines[current_];
            }
        }
        calls_.push_back(std::move(pending));
    }

    void add_actuals(std::span<const operand> parts, std::vector<actual>& list) {
        for (const operand& o : parts) {
            actual a;
            const std::uint32_t d = visible(o.text);
            if (d != nowhere && m_.declarations[d].space == state_space::param) {
                a.declaration = d;
            } else if (o.kind == operand_kind::name || o.kind == operand_kind::integer) {
                a.row = value_row(o);
            }
            list.push_back(a);
        }
    }

    void connect(const pending_call& call) {
        step& s = p_.steps[call.step];
        const function* const callee =
            s.target == nowhere ? nullptr : &m_.functions[p_.routines[s.target].function];
        s.first = static_cast<std::uint32_t>(p_.moves.size());
        for (std::uint32_t k = 0; callee != nullptr && k < call.arguments.size(); ++k) {
            if (k >= callee->parameters.count) break;
            const std::uint32_t formal = callee->parameters.first + k;
            if (call.arguments[k].declaration != nowhere) {
                join(call.arguments[k].declaration, formal);
            } else if (const std::uint32_t to = register_of(formal);
                       to != nowhere && call.arguments[k].row != nowhere) {
                p_.moves.push_back({.from = call.arguments[k].row, .to = to});
            }
        }
        s.targets = static_cast<std::uint32_t>(p_.moves.size()) - s.first;
        for (std::uint32_t k = 0; k < call.results.size(); ++k) {
            const bool has_formal = callee != nullptr && k < callee->returns.count;
            const std::uint32_t formal = has_formal ? callee->returns.first + k : nowhere;
            if (call.results[k].declaration != nowhere) {
                join(formal, call.results[k].declaration);
            } else if (call.results[k].row != nowhere) {
                p_.moves.push_back({.from = has_formal ? register_of(formal) : nowhere,
                                    .to = call.results[k].row});
            }
        }
        s.returned = static_cast<std::uint32_t>(p_.moves.size()) - s.first - s.targets;
    }

    // Every part of one parameter that is read, from the parts of the other that are written.
    void join(std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t t = first_cell(to); t != nowhere; t = cells_[t].next) {
            const std::size_t before = p_.moves.size();
            if (!within_one(from, cells_[t]) && !from_several(from, cells_[t])) {
                p_.moves.resize(before);
                p_.moves.push_back({.to = cells_[t].row});
            }
        }
    }

    bool within_one(std::uint32_t from, const cell& to) {
        for (std::uint32_t c = from == nowhere ? nowhere : first_cell(from); c != nowhere;
             c = cells_[c].next) {
            if (++work_ > most_steps_) fail(errc::limit_reached, "steps", here());
            const cell& f = cells_[c];
            if (f.offset > to.offset || to.offset - f.offset > f.bytes ||
                to.bytes > f.bytes - (to.offset - f.offset)) {
                continue;
            }
            p_.moves.push_back({.from = f.row,
                                .to = to.row,
                                .shift = static_cast<std::uint8_t>(8 * (to.offset - f.offset)),
                                .bits = static_cast<std::uint8_t>(8 * to.bytes)});
            return true;
        }
        return false;
    }

    bool from_several(std::uint32_t from, const cell& to) {
        std::uint32_t done = 0;
        while (done < to.bytes) {
            bool found = false;
            for (std::uint32_t c = from == nowhere ? nowhere : first_cell(from);
                 c != nowhere && !found; c = cells_[c].next) {
                if (++work_ > most_steps_) fail(errc::limit_reached, "steps", here());
                const cell& f = cells_[c];
                if (f.offset != to.offset + done || f.bytes > to.bytes - done) continue;
                p_.moves.push_back({.from = f.row,
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

    // The row of a formal parameter that is a register, as PTX before 2.0 has them.
    [[nodiscard]] std::uint32_t register_of(std::uint32_t d) const {
        return names_.find(m_.declarations[d].name, row_salt(d));
    }

    const module& m_;
    std::uint64_t most_steps_;
    program p_;
    model_error error_{};
    name_table functions_, variables_, constants_, addresses_, locals_, names_, labels_, routines_,
        cell_heads_;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> dynamic_shared_;
    name_table parameter_in_;  // register row to an entry of `held_`
    std::vector<std::pair<std::uint32_t, std::int64_t>> held_;  // parameter, offset
    std::vector<cell> cells_;
    std::vector<pending_call> calls_;
    routine* routine_ = nullptr;
    std::uint32_t current_ = 0;
    std::uint32_t statement_ = 0;
    std::uint64_t work_ = 0;
};

}  // namespace warpgauge::ptx::detail

#endif
