# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning that measures only what ranks first."""

from __future__ import annotations

import math
from array import array
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

from . import Device, Error, Profile, predict, rank

Configuration = Mapping[str, Any]


class Tuned(NamedTuple):
    """What a tuning run found."""

    best: Optional[Configuration]  #: the fastest that was measured; None where no measurement gave a time
    seconds: Optional[float]  #: its measured time
    measured: int  #: how many configurations were measured
    order: tuple[int, ...]  #: all places in the list, as predicted, the fastest first


def measure_first(device: Device, configurations: Sequence[Configuration],
                  profile: Callable[[Configuration], Profile], measure: Callable[[Configuration], Optional[float]],
                  fraction: float = 0.1, model: Optional[str] = None) -> Tuned:
    """Ranks all configurations by prediction, and measures that fraction which ranks first.

    `profile` says what a configuration does. `measure` gives its time, or None where it does not run. What has no
    prediction, as what does not fit on an SM, is measured last.
    """
    if not 0 < fraction <= 1:
        raise Error("fraction must be above 0 and at most 1", "fraction", "outside_domain")
    seconds = array("d", bytes(8 * len(configurations)))
    for place, configuration in enumerate(configurations):
        try:
            seconds[place] = predict(device, profile(configuration), model).seconds
        except Error as why:
            if why.reason in ("unknown_name", "unknown_parameter", "null_pointer", "out_of_memory"):
                raise  # no fault of this configuration
    order = rank(seconds).order
    first = order[:math.ceil(fraction * len(order))]
    times = {place: time for place in first if (time := measure(configurations[place])) is not None}
    if not times:
        return Tuned(None, None, len(first), order)
    best = min(times, key=times.__getitem__)
    return Tuned(configurations[best], times[best], len(first), order)
