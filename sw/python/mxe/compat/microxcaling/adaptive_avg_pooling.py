# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Optional, Union

import torch
from torch import Tensor, nn

from ._layers import WithSpecs
from .specs import Specs, applied, get_backwards_mx_specs, required
from .vector_ops import Vector

_adaptive_avg_pool2d = nn.functional.adaptive_avg_pool2d

OutputSize = Union[None, int, tuple[Optional[int], Optional[int]]]


def _sizes(input: Tensor, output_size: OutputSize) -> tuple[int, int]:
    if input.dim() != 4:
        raise ValueError(f"adaptive_avg_pool2d with mx_specs needs 4 axes, not {input.dim()}")
    pair = (output_size, output_size) if output_size is None or isinstance(output_size, int) else tuple(output_size)
    if len(pair) != 2:
        raise ValueError(f"output_size has 1 or 2 numbers, not {len(pair)}")
    rows, columns = (one or whole for one, whole in zip(pair, input.shape[2:]))
    return rows, columns


def _windows(sizes: tuple[int, int], shape: Any) -> Iterator[tuple[int, int, tuple[Any, ...]]]:
    """Row and column of each output, and the slices of its inputs."""
    spans = [[slice(at * whole // count, -(-(at + 1) * whole // count)) for at in range(count)]
             for count, whole in zip(sizes, shape[2:])]
    for row, vertical in enumerate(spans[0]):
        for column, horizontal in enumerate(spans[1]):
            yield row, column, (slice(None), slice(None), vertical, horizontal)


class AdaptiveAvgPool2dFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, output_size: OutputSize, mx_specs: Optional[Specs] = None,
                name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v, sizes = Vector(mx_specs), _sizes(input, output_size)
        output = torch.zeros(*input.shape[:2], *sizes)
        for row, column, window in _windows(sizes, input.shape):
            output[:, :, row, column] = v.mean(input[window], [2, 3])
        ctx.sizes, ctx.shape, ctx.specs = sizes, input.shape, get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, found = Vector(ctx.specs), torch.zeros(ctx.shape)
        for row, column, window in _windows(ctx.sizes, ctx.shape):
            part = found[window]
            share = gradients[0][:, :, row, column] / part.shape[2] / part.shape[3]
            found[window] = v.add(part, share[:, :, None, None].expand(part.shape))
        return found, None, None, None


def adaptive_avg_pool2d(input: Tensor, output_size: OutputSize, mx_specs: Optional[Specs] = None,
                        name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _adaptive_avg_pool2d(input, output_size) if specs is None else \
        AdaptiveAvgPool2dFunction.apply(input, output_size, specs)
    return result


class AdaptiveAvgPool2d(WithSpecs, nn.Module):
    def __init__(self, output_size: OutputSize, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__()
        self.output_size = output_size
        self._set(mx_specs, name)

    def forward(self, inputs: Tensor) -> Tensor:
        return adaptive_avg_pool2d(inputs, self.output_size, self._specs)
