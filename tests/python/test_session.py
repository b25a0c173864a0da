# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuning session of examples/kernel_tuner, by clang, and as far as it differs by nvcc, where they are."""

import os
import pathlib
import runpy
import shutil
import subprocess
import sys
import tempfile
import unittest

import warpgauge

SESSION = pathlib.Path(__file__).parents[2] / "examples/kernel_tuner/session.py"


class Session(unittest.TestCase):
    def test_restrictions_are_expressions_or_functions(self) -> None:
        session = runpy.run_path(str(SESSION))
        allowed = session["allowed"]
        self.assertTrue(allowed({"a": 4, "b": 2}, ["a * b == 8", lambda c: c["a"] > c["b"]]))
        self.assertFalse(allowed({"a": 4, "b": 2}, ["a * b == 8", lambda c: c["a"] < c["b"]]))
        self.assertFalse(allowed({"a": 4, "b": 2}, ["a * b > 8"]))
        space = session["configurations"]()
        self.assertEqual(len(space), 16)
        self.assertTrue(all(c["block_size_x"] * c["block_size_y"] <= 512 for c in space))

    @unittest.skipIf(shutil.which("clang++") is None, "no clang++")
    def test_with_clang_alone_on_the_path(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "clang++").symlink_to(shutil.which("clang++"))
            run = subprocess.run([sys.executable, str(SESSION), "--keep", "0.25"], env=dict(os.environ, PATH=folder),
                                 text=True, check=False, capture_output=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("16 of 16", run.stderr)
        lines = run.stdout.splitlines()
        self.assertEqual(len(lines), 18)
        self.assertEqual([line.endswith("measured") for line in lines[:16]], [True] * 4 + [False] * 12)
        times = [float(line.split(" us")[0].split()[-1]) for line in lines[:16]]
        self.assertEqual(times, sorted(times))
        self.assertRegex(lines[16], r"^best of 4 measured: \{.*'through_shared': 1\}, 1\.\d\d times as long")
        self.assertEqual(lines[17], "measuring cost 1.69 s of 6.75 s")

    @unittest.skipIf(shutil.which("nvcc") is None, "no nvcc")
    def test_one_configuration_by_nvcc(self) -> None:
        session = runpy.run_path(str(SESSION))
        words = session["compiler"]()
        self.assertTrue(words[0].endswith("nvcc"))
        with tempfile.TemporaryDirectory() as folder:
            profile = session["profile_of"](session["configurations"]()[0], words, warpgauge.Device("l40"), folder)
        self.assertEqual(profile["threads_per_block"], 32)
        self.assertEqual(profile["blocks"], 2048 * 2048 / 32)
