// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/find_kernel.hpp>

#include "ptx/linked.hpp"

namespace find_kernel_test {

using namespace warpgauge;

TEST_CASE("a kernel by name, or the only one") {
    const parsed_text one(kernel_of("ret;", ".func f() { ret; }\n"));
    CHECK(ptx::find_kernel(one.module, "")->function == 1);
    CHECK(ptx::find_kernel(one.module, "k")->text == &one.module);
    for (const char* none : {"f", "other"}) {
        const auto error = ptx::find_kernel(one.module, none).error();
        CHECK(error == model_error{errc::unknown_name, none});
        CHECK(message(error).view() == std::string(none) + " is not a known name");
    }
    const parsed_text two(kernel_of("ret;", ".entry j() { ret; }\n"));
    CHECK(ptx::find_kernel(two.module, "").error() == model_error{errc::missing, "kernel"});
    const ptx::module none;
    CHECK(ptx::find_kernel(none, "").error() == model_error{errc::missing, "kernel"});
    CHECK(ptx::find_kernel(two.module, "j")->function == 0);
    const parsed_text twice(kernel_of("ret;", ".entry k() { ret; }\n"));
    CHECK(ptx::find_kernel(twice.module, "k").error() ==
          model_error{errc::ambiguous_name, "kernel"});
    CHECK(ptx::detail::trace::has_body({&two.module, 1}));
    CHECK_FALSE(ptx::detail::trace::has_body({&two.module, 2}));
    CHECK_FALSE(ptx::detail::trace::has_body({}));
}

TEST_CASE("a kernel by its name in the source") {
    const parsed_text t(kernel_of("ret;",
                                  ".entry _Z5saxpyif() { ret; }\n.entry _Z5scaleIfEvT_() { ret; }\n"
                                  ".entry _Z5scaleIdEvT_() { ret; }\n.entry copy() { ret; }\n"
                                  ".entry _Z4copyv() { ret; }\n.entry _Z5latervi();\n"));
    const ptx::module_index index(t.module);
    const auto at = [&](std::string_view name) {
        const auto k = ptx::find_kernel(t.module, name);
        REQUIRE(k);
        CHECK(ptx::find_kernel(index, name)->function == k->function);
        return std::string(t.module.functions[k->function].name);
    };
    CHECK(at("saxpy") == "_Z5saxpyif");
    CHECK(at("_Z5scaleIdEvT_") == "_Z5scaleIdEvT_");
    CHECK(at("copy") == "copy");  // a symbol comes first
    for (const char* name : {"scale", "later"}) {
        const auto code =
            name == std::string_view("scale") ? errc::ambiguous_name : errc::unknown_name;
        CHECK(ptx::find_kernel(t.module, name).error() == model_error{code, name});
        CHECK(ptx::find_kernel(index, name).error() == model_error{code, name});
    }
}

TEST_CASE("the capability that a text is for") {
    const auto of = [](std::string_view target) {
        ptx::module m;
        m.target = target;
        return ptx::target_of(m);
    };
    CHECK(of("sm_90a") == compute_capability{9, 0});
    CHECK(of("sm_75, debug") == compute_capability{7, 5});
    CHECK(of("sm_120") == compute_capability{12, 0});
    CHECK(of("map_f64_to_f32") == compute_capability{});
}

TEST_CASE("the same by an index of the module") {
    const parsed_text t(kernel_of("ret;", ".func f { ret; }\n.entry declared(.param .u32 n);\n"));
    const ptx::module_index index(t.module);
    const auto k = ptx::find_kernel(index, "k");
    REQUIRE(k);
    CHECK(k->text == &t.module);
    CHECK(k->function == ptx::find_kernel(t.module, "k")->function);
    CHECK(k->index == &index);
    CHECK(ptx::find_kernel(index, "")->function == k->function);
    for (const char* name : {"f", "declared", "none"}) {
        CHECK(ptx::find_kernel(index, name).error() == model_error{errc::unknown_name, name});
    }
    const ptx::module_index<> empty;
    CHECK(ptx::find_kernel(empty, "k").error() == model_error{errc::missing, "kernel"});
}

}  // namespace find_kernel_test
