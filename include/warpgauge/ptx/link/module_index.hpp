// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_MODULE_INDEX_HPP
#define WARPGAUGE_PTX_LINK_MODULE_INDEX_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/written_variables.hpp>
#include <warpgauge/ptx/text/module.hpp>

/// \file The functions and variables of a module by their names.
///
/// A trace needs them all, and makes an index of its own. Who traces many kernels of one module makes it once,
/// and finds the kernels in it: `find_kernel(index, name)`.

namespace WARPGAUGE_NAMESPACE::ptx {

/// Positions of functions, aliases and variables in a module, by name.
template <class Used = core::when_used>
class module_index {
public:
    /// An empty index, of no module.
    module_index() = default;

    /// The module must outlive the index.
    explicit module_index(const module& m) : source_(&m) {
        add_functions();
        add_aliases();
        add_variables();
        written_ = detail::link::find_written_variables<Used>(m, variables_);
    }
    explicit module_index(module&&) = delete;  // would not outlive it

    /// Null of an empty index.
    [[nodiscard]] const module* source() const { return source_; }

    /// Positions in the module's lists; `link::nowhere` where the name means nothing. Of several functions of one
    /// name, the first that has a body.
    [[nodiscard]] std::uint32_t function(std::string_view name) const {
        return functions_.find(name);
    }
    /// Variables that no function declares.
    [[nodiscard]] std::uint32_t variable(std::string_view name) const {
        return variables_.find(name);
    }
    /// May some function of the module write to a variable that has initial values?
    [[nodiscard]] bool may_be_written(std::uint32_t declaration) const {
        return declaration >= written_.size() || written_[declaration];
    }

private:
    // A function may be declared before it is defined.
    void add_functions() {
        functions_.reserve(source_->functions.size());
        for (std::uint32_t f = 0; f < source_->functions.size(); ++f) {
            const ptx::function& added = source_->functions[f];
            const std::uint32_t known = functions_.find(added.name);
            if (known == link::nowhere || (added.has_body && !source_->functions[known].has_body)) {
                functions_.insert(added.name, 0, f);
            }
        }
    }

    // Another name is one of a function with a body, though the text may declare it by that name too.
    void add_aliases() {
        for (const alias& a : source_->aliases) {
            const std::uint32_t f = functions_.find(a.function);
            const std::uint32_t known = functions_.find(a.name);
            if (f == link::nowhere || !source_->functions[f].has_body) continue;
            if (known != link::nowhere && source_->functions[known].has_body) continue;
            functions_.insert(a.name, 0, f);
        }
    }

    // So may a variable.
    void add_variables() {
        core::late<Used, std::vector<bool>> in_function(source_->declarations.size());
        for (const ptx::function& f : source_->functions) {
            for (const range& r : {f.returns, f.parameters, f.declarations}) {
                for (std::uint32_t d = r.first; d < r.first + r.count; ++d) in_function[d] = true;
            }
        }
        for (std::uint32_t d = 0; d < source_->declarations.size(); ++d) {
            const declaration& v = source_->declarations[d];
            if (!in_function[d] && (v.elements > 0 || variables_.find(v.name) == link::nowhere)) {
                variables_.insert(v.name, 0, d);
            }
        }
    }

    const module* source_ = nullptr;
    detail::link::name_table<Used> functions_, variables_;
    core::late<Used, std::vector<bool>>
        written_;  // by declaration; empty if no variable has values
};

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
