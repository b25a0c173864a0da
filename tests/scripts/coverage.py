#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which lines and branches of the headers test programs execute, by clang's coverage.

    tests/scripts/coverage.py [--lines 98] [--branches 92] build/coverage/tests/unit_tests "build/coverage/tests/attacks 1000"

It fails where fewer percent are executed. A line or a branch counts once, however many types a template is instantiated with: it is taken if any of them takes
it. A condition that is a constant in all of them is no branch. What the compiler executes, in constant expressions, is not
counted as executed. What is not executed is listed, header by header.
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


def branches_of(text, lines):
    """Of each condition: how often it was true and false."""
    branches = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for data in json.loads(text)["data"]:
        for file in data["files"]:
            for line, column, _, _, taken, passed, *_ in file["branches"]:
                counts = branches[file["filename"]][line, column]
                counts[0] += taken
                counts[1] += passed
    for file, conditions in branches.items():
        for place in [p for p, c in conditions.items() if c == [0, 0] and lines[file].get(p[0], 0) > 0]:
            del conditions[place]  # a constant
    return branches


def percent(some, all_):
    return f"{100 * some / all_:.2f}% ({some} of {all_})"


def ranges(numbers):
    """1, 2, 3, 7 as 1-3, 7."""
    runs = []
    for n in sorted(numbers):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", type=float, default=0)
    parser.add_argument("--branches", type=float, default=0)
    parser.add_argument("commands", nargs="+")
    asked = parser.parse_args()
    commands = [command.split() for command in asked.commands]
    for command in commands:
        command[0] = str(pathlib.Path(command[0]).resolve())
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
        branches = branches_of(exported(programs, profile, "text"), lines)
    all_lines = [count > 0 for file in lines.values() for count in file.values()]
    all_branches = [count > 0 for file in branches.values() for pair in file.values() for count in pair]
    for file in sorted(lines):
        missed = [line for line, count in lines[file].items() if count == 0]
        sides = [f"{line}{' never' if count[0] == 0 else ' always'}"
                 for (line, _), count in sorted(branches[file].items()) if 0 in count and line not in missed]
        if missed or sides:
            name = pathlib.Path(file).relative_to(INCLUDE)
            print(f"{name}: lines {ranges(missed) or 'all'}; conditions {', '.join(sides) or 'all'}")
    print("lines", percent(sum(all_lines), len(all_lines)))
    print("branches", percent(sum(all_branches), len(all_branches)))
    too_few = (100 * sum(all_lines) < asked.lines * len(all_lines)
               or 100 * sum(all_branches) < asked.branches * len(all_branches))
    return 1 if too_few else 0


if __name__ == "__main__":
    sys.exit(main())
