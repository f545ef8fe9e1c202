# SPDX-License-Identifier: Apache-2.0
"""NVFP4Tensor: NVFP4 codes and scales as torchao stores them."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch import Tensor

from mxe.torch import _operators as operators

from ..._layout import _swizzled, pack_uint4, unpack_uint4
from ..._operators import quantize_nvfp4
from ..._tensor import QuantizedTensor, implements, require
from ...quantization.quantize_.common import QuantizeTensorKwargs
from .constants import F4_E2M1_MAX, F8E4M3_MAX

__all__ = ["E4M3_EPS", "NVFP4Tensor", "QuantizeTensorToNVFP4Kwargs", "nvfp4_quantize", "pack_uint4",
           "per_tensor_amax_to_scale", "unpack_uint4"]

E4M3_EPS = torch.finfo(torch.float8_e4m3fn).tiny

_aten = torch.ops.aten
_PLAIN = "nvfp4:nvfp4-torchao1"  # without a tensor scale
_TWO_LEVELS = "nvfp4:nvfp4-torchao2"


@dataclass
class QuantizeTensorToNVFP4Kwargs(QuantizeTensorKwargs):
    """Arguments with which a product quantizes its activations."""

    block_size: int = 16
    is_swizzled_scales: bool = False
    use_triton_kernel: bool = False
    use_dynamic_per_tensor_scale: bool = False


def per_tensor_amax_to_scale(amax: Tensor) -> Tensor:
    """The tensor scale amax / (448 * 6), float32."""
    return amax.to(torch.float32) / (F8E4M3_MAX * F4_E2M1_MAX)


def _check_operand(data_hp: Tensor, block_size: int, scale: Optional[Tensor]) -> None:
    require(data_hp.dtype in (torch.bfloat16, torch.float32), f"{data_hp.dtype} not supported")
    require(block_size == 16, f"NVFP4 requires block_size=16, got {block_size}")
    require(data_hp.dim() > 0 and data_hp.shape[-1] % 16 == 0, "K dim must be divisible by block_size")
    require(data_hp.is_contiguous(), "Only support contiguous data for now")
    if scale is not None and scale.dim():
        require(data_hp.dim() == 3 and list(scale.shape) == [data_hp.shape[0], 1, 1],
                f"per-expert scales must be [{data_hp.shape[0]}, 1, 1] for data of 3 axes, but are {list(scale.shape)} "
                f"for {data_hp.dim()} axes")


def nvfp4_quantize(data_hp: Tensor, block_size: int = 16,
                   per_tensor_scale: Optional[Tensor] = None) -> tuple[Tensor, Tensor]:
    """Block scales (float8_e4m3fn) and packed codes of a float32 or bfloat16 tensor.

    per_tensor_scale: of the whole tensor, or [E, 1, 1] for experts [E, M, K]. Raises AssertionError for other operands,
    and ValueError for a scale below 0.
    """
    _check_operand(data_hp, block_size, per_tensor_scale)
    codes, scales = quantize_nvfp4(data_hp.detach(), per_tensor_scale)
    return scales.view(torch.float8_e4m3fn), pack_uint4(codes)


class NVFP4Tensor(QuantizedTensor):
    """A float32 or bfloat16 tensor of two or three axes in NVFP4, with the attributes of torchao's.

    Products of two NVFP4Tensors have the bits of `mxe.matmul`, in the type of the first operand; then the tensor scales
    multiply them, as in torchao. A weight without act_quant_kwargs is dequantized first.
    """

    tensor_attribute_names = ["block_size", "orig_dtype"]
    optional_tensor_data_names = ["per_tensor_scale", "act_per_tensor_scale"]
    optional_tensor_attribute_names = ["is_swizzled_scales", "use_triton_kernel", "act_quant_kwargs"]
    per_tensor_scale: Optional[Tensor]
    act_per_tensor_scale: Optional[Tensor]
    use_triton_kernel: bool

    @staticmethod
    def __new__(cls, qdata: Tensor, scale: Tensor, block_size: Any, orig_dtype: Any, per_tensor_scale: Any = None,
                act_per_tensor_scale: Any = None, is_swizzled_scales: Any = False, use_triton_kernel: Any = False,
                act_quant_kwargs: Any = None) -> NVFP4Tensor:
        require(qdata.dtype in (torch.uint8, torch.float4_e2m1fn_x2) and qdata.dim() > 1,
                f"qdata must be uint8 of two axes or more, got {qdata.dtype} of {qdata.dim()}")
        require(scale.dtype == torch.float8_e4m3fn, f"scale.dtype must be `torch.float8_e4m3fn`, got {scale.dtype}")
        if per_tensor_scale is not None:
            require(per_tensor_scale.dim() == 0 or (qdata.dim() == 3 and list(per_tensor_scale.shape) ==
                                                    [qdata.shape[0], 1, 1]),
                    f"per_tensor_scale must be one number, or one for each expert, [E, 1, 1], got "
                    f"{list(per_tensor_scale.shape)} for qdata {list(qdata.shape)}")
        self: NVFP4Tensor = cls._wrapper(qdata, block_size, orig_dtype, True)
        self.qdata, self.scale, self.block_size, self.orig_dtype = qdata, scale, block_size, orig_dtype
        self.per_tensor_scale, self.act_per_tensor_scale = per_tensor_scale, act_per_tensor_scale
        self.is_swizzled_scales, self.use_triton_kernel = is_swizzled_scales, use_triton_kernel
        self.act_quant_kwargs = act_quant_kwargs
        self._check_scales()
        return self

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()

    @staticmethod
    def to_nvfp4(data_hp: Tensor, block_size: int = 16, per_tensor_scale: Optional[Tensor] = None,
                 act_per_tensor_scale: Optional[Tensor] = None, is_swizzled_scales: bool = False,
                 use_triton_kernel: bool = False,
                 act_quant_kwargs: Optional[QuantizeTensorToNVFP4Kwargs] = None) -> NVFP4Tensor:
        """Quantizes a tensor of two or three axes; operands as in `nvfp4_quantize`. use_triton_kernel changes no
        number, but needs swizzled scales, as in torchao."""
        require(data_hp.dim() in (2, 3), f"NVFP4Tensor has 2 or 3 axes, not {data_hp.dim()}")
        require(is_swizzled_scales or not use_triton_kernel, "Triton kernel only supports swizzled scales")
        scales, qdata = nvfp4_quantize(data_hp, block_size, per_tensor_scale)
        return NVFP4Tensor(qdata, _swizzled(scales) if is_swizzled_scales else scales, block_size, data_hp.dtype,
                           per_tensor_scale, act_per_tensor_scale, is_swizzled_scales, use_triton_kernel,
                           act_quant_kwargs)

    def dequantize(self, output_dtype: Optional[torch.dtype] = None) -> Tensor:
        """The numbers; output_dtype: default: that of the tensor that was quantized."""
        codes, scales = self._codes(), self._plain_scales().contiguous().view(torch.uint8)
        whole = self.per_tensor_scale
        if whole is not None and whole.dim():
            values = torch.stack([_values(*one) for one in zip(codes, scales, whole.reshape(-1))])
        else:
            values = _values(codes, scales, whole)
        values = values.to(self.dtype if output_dtype is None else output_dtype)
        return values.transpose(-2, -1) if self._is_transposed() else values

    def get_hp_scales(self) -> Tensor:
        """Block scales times tensor scale, float32 [..., rows, blocks]."""
        scales = self._plain_scales().to(torch.float32)
        return scales if self.per_tensor_scale is None else self.per_tensor_scale * scales

    def _least_axes(self) -> int:
        return 2

    def _require_one_scale(self) -> None:
        require(self.per_tensor_scale is None or self.per_tensor_scale.dim() == 0,
                "per-expert scale not supported in this codepath")

    def _scales_of_expert(self, index: int) -> dict[str, Any]:
        whole = self.per_tensor_scale
        return {"per_tensor_scale": whole if whole is None or whole.dim() == 0 else whole[index].reshape(())}

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return (f"NVFP4Tensor: scale: {self.scale}, per_tensor_scale: {self.per_tensor_scale}, d: {self.qdata}, d_hp: "
                f"{self.dequantize(self.orig_dtype)}")

    def _quantization_type(self) -> str:
        return f"{self.is_swizzled_scales=}, {self.use_triton_kernel=}, {self.act_quant_kwargs=}"


def _values(codes: Tensor, scales: Tensor, whole: Optional[Tensor]) -> Tensor:
    scales = torch.where(scales == 255, 127, scales)  # NaN of either sign
    if whole is None:
        return operators.dequantize(codes, scales, torch.ones(2), _PLAIN, -1, torch.float32)
    factors = torch.stack([whole, torch.ones_like(whole)]).to(torch.float32)
    return operators.dequantize(codes, scales, factors, _TWO_LEVELS, -1, torch.float32)


def _activation(x: Tensor, weight: NVFP4Tensor) -> NVFP4Tensor:
    """x quantized for a weight with act_quant_kwargs, unless it is quantized already."""
    if isinstance(x, NVFP4Tensor):
        return x
    kwargs = weight.act_quant_kwargs
    scale = weight.act_per_tensor_scale
    if kwargs.use_dynamic_per_tensor_scale:
        scale = per_tensor_amax_to_scale(torch.max(torch.abs(x)))
    return NVFP4Tensor.to_nvfp4(x.contiguous(), kwargs.block_size, scale, is_swizzled_scales=kwargs.is_swizzled_scales,
                                use_triton_kernel=kwargs.use_triton_kernel)


def _addmm_nvfp4_dispatch(a: NVFP4Tensor, b: NVFP4Tensor, aten_op: Any, bias: Optional[Tensor] = None) -> Tensor:
    """a [M, K] @ b [K, N], then times the tensor scales, in the type of a. With a tensor scale, or in float32, bias is
    added last, else before rounding to the type."""
    require(a.dim() == 2 and b.dim() == 2 and not a._is_transposed() and b._is_transposed(),
            "blocks of both matrices must run along K: the last axis of a, the one before of b")
    a._require_one_scale()
    b._require_one_scale()
    scales = [one.per_tensor_scale for one in (a, b) if one.per_tensor_scale is not None]
    is_last = bias is not None and bool(scales or a.orig_dtype == torch.float32)
    parts = [part for one in (a, b) for part in (one._codes(), one._plain_scales().contiguous().view(torch.uint8))]
    result: Tensor = operators.scaled_matmul(*parts, _PLAIN, _PLAIN, None if is_last else bias).to(a.orig_dtype)
    if scales:
        result = result * (scales[0] if len(scales) == 1 else scales[0] * scales[1]).to(a.orig_dtype)
    return result + bias.to(a.orig_dtype) if bias is not None and is_last else result


def _numbers(x: Tensor) -> Tensor:
    return x.dequantize(x.orig_dtype) if isinstance(x, NVFP4Tensor) else x


def _product(x: Tensor, weight: Any, bias: Optional[Tensor]) -> Tensor:
    """x [M, K] @ weight [K, N] + bias. Numbers are multiplied by the numbers of a weight whose blocks do not run along
    K, as in gradients."""
    if not isinstance(weight, NVFP4Tensor):
        raise NotImplementedError("NVFP4Tensor: weight must be NVFP4Tensor")
    weight._require_one_scale()
    if weight.act_quant_kwargs is not None and (weight._is_transposed() or isinstance(x, NVFP4Tensor)):
        return _addmm_nvfp4_dispatch(_activation(x, weight), weight, None, bias)
    a = _numbers(x)
    b = weight.dequantize(a.dtype if weight.act_quant_kwargs is not None else weight.orig_dtype)
    return torch.mm(a, b) if bias is None else torch.addmm(bias, a, b)


@implements(NVFP4Tensor, _aten.mm.default, _aten.matmul.default)
def _mm(operator: Any, x: Tensor, weight: Any) -> Tensor:
    return _product(x, weight, None)


@implements(NVFP4Tensor, _aten.addmm.default)
def _addmm(operator: Any, bias: Tensor, x: Tensor, weight: Any, *, beta: float = 1, alpha: float = 1) -> Tensor:
    require((beta, alpha) == (1, 1), f"addmm of NVFP4Tensors needs beta = alpha = 1, got {beta} and {alpha}")
    return _product(x, weight, bias)


@implements(NVFP4Tensor, _aten.linear.default)
def _linear(operator: Any, x: Tensor, weight: Any, bias: Optional[Tensor] = None) -> Tensor:
    if isinstance(weight, NVFP4Tensor) and weight.act_quant_kwargs is None:
        weight._require_one_scale()
        return torch.nn.functional.linear(_numbers(x), _numbers(weight), bias)
    rows = x.view(-1, x.shape[-1]) if isinstance(x, NVFP4Tensor) else x.reshape(-1, x.shape[-1])
    product = _product(rows, weight.t(), bias)
    return product.reshape(*x.shape[:-1], product.shape[-1])


@implements(NVFP4Tensor, _aten.bmm.default)
def _bmm(operator: Any, x: Tensor, weight: Tensor) -> Tensor:
    """One product for each expert."""
    return torch.stack([torch.mm(x[expert], weight[expert]) for expert in range(x.shape[0])])


@implements(NVFP4Tensor, _aten._grouped_mm.default)
def _grouped_mm(operator: Any, x: Tensor, weight: Any, offs: Optional[Tensor] = None, *arguments: Any) -> Tensor:
    """Rows offs[e - 1] to offs[e] of x times weight[e]; each group of rows has its own tensor
    scale."""
    require(offs is not None and isinstance(weight, NVFP4Tensor) and weight._is_transposed(),
            "a grouped product needs offs, and as weight a transposed NVFP4Tensor")
    ends = [] if offs is None else offs.tolist()
    results = []
    for expert, (first, last) in enumerate(zip([0, *ends], ends)):
        rows = x[first:last].contiguous()
        scale = per_tensor_amax_to_scale(rows.abs().max()) if last > first else None
        results.append(_addmm_nvfp4_dispatch(NVFP4Tensor.to_nvfp4(rows, per_tensor_scale=scale), weight[expert], None))
    return torch.cat(results)


torch.serialization.add_safe_globals([NVFP4Tensor, QuantizeTensorToNVFP4Kwargs])
