# SPDX-License-Identifier: Apache-2.0
"""Quantizing to MX formats. The gradient of each function is the identity."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Optional, Union

import torch
from torch import Tensor
from torch.nn.functional import pad

import mxe
from mxe._autograd import straight_through
from mxe.torch import _transforms as transforms
from mxe.torch import text_of

from .elemwise_ops import ROUNDINGS, _quantize_elemwise_core, checked_rounding, is_of_core
from .formats import FP32_EXPONENT_BIAS, FP32_MIN_NORMAL, ElemFormat, FormatLike, _get_format_params, format_of
from .specs import Specs

_FORMATS = {ElemFormat.int8: "mxint8", ElemFormat.int4: "int4", ElemFormat.int2: "int2",
            ElemFormat.fp8_e5m2: "mxfp8_e5m2", ElemFormat.fp8_e4m3: "mxfp8_e4m3", ElemFormat.fp6_e3m2: "mxfp6_e3m2",
            ElemFormat.fp6_e2m3: "mxfp6_e2m3", ElemFormat.fp4: "mxfp4_e2m1"}


@torch.compiler.assume_constant_result
def _quantizer(format: str, rounding: str, block: int, scale_bits: int, flush: bool,
               cuda: bool) -> str:
    preset = f"microxcaling-{'cuda-' if cuda else ''}{rounding}"
    quantizer = mxe.Quantizer(format, preset, block_size=block, scale_format=f"e{scale_bits}m0",
                              flush_subnormal_blocks=flush)
    text: str = text_of(quantizer)
    return text


def _shared_exponents(A: Tensor, method: str = "max", axes: Optional[Sequence[int]] = None, ebits: int = 0) -> Tensor:
    """The exponents of the largest magnitudes along `axes`, of the whole tensor (None), or of each number (method
    none). ebits: of the type of the exponents; larger ones become NaN."""
    magnitude = torch.abs(A)
    if method == "max":
        magnitude = magnitude.amax() if axes is None else magnitude.amax(dim=tuple(axes), keepdim=True)
    elif method != "none":
        raise ValueError(f"unknown shared_exp_method '{method}' (allowed: max, none)")
    exponent = torch.floor(torch.log2(magnitude + FP32_MIN_NORMAL * (magnitude == 0).to(A.dtype)))
    return _limited(exponent, 2 ** (ebits - 1) - 1) if ebits > 0 else exponent


def _limited(exponent: Tensor, largest: int) -> Tensor:
    return torch.where(exponent > largest, float("nan"), exponent.clamp(min=-largest))


def _in_type(A: Tensor, scale_bits: int, fmt: ElemFormat, method: str, axes: Optional[list[int]], block_size: int,
             round: str, flush: bool, cuda: bool) -> Tensor:
    """In the arithmetic of A's type, with blocks along any number of axes."""
    ebits, mbits, emax, largest, _ = _get_format_params(fmt)
    x, shared = A, axes
    if block_size and axes is not None:
        shared = []
        for count, axis in enumerate(sorted(axes)):
            at = axis + count
            x = pad(x, [0, 0] * (x.dim() - 1 - at) + [0, -x.shape[at] % block_size]).unflatten(at, (-1, block_size))
            shared.append(at + 1)
    exponent = _shared_exponents(x, method, shared)
    if flush:
        x = x * (exponent > -FP32_EXPONENT_BIAS).to(x.dtype)
    scale = 2 ** _limited(exponent - emax, 2 ** (scale_bits - 1) - 1)
    x = _quantize_elemwise_core(x / scale, mbits, ebits, largest, round, True, True, cuda) * scale
    if block_size and axes is not None:
        for axis in sorted(axes):
            x = x.flatten(axis, axis + 1).narrow(axis, 0, A.shape[axis])
    return x


def _quantize_mx(A: Tensor, scale_bits: int, elem_format: Optional[FormatLike], shared_exp_method: str = "max",
                 axes: Union[int, Sequence[int], None] = None, block_size: int = 0, round: str = "nearest",
                 flush_fp32_subnorms: bool = False, custom_cuda: bool = False) -> Tensor:
    """A quantized and dequantized; A if elem_format is None. block_size 0: whole axes share scales.

    Raises ValueError for unknown names, and blocks without an axis.
    """
    if elem_format is None:
        return A
    fmt = format_of(elem_format)
    checked_rounding(round)
    if scale_bits < 1:
        raise ValueError(f"scale_bits must be at least 1, not {scale_bits}")
    if axes is None and block_size:
        raise ValueError("blocks need axes to run along")
    along = None if axes is None else [axis % max(A.dim(), 1) for axis in ([axes] if isinstance(axes, int) else axes)]
    if A.numel() == 0:
        return A
    if along is not None and len(along) == 1 and is_of_core(A, custom_cuda) and fmt in _FORMATS and \
            round in ROUNDINGS and shared_exp_method == "max" and 2 <= scale_bits <= 8:
        size = block_size or max(A.shape[along[0]], 1)
        text = _quantizer(_FORMATS[fmt], round, size, scale_bits, flush_fp32_subnorms, custom_cuda)
        return transforms.fake_quantize(A, text, along[0])
    found = _in_type(A.detach(), scale_bits, fmt, shared_exp_method, along, block_size, round, flush_fp32_subnorms,
                     custom_cuda)
    return straight_through(A, found) if A.requires_grad and torch.is_grad_enabled() else found


def quantize_mx_op(A: Tensor, mx_specs: Specs, elem_format: Optional[FormatLike] = None,
                   block_size: Optional[int] = None, axes: Union[int, Sequence[int], None] = None,
                   round: str = "nearest", expand_and_reshape: bool = False) -> Tensor:
    """A quantized to an MX format along `axes` and dequantized; A if elem_format is None.

    block_size 0: the whole axis shares a scale. Raises ValueError for unknown names and blocks without an axis.
    """
    if elem_format is None:
        return A
    return _quantize_mx(A, mx_specs["scale_bits"] or 8, elem_format, mx_specs["shared_exp_method"], axes,
                        mx_specs["block_size"] if block_size is None else block_size, round,
                        mx_specs["mx_flush_fp32_subnorms"], mx_specs["custom_cuda"])


def to_mx(x: Tensor, specs: Specs, format: Optional[str], axis: int, rounding: str) -> Tensor:
    """quantize_mx_op with the rounding that `specs` has under the name `rounding`."""
    return quantize_mx_op(x, specs, elem_format=format, axes=[axis], round=specs[rounding])
