# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional, Union

from . import _core
from ._names import FormatName, PresetLike, RoundingLike, ScaleFormatLike, ScaleRuleLike


@dataclasses.dataclass(frozen=True)
class Format:
    """An element format, with the columns of `mxe formats`. `Format("mxfp8_e4m3")` accepts the names of
    `mxe.quantize`. Source: model/numerics/block/format_info.h."""

    name: str  #: MXE's name, whichever alias was passed
    bits: int = dataclasses.field(init=False)
    exponent_bits: int = dataclasses.field(init=False)  #: 0 for integers
    mantissa_bits: int = dataclasses.field(init=False)
    bias: int = dataclasses.field(init=False)
    emax: int = dataclasses.field(init=False)  #: floor(log2 max)
    max: float = dataclasses.field(init=False)  #: largest finite element
    min_normal: float = dataclasses.field(init=False)
    min_subnormal: float = dataclasses.field(init=False)
    has_inf: bool = dataclasses.field(init=False)
    has_nan: bool = dataclasses.field(init=False)
    block: int = dataclasses.field(init=False)  #: elements that share a scale
    scale: str = dataclasses.field(init=False)
    bits_per_element: float = dataclasses.field(init=False)  #: with its share of the scale
    compression_fp32: float = dataclasses.field(init=False)
    compression_fp16: float = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        for key, value in _core.format_info(format_name(self.name)).items():
            object.__setattr__(self, key, value)


class Preset(NamedTuple):
    """A quantizer that reproduces another software's results."""

    name: str
    formats: str  #: that it can produce, in words
    release: str  #: version of the software, compared bit for bit


FormatLike = Union[FormatName, str, Format, Any]


def format_name(format: FormatLike) -> str:
    """The name of `format`: a name, an `mxe.Format`, or a dtype of torch or ml_dtypes."""
    if isinstance(format, str):
        return format
    name = getattr(format, "name", None)  # Format, numpy.dtype
    if isinstance(name, str):
        return name
    if isinstance(format, type):  # a scalar type of ml_dtypes
        return format.__name__
    text = str(format)
    if text.startswith("torch."):
        return text[len("torch."):]
    raise TypeError(f"a format is a name or a dtype, not {type(format).__name__}")


def formats() -> list[Format]:
    """The named formats: the engine's seven and nvfp4. Others: eXmY (X exponent and Y mantissa bits,
    such as e4m3) and intN. Source: model/numerics/block/format_info.h."""
    return [Format(info["name"]) for info in _core.formats()]


def presets(format: Optional[FormatLike] = None) -> list[Preset]:
    """All presets, or those of a format, in the order of docs/numerics.md.

    Raises ValueError for an unknown format. Source: model/numerics/block/presets.h.
    """
    every = [Preset(*row) for row in _core.presets()]
    if format is None:
        return every
    name = format_name(format)
    return [preset for preset in every if _core.has_format(preset.name, name)]


class Quantizer:
    """A format and a rule to quantize to it: a preset, with other values for some of its switches.

    `format` is a name ("mxfp8_e4m3", "nvfp4", "e4m3", "int4"), a name in other software
    ("float8_e4m3fn", "fp4_e2m1"), or a dtype of torch or ml_dtypes. The switches are the members of
    QuantizerOptions in model/numerics/block/quantizer_options.h, which explains each of them:

    >>> mxe.Quantizer("mxfp8_e4m3", scale_rule="rceil", rounding="nearest_away")

    `block` is another name of `block_size`. Choices are enumerator names, ranges are pairs, scale formats
    are names ("e8m0", "e4m3"). None means "not set" for optional switches. Quantizers are immutable, and equal if they
    compute the same.

    Raises ValueError for unknown names and for combinations that are not supported.
    """

    __slots__ = ("_changes", "_core")

    def __init__(self, format: FormatLike, preset: PresetLike = "ocp", **switches: Any) -> None:
        self._core = _core.Quantizer(format_name(format), preset, _renamed(switches))

    @property
    def format(self) -> str:
        """The name of the format, as it was passed."""
        return self._core.format

    @property
    def preset(self) -> str:
        """The name of the preset that the switches start from."""
        return self._core.preset

    @property
    def switches(self) -> dict[str, Any]:
        """All switches with their values."""
        return dict(self._core.switches)

    @property
    def changes(self) -> dict[str, Any]:
        """The switches that differ from the preset's."""
        return dict(self._core.changes)

    def replace(self, **switches: Any) -> Quantizer:
        """A copy with other values of some switches."""
        return Quantizer(self.format, self.preset, **{**self.changes, **_renamed(switches)})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Quantizer) and self._core.same(other._core)

    def __hash__(self) -> int:
        return hash(tuple(sorted(self._core.switches.items(), key=lambda item: item[0])))

    def __repr__(self) -> str:
        changes = "".join(f", {name}={value!r}" for name, value in sorted(self.changes.items()))
        return f"mxe.Quantizer({self.format!r}, {self.preset!r}{changes})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self.format, self.preset, self.changes)


def one_block(block: Optional[int], block_size: Optional[int]) -> Optional[int]:
    """`block` and `block_size` are two names of one argument."""
    if None not in (block, block_size) and block != block_size:
        raise ValueError(f"block={block} and block_size={block_size} are two names of one argument (allowed: one "
                         "of them)")
    return block_size if block is None else block


def _renamed(switches: Mapping[str, Any]) -> dict[str, Any]:
    if "block" not in switches:
        return dict(switches)
    rest = {name: value for name, value in switches.items() if name != "block"}
    return {**rest, "block_size": one_block(switches["block"], switches.get("block_size"))}


def as_number(name: str, value: Any) -> float:
    """`value` as a float; raises TypeError for texts and other types."""
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None


def _rebuilt(format: str, preset: str, changes: Mapping[str, Any]) -> Quantizer:
    return Quantizer(format, preset, **changes)


@functools.lru_cache(maxsize=256)
def cached(format: str, preset: str, switches: tuple[tuple[str, Any], ...] = ()) -> Any:
    return _core.Quantizer(format, preset, dict(switches))


def resolve(quantizer: Union[FormatLike, Quantizer], preset: str, block: Optional[int] = None,
            scale_format: Optional[ScaleFormatLike] = None, scale_rule: Optional[ScaleRuleLike] = None,
            rounding: Optional[RoundingLike] = None, seed: Optional[int] = None,
            tensor_amax: Optional[float] = None, block_size: Optional[int] = None,
            tensor_scale: Optional[float] = None) -> Any:
    block = one_block(block, block_size)
    if isinstance(quantizer, Quantizer):
        if preset != "ocp":
            raise ValueError("a Quantizer has a preset already")
        result, name = quantizer._core, quantizer.format
        preset = quantizer.preset
    else:
        name = quantizer if type(quantizer) is str else format_name(quantizer)
        result = cached(name, preset)
    if all(switch is None for switch in (block, scale_format, scale_rule, rounding, seed,
                                         tensor_amax, tensor_scale)):
        return result
    given = {"block_size": block, "scale_format": scale_format, "scale_rule": scale_rule,
             "rounding": rounding, "seed": seed,
             "tensor_amax": None if tensor_amax is None else as_number("tensor_amax", tensor_amax),
             "tensor_scale": None if tensor_scale is None else as_number("tensor_scale", tensor_scale)}
    return _core.Quantizer(name, preset, {**result.changes, **{
        key: value for key, value in given.items() if value is not None}})
