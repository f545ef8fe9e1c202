# SPDX-License-Identifier: Apache-2.0
"""Quantizing by mx_specs: to an MX format, or to a narrower float without scales."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import torch
from torch import Tensor

from mxe import _core
from mxe._namespaces import Source
from mxe.torch import _transforms as transforms
from mxe.torch import text_of

from .specs import Specs

_FORMATS = {"int8": "mxint8", "int4": "int4", "int2": "int2", "fp8_e5m2": "mxfp8_e5m2",
            "fp8_e4m3": "mxfp8_e4m3", "fp6_e3m2": "mxfp6_e3m2", "fp6_e2m3": "mxfp6_e2m3",
            "fp4": "mxfp4_e2m1", "fp4_e2m1": "mxfp4_e2m1"}
_ROUNDINGS = ("nearest", "even", "floor")


def _checked_rounding(rounding: str) -> str:
    if rounding not in _ROUNDINGS:
        raise ValueError(f"unknown rounding '{rounding}' (allowed: {', '.join(_ROUNDINGS)})")
    return rounding


@torch.compiler.assume_constant_result
def _quantizer(format: str, rounding: str, block: int, scale_bits: int, flush: bool,
               cuda: bool) -> str:
    if format.lower() not in _FORMATS:
        raise ValueError(f"unknown element format '{format}' (allowed: {', '.join(_FORMATS)})")
    import mxe
    preset = f"microxcaling-{'cuda-' if cuda else ''}{_checked_rounding(rounding)}"
    quantizer = mxe.Quantizer(_FORMATS[format.lower()], preset, block_size=block,
                              scale_format=f"e{scale_bits}m0", flush_subnormal_blocks=flush)
    text: str = text_of(quantizer)
    return text


def quantize_mx_op(A: Tensor, mx_specs: Specs, elem_format: Optional[str] = None,
                   block_size: Optional[int] = None, axes: Optional[Sequence[int]] = None,
                   round: str = "nearest", expand_and_reshape: bool = False) -> Tensor:
    """A quantized to an MX format along one axis and dequantized; A if elem_format is None.

    block_size 0: the whole axis shares a scale. Raises ValueError for unknown names, several axes and the
    shared_exp_method none.
    """
    if elem_format is None:
        return A
    if mx_specs["shared_exp_method"] != "max":
        raise ValueError("shared_exp_method can only be max")
    if axes is None or len(axes) != 1:
        raise ValueError("blocks run along one axis")
    axis = axes[0]
    size = mx_specs["block_size"] if block_size is None else block_size
    quantizer = _quantizer(elem_format, round, size or max(A.shape[axis], 1),
                           mx_specs["scale_bits"] or 8, mx_specs["mx_flush_fp32_subnorms"],
                           mx_specs["custom_cuda"])
    return transforms.fake_quantize(A, quantizer, axis)


@torch.library.custom_op("mxe::round_elements", mutates_args=())
def _round_elements(x: Tensor, exponent_bits: int, mantissa_bits: int, rounding: str,
                    subnormals: bool, float32_steps: bool) -> Tensor:
    source = Source(x)
    return torch.from_numpy(_core.round_elements(source.array, source.bits, exponent_bits,
                                                 mantissa_bits, rounding, subnormals,
                                                 float32_steps))


@_round_elements.register_fake
def _(x: Tensor, exponent_bits: int, mantissa_bits: int, rounding: str, subnormals: bool,
      float32_steps: bool) -> Tensor:
    return x.new_empty(x.shape, dtype=torch.float32)


def quantize_elemwise_op(A: Tensor, mx_specs: Optional[Specs],
                         round: Optional[str] = None) -> Tensor:
    """A rounded to a float of `bfloat` bits (8 for the exponent) or `fp` bits (5), if one is set:
    bfloat=16 has 7 mantissa bits, fp=16 has 10; bfloat=32 keeps A. Has no gradient. Raises ValueError if
    both are set, for bfloat up to 9 and fp up to 6."""
    if mx_specs is None:
        return A
    bfloat, fp = mx_specs["bfloat"], mx_specs["fp"]
    if bfloat and fp:
        raise ValueError("only one of bfloat and fp can be set")
    if 0 < bfloat <= 9 or 0 < fp <= 6:
        raise ValueError("bfloat must be more than 9, fp more than 6")
    if not fp and bfloat in (0, 32):
        return A
    rounding = _checked_rounding(mx_specs["round"] if round is None else round)
    shape = (8, bfloat - 9) if bfloat else (5, fp - 6)
    return _round_elements(A, *shape, rounding, mx_specs["bfloat_subnorms"],
                           not mx_specs["custom_cuda"]).to(A.dtype)


def to_mx(x: Tensor, specs: Specs, format: Optional[str], axis: int, rounding: str) -> Tensor:
    """quantize_mx_op with the rounding that `specs` has under the name `rounding`."""
    return quantize_mx_op(x, specs, elem_format=format, axes=[axis], round=specs[rounding])
