// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/shared_recorder.hpp>

#include "ptx/linked.hpp"

namespace shared_recorder_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

struct fixture {
    fixture() {
        file.begin(one_warp());
        file.add_rows(k.program.routines[0].rows);
        values.clear(256);
        address(0).known = all_lanes;
        for (std::size_t l = 0; l < warp_lanes; ++l) address(0).lanes[l] = 4 * l;
        fill(file.at(k.source(k.body(0), 1)), 7);
    }
    row_values& address(std::size_t step) { return file.at(k.source(k.body(step))); }
    void see(std::size_t step, std::uint32_t active = all_lanes) {
        recorder(k.body(step), active, file);
    }

    linked_text k{kernel_of(
        "st.shared.u32 [%d2], %r3;\nst.u32 [%d2+128], %r3;\nred.shared.add.u32 [%d2], 1;\n"
        "st.global.u32 [%d2], %r3;\nst.shared.v2.u32 [%d2], {%r3, %r4};\nret;")};
    register_file<> file{k.program};
    ptx::link::undecided_part<> undecided{k.program};
    shared_values<> values;
    shared_recorder<> recorder{k.program, undecided, values};
    std::uint64_t value = 0;
};

}  // namespace

TEST_CASE("stores of known values, by each lane that takes part") {
    fixture f;
    f.see(3);  // to global memory
    CHECK_FALSE(f.values.any());
    f.see(0, 0xff);
    REQUIRE(f.values.read(28, 4, f.value));
    CHECK(f.value == 7);
    CHECK_FALSE(f.values.read(32, 4, f.value));
    f.see(2, 1);  // an atomic
    CHECK_FALSE(f.values.read(0, 4, f.value));
    CHECK(f.values.read(4, 4, f.value));
    f.see(4, 2);  // the second value is not known
    CHECK(f.values.read(4, 4, f.value));
    CHECK_FALSE(f.values.read(8, 4, f.value));
}

TEST_CASE("generic addresses; an unknown one may be anywhere") {
    fixture f;
    f.see(1);  // no window of shared memory
    CHECK_FALSE(f.values.any());
    row_values& address = f.address(0);
    for (std::uint64_t& a : address.lanes) a += ptx::link::address_windows(64).shared();
    f.see(1, 1);
    CHECK(f.values.read(128, 4, f.value));
    address.known = 1;
    f.see(1, 1);
    CHECK(f.values.any());
    f.see(1);
    CHECK_FALSE(f.values.any());
    CHECK(may_write_shared(f.k.body(0)));
    CHECK_FALSE(may_write_shared(f.k.body(3)));
    // An atomic with a result is no store.
    const linked_text atomic(
        kernel_of("atom.shared.add.u32 %r3, [tile], 1;\nst.global.u32 [%d1], %r3;\n"
                  "ld.shared.u32 %r4, [tile];\nret;"));
    CHECK(may_write_shared(atomic.body(0)));
    CHECK_FALSE(may_write_shared(atomic.body(2)));
}

}  // namespace shared_recorder_test
