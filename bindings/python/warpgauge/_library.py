# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shared library and its C interface, `warpgauge/c.h`, by ctypes."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pathlib
from ctypes import POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t
from ctypes import c_uint32, c_uint64, c_void_p
from typing import Iterator

NAME = "libwarpgauge.so.0"


class CError(Structure):
    _fields_ = [("code", c_int32), ("line", c_uint32), ("column", c_uint32),
                ("field", c_char * 132), ("message", c_char * 256)]


class CPrediction(Structure):
    _fields_ = [("cycles", c_double), ("seconds", c_double), ("model", c_char_p),
                ("limited_by", c_char_p), ("assumed", c_uint64)]


class CColumns(Structure):
    _fields_ = [("count", c_size_t), ("column_count", c_size_t), ("names", POINTER(c_char_p)),
                ("columns", POINTER(c_void_p))]


class COccupancy(Structure):
    _fields_ = [("active_blocks_per_sm", c_double), ("active_warps_per_sm", c_double),
                ("occupancy", c_double), ("limiter", c_char_p)]


class CStep(Structure):
    _fields_ = [("active_blocks_per_sm", c_double), ("registers_per_thread", c_double),
                ("shared_bytes_per_block", c_double)]


class CRemoval(Structure):
    _fields_ = [("bottleneck", c_char_p), ("seconds", c_double), ("benefit_seconds", c_double),
                ("code", c_int32)]


class CExplanation(Structure):
    _fields_ = [("seconds", c_double), ("model", c_char_p), ("limiting", c_char_p),
                ("next", c_char_p), ("next_after_factor", c_double), ("assumed", c_uint64),
                ("removal_count", c_size_t), ("removals", CRemoval * 16)]


class CArgument(Structure):
    _fields_ = [("kind", c_int32), ("value", c_int64)]


class CLaunch(Structure):
    _fields_ = [("kernel", c_char_p), ("grid", c_uint32 * 3), ("block", c_uint32 * 3),
                ("dynamic_shared_bytes", c_uint64), ("arguments", POINTER(CArgument)),
                ("argument_count", c_size_t), ("max_steps", c_uint64)]


# Result and arguments of each function; `error`, the last argument of all that return a code, is not written here.
_FALLIBLE = {
    "device_open": [c_char_p, POINTER(c_void_p)],
    "device_get": [c_void_p, c_char_p, POINTER(c_double)],
    "device_set": [c_void_p, c_char_p, c_double],
    "profile_open": [c_void_p, POINTER(c_void_p)],
    "profile_get": [c_void_p, c_char_p, POINTER(c_double)],
    "profile_set": [c_void_p, c_char_p, c_double],
    "predict": [c_void_p, c_char_p, c_void_p, POINTER(CPrediction)],
    "predict_columns": [c_void_p, c_char_p, c_void_p, POINTER(CColumns), c_void_p, c_void_p,
                        POINTER(c_size_t)],
    "rank": [c_void_p, c_size_t, c_double, c_void_p, c_void_p],
    "occupancy": [c_void_p, c_void_p, POINTER(COccupancy)],
    "next_occupancy_step": [c_void_p, c_void_p, POINTER(CStep)],
    "explain": [c_void_p, c_char_p, c_void_p, POINTER(CExplanation)],
    "ptx_open": [c_char_p, c_size_t, POINTER(c_void_p)],
    "ptx_trace": [c_void_p, POINTER(CLaunch), c_void_p, POINTER(c_void_p)],
}
_OTHERS = {
    "version": (c_char_p, []),
    "name_at": (c_char_p, [c_int, c_size_t]),
    "device_name": (c_char_p, [c_void_p]),
    "device_default_model": (c_char_p, [c_void_p]),
    "device_close": (None, [c_void_p]),
    "profile_close": (None, [c_void_p]),
    "ptx_close": (None, [c_void_p]),
    "ptx_kernel": (c_char_p, [c_void_p, c_size_t]),
}


def _candidates() -> Iterator[str]:
    """Where the library may be: as the environment says, in the prefix of this file, where the linker looks."""
    given = os.environ.get("WARPGAUGE_LIBRARY")
    if given:
        yield given
        return
    for folder in pathlib.Path(__file__).resolve().parents:
        for place in (folder / "lib", folder / "lib64"):
            yield from map(str, sorted((*place.glob(NAME), *place.glob("*/" + NAME))))
    yield NAME
    found = ctypes.util.find_library("warpgauge")
    if found:
        yield found


def load() -> ctypes.CDLL:
    """The library, with the types of its functions.

    Raises ImportError where it is not found, or is not this library; the message lists what was tried.
    """
    tried = []
    for path in _candidates():
        try:
            library = ctypes.CDLL(path)
            for name, arguments in _FALLIBLE.items():
                function = getattr(library, "warpgauge_" + name)
                function.restype = c_int
                function.argtypes = [*arguments, POINTER(CError)]
            for name, (result, arguments) in _OTHERS.items():
                function = getattr(library, "warpgauge_" + name)
                function.restype = result
                function.argtypes = arguments
            return library
        except (OSError, AttributeError) as why:
            tried.append(f"{path}: {why}")
    raise ImportError("libwarpgauge is not found; WARPGAUGE_LIBRARY may say where it is. Tried:\n"
                      + "\n".join(tried))
