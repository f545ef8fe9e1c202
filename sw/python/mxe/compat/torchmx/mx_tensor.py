# SPDX-License-Identifier: Apache-2.0
"""MXTensor, and the operators torch.ops.torchmx.quantize_mx and dequantize_mx."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import torch
from torch import Tensor

import mxe.torch
from mxe.torch import _operators as operators
from mxe.torch import text_of
from mxe.torch._tensor import _ToMX

from . import dtypes
from .utils import pack_uint4, tensor_size_hp_to_fp4x2, unpack_uint4

_aten = torch.ops.aten


class _WrongType(TypeError, AssertionError):
    """TypeError is MXE's, AssertionError torchmx's."""


def _checked(data_hp: Tensor) -> Tensor:
    if data_hp.dtype != torch.bfloat16:
        raise _WrongType(f"data_hp: the elements must be bfloat16, but are {data_hp.dtype}")
    return data_hp


def _named(elem_dtype_name: str) -> dtypes.DType:
    if elem_dtype_name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
        raise KeyError(f"unknown element type '{elem_dtype_name}' (allowed: "
                       f"{', '.join(dtypes.STR_TO_SUPPORTED_ELEM_DTYPE)})")
    return dtypes.STR_TO_SUPPORTED_ELEM_DTYPE[elem_dtype_name]


@torch.compiler.assume_constant_result
def _text(elem_dtype: dtypes.DType, block_size: int) -> str:
    text: str = text_of(elem_dtype.format, "torchmx", block=block_size)
    return text


def _stored(codes: Tensor, elem_dtype: dtypes.DType, axis: int) -> Tensor:
    """Codes as torchmx stores them: int8 numbers, pairs of 4 bits along an axis, or bytes."""
    if elem_dtype == dtypes.int8:
        return codes.view(torch.int8)
    if elem_dtype != dtypes.float4_e2m1:
        return codes
    if codes.shape[axis] % 2:
        codes = torch.cat((codes, torch.zeros_like(codes.narrow(axis, 0, 1))), axis)
    return pack_uint4(codes, axis)


def _codes_of(data: Tensor, elem_dtype: dtypes.DType, axis: int) -> Tensor:
    if elem_dtype == dtypes.float4_e2m1:
        return unpack_uint4(data, axis)
    return data.view(torch.uint8) if data.dtype == torch.int8 else data


def _operator(name: str) -> Callable[..., Any]:
    """Registers torch.ops.torchmx.NAME, unless torchmx has done so in this process."""
    owner = "mxe_torchmx" if hasattr(torch.ops.torchmx, name) else "torchmx"
    decorator: Callable[..., Any] = torch.library.custom_op(f"{owner}::{name}", mutates_args=())
    return decorator


@_operator("quantize_mx")
def quantize_mx(data_hp: Tensor, elem_dtype_name: str, block_size: int) -> tuple[Tensor, Tensor]:
    """Scales and stored codes of a bfloat16 tensor with whole blocks along its last axis."""
    elem_dtype = _named(elem_dtype_name)
    if not data_hp.is_contiguous() or data_hp.shape[-1] % block_size:
        raise AssertionError(f"data_hp must be contiguous, and its last axis a multiple of {block_size}, but is "
                             f"{data_hp.shape[-1]}")
    codes, scales, _ = operators.quantize(_checked(data_hp), _text(elem_dtype, block_size), -1)
    return scales, _stored(codes, elem_dtype, -1)


@quantize_mx.register_fake
def _(data_hp: Tensor, elem_dtype_name: str, block_size: int) -> tuple[Tensor, Tensor]:
    elem_dtype, shape = _named(elem_dtype_name), list(data_hp.shape)
    scales = data_hp.new_empty([*shape[:-1], shape[-1] // block_size], dtype=torch.uint8)
    if elem_dtype == dtypes.float4_e2m1:
        shape = tensor_size_hp_to_fp4x2(shape, -1)
    return scales, data_hp.new_empty(shape, dtype=torch.int8 if elem_dtype == dtypes.int8 else torch.uint8)


@_operator("dequantize_mx")
def dequantize_mx(data_lp: Tensor, shared_exp_e8m0: Tensor, elem_dtype_name: str, block_size: int,
                  target_dtype: torch.dtype, block_dim: int) -> Tensor:
    """The numbers of scales and stored codes in whole blocks along an axis."""
    elem_dtype = _named(elem_dtype_name)
    codes = _codes_of(data_lp, elem_dtype, block_dim)
    return operators.dequantize(codes.contiguous(), shared_exp_e8m0.contiguous(), torch.ones(2),
                                _text(elem_dtype, block_size), block_dim, target_dtype)


@dequantize_mx.register_fake
def _(data_lp: Tensor, shared_exp_e8m0: Tensor, elem_dtype_name: str, block_size: int,
      target_dtype: torch.dtype, block_dim: int) -> Tensor:
    shape = list(data_lp.shape)
    if _named(elem_dtype_name) == dtypes.float4_e2m1:
        shape[block_dim] *= 2
    return data_lp.new_empty(shape, dtype=target_dtype)


class ToMXConstrFunc(torch.autograd.Function):
    """apply(data_hp, elem_dtype, block_size): `MXTensor.to_mx`, with the gradient of the identity."""

    @staticmethod
    def forward(ctx: Any, data_hp: Tensor, elem_dtype: dtypes.DType, block_size: int) -> MXTensor:
        codes, scales, whole = operators.quantize(_checked(data_hp), _text(elem_dtype, block_size), -1)
        return _made(codes, scales, whole, _text(elem_dtype, block_size), -1, data_hp.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return gradients[0], None, None


class FromMXConstrFunc(torch.autograd.Function):
    """apply(tensor_lp, target_dtype): `to_dtype`, with the gradient of the identity. Like torchmx's, it has none for
    float4_e2m1 with padding."""

    @staticmethod
    def forward(ctx: Any, tensor_lp: MXTensor, target_dtype: torch.dtype) -> Tensor:
        ctx.dtype = tensor_lp.dtype
        ctx.is_refused = tensor_lp._padding > 0 and tensor_lp._elem_dtype == dtypes.float4_e2m1
        return tensor_lp._values(target_dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        if ctx.is_refused:
            raise ValueError("float4_e2m1 has no gradient if its last block is not full")
        return gradients[0].to(ctx.dtype), None


class NoopFwToMXBw(torch.autograd.Function):
    """apply(x, elem_dtype, block_size): x, whose gradient becomes an MXTensor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, elem_dtype: dtypes.DType, block_size: int) -> Tensor:
        ctx.elem_dtype, ctx.block_size = elem_dtype, block_size
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return MXTensor.to_mx(gradients[0], ctx.elem_dtype, ctx.block_size), None, None


class MXTensor(mxe.torch.MXTensor):
    """A bfloat16 tensor quantized along its last axis by preset torchmx; torch computes products (mm, bmm,
    linear, 4-D matmul, ...) of the dequantized numbers.

    MXTensor(scales uint8, stored codes, elem_dtype, block_size, orig_dtype, padding, block_dim) takes existing codes:
    int8, or uint8 with two of float4_e2m1 a byte. padding: elements that the last block lacks. block_dim: default:
    the last axis. Raises AssertionError if they do not fit.
    """

    _changed_dtype: Optional[torch.dtype] = None  # of products, if _orig_dtype was set

    @staticmethod
    def __new__(cls, scale_e8m0_bits: Tensor, data_bits: Tensor, elem_dtype: Any, block_size: Any, orig_dtype: Any,
                padding: Any = 0, block_dim: Any = None) -> MXTensor:
        if isinstance(elem_dtype, Tensor):  # the arguments of mxe.torch.MXTensor, whose views call this
            made: MXTensor = mxe.torch.MXTensor.__new__(cls, scale_e8m0_bits, data_bits, elem_dtype, block_size,
                                                        orig_dtype, padding, block_dim)
            return made
        if scale_e8m0_bits.dtype != torch.uint8:
            raise AssertionError(f"scales must be uint8, but are {scale_e8m0_bits.dtype}")
        if elem_dtype not in dtypes.SUPPORTED_ELEM_DTYPES:
            raise AssertionError(f"unsupported elem_dtype {elem_dtype}")
        if data_bits.dtype not in (torch.uint8, torch.int8):
            raise AssertionError(f"data must be uint8 or int8, but is {data_bits.dtype}")
        axis = data_bits.dim() - 1 if block_dim is None else block_dim % data_bits.dim()
        codes = _codes_of(data_bits, elem_dtype, axis)
        if elem_dtype == dtypes.float4_e2m1 and padding % 2:
            codes = codes.narrow(axis, 0, codes.shape[axis] - 1)
        expected = list(scale_e8m0_bits.shape)
        expected[axis] = expected[axis] * block_size - padding
        if expected != list(codes.shape):
            raise AssertionError(f"scales {list(scale_e8m0_bits.shape)} with blocks of {block_size} and a padding of "
                                 f"{padding} need {expected} elements, not {list(codes.shape)}")
        return _made(codes, scale_e8m0_bits, torch.ones(2), _text(elem_dtype, block_size), axis, orig_dtype)

    @staticmethod
    def to_mx(  # type: ignore[override]  # torchmx's arguments, not those of mxe.torch
            data_hp: Tensor, elem_dtype: dtypes.DType, block_size: int = 32) -> MXTensor:
        """Quantizes a bfloat16 tensor of any shape; raises TypeError for other types."""
        result: MXTensor = _ToMX.apply(_checked(data_hp), MXTensor, _text(elem_dtype, block_size), -1, "torch")
        return result

    def to_dtype(self, target_dtype: torch.dtype) -> Tensor:
        """The dequantized numbers, as bfloat16 or float32."""
        result: Tensor = FromMXConstrFunc.apply(self, target_dtype)
        return result

    @property
    def _elem_dtype(self) -> dtypes.DType:
        return next(dtype for dtype in dtypes.SUPPORTED_ELEM_DTYPES if dtype.format == self.format)

    @property
    def _scale_e8m0(self) -> Tensor:
        return self.scales

    @property
    def _data(self) -> Tensor:
        return _stored(self.codes, self._elem_dtype, self.axis)

    @property
    def _block_size(self) -> int:
        return int(self.quantizer.switches["block_size"])

    @property
    def _block_dim(self) -> int:
        return self.axis

    @property
    def _padding(self) -> int:
        return int(self.scales.shape[self.axis] * self._block_size - self.codes.shape[self.axis])

    @property
    def _orig_dtype(self) -> torch.dtype:
        return self.dtype if self._changed_dtype is None else self._changed_dtype

    @_orig_dtype.setter
    def _orig_dtype(self, dtype: torch.dtype) -> None:
        self._changed_dtype = dtype

    def _plain(self) -> Tensor:
        return self._values(self._orig_dtype)

    def _with(self, *parts: Any, **named: Any) -> MXTensor:
        made: MXTensor = super()._with(*parts, **named)
        made._changed_dtype = self._changed_dtype
        return made

    def _quantization_type(self) -> str:
        return (f"shape={list(self.shape)}, block_size={self._block_size}, elem_dtype={self._elem_dtype}, "
                f"orig_dtype={self._orig_dtype}")

    @classmethod
    def __torch_dispatch__(cls, operator: Any, types: Any, arguments: tuple[Any, ...] = (),
                           keywords: Optional[dict[str, Any]] = None) -> Any:
        if operator is _aten.sum.dim_IntList:
            return operator(arguments[0]._plain(), *arguments[1:], **(keywords or {}))
        try:
            return super().__torch_dispatch__(operator, types, arguments, keywords)
        except RuntimeError as error:  # NotImplementedError is one
            if operator is not _aten.view.default:
                raise
            raise AssertionError(str(error)) from None


def _made(codes: Tensor, scales: Tensor, whole: Tensor, quantizer: str, axis: int, dtype: torch.dtype) -> MXTensor:
    return MXTensor(codes, scales, whole, quantizer, axis, dtype, "torch")


torch.serialization.add_safe_globals([MXTensor])
