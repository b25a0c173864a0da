# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuning that measures only what ranks first."""

from __future__ import annotations

import math
from array import array
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence

from . import Device, Error, Profile, _number, predict, rank

Configuration = Mapping[str, Any]


class Tuned(NamedTuple):
    """The result of a tuning run."""

    best: Optional[Configuration]  #: the fastest measured one; None if no measurement gave a time
    seconds: Optional[float]  #: its measured time
    measured: int  #: the number of measured configurations
    order: tuple[int, ...]  #: all indices of the list, in the predicted order, the fastest first


def predicted_order(device: Device, configurations: Sequence[Configuration],
                    profile: Callable[[Configuration], Profile], model: Optional[str] = None) -> tuple[int, ...]:
    """All indices of the list in the predicted order, the fastest configuration first.

    `profile` gives the profile of a configuration. Configurations without a prediction, for example if a block does not fit
    on an SM, are last.
    """
    seconds = array("d", bytes(8 * len(configurations)))
    for place, configuration in enumerate(configurations):
        try:
            seconds[place] = predict(device, profile(configuration), model).seconds
        except Error as why:
            if why.reason in ("unknown_name", "unknown_parameter", "wrong_type", "null_pointer", "out_of_memory"):
                raise  # no fault of this configuration
    return rank(seconds).order


def _first(order: Sequence[int], fraction: float) -> Sequence[int]:
    if not 0 < _number("fraction", fraction) <= 1:
        raise Error("fraction must be above 0 and at most 1", "fraction", "outside_domain")
    return order[:math.ceil(fraction * len(order))]


def measure_first(device: Device, configurations: Sequence[Configuration],
                  profile: Callable[[Configuration], Profile], measure: Callable[[Configuration], Optional[float]],
                  fraction: float = 0.1, model: Optional[str] = None) -> Tuned:
    """Ranks all configurations by prediction, and measures the fraction that ranks first.

    `measure` gives the time of a configuration, or None if it does not run; the other arguments are as for `predicted_order`.
    """
    order = predicted_order(device, configurations, profile, model)
    first = _first(order, fraction)
    times = {place: time for place in first if (time := measure(configurations[place])) is not None}
    if not times:
        return Tuned(None, None, len(first), order)
    best = min(times, key=times.__getitem__)
    return Tuned(configurations[best], times[best], len(first), order)


class KernelTunerStrategy(NamedTuple):
    """`measure_first` as a strategy of Kernel Tuner, which applies restrictions, compiles and measures:

        tune_kernel(..., strategy=KernelTunerStrategy(Device("a100"), profile_of))
    """

    device: Device
    profile: Callable[[Configuration], Profile]
    fraction: float = 0.1
    model: Optional[str] = None

    def tune(self, searchspace: Any, runner: Any, tuning_options: Any) -> Any:
        """Called by Kernel Tuner; runs the first of all configurations that its restrictions allow."""
        space = searchspace.sorted_list()
        configurations = [dict(zip(searchspace.tune_params, values)) for values in space]
        order = predicted_order(self.device, configurations, self.profile, self.model)
        return runner.run([space[place] for place in _first(order, self.fraction)], tuning_options)
