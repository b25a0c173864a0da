// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `lower` says against what ptxas makes: of each opcode alone, and of whole kernels.
//
//   lowered_against_cubins write FILE CC   writes a kernel for each opcode of the table, for 86 for 8.6
//   lowered_against_cubins alone FOLDER    with opcodes.sm_CC.ptx and .cubin of what was written
//   lowered_against_cubins FOLDER          with NAME.sm_CC.ptx and NAME.sm_CC.cubin for every kernel and architecture, and
//                                          loop_nests.sm_CC.ptx and .cubin
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/join.hpp>
#include <warpgauge/sass/lower.hpp>

#include "ptx/kernels.hpp"
#include "ptx/loop_nests.hpp"

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;
using sass::pipe;
using warpgauge::unit_kind;

const std::array<std::string, 5> architectures{"75", "80", "86", "89", "90"};

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// --- Each opcode alone

struct operation {
    std::string opcode;
    std::string result;                // type
    std::vector<std::string> sources;  // types
};

std::vector<operation> operations() {
    std::vector<operation> all;
    const auto add = [&](const std::string& opcode, const std::string& result,
                         const std::vector<std::string>& sources) {
        all.push_back({opcode, result, sources});
    };
    for (const std::string ftz : {"", ".ftz"}) {
        for (const char* o : {"div.rn", "div.full", "div.approx"}) {
            add(o + ftz + ".f32", "f32", {"f32", "f32"});
        }
        for (const char* o : {"sqrt.rn", "sqrt.approx", "rcp.rn", "rcp.approx", "rsqrt.approx",
                              "ex2.approx", "lg2.approx", "sin.approx", "cos.approx"}) {
            add(o + ftz + ".f32", "f32", {"f32"});
        }
    }
    add("tanh.approx.f32", "f32", {"f32"});
    add("div.rn.f64", "f64", {"f64", "f64"});
    for (const char* o : {"sqrt.rn.f64", "rcp.rn.f64", "rsqrt.approx.f64"}) add(o, "f64", {"f64"});
    for (const std::string t : {"f32", "f64"}) {
        for (const char* o : {"add.rn.", "sub.rn.", "mul.rn.", "min.", "max."}) {
            add(o + t, t, {t, t});
        }
        add("fma.rn." + t, t, {t, t, t});
        add("setp.lt." + t, "pred", {t, t});
    }
    for (const std::string t : {"s32", "u32", "s64", "u64"}) {
        for (const char* o :
             {"add.", "sub.", "mul.lo.", "mul.hi.", "min.", "max.", "div.", "rem."}) {
            add(o + t, t, {t, t});
        }
        add("mad.lo." + t, t, {t, t, t});
        add("setp.lt." + t, "pred", {t, t});
        add("shr." + t, t, {t, "u32"});
    }
    for (const std::string t : {"s16", "u16"}) {
        add("div." + t, t, {t, t});
        add("rem." + t, t, {t, t});
    }
    add("mul.wide.s32", "s64", {"s32", "s32"});
    add("mul.wide.u16", "u32", {"u16", "u16"});
    add("sad.u32", "u32", {"u32", "u32", "u32"});
    for (const std::string t : {"u32", "u64"}) {
        const std::string bits = "b" + t.substr(1);
        for (const char* o : {"and.", "or.", "xor."}) add(o + bits, t, {t, t});
        add("not." + bits, t, {t});
        add("shl." + bits, t, {t, "u32"});
        add("popc." + bits, "u32", {t});
        add("clz." + bits, "u32", {t});
        add("brev." + bits, t, {t});
        add("selp." + bits, t, {t, t, "pred"});
    }
    add("bfe.u32", "u32", {"u32", "u32", "u32"});
    add("bfi.b32", "u32", {"u32", "u32", "u32", "u32"});
    add("prmt.b32", "u32", {"u32", "u32", "u32"});
    add("shf.l.wrap.b32", "u32", {"u32", "u32", "u32"});
    add("bfind.u32", "u32", {"u32"});
    add("dp4a.s32.s32", "s32", {"s32", "s32", "s32"});
    add("copysign.f32", "f32", {"f32", "f32"});
    add("abs.s32", "s32", {"s32"});
    add("neg.s64", "s64", {"s64"});
    for (const std::string f : {"f32", "f64"}) {
        for (const std::string i : {"s32", "u32", "s64", "u64"}) {
            add("cvt.rn." + f + "." + i, f, {i});
            add("cvt.rzi." + i + "." + f, i, {f});
        }
        add("cvt.rzi." + f + "." + f, f, {f});
    }
    add("cvt.rn.f32.f64", "f32", {"f64"});
    add("cvt.f64.f32", "f64", {"f32"});
    add("cvt.s64.s32", "s64", {"s32"});
    return all;
}

struct register_kind {
    std::string name, moved_as;
};
register_kind kind_of(const std::string& type) {
    if (type == "f32") return {"f", "f32"};
    if (type == "f64") return {"d", "f64"};
    if (type == "pred") return {"p", ""};
    if (type.substr(1) == "16") return {"h", "u16"};
    return type.substr(1) == "64" ? register_kind{"l", "u64"} : register_kind{"r", "u32"};
}

// Lanes load what is their own: where lanes differ, a slow path is a way around for some.
std::string text_of(const operation& o, std::size_t number) {
    std::string text = ".visible .entry k" + std::to_string(number) +
                       "(.param .u64 data) {\n.reg .f32 %f<9>;\n.reg .f64 %d<9>;\n"
                       ".reg .b32 %r<9>;\n.reg .b64 %l<20>;\n.reg .b16 %h<9>;\n.reg .pred %p<9>;\n"
                       "ld.param.u64 %l10, [data];\nmov.u32 %r8, %tid.x;\n"
                       "mul.wide.u32 %l11, %r8, 128;\nadd.s64 %l12, %l10, %l11;\n";
    std::string operands;
    for (std::size_t k = 0; k < o.sources.size(); ++k) {
        const register_kind kind = kind_of(o.sources[k]);
        const std::string place = "[%l12+" + std::to_string(16 * k) + "];\n";
        const std::string n = std::to_string(k + 1);
        if (kind.name == "p") {
            text += "ld.global.u32 %r7, " + place + "setp.ne.s32 %p" + n + ", %r7, 0;\n";
        } else {
            text += "ld.global." + kind.moved_as + " %" + kind.name + n + ", " + place;
        }
        operands += ", %" + kind.name + n;
    }
    const register_kind to = kind_of(o.result);
    text += o.opcode + " %" + to.name + "6" + operands + ";\n";
    if (to.name == "p") {
        text += "selp.b32 %r6, 7, 9, %p6;\nst.global.u32 [%l12+96], %r6;\n";
    } else {
        text += "st.global." + to.moved_as + " [%l12+96], %" + to.name + "6;\n";
    }
    return text + "ret;\n}\n";
}

int write(const std::string& path, const std::string& architecture) {
    std::ofstream out(path);
    out << ".version 7.8\n.target sm_" << architecture << "\n.address_size 64\n";
    std::size_t number = 0;
    for (const operation& o : operations()) out << text_of(o, number++);
    return out.good() ? 0 : 1;
}

// The shortest way from an instruction to an end, through functions that are called: no slow path is taken.
class shortest_way {
public:
    explicit shortest_way(const sass::machine_code& code)
        : code_(code), back_(find({}, false)), end_(find(back_, true)) {}

    [[nodiscard]] double insts() const { return end_.empty() ? 0 : end_[0]; }

private:
    static constexpr double far = 1e6;

    [[nodiscard]] double at(const std::vector<double>& way, std::int64_t offset) const {
        const auto n = static_cast<std::size_t>(offset / sass::instruction_bytes);
        return offset >= 0 && n < way.size() ? way[n] : far;
    }

    [[nodiscard]] std::vector<double> find(const std::vector<double>& back, bool to_exit) const {
        const auto& all = code_.instructions;
        std::vector<double> way(all.size(), far);
        for (int round = 0; round < 50; ++round) {
            for (std::size_t n = all.size(); n-- > 0;) {
                const sass::machine_instruction& i = all[n];
                const double next = n + 1 < all.size() ? way[n + 1] : far;
                const double jump = i.target > i.offset ? at(way, i.target) : far;
                double rest = next;
                switch (i.flow) {
                    case sass::flow::exit: rest = i.conditional ? next : to_exit ? 0 : far; break;
                    case sass::flow::back: rest = to_exit ? far : 0; break;
                    case sass::flow::call: rest = to_exit ? at(back, i.target) + next : far; break;
                    case sass::flow::jump:
                        rest = i.conditional ? std::min(next, jump) : jump;
                        break;
                    default: break;
                }
                way[n] = std::min(far, 1 + rest);
            }
        }
        return way;
    }

    const sass::machine_code& code_;
    std::vector<double> back_, end_;
};

// Registers are moved to and from pairs in no pattern: three instructions are let pass, and a tenth of long ones.
int check_alone(const std::string& folder, const std::string& architecture) {
    const std::string base = folder + "/opcodes.sm_" + architecture;
    const std::string text = read(base + ".ptx");
    const std::string cubin = read(base + ".cubin");
    if (cubin.empty()) return 0;
    const auto m = ptx::parse(text);
    if (!m) return 1;
    int failures = 0;
    int same = 0;
    std::size_t number = 0;
    const auto all = operations();
    for (const operation& o : all) {
        const std::string name = "k" + std::to_string(number++);
        const auto kernel = ptx::find_kernel(*m, name);
        const auto code =
            sass::read_cubin(std::as_bytes(std::span(cubin.data(), cubin.size())), name);
        if (!kernel || !code) return 1;
        const auto t = ptx::trace(*kernel, {{1}, {32}}, {});
        if (!t) return 1;
        const auto lowered = sass::lower(*kernel, *t);
        if (!lowered) return 1;
        const double machine = shortest_way(*code).insts();
        const double off = std::fabs(lowered->warp_insts - machine);
        same += off <= 1 ? 1 : 0;
        if (off <= std::max(3.0, 0.1 * machine)) continue;
        ++failures;
        std::printf("sm_%s %s: %.0f instructions, by the table %.0f  FAILS\n", architecture.c_str(),
                    o.opcode.c_str(), machine, lowered->warp_insts);
    }
    std::printf("sm_%s: %zu opcodes alone, %d of them within one instruction\n",
                architecture.c_str(), all.size(), same);
    return failures;
}

// --- Whole kernels

constexpr std::size_t class_count = 7;
using by_class = std::array<double, class_count>;
const std::array<const char*, class_count> class_names{"integer", "fp32",   "fp64", "special",
                                                       "memory",  "branch", "all"};

template <class Code>
by_class classes_of(const Code& c) {
    const auto sum = [&](std::initializer_list<pipe> pipes) {
        double all = 0;
        for (const pipe p : pipes) all += c.insts_of(p);
        return all;
    };
    return {sum({pipe::integer_fma, pipe::alu, pipe::uniform}),
            sum({pipe::fp32}),
            sum({pipe::fp64}),
            sum({pipe::special}),
            sum({pipe::global_load, pipe::global_store, pipe::global_atomic, pipe::shared_load,
                 pipe::shared_store, pipe::shared_atomic, pipe::local_load, pipe::local_store}),
            sum({pipe::branch, pipe::barrier}),
            c.warp_insts};
}
by_class classes_of_ptx(const ptx::traced_kernel& t) {
    return {t.insts_of(unit_kind::integer),
            t.insts_of(unit_kind::single_precision),
            t.insts_of(unit_kind::double_precision),
            t.insts_of(unit_kind::special_function),
            t.insts_of(unit_kind::global_memory) + t.insts_of(unit_kind::shared_memory),
            t.insts_of(unit_kind::branch) + t.insts_of(unit_kind::barrier),
            t.warp_insts};
}

/// Errors of one architecture: distance of the logarithm.
struct errors {
    std::array<std::vector<double>, class_count> ptx, lowered;
    int within_a_tenth = 0, kernels = 0;
    std::string rows;  // of PTX beside machine code, by class, as docs/sass.md has them
};

double distance(double a, double b) {
    return std::fabs(std::log(std::max(a, 0.01) / b));
}
double median(std::vector<double> v) {
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

struct whole_kernel {
    std::string base, name;
    ptx::kernel kernel;
};

// A row of the page: PTX beside machine code, where integers are multiply-adds and others.
std::string row_of(const std::string& name, const by_class& p, const by_class& x,
                   double multiply_adds) {
    char row[400];
    std::snprintf(
        row, sizeof row,
        "| %s | %.1f | %.1f, %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f | "
        "**%.1f** | **%.1f** |\n",
        name.c_str(), p[0], multiply_adds, x[0] - multiply_adds, p[1], x[1], p[3], x[3], p[4], x[4],
        p[5], x[5], p.back(), x.back());
    return row;
}

bool compare(const whole_kernel& w, const ptx::module& m, const ptx::traced_kernel& t, bool prints,
             errors& to) {
    const std::string cubin = read(w.base + ".cubin");
    const auto code =
        sass::read_cubin(std::as_bytes(std::span(cubin.data(), cubin.size())), w.name);
    if (!code) return false;
    const auto joined = sass::join(m, t, *code);
    const auto lowered = sass::lower(w.kernel, t);
    if (!joined || !lowered) return false;
    const by_class p = classes_of_ptx(t);
    const by_class l = classes_of(*lowered);
    const by_class x = classes_of(*joined);
    for (std::size_t c = 0; c < class_count; ++c) {
        if (x[c] < 1) continue;
        to.ptx[c].push_back(distance(p[c], x[c]));
        to.lowered[c].push_back(distance(l[c], x[c]));
    }
    to.kernels += 1;
    to.within_a_tenth += std::fabs(l.back() / x.back() - 1) <= 0.1 ? 1 : 0;
    if (!prints) return true;
    to.rows += row_of(w.name, p, x, joined->insts_of(pipe::integer_fma));
    std::printf("| %s ", w.name.c_str());
    for (const std::size_t c : {0U, 1U, 3U, 4U, 5U}) {
        std::printf("| %.1f, %.1f, %.1f ", p[c], l[c], x[c]);
    }
    std::printf("| %.1f, **%.1f**, %.1f |\n", p.back(), l.back(), x.back());
    return true;
}

bool compare_kernels(const std::string& folder, const std::string& architecture, bool prints,
                     errors& to) {
    for (const kernel_launch& k : kernel_launches()) {
        whole_kernel w{folder + "/" + k.file + ".sm_" + architecture, k.kernel, {}};
        const std::string text = read(w.base + ".ptx");
        const auto m = ptx::parse(text);
        if (!m) return false;
        w.kernel = *ptx::find_kernel(*m, k.kernel);
        const auto t = ptx::trace(w.kernel, k.launch, k.arguments);
        if (!t || !compare(w, *m, *t, prints, to)) return false;
    }
    return true;
}

bool compare_loop_nests(const std::string& folder, const std::string& architecture, bool prints,
                        errors& to) {
    whole_kernel w{folder + "/loop_nests.sm_" + architecture, {}, {}};
    const std::string text = read(w.base + ".ptx");
    const auto m = ptx::parse(text);
    if (!m) return false;
    std::string_view before;
    for (const loop_nests::kernel& k : loop_nests::kernels) {
        if (k.name == before) continue;
        before = k.name;
        w.name = std::string(k.name);
        w.kernel = *ptx::find_kernel(*m, k.name);
        constexpr std::uint32_t n = 130;
        const auto launch = loop_nests::launch_of(k, n, k.plane ? 32 : 256, k.plane ? 8 : 1);
        const auto t = loop_nests::trace(*m, k, launch, n);
        if (!t || !compare(w, *m, *t, prints, to)) return false;
    }
    return true;
}

// The median is nearer in each class, or both are exact; all but a few totals are within a tenth.
int judge(const char* what, const std::string& architecture, const errors& e, int needed) {
    int failures = e.within_a_tenth >= needed ? 0 : 1;
    std::printf("sm_%s, %s: %d of %d within a tenth; median error", architecture.c_str(), what,
                e.within_a_tenth, e.kernels);
    for (std::size_t c = 0; c < class_count; ++c) {
        if (e.ptx[c].empty()) continue;
        const double before = median(e.ptx[c]);
        const double after = median(e.lowered[c]);
        std::printf("  %s %.3f -> %.3f", class_names[c], before, after);
        if (after > before || (after == before && after > 0)) ++failures;
    }
    std::printf("%s\n", failures > 0 ? "  FAILS" : "");
    return failures;
}

// Rows of the page: totals within a tenth, and the median error of totals, by architecture.
void print_totals(const char* of, const std::vector<errors>& all) {
    std::printf("| of %d %s |", all.front().kernels, of);
    for (const errors& e : all) std::printf(" %d |", e.within_a_tenth);
    std::printf("\n| median, PTX |");
    for (const errors& e : all) std::printf(" %.0f%% |", 100 * median(e.ptx.back()));
    std::printf("\n| median, lowered |");
    for (const errors& e : all) std::printf(" %.1f%% |", 100 * median(e.lowered.back()));
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    const std::string first = argv[1];
    if (argc == 4 && first == "write") return write(argv[2], argv[3]);
    int failures = 0;
    std::vector<errors> of_ours, of_nests;
    for (const std::string& architecture : architectures) {
        if (argc == 3 && first == "alone") {
            failures += check_alone(argv[2], architecture);
            continue;
        }
        if (read(first + "/saxpy.sm_" + architecture + ".cubin").empty()) continue;
        const bool prints = architecture == "86";
        errors ours;
        errors nests;
        if (!compare_kernels(first, architecture, prints, ours)) ++failures;
        if (!compare_loop_nests(first, architecture, prints, nests)) ++failures;
        failures += judge("examples/kernels", architecture, ours, 17);
        failures += judge("loop nests", architecture, nests, 9);
        if (prints) std::printf("%s", ours.rows.c_str());
        of_ours.push_back(ours);
        of_nests.push_back(nests);
    }
    if (of_ours.size() == architectures.size()) {
        print_totals("kernels", of_ours);
        print_totals("loop nests", of_nests);
    }
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
