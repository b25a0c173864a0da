// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_REGISTERS_HPP
#define WARPGAUGE_PTX_LINK_REGISTERS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/link_state.hpp>
#include <warpgauge/ptx/link/name_table.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/symbols.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file The rows of registers, special ones and those that a function declares.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::nowhere;

/// The row of a special register; `unknown_row` of one whose value does not follow from the launch,
/// `nowhere` of any other name.
constexpr std::uint32_t special_register(std::string_view name) {
    struct known {
        std::string_view name;
        std::uint32_t row;
    };
    using enum ptx::link::special_row;
    constexpr known all[] = {{"%tid.x", tid_x},
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
                             {"%total_smem_size", total_smem_size},
                             {"%cluster_ctaid.x", cluster_ctaid_x},
                             {"%cluster_ctaid.y", cluster_ctaid_y},
                             {"%cluster_ctaid.z", cluster_ctaid_z},
                             {"%cluster_nctaid.x", cluster_nctaid_x},
                             {"%cluster_nctaid.y", cluster_nctaid_y},
                             {"%cluster_nctaid.z", cluster_nctaid_z},
                             {"%clusterid.x", clusterid_x},
                             {"%clusterid.y", clusterid_y},
                             {"%clusterid.z", clusterid_z},
                             {"%nclusterid.x", nclusterid_x},
                             {"%nclusterid.y", nclusterid_y},
                             {"%nclusterid.z", nclusterid_z},
                             {"%cluster_ctarank", cluster_ctarank},
                             {"%cluster_nctarank", cluster_nctarank},
                             {"%is_explicit_cluster", is_explicit_cluster}};
    for (const known& k : all) {
        if (k.name == name) return k.row;
    }
    // Those whose value does not follow from the launch, or that have several, by how they begin.
    for (const std::string_view other :
         {"%clock", "%globaltimer", "%smid", "%nsmid", "%gridid", "%envreg", "%pm", "%cluster",
          "%nclusterid", "%reserved_smem", "%current_graph", "%aggr_smem", "%tid", "%ntid",
          "%ctaid", "%nctaid"}) {
        if (name.substr(0, other.size()) == other) return unknown_row;
    }
    return nowhere;
}

/// The 32-bit registers that a value takes.
constexpr unsigned register_weight(std::string_view type) {
    ptx::text::value_type t;
    if (type == "pred") return 0;
    if (type == "b128") return 4;
    ptx::text::read_type(type, t);
    return t.bits == 64 ? 2 : 1;
}

/// The rows of the registers that functions declare.
template <class Used = core::when_used>
class registers {
public:
    registers(link_state<Used>& state, const symbols<Used>& names)
        : state_(state), symbols_(names) {}

    /// A row of the current routine that has no name; the 32-bit registers that it takes.
    std::uint32_t new_row(unsigned weight) {
        core::late<Used, ptx::link::routine>& r = state_.current();
        r.weights.push_back(static_cast<std::uint8_t>(weight));
        return ptx::link::of_call | r.rows++;
    }

    /// The row of a register that the current instruction sees, or `nowhere`. The first use makes it.
    std::uint32_t row_of(std::string_view name) {
        std::uint32_t d = symbols_.register_declaration(name);
        if (d == nowhere) {  // an element of a vector: `%v.x`
            const std::size_t dot = name.rfind('.');
            if (dot == std::string_view::npos || dot == 0) return nowhere;
            d = symbols_.register_declaration(name.substr(0, dot));
            if (d == nowhere) return nowhere;
        }
        const declaration& r = state_.source.declarations[d];
        if (r.space != state_space::reg) return nowhere;
        std::uint32_t row = rows_.find(name, d);
        if (row == nowhere) {
            row = new_row(register_weight(r.type));
            rows_.insert(name, d, row);
        }
        return row;
    }

    /// Is it the name of a predicate that the current instruction sees?
    [[nodiscard]] bool is_predicate(std::string_view name) const {
        const std::uint32_t d = symbols_.register_declaration(name);
        return d != nowhere && state_.source.declarations[d].type == "pred";
    }

    /// The row of a declaration that is a register in use, as formal parameters of PTX before 2.0 are.
    [[nodiscard]] std::uint32_t row_of_declaration(std::uint32_t d) const {
        return rows_.find(state_.source.declarations[d].name, d);
    }

private:
    link_state<Used>& state_;
    const symbols<Used>& symbols_;
    name_table<Used> rows_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
