#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which lines and branches of the headers test programs execute, by clang's coverage.

    tests/scripts/coverage.py [--lines 99] [--branches 95] build/coverage/tests/unit_tests "build/coverage/tests/attacks 1000"

It fails where fewer percent are executed. A line or a branch counts once, however many types a template is instantiated with: it is taken if any of them takes
it. A condition that is a constant in all of them is no branch; nor is the way past a `switch` without `default`, since the
compiler refuses one that leaves out an enumerator (-Wswitch), nor what clang makes of `= default`. What the compiler executes, in constant expressions, is not
counted as executed.

What is not executed is listed, header by header, with its text, and counted by its reason in tests/coverage_reasons.txt. It
fails too where a row of that file is for what is executed, or no longer there, and where more than --unexplained have no row;
--update drops such rows and adds the missing ones to the file's last part, from where a person moves them.
"""
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import re
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
    """What the file lists, as (what its row says of one text, header, how, pattern of the text, reason)."""
    rows, reason = [], None
    for row in text.splitlines():
        if row.startswith("## "):
            reason = row[3:]
        elif row and not row.startswith("#"):
            header, how, texts = row.split(" | ", 2)
            for what in texts.split(" ;; "):
                pattern = ".*".join(re.escape(part) for part in what.split("..."))
                rows.append((f"{header} | {how} | {what}", header, how, re.compile(pattern, re.DOTALL), reason))
    return rows


def row_for(rows, header, how, text):
    """The first row of reasons that says this, if any."""
    for row in rows:
        if fnmatch.fnmatchcase(header, row[1]) and row[2] in (how, "any") and row[3].fullmatch(text):
            return row
    return None


def updated(text, used, without):
    """The file without what no longer holds, and with what has no reason, in its last part."""
    kept = []
    for row in text.splitlines():
        if row and not row.startswith("#"):
            header, how, texts = row.split(" | ", 2)
            still = [what for what in texts.split(" ;; ") if f"{header} | {how} | {what}" in used]
            row = f"{header} | {how} | " + " ;; ".join(still) if still else None
        if row is not None:
            kept.append(row)
    return "\n".join(kept + [f"{header} | {how} | {what}" for header, how, what in sorted(without)]) + "\n"


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
    parser.add_argument("--unexplained", type=int, default=sys.maxsize)
    parser.add_argument("--update", action="store_true", help="rewrite tests/coverage_reasons.txt instead")
    parser.add_argument("commands", nargs="+")
    asked = parser.parse_args()
    commands = [command.split() for command in asked.commands]
    for command in commands:
        command[0] = str(pathlib.Path(command[0]).resolve())
    lines, branches = measured(commands)
    rows = reasons_of(REASONS.read_text(encoding="utf-8"))
    used, without, counts = set(), set(), collections.Counter()
    for header, line, how, text in missed_of(lines, branches):
        row = row_for(rows, header, how, text)
        print(f"{header}:{line}: {how}: {text}" + (f"  -- {row[4]}" if row else ""))
        if row:
            used.add(row[0])
            counts[row[4]] += 1
        else:
            without.add((header, how, text))
    if asked.update:
        REASONS.write_text(updated(REASONS.read_text(encoding="utf-8"), used, without), encoding="utf-8")
        return 0
    unused = [row[0] for row in rows if row[0] not in used]
    for row in unused:
        print("A reason for what is executed or gone:", row)
    all_lines = [count > 0 for file in lines.values() for count in file.values()]
    all_branches = [count > 0 for file in branches.values() for _, pair in file.values() for count in pair]
    print("lines", percent(sum(all_lines), len(all_lines)))
    print("branches", percent(sum(all_branches), len(all_branches)))
    print("not executed, by reason:")
    for reason, count in counts.most_common():
        print(f"{count:5} {reason}")
    print(f"{len(without):5} without a reason")
    too_few = (100 * sum(all_lines) < asked.lines * len(all_lines)
               or 100 * sum(all_branches) < asked.branches * len(all_branches))
    return 1 if too_few or unused or len(without) > asked.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
