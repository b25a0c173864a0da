// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/listing.hpp>

#include "ptx/kernels.hpp"
#include "random_numbers.hpp"
#include "sass/cubins.hpp"

namespace listing_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;
using warpgauge::errc;
using warpgauge::model_error;

// As published with CuAssembler, UserGuide.md.
constexpr std::string_view published = R"sass(
Fatbin elf code:
================
arch = sm_75
code version = [1,7]
producer = <unknown>
host = windows
compile_size = 64bit

	code for sm_75
		Function : _Z7argtestPiS_S_
	.headerflags    @"EF_CUDA_SM75 EF_CUDA_PTX_SM(EF_CUDA_SM75)"
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;               /* 0x00000a00ff017624 */
                                                                                         /* 0x000fd000078e00ff */
        /*0010*/                   ULDC.64 UR36, c[0x0][0x160] ;                         /* 0x0000580000247ab9 */
                                                                                         /* 0x000fe20000000a00 */
        /*0020*/                   IADD3 R1, R1, -0x28, RZ ;                             /* 0xffffffd801017810 */
                                                                                         /* 0x000fe20007ffe0ff */
		..........
)sass";

std::string hexadecimal(std::uint64_t number, int digits) {
    std::string text(static_cast<std::size_t>(digits), '0');
    for (auto at = text.rbegin(); at != text.rend(); ++at, number >>= 4)
        *at = "0123456789abcdef"[number & 15];
    return text;
}

/// A cubin's kernel as cuobjdump prints it, or, with lines of the PTX, nvdisasm; the operations are left out.
std::string listing_of(sass::byte_view cubin, std::string_view kernel, bool by_nvdisasm) {
    const auto file = sass::read_elf(cubin);
    const auto code = sass::read_cubin(cubin, kernel);
    REQUIRE(code);
    const sass::section words = file->find(".text.", kernel);
    const std::string number = std::to_string(code->capability_number());
    const std::string name(kernel);
    std::string text = by_nvdisasm ? "\t.headerflags\t@\"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_SM" +
                                         number + "\"\n.text." + name + ":\n"
                                   : "\tcode for sm_" + number + "\n\t\tFunction : " + name + "\n";
    std::uint32_t line = 0;
    for (const sass::machine_instruction& i : code->instructions) {
        if (by_nvdisasm && i.line != line) {
            line = i.line;
            text +=
                "\t//## File \"/some/source.cu\", line 5\n\t//## File "
                "\".nv_debug_ptx_txt\", line " +
                std::to_string(line) + "\n";
        }
        const auto half = [&](std::size_t at) {
            return "/* 0x" +
                   hexadecimal(sass::detail::number_at(words.content, i.offset + at, 8), 16) +
                   " */\n";
        };
        text += "        /*" + hexadecimal(i.offset, 4) + "*/    " + std::string(i.name) + " ;   " +
                half(0) + "       " + half(8);
        if (by_nvdisasm && i.flow == sass::flow::jump) text += ".L_x_0:\n";
    }
    return text;
}

ptx::kernel_resources resources_of(const sass::machine_code& code) {
    ptx::kernel_resources r;
    r.registers_per_thread = code.registers_per_thread;
    r.stack_bytes = code.frame_bytes_per_thread;
    r.shared_bytes_per_block = code.shared_bytes_per_block;
    return r;
}

void check_same(const sass::machine_code& a, const sass::machine_code& b, bool lines) {
    CHECK(a.kernel == b.kernel);
    CHECK(a.capability == b.capability);
    CHECK(a.registers_per_thread == b.registers_per_thread);
    CHECK(a.shared_bytes_per_block == b.shared_bytes_per_block);
    CHECK(a.has_lines == lines);
    REQUIRE(a.instructions.size() == b.instructions.size());
    for (std::size_t n = 0; n < a.instructions.size(); ++n) {
        const sass::machine_instruction& x = a.instructions[n];
        const sass::machine_instruction& y = b.instructions[n];
        CHECK(x.name == y.name);
        CHECK(x.offset == y.offset);
        CHECK(x.target == y.target);
        CHECK(x.control == y.control);
        CHECK(x.conditional == y.conditional);
        CHECK(x.lane_bytes == y.lane_bytes);
        CHECK(x.line == (lines ? y.line : 0));
    }
}

model_error error_of(std::string_view text, std::string_view kernel = {}) {
    const auto code = sass::read_listing(text, kernel);
    REQUIRE_FALSE(code);
    return code.error();
}

}  // namespace

TEST_CASE("words of a published listing") {
    const auto code = sass::read_listing(published, "_Z7argtestPiS_S_");
    REQUIRE(code);
    CHECK(code->capability == warpgauge::compute_capability{7, 5});
    REQUIRE(code->instructions.size() == 3);
    CHECK(code->instructions[0].name == "IMAD");
    CHECK(code->instructions[0].control.stall_cycles == 8);
    CHECK(code->instructions[1].name == "ULDC");
    CHECK(code->instructions[2].name == "IADD3");
    CHECK(code->instructions[2].offset == 32);
    CHECK_FALSE(code->has_lines);
    CHECK(sass::read_listing(published, "")->kernel == "_Z7argtestPiS_S_");
}

TEST_CASE("a listing gives what its cubin gives") {
    for (const auto& [bytes, name] : {std::pair{cubin_bytes(saxpy_sm_75), "saxpy"},
                                      std::pair{cubin_bytes(histogram_sm_90), "histogram"}}) {
        const auto code = sass::read_cubin(bytes, name);
        REQUIRE(code);
        for (const bool by_nvdisasm : {false, true}) {
            // Another kernel stands before it, and one of the same name for another GPU behind.
            const std::string own = listing_of(bytes, name, by_nvdisasm);
            const std::string text = std::string(published) + own + std::string(published) + own;
            const auto read = sass::read_listing(text, name, resources_of(*code));
            REQUIRE(read);
            check_same(*read, *code, by_nvdisasm);
        }
    }
}

TEST_CASE("a listing with lines of PTX is joined with a trace as its cubin is") {
    const std::string text = kernel_text("histogram", "sm_90");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = ptx::trace(*ptx::find_kernel(*m, "histogram"), {{30}, {256}}, {100'000});
    REQUIRE(t);
    const auto bytes = cubin_bytes(histogram_sm_90);
    const std::string listing = listing_of(bytes, "histogram", true);
    const auto by_text = sass::join(*m, *t, *sass::read_listing(listing, "histogram"));
    const auto by_cubin = sass::join(*m, *t, *sass::read_cubin(bytes, "histogram"));
    REQUIRE(by_text);
    REQUIRE(by_cubin);
    CHECK(by_text->warp_insts == by_cubin->warp_insts);
    CHECK(by_text->pipe_insts == by_cubin->pipe_insts);
    CHECK(by_text->lane_bytes == by_cubin->lane_bytes);
    // cuobjdump prints no lines.
    const std::string plain = listing_of(bytes, "histogram", false);
    CHECK(sass::join(*m, *t, *sass::read_listing(plain, "histogram")).error() ==
          model_error{errc::missing, "lines"});
}

TEST_CASE("what a listing lacks is named, with its line") {
    CHECK(error_of(published, "argtest") == model_error{errc::unknown_name, "kernel"});
    CHECK(error_of("") == model_error{errc::unknown_name, "kernel"});
    CHECK(error_of("\n.text.k:\n /*0000*/ EXIT ; /* 0x000000000000794d */\n") ==
          model_error{errc::missing, "capability", 3, 1});
    const std::string head = "code for sm_80\nFunction : k\n";
    CHECK(error_of(head + "/*0000*/ EXIT ;\n") == model_error{errc::missing, "words", 3, 1});
    CHECK(error_of(head + "/*0000*/ EXIT ; /* 0x000000000000794d */\n") ==
          model_error{errc::malformed, "words", 3, 1});
    CHECK(error_of(head + "/*0000*/ EXIT ; /* 0x000000000000794d */\n/*0010*/ NOP "
                          "; /* 0x000000000000794d */\n") ==
          model_error{errc::malformed, "words", 4, 1});
    CHECK(error_of(head + "/*0010*/ EXIT ; /* 0x000000000000794d */\n") ==
          model_error{errc::malformed, "address", 3, 1});
    CHECK(error_of("code for sm_70\nFunction : k\n/*0000*/ EXIT ; /* "
                   "0x000000000000794d */\n") ==
          model_error{errc::unknown_compute_capability, "capability", 3, 1});
    CHECK(error_of("code for sm_200\nFunction : k\n/*0000*/ EXIT ; /* "
                   "0x000000000000794d */\n") ==
          model_error{errc::unknown_compute_capability, "capability", 3, 1});
    CHECK(error_of(head + "/**/ EXIT ;\n") == model_error{errc::unknown_name, "kernel"});
    CHECK(error_of(head + "/*000g*/ EXIT ;\n") == model_error{errc::unknown_name, "kernel"});
}

TEST_CASE("a name without code, and a line that no text has") {
    const auto code = sass::read_listing(
        "code for sm_80\nFunction : k\nFunction : k\n"
        "//## File \".nv_debug_ptx_txt\", line 4294967295\n"
        "/*0000*/ EXIT ; /* 0x000000000000794d */\n/* 0x000fea0003800000 */\n",
        "");
    REQUIRE(code);
    REQUIRE(code->instructions.size() == 1);
    CHECK(code->instructions[0].name == "EXIT");
    CHECK(code->instructions[0].line == 0);
}

// Whatever the text is, the answer is a value or an error within it; sanitizers look on.
TEST_CASE("cut and changed listings are answered") {
    const std::string text = listing_of(cubin_bytes(saxpy_sm_75), "saxpy", true);
    random_numbers random{2026};
    const int end = static_cast<int>(text.size()) - 1;
    for (int n = 0; n < 3'000; ++n) {
        std::string broken = text;
        for (int changes = random.whole(0, 8); changes > 0; --changes) {
            const auto at = static_cast<std::size_t>(random.whole(0, end));
            broken[at] = static_cast<char>(random.whole(0, 255));
        }
        if (n % 3 == 0) broken.resize(static_cast<std::size_t>(random.whole(0, end)));
        const auto code = sass::read_listing(broken, "");
        if (!code) {
            CHECK(code.error().line <= broken.size() + 1);
            continue;
        }
        CHECK(code->instructions.size() <= broken.size() / 32);
    }
}

}  // namespace listing_test
