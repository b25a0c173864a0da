# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints seconds and cycles of each case of a file, with all digits, as the other languages do."""

import sys

import warpgauge

with open(sys.argv[1], encoding="utf-8") as cases:
    for case in cases:
        device, model, parameters = case.split("|")
        profile = warpgauge.Profile()
        for word in parameters.split():
            name, value = word.split("=")
            profile[name] = float(value)
        p = warpgauge.predict(warpgauge.Device(device), profile, model)
        print(f"{p.seconds:.17g} {p.cycles:.17g}")
