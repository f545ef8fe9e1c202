# SPDX-License-Identifier: Apache-2.0
"""The MX formats of pychop 0.6.2, with its numbers for float32 arrays.

Import mx_quantize from mxe.compat.pychop, not from pychop. Takes arrays of any library, as `mxe` does.
"""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Optional, Union

import mxe

__all__ = ["MX_FORMATS", "MXSpec", "MXTensor", "MXTensor_", "create_mx_spec", "mx_quantize"]


@dataclasses.dataclass
class MXSpec:
    """An element format, and the bits of its blocks."""

    name: str
    exp_bits: int  #: 0 for integers
    sig_bits: int
    block_size: int = 32
    scale_exp_bits: int = 8
    scale_sig_bits: int = 0  #: counted in sizes, although scales are always powers of two

    @property
    def element_bits(self) -> int:
        return 1 + self.exp_bits + self.sig_bits

    @property
    def total_bits_per_block(self) -> int:
        return self.element_bits * self.block_size + self.scale_exp_bits + self.scale_sig_bits

    @property
    def compression_vs_fp32(self) -> float:
        return 32 * self.block_size / self.total_bits_per_block

    @property
    def compression_vs_fp16(self) -> float:
        return 16 * self.block_size / self.total_bits_per_block

    def quantizer(self) -> mxe.Quantizer:
        """Raises ValueError for formats that MXE does not have."""
        name = self.name.lower()
        if name not in MX_FORMATS:
            name = f"e{self.exp_bits}m{self.sig_bits}" if self.exp_bits else \
                f"int{self.element_bits}"
        return mxe.Quantizer(name, "pychop", block_size=self.block_size,
                             scale_format=f"e{self.scale_exp_bits}m0")


MX_FORMATS = {spec.name.lower(): spec for spec in (
    MXSpec("MXFP8_E5M2", 5, 2), MXSpec("MXFP8_E4M3", 4, 3), MXSpec("MXFP6_E3M2", 3, 2),
    MXSpec("MXFP6_E2M3", 2, 3), MXSpec("MXFP4_E2M1", 2, 1), MXSpec("MXINT8", 0, 7))}

FormatLike = Union[str, MXSpec, tuple[int, int]]


def create_mx_spec(exp_bits: int, sig_bits: int, block_size: int = 32, scale_exp_bits: int = 8,
                   name: Optional[str] = None) -> MXSpec:
    """A format with these numbers of bits, without codes for NaN or infinity."""
    own = f"CUSTOM_MX{1 + exp_bits + sig_bits}_E{exp_bits}M{sig_bits}"
    return MXSpec(own if name is None else name, exp_bits, sig_bits, block_size, scale_exp_bits)


def _spec_of(format: FormatLike, block_size: int, scale_exp_bits: Optional[int],
             scale_sig_bits: Optional[int]) -> MXSpec:
    if isinstance(format, str):
        if format.lower() not in MX_FORMATS:
            raise ValueError(f"unknown format '{format}' (allowed: {', '.join(MX_FORMATS)})")
        spec = dataclasses.replace(MX_FORMATS[format.lower()], block_size=block_size)
    elif isinstance(format, tuple):
        spec = create_mx_spec(*format, block_size)
    elif isinstance(format, MXSpec):
        spec = format
    else:
        raise TypeError(f"a format is a name, a pair (exponent bits, significand bits) or an "
                        f"MXSpec, not {type(format).__name__}")
    given: dict[str, Any] = {"scale_exp_bits": scale_exp_bits,
                             "scale_sig_bits": scale_sig_bits}
    return dataclasses.replace(spec, **{name: value for name, value in given.items()
                                        if value is not None})


class MXTensor_:  # noqa: N801 - a name of pychop
    """An array with blocks that run over it in row-major order.

    data: rounded to float32 first. Raises ValueError for unknown formats, TypeError for other elements.
    """

    def __init__(self, data: Any, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                 scale_exp_bits: Optional[int] = None,
                 scale_sig_bits: Optional[int] = None) -> None:
        self.spec = _spec_of(format, block_size, scale_exp_bits, scale_sig_bits)
        self.scale_exp_bits, self.scale_sig_bits = self.spec.scale_exp_bits, \
            self.spec.scale_sig_bits
        self.array = mxe.quantize(data, self.spec.quantizer())
        # Unlike codes, these keep NaNs of the input.
        self._values = mxe.fake_quantize(data, self.spec.quantizer())
        self.original_shape = self.array.shape

    def dequantize(self) -> Any:
        """The numbers, of the shape and type of the data."""
        return self._values

    def statistics(self) -> dict[str, Any]:
        elements = math.prod(self.original_shape)
        blocks = -(-elements // self.spec.block_size)
        bits = blocks * self.spec.total_bits_per_block
        return {"format": self.spec.name, "exp_bits": self.spec.exp_bits,
                "sig_bits": self.spec.sig_bits, "block_size": self.spec.block_size,
                "scale_exp_bits": self.spec.scale_exp_bits, "original_shape": self.original_shape,
                "num_blocks": blocks, "total_elements": elements,
                "compression_ratio_fp32": elements * 32 / bits,
                "compression_ratio_fp16": elements * 16 / bits,
                "bits_per_element": bits / elements}

    def __repr__(self) -> str:
        return (f"{type(self).__name__}(shape={self.original_shape}, format={self.spec.name}, "
                f"blocks={self.statistics()['num_blocks']})")


MXTensor = MXTensor_


def mx_quantize(data: Any, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                scale_exp_bits: Optional[int] = None, scale_sig_bits: Optional[int] = None) -> Any:
    """The dequantized numbers of an array: `MXTensor_(...).dequantize()`."""
    return MXTensor_(data, format, block_size, scale_exp_bits, scale_sig_bits).dequantize()
