# SPDX-License-Identifier: Apache-2.0
"""The common part of MXTensor and NVFP4Tensor."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import torch
from torch import Tensor
from torch.utils._python_dispatch import return_and_correct_aliasing

from ._layout import _swizzle_aware_slice, _swizzled, _unswizzled, ceil_div, unpack_uint4

_aten = torch.ops.aten


def require(fits: Any, problem: str) -> None:
    """Raises AssertionError, as torchao does."""
    if not fits:
        raise AssertionError(problem)


class QuantizedTensor(Tensor):
    """Codes and scales as torchao stores them, in attributes of the same names, so that files are exchangeable.

    A transposed tensor has transposed codes and scales. Tensors in `tensor_data_names` and
    `optional_tensor_data_names`, and all other attributes, are arguments of the constructor in the order of
    `_arguments()`.
    """

    tensor_data_names = ["qdata", "scale"]
    tensor_attribute_names: list[str] = []
    optional_tensor_data_names: list[str] = []
    optional_tensor_attribute_names: list[str] = []

    qdata: Tensor
    scale: Tensor
    block_size: int
    orig_dtype: torch.dtype
    is_swizzled_scales: bool
    act_quant_kwargs: Any

    @classmethod
    def _arguments(cls) -> list[str]:
        return [*cls.tensor_data_names, *cls.tensor_attribute_names, *cls.optional_tensor_data_names,
                *cls.optional_tensor_attribute_names]

    @classmethod
    def _wrapper(cls, qdata: Tensor, block_size: int, orig_dtype: torch.dtype, is_packed: bool) -> Any:
        """An empty tensor of the shape of the numbers."""
        size, strides, pack = list(qdata.shape), list(qdata.stride()), 1 + is_packed
        if size:
            axis = -2 if is_transposed(qdata, block_size // pack) else -1
            size[axis] *= pack
            strides = [stride if at == len(size) + axis else stride * pack for at, stride in enumerate(strides)]
        return Tensor._make_wrapper_subclass(cls, size, strides=strides, storage_offset=qdata.storage_offset() * pack,
                                             dtype=orig_dtype, device=qdata.device, requires_grad=False)

    def _check_scales(self) -> None:
        """Raises AssertionError unless every block has a scale."""
        leading, rows, columns = self._matrix()
        block = self.block_size
        expected = [*leading, *([] if self.dim() == 1 else [rows]), columns // block]
        if self.is_swizzled_scales:
            require(self.dim() > 1, "swizzled scales need two axes or more")
            expected = [*leading, ceil_div(rows, 128) * 32, ceil_div(columns // block, 4) * 16]
        found = list(self._scales_of_rows().shape)
        require(columns % block == 0 and found == expected,
                f"{columns} columns in blocks of {block} need scales {expected}, not {found}")

    def _is_transposed(self) -> bool:
        return is_transposed(self.qdata, self.block_size // (1 + self._is_packed()))

    def _matrix(self) -> tuple[tuple[int, ...], int, int]:
        """The leading axes, rows, and columns along which blocks run."""
        shape = [1, *self.shape] if self.dim() == 1 else list(self.shape)
        rows, columns = (shape[-1], shape[-2]) if self._is_transposed() else (shape[-2], shape[-1])
        return tuple(shape[:-2]), rows, columns

    def _scales_of_rows(self) -> Tensor:
        return self.scale.transpose(-2, -1) if self._is_transposed() else self.scale

    def _plain_scales(self) -> Tensor:
        """[..., rows, blocks], not swizzled, not transposed."""
        scales = self._scales_of_rows()
        if not self.is_swizzled_scales:
            return scales
        leading, rows, columns = self._matrix()
        return _unswizzled(scales.contiguous(), leading, rows, columns // self.block_size)

    def _is_packed(self) -> bool:
        return True

    def _codes(self) -> Tensor:
        """uint8 [..., rows, columns], one code a byte, not transposed."""
        data = self.qdata.transpose(-2, -1) if self._is_transposed() else self.qdata
        stored = data.contiguous().view(torch.uint8)
        return unpack_uint4(stored) if self._is_packed() else stored

    def dequantize(self, output_dtype: Optional[torch.dtype] = None) -> Tensor:
        raise NotImplementedError

    def _with(self, qdata: Tensor, scale: Tensor, **changes: Any) -> Any:
        values = {name: getattr(self, name) for name in self._arguments()}
        return type(self)(**{**values, "qdata": qdata, "scale": scale, **changes})

    def _apply_fn_to_data(self, fn: Callable[[Tensor], Tensor]) -> Any:
        """A tensor of the results of fn for every part."""
        parts = {name: fn(getattr(self, name)) for name in self.__tensor_flatten__()[0]}
        return self._with(**parts)

    def __tensor_flatten__(self) -> tuple[list[str], dict[str, Any]]:
        names = self.tensor_data_names + [name for name in self.optional_tensor_data_names
                                          if getattr(self, name) is not None]
        return names, {name: getattr(self, name) for name in
                       (*self.tensor_attribute_names, *self.optional_tensor_attribute_names)}

    @classmethod
    def __tensor_unflatten__(cls, tensor_data_dict: dict[str, Tensor], tensor_attributes: dict[str, Any],
                             outer_size: Any, outer_stride: Any) -> Any:
        return cls(**{name: tensor_attributes[name] if name in tensor_attributes else tensor_data_dict.get(name)
                      for name in cls._arguments()})

    def __setstate__(self, state: Any) -> None:
        """Files of older versions lack optional parts."""
        torch._utils._set_obj_state(self, state)
        for name in (*self.optional_tensor_data_names, *self.optional_tensor_attribute_names):
            self.__dict__.setdefault(name, None)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, arguments: tuple[Any, ...] = (),
                           keywords: Optional[dict[str, Any]] = None) -> Any:
        if function is Tensor.share_memory_:
            arguments[0]._apply_fn_to_data(lambda part: part.share_memory_())
            return arguments[0]
        if function in (Tensor.data_ptr, Tensor.storage):
            raise RuntimeError(f"{cls.__name__} has no memory of its own: qdata and scale have")
        with torch._C.DisableTorchFunctionSubclass():
            return function(*arguments, **(keywords or {}))

    @classmethod
    def __torch_dispatch__(cls, operator: Any, types: Any, arguments: tuple[Any, ...] = (),
                           keywords: Optional[dict[str, Any]] = None) -> Any:
        handler = next((table[operator] for one in cls.__mro__ if operator in (table := _HANDLERS.get(one, {}))), None)
        if handler is None:
            raise NotImplementedError(f"{cls.__name__} has no {operator}: dequantize() first")
        return handler(operator, *arguments, **(keywords or {}))


def is_transposed(qdata: Tensor, block: int) -> bool:
    """Decides by the strides. With equal ones, as of a matrix [K, 1], the last axis must have whole blocks."""
    if qdata.dim() < 2:
        return False
    if qdata.stride(-2) == qdata.stride(-1):
        return block > 1 and qdata.shape[-1] % block != 0
    return bool(qdata.stride(-2) < qdata.stride(-1))


_HANDLERS: dict[type, dict[Any, Callable[..., Any]]] = {}


def implements(cls: type, *operators: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers function(operator, its arguments) for operators of torch on a class and those derived from it."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _HANDLERS.setdefault(cls, {}).update(dict.fromkeys(operators, function))
        return function
    return register


@implements(QuantizedTensor, _aten.detach.default, _aten.alias.default)
def _detach(operator: Any, x: QuantizedTensor) -> Any:
    return return_and_correct_aliasing(operator, (x,), {}, x._apply_fn_to_data(operator))


@implements(QuantizedTensor, _aten.clone.default)
def _clone(operator: Any, x: QuantizedTensor, *, memory_format: Any = None) -> Any:
    if memory_format is torch.contiguous_format and x._is_transposed():
        raise NotImplementedError(f"a transposed {type(x).__name__} has no contiguous copy: dequantize() first")
    return x._apply_fn_to_data(lambda part: part.clone())


@implements(QuantizedTensor, _aten.is_pinned.default)
def _is_pinned(operator: Any, x: QuantizedTensor, *arguments: Any) -> bool:
    return all(getattr(x, name).is_pinned() for name in x.__tensor_flatten__()[0])


@implements(QuantizedTensor, _aten._pin_memory.default)
def _pin_memory(operator: Any, x: QuantizedTensor, *arguments: Any) -> Any:
    return x._apply_fn_to_data(lambda part: part.pin_memory())


@implements(QuantizedTensor, _aten._to_copy.default)
def _to_copy(operator: Any, x: QuantizedTensor, *, dtype: Optional[torch.dtype] = None, device: Any = None,
             **keywords: Any) -> Any:
    """dtype changes that of dequantized numbers, not the codes."""
    require(dtype in (None, torch.float16, torch.bfloat16, torch.float32),
            f"{type(x).__name__} has the type float16, bfloat16 or float32, not {dtype}")
    moved = x._apply_fn_to_data(lambda part: part.clone() if device is None else part.to(device))
    return moved if dtype is None else moved._with(moved.qdata, moved.scale, orig_dtype=dtype)


@implements(QuantizedTensor, _aten.t.default)
def _t(operator: Any, x: QuantizedTensor) -> Any:
    return x if x.dim() < 2 else _transpose(operator, x, 0, 1)


@implements(QuantizedTensor, _aten.transpose.int)
def _transpose(operator: Any, x: QuantizedTensor, first: int, second: int) -> Any:
    require(x.dim() > 1 and {first % x.dim(), second % x.dim()} == {x.dim() - 2, x.dim() - 1},
            f"{type(x).__name__} has transposes of the last two axes, not of {first} and {second} of {x.dim()}")
    return x._with(x.qdata.transpose(-2, -1), x.scale.transpose(-2, -1))


def _resolved(size: Any, elements: int) -> list[int]:
    """The shape with a number for -1."""
    rest = 1
    for length in size:
        rest *= 1 if length == -1 else length
    return [elements // rest if length == -1 else length for length in size]


@implements(QuantizedTensor, _aten.view.default, _aten._unsafe_view.default)
def _view(operator: Any, x: QuantizedTensor, size: Any) -> Any:
    shape, block = _resolved(size, x.numel()), x.block_size
    x._require_one_scale()
    if x._is_transposed() or not shape or shape[-1] % block:
        raise NotImplementedError(f"a view of {type(x).__name__} {list(x.shape)} as {list(size)} tears its blocks of "
                                  f"{block} apart: dequantize() first")
    scales = x._plain_scales().reshape([*shape[:-1], shape[-1] // block])
    qdata = x.qdata.view([*shape[:-1], shape[-1] // (2 if x._is_packed() else 1)])
    return x._with(qdata, _swizzled(scales) if x.is_swizzled_scales else scales)


@implements(QuantizedTensor, _aten.slice.Tensor)
def _slice(operator: Any, x: QuantizedTensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Any:
    x._require_one_scale()
    made = x._with(*_swizzle_aware_slice(x, dim, start, end, step))
    return return_and_correct_aliasing(operator, (x, dim, start, end, step), {}, made)


@implements(QuantizedTensor, _aten.select.int)
def _select(operator: Any, x: QuantizedTensor, dim: int, index: int) -> Any:
    least = 1 + x._least_axes()
    if dim % x.dim() != 0 or x.dim() < least or (x.dim() == 2 and (x._is_transposed() or x.is_swizzled_scales)):
        raise NotImplementedError(f"{type(x).__name__} {list(x.shape)} has no [index] along axis {dim} (allowed: axis "
                                  f"0 of {least} axes or more): dequantize() first")
    made = x._with(x.qdata[index], x.scale[index], **x._scales_of_expert(index))
    return return_and_correct_aliasing(operator, (x, dim, index), {}, made)


@implements(QuantizedTensor, _aten.copy_.default)
def _copy(operator: Any, to: Any, x: Any, non_blocking: bool = False) -> Any:
    """Copies codes and scales of this package's or torchao's tensor of the same kind."""
    from ._exchange import from_torchao  # a cycle of imports
    x = from_torchao(x)
    if type(x) is not type(to):
        raise ValueError(f"{type(x).__name__} is not copied into {type(to).__name__}: quantize it first, or load the "
                         "state dict with assign=True")
    names, _ = to.__tensor_flatten__()
    ours, theirs = (({name: list(getattr(one, name).shape) for name in one.__tensor_flatten__()[0]},
                     one.__tensor_flatten__()[1]) for one in (to, x))
    if ours != theirs:
        raise ValueError(f"codes, scales and attributes must be alike, but are {ours} and {theirs}: load the state "
                         "dict with assign=True")
    for name in names:
        getattr(to, name).copy_(getattr(x, name))
    return to
