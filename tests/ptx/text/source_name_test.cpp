// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/text/source_name.hpp>

namespace source_name_test {

using warpgauge::ptx::source_name;

TEST_CASE("the name in the source") {
    static_assert(source_name("_Z5saxpyifPKfPf") == "saxpy");
    CHECK(source_name("saxpy") == "saxpy");
    CHECK(source_name("_Z5scaleIfEvPT_i") == "scale");        // a template
    CHECK(source_name("_ZN4math3gpu5saxpyEi") == "saxpy");    // in namespaces
    CHECK(source_name("_ZN4math5scaleIdEEvPT_") == "scale");  // both
    CHECK(source_name("_ZL5saxpyi") == "saxpy");              // static
    CHECK(source_name("_ZN12_GLOBAL__N_15saxpyEi") == "saxpy");
}

TEST_CASE("what is no mangled name is its own") {
    for (const char* symbol :
         {"", "_Z", "_ZN", "_Z5sax", "_Z0", "_Z99999999999a", "_Zsaxpy", "_Z$5saxpy", "Z5saxpyi"}) {
        CAPTURE(symbol);
        CHECK(source_name(symbol) == symbol);
    }
}

}  // namespace source_name_test
