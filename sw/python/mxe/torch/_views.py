# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import torch

from . import _operators as operators
from ._tensor import MXTensor, handles

_aten = torch.ops.aten


@handles(_aten.detach.default, _aten.alias.default)
def _detach(operator: Any, x: MXTensor) -> MXTensor:
    made = x._with(operator(x.codes), operator(x.scales))
    made._flipped = x._flipped
    return made


@handles(_aten.clone.default)
def _clone(operator: Any, x: MXTensor, **keywords: Any) -> MXTensor:
    return x._with(operator(x.codes, **keywords), operator(x.scales, **keywords))


@handles(_aten.copy_.default)
def _copy(operator: Any, to: Any, x: Any, non_blocking: bool = False) -> Any:
    """Copies codes of the same quantizer, or quantizes numbers."""
    if not isinstance(to, MXTensor):
        raise RuntimeError(f"{x!r} is not copied into numbers, which would no longer be quantized: "
                           "quantize_() the model first, or load_state_dict(..., assign=True)")
    if not isinstance(x, MXTensor):
        codes, scales, whole = operators.quantize(x.expand(to.shape), to._quantizer, to.axis)
        x = to._with(codes, scales)
        x.whole = whole
    ours, theirs = ((one._quantizer, one.axis, list(one.shape)) for one in (to, x))
    if ours != theirs:
        raise RuntimeError(f"{x!r} does not fit into {to!r}: load_state_dict(..., assign=True) "
                           "takes the formats of what is loaded")
    for one, other in ((to.codes, x.codes), (to.scales, x.scales), (to.whole, x.whole)):
        one.copy_(other)
    return to


@handles(_aten._to_copy.default)
def _to_copy(operator: Any, x: MXTensor, *, dtype: Optional[torch.dtype] = None,
             device: Any = None, **keywords: Any) -> MXTensor:
    """Changes the type of the dequantized numbers, not the codes."""
    if device is not None and torch.device(device).type != "cpu":
        raise NotImplementedError("MXTensor is in the CPU's memory")
    return x._with(x.codes.clone(), x.scales.clone(), dtype=dtype)


def _movable(x: MXTensor) -> None:
    """Raises NotImplementedError unless scales can be viewed like codes."""
    switches = x.quantizer.switches
    if switches["walk"] == "flat" or switches["row_scaled"] or switches["block_rows"] != 1:
        raise NotImplementedError(f"{x!r} has no views: its blocks do not run along one axis, or "
                                  "its rows have scales of their own")


@handles(_aten.transpose.int)
def _transpose(operator: Any, x: MXTensor, first: int, second: int) -> MXTensor:
    _movable(x)
    first, second = first % x.dim(), second % x.dim()
    axis = {first: second, second: first}.get(x.axis, x.axis)
    made = x._with(operator(x.codes, first, second), operator(x.scales, first, second), axis)
    if {first, second} == {x.dim() - 1, x.dim() - 2}:
        made._flipped = x
    return made


@handles(_aten.t.default)
def _t(operator: Any, x: MXTensor) -> MXTensor:
    made: MXTensor = _transpose(_aten.transpose.int, x, 0, 1) if x.dim() == 2 else x
    return made


@handles(_aten.permute.default)
def _permute(operator: Any, x: MXTensor, order: Sequence[int]) -> MXTensor:
    _movable(x)
    positive = [axis % x.dim() for axis in order]
    return x._with(operator(x.codes, order), operator(x.scales, order), positive.index(x.axis))


@handles(_aten.view.default, _aten._unsafe_view.default, _aten.reshape.default)
def _view(operator: Any, x: MXTensor, size: Sequence[int]) -> MXTensor:
    """Merges or splits axes before the blocked axis, and the blocked axis itself if it is the last one, consists of
    whole blocks, and still does so afterwards."""
    _movable(x)
    codes = x.codes.reshape(size)
    after = list(x.shape[x.axis:])
    if list(codes.shape[codes.dim() - len(after):]) == after and codes.dim() >= len(after):
        axis = codes.dim() - len(after)
        return x._with(codes, x.scales.reshape([*codes.shape[:axis], *x.scales.shape[x.axis:]]), axis)
    block = x.quantizer.switches["block_size"]
    if len(after) != 1 or codes.dim() == 0 or after[0] % block or codes.shape[-1] % block:
        raise NotImplementedError(f"a view of {x!r} as {list(size)} tears its blocks apart: "
                                  "dequantize() first")
    return x._with(codes, x.scales.reshape([*codes.shape[:-1], codes.shape[-1] // block]), codes.dim() - 1)


@handles(_aten.expand.default)
def _expand(operator: Any, x: MXTensor, size: Sequence[int], *, implicit: bool = False) -> MXTensor:
    _movable(x)
    codes = operator(x.codes, size)
    axis = x.axis + codes.dim() - x.dim()
    if codes.shape[axis] != x.shape[x.axis]:
        raise NotImplementedError(f"{x!r} cannot grow along the axis of its blocks")
    blocks = list(codes.shape)
    blocks[axis] = x.scales.shape[x.axis]
    return x._with(codes, operator(x.scales, blocks), axis)


@handles(_aten.unsqueeze.default)
def _unsqueeze(operator: Any, x: MXTensor, at: int) -> MXTensor:
    _movable(x)
    at %= x.dim() + 1
    return x._with(operator(x.codes, at), operator(x.scales, at), x.axis + (at <= x.axis))


@handles(_aten.select.int)
def _select(operator: Any, x: MXTensor, axis: int, index: int) -> MXTensor:
    _movable(x)
    axis %= x.dim()
    if axis == x.axis:
        raise NotImplementedError(f"one element of a block of {x!r} is no block: dequantize() "
                                  "first")
    return x._with(operator(x.codes, axis, index), operator(x.scales, axis, index),
                   x.axis - (axis < x.axis))


@handles(_aten.slice.Tensor)
def _slice(operator: Any, x: MXTensor, axis: int = 0, start: Optional[int] = None,
           end: Optional[int] = None, step: int = 1) -> MXTensor:
    """Along the blocked axis, slices must begin and end at blocks."""
    _movable(x)
    axis %= x.dim()
    first, last, _ = slice(start, end).indices(x.shape[axis])
    codes = operator(x.codes, axis, first, last, step)
    if axis != x.axis:
        return x._with(codes, operator(x.scales, axis, first, last, step))
    block = x.quantizer.switches["block_size"]
    if step != 1 or first % block or (last % block and last != x.shape[axis]):
        raise NotImplementedError(f"[{first}:{last}:{step}] cuts blocks of {block} of {x!r} apart: "
                                  "dequantize() first")
    return x._with(codes, operator(x.scales, axis, first // block, -(-last // block)))
