// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_LINK_STATE_HPP
#define WARPGAUGE_PTX_LINK_LINK_STATE_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/module_index.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file What the parts of the linker share: the text, the program under way and the first error.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

template <class Used = core::when_used>
struct link_state {
    const module& source;
    std::uint64_t max_work{};           ///< comparisons of parameters' parts, targets of tables
    const module_index<Used>* index{};  ///< of the module; null: not made yet
    core::late<Used, ptx::link::program> made{};
    std::uint32_t routine{};    ///< of `made`, that is being decoded
    std::uint32_t statement{};  ///< instruction of the text that is being decoded
    std::uint64_t work{};
    core::late<Used, std::vector<std::uint32_t>> taken{};  ///< functions whose address is taken
    core::late<Used, std::vector<bool>> is_taken{};        ///< by function
    model_error error{};

    // --- The first error counts, and ends all loops

    [[nodiscard]] bool ok() const { return !error; }
    void fail(errc code, std::string_view field, position at) {
        if (ok()) error = {code, field, at.line, at.column};
    }
    void fail(errc code, std::string_view field) { fail(code, field, here()); }
    void count_work(std::uint64_t more = 1) {
        work += more;
        if (work > max_work) fail(errc::limit_reached, "max_steps");
    }

    // --- Functions as values

    /// The address of a function, from now on one that a call through a pointer may go to; 0 without a body, and where
    /// addresses of 32 bits have no room for as many.
    std::uint64_t address_of_function(std::uint32_t f) {
        const ptx::link::address_windows windows(source.address_bits);
        const std::uint64_t address = windows.function(f);
        if (!source.functions[f].has_body || windows.function_number(address) != f) return 0;
        is_taken.resize(source.functions.size());
        if (!is_taken[f]) taken.push_back(f);
        is_taken[f] = true;
        return address;
    }

    // --- The place in the text

    [[nodiscard]] position here() const { return source.instructions[statement].at; }
    [[nodiscard]] ptx::link::routine& current() { return made.routines[routine]; }
    [[nodiscard]] const function& current_function() const {
        return source.functions[made.routines[routine].function];
    }

    /// The number of a kernel's parameter, of a declaration; `nowhere` of all else. What a kernel is given
    /// is known; what a function is given depends on the call.
    [[nodiscard]] std::uint32_t kernel_parameter(std::uint32_t declaration) const {
        const range& parameters = current_function().parameters;
        const std::uint32_t number = declaration - parameters.first;
        return routine == 0 && number < parameters.count ? number : ptx::link::nowhere;
    }
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
