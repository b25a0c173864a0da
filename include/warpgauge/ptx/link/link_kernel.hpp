// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_LINK_KERNEL_HPP
#define WARPGAUGE_PTX_LINK_LINK_KERNEL_HPP

#include <cstdint>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/call_sites.hpp>
#include <warpgauge/ptx/link/decoder.hpp>
#include <warpgauge/ptx/link/initial_contents.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/module_index.hpp>
#include <warpgauge/ptx/link/operand_rows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/symbols.hpp>
#include <warpgauge/ptx/link/unread_atomics.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file Makes a program of a kernel and of all functions that it calls.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Links a kernel, by its position in the module, which must outlive the program.
/// \errors missing        `declaration`, `label`, `index`: what no line of the text declares
///         overflow       `shared`, `local`, `global`: no memory is as large
///         outside_domain, expected, limit_reached  `initial values` of a variable, as `text::read_initial_values`
///         limit_reached  `operands`; `max_steps`: more than `max_work` comparisons of parameters' parts; `memory`: more
///                        than `max_constants`
template <class Used = core::when_used>
[[nodiscard]] result<program> link_kernel(const module& source, std::uint32_t kernel,
                                          std::uint64_t max_work,
                                          std::uint64_t max_constants = 0xffff'ffff,
                                          const module_index<Used>* index = nullptr);

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

template <class Used = core::when_used>
class linker {
public:
    linker(const module& source, std::uint64_t max_work, std::uint64_t max_constants,
           const module_index<Used>* index)
        : state_{.source = source, .max_work = max_work, .index = index},
          max_constants_(max_constants) {
        state_.made.source = &source;
    }

    result<ptx::link::program> link(std::uint32_t kernel) {
        calls_.routine_of(kernel);
        // A routine's calls add routines; so do the addresses of functions, which values of variables may have.
        for (std::uint32_t r = 0; r < state_.made.routines.size() && state_.ok();) {
            decode(r++);
            if (r < state_.made.routines.size()) continue;
            contents_.add();
            calls_.add_taken();
        }
        calls_.connect();
        rows_.variables().place_dynamic_shared();
        if (!state_.ok()) return state_.error;
        unread_atomics<Used>(state_.made).drop_results();
        return std::move(state_.made);
    }

private:
    void decode(std::uint32_t routine) {
        state_.routine = routine;
        const auto step_count = [this] {
            return static_cast<std::uint32_t>(state_.made.steps.size());
        };
        state_.current().first = step_count();
        const function& f = state_.current_function();
        if (step_count() == 0) state_.made.steps.reserve(f.instructions.count);
        symbols_.add(f);
        for (std::uint32_t d = f.declarations.first;
             d < f.declarations.first + f.declarations.count && state_.ok(); ++d) {
            if (state_.source.declarations[d].space == state_space::local) {
                rows_.variables().add_local(d);
            }
        }
        for (std::uint32_t i = 0; i < f.instructions.count && state_.ok(); ++i) {
            state_.statement = f.instructions.first + i;
            decoder_.decode();
            if (state_.made.constants.size() > max_constants_) {
                state_.fail(errc::limit_reached, "memory");
            }
        }
        state_.current().count = step_count() - state_.current().first;
    }

    link_state<Used> state_;
    std::uint64_t max_constants_;
    symbols<Used> symbols_{state_};
    operand_rows<Used> rows_{state_, symbols_};
    call_sites<Used> calls_{state_, symbols_, rows_};
    decoder<Used> decoder_{state_, symbols_, rows_, calls_};
    initial_contents<Used> contents_{state_, symbols_, rows_, max_constants_};
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

namespace WARPGAUGE_NAMESPACE::ptx::link {

template <class Used>
result<program> link_kernel(const module& source, std::uint32_t kernel, std::uint64_t max_work,
                            std::uint64_t max_constants, const module_index<Used>* index) {
    return detail::link::linker<Used>(source, max_work, max_constants, index).link(kernel);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
