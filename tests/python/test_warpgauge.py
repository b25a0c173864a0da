# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python module: what it answers, and its errors."""

import ctypes
import os
import pathlib
import threading
import unittest
from array import array

import warpgauge
from warpgauge import Device, Error, Profile, Ptx

SAXPY = dict(blocks=4096, threads_per_block=256, registers_per_thread=40, comp_insts=10, coalesced_mem_insts=3)


def matmul() -> Ptx:
    return Ptx(pathlib.Path(os.environ["MATMUL"]).read_bytes())


class Failing(unittest.TestCase):
    def fails(self, reason: str, field: str, call) -> Error:
        with self.assertRaises(Error) as caught:
            call()
        self.assertEqual((caught.exception.reason, caught.exception.field), (reason, field))
        self.assertIn(field, str(caught.exception))
        return caught.exception


class Names(Failing):
    def test_lists(self) -> None:
        self.assertGreaterEqual(len(warpgauge.devices()), 42)
        self.assertIn("saturation", warpgauge.models())
        self.assertIn("dram_bytes_per_s", warpgauge.device_parameters())
        self.assertIn("comp_insts", warpgauge.profile_parameters())
        self.assertRegex(warpgauge.version(), r"^\d+\.\d+\.\d+$")

    def test_every_public_name_has_a_docstring(self) -> None:
        for name in warpgauge.__all__:
            if name != "UNKNOWN":
                self.assertTrue(getattr(warpgauge, name).__doc__, name)


class Devices(Failing):
    def test_every_device(self) -> None:
        for name in warpgauge.devices():
            gpu = Device(name)
            self.assertEqual(gpu.name, name)
            self.assertIn(gpu.default_model, warpgauge.models())

    def test_parameters(self) -> None:
        gpu = Device("NVIDIA A100-SXM4-40GB", sm_count=54)
        self.assertEqual(gpu["sm_count"], 54)
        gpu["sm_count"] *= 2
        self.assertEqual(gpu["sm_count"], 108)
        self.assertIsNone(gpu.get("coalesced_departure_cycles"))
        self.assertEqual(repr(gpu), "Device('A100 SXM4 40GB')")

    def test_errors(self) -> None:
        gpu = Device("l4")
        self.fails("unknown_name", "no such GPU", lambda: Device("no such GPU"))
        self.fails("unknown_name", "l4\0", lambda: Device("l4\0"))
        self.fails("ambiguous_name", "geforce", lambda: Device("geforce"))
        self.fails("unknown_parameter", "flops", lambda: gpu["flops"])
        self.fails("unknown_parameter", "flops", lambda: gpu.get("flops"))
        self.fails("missing", "coalesced_departure_cycles", lambda: gpu["coalesced_departure_cycles"])

    def test_misspelt_names(self) -> None:
        gpu = Device("l4")
        k = Profile(**SAXPY)

        def says(end: str, call) -> None:
            with self.assertRaises(Error) as caught:
                call()
            self.assertTrue(str(caught.exception).endswith(end), str(caught.exception))

        says("; perhaps H100 SXM5", lambda: Device("H100 SXM6"))
        says("; perhaps clock_hz", lambda: gpu["clok_hz"])
        says("; perhaps sm_count", lambda: Device("l4", sm_counts=1))
        says("; perhaps comp_insts", lambda: Profile(comp_inst=1))
        says("; perhaps saturation", lambda: warpgauge.predict(gpu, k, "satration"))
        says("; perhaps saturation", lambda: warpgauge.explain(gpu, k, "satration"))
        says("; perhaps blocks", lambda: warpgauge.predict_columns(gpu, k, {"block": array("d", [1])}))
        says("voodoo is not a known name", lambda: Device("voodoo"))
        self.fails("not_positive", "sm_count", lambda: Device("l4", sm_count=0))
        with self.assertRaises(Error):
            del gpu  # a handle that was never made is not closed
            Device("no such GPU")


class Profiles(Failing):
    def test_parameters(self) -> None:
        k = Profile(**SAXPY)
        copy = Profile(k, blocks=7)
        self.assertEqual((k["blocks"], copy["blocks"], copy["comp_insts"]), (4096, 7, 10))
        k.update({"data_length[0]": 5, "dimensions": 2})
        self.assertEqual((k["data_length[0]"], k["dimensions"]), (5, 2))
        self.assertEqual(repr(copy), "Profile(blocks=7, threads_per_block=256, registers_per_thread=40, comp_insts=10, "
                                     "coalesced_mem_insts=3)")

    def test_errors(self) -> None:
        self.fails("unknown_parameter", "block", lambda: Profile(block=1))
        self.fails("unknown_parameter", "block", lambda: Profile()["block"])
        self.fails("outside_domain", "dimensions", lambda: Profile(dimensions=4))


class Types(Failing):
    """Arguments of another type are errors that name the argument; no handle is taken for another."""

    def test_handles(self) -> None:
        gpu = Device("l40")
        k = Profile(**SAXPY)
        self.fails("wrong_type", "like", lambda: Profile(like=gpu))
        for call in (warpgauge.predict, warpgauge.explain, warpgauge.occupancy, warpgauge.next_occupancy_step):
            self.fails("wrong_type", "device", lambda: call(k, gpu))
            self.fails("wrong_type", "device", lambda: call("l40", k))
            self.fails("wrong_type", "profile", lambda: call(gpu, gpu))
            self.fails("wrong_type", "profile", lambda: call(gpu, None))
        column = {"comp_insts": array("d", [1])}
        self.fails("wrong_type", "device", lambda: warpgauge.predict_columns(k, k, column))
        self.fails("wrong_type", "common", lambda: warpgauge.predict_columns(gpu, gpu, column))
        self.fails("wrong_type", "device", lambda: matmul().trace("matmul_tiled", 64, (16, 16), [1024], device=k))
        swapped = self.fails("wrong_type", "device", lambda: warpgauge.predict(k, gpu))
        self.assertEqual(str(swapped), "device must be a Device, not Profile")

    def test_numbers(self) -> None:
        gpu = Device("l40")
        wrong = self.fails("wrong_type", "blocks", lambda: Profile(blocks="x"))
        self.assertEqual(str(wrong), "blocks must be a number, not str")
        for value in (None, "7", b"7", [7], 1j):
            self.fails("wrong_type", "blocks", lambda: Profile(blocks=value))
            self.fails("wrong_type", "sm_count", lambda: Device("l40", sm_count=value))
        self.fails("overflow", "blocks", lambda: Profile(blocks=10**400))
        self.fails("wrong_type", "parameters", lambda: Profile().update([1]))
        gpu["sm_count"] = True
        self.assertEqual(gpu["sm_count"], 1)

    def test_texts_and_integers(self) -> None:
        gpu = Device("l40")
        text = matmul()
        self.fails("wrong_type", "name", lambda: Device(7))
        self.fails("wrong_type", "parameter", lambda: gpu[7])
        self.fails("wrong_type", "parameter", lambda: Profile().update({7: 1}))
        self.fails("wrong_type", "model", lambda: warpgauge.predict(gpu, Profile(**SAXPY), 7))
        self.fails("wrong_type", "text", lambda: Ptx(7))
        self.fails("wrong_type", "kernel", lambda: text.trace(7))
        self.fails("wrong_type", "grid", lambda: text.trace("matmul_tiled", 1.5))
        self.fails("wrong_type", "grid", lambda: text.trace("matmul_tiled", "64"))
        self.fails("wrong_type", "block", lambda: text.trace("matmul_tiled", 1, (16, 1.5)))
        self.fails("wrong_type", "max_steps", lambda: text.trace("matmul_tiled", max_steps="1"))
        self.fails("wrong_type", "arguments", lambda: text.trace("matmul_tiled", arguments=7))
        entry = self.fails("wrong_type", "arguments", lambda: text.trace("matmul_tiled", 1, 1, [1024, 0.5]))
        self.assertEqual((str(entry), entry.line), ("entry 2 of arguments must be an integer, not float", 2))

        class Whole:  # as the integers of NumPy
            def __index__(self) -> int:
                return 64

        self.assertEqual(text.trace("matmul_tiled", Whole(), (16, 16), [Whole()])["blocks"], 64)


class Predictions(Failing):
    gpu = Device("a100 sxm4 40gb")

    def test_predict(self) -> None:
        p = warpgauge.predict(self.gpu, Profile(**SAXPY))
        self.assertEqual(p.model, "saturation")
        self.assertTrue(1e-6 < p.seconds < 1e-4 and p.cycles > 0 and p.limited_by)
        self.assertIn("no cache saves DRAM a byte", p.assumed)
        self.assertNotEqual(warpgauge.predict(self.gpu, Profile(**SAXPY), "roofline").seconds, p.seconds)

    def test_errors(self) -> None:
        k = Profile(**SAXPY)
        self.fails("unknown_name", "guess", lambda: warpgauge.predict(self.gpu, k, "guess"))
        self.fails("missing", "issue_cycles", lambda: warpgauge.predict(self.gpu, k, "mwp_cwp"))
        self.fails("not_positive", "blocks", lambda: warpgauge.predict(self.gpu, Profile()))

    def test_columns_of_any_buffer(self) -> None:
        insts = array("d", range(10, 1010))
        common = Profile(**SAXPY)
        times = warpgauge.predict_columns(self.gpu, common, {"comp_insts": insts})
        self.assertEqual((times.predicted, len(times.seconds), times.reasons), (1000, 1000, ()))
        for place in (0, 1, 499, 999):
            alone = warpgauge.predict(self.gpu, Profile(common, comp_insts=insts[place])).seconds
            self.assertAlmostEqual(times.seconds[place] / alone, 1, delta=1e-12)
        doubles = (ctypes.c_double * 1000)(*insts)
        for other in (memoryview(insts), memoryview(insts).toreadonly(), memoryview(bytes(insts)).cast("d"), doubles):
            out = array("d", bytes(8000))
            same = warpgauge.predict_columns(self.gpu, common, {"comp_insts": other}, out=out)
            self.assertIs(same.seconds, out)
            self.assertEqual(out, times.seconds)
        # No copy: a slice begins in the middle.
        part = warpgauge.predict_columns(self.gpu, common, {"comp_insts": memoryview(insts)[500:]})
        self.assertEqual(part.seconds, times.seconds[500:])

    def test_columns_of_every_device_and_model(self) -> None:
        insts = array("d", [10, 100, -1, 1e4, 50])
        predicted = 0
        for name in warpgauge.devices():
            gpu = Device(name)
            for model in ("roofline", "mwp_cwp", "saturation"):
                common = Profile(**SAXPY | {"registers_per_thread": 10, "l2_waits": 2, "load_sectors": 9})
                try:
                    warpgauge.predict(gpu, common, model)
                except Error as why:
                    try:  # the same error, of the call or of each configuration
                        times = warpgauge.predict_columns(gpu, common, {"comp_insts": insts}, model, reasons=True)
                        self.assertEqual((times.predicted, times.reasons[0]), (0, why.reason))
                    except Error as same:
                        self.assertEqual((same.reason, same.field), (why.reason, why.field))
                    continue
                times = warpgauge.predict_columns(gpu, common, {"comp_insts": insts}, model, reasons=True)
                self.assertEqual(times.reasons, ("ok", "ok", "negative", "ok", "ok"), (name, model))
                for n in (0, 1, 3, 4):
                    alone = warpgauge.predict(gpu, Profile(common, comp_insts=insts[n]), model).seconds
                    self.assertAlmostEqual(times.seconds[n] / alone, 1, delta=1e-12, msg=(name, model))
                    predicted += 1
        self.assertGreater(predicted, 200)

    def test_columns_with_errors(self) -> None:
        columns = {"comp_insts": array("d", [1, -1, 3]), "blocks": array("d", [1, 1, 0])}
        times = warpgauge.predict_columns(self.gpu, Profile(**SAXPY), columns, reasons=True)
        self.assertEqual(times.reasons, ("ok", "negative", "not_positive"))
        self.assertEqual((times.predicted, times.seconds[1], times.seconds[2]), (1, 0, 0))

    def test_errors_of_columns(self) -> None:
        def call(columns, **others):
            return lambda: warpgauge.predict_columns(self.gpu, Profile(**SAXPY), columns, **others)

        two, three = array("d", [1, 2]), array("d", [1, 2, 3])
        self.fails("malformed", "columns", call({"comp_insts": two, "blocks": three}))
        self.fails("malformed", "out", call({"comp_insts": two}, out=three))
        self.fails("malformed", "out", call({"comp_insts": two}, out=memoryview(two).toreadonly()))
        self.fails("malformed", "comp_insts", call({"comp_insts": array("f", [1])}))
        self.fails("malformed", "comp_insts", call({"comp_insts": memoryview(three)[::2]}))
        self.fails("unknown_parameter", "insts", call({"insts": two}))
        self.fails("limit_reached", "columns", call({f"c{n}": two for n in range(129)}))
        self.fails("malformed", "comp_insts", call({"comp_insts": [1.0]}))
        self.fails("wrong_type", "columns", call([two]))
        self.fails("wrong_type", "columns", call({1: two}))

    def test_rank(self) -> None:
        ranking = warpgauge.rank(array("d", [3, 1, 0, 1.05, 2]), 0.1)
        self.assertEqual(ranking.order, (1, 3, 4, 0, 2))
        self.assertEqual(ranking.groups, (0, 0, 1, 2, None))
        self.fails("negative", "tolerance", lambda: warpgauge.rank(array("d", [1]), -1))
        self.fails("wrong_type", "tolerance", lambda: warpgauge.rank(array("d", [1]), "1"))
        self.fails("malformed", "seconds", lambda: warpgauge.rank([3.0, 1, 2]))
        self.assertEqual(warpgauge.rank(array("d")).order, ())

    def test_occupancy(self) -> None:
        o = warpgauge.occupancy(self.gpu, Profile(**SAXPY))
        self.assertEqual(o, (6, 48, 0.75, "registers"))
        self.assertEqual(warpgauge.next_occupancy_step(self.gpu, Profile(**SAXPY)), (8, 32, 0))
        full = Profile(**SAXPY | {"registers_per_thread": 16})
        self.assertIsNone(warpgauge.next_occupancy_step(self.gpu, full))
        large = Profile(**SAXPY | {"registers_per_thread": 1000})
        self.fails("exceeds_device", "registers_per_thread", lambda: warpgauge.occupancy(self.gpu, large))
        self.fails("exceeds_device", "registers_per_thread", lambda: warpgauge.next_occupancy_step(self.gpu, large))

    def test_explain(self) -> None:
        e = warpgauge.explain(self.gpu, Profile(**SAXPY))
        self.assertEqual(e.seconds, warpgauge.predict(self.gpu, Profile(**SAXPY)).seconds)
        self.assertEqual(e.limiting, e.removals[0].bottleneck)
        benefits = [r.benefit_seconds for r in e.removals]
        self.assertEqual(benefits, sorted(benefits, reverse=True))
        self.fails("outside_domain", "model", lambda: warpgauge.explain(self.gpu, Profile(**SAXPY), "makespan"))

    def test_threads_share_handles(self) -> None:
        k = Profile(**SAXPY)
        expected = warpgauge.explain(self.gpu, k)
        got = []
        threads = [threading.Thread(target=lambda: got.extend(warpgauge.explain(self.gpu, k) for _ in range(20)))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(got, [expected] * 80)


class Texts(Failing):
    def test_trace(self) -> None:
        gpu = Device("a100 sxm4 40gb")
        text = matmul()
        self.assertEqual(text.kernels, ("matmul_naive", "matmul_tiled"))
        k = text.trace("matmul_tiled", (64, 64), (16, 16), [1024, None], device=gpu)
        del text
        self.assertEqual((k["blocks"], k["threads_per_block"], k["sync_insts"]), (4096, 256, 128))
        self.assertGreater(warpgauge.predict(gpu, k, "hybrid").seconds, 0)

    def test_errors(self) -> None:
        text = matmul()
        syntax = self.fails("expected", "a directive", lambda: Ptx("\n ?"))
        self.assertEqual((syntax.line, syntax.column), (2, 2))
        self.fails("unknown_name", "matmul_tile", lambda: text.trace("matmul_tile"))
        none = self.fails("missing", "kernel", text.trace)
        self.assertEqual(str(none), "kernel is needed; the text has matmul_naive matmul_tiled")
        missing = self.fails("missing", "matmul_tiled_param_0", lambda: text.trace("matmul_tiled", 64, (16, 16)))
        self.assertEqual(str(missing), "argument 1 (u32 matmul_tiled_param_0) has no value")
        steps = self.fails("limit_reached", "max_steps",
                           lambda: text.trace("matmul_tiled", 64, 256, [1024], max_steps=400))
        self.assertRegex(str(steps), r"^line \d+, column \d+: max_steps reached in loop \$L__BB1_2, source line 18, after ")
        self.fails("negative", "grid", lambda: text.trace("matmul_tiled", -1))
        self.fails("malformed", "block", lambda: text.trace("matmul_tiled", 1, (1, 1, 1, 1)))
        self.fails("overflow", "arguments", lambda: text.trace("matmul_tiled", 1, 1, [2**64]))
        unknown = text.trace("matmul_tiled", 64, (16, 16), [warpgauge.UNKNOWN])
        self.assertEqual(unknown["blocks"], 64)


class Documentation(unittest.TestCase):
    def test_the_example_of_the_module_runs(self) -> None:
        example = warpgauge.__doc__.split("\n\n")[1]
        code = "\n".join(line.strip() for line in example.splitlines())
        printed = []
        exec(code, {"print": printed.append})  # a text of our own
        self.assertGreater(printed[0], 0)


if __name__ == "__main__":
    unittest.main()
