# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from . import norm_utils
from ._layers import WithSpecs
from .specs import Specs, applied, get_backwards_mx_specs, required
from .vector_ops import Vector

_batch_norm = nn.functional.batch_norm


class BatchNormFunction(torch.autograd.Function):
    """Channels are axis 1."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor], weight: Tensor,
                bias: Tensor, is_training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
                mx_specs: Optional[Specs] = None) -> Tensor:
        mx_specs = required(mx_specs)
        known = None
        if not is_training:
            if running_mean is None or running_var is None:
                raise ValueError("batch_norm that does not train needs running_mean and running_var")
            known = (running_mean, running_var)
        v = Vector(mx_specs)
        w = v.q(weight)
        made = norm_utils.forward(v, v.q(x), _others(x), w, v.q(bias), eps, weight_axis=1, known=known)
        if is_training:
            for running, now in ((running_mean, made.mean), (running_var, made.variance)):
                if running is not None:
                    running.copy_(v.add(v.mul(1 - momentum, running), v.mul(momentum, now.view(-1))))
        ctx.save_for_backward(made.shifted, made.normal, made.inverse,
                              w if mx_specs["quantize_backprop"] else weight)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return made.output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (shifted, normal, inverse, weight) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        axes = _others(gradient)
        of_bias = v.sum(gradient, axes)
        of_weight = v.sum(v.mul(gradient, normal), axes)
        of_x = norm_utils.backward(v, gradient, axes, weight, shifted, inverse, weight_axis=1)
        return of_x, None, None, of_weight, of_bias, None, None, None, None


def _others(x: Tensor) -> list[int]:
    return [0, *range(2, x.dim())]


def batch_norm(x: Tensor, running_mean: Optional[Tensor], running_var: Optional[Tensor], weight: Tensor, bias: Tensor,
               is_training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
               mx_specs: Optional[Specs] = None) -> Tensor:
    """Updates running_mean and running_var in place if is_training."""
    specs = applied(mx_specs)
    result: Tensor = _batch_norm(x, running_mean, running_var, weight, bias, is_training, momentum, eps) \
        if specs is None else BatchNormFunction.apply(x, running_mean, running_var, weight, bias, is_training,
                                                      momentum, eps, specs)
    return result


class _BatchNorm(WithSpecs, nn.modules.batchnorm._BatchNorm):
    axes: tuple[int, ...]

    def __init__(self, num_features: int, mx_specs: Optional[Specs] = None, name: Optional[str] = None,
                 **keywords: Any) -> None:
        super().__init__(num_features, **keywords)
        self._set(mx_specs, name)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in self.axes:
            raise ValueError(f"{type(self).__name__} needs {' or '.join(map(str, self.axes))} axes, not {input.dim()}")

    def forward(self, input: Tensor) -> Tensor:
        if self.mx_none:
            return super().forward(input)
        self._check_input_dim(input)
        momentum = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked += 1
            if self.momentum is None:
                momentum = 1.0 / float(self.num_batches_tracked)
        is_tracked = not self.training or self.track_running_stats
        measures = self.training or (self.running_mean is None and self.running_var is None)
        return batch_norm(input, self.running_mean if is_tracked else None, self.running_var if is_tracked else None,
                          self.weight, self.bias, measures, momentum, self.eps, self.mx_specs)


class BatchNorm1d(_BatchNorm):
    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    axes = (4,)


class BatchNorm3d(_BatchNorm):
    axes = (5,)
