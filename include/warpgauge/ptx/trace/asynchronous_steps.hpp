// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_ASYNCHRONOUS_STEPS_HPP
#define WARPGAUGE_PTX_TRACE_ASYNCHRONOUS_STEPS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/ptx/link/asynchronous_copies.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file What the instructions of one warp do with asynchronous copies and products, as entries of a stream say it.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::program, ptx::link::step;
using ptx::run::executed;

/// Sees the instructions of one warp in order. The program must outlive it.
template <class Used = core::when_used>
class asynchronous_steps {
public:
    /// For an entry of a stream.
    struct found {
        async_step what{};
        std::uint8_t groups_left{};
    };

    explicit asynchronous_steps(const program& p) : program_(p), steps_(p.steps.size()) {
        for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
            const step& from = p.steps[s];
            const std::string_view opcode = p.source->instructions[from.statement].opcode;
            steps_[s] = ptx::link::async_step_of(opcode);
            if (from.in_bulk && !from.stores && from.barrier_source != 0) {
                steps_[s] = async_step::bulk;
            }
            const async_step of_products = ptx::link::product_step_of(opcode);
            if (of_products != async_step::none) steps_[s] = of_products;
        }
    }

    /// What the next instruction does, if its unit is one of which a stream can say so: not a copy from shared memory. Who
    /// asks a barrier waits for the last copy that announced itself there, or for the last products, and for those before.
    found next(const executed& e) {
        const step& s = program_.steps[e.step];
        const async_step what = steps_[e.step];
        if (s.what == ptx::text::action::come_true) return asks(e);
        if (what == async_step::none || e.unit != unit_of(what)) return {};
        switch (what) {
            case async_step::bulk: announce(e.barrier, ++bulk_copies_, false); [[fallthrough]];
            case async_step::copy:  // none has a result that others may need
                return s.results != 0 ? found{} : found{what, 0};
            case async_step::commit_products: return close_products(s, e);
            case async_step::wait:
            case async_step::wait_products: return left(what, groups_left(s));
            default: return {what, 0};
        }
    }

private:
    // Of copies in bulk each is a group.
    struct announcement {
        std::uint64_t barrier{};  // its address; 0: not known
        std::size_t group{};      // the last one; 0: none
        bool of_products{};
    };
    static constexpr std::size_t max_barriers = 64;  // more count as the first

    static constexpr unit_kind unit_of(async_step what) {
        switch (what) {
            case async_step::copy:
            case async_step::bulk: return unit_kind::global_memory;
            case async_step::product:
            case async_step::block_product: return unit_kind::tensor;
            default: return unit_kind::integer;
        }
    }

    static found left(async_step what, std::size_t groups) {
        return {what, static_cast<std::uint8_t>(core::min(groups, std::size_t{max_groups_left}))};
    }

    [[nodiscard]] std::size_t groups_left(const step& s) const {
        const ptx::instruction& text = program_.source->instructions[s.statement];
        return ptx::link::groups_left(program_.source->operands_of(text));
    }

    found close_products(const step& s, const executed& e) {
        if (e.active == 0) return {};
        ++product_groups_;
        if (s.barrier_source != 0) announce(e.barrier, product_groups_, true);
        return {async_step::commit_products, 0};
    }

    found asks(const executed& e) {
        const announcement& a = announced_at(e.barrier);
        if (a.group == 0 || e.unit != unit_kind::shared_memory) return {};
        return a.of_products ? left(async_step::wait_products, product_groups_ - a.group)
                             : left(async_step::wait, bulk_copies_ - a.group);
    }

    void announce(std::uint64_t barrier, std::size_t group, bool of_products) {
        announcement& a = announced_at(barrier);
        a.group = group;
        a.of_products = of_products;
    }

    // What announced itself last at a barrier.
    announcement& announced_at(std::uint64_t barrier) {
        for (announcement& a : announced_) {
            if (a.barrier == barrier) return a;
        }
        if (announced_.size() >= max_barriers) return announced_.front();
        announced_.push_back({.barrier = barrier});
        return announced_.back();
    }

    const program& program_;
    core::late<Used, std::vector<async_step>> steps_;
    core::late<Used, std::vector<announcement>> announced_;
    std::size_t bulk_copies_ = 0;
    std::size_t product_groups_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
