# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same predictions, to the last digit, from C++, C, Python, the program and the page.

Profiles are predicted in the three languages; launches of PTX by the program as well, and by the page's WebAssembly where
--page and --node are given.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

options = argparse.ArgumentParser()
for name in ("source", "cpp", "c", "library"):
    options.add_argument("--" + name, required=True, type=pathlib.Path)
for name in ("program", "page", "node"):
    options.add_argument("--" + name, type=pathlib.Path)
given = options.parse_args()


def output(words, **others):
    return subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True, **others).stdout


def numbers(text):
    """Digits that a reader of doubles takes for these doubles: 17 of them, or the fewest that will do."""
    return [tuple(map(float, line.split())) for line in text.splitlines()]


def in_languages(*cases):
    environment = dict(os.environ, WARPGAUGE_LIBRARY=str(given.library), PYTHONDONTWRITEBYTECODE="1",
                       PYTHONPATH=str(given.source / "bindings/python"))
    script = given.source / "tests/python/digits.py"
    return {"C++": numbers(output([given.cpp, *cases])), "C": numbers(output([given.c, *cases])),
            "Python": numbers(output([sys.executable, script, *cases], env=environment))}


def arguments(case):
    device, model, file, kernel, grid, block, argument = case.split("|")
    return ["predict", file, "--kernel", kernel, "--grid", grid, "--block", block, "--arg", argument, "--device", device,
            "--model", model, "--json"]


def predicted(answer):
    p = json.loads(answer)["predictions"][0]
    return p["seconds"], p["cycles"]


def by_page(cases, folder):
    asked = "".join(json.dumps(arguments(case)) + "\n" for case in cases)
    script = given.source / "tests/page/digits.js"
    return list(map(predicted, output([given.node, script, given.page, folder], input=asked).splitlines()))


def compare(cases, answers):
    failures = 0
    for name, numbers_by_name in answers.items():
        failures += len(numbers_by_name) != len(cases)
        for case, expected, said in zip(cases, answers["C++"], numbers_by_name):
            if said != expected or not expected[0] > 0:
                print(f"{case}: C++ predicts {expected}, {name} {said}")
                failures += 1
    print(f"{len(cases)} cases from {', '.join(answers)}")
    return failures


profiles = given.source / "tests/c/cases.txt"
launches = given.source / "tests/c/launches.txt"
failures = compare(profiles.read_text().splitlines(), in_languages(profiles))
with tempfile.TemporaryDirectory() as folder:
    # Without what ptxas says beside them, which only the program reads.
    for file in (given.source / "examples/kernels").glob("*.sm_75.ptx"):
        shutil.copy(file, folder)
    cases = launches.read_text().splitlines()
    answers = in_languages(launches, folder)
    if given.program:
        answers["the program"] = [predicted(output([given.program, *arguments(case)], cwd=folder)) for case in cases]
    if given.page:
        answers["the page"] = by_page(cases, folder)
    failures += compare(cases, answers)
sys.exit(failures > 0)
