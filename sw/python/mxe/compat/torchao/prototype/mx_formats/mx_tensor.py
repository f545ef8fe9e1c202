# SPDX-License-Identifier: Apache-2.0
"""MXTensor: MX codes and scales as torchao stores them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Union

import torch
from torch import Tensor

import mxe.torch
from mxe.torch import _operators as operators

from ..._layout import _swizzled, pack_uint4, unpack_uint4
from ..._tensor import QuantizedTensor, implements, require
from ...quantization.quantize_.common import KernelPreference, QuantizeTensorKwargs
from .config import MXFP8Dim0CastKernelChoice, ScaleCalculationMode
from .constants import (
    _FORMATS,
    BLOCK_SIZE_DEFAULT,
    DTYPE_FP6_E2M3,
    DTYPE_FP6_E3M2,
    E8M0_EXPONENT_BIAS,
    E8M0_EXPONENT_NAN_VAL,
    SUPPORTED_ELEM_DTYPES,
)

__all__ = ["DTYPE_FP6_E2M3", "DTYPE_FP6_E3M2", "SUPPORTED_ELEM_DTYPES", "MXTensor", "QuantizeTensorToMXKwargs",
           "ScaleCalculationMode", "get_fp_scale", "tensor_size_fp4x2_to_hp", "tensor_size_hp_to_fp4x2", "to_dtype",
           "to_mx"]

_aten = torch.ops.aten
_FP4 = torch.float4_e2m1fn_x2
_FP8 = (torch.float8_e4m3fn, torch.float8_e5m2)
_TORCH_VERSION_AT_LEAST_2_14 = hasattr(torch, "float8_e8m0fnu")  # converts e8m0 to float32


@dataclass
class QuantizeTensorToMXKwargs(QuantizeTensorKwargs):
    """Arguments with which a product quantizes its activations."""

    elem_dtype: Union[torch.dtype, str] = torch.float8_e4m3fn
    block_size: int = 32
    scaling_mode: ScaleCalculationMode = ScaleCalculationMode.FLOOR
    kernel_preference: KernelPreference = KernelPreference.EMULATED
    is_swizzled_scales: bool = False


@torch.compiler.assume_constant_result
def _text(elem_dtype: Any, block_size: int, rule: str = "floor") -> str:
    text: str = mxe.torch.text_of(_FORMATS[elem_dtype], f"torchao-{rule}", block=block_size)
    return text


def _f32_to_e8m0_rceil(value: Tensor) -> Tensor:
    """Codes of powers of two, rounded up; 255 for Inf and NaN. Code 0 is 2^-127, a subnormal of float32."""
    bits = value.to(torch.float32).view(torch.int32)
    exponent, mantissa = torch.bitwise_right_shift(bits, 23) & 0xFF, bits & 0x7FFFFF
    codes = exponent + (mantissa > torch.where(exponent == 0, 0x400000, 0)).to(torch.int32)
    return torch.where(exponent < 255, codes, E8M0_EXPONENT_NAN_VAL).to(torch.uint8)


def _e8m0_scale_to_reciprocal_fp32(scale_e8m0_biased: Tensor) -> Tensor:
    """1 / scale of codes; NaN for 255."""
    codes = (2 * E8M0_EXPONENT_BIAS - scale_e8m0_biased.to(torch.int32)).to(torch.uint8)
    if _TORCH_VERSION_AT_LEAST_2_14:
        return codes.view(torch.float8_e8m0fnu).to(torch.float32)
    bits = torch.bitwise_left_shift(codes.to(torch.int32), 23)
    bits = torch.where(codes == 0, 0x00400000, bits)
    return torch.where(codes == E8M0_EXPONENT_NAN_VAL, 0x7F800001, bits).view(torch.float32)


def _to_mx_rceil(data_hp: Tensor, max_abs: Tensor, max_pos: float) -> tuple[Tensor, Tensor]:
    """Scale codes by the rule rceil, and data_hp / scale."""
    codes = _f32_to_e8m0_rceil(max_abs * (1.0 / max_pos))
    return codes, data_hp * _e8m0_scale_to_reciprocal_fp32(codes)


def _check_operand(data_hp: Tensor, elem_dtype: Any, block_size: int) -> None:
    require(data_hp.dtype in (torch.bfloat16, torch.float32), f"{data_hp.dtype} is not supported yet")
    require(elem_dtype in SUPPORTED_ELEM_DTYPES,
            f"unsupported elem_dtype {elem_dtype} (allowed: {', '.join(map(str, SUPPORTED_ELEM_DTYPES))})")
    require(block_size > 0 and data_hp.dim() > 0 and data_hp.shape[-1] % block_size == 0,
            f"the last dimension of shape {data_hp.shape} must be divisible by block_size {block_size}")
    require(data_hp.is_contiguous(), "data_hp must be contiguous")


def to_mx(data_hp: Tensor, elem_dtype: Union[torch.dtype, str], block_size: int,
          scaling_mode: ScaleCalculationMode = ScaleCalculationMode.FLOOR,
          is_swizzled_scales: bool = False) -> tuple[Tensor, Tensor]:
    """Scales (float8_e8m0fnu) and stored codes of a float32 or bfloat16 tensor, in blocks along its last axis.

    The codes are float8, or bytes: one 6-bit code each, or two 4-bit codes. Raises AssertionError for other operands.
    """
    _check_operand(data_hp, elem_dtype, block_size)
    codes, scales, _ = operators.quantize(data_hp.detach(), _text(elem_dtype, block_size, scaling_mode.value), -1)
    if elem_dtype in _FP8:
        codes = codes.view(elem_dtype)
    elif elem_dtype == _FP4:
        codes = pack_uint4(codes)
    if is_swizzled_scales:
        scales = _swizzled(scales)
    return scales.view(torch.float8_e8m0fnu), codes


def get_fp_scale(scale_e8m0: Tensor) -> Tensor:
    """Scales as float32; NaN for code 255."""
    return scale_e8m0.view(torch.float8_e8m0fnu).to(torch.float32)


def to_dtype(data_lp: Tensor, scale_e8m0: Tensor, elem_dtype: Any, block_size: int, target_dtype: Any) -> Tensor:
    """The numbers of stored codes and scales, which are not swizzled. Both may be transposed matrices."""
    if not data_lp.is_contiguous():
        return to_dtype(data_lp.t(), scale_e8m0.t(), elem_dtype, block_size, target_dtype).t()
    codes = data_lp.view(torch.uint8)
    codes = unpack_uint4(codes) if elem_dtype == _FP4 else codes
    return _values(codes, scale_e8m0.contiguous().view(torch.uint8), elem_dtype, block_size, target_dtype)


def _values(codes: Tensor, scales: Tensor, elem_dtype: Any, block_size: int, dtype: torch.dtype) -> Tensor:
    whole, text = torch.ones(2), _text(elem_dtype, block_size)
    scales = scales.reshape([*codes.shape[:-1], codes.shape[-1] // block_size])
    if dtype in (torch.float32, torch.bfloat16):
        return operators.dequantize(codes, scales, whole, text, -1, dtype)
    # As in torchao, elements and scales have the type, in which scales may overflow.
    ones = torch.full_like(scales, E8M0_EXPONENT_BIAS)
    elements = operators.dequantize(codes, ones, whole, text, -1, torch.float32).to(dtype)
    factors = get_fp_scale(scales).to(dtype).repeat_interleave(block_size, -1)
    return elements * factors


def tensor_size_hp_to_fp4x2(orig_size: Any, is_contiguous: bool) -> list[int]:
    """The shape of packed 4-bit codes; transposed if not contiguous."""
    size = list(orig_size)
    size[_packed_axis(size, is_contiguous)] //= 2
    return size


def tensor_size_fp4x2_to_hp(orig_size: Any, is_contiguous: bool) -> list[int]:
    """The reverse of `tensor_size_hp_to_fp4x2`."""
    size = list(orig_size)
    size[_packed_axis(size, is_contiguous)] *= 2
    return size


def _packed_axis(size: list[int], is_contiguous: bool) -> int:
    if is_contiguous:
        return -1
    require(len(size) in (2, 3), f"transposed codes have 2 or 3 axes, not {len(size)}")
    return -2


class MXTensor(QuantizedTensor):
    """A float32 or bfloat16 tensor quantized in blocks along its last axis, with the attributes of torchao's.

    Products of two MXTensors have the bits of `mxe.matmul` (KernelPreference.AUTO, in bfloat16), or are torch's of
    dequantized numbers (EMULATED). A tensor with act_quant_kwargs quantizes the other operand of a product first.
    """

    tensor_attribute_names = ["elem_dtype", "block_size", "orig_dtype", "kernel_preference", "act_quant_kwargs",
                              "is_swizzled_scales"]
    elem_dtype: Union[torch.dtype, str]
    kernel_preference: Optional[KernelPreference]

    @staticmethod
    def __new__(cls, qdata: Tensor, scale: Tensor, elem_dtype: Any, block_size: Any, orig_dtype: Any,
                kernel_preference: Any, act_quant_kwargs: Any, is_swizzled_scales: Any) -> MXTensor:
        require(elem_dtype in SUPPORTED_ELEM_DTYPES, f"unsupported elem_dtype {elem_dtype}")
        stored = elem_dtype if elem_dtype in _FP8 else torch.uint8
        require(qdata.dtype == stored, f"qdata.dtype must be {stored} for elem_dtype {elem_dtype}, got {qdata.dtype}")
        require(scale.dtype == torch.float8_e8m0fnu,
                f"scale.dtype must be `torch.float8_e8m0fnu`, got {scale.dtype}")
        self: MXTensor = cls._wrapper(qdata, block_size, orig_dtype, elem_dtype == _FP4)
        self.qdata, self.scale, self.elem_dtype, self.block_size = qdata, scale, elem_dtype, block_size
        self.orig_dtype, self.kernel_preference = orig_dtype, kernel_preference
        self.act_quant_kwargs, self.is_swizzled_scales = act_quant_kwargs, is_swizzled_scales
        self._check_scales()
        return self

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()

    @staticmethod
    @torch._dynamo.allow_in_graph
    def to_mx(data_hp: Tensor, elem_dtype: Union[torch.dtype, str], block_size: int = BLOCK_SIZE_DEFAULT,
              scaling_mode: ScaleCalculationMode = ScaleCalculationMode.FLOOR,
              kernel_preference: KernelPreference = KernelPreference.EMULATED,
              act_quant_kwargs: Optional[QuantizeTensorToMXKwargs] = None, is_swizzled_scales: bool = False,
              mxfp8_dim0_cast_kernel_choice: MXFP8Dim0CastKernelChoice = MXFP8Dim0CastKernelChoice.TORCH) -> MXTensor:
        """Quantizes a tensor; operands as in the function `to_mx`. The choice of a kernel has no effect."""
        scales, codes = to_mx(data_hp, elem_dtype, block_size, scaling_mode, is_swizzled_scales)
        return MXTensor(codes, scales, elem_dtype, block_size, data_hp.dtype, kernel_preference, act_quant_kwargs,
                        is_swizzled_scales)

    @staticmethod
    @torch._dynamo.allow_in_graph
    def from_qdata_and_scales(qdata: Tensor, scales: Tensor, orig_dtype: torch.dtype, *,
                              block_size: int = BLOCK_SIZE_DEFAULT,
                              kernel_preference: Optional[KernelPreference] = None,
                              act_quant_kwargs: Optional[QuantizeTensorToMXKwargs] = None,
                              is_swizzled_scales: bool = False) -> MXTensor:
        """A tensor of float8 codes and scales (float8_e8m0fnu), swizzled or not. Bytes need the constructor."""
        require(qdata.dtype != torch.uint8, "from_qdata_and_scales only supports typed MX qdata; "
                "use MXTensor(...) directly for packed uint8 payloads")
        return MXTensor(qdata, scales, qdata.dtype, block_size, orig_dtype, kernel_preference, act_quant_kwargs,
                        is_swizzled_scales)

    def dequantize(self, output_dtype: Optional[torch.dtype] = None) -> Tensor:
        """The numbers; output_dtype: default: that of the tensor that was quantized."""
        scales = self._plain_scales().contiguous().view(torch.uint8)
        dtype = self.dtype if output_dtype is None else output_dtype
        values = _values(self._codes(), scales, self.elem_dtype, self.block_size, dtype)
        return values.transpose(-2, -1) if self._is_transposed() else values

    def _is_packed(self) -> bool:
        return bool(self.elem_dtype == _FP4)

    def _least_axes(self) -> int:
        return 1

    def _require_one_scale(self) -> None:
        """MX has no tensor scale."""

    def _scales_of_expert(self, index: int) -> dict[str, Any]:
        return {}

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return (f"MXTensor: elem_dtype: {self.elem_dtype}, s_e8m0: {self.scale}, d: {self.qdata}, act_quant_kwargs: "
                f"{self.act_quant_kwargs}, is_swizzled_scales={self.is_swizzled_scales}")

    def _quantization_type(self) -> str:
        return (f"{self.elem_dtype=}, {self.block_size=}, {self.orig_dtype=}, {self.kernel_preference=}, "
                f"{self.act_quant_kwargs=}")


def _get_gemm_choice(choice_a: Any, choice_b: Any) -> Any:
    """The kernel preference of a product; both operands' if both have one."""
    require(choice_a is None or choice_b is None or choice_a == choice_b,
            "Both MXTensor inputs must have the same gemm config if specified")
    chosen = choice_a if choice_a is not None else choice_b
    require(chosen is not None, "At least one gemm choice must be specified")
    return chosen


def _addmm_mx_dispatch(a: Tensor, b: MXTensor, aten_op: Any, bias: Optional[Tensor] = None) -> Tensor:
    """a [M, K] @ b [K, N] + bias. Numbers are multiplied by the numbers of b if its blocks do not run along K, as in
    gradients."""
    if not isinstance(a, MXTensor) and not b._is_transposed():
        return aten_op(a, b.dequantize(a.dtype)) if bias is None else aten_op(bias, a, b.dequantize(a.dtype))
    if not isinstance(a, MXTensor):
        kwargs = b.act_quant_kwargs
        require(kwargs is not None, "weight-only quant not yet supported")
        a = MXTensor.to_mx(a, kwargs.elem_dtype, kwargs.block_size, kwargs.scaling_mode, kwargs.kernel_preference,
                           is_swizzled_scales=kwargs.is_swizzled_scales)
    choice = _get_gemm_choice(a.kernel_preference, b.kernel_preference)
    require(not a._is_transposed() and b._is_transposed(),
            "blocks of both operands must run along K: the last axis of a, the one before of b")
    if choice == KernelPreference.EMULATED:
        a_hp, b_hp = a.dequantize(a.orig_dtype), b.dequantize(b.orig_dtype)
        result: Tensor = aten_op(a_hp, b_hp) if bias is None else aten_op(bias, a_hp, b_hp)
        return result
    require(choice == KernelPreference.AUTO, f"{choice} is not implemented (allowed: AUTO and EMULATED)")
    require((a.block_size, b.block_size) == (32, 32), f"AUTO needs blocks of 32, got {a.block_size}, {b.block_size}")
    product = operators.scaled_matmul(a._codes(), a._plain_scales().contiguous().view(torch.uint8), b._codes(),
                                      b._plain_scales().contiguous().view(torch.uint8), _text(a.elem_dtype, 32),
                                      _text(b.elem_dtype, 32), bias)
    return product.to(torch.bfloat16)


@implements(MXTensor, _aten.mm.default, _aten.matmul.default)
def _mm(operator: Any, a: Tensor, b: Any) -> Tensor:
    require(isinstance(b, MXTensor), "the second operand of a product must be an MXTensor")
    return _addmm_mx_dispatch(a, b, _aten.mm.default)


@implements(MXTensor, _aten.addmm.default)
def _addmm(operator: Any, bias: Tensor, a: Tensor, b: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    require(isinstance(b, MXTensor), "the second operand of a product must be an MXTensor")
    require((beta, alpha) == (1, 1), f"addmm of MXTensors needs beta = alpha = 1, got {beta} and {alpha}")
    return _addmm_mx_dispatch(a, b, _aten.addmm.default, bias)


@implements(MXTensor, _aten.linear.default)
def _linear(operator: Any, x: Tensor, weight: Any, bias: Optional[Tensor] = None) -> Tensor:
    require(isinstance(weight, MXTensor), "the weight must be an MXTensor")
    rows = x.reshape(-1, x.shape[-1]) if not isinstance(x, MXTensor) else x.view(-1, x.shape[-1])
    product = _addmm_mx_dispatch(rows, weight.t(), _aten.mm.default if bias is None else _aten.addmm.default, bias)
    return product.view(*x.shape[:-1], product.shape[-1])


@implements(MXTensor, _aten.sum.dim_IntList)
def _sum(operator: Any, x: MXTensor, *arguments: Any, **keywords: Any) -> Tensor:
    total: Tensor = operator(x.dequantize(x.orig_dtype), *arguments, **keywords)
    return total


torch.serialization.add_safe_globals([MXTensor, QuantizeTensorToMXKwargs])
