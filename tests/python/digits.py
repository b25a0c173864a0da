# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints seconds and cycles of each case of a file, with all digits, as the other languages do.

    digits.py CASES         cases are profiles
    digits.py CASES FOLDER  cases are launches of PTX files of the folder
"""

import pathlib
import sys

import warpgauge


def profile_of(parameters: str) -> warpgauge.Profile:
    profile = warpgauge.Profile()
    for word in parameters.split():
        name, value = word.split("=")
        profile[name] = float(value)
    return profile


def launched(words: str, folder: str, device: warpgauge.Device) -> warpgauge.Profile:
    file, kernel, grid, block, argument = words.split("|")
    ptx = warpgauge.Ptx((pathlib.Path(folder) / file).read_bytes())
    sides = [[int(side) for side in text.split(",")] for text in (grid, block)]
    return ptx.trace(kernel, *sides, [int(argument)], device=device)


with open(sys.argv[1], encoding="utf-8") as cases:
    for case in cases:
        name, model, rest = case.rstrip("\n").split("|", 2)
        device = warpgauge.Device(name)
        profile = launched(rest, sys.argv[2], device) if len(sys.argv) > 2 else profile_of(rest)
        p = warpgauge.predict(device, profile, model)
        print(f"{p.seconds:.17g} {p.cycles:.17g}")
