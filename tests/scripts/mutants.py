#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes a header in one place at a time and asks whether its tests notice.

    tests/scripts/mutants.py sm/occupancy.hpp models/roofline.hpp --most 50

A mutant is killed if a static assertion or a constant of its tests fails, a test fails, or they take 3 s of a core.
One that is no C++ counts for nothing. The rest are printed: each is a test that is missing, or changes nothing;
tests/mutants.txt lists the latter with the reason. clang compiles a mutant in two thirds of the time of g++.

Most mutants of a header are compiled into one program, which is told by MUTANT which one to be: an operator `a + b`
is written `a + plus<17>{} + b`, which binds as before, and is `a - b` if mutant 17 runs. Those that live, and what
cannot be written so (constants, `&&`), are compiled one by one: only this makes constant expressions notice.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "warpgauge"
EQUIVALENT = ROOT / "tests" / "mutants.txt"

# What is replaced, and by what.
CHANGES = [
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "),
    (r" == ", " != "), (r" != ", " == "), (r" && ", " || "), (r" \|\| ", " && "),
    (r" \+ ", " - "), (r" - ", " + "), (r" \* ", " / "), (r" / ", " * "),
    (r" \+= ", " -= "), (r" -= ", " += "), (r" \*= ", " /= "),
    (r"\bmin\(", "max("), (r"\bmax\(", "min("),
    (r"\bquotient_up\b", "quotient_down"), (r"\bquotient_down\b", "quotient_up"),
    (r"\bfloor\(", "ceil("), (r"\bceil\(", "floor("),
    (r"\btrue\b", "false"), (r"\bfalse\b", "true"),
    (r"(?<![\w.])([1-9]\d*)\.0\b", lambda m: f"{int(m[1]) + 1}.0"),
    (r"(?<![\w.:'])(?<!\de-)([1-9]\d?)(?![\w.'])", lambda m: str(int(m[1]) + 1)),
]
# Lines that say nothing about what a header computes.
PASSED_OVER = re.compile(r"^\s*(//|#|template\b|static_assert|namespace|using |\[\[nodiscard|requires\b|concept\b|\*)")


# Both an operator and its change in one expression; constant expressions have the operator.
SWITCH = """#pragma once
#include <cstdlib>
#include <type_traits>
#include <warpgauge/core/scalar.hpp>
namespace mutation {
inline const int active = std::getenv("MUTANT") != nullptr ? std::atoi(std::getenv("MUTANT")) : -1;
template <int N> constexpr bool on() { return !std::is_constant_evaluated() && active == N; }
template <int N, class T> constexpr T either(T is, T becomes) { return on<N>() ? becomes : is; }
"""
OPERATOR = """
template <int N> struct op@ {};
template <int N, class A> struct left@ { const A& a; };
template <int N, class A> constexpr left@<N, A> operator$(const A& a, op@<N>) { return {a}; }
template <int N, class A, class B> constexpr auto operator$(left@<N, A> l, const B& b) {
    using R = decltype(l.a $ b);
    return on<N>() ? static_cast<R>(l.a ^ b) : static_cast<R>(l.a $ b);
}
"""
ASSIGNMENT = """
template <int N> struct op@ {};
template <int N, class B> struct right@ { const B& b; };
template <int N, class B> constexpr right@<N, B> operator$(op@<N>, const B& b) { return {b}; }
template <int N, class A, class B> constexpr A& operator$(A& a, right@<N, B> r) {
    if (on<N>()) return a ^ r.b, a;
    return a $ r.b, a;
}
"""
FUNCTION = """
template <int N, class... A> constexpr auto $_(const A&... a) {
    return on<N>() ? ::warpgauge::core::^(a...) : ::warpgauge::core::$(a...);
}
"""
OPERATORS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "+": "-", "-": "+", "*": "/", "/": "*"}
ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "/="}
FUNCTIONS = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "quotient_up": "quotient_down",
             "quotient_down": "quotient_up"}


def switch():
    """The header of all that switches."""
    text = SWITCH
    for table, form in ((OPERATORS, OPERATOR), (ASSIGNMENTS, ASSIGNMENT), (FUNCTIONS, FUNCTION)):
        for is_, becomes in table.items():
            text += form.replace("$", is_).replace("^", becomes).replace("@", name_of(is_))
    return text + "}\n"


def name_of(operator):
    return "".join(f"{ord(c):02x}" for c in operator)


def switched(line, number, start, was, by):
    """The line with a place that is `was`, or `by` if the mutant of this number runs; None if it cannot be written so."""
    end = start + len(was)
    operator = was.strip()
    if operator in OPERATORS or operator in ASSIGNMENTS:
        return f"{line[:end]}::mutation::op{name_of(operator)}<{number}>{{}} {operator} {line[end:]}"
    stem = operator.rstrip("(")
    if stem in FUNCTIONS and (was.endswith("(") or line[end:end + 1] == "("):
        prefix = re.search(r"(core::|std::)?$", line[:start])[0]
        if line[:start - len(prefix)].endswith((":", ".", ">")):
            return None
        rest = line[end:] if was.endswith("(") else line[end + 1:]
        return f"{line[:start - len(prefix)]}::mutation::{stem}_<{number}>({rest}"
    if stem in ("true", "false") or re.fullmatch(r"\d+(\.0)?", stem):
        return f"{line[:start]}::mutation::either<{number}>({was}, {by}){line[end:]}"
    return None


def code_of(line):
    """The line up to a comment; its strings blanked, so that places stay."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda m: "\x00" * len(m[0]), line)
    return re.split(r"//", line)[0]


def mutants_of(lines):
    for at, line in enumerate(lines):
        if PASSED_OVER.match(line):
            continue
        code = code_of(line)
        for pattern, by in CHANGES:
            for m in re.finditer(pattern, code):
                new = by(m) if callable(by) else by
                yield at, line[: m.start()] + new + line[m.end():], (m.start(), m[0], new)


def spread(items, most):
    """At most so many, evenly."""
    if len(items) <= most:
        return items
    return [items[n * len(items) // most] for n in range(most)]


def tests_of(header):
    """The mirror test first, then tests that share its name and mirror no header, and the model above an equation."""
    room, stem = pathlib.Path(header).parent, pathlib.Path(header).stem
    found = [ROOT / "tests" / room / f"{stem}_test.cpp"]
    found += [t for t in sorted(found[0].parent.glob(f"{stem}_*_test.cpp"))
              if not (INCLUDE / room / t.name.replace("_test.cpp", ".hpp")).exists()]
    if header.startswith("saturation/"):
        found += sorted((ROOT / "tests" / "models").glob("saturation*_test.cpp"))
    return [t for t in found if t.exists()]


def precompile(options, tests, folder):
    """The headers from elsewhere that the tests include, as an option: they are a quarter of the time."""
    elsewhere = {line for t in tests for line in re.findall(r"^#include <(?!warpgauge).*", t.read_text(), re.M)}
    header = folder / "elsewhere.hpp"
    header.write_text("\n".join(sorted(elsewhere)) + "\n")
    made = header.with_suffix(".hpp.pch" if "clang" in options[0] else ".hpp.gch")
    subprocess.run([*options, "-x", "c++-header", str(header), "-o", str(made)], check=True)
    return [*options, "-include", str(header)]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (3, 3))
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def passes(program, mutant=-1):
    environment = {**os.environ, "MUTANT": str(mutant)}
    return subprocess.run([str(program)], capture_output=True, preexec_fn=limit, env=environment).returncode == 0


def compile_test(options, overlay, test, main, program):
    """What the compiler says; nothing where it makes the program."""
    includes = [f"-I{folder}" for folder in (overlay, ROOT / "include", ROOT / "tests")]
    sources = [str(test), str(main)] if main else [str(test)]
    done = subprocess.run([*options, *includes, *sources, "-o", str(program)], capture_output=True, text=True)
    return done.stderr or "no program" if done.returncode else ""


def killed_at_once(header, lines, chosen, test, main, options, folder):
    """The numbers of the mutants that a program of all of them is killed by."""
    (folder / "mutation.hpp").write_text(switch())
    target = folder / "all" / "warpgauge" / header
    target.parent.mkdir(parents=True, exist_ok=True)
    numbers = set(range(len(chosen)))
    for _ in range(8):
        text = list(lines)
        for number in sorted(numbers, key=lambda n: (chosen[n][0], -chosen[n][2][0])):
            at, _, change = chosen[number]
            line = switched(text[at], number, *change)
            if line is None:
                numbers = numbers - {number}
            else:
                text[at] = line
        target.write_text("".join(text))
        all_errors = "-ferror-limit=0" if "clang" in options[0] else "-fmax-errors=0"
        said = compile_test([*options, all_errors, "-Wno-narrowing", "-include", str(folder / "mutation.hpp")],
                            folder / "all", test, main, folder / "all" / "tests")
        if not said:
            break
        wrong = {int(n) for n in re.findall(r"(?:mutation::\w+|op\w+|left\w+|right\w+)<(\d+)", said)}
        places = {int(n) - 1 for n in re.findall(re.escape(header) + r":(\d+):\d+: error", said)}
        fewer = {n for n in numbers if n not in wrong and chosen[n][0] not in places}
        if fewer == numbers:
            return set()
        numbers = fewer
    else:
        return set()
    return {n for n in numbers if not passes(folder / "all" / "tests", n)}


def fate(header, lines, mutant, tests, main, options, folder):
    """How a mutant ends: "compiler", "tests", "survives" or "no C++"."""
    at, changed, _ = mutant
    overlay = folder / f"m{at}_{abs(hash(changed)):x}"
    target = overlay / "warpgauge" / header
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("".join(lines[:at] + [changed] + lines[at + 1:]))
    end = "survives"
    for test in tests:
        said = compile_test(options, overlay, test, main, overlay / "tests")
        if said:
            end = "compiler" if re.search(r"static.assert|constant expression", said) else "no C++"
        elif not passes(overlay / "tests"):
            end = "tests"
        if end != "survives":
            break
    shutil.rmtree(overlay)
    return end


def known_equivalents():
    if not EQUIVALENT.exists():
        return set()
    rows = [r.split(" | ") for r in EQUIVALENT.read_text().splitlines() if r and not r.startswith("#")]
    return {(r[0], r[1], r[2]) for r in rows}


def judge(header, arguments, folder, main, options):
    lines = (INCLUDE / header).read_text().splitlines(keepends=True)
    tests = tests_of(header)
    if not tests:
        sys.exit(f"{header}: no test mirrors it")
    baseline = folder / "baseline"
    options = precompile(options, tests, folder)
    for test in tests:
        if compile_test(options, folder, test, main, baseline) or not passes(baseline):
            sys.exit(f"{header}: {test.name} does not pass as it is")
    chosen = spread(list(mutants_of(lines)), arguments.most)
    ends = {}
    for test in tests:
        ends |= dict.fromkeys(killed_at_once(header, lines, chosen, test, main, options, folder), "tests")
    equivalent = known_equivalents()
    rows = [(header, lines[at].strip(), changed.strip()) for at, changed, _ in chosen]
    rest = [n for n in range(len(chosen)) if n not in ends and rows[n] not in equivalent]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        ends |= zip(rest, pool.map(lambda n: fate(header, lines, chosen[n], tests, main, options, folder), rest))
    fates = list(ends.values())
    argued = len(chosen) - len(ends)
    alive = [(chosen[n][0] + 1, rows[n][1], rows[n][2]) for n in rest if ends[n] == "survives"]
    different = len(chosen) - argued - fates.count("no C++")
    killed = different - len(alive)
    print(f"{header}: {killed} of {different} killed ({100 * killed / max(different, 1):.0f}%), "
          f"{fates.count('compiler')} of them by the compiler; {argued} change nothing", flush=True)
    for line, was, becomes in alive:
        print(f"  {line}: {was}\n    -> {becomes}", flush=True)
    return len(alive), different


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("headers", nargs="+", help="below include/warpgauge")
    parser.add_argument("--most", type=int, default=50, help="mutants of a header (50)")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--least", type=float, default=0, help="per cent killed of all, below which it fails")
    arguments = parser.parse_args()
    options = [arguments.compiler, "-std=c++20", "-O0", "-w", "-DDOCTEST_CONFIG_SUPER_FAST_ASSERTS", "-D_GLIBCXX_ASSERTIONS"]
    options += ["-fuse-ld=lld"] if shutil.which("ld.lld") else []
    alive = different = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        main_object = folder / "main.o"
        if compile_test([*options, "-c"], folder, ROOT / "tests" / "main.cpp", "", main_object):
            sys.exit("tests/main.cpp does not compile")
        for header in arguments.headers:
            survivors, count = judge(header, arguments, folder, main_object, options)
            alive += survivors
            different += count
    killed = 100 * (different - alive) / max(different, 1)
    print(f"all: {different - alive} of {different} killed ({killed:.1f}%)")
    return 1 if killed < arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
