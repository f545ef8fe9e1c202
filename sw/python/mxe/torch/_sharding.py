# SPDX-License-Identifier: Apache-2.0
"""Operators that take MXTensors apart and put them together, as fully_shard and torch.utils.data do."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional

import torch
from torch import Tensor

from ._products import _plain
from ._tensor import MXTensor, handles
from ._views import _movable, _select, _slice, _unsqueeze

_aten = torch.ops.aten


def _sliced(x: MXTensor, axis: int, first: int, last: int) -> MXTensor:
    part: MXTensor = _slice(_aten.slice.Tensor, x, axis, first, last)
    return part


@handles(_aten.split.Tensor, _aten.unsafe_split.Tensor)
def _split(operator: Any, x: MXTensor, size: int, axis: int = 0) -> list[MXTensor]:
    length = x.shape[axis]
    return [_sliced(x, axis, first, min(first + size, length)) for first in range(0, max(length, 1), max(size, 1))]


@handles(_aten.split_with_sizes.default)
def _split_with_sizes(operator: Any, x: MXTensor, sizes: Sequence[int], axis: int = 0) -> list[MXTensor]:
    if sum(sizes) != x.shape[axis]:
        raise RuntimeError(f"parts of {list(sizes)} do not make up axis {axis} of {x!r}")
    ends = [sum(sizes[:i + 1]) for i in range(len(sizes))]
    return [_sliced(x, axis, last - size, last) for size, last in zip(sizes, ends)]


@handles(_aten.unbind.int)
def _unbind(operator: Any, x: MXTensor, axis: int = 0) -> list[MXTensor]:
    return [_select(_aten.select.int, x, axis, i) for i in range(x.shape[axis])]


@handles(_aten.cat.default)
def _cat(operator: Any, parts: Sequence[Any], axis: int = 0) -> MXTensor:
    """Along the blocked axis, all parts but the last have whole blocks."""
    first = parts[0]
    for part in parts:
        if not isinstance(part, MXTensor):
            raise NotImplementedError("quantized and plain tensors are not joined: dequantize() first")
        if (part._quantizer, part.axis, part.dtype) != (first._quantizer, first.axis, first.dtype):
            raise NotImplementedError(f"{first!r} and {part!r} are not joined: they have different formats or axes")
        if not torch.equal(part.whole, first.whole):
            raise NotImplementedError(f"{first!r} and another are not joined: their scales of the whole tensor differ "
                                      "(quantize them with one tensor_amax, or dequantize() first)")
        _movable(part)
    if axis % first.dim() == first.axis:
        block = first.quantizer.switches["block_size"]
        for part in parts[:-1]:
            if part.shape[axis] % block:
                raise NotImplementedError(f"{part!r} is not joined: its last block of {block} is short")
    codes, scales = ([getattr(part, name) for part in parts] for name in ("codes", "scales"))
    joined: MXTensor = first._with(operator(codes, axis), operator(scales, axis))
    return joined


@handles(_aten.stack.default)
def _stack(operator: Any, parts: Sequence[Any], axis: int = 0) -> MXTensor:
    if not all(isinstance(part, MXTensor) for part in parts):
        raise NotImplementedError("quantized and plain tensors are not stacked: dequantize() first")
    stacked: MXTensor = _cat(_aten.cat.default, [_unsqueeze(_aten.unsqueeze.default, part, axis) for part in parts],
                             axis)
    return stacked


def _chosen(x: MXTensor, operator: Callable[[Tensor], Tensor], added: int) -> MXTensor:
    _movable(x)
    return x._with(operator(x.codes), operator(x.scales), x.axis + added)


@handles(_aten.index.Tensor)
def _index(operator: Any, x: MXTensor, indices: Sequence[Optional[Tensor]]) -> MXTensor:
    """Whole numbers along the first axes: experts of a layer, rows of an embedding."""
    given = list(indices)
    if any(one is None for one in given) or len(given) > x.axis:
        raise NotImplementedError(f"indices of {x!r} select along the axes before that of the blocks: dequantize() "
                                  "first")
    if any(one is not None and one.dtype in (torch.bool, torch.uint8) for one in given):
        raise NotImplementedError(f"a mask does not select from {x!r}: pass mask.nonzero(), or dequantize() first")
    shape = torch.broadcast_shapes(*(one.shape for one in given if one is not None))
    return _chosen(x, lambda part: operator(part, given), len(shape) - len(given))


@handles(_aten.index_select.default)
def _index_select(operator: Any, x: MXTensor, axis: int, index: Tensor) -> MXTensor:
    if axis % x.dim() == x.axis:
        raise NotImplementedError(f"elements of blocks of {x!r} are not selected: dequantize() first")
    return _chosen(x, lambda part: operator(part, axis, index), 0)


@handles(_aten.new_zeros.default, _aten.new_empty.default)
def _new_zeros(operator: Any, x: MXTensor, size: Sequence[int], **keywords: Any) -> MXTensor:
    """Zeros of the quantizer of x, with as many axes."""
    _movable(x)
    if len(size) != x.dim():
        raise NotImplementedError(f"zeros like {x!r} have {x.dim()} axes, not {len(size)}")
    blocks = list(size)
    blocks[x.axis] = -(-size[x.axis] // x.quantizer.switches["block_size"])
    made = x._with(x.codes.new_zeros(size), x.scales.new_zeros(blocks))
    made.whole = x.whole.clone()
    return made


@handles(_aten.zeros_like.default, _aten.empty_like.default)
def _zeros_like(operator: Any, x: MXTensor, **keywords: Any) -> MXTensor:
    made = x._with(torch.zeros_like(x.codes), torch.zeros_like(x.scales))
    made.whole = x.whole.clone()
    return made


@handles(_aten.as_strided.default)
def _as_strided(operator: Any, x: MXTensor, size: Sequence[int], stride: Sequence[int],
                offset: Optional[int] = None) -> MXTensor:
    if list(size) != list(x.shape) or list(stride) != list(x.stride()) or offset:
        raise NotImplementedError(f"{x!r} has no other strides: dequantize() first")
    return x._with(x.codes, x.scales)


@handles(_aten.equal.default, _aten.allclose.default, _aten.eq.Tensor, _aten.eq.Scalar, _aten.ne.Tensor,
         _aten.ne.Scalar)
def _compared(operator: Any, a: Any, b: Any, *arguments: Any, **keywords: Any) -> Any:
    """Compares numbers."""
    return operator(_plain(a), _plain(b), *arguments, **keywords)


@handles(_aten.is_pinned.default)
def _is_pinned(operator: Any, x: MXTensor, device: Any = None) -> bool:
    return False
