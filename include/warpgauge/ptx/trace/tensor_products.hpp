// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TENSOR_PRODUCTS_HPP
#define WARPGAUGE_PTX_TRACE_TENSOR_PRODUCTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/text/opcode.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file How many multiply-adds an instruction for tensor cores makes, and how long they take.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.14 (`wmma`, `mma`), 9.7.15 (`wgmma`), 9.7.16 (`tcgen05`).

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// The number behind a letter in a shape such as `m16n8k16`, and its end; 0 where it does not stand there.
constexpr double dimension(std::string_view shape, char letter, std::size_t& at) {
    if (at >= shape.size() || shape[at] != letter) return 0;
    double number = 0;
    for (++at; at < shape.size() && shape[at] >= '0' && shape[at] <= '9' && number < 1e6; ++at) {
        number = 10 * number + (shape[at] - '0');
    }
    return number;
}

/// What an opcode says of a product.
struct tensor_product {
    double m{}, n{}, k{};            ///< 0: not in the opcode
    std::string_view factor_type{};  ///< of the first factor; of `wmma` on halves it is left out
    std::string_view second_type{};  ///< of the second factor, if it is in the opcode
    bool sparse{};                   ///< of two elements of the first factor one is zero
};

/// Types of factors; those of scales, such as `ue8m0`, are none.
constexpr bool is_factor_type(std::string_view part) {
    ptx::text::value_type ignored;
    const bool small = part.size() == 4 && part[0] == 'e' && part[2] == 'm';  // `e4m3`
    return small || ptx::text::read_type(part, ignored);
}

/// Source of the types' places: `.d.a.b.c` of `mma` and `wmma`, `.d.a.b` of `wgmma`; of `tcgen05` the kind has it.
constexpr tensor_product product_of(std::string_view opcode) {
    tensor_product p{.factor_type = "f16"};
    std::size_t types = 0;
    while (!opcode.empty()) {
        const std::size_t dot = opcode.find('.');
        const std::string_view part = opcode.substr(0, dot);
        opcode.remove_prefix(dot == std::string_view::npos ? opcode.size() : dot + 1);
        std::size_t at = 0;
        const double m = dimension(part, 'm', at);
        const double n = dimension(part, 'n', at);
        const double k = dimension(part, 'k', at);
        if (at == part.size() && m * n * k > 0) {
            p.m = m;
            p.n = n;
            p.k = k;
        } else if (part == "sp" || part.substr(0, 4) == "sp::") {
            p.sparse = true;
        } else if (part.substr(0, 6) == "kind::") {
            p.factor_type = part.substr(6);
            types = 100;
        } else if (is_factor_type(part)) {
            ++types;
            if (types == 2) p.factor_type = part;
            if (types == 3) p.second_type = part;
        }
    }
    // `.d.c` alone: of halves.
    if (types == 2) p.factor_type = "f16";
    return p;
}

/// How long a multiply-add of factors of a type takes, of half precision 1.
/// Source: NVIDIA A100 Tensor Core GPU Architecture, 2020, tbl. "Peak rates" (FP64 19.5, TF32 156, FP16 and BF16 312, INT8 624,
/// INT4 1248, binary 4992 TFLOPS); NVIDIA H100 Tensor Core GPU Architecture, 2022, tbl. 2 (FP8 as INT8); NVIDIA Blackwell
/// Architecture Technical Brief, 2024 (FP4 twice FP8).
constexpr double tensor_time_of(std::string_view type) {
    struct row {
        std::string_view type;
        double time;
    };
    constexpr row all[]{{"f64", 16},      {"tf32", 2},   {"s8", 0.5},    {"u8", 0.5},
                        {"e4m3", 0.5},    {"e5m2", 0.5}, {"e3m2", 0.5},  {"e2m3", 0.5},
                        {"e2m1", 0.5},    {"s4", 0.25},  {"u4", 0.25},   {"b1", 0.0625},
                        {"f8f6f4", 0.5},  {"i8", 0.5},   {"mxf4", 0.25}, {"mxf4nvf4", 0.25},
                        {"mxf8f6f4", 0.5}};
    for (const row& r : all) {
        if (r.type == type) return r.time;
    }
    return 1;
}

/// Factors of 4 bits. NVIDIA's table of the H100 has no rate for them: from 9.0 on, they are multiplied as bytes, and from
/// 10.0 on single bits too, as what ptxas makes of them shows.
constexpr bool is_of_4_bits(std::string_view type) {
    return type == "s4" || type == "u4";
}

/// Whether an opcode is a product of `tcgen05`, whose shape is in its instruction descriptor.
constexpr bool has_descriptor(std::string_view opcode) {
    return opcode.substr(0, 12) == "tcgen05.mma." || opcode == "tcgen05.mma";
}

/// Multiply-adds of one warp by an opcode, as `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`: rows times columns
/// times depth, of `wgmma` a quarter, since four warps share it. 0 for any other opcode.
constexpr double tensor_fmas_of(std::string_view opcode) {
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    const bool of_warp = root == "mma" || (root == "wmma" && ptx::text::has_part(opcode, "mma"));
    const bool of_four = root == "wgmma" && ptx::text::has_part(opcode, "mma_async");
    if (!of_warp && !of_four) return 0;
    const tensor_product p = product_of(opcode);
    // Of Volta's shape, each quarter of the warp makes one.
    const bool of_quarters = p.m == 8 && p.n == 8 && p.k == 4 && p.factor_type == "f16";
    return p.m * p.n * p.k * (of_quarters ? 4 : 1) / (of_four ? 4 : 1);
}

/// Rows and columns of a product whose descriptor is not known: the largest of one block.
inline constexpr double assumed_rows = 128;
inline constexpr double assumed_columns = 256;

/// Multiply-adds of `tcgen05.mma` by its instruction descriptor: N / 8 in bits 17 to 22, M / 16 from bit 24 on (bit 23 of
/// it belongs to the scale); of kinds with scales, M / 128 in bits 27 and 28. The depth is as many elements of the first
/// factor as 32 B have, of sparse ones twice as many.
constexpr double tensor_fmas_by(std::string_view opcode, std::uint64_t descriptor, bool known) {
    const tensor_product p = product_of(opcode);
    const bool scaled = p.factor_type.substr(0, 2) == "mx";
    const double depth = p.factor_type == "tf32"                                  ? 8
                         : p.factor_type == "f16"                                 ? 16
                         : p.factor_type == "mxf4" || p.factor_type == "mxf4nvf4" ? 64
                                                                                  : 32;
    double rows = assumed_rows;
    double columns = assumed_columns;
    if (known) {
        columns = static_cast<double>((descriptor >> 17 & 0x3f) * 8);
        rows = scaled ? static_cast<double>((descriptor >> 27 & 3) * 128)
                      : static_cast<double>((descriptor >> 24 & 0x1f) * 16);
    }
    return rows * columns * depth * (p.sparse ? 2 : 1);
}

/// Multiply-adds of half precision that take as long as one of an opcode. Zeros of sparse factors take no time. Without
/// a capability, that of a GPU with units for the type.
constexpr double tensor_time_by(std::string_view opcode, compute_capability cc = {}) {
    const tensor_product p = product_of(opcode);
    const bool by_bytes =
        (is_of_4_bits(p.factor_type) && cc.major >= 9) || (p.factor_type == "b1" && cc.major >= 10);
    return tensor_time_of(by_bytes ? "s8" : p.factor_type) * (p.sparse ? 0.5 : 1);
}

/// Integer instructions of a warp by which a GPU makes bytes of factors of 4 bits, and adds the two products of these: 30 for
/// a register of signed factors, 3 for one of unsigned ones, and 1 for a register of the result.
/// Source: what ptxas 13.0 makes of `mma` and `wmma` of 4 bits for 9.0, 10.0 and 12.0: two IMMA, and for a register of
/// signed factors 15 LOP3, 8 SHF and about 7 IMAD. Of sparse ones for 10.0 and later, which take up to half as many more, as
/// for 9.0.
constexpr double unpacking_insts(std::string_view opcode, compute_capability cc) {
    const tensor_product p = product_of(opcode);
    if (cc.major < 9 || !is_of_4_bits(p.factor_type)) return 0;
    const auto insts = [](std::string_view type) { return type == "s4" ? 30 : 3; };
    constexpr double of_register = 32 * 8;  // factors in the lanes of a warp
    const double first = p.m * p.k / of_register * (p.sparse ? 0.5 : 1);
    const double second = p.n * p.k / of_register;
    return first * insts(p.factor_type) + second * insts(p.second_type) + p.m * p.n / 32;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
