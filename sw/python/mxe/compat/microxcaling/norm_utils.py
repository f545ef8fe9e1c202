# SPDX-License-Identifier: Apache-2.0
"""Steps that the layers of normalization share."""
from __future__ import annotations

from typing import NamedTuple, Optional

from torch import Tensor

from .vector_ops import Vector


class Normalized(NamedTuple):
    output: Tensor
    shifted: Tensor  #: minus the mean
    normal: Tensor
    inverse: Tensor  #: of the standard deviation
    mean: Tensor
    variance: Tensor  #: plus eps


def along(x: Tensor, weight: Tensor, axis: Optional[int]) -> Tensor:
    """A weight for one axis of x, in a shape that broadcasts."""
    return weight if axis is None else weight.view([-1 if at == axis else 1 for at in range(x.dim())])


def grouped(x: Tensor, groups: Optional[int], axes: list[int]) -> tuple[Tensor, list[int]]:
    """x with groups of channels, its axis 1, as an axis of their own, and the axes in it."""
    return (x, axes) if groups is None else (x.unflatten(1, (groups, -1)), [axis + 1 for axis in axes])


def forward(v: Vector, x: Tensor, axes: list[int], weight: Tensor, bias: Tensor, eps: float,
            groups: Optional[int] = None, weight_axis: Optional[int] = None,
            known: Optional[tuple[Tensor, Tensor]] = None) -> Normalized:
    """(x - mean) / sqrt(variance + eps) * weight + bias. known: mean and variance that were measured before."""
    plain = x
    x, axes = grouped(x, groups, axes)
    if known is None:
        mean = v.mean(x, axes, True)
        shifted = v.sub(x, mean)
        variance = v.mean(v.mul(shifted, shifted), axes, True)
    else:
        shape = [1 if at in (0, *axes) else size for at, size in enumerate(x.shape)]
        mean, variance = (v.q(one).view(shape) for one in known)
        shifted = v.sub(x, mean)
    variance = v.add(variance, eps)
    inverse = v.recip(v.sqrt(variance))
    normal = v.mul(shifted, inverse).view(plain.shape)
    output = v.add(v.mul(along(plain, weight, weight_axis), normal), along(plain, bias, weight_axis))
    return Normalized(output, shifted, normal, inverse, mean, variance)


def backward(v: Vector, gradient: Tensor, axes: list[int], weight: Tensor, shifted: Tensor, inverse: Tensor,
             groups: Optional[int] = None, weight_axis: Optional[int] = None) -> Tensor:
    """The gradient of x, from that of the output."""
    scaled, axes = grouped(v.mul(gradient, along(gradient, weight, weight_axis)), groups, axes)
    direct = v.mul(scaled, inverse)
    of_mean = v.mean(-direct, axes, True)
    spread = v.mean(v.mul(scaled, shifted), axes, True)
    spread = v.mul(v.mul(spread, v.mul(inverse, inverse)), inverse)
    found = v.add(direct, v.mul(-spread, shifted))
    return v.add(found, of_mean).view(gradient.shape)


def backward_of_layer(v: Vector, gradient: Tensor, weight: Tensor, normal: Tensor, variance: Tensor) -> Tensor:
    """The same for LayerNorm, in the order of its own steps."""
    scaled = v.mul(gradient, weight)
    deviation = v.sqrt(variance)
    direct = v.mul(scaled, v.div(1.0, deviation))
    spread = v.mean(v.mul(v.mul(scaled, normal), deviation), [-1], True)
    spread = v.mul(spread, v.div(1.0, variance))
    found = v.add(direct, v.mul(-spread, normal))
    return v.add(found, -v.mean(found, [-1], True))
