// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/ptx/trace/stream_levels.hpp>

#include "ptx/kernels.hpp"
#include "ptx/linked.hpp"

namespace stream_levels_test {

using namespace warpgauge;

namespace {

struct replayed {
    ptx::traced_kernel trace{};
    ptx::recorded_requests recorded{};
    replayed_sources counts{};
    std::vector<access_level> levels{};
};

// All blocks, one after the other, on one SM.
replayed replay(const ptx::module& m, std::string_view name, const ptx::launch& l,
                const std::vector<ptx::argument>& arguments, const replay_options& caches) {
    const auto k = ptx::find_kernel(m, name);
    REQUIRE(k);
    const auto t = ptx::trace(*k, l, arguments, {});
    REQUIRE(t);
    const auto r = ptx::record_requests(*k, l, arguments, {.blocks = l.grid.count()});
    REQUIRE(r);
    const auto counts = replay_sources(r->requests, r->sources, caches);
    REQUIRE(counts);
    const auto levels = ptx::stream_levels(*t, *counts);
    REQUIRE(levels);
    CHECK_FALSE(check_levels(*levels, t->stream.size()));
    return {*t, *r, *counts, *levels};
}

constexpr replay_options holds_all{.l1 = {.bytes = 1 << 20},
                                   .l2 = {.bytes = 1 << 22, .stores = store_rule::back}};

}  // namespace

TEST_CASE("a product: of four loads along a row the first alone leaves L1, in half of the rounds") {
    const std::string text = kernel_text("matmul");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    constexpr std::uint32_t n = 64;
    const replayed r = replay(*m, "matmul_naive", {{2, n}, {32, 1}}, {n}, holds_all);
    // Counted here: which sectors an instruction is the first to load, and the first to store.
    std::set<std::uint64_t> loaded, stored;
    std::map<std::uint32_t, source_sectors> counted;
    for (std::size_t at = 0; at < r.recorded.requests.size(); ++at) {
        const memory_request& q = r.recorded.requests[at];
        source_sectors& s = counted[r.recorded.sources[at]];
        const bool loads = q.kind == request_kind::load;
        for (std::uint64_t sector = q.address / 32; sector * 32 < q.address + q.bytes; ++sector) {
            const bool first = (loads ? loaded : stored).insert(sector).second;
            s.requested += 1;
            s.beyond_l1 += first || !loads ? 1U : 0U;
            s.from_dram += first ? 1U : 0U;
        }
    }
    std::size_t accesses = 0;
    std::vector<double> of_rows;
    for (std::size_t at = 0; at < r.trace.stream.size(); ++at) {
        if (r.trace.stream[at].unit == unit_kind::loop) {
            CHECK(r.trace.stream_sources[at] == ptx::no_source);
        }
        if (!is_memory(r.trace.stream[at])) {
            CHECK(r.levels[at] == access_level{});
            continue;
        }
        ++accesses;
        const std::uint32_t source = r.trace.stream_sources[at];
        const std::string_view opcode = m->instructions[source].opcode;
        CHECK(opcode.find(".global.") != std::string_view::npos);
        const source_sectors& s = counted[source];
        const auto all = static_cast<double>(s.requested);
        CHECK(r.levels[at].beyond_l1 == static_cast<double>(s.beyond_l1) / all);
        CHECK(r.levels[at].from_dram == static_cast<double>(s.from_dram) / all);
        // A row is one sector of all lanes; its second block of columns finds it in L1.
        if (s.requested == 2 * n * n / 4) of_rows.push_back(r.levels[at].from_dram);
    }
    CHECK(accesses == counted.size());
    std::sort(of_rows.begin(), of_rows.end());
    CHECK(of_rows == std::vector<double>{0, 0, 0, 0.25});
    std::uint64_t from_dram = 0;
    for (const auto& [source, s] : counted) from_dram += s.from_dram;
    CHECK(from_dram == r.counts.all.dram_reads + r.counts.all.dram_writes);
}

TEST_CASE("an instruction that no replayed block executes has the mean level") {
    // The first block alone loads a second time.
    const parsed_text k(
        kernel_of("mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p1, %r3, 0;\nmul.wide.u32 %d2, %r2, 4;\n"
                  "add.s64 %d3, %d1, %d2;\nld.global.u32 %r4, [%d3];\n@%p1 bra L;\n"
                  "ld.global.u32 %r5, [%d3+4096];\nL: st.global.u32 [%d3+8192], %r4;\nret;"));
    const auto kernel = ptx::find_kernel(k.module, "");
    REQUIRE(kernel);
    const ptx::launch l{{2}, {32}};
    const std::vector<ptx::argument> arguments{1, {}};
    auto t = ptx::trace(*kernel, {{1}, {32}}, arguments, {});
    REQUIRE(t);
    const auto r = ptx::record_requests(*kernel, l, arguments, {.first_block = 1});
    REQUIRE(r);
    REQUIRE(r->requests.size() == 2);
    const auto counts = replay_sources(r->requests, r->sources, holds_all);
    REQUIRE(counts);
    const auto levels = ptx::stream_levels(*t, *counts);
    REQUIRE(levels);
    std::vector<access_level> of_accesses;
    for (std::size_t at = 0; at < t->stream.size(); ++at) {
        if (is_memory(t->stream[at])) of_accesses.push_back((*levels)[at]);
    }
    CHECK(of_accesses == std::vector<access_level>(3, {1, 1}));
    // Without a replay, or without a stream.
    CHECK(ptx::stream_levels(*t, {}).error() == model_error{errc::missing, "requests"});
    t->stream.clear();
    CHECK(ptx::stream_levels(*t, *counts).error() == model_error{errc::missing, "stream"});
}

}  // namespace stream_levels_test
