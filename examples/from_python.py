# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module: one launch, what limits it, columns, a tuning run and a kernel from its PTX."""

import pathlib

# region: predict
import warpgauge

gpu = warpgauge.Device("NVIDIA A100-SXM4-40GB")
saxpy = warpgauge.Profile(blocks=4096, threads_per_block=256, comp_insts=10, coalesced_mem_insts=3)
p = warpgauge.predict(gpu, saxpy)
print(f"{gpu.name}: {1e6 * p.seconds:.2f} us by {p.model}, limited by {p.limited_by}")

why = warpgauge.explain(gpu, saxpy)
print(f"limited by {why.limiting}, then by {why.next}")

faster = warpgauge.Device(gpu.name, dram_bytes_per_s=2 * gpu["dram_bytes_per_s"])
print(f"with twice the bandwidth {1e6 * warpgauge.predict(faster, saxpy).seconds:.2f} us")
# endregion

# region: columns
from array import array

threads = array("d", [32, 64, 128, 256, 512, 1024])  # or a NumPy array: any buffer of doubles
blocks = array("d", (2**20 / t for t in threads))
times = warpgauge.predict_columns(gpu, saxpy, {"blocks": blocks, "threads_per_block": threads})
best = warpgauge.rank(times.seconds).order[0]
print(f"{threads[best]:g} threads a block rank first: {1e6 * times.seconds[best]:.2f} us")
# endregion

text = (pathlib.Path(__file__).parent / "kernels/matmul.sm_75.ptx").read_text(encoding="utf-8")

# region: trace
ptx = warpgauge.Ptx(text)
matmul = ptx.trace("matmul_tiled", grid=(64, 64), block=(16, 16), arguments=[1024], device=gpu)
print(f"matmul_tiled: {1e6 * warpgauge.predict(gpu, matmul).seconds:.2f} us")

try:
    ptx.trace("matmul_tiled", grid=(64, 64), block=(16, 16))
except warpgauge.Error as error:
    print(f"{error.reason}: {error}")
# endregion


def measure(c):
    """Stands for a measurement: the model of another GPU."""
    return warpgauge.predict(warpgauge.Device("h100 pcie"), profile_of(c)).seconds


# region: tune
from warpgauge.tuning import measure_first

configurations = [{"block_size_x": b, "work": w} for b in (32, 64, 128, 256, 512, 1024) for w in (1, 2, 4, 8)]


def profile_of(c):
    blocks = 2**20 / c["work"] / c["block_size_x"]
    return warpgauge.Profile(blocks=blocks, threads_per_block=c["block_size_x"],
                             comp_insts=6 + 5 * c["work"], coalesced_mem_insts=3 * c["work"])


tuned = measure_first(gpu, configurations, profile_of, measure, fraction=0.1)
print(f"measured {tuned.measured} of {len(configurations)}; best {dict(tuned.best)}")
# endregion
