# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How long a GPU kernel takes, without running it.

    import warpgauge
    gpu = warpgauge.Device("a100 sxm4 40gb")
    saxpy = warpgauge.Profile(blocks=4096, threads_per_block=256, comp_insts=10, coalesced_mem_insts=3)
    print(warpgauge.predict(gpu, saxpy).seconds)

Parameters have the names and units of the C++ library; `device_parameters()` and `profile_parameters()` list them. Invalid
input raises `Error`, which names it. Columns are any objects with the buffer protocol and numbers of type
double, such as `array.array("d")`, a memoryview or a NumPy array; they are not copied. Any number of threads may call the module.
"""

from __future__ import annotations

import ctypes
import operator
from array import array
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union

from . import _library

__all__ = ["Device", "Error", "Explanation", "Occupancy", "OccupancyStep", "Prediction", "Profile", "Ptx", "Ranking",
           "Removal", "Times", "UNKNOWN", "assumptions", "device_parameters", "devices", "explain", "models",
           "next_occupancy_step", "occupancy", "predict", "predict_columns", "profile_parameters", "rank", "version"]

_lib = _library.load()

_CODES = ("ok", "not_positive", "negative", "missing", "exceeds_device", "unknown_compute_capability",
          "unknown_parameter", "outside_domain", "overflow", "limit_reached", "malformed", "expected", "unknown_name",
          "ambiguous_name", "broken_constraint", "not_an_enumerator", "already_full", "exceeds_memory",
          "not_whole")
_OWN_CODES = {100: "null_pointer", 101: "out_of_memory"}


def _reason(code: int) -> str:
    return _CODES[code] if 0 <= code < len(_CODES) else _OWN_CODES.get(code, "unknown")


class Error(ValueError):
    """Invalid input.

    `field` is its name, and `reason` the kind of error ("not_positive", "unknown_name", ...; "wrong_type" for an argument
    of another type); `line` and `column` are the position in a text, from 1, or 0. The text of the exception is a sentence.
    """

    def __init__(self, message: str, field: str = "", reason: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.field = field
        self.reason = reason
        self.line = line
        self.column = column


def _call(name: str, *arguments: Any) -> None:
    """Calls a function that returns a code; raises `Error` if that is not 0."""
    error = _library.CError()
    if getattr(_lib, "warpgauge_" + name)(*arguments, ctypes.byref(error)) != 0:
        raise Error(error.message.decode(errors="replace"), error.field.decode(errors="replace"), _reason(error.code),
                    error.line, error.column)


def _wrong_type(name: str, expected: str, value: Any, place: int = 0) -> Error:
    entry = f"entry {place} of " if place else ""
    return Error(f"{entry}{name} must be {expected}, not {type(value).__name__}", name, "wrong_type", place)


def _text(name: str, value: Optional[str]) -> Optional[bytes]:
    """A text, or None, for an argument of that name."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise _wrong_type(name, "a str", value)
    if "\0" in value:
        raise Error(f"{value} is not a known name", value, "unknown_name")
    return value.encode()


def _number(name: str, value: Any) -> float:
    """A number for an argument or a parameter of that name."""
    try:
        if not isinstance(value, (str, bytes, bytearray)):
            return float(value)
    except OverflowError:
        raise Error(f"{name} is too large to compute with", name, "overflow") from None
    except (TypeError, ValueError):
        pass
    raise _wrong_type(name, "a number", value)


def _integer(name: str, value: Any, place: int = 0) -> int:
    """An integer for an argument of that name, or for its entry at `place`, from 1."""
    try:
        return operator.index(value)
    except TypeError:
        raise _wrong_type(name, "an integer", value, place) from None


def _items(name: str, value: Any) -> Any:
    """The items of a mapping for an argument of that name."""
    if not isinstance(value, Mapping):
        raise _wrong_type(name, "a mapping of names", value)
    return value.items()


def _names(which: int) -> tuple[str, ...]:
    names: list[str] = []
    while (name := _lib.warpgauge_name_at(which, len(names))) is not None:
        names.append(name.decode())
    return tuple(names)


def version() -> str:
    """The version of the library that runs."""
    return _lib.warpgauge_version().decode()


def devices() -> tuple[str, ...]:
    """The names of all GPUs, oldest first."""
    return _names(0)


def models() -> tuple[str, ...]:
    """The names of all models."""
    return _names(1)


def device_parameters() -> tuple[str, ...]:
    """The names of all parameters that a device may have."""
    return _names(2)


def profile_parameters() -> tuple[str, ...]:
    """The names of all parameters that a profile may have."""
    return _names(3)


def assumptions() -> tuple[str, ...]:
    """All assumptions of predictions, in words."""
    return _names(4)


_assumptions = assumptions()


def _assumed(bits: int) -> tuple[str, ...]:
    return tuple(name for n, name in enumerate(_assumptions) if bits >> n & 1)


class _Handle:
    """Owns a handle of the library."""

    _close: Any
    _handle: Optional[ctypes.c_void_p] = None

    def __del__(self) -> None:
        if self._handle is not None:
            self._close(self._handle)
            self._handle = None


def _handle_of(name: str, value: Any, kind: type[_Handle]) -> Optional[ctypes.c_void_p]:
    """The handle for an argument of that name and type. The library cannot tell handles apart."""
    if not isinstance(value, kind):
        raise _wrong_type(name, f"a {kind.__name__}", value)
    return value._handle


class Device(_Handle):
    """A GPU of the library, as a copy whose parameters can be changed: `gpu["dram_bytes_per_s"] *= 2`."""

    _close = staticmethod(_lib.warpgauge_device_close)

    def __init__(self, name: str, **parameters: float) -> None:
        """Opens a GPU by its own name, as CUDA reports it, a short name, or words that only it has; with changed parameters."""
        handle = ctypes.c_void_p()
        _call("device_open", _text("name", name), ctypes.byref(handle))
        self._handle = handle
        for parameter, value in parameters.items():
            self[parameter] = value

    @property
    def name(self) -> str:
        """Its own name."""
        return _lib.warpgauge_device_name(self._handle).decode()

    @property
    def default_model(self) -> str:
        """Its default model, one of those that need no instruction stream."""
        return _lib.warpgauge_device_default_model(self._handle).decode()

    def __getitem__(self, parameter: str) -> float:
        value = ctypes.c_double()
        _call("device_get", self._handle, _text("parameter", parameter), ctypes.byref(value))
        return value.value

    def __setitem__(self, parameter: str, value: float) -> None:
        _call("device_set", self._handle, _text("parameter", parameter), _number(parameter, value))

    def get(self, parameter: str) -> Optional[float]:
        """The value of a parameter, or None if it is not known for this GPU."""
        try:
            return self[parameter]
        except Error as why:
            if why.reason == "missing":
                return None
            raise

    def __repr__(self) -> str:
        return f"Device({self.name!r})"


class Profile(_Handle):
    """One launch of one kernel: `Profile(blocks=4096, threads_per_block=256, comp_insts=10)`."""

    _close = staticmethod(_lib.warpgauge_profile_close)

    def __init__(self, like: Optional[Profile] = None, **parameters: float) -> None:
        """A copy of `like`, or defaults, with these parameters."""
        handle = ctypes.c_void_p()
        _call("profile_open", None if like is None else _handle_of("like", like, Profile), ctypes.byref(handle))
        self._handle = handle
        self.update(parameters)

    def __getitem__(self, parameter: str) -> float:
        value = ctypes.c_double()
        _call("profile_get", self._handle, _text("parameter", parameter), ctypes.byref(value))
        return value.value

    def __setitem__(self, parameter: str, value: float) -> None:
        _call("profile_set", self._handle, _text("parameter", parameter), _number(parameter, value))

    def update(self, parameters: Mapping[str, float]) -> None:
        """Sets several parameters."""
        for parameter, value in _items("parameters", parameters):
            self[parameter] = value

    def __repr__(self) -> str:
        plain = Profile()
        given = (f"{name}={self[name]:g}" for name in profile_parameters() if name.isidentifier()
                 and self[name] != plain[name])
        return f"Profile({', '.join(given)})"


class Prediction(NamedTuple):
    """The predicted time of a launch."""

    seconds: float
    cycles: float  #: of an SM, the whole launch
    model: str
    limited_by: str  #: what limits the launch, in words; empty if the model does not say
    assumed: tuple[str, ...]  #: the assumptions of the model


def predict(device: Device, profile: Profile, model: Optional[str] = None) -> Prediction:
    """Predicts a launch by the model of that name; by default, by the default model of the device."""
    p = _library.CPrediction()
    _call("predict", _handle_of("device", device, Device), _text("model", model), _handle_of("profile", profile, Profile),
          ctypes.byref(p))
    return Prediction(p.seconds, p.cycles, p.model.decode(), p.limited_by.decode(), _assumed(p.assumed))


class _Column:
    """The address of contiguous doubles, which do not move while this exists."""

    def __init__(self, name: str, values: Any, writable: bool = False) -> None:
        try:
            self.keep = view = memoryview(values)
        except (TypeError, ValueError, BufferError):
            raise Error(f"{name} is no buffer of doubles, as array.array('d', ...) makes", name, "malformed") from None
        if view.format not in ("d", "<d", "=d", "@d") or view.ndim != 1 or not view.contiguous:
            raise Error(f"{name} is no contiguous column of doubles", name, "malformed")
        if writable and view.readonly:
            raise Error(f"{name} cannot be written to", name, "malformed")
        self.count = len(view)
        self.address = _address(view)


class _Buffer(ctypes.Structure):
    """As far as Py_buffer has the same members in all versions of Python."""

    _fields_ = [("buf", ctypes.c_void_p), ("obj", ctypes.py_object), ("len", ctypes.c_ssize_t),
                ("itemsize", ctypes.c_ssize_t), ("readonly", ctypes.c_int), ("ndim", ctypes.c_int),
                ("format", ctypes.c_char_p), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                ("suboffsets", ctypes.c_void_p), ("internal", ctypes.c_void_p)]


def _address(view: memoryview) -> Optional[int]:
    """The address of the data of a view. ctypes has `from_buffer` only for writable views."""
    if len(view) == 0:
        return None
    if not view.readonly:
        return ctypes.addressof(ctypes.c_char.from_buffer(view))
    buffer = _Buffer()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), ctypes.c_int(0))
    address = buffer.buf
    api.PyBuffer_Release(ctypes.byref(buffer))
    return address


class Times(NamedTuple):
    """Predicted times of configurations."""

    seconds: Any  #: of each; 0 if there is no time
    reasons: tuple[str, ...]  #: of each, "ok" or the error; empty unless requested
    predicted: int  #: the number of configurations with a time


def predict_columns(device: Device, common: Profile, columns: Mapping[str, Any], model: Optional[str] = None,
                    out: Any = None, reasons: bool = False) -> Times:
    """Predicts `common` with each row of `columns`: name of a parameter to a buffer of doubles.

    The times go to `out`, a buffer of doubles that can be written to; without it, to a new array.
    """
    given = {name: _Column(name, values) for name, values in _items("columns", columns)}
    lengths = {column.count for column in given.values()}
    if len(lengths) > 1:
        raise Error("columns are not equally long", "columns", "malformed")
    seconds = array("d", bytes(8 * (lengths.pop() if lengths else 1))) if out is None else out
    to = _Column("out", seconds, writable=True)
    if any(column.count != to.count for column in given.values()):
        raise Error("out is not as long as the columns", "out", "malformed")
    names = (ctypes.c_char_p * len(given))(*(_text("columns", name) for name in given))
    pointers = (ctypes.c_void_p * len(given))(*(column.address for column in given.values()))
    configurations = _library.CColumns(to.count, len(given), names, pointers)
    codes = (ctypes.c_int32 * to.count)() if reasons else None
    predicted = ctypes.c_size_t()
    _call("predict_columns", _handle_of("device", device, Device), _text("model", model),
          _handle_of("common", common, Profile), ctypes.byref(configurations), to.address, codes, ctypes.byref(predicted))
    return Times(seconds, tuple(map(_reason, codes or ())), predicted.value)


class Ranking(NamedTuple):
    """Configurations from the fastest to the slowest."""

    order: tuple[int, ...]  #: their indices in the list; those without a time last
    groups: tuple[Optional[int], ...]  #: of each entry of `order`; one group has equal times within the tolerance; None: no time


def rank(seconds: Any, tolerance: float = 0.0) -> Ranking:
    """Orders predicted times, a buffer of doubles. Times that differ by at most the fraction `tolerance` are one group."""
    times = _Column("seconds", seconds)
    order = (ctypes.c_size_t * times.count)()
    groups = (ctypes.c_size_t * times.count)()
    _call("rank", times.address, times.count, _number("tolerance", tolerance), order, groups)
    none = ctypes.c_size_t(-1).value
    return Ranking(tuple(order), tuple(None if g == none else g for g in groups))


class Occupancy(NamedTuple):
    """The number of blocks of a kernel that one SM holds."""

    active_blocks_per_sm: float
    active_warps_per_sm: float
    occupancy: float  #: of the warps that an SM can hold, 0 to 1
    limiter: str  #: "warps", "blocks", "registers" or "shared memory"


def occupancy(device: Device, profile: Profile) -> Occupancy:
    """The number of blocks of a kernel that one SM holds, and what limits it."""
    o = _library.COccupancy()
    _call("occupancy", _handle_of("device", device, Device), _handle_of("profile", profile, Profile), ctypes.byref(o))
    return Occupancy(o.active_blocks_per_sm, o.active_warps_per_sm, o.occupancy, o.limiter.decode())


class OccupancyStep(NamedTuple):
    """The smallest change with which another block fits."""

    active_blocks_per_sm: float  #: after the step
    registers_per_thread: float  #: the maximum that a thread may then use
    shared_bytes_per_block: float  #: the maximum that a block may then use


def next_occupancy_step(device: Device, profile: Profile) -> Optional[OccupancyStep]:
    """The smallest change with which another block fits; None if no further block fits, however little the kernel uses."""
    s = _library.CStep()
    try:
        _call("next_occupancy_step", _handle_of("device", device, Device), _handle_of("profile", profile, Profile),
              ctypes.byref(s))
    except Error as why:
        if why.reason == "already_full":
            return None
        raise
    return OccupancyStep(s.active_blocks_per_sm, s.registers_per_thread, s.shared_bytes_per_block)


class Removal(NamedTuple):
    """The gain from removing one bottleneck."""

    bottleneck: str
    seconds: float  #: without it
    benefit_seconds: float  #: the gain
    reason: str  #: "ok", or the error of the prediction without it


class Explanation(NamedTuple):
    """What limits a kernel, and the gain from each removal."""

    seconds: float
    model: str
    limiting: Optional[str]  #: the bottleneck with the largest gain
    next: Optional[str]  #: that with the largest gain once `limiting` is removed
    next_after_factor: Optional[float]  #: from this factor on, easing `limiting` gains less than `next`
    removals: tuple[Removal, ...]  #: the largest benefit first
    assumed: tuple[str, ...]


def explain(device: Device, profile: Profile, model: Optional[str] = None) -> Explanation:
    """What limits a kernel, what would limit it next, and the gain from removing each."""
    e = _library.CExplanation()
    _call("explain", _handle_of("device", device, Device), _text("model", model), _handle_of("profile", profile, Profile),
          ctypes.byref(e))
    removals = tuple(Removal(r.bottleneck.decode(), r.seconds, r.benefit_seconds, _reason(r.code))
                     for r in e.removals[:e.removal_count])
    return Explanation(e.seconds, e.model.decode(), e.limiting and e.limiting.decode(), e.next and e.next.decode(),
                       e.next_after_factor or None, removals, _assumed(e.assumed))


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()  #: an integer argument with an unknown value


class Ptx(_Handle):
    """A PTX text, parsed."""

    _close = staticmethod(_lib.warpgauge_ptx_close)

    def __init__(self, text: Union[str, bytes]) -> None:
        if not isinstance(text, (str, bytes)):
            raise _wrong_type("text", "a str or bytes", text)
        data = text.encode() if isinstance(text, str) else text
        handle = ctypes.c_void_p()
        _call("ptx_open", data, len(data), ctypes.byref(handle))
        self._handle = handle

    @property
    def kernels(self) -> tuple[str, ...]:
        """The names of its kernels."""
        names: list[str] = []
        while (name := _lib.warpgauge_ptx_kernel(self._handle, len(names))) is not None:
            names.append(name.decode())
        return tuple(names)

    def trace(self, kernel: Optional[str] = None, grid: Union[int, Sequence[int]] = 1,
              block: Union[int, Sequence[int]] = 1, arguments: Iterable[Union[int, None, _Unknown]] = (),
              dynamic_shared_bytes: int = 0, device: Optional[Device] = None, max_steps: int = 0) -> Profile:
        """Follows the warps of a launch and returns their profile.

        Arguments are integers in the order of the parameters; None is a pointer to an allocation of its own, or a float. Accesses
        coalesce by the rules of `device`; without it, by those of the text's `.target`.
        """
        if not isinstance(arguments, Iterable):
            raise _wrong_type("arguments", "a list of integers", arguments)
        given = [_argument(n, a) for n, a in enumerate(arguments, 1)]
        launch = _library.CLaunch(_text("kernel", kernel), _extent("grid", grid), _extent("block", block),
                                  _unsigned("dynamic_shared_bytes", dynamic_shared_bytes, 64),
                                  (_library.CArgument * len(given))(*given), len(given),
                                  _unsigned("max_steps", max_steps, 64))
        profile = Profile.__new__(Profile)
        handle = ctypes.c_void_p()
        _call("ptx_trace", self._handle, ctypes.byref(launch),
              None if device is None else _handle_of("device", device, Device), ctypes.byref(handle))
        profile._handle = handle
        return profile


def _argument(place: int, value: Union[int, None, _Unknown]) -> _library.CArgument:
    if value is None:
        return _library.CArgument(0, 0)
    if isinstance(value, _Unknown):
        return _library.CArgument(2, 0)
    value = _integer("arguments", value, place)
    if not -2**63 <= value < 2**64:
        raise Error(f"arguments: entry {place} has more than 64 bits", "arguments", "overflow", place)
    return _library.CArgument(1, value - 2**64 if value >= 2**63 else value)


def _unsigned(field: str, value: int, bits: int) -> int:
    value = _integer(field, value)
    if not 0 <= value < 2**bits:
        raise Error(f"{field} must be a whole number from 0 to 2^{bits} - 1", field, "negative" if value < 0 else "overflow")
    return value


def _extent(field: str, value: Union[int, Sequence[int]]) -> Any:
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        sides = list(value)
    else:
        sides = [value]
    if not 1 <= len(sides) <= 3:
        raise Error(f"{field} has one to three sides", field, "malformed")
    return (ctypes.c_uint32 * 3)(*(_unsigned(field, side, 32) for side in sides + [1] * (3 - len(sides))))
