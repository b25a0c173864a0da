// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/warpgauge.hpp>

namespace model_test {

using namespace warpgauge;

namespace {

struct plain_estimate {
    double cycles{}, seconds{};
};

struct constant_model {  // a user's own
    result<plain_estimate> predict(const kernel_profile<>& k) const {
        if (!(k.blocks > 0)) return model_error{errc::not_positive, "blocks"};
        return plain_estimate{k.blocks, k.blocks * 1e-9};
    }
};

struct no_model {
    double predict(const kernel_profile<>&) const { return 1; }
};

struct only_cycles {
    double cycles{};
};

struct no_seconds {
    result<only_cycles> predict(const kernel_profile<>&) const { return only_cycles{}; }
};

}  // namespace

static_assert(model<constant_model>);
static_assert(!model<no_model> && !model<no_seconds> && !model<int>);
static_assert(model<mwp_cwp_model<devices::geforce_gtx_280>>);
static_assert(model<mwp_cwp_model<devices::geforce_gtx_280>, float>);
static_assert(model<mwp_cwp_model<decltype(edit(devices::geforce_gtx_280{}))>>);

TEST_CASE("a model can be used through the concept alone") {
    const auto cycles = [](const model auto& m, const kernel_profile<>& k) {
        const auto e = m.predict(k);
        return e ? e->cycles : -1;
    };
    CHECK(cycles(constant_model{}, {.blocks = 3}) == 3);
    CHECK(cycles(constant_model{}, {}) == -1);
    CHECK(cycles(mwp_cwp_model<devices::geforce_gtx_280>{}, {}) == -1);
}

TEST_CASE("the seconds of any estimate, or its error") {
    CHECK(*seconds_of(constant_model{}.predict({.blocks = 4})) == 4e-9);
    CHECK(seconds_of(constant_model{}.predict({})).error() ==
          model_error{errc::not_positive, "blocks"});
}

TEST_CASE("an option that is none of its type's values is an error of every model") {
    const auto form = static_cast<equation_form>(2);
    const auto rounds = static_cast<waves>(9);
    const devices::geforce_gtx_280 old;
    kernel_profile<> k{.blocks = 100,
                       .threads_per_block = 128,
                       .active_blocks_per_sm = 2,
                       .comp_insts = 10,
                       .coalesced_mem_insts = 2};
    const auto error = [&](const auto& model) { return model.predict(k).error(); };
    CHECK(error(mwp_cwp_model{old, {.form = form}}) ==
          model_error{errc::not_an_enumerator, "form"});
    CHECK(error(mwp_cwp_model{old, {.rounds = rounds}}) ==
          model_error{errc::not_an_enumerator, "rounds"});
    CHECK(error(mwp_cwp_model{old, {.overlap = static_cast<overlap_rule>(7)}}) ==
          model_error{errc::not_an_enumerator, "overlap"});
    CHECK(error(mpd_cpd_model{devices::geforce_gtx_260{}, {.rounds = rounds}}) ==
          model_error{errc::not_an_enumerator, "rounds"});
    CHECK(error(trapezoid_model{devices::geforce_gtx_280{}, {.form = form}}) ==
          model_error{errc::not_an_enumerator, "form"});
    constexpr instruction stream[]{{.unit = unit_kind::single_precision}};
    k.instructions = stream;
    const devices::h100_sxm5 gpu;
    CHECK(error(hybrid_model{gpu, {.form = form}}) == model_error{errc::not_an_enumerator, "form"});
    CHECK(error(hybrid_model{gpu, {.policy = static_cast<warp_policy>(77)}}) ==
          model_error{errc::not_an_enumerator, "policy"});
    CHECK(error(makespan_model{gpu, {.distribution = static_cast<block_distribution>(3)}}) ==
          model_error{errc::not_an_enumerator, "distribution"});
    CHECK(error(makespan_model{gpu, {.units = static_cast<unit_sharing>(3)}}) ==
          model_error{errc::not_an_enumerator, "units"});
}

}  // namespace model_test
