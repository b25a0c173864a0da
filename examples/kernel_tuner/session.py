#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tuning session: all configurations of transpose.cu are compiled, followed and ranked, and the first tenth is measured.

    python3 session.py --device l40

No GPU is needed: what stands for a measurement is a record of all of them, cache.json, as Kernel Tuner writes it. Its times
are made up. With a GPU, give Kernel Tuner the same space, `profiles[...]` and `warpgauge.tuning.KernelTunerStrategy`.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import warpgauge
from warpgauge.tuning import measure_first

HERE = pathlib.Path(__file__).resolve().parent

# region: space
SOURCE = HERE / "transpose.cu"
PROBLEM_SIZE = (2048, 2048)
ARGUMENTS = [2048, None, None]  # n; a pointer needs no value
TUNE_PARAMS = {"block_size_x": [16, 32, 64], "block_size_y": [2, 8, 16], "through_shared": [0, 1]}
RESTRICTIONS = ["block_size_x * block_size_y <= 512", lambda c: c["block_size_y"] <= c["block_size_x"]]
# endregion


def allowed(configuration, restrictions=tuple(RESTRICTIONS)) -> bool:
    """Whether a configuration fulfils all: an expression of Python over the names, or a function, as in Kernel Tuner."""
    return all(r(configuration) if callable(r) else eval(r, {"__builtins__": {}}, dict(configuration)) for r in restrictions)


def configurations():
    """The product of all values, without what the restrictions forbid."""
    every = (dict(zip(TUNE_PARAMS, values)) for values in itertools.product(*TUNE_PARAMS.values()))
    return [c for c in every if allowed(c)]


def compiler():
    """What makes PTX, as far as its options go that are the same for all: nvcc, or else clang without CUDA."""
    if nvcc := shutil.which("nvcc"):
        return [nvcc, "-ptx", "-arch=compute_75"]
    clang = shutil.which("clang++") or shutil.which("clang++-14")
    if clang is None:
        sys.exit("neither nvcc nor clang++ is on the path")
    return [clang, "-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=sm_75", "-nocudainc", "-nocudalib",
            "-Wno-unknown-cuda-version", "-include", str(HERE.parent / "llvm_cost_pass" / "cuda_keywords.h"), "-O3", "-S"]


def profile_of(configuration, words, device, folder) -> warpgauge.Profile:
    """Compiles the source with the macros of a configuration and follows the warps of its launch."""
    ptx = pathlib.Path(folder) / ("_".join(map(str, configuration.values())) + ".ptx")
    macros = [f"-D{name}={value}" for name, value in configuration.items()]
    done = subprocess.run([*words, *macros, "-o", str(ptx), str(SOURCE)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(macros)}: {done.stderr}")
    block = (configuration["block_size_x"], configuration["block_size_y"])
    grid = tuple(-(-size // side) for size, side in zip(PROBLEM_SIZE, block))
    return warpgauge.Ptx(ptx.read_bytes()).trace("transpose", grid, block, ARGUMENTS, device=device)


def progress(done: int, of: int) -> None:
    """A bar on the standard error."""
    print(f"\rcompiled and followed [{'#' * (20 * done // of):20}] {done} of {of}", end="" if done < of else "\n",
          file=sys.stderr, flush=True)


def profiles_of(space, device):
    """The profile of each configuration: all processors compile."""
    words = compiler()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(profile_of, c, words, device, folder) for c in space]
        for done, _ in enumerate(concurrent.futures.as_completed(futures), 1):
            progress(done, len(space))
        return [f.result() for f in futures]


def recorded(path):
    """What a cache says of each configuration: its time, None where it did not run, and what it cost the tuner, in s."""
    results = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["cache"].values()
    cost = ("compile_time", "verification_time", "benchmark_time")
    return {tuple(r[name] for name in TUNE_PARAMS): (r["time"] / 1e3 if isinstance(r["time"], float) else None,
                                                     sum(r[part] for part in cost) / 1e3) for r in results}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--device", default="l40", help="the GPU to rank for")
    options.add_argument("--cache", default=HERE / "cache.json", help="the record that stands for measurements")
    options.add_argument("--keep", type=float, default=0.1, help="the fraction to measure")
    given = options.parse_args()

    device = warpgauge.Device(given.device)
    space = configurations()
    profiles = dict(zip((tuple(c.values()) for c in space), profiles_of(space, device)))
    record = recorded(given.cache)

    # region: session
    tuned = measure_first(device, space, lambda c: profiles[tuple(c.values())],
                          lambda c: record[tuple(c.values())][0], given.keep)
    # endregion

    for place, n in enumerate(tuned.order):
        seconds = warpgauge.predict(device, profiles[tuple(space[n].values())]).seconds
        words = " ".join(f"{name}={value}" for name, value in space[n].items())
        print(f"{place + 1:3}  {words:50} {1e6 * seconds:8.2f} us  {'measured' if place < tuned.measured else ''}".rstrip())
    if tuned.best is None:
        sys.exit("nothing that was measured ran")
    measured = [record[tuple(space[n].values())] for n in tuned.order]
    fastest = min(seconds for seconds, _ in measured if seconds is not None)
    print(f"best of {tuned.measured} measured: {tuned.best}, {tuned.seconds / fastest:.2f} times as long as the fastest of all")
    print(f"measuring cost {sum(cost for _, cost in measured[:tuned.measured]):.2f} s of {sum(cost for _, cost in measured):.2f} s")


if __name__ == "__main__":
    main()
