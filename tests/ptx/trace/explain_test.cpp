// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include <warpgauge/ptx/trace/explain.hpp>
#include <warpgauge/ptx/trace/stopped_loop.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace explain_test {

using namespace warpgauge;

TEST_CASE("a kernel that is not there is named with the one that was perhaps meant") {
    const parsed_text t(kernel_of("ret;",
                                  ".entry _Z6vecAddPKfS0_Pfi() { ret; }\n"
                                  ".entry reduction() { ret; }\n"
                                  ".func reduce() { ret; }\n"));
    const auto said = [&](std::string_view name) {
        return std::string(ptx::message(ptx::find_kernel(t.module, name).error(), t.module).view());
    };
    CHECK(said("vecAd") == "no kernel is called vecAd; perhaps _Z6vecAddPKfS0_Pfi");
    CHECK(said("redaction") == "no kernel is called redaction; perhaps reduction");
    CHECK(said("reduce") == "no kernel is called reduce");
    CHECK(said("something_else") == "no kernel is called something_else");
    CHECK(said("") == "kernel is needed; the text has _Z6vecAddPKfS0_Pfi reduction k");
    const parsed_text two(
        kernel_of("ret;",
                  ".entry _Z5scaleIfEvv() { ret; }\n.entry _Z5scaleIdEvv() { ret; }\n"
                  ".entry _Z5scaleIhEvv();\n"));
    CHECK(message(ptx::find_kernel(two.module, "scale").error(), two.module).view() ==
          "scale is the name of several kernels: _Z5scaleIfEvv _Z5scaleIdEvv");
}

TEST_CASE("what is no error of a name stays as it is") {
    const parsed_text t(kernel_of("ret;"));
    const model_error e{errc::missing, "stencil"};
    CHECK(ptx::message(e, t.module).view() == message(e).view());
    const ptx::module none;
    CHECK(ptx::message(ptx::find_kernel(none, "").error(), none).view() ==
          "the text has no kernel");
}

TEST_CASE("arguments by place, type and name") {
    const parsed_text t(kernel_of("ret;"));
    const ptx::kernel k{&t.module, 0};
    const auto said = [&](const model_error& e) { return std::string(ptx::message(e, k).view()); };
    CHECK(said({errc::missing, "n", 1}) == "argument 1 (u32 n) has no value");
    CHECK(said({errc::missing, "data", 2}) ==
          "argument 2 (u64 data) has no value, and is not seen in an address");
    CHECK(said({errc::outside_domain, "n", 1}) == "argument 1 (u32 n) is no such value");
    CHECK(said({errc::overflow, "n", 1}) == "argument 1 (u32 n) has too few bits for its value");
    // What is about something else stays as it is.
    CHECK(said({errc::outside_domain, "hints", 1}) ==
          message(model_error{errc::outside_domain, "hints", 1}).view());
    CHECK(said({errc::outside_domain, "arguments", 2}) ==
          message(model_error{errc::outside_domain, "arguments", 2}).view());
    CHECK(said({errc::missing, "label", 5, 3}) ==
          message(model_error{errc::missing, "label", 5, 3}).view());
}

TEST_CASE("a trace that takes too many steps names the loop, if it has a place to write it") {
    const parsed_text t(kernel_of("L: setp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;"));
    const ptx::kernel k{&t.module, 0};
    const ptx::launch l{{1}, {32}};
    ptx::stopped_loop stopped;
    const auto bad = ptx::trace(k, l, {5}, {.stopped = &stopped}).error();
    const std::string words(ptx::message(bad, k, l, {.stopped = &stopped}).view());
    const std::string plain(ptx::message(bad, k, l).view());
    CHECK(plain.ends_with(": max_steps would pass a limit on work or memory"));
    CHECK(words.starts_with(plain.substr(0, plain.find(':')) + ": max_steps reached in loop L, "));
    CHECK(words.ends_with(", by %r1 = 5, 0"));
    // What is left of another trace is not told of this error, nor of one in no loop.
    ptx::stopped_loop other = stopped;
    ++other.at.line;
    CHECK(ptx::message(bad, k, l, {.stopped = &other}).view() == plain);
    other = stopped;
    ++other.at.column;
    CHECK(ptx::message(bad, k, l, {.stopped = &other}).view() == plain);
    other = {};
    CHECK(ptx::message(bad, k, l, {.stopped = &other}).view() == plain);
    const model_error missing{errc::missing, "max_steps", bad.line, bad.column};
    CHECK(ptx::message(missing, k, {.stopped = &stopped}).view() == message(missing).view());
    CHECK(ptx::message(model_error{errc::limit_reached, "memory", bad.line, bad.column}, k, l,
                       {.stopped = &stopped})
              .view()
              .find("memory would pass") != std::string_view::npos);
}

TEST_CASE("an argument too many") {
    const parsed_text two(kernel_of("ret;"));
    CHECK(
        ptx::message(model_error{errc::outside_domain, "arguments", 3}, {&two.module, 0}).view() ==
        "argument 3 is too many: the kernel has 2 parameters");
    const parsed_text one(".version 7.0\n.target sm_75\n.entry k(.param .u32 n) { ret; }\n");
    CHECK(
        ptx::message(model_error{errc::outside_domain, "arguments", 2}, {&one.module, 0}).view() ==
        "argument 2 is too many: the kernel has 1 parameter");
}

TEST_CASE("initial values too many") {
    const parsed_text t(kernel_of("ret;"));
    const model_error e{errc::outside_domain, "initial values", 4, 7};
    CHECK(ptx::message(e, {&t.module, 0}).view() ==
          "line 4, column 7: more initial values than the variable has room for");
    const model_error elsewhere{errc::outside_domain, "initial values", 4};
    CHECK(ptx::message(elsewhere, {&t.module, 0}).view() == message(elsewhere).view());
}

TEST_CASE("a hint that no branch has") {
    const parsed_text t(kernel_of("ret;"));
    const ptx::hint hints[]{{.label = "LOOP", .rounds = 4},
                            {.probability = 0.5, .source_line = 12},
                            {.label = "OUT", .probability = 1}};
    const ptx::trace_options options{.hints = hints};
    const auto said = [&](const model_error& e) {
        return std::string(ptx::message(e, {&t.module, 0}, options).view());
    };
    CHECK(said({errc::missing, "hints", 1}) == "hint 1: the label LOOP has no loop");
    CHECK(said({errc::missing, "hints", 2}) == "hint 2: line 12 of the source has no branch");
    CHECK(said({errc::missing, "hints", 3}) == "hint 3: the label OUT has no branch");
    // What is about something else stays as it is.
    CHECK(said({errc::missing, "hints"}) == message(model_error{errc::missing, "hints"}).view());
    CHECK(said({errc::missing, "hints", 4}) == "entry 4: hints is needed and not given");
    CHECK(said({errc::outside_domain, "hints", 1}) ==
          message(model_error{errc::outside_domain, "hints", 1}).view());
    CHECK(said({errc::missing, "n", 1}) == "argument 1 (u32 n) has no value");
}

TEST_CASE("a launch that is too large, with its numbers and the limit") {
    const parsed_text t(kernel_of("ret;"));
    const auto said = [&](const ptx::launch& l, const model_error& e) {
        return std::string(ptx::message(e, {&t.module, 0}, l).view());
    };
    const model_error block{errc::exceeds_device, "block"};
    CHECK(said({{1}, {64, 32}}, block) == "block has 2048 threads; a device allows 1024");
    CHECK(said({{1}, {1, 1, 65}}, block) == "block has 65 threads along z; a device allows 64");
    CHECK(said({{1, 65'536}, {32}}, {errc::exceeds_device, "grid"}) ==
          "grid has 65536 blocks along y; a device allows 65535");
    // What is about something else stays as it is.
    CHECK(said({{1}, {64, 32}}, {errc::missing, "n", 1}) == "argument 1 (u32 n) has no value");
    CHECK(said({{1}, {32}}, block) == message(block).view());
}

TEST_CASE("of several names that are near the shortest, or the first; a structure has its size") {
    const parsed_text t(
        kernel_of("ret;",
                  ".entry _Z9vecAddAllPf() { ret; }\n.entry _Z6vecAddPf() { ret; }\n"
                  ".entry _Z10vecAddSomePf() { ret; }\n"
                  ".entry reduct1() { ret; }\n.entry reduct2() { ret; }\n"
                  ".entry later();\n"
                  ".entry s(.param .align 8 .b8 all[12]) { ret; }\n"));
    CHECK(ptx::nearest_kernel(t.module, "vecAdd") == "_Z6vecAddPf");
    CHECK(ptx::nearest_kernel(t.module, "reducts") == "reduct1");
    CHECK(ptx::nearest_kernel(t.module, "latter").empty());  // it has no body
    CHECK(ptx::nearest_kernel(t.module, "").empty());
    const auto k = ptx::find_kernel(t.module, "s");
    REQUIRE(k);
    CHECK(ptx::message(model_error{errc::outside_domain, "all", 1}, *k).view() ==
          "argument 1 (b8[12] all) is no such value");
    CHECK(ptx::message(model_error{errc::missing, "all", 0}, *k).view() ==
          message(model_error{errc::missing, "all", 0}).view());
    CHECK(ptx::message(model_error{errc::missing, "all", 1}, ptx::kernel{}).view() ==
          message(model_error{errc::missing, "all", 1}).view());
}

TEST_CASE("a launch that breaks a constraint of the text, with both numbers") {
    const parsed_text t(
        ".version 7.8\n.target sm_90\n.address_size 64\n"
        ".entry most() .maxntid 64, 2, 1 { ret; }\n"
        ".entry fixed() .reqntid 64 { ret; }\n"
        ".entry grouped() .reqnctapercluster 4 { ret; }\n");
    const ptx::kernel most{&t.module, 0}, fixed{&t.module, 1}, grouped{&t.module, 2};
    const auto said = [](const ptx::kernel& k, const ptx::launch& l) {
        const auto traced = ptx::trace(k, l, {});
        REQUIRE(!traced);
        return std::string(message(traced.error(), k, l).view());
    };
    CHECK(said(most, {{1}, {32, 8}}) ==
          "blocks of 256 threads are launched, and the kernel allows 128 (.maxntid, "
          "__launch_bounds__): launch smaller blocks, or compile it for larger ones");
    CHECK(said(fixed, {{1}, {32}}) ==
          "blocks of 32x1x1 threads are launched, and the kernel is compiled for 64x1x1 alone "
          "(.reqntid): launch these, or compile it for others");
    CHECK(said(grouped, {{10}, {32}}) ==
          "a grid of 10x1x1 blocks has no whole number of clusters of 4x1x1 blocks");
    CHECK(said(most, {{1, 3}, {32}, 0, {2}}) ==
          "a grid of 1x3x1 blocks has no whole number of clusters of 2x1x1 blocks");
    CHECK(said(most, {{0}, {32}}) == "grid must be a finite number above zero");
    // The longest texts fit.
    CHECK(said(fixed, {{1}, {1024, 1, 1}}).ends_with("compile it for others"));
    // Without the launch.
    CHECK(message(model_error{errc::broken_constraint, ".maxntid"}, most).view() ==
          "the kernel allows 128 (.maxntid, __launch_bounds__): launch smaller blocks, or compile "
          "it for larger ones");
    CHECK(message(model_error{errc::broken_constraint, ".reqntid"}, fixed).view() ==
          "the kernel is compiled for 64x1x1 alone (.reqntid): launch these, or compile it for "
          "others");
    const model_error cluster{errc::broken_constraint, "cluster"};
    CHECK(message(cluster, grouped).view() == message(cluster).view());
    // Sides of a cluster that neither launch nor text gives are 1; what is about something else stays as it is.
    CHECK(message(cluster, most, {{1, 3}, {32}, 0, {2, 0, 0}}).view() ==
          "a grid of 1x3x1 blocks has no whole number of clusters of 2x1x1 blocks");
    const model_error other{errc::broken_constraint, "grid"};
    CHECK(message(other, most, {{1}, {32}}).view() == message(other).view());
    CHECK(message(cluster, ptx::kernel{}, {{1}, {32}}).view() == message(cluster).view());
}

}  // namespace explain_test
