#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which lines and branches of the headers test programs execute, by clang's coverage.

    tests/scripts/coverage.py [--lines 99] [--branches 95] build/coverage/tests/unit_tests "build/coverage/tests/attacks 1000"

It fails where fewer percent are executed. A line or a branch counts once, however many types a template is instantiated with: it is taken if any of them takes
it. A condition that is a constant in all of them is no branch; nor is the way past a `switch` without `default`, since the
compiler refuses one that leaves out an enumerator (-Wswitch), nor what clang makes of `= default`. What the compiler executes, in constant expressions, is not
counted as executed.

What is not executed is listed, header by header, with its text. tests/coverage_reasons.txt says of some why no test can
execute it; it fails too where a reason is for what is executed, or no longer there.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = ROOT / "include" / "warpgauge"
REASONS = ROOT / "tests" / "coverage_reasons.txt"


def exported(programs, profile, form):
    objects = [f"-object={p}" for p in programs[1:]]
    return subprocess.run(
        ["llvm-cov-14", "export", f"-format={form}", f"-instr-profile={profile}", programs[0], *objects, str(INCLUDE)],
        check=True, capture_output=True, text=True).stdout


def lines_of(lcov):
    lines = collections.defaultdict(dict)
    for row in lcov.splitlines():
        if row.startswith("SF:"):
            file = row[3:]
        elif row.startswith("DA:"):
            line, count = row[3:].split(",")[:2]
            lines[file][int(line)] = int(count)
    return lines


def text_between(source, line, column, end_line, end_column):
    if line == end_line:
        return source[line - 1][column - 1:end_column - 1]
    parts = [source[line - 1][column - 1:], *source[line:end_line - 1], source[end_line - 1][:end_column - 1]]
    return " ".join(part.strip() for part in parts)


def branches_of(text, lines):
    """Of each condition, by file, line and column: its text, and how often it was true and false."""
    branches = collections.defaultdict(dict)
    for data in json.loads(text)["data"]:
        for file in data["files"]:
            source = pathlib.Path(file["filename"]).read_text(encoding="utf-8").splitlines()
            for line, column, end_line, end_column, taken, passed, *_ in file["branches"]:
                of_switch = source[line - 1][:column - 1].endswith("switch (") and taken == 0
                of_default = source[line - 1][:column].endswith("= default")
                if of_switch or of_default:
                    continue
                condition = text_between(source, line, column, end_line, end_column)
                _, counts = branches[file["filename"]].setdefault((line, column), (condition, [0, 0]))
                counts[0] += taken
                counts[1] += passed
    for file, conditions in branches.items():
        for place in [p for p, (_, c) in conditions.items() if c == [0, 0] and lines[file].get(p[0], 0) > 0]:
            del conditions[place]  # a constant
    return branches


def missed_of(lines, branches):
    """Header, line, how, text: of each line that is not executed, and of each condition with a side that is not taken."""
    missed = []
    for file in sorted(lines):
        source = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
        name = str(pathlib.Path(file).relative_to(INCLUDE))
        missed += [(name, line, "line", source[line - 1].strip()) for line, count in lines[file].items() if count == 0]
        for (line, _), (condition, counts) in sorted(branches[file].items()):
            if 0 in counts and lines[file].get(line, 0) > 0:
                missed.append((name, line, "never" if counts[0] == 0 else "always", condition))
    return missed


def reasons_of(text):
    """Why nothing executes it, by header, how and text."""
    reasons = {}
    for row in text.splitlines():
        if row and not row.startswith("#"):
            header, how, rest = row.split(" | ", 2)
            what, why = rest.rsplit(" | ", 1)
            reasons[header, how, what] = why
    return reasons


def measured(commands):
    programs = [command[0] for command in commands]
    with tempfile.TemporaryDirectory() as folder:
        profile = f"{folder}/profile"
        for command in commands:
            ran = subprocess.run(command, cwd=folder, env=os.environ | {"LLVM_PROFILE_FILE": f"{folder}/%p.raw"},
                                 capture_output=True, text=True)
            if ran.returncode != 0:
                sys.exit(" ".join(command) + "\n" + ran.stdout + ran.stderr)
        subprocess.run(["llvm-profdata-14", "merge", "-sparse", *map(str, pathlib.Path(folder).glob("*.raw")),
                        "-o", profile], check=True)
        lines = lines_of(exported(programs, profile, "lcov"))
        return lines, branches_of(exported(programs, profile, "text"), lines)


def percent(some, all_):
    return f"{100 * some / all_:.2f}% ({some} of {all_})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=float, default=0)
    parser.add_argument("--branches", type=float, default=0)
    parser.add_argument("commands", nargs="+")
    asked = parser.parse_args()
    commands = [command.split() for command in asked.commands]
    for command in commands:
        command[0] = str(pathlib.Path(command[0]).resolve())
    lines, branches = measured(commands)
    reasons = reasons_of(REASONS.read_text(encoding="utf-8"))
    used = set()
    for header, line, how, text in missed_of(lines, branches):
        key = (header, how, text)
        print(f"{header}:{line}: {how}: {text}" + (f"  -- {reasons[key]}" if key in reasons else ""))
        used.add(key)
    for header, how, text in sorted(reasons.keys() - used):
        print(f"A reason for what is executed or gone: {header}: {how}: {text}")
    all_lines = [count > 0 for file in lines.values() for count in file.values()]
    all_branches = [count > 0 for file in branches.values() for _, pair in file.values() for count in pair]
    print("lines", percent(sum(all_lines), len(all_lines)))
    print("branches", percent(sum(all_branches), len(all_branches)))
    print("not executed, with a reason", len(reasons.keys() & used))
    too_few = (100 * sum(all_lines) < asked.lines * len(all_lines)
               or 100 * sum(all_branches) < asked.branches * len(all_branches))
    return 1 if too_few or reasons.keys() - used else 0


if __name__ == "__main__":
    sys.exit(main())
