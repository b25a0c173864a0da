// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/ptx/trace/stopped_loop.hpp>
#include <warpgauge/tune/prune.hpp>
#include <warpgauge/tune/rank_from_source.hpp>

namespace rank_from_source_test {

using namespace warpgauge;

namespace {

// Every thread adds `additions` times, then stores.
std::string text_of(int additions) {
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 to)\n{\n"
        ".reg .b32 %r<5>;\n.reg .b64 %d<5>;\n.reg .f32 %f<5>;\n"
        "ld.param.u64 %d1, [to];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n"
        "mov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r2, %r3, %r1;\n"
        "mul.wide.u32 %d2, %r4, 4;\nadd.u64 %d3, %d1, %d2;\nmov.f32 %f1, 0f3F800000;\n";
    for (int n = 0; n < additions; ++n) text += "add.f32 %f1, %f1, %f1;\n";
    return text + "st.global.f32 [%d3], %f1;\nret;\n}\n";
}

const std::string quick = text_of(50);
const std::string slow = text_of(5000);
const ptx::launch grid{.grid = {1000}, .block = {256}};
const ptx::kernel_resources small{.registers_per_thread = 16};
const devices::a100_sxm4_40gb gpu;

const std::vector<source_variant> variants{
    {.ptx = slow, .launch = grid, .compiled = small},
    {.ptx = "no such thing", .launch = grid},
    {.ptx = quick, .kernel = "k", .launch = grid, .compiled = small},
    {.ptx = quick, .launch = {.grid = {1000}, .block = {2048}}},
    {.ptx = quick, .kernel = "l", .launch = grid},
    {.ptx = slow, .launch = grid, .compiled = small, .work = 1000},
    {.ptx = quick, .launch = grid, .compiled = {.registers_per_thread = 300}},
    {.ptx = quick, .launch = grid, .compiled = small},
    {.ptx = quick, .launch = grid, .work = 0},
};

// Threads that each take the next task.
struct four_threads {
    template <class Task>
    void operator()(std::size_t count, const Task& task) const {
        std::atomic<std::size_t> next = 0;
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                for (std::size_t n = next++; n < count; n = next++) task(n);
            });
        }
        for (std::thread& t : threads) t.join();
    }
};

}  // namespace

TEST_CASE(
    "variants are ordered by time for a unit of work, and those that fail come last with the "
    "reason") {
    const auto r = rank_from_source(gpu, variants);
    REQUIRE(r);
    CHECK(r->ranking.order == std::vector<std::size_t>{5, 2, 7, 0, 1, 3, 4, 6, 8});
    REQUIRE(r->ranking.groups.size() == 3);
    CHECK(r->ranking.groups[1] == rank_group{1, 2, r->variants[2].seconds});
    CHECK(r->variants[5].seconds == r->variants[0].seconds);
    CHECK(r->ranking.seconds[5] == r->variants[0].seconds / 1000);
    CHECK(r->variants[0].limited_by == "lanes");
    CHECK_FALSE(r->variants[0].failure);

    const auto fails = [&](std::size_t n, source_stage stage, std::string_view message) {
        CAPTURE(n);
        CHECK(r->variants[n].failure);
        CHECK(r->variants[n].failure.stage == stage);
        CHECK(r->variants[n].failure.message.view() == message);
        CHECK(r->ranking.errors[n].field == name(stage));
    };
    CHECK(r->variants[1].failure.stage == source_stage::parse);
    fails(3, source_stage::trace, "block has 2048 threads; a device allows 1024");
    fails(4, source_stage::parse, "no kernel is called l; perhaps k");
    CHECK(r->variants[6].failure.stage == source_stage::predict);
    fails(8, source_stage::compile, "work must be a finite number above zero");

    const auto kept = keep_fraction(r->ranking, 0.5);
    REQUIRE(kept);
    CHECK(kept->kept == std::vector<std::size_t>{5, 2, 7});
}

TEST_CASE("a variant whose trace is given up names the loop, its own on each thread") {
    const auto endless = [](std::string_view label, std::string_view bound) {
        return ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
               ".reg .pred %p<2>;\n.reg .b32 %r<2>;\nmov.u32 %r1, 5;\n" +
               std::string(label) + ":\nsetp.ne.u32 %p1, %r1, " + std::string(bound) +
               ";\n@%p1 bra " + std::string(label) + ";\nret;\n}\n";
    };
    const std::string first = endless("A", "0");
    const std::string second = endless("B", "9");
    std::vector<source_variant> stuck(16, {.ptx = first, .launch = grid});
    for (std::size_t n = 1; n < stuck.size(); n += 2) stuck[n].ptx = second;
    ptx::stopped_loop shared;
    const auto r = rank_from_source(gpu, stuck, {.trace = {.stopped = &shared}}, four_threads{});
    REQUIRE(r);
    for (std::size_t n = 0; n < stuck.size(); ++n) {
        CAPTURE(n);
        const std::string words(r->variants[n].failure.message.view());
        const std::string loop = n % 2 == 0 ? "A" : "B";
        CHECK(words.find("line 11, column 1: max_steps reached in loop " + loop + ", after ") == 0);
        CHECK(words.find(n % 2 == 0 ? ", by %r1 = 5, 0" : ", by %r1 = 5, 9") != std::string::npos);
    }
    CHECK(shared.label.empty());
}

TEST_CASE("texts may be made when they are asked for, and need not outlive the call") {
    struct owned {
        std::string ptx{};
        std::string kernel{};
        ptx::launch launch{};
        std::vector<ptx::argument> arguments{};
        ptx::kernel_resources compiled{};
        double work = 1;
        double loaded_bytes = 0;
        double stored_bytes = 0;
    };
    const auto at = [](std::size_t n) -> result<owned> {
        if (n == 1) return model_error{errc::missing, std::string_view("nvcc")};
        if (n == 2) return owned{.ptx = "a broken text that is gone"};
        return owned{.ptx = text_of(n == 0 ? 500 : 5), .kernel = "k", .launch = grid};
    };
    const auto r = rank_from_source(gpu, 4, at);
    REQUIRE(r);
    CHECK(r->ranking.order == std::vector<std::size_t>{3, 0, 1, 2});
    CHECK(r->variants[1].failure.message.view() == "nvcc is needed and not given");
    CHECK(r->variants[1].failure.stage == source_stage::compile);
    CHECK(r->variants[2].failure.stage == source_stage::parse);
}

TEST_CASE("on any number of threads the same, and each is reported done once") {
    const auto alone = rank_from_source(gpu, variants);
    std::vector<std::atomic<int>> done(variants.size());
    const auto r =
        rank_from_source(gpu, variants, {}, four_threads{}, [&](std::size_t n) { ++done[n]; });
    REQUIRE(alone);
    REQUIRE(r);
    CHECK(r->ranking.order == alone->ranking.order);
    CHECK(r->ranking.seconds == alone->ranking.seconds);
    for (const auto& d : done) CHECK(d == 1);
}

TEST_CASE("one trace serves several models; what is traced does not view the text") {
    std::vector<traced_variant> traced;
    {
        const std::string text = text_of(50);
        const source_variant v{.ptx = text, .launch = grid, .compiled = small};
        traced = trace_variants(1, [&](std::size_t) { return result<source_variant>(v); });
    }
    REQUIRE(traced.size() == 1);
    const std::vector<traced_variant> copy = traced;
    traced.clear();
    CHECK(copy[0].profile().instructions.size() > 50);
    CHECK(copy[0].profile().instructions.data() == copy[0].instructions.data());
    CHECK(copy[0].profile().registers_per_thread == 16);
    CHECK(copy[0].steps > 50);
    const auto by_roofline = rank_traced(roofline_model{gpu}, copy);
    const auto by_saturation = rank_traced(saturation_model{gpu}, copy);
    REQUIRE(by_roofline);
    REQUIRE(by_saturation);
    CHECK(by_roofline->variants[0].seconds > 0);
    CHECK(by_roofline->variants[0].seconds != by_saturation->variants[0].seconds);
    CHECK(rank_from_source(saturation_model{gpu}, 1,
                           [&](std::size_t) { return result<source_variant>(variants[2]); })
              ->variants[0]
              .seconds == by_saturation->variants[0].seconds);
}

TEST_CASE("one block does not say what the launch touches, and the caller may") {
    const source_variant v{.ptx = quick, .launch = grid, .compiled = small};
    const auto traced = [](const source_variant& of, ptx::sampling blocks) {
        return trace_variants(1, [&](std::size_t) { return result<source_variant>(of); },
                              {.blocks = blocks})[0];
    };
    const auto whole = traced(v, ptx::sampling::representative);
    CHECK(whole.counts.traffic.dram_write_bytes == 1000 * 256 * 4);
    CHECK(whole.counts.traffic.footprint_bytes == 1000 * 256 * 4);
    const auto block = traced(v, ptx::sampling::middle_block);
    CHECK(block.counts.traffic.footprint_bytes == 0);
    source_variant told = v;
    told.stored_bytes = 1000 * 256 * 4;
    const auto both = traced(told, ptx::sampling::middle_block);
    CHECK(both.counts.traffic.dram_write_bytes == 1000 * 256 * 4);
    CHECK(both.counts.traffic.footprint_bytes == 1000 * 256 * 4);
    const saturation_model m{gpu};
    CHECK(m.predict(both.profile())->seconds == m.predict(whole.profile())->seconds);
    told.loaded_bytes = -1;
    CHECK(traced(told, ptx::sampling::middle_block).failure.message.view() ==
          "loaded_bytes must be a finite number, zero or above");
    told.loaded_bytes = 0;
    told.stored_bytes = -1;
    CHECK(traced(told, ptx::sampling::middle_block).failure.message.view() ==
          "stored_bytes must be a finite number, zero or above");

    // All warps of a block load one sector, every block another one.
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 from)\n{\n"
        ".reg .b32 %r<5>;\n.reg .b64 %d<5>;\n.reg .f32 %f<5>;\n"
        "ld.param.u64 %d1, [from];\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %d2, %r1, 32;\n"
        "add.u64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\nret;\n}\n";
    const source_variant own{.ptx = text, .launch = grid, .compiled = small};
    CHECK(traced(own, ptx::sampling::representative).counts.accesses.broadcast_loads == 0);
    CHECK(traced(own, ptx::sampling::middle_block).counts.accesses.broadcast_loads == 0);
    const source_variant single{.ptx = text, .launch = {.grid = {1}, .block = {256}}};
    CHECK(traced(single, ptx::sampling::middle_block).counts.accesses.broadcast_loads == 1);
}

TEST_CASE("without ptxas, registers are an estimate that a thread can have") {
    std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 to)\n{\n.reg .b64 %d<5>;\n.reg .f32 %f<400>;\n"
        "ld.param.u64 %d1, [to];\n";
    for (int n = 0; n < 400; ++n) {
        text +=
            "ld.global.f32 %f" + std::to_string(n) + ", [%d1 + " + std::to_string(4 * n) + "];\n";
    }
    for (int n = 0; n < 400; ++n) {
        text +=
            "st.global.f32 [%d1 + " + std::to_string(4 * n) + "], %f" + std::to_string(n) + ";\n";
    }
    text += "ret;\n}\n";
    const source_variant v{.ptx = text, .launch = {.grid = {100}, .block = {64}}};
    const auto traced = trace_variants(1, [&](std::size_t) { return result<source_variant>(v); });
    CHECK(traced[0].counts.registers_per_thread == 255);
    CHECK(rank_traced(saturation_model{gpu}, traced)->ranking.predicted() == 1);
}

TEST_CASE("a tolerance that is none is refused before anything is traced") {
    bool asked = false;
    const auto r = rank_from_source(gpu, 1,
                                    [&](std::size_t) {
                                        asked = true;
                                        return result<source_variant>(variants[0]);
                                    },
                                    {.tolerance = -1});
    REQUIRE_FALSE(r);
    CHECK(r.error() == model_error{errc::negative, "tolerance"});
    CHECK_FALSE(asked);
    CHECK(rank_from_source(gpu, std::span<const source_variant>{})->ranking.order.empty());
}

TEST_CASE("stages have names") {
    CHECK(name(source_stage::compile) == "compile");
    CHECK(name(source_stage::trace) == "trace");
    CHECK(name(static_cast<source_stage>(9)) == "unknown");
}

}  // namespace rank_from_source_test
