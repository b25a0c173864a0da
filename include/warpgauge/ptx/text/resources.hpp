// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_RESOURCES_HPP
#define WARPGAUGE_PTX_TEXT_RESOURCES_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>

/// \file The resources of a compiled kernel, from the text of `ptxas -v` (or `nvcc -Xptxas -v`) or of
/// `cuobjdump --dump-resource-usage`.

namespace WARPGAUGE_NAMESPACE::ptx {

/// The resources of one thread, or one block, of a kernel.
struct kernel_resources {
    std::uint64_t registers_per_thread{};    ///< 32-bit registers
    std::uint64_t shared_bytes_per_block{};  ///< B, static
    std::uint64_t stack_bytes{};             ///< B, of a thread, in local memory
    std::uint64_t spill_store_bytes{};       ///< B; 0 from `cuobjdump`, which does not give it
    std::uint64_t spill_load_bytes{};        ///< B; the same
    std::uint64_t barriers{};                ///< named barriers that it uses; the same

    friend constexpr bool operator==(const kernel_resources&, const kernel_resources&) = default;
};

/// The resources of a kernel, by its name in PTX. Of several compilations, those of the first.
/// \errors missing   `kernel`: the name is empty
///         unknown_name  `kernel` itself: the text has none of that name
///         expected  with the line, "registers": the text says nothing about them before it ends or
///                   goes on to another kernel
[[nodiscard]] constexpr result<kernel_resources> read_resources(std::string_view text,
                                                                std::string_view kernel);

namespace detail::text {

/// Walks a text line by line.
class line_reader {
public:
    constexpr explicit line_reader(std::string_view text) : rest_(text) {}

    constexpr bool next(std::string_view& line) {
        if (rest_.empty()) return false;
        ++number_;
        const std::size_t end = rest_.find('\n');
        line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        return true;
    }
    [[nodiscard]] constexpr std::uint32_t number() const { return number_; }

private:
    std::string_view rest_;
    std::uint32_t number_ = 0;
};

/// The number that ends before `end` in `line`; false if there is none, or if it does not fit.
constexpr bool number_before(std::string_view line, std::size_t end, std::uint64_t& value) {
    std::size_t from = end;
    while (from > 0 && line[from - 1] >= '0' && line[from - 1] <= '9') --from;
    if (from == end || end - from > 18) return false;
    value = 0;
    for (; from < end; ++from) value = value * 10 + static_cast<std::uint64_t>(line[from] - '0');
    return true;
}

/// The number before ` what` in `line`, or 0 if the line does not have it. `2048+16 bytes smem` of
/// old compilers is the sum.
constexpr std::uint64_t amount_of(std::string_view line, std::string_view what) {
    const std::size_t at = line.find(what);
    std::uint64_t value = 0;
    if (at == std::string_view::npos || at == 0 || !number_before(line, at - 1, value)) return 0;
    std::size_t from = at - 1;
    while (from > 0 && line[from - 1] >= '0' && line[from - 1] <= '9') --from;
    std::uint64_t more = 0;
    if (from > 0 && line[from - 1] == '+' && number_before(line, from - 1, more)) value += more;
    return value;
}

/// The number after `key`, such as `REG:`; false if it is not there.
constexpr bool number_after(std::string_view line, std::string_view key, std::uint64_t& value) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) return false;
    std::size_t end = at + key.size();
    while (end < line.size() && line[end] >= '0' && line[end] <= '9') ++end;
    return number_before(line, end, value);
}

/// Whether this line begins the report on `kernel`, or on any kernel for an empty name.
constexpr bool begins(std::string_view line, std::string_view kernel) {
    constexpr std::string_view ptxas = "Compiling entry function '";
    constexpr std::string_view cuobjdump = " Function ";
    if (const std::size_t at = line.find(ptxas); at != std::string_view::npos) {
        const std::string_view rest = line.substr(at + ptxas.size());
        return kernel.empty() || (rest.size() > kernel.size() && rest[kernel.size()] == '\'' &&
                                  rest.substr(0, kernel.size()) == kernel);
    }
    if (line.substr(0, cuobjdump.size()) != cuobjdump) return false;
    const std::string_view rest = line.substr(cuobjdump.size());
    return kernel.empty() || (rest.size() > kernel.size() && rest[kernel.size()] == ':' &&
                              rest.substr(0, kernel.size()) == kernel);
}

}  // namespace detail::text

constexpr result<kernel_resources> read_resources(std::string_view text, std::string_view kernel) {
    detail::text::line_reader lines(text);
    std::string_view line;
    bool found = false;
    while (!found && lines.next(line))
        found = !kernel.empty() && detail::text::begins(line, kernel);
    if (!found && kernel.empty()) return model_error{errc::missing, "kernel"};
    if (!found) return model_error{errc::unknown_name, kernel};
    kernel_resources r;
    while (lines.next(line)) {
        if (detail::text::begins(line, {})) break;
        if (line.find("bytes stack frame") != std::string_view::npos) {
            r.stack_bytes = detail::text::amount_of(line, "bytes stack frame");
            r.spill_store_bytes = detail::text::amount_of(line, "bytes spill stores");
            r.spill_load_bytes = detail::text::amount_of(line, "bytes spill loads");
        } else if (line.find("Used ") != std::string_view::npos) {
            r.registers_per_thread = detail::text::amount_of(line, "registers");
            r.barriers = detail::text::amount_of(line, "barriers");
            r.shared_bytes_per_block = detail::text::amount_of(line, "bytes smem");
            if (r.registers_per_thread > 0) return r;
        } else if (detail::text::number_after(line, "REG:", r.registers_per_thread)) {
            detail::text::number_after(line, "STACK:", r.stack_bytes);
            detail::text::number_after(line, "SHARED:", r.shared_bytes_per_block);
            return r;
        }
    }
    return model_error{errc::expected, "registers", lines.number(), 1};
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
