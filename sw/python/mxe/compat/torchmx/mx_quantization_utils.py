# SPDX-License-Identifier: Apache-2.0
"""The steps of torchmx's quantization, one function each. `MXTensor` does not use them."""
from __future__ import annotations

import functools
from typing import Any, Optional, Union

import numpy as np
import torch
from torch import Tensor

import mxe

from . import dtypes
from .utils import pack_uint4, unpack_uint4


def n_ones(n: int) -> int:
    """The number with n ones in binary."""
    return (1 << n) - 1


def _parts(x: Tensor, dtype: torch.dtype, mantissa_bits: int, exponent_bits: int) -> tuple[Tensor, Tensor, Tensor]:
    bits = x.view(dtype)
    return ((bits < 0).to(dtype), bits >> mantissa_bits & n_ones(exponent_bits), bits & n_ones(mantissa_bits))


def _expect(x: Tensor, dtype: torch.dtype) -> None:
    if x.dtype != dtype:
        raise AssertionError(f"the elements must be {dtype}, but are {x.dtype}")


def unpack_bfloat16(x: Tensor, dtype: torch.dtype = torch.uint8) -> tuple[Tensor, Tensor, Tensor]:
    """Sign, biased exponent and mantissa bits."""
    _expect(x, torch.bfloat16)
    sign, exponent, mantissa = _parts(x, torch.int16, 7, 8)
    return sign.to(dtype), exponent.to(dtype), mantissa.to(dtype)


def unpack_fp32(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Sign (uint8), biased exponent (uint8) and mantissa bits (int32)."""
    _expect(x, torch.float32)
    sign, exponent, mantissa = _parts(x, torch.int32, 23, 8)
    return sign.to(torch.uint8), exponent.to(torch.uint8), mantissa


def unpack_fp64(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Sign (uint8), biased exponent (int16) and mantissa bits (int64)."""
    _expect(x, torch.float64)
    sign, exponent, mantissa = _parts(x, torch.int64, 52, 11)
    return sign.to(torch.uint8), exponent.to(torch.int16), mantissa


def round_to_even(mantissa: Tensor, mantissa_shift: Union[Tensor, int]) -> Tensor:
    """mantissa / 2**mantissa_shift, rounded to the nearest whole number, ties to even."""
    shift = torch.as_tensor(mantissa_shift, dtype=mantissa.dtype)
    kept = mantissa >> shift
    rest, half = mantissa - (kept << shift), (torch.ones_like(shift) << shift) >> 1
    up = (rest > half) | ((rest == half) & (half > 0) & (kept % 2 == 1))
    return kept + up.to(kept.dtype)


def leading_one_position(mantissa: Tensor, mantissa_size: int = 7) -> Tensor:
    """The position of the highest one among the lowest `mantissa_size` bits; -1 if there is none."""
    bits = mantissa.to(torch.int64) & n_ones(mantissa_size)
    return torch.where(bits == 0, -1, torch.frexp(bits.to(torch.float64))[1] - 1).to(mantissa.dtype)


def get_fp_scale(shared_exp_e8m0: Tensor) -> Tensor:
    """The scales as float32 numbers."""
    exponent = shared_exp_e8m0.to(torch.int32) - dtypes.e8m0.exponent_bias
    power = torch.ldexp(torch.ones_like(exponent, dtype=torch.float32), exponent)
    return torch.where(shared_exp_e8m0 == dtypes.E8M0_EXPONENT_NAN_VAL, float("nan"), power)


def get_e8m0_shared_exponent(data_hp: Tensor, elem_dtype: dtypes.DType) -> Tensor:
    """The codes of the scales of blocks along the last axis, bfloat16 or float32."""
    if data_hp.dtype not in (torch.bfloat16, torch.float32) or elem_dtype not in dtypes.SUPPORTED_ELEM_DTYPES:
        raise AssertionError(f"no scales of {elem_dtype} for {data_hp.dtype}")
    half = data_hp.dtype == torch.bfloat16
    _, exponent, _ = _parts(data_hp, torch.int16 if half else torch.int32, 7 if half else 23, 8)
    largest = exponent.amax(dim=-1)
    scale = (largest - elem_dtype.max_pow2).clamp(0, 254)
    return torch.where(largest == 255, dtypes.E8M0_EXPONENT_NAN_VAL, scale).to(torch.uint8)


@functools.lru_cache(maxsize=8)
def _values(elem_dtype: dtypes.DType) -> Tensor:
    """The numbers of all codes [2**bits]."""
    codes = np.arange(1 << mxe.Format(elem_dtype.format).bits).astype(np.uint8)
    scales = np.full(-(-codes.size // 32), dtypes.e8m0.exponent_bias, np.uint8)
    numbers: Any = mxe.Array.from_codes(codes, scales, elem_dtype.format).dequantize()
    return torch.from_numpy(numbers)


def dequantize_to_dtype(data_lp: Tensor, elem_dtype: dtypes.DType, target_dtype: torch.dtype, packing_dim: int = -1,
                        is_packed_fp4: bool = True) -> Tensor:
    """The numbers of codes (uint8), without scales."""
    if elem_dtype not in dtypes.SUPPORTED_FP_ELEM_DTYPES:
        raise AssertionError(f"unsupported type {elem_dtype} (allowed: {dtypes.SUPPORTED_FP_ELEM_DTYPES})")
    _expect(data_lp, torch.uint8)
    if is_packed_fp4 and elem_dtype == dtypes.float4_e2m1:
        data_lp = unpack_uint4(data_lp, packing_dim)
    return _values(elem_dtype)[data_lp.to(torch.int64)].to(target_dtype)


def _encoded(data_hp: Tensor, elem_dtype: dtypes.DType, shared_exponent: Tensor,
             orig_shape: Optional[torch.Size]) -> Tensor:
    scale = get_fp_scale(shared_exponent).to(torch.float64)
    x = (data_hp.to(torch.float64) / scale).clamp(-elem_dtype.max, elem_dtype.max).nan_to_num(0.0)
    if orig_shape is not None:
        x = x.reshape(orig_shape)
    if elem_dtype == dtypes.int8:
        return torch.round(x).to(torch.int8)
    values = _values(elem_dtype).to(torch.float64)
    ladder = values[:len(values) // 2]
    ladder = ladder[ladder.isfinite()]
    middles = (ladder[1:] + ladder[:-1]) / 2
    magnitude = x.abs()
    code = torch.bucketize(magnitude, middles)  # ties: the lower code
    above = torch.bucketize(magnitude, middles, right=True)
    code = torch.where((above != code) & (code % 2 == 1), above, code)
    sign = torch.signbit(x).to(torch.int64) << (elem_dtype.exponent_bits + elem_dtype.mantissa_bits)
    codes = (code | sign).to(torch.uint8)
    return pack_uint4(codes) if elem_dtype == dtypes.float4_e2m1 else codes


def quantize_mx_with_e8m0_shared_exponent_hw_exact(
        data_hp: Tensor, elem_dtype: dtypes.DType, shared_exponent: Tensor,
        orig_shape: Optional[torch.Size] = None) -> Tensor:
    """Stored codes of bfloat16 numbers for scales that broadcast with them."""
    _expect(data_hp, torch.bfloat16)
    _expect(shared_exponent, torch.uint8)
    if elem_dtype not in dtypes.SUPPORTED_FP_ELEM_DTYPES:
        raise AssertionError(f"unsupported type {elem_dtype} (allowed: {dtypes.SUPPORTED_FP_ELEM_DTYPES})")
    return _encoded(data_hp, elem_dtype, shared_exponent, orig_shape)


def quantize_mx_with_e8m0_shared_exponent_simulated(
        data_hp: Tensor, elem_dtype: dtypes.DType, shared_exponent: Tensor,
        orig_shape: Optional[torch.Size] = None) -> Tensor:
    """The same for bfloat16 and float32, and for int8."""
    if elem_dtype not in dtypes.SUPPORTED_ELEM_DTYPES:
        raise AssertionError(f"unsupported type {elem_dtype} (allowed: {dtypes.SUPPORTED_ELEM_DTYPES})")
    return _encoded(data_hp, elem_dtype, shared_exponent, orig_shape)
