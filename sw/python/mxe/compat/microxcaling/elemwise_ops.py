# SPDX-License-Identifier: Apache-2.0
"""Rounding of single numbers to narrower floats. None of these functions has a gradient."""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

from mxe import _core
from mxe._autograd import refused
from mxe._namespaces import Source

from .formats import FormatLike, _get_format_params, _get_max_norm, _get_min_norm
from .specs import Specs

ROUNDINGS = ("nearest", "even", "floor")


def checked_rounding(rounding: str) -> str:
    if rounding not in (*ROUNDINGS, "dither"):
        raise ValueError(f"unknown rounding '{rounding}' (allowed: {', '.join(ROUNDINGS)}, dither)")
    return rounding


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


def is_of_core(A: Tensor, custom_cuda: bool) -> bool:
    """True if the C++ reference computes what microxcaling does in the type of A. In bfloat16 and float64 its
    arithmetic is that of the type; its CUDA kernels compute in float32."""
    kinds = (torch.float32, torch.float16, torch.bfloat16) if custom_cuda else (torch.float32, torch.float16)
    return A.dtype in kinds and not A.is_sparse


def _round_mantissa(A: Tensor, bits: int, round: str, clamp: bool = False) -> Tensor:
    """Whole numbers; dither rounds up with the probability of the fraction. clamp: to numbers of these bits."""
    sign, magnitude = torch.sign(A), torch.abs(A)
    checked_rounding(round)
    if round == "nearest":
        found = torch.floor(magnitude + 0.5)
    elif round == "even":
        found = torch.floor(magnitude + 0.5) - ((magnitude - 0.5) % 2 == 0).to(A.dtype)
    else:
        found = torch.floor(magnitude + (torch.rand_like(A) if round == "dither" else 0))
    found = sign * found
    largest = 2 ** (bits - 1) - 1
    return found.clamp(-largest, largest) if clamp else found


def _quantize_elemwise_core(A: Tensor, bits: int, exp_bits: int, max_norm: float, round: str = "nearest",
                            saturate_normals: bool = False, allow_denorm: bool = True,
                            custom_cuda: bool = False) -> Tensor:
    """A rounded to a float (exp_bits 0: to a fixed-point number) of `bits` mantissa bits, with sign and implicit
    one, in the arithmetic of its type. Numbers above max_norm become infinite, or max_norm if saturate_normals."""
    checked_rounding(round)
    if A.is_sparse:
        one = A.coalesce()
        values = _quantize_elemwise_core(one.values(), bits, exp_bits, max_norm, round, saturate_normals, allow_denorm,
                                         custom_cuda)
        return torch.sparse_coo_tensor(one.indices(), values, one.size())
    if is_of_core(A, custom_cuda) and exp_bits in (5, 8) and not saturate_normals and round != "dither" and \
            max_norm == _get_max_norm(exp_bits, bits):
        return _round_elements(A, exp_bits, bits - 2, round, allow_denorm, not custom_cuda).to(A.dtype)
    if A.requires_grad and torch.is_grad_enabled():
        found = _quantize_elemwise_core(A.detach(), bits, exp_bits, max_norm, round, saturate_normals, allow_denorm,
                                        custom_cuda)
        return refused(found, "rounding of single numbers has no gradient", A)
    if custom_cuda and A.dtype == torch.bfloat16 and round != "dither":
        return _quantize_elemwise_core(A.float(), bits, exp_bits, max_norm, round, saturate_normals, allow_denorm,
                                       custom_cuda).to(A.dtype)
    x = A
    if exp_bits and not allow_denorm:
        x = (torch.abs(A) >= _get_min_norm(exp_bits)).to(A.dtype) * A
    if exp_bits:
        magnitude = torch.abs(A) + (A == 0).to(A.dtype)
        exponent = (torch.frexp(magnitude)[1] - 1).to(A.dtype) if custom_cuda else torch.floor(torch.log2(magnitude))
        power = 2 ** exponent.clamp(min=2 - 2 ** (exp_bits - 1))
        x = _round_mantissa(x / power * 2 ** (bits - 2), bits, round) / 2 ** (bits - 2) * power
    else:
        x = _round_mantissa(x * 2 ** (bits - 2), bits, round) / 2 ** (bits - 2)
    if saturate_normals or not exp_bits:
        x = x.clamp(-max_norm, max_norm)
    else:
        x = torch.where(torch.abs(x) > max_norm, torch.sign(x) * float("inf"), x)
    return torch.where(A.isinf(), A, x)


def _quantize_elemwise(A: Tensor, elem_format: Optional[FormatLike], round: str = "nearest", custom_cuda: bool = False,
                       saturate_normals: bool = False, allow_denorm: bool = True) -> Tensor:
    """A rounded to an element format, without scales; A if elem_format is None."""
    if elem_format is None:
        return A
    ebits, mbits, _, largest, _ = _get_format_params(elem_format)
    return _quantize_elemwise_core(A, mbits, ebits, largest, round, saturate_normals, allow_denorm, custom_cuda)


def _quantize_bfloat(A: Tensor, bfloat: int, round: str = "nearest", custom_cuda: bool = False,
                     allow_denorm: bool = True) -> Tensor:
    """A rounded to a float of 8 exponent bits, `bfloat` bits in all; A if that is 0 or 32."""
    if bfloat in (0, 32):
        return A
    return _quantize_elemwise_core(A, bfloat - 7, 8, _get_max_norm(8, bfloat - 7), round, False, allow_denorm,
                                   custom_cuda)


def _quantize_fp(A: Tensor, exp_bits: Optional[int] = None, mantissa_bits: Optional[int] = None,
                 round: str = "nearest", custom_cuda: bool = False, allow_denorm: bool = True) -> Tensor:
    """A rounded to a float with codes for NaN and infinity; A if a number of bits is None."""
    if exp_bits is None or mantissa_bits is None:
        return A
    return _quantize_elemwise_core(A, mantissa_bits + 2, exp_bits, _get_max_norm(exp_bits, mantissa_bits + 2), round,
                                   False, allow_denorm, custom_cuda)


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
    rounding = checked_rounding(mx_specs["round"] if round is None else round)
    subnormals, cuda = mx_specs["bfloat_subnorms"], mx_specs["custom_cuda"]
    if bfloat:
        return _quantize_bfloat(A, bfloat, rounding, cuda, subnormals)
    return _quantize_fp(A, 5, fp - 6, rounding, cuda, subnormals) if fp else A
