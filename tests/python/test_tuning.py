# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measuring only what ranks first, against a cache file as Kernel Tuner writes them.

No GPU wrote the file: its times are what a model predicts for another GPU than the one that ranks, with noise. So the test shows
that the strategy measures what it must and finds what is there, and says nothing of how good a ranking is.
"""

import itertools
import json
import pathlib
import random
import tempfile
import unittest

from warpgauge import Device, Error, Profile, predict
from warpgauge.tuning import KernelTunerStrategy, measure_first

BLOCK_SIZES = [32, 64, 128, 256, 512, 1024]
WORK = [1, 2, 4, 8]
REGISTERS = [24, 32, 48, 64, 128]
ELEMENTS = 1 << 22


def profile_of(c) -> Profile:
    threads = ELEMENTS / c["work_per_thread"]
    return Profile(blocks=threads / c["block_size_x"], threads_per_block=c["block_size_x"],
                   registers_per_thread=c["registers"], comp_insts=6 + 5 * c["work_per_thread"],
                   coalesced_mem_insts=3 * c["work_per_thread"])


def write_cache(path: pathlib.Path) -> None:
    """A cache file: keys are the values of the tunable parameters with commas, what did not run has no time."""
    random.seed(1)
    gpu = Device("a100 sxm4 80gb")
    names = ["block_size_x", "work_per_thread", "registers"]
    cache = {}
    for values in itertools.product(BLOCK_SIZES, WORK, REGISTERS):
        entry = dict(zip(names, values))
        try:
            entry["time"] = 1e3 * predict(gpu, profile_of(entry)).seconds * random.gauss(1, 0.02)
        except Error:
            entry["time"] = "RuntimeFailedConfig"
        cache[",".join(map(str, values))] = entry
    path.write_text(json.dumps({"device_name": gpu.name, "kernel_name": "scaled_sum", "tune_params_keys": names,
                                "objective": "time", "cache": cache}))


class MeasureFirst(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cache.json"
            write_cache(path)
            cls.recorded = json.loads(path.read_text())
        cls.configurations = [{name: entry[name] for name in cls.recorded["tune_params_keys"]}
                              for entry in cls.recorded["cache"].values()]

    def setUp(self) -> None:
        self.asked = []

    def measure(self, c):
        self.asked.append(c)
        time = self.recorded["cache"][",".join(str(value) for value in c.values())]["time"]
        return time if isinstance(time, float) else None

    def tune(self, fraction):
        return measure_first(Device("a100 sxm4 40gb"), self.configurations, profile_of, self.measure, fraction)

    def test_a_tenth_is_measured_and_is_close_to_the_best(self) -> None:
        tuned = self.tune(0.1)
        self.assertEqual((tuned.measured, len(self.asked)), (12, 12))
        self.assertEqual(self.asked, [self.configurations[n] for n in tuned.order[:12]])
        times = [e["time"] for e in self.recorded["cache"].values() if isinstance(e["time"], float)]
        self.assertLess(len(times), len(self.configurations))  # some do not run, and are none of the first
        self.assertLess(tuned.seconds, 1.05 * min(times))
        self.assertEqual(tuned.seconds, min(map(self.measure, list(self.asked))))

    def test_all_of_them_find_the_best_and_what_has_no_prediction_is_last(self) -> None:
        tuned = self.tune(1)
        times = [e["time"] for e in self.recorded["cache"].values() if isinstance(e["time"], float)]
        self.assertEqual((tuned.measured, tuned.seconds), (120, min(times)))
        last = self.configurations[tuned.order[-1]]
        self.assertEqual((last["block_size_x"], last["registers"]), (1024, 128))

    def test_what_does_not_run_is_no_best(self) -> None:
        tuned = measure_first(Device("l4"), self.configurations, profile_of, lambda c: None)
        self.assertIsNone(tuned.best)
        self.assertEqual(tuned.measured, 12)

    def test_a_strategy_of_kernel_tuner(self) -> None:
        recorded = self.recorded

        class Searchspace:  # what Kernel Tuner gives a strategy
            tune_params = {"block_size_x": BLOCK_SIZES, "work_per_thread": WORK, "registers": REGISTERS}

            def sorted_list(self):
                allowed = (c for c in itertools.product(*self.tune_params.values()) if c[0] * c[1] <= 1024)  # a restriction
                return sorted(allowed)

        class Runner:  # from the recorded file
            def run(self, space, options):
                return [recorded["cache"][",".join(map(str, values))] for values in space]

        results = KernelTunerStrategy(Device("a100 sxm4 40gb"), profile_of).tune(Searchspace(), Runner(), None)
        allowed = [",".join(map(str, values)) for values in Searchspace().sorted_list()]
        times = [t for key in allowed if isinstance(t := recorded["cache"][key]["time"], float)]
        self.assertEqual(len(results), -(-len(allowed) // 10))
        self.assertTrue(all(entry["block_size_x"] * entry["work_per_thread"] <= 1024 for entry in results))
        self.assertLess(min(entry["time"] for entry in results), 1.05 * min(times))

    def test_errors(self) -> None:
        for fraction in (0, -1, 1.5, float("nan")):
            with self.assertRaises(Error):
                self.tune(fraction)
        with self.assertRaises(Error) as caught:
            measure_first(Device("l4"), self.configurations, profile_of, self.measure, model="guess")
        self.assertEqual(caught.exception.field, "guess")
        # Not a configuration without a prediction, but a wrong call.
        for device, profile in ((self.configurations, profile_of), (Device("l4"), dict),
                                (Device("l4"), lambda c: Profile(blocks=str(c["registers"])))):
            with self.assertRaises(Error) as caught:
                measure_first(device, self.configurations, profile, self.measure)
            self.assertEqual(caught.exception.reason, "wrong_type")


if __name__ == "__main__":
    unittest.main()
