// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/explain.hpp>

#include "ptx/linked.hpp"

namespace explain_test {

using namespace warpgauge;

TEST_CASE("changes that make one name of another") {
    using ptx::detail::trace::edit_distance;
    static_assert(edit_distance("kitten", "sitting") == 3);
    CHECK(edit_distance("", "abc") == 3);
    CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("a kernel that is not there is named with the one that was perhaps meant") {
    const parsed_text t(kernel_of("ret;",
                                  ".entry _Z6vecAddPKfS0_Pfi() { ret; }\n"
                                  ".entry reduction() { ret; }\n"
                                  ".func reduce() { ret; }\n"));
    const auto said = [&](std::string_view name) {
        return std::string(ptx::message(ptx::find_kernel(t.module, name).error(), t.module).view());
    };
    CHECK(said("vecAdd") == "no kernel is called vecAdd; perhaps _Z6vecAddPKfS0_Pfi");
    CHECK(said("redaction") == "no kernel is called redaction; perhaps reduction");
    CHECK(said("reduce") == "no kernel is called reduce");
    CHECK(said("something_else") == "no kernel is called something_else");
    CHECK(said("") == "kernel is a name of several");
}

TEST_CASE("arguments by place, type and name") {
    const parsed_text t(kernel_of("ret;"));
    const ptx::kernel k{&t.module, 0};
    const auto said = [&](const model_error& e) { return std::string(ptx::message(e, k).view()); };
    CHECK(said({errc::missing, "n", 1}) == "argument 1 (u32 n) has no value");
    CHECK(said({errc::missing, "data", 2}) ==
          "argument 2 (u64 data) has no value, and is no pointer");
    CHECK(said({errc::outside_domain, "n", 1}) == "argument 1 (u32 n) is no such value");
    CHECK(said({errc::overflow, "n", 1}) == "argument 1 (u32 n) has too few bits for its value");
    // What is about something else stays as it is.
    CHECK(said({errc::outside_domain, "hints", 1}) ==
          message(model_error{errc::outside_domain, "hints", 1}).view());
    CHECK(said({errc::outside_domain, "arguments", 3}) ==
          message(model_error{errc::outside_domain, "arguments", 3}).view());
    CHECK(said({errc::missing, "label", 5, 3}) ==
          message(model_error{errc::missing, "label", 5, 3}).view());
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

}  // namespace explain_test
