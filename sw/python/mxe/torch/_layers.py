# SPDX-License-Identifier: Apache-2.0
"""Linear layers in Microscaling formats, and putting them into a model."""
from __future__ import annotations

import dataclasses
import functools
import sys
from typing import Any, Callable, Optional, Union

import torch
from torch import Tensor, nn

import mxe
from mxe import Quantizer
from mxe._quantizer import FormatLike

from . import _operators as operators
from ._tensor import PRODUCTS, MXTensor
from ._text import text_of


@dataclasses.dataclass
class MXConfig:
    """What becomes of linear layers, for `quantize_`, or torchao's function of this name.

    weight, activation: formats or Quantizers; without an activation, only weights are quantized.
    preset: whose quantizer, of formats.
    on: "golden", the engine's products (blocks of 32, E8M0 scales), or "torch", torch's products
        of the dequantized numbers, for every format and preset; without an activation always so.
        An `mxe.Engine` computes what golden does, and `mxe.record` has a row for each layer then.
    train: whether weights stay numbers that are quantized in every forward pass, with
        straight-through gradients, to train the model further.
    clip: gradients are zero where numbers are cut off. accumulate: as `mxe.matmul` has it.
    """

    weight: Union[FormatLike, Quantizer] = "mxfp8_e4m3"
    activation: Optional[Union[FormatLike, Quantizer]] = "mxfp8_e4m3"
    preset: str = "ocp"
    on: Union[str, mxe.Engine] = "golden"
    train: bool = False
    clip: bool = False
    accumulate: str = "block"

    def __post_init__(self) -> None:
        if "torchao" in sys.modules:  # importing it here would take seconds
            _register_with_torchao()
        simulated = isinstance(self.on, mxe.Engine)
        if not simulated and self.on not in PRODUCTS:
            raise ValueError(f"unknown product '{self.on}' (allowed: {', '.join(PRODUCTS)}, an "
                             "mxe.Engine)")
        if simulated and (self.train or self.activation is None or self.accumulate != "block"):
            raise ValueError("an engine has no train=True, no other accumulation than block, and "
                             "needs an activation")
        self.texts()
        if self.on != "torch" and self.activation is not None:  # complains now
            block = [[0.0] * 32]
            w, x = (mxe.quantize(block, q, **self._preset(q)) for q in (self.weight,
                                                                       self.activation))
            mxe.matmul(x, w, transpose_b=True, accumulate=self.accumulate)

    def _preset(self, quantizer: Any) -> dict[str, Any]:
        return {} if isinstance(quantizer, Quantizer) else {"preset": self.preset}

    def texts(self) -> tuple[str, Optional[str]]:
        """The quantizers of weights and of activations as texts."""
        weight = text_of(self.weight, **self._preset(self.weight))
        if self.activation is None:
            return weight, None
        return weight, text_of(self.activation, **self._preset(self.activation))


class MXLinear(nn.Linear):
    """torch.nn.Linear with quantized weights and activations, both along the inputs.

    x [..., in_features], of any floating type -> [..., out_features], of the same.
    """

    config: MXConfig

    @classmethod
    def from_linear(cls, linear: nn.Linear, config: MXConfig, name: str = "linear") -> MXLinear:
        """A layer that shares the bias, and the weights if the configuration is for training.

        name: in recordings of what an engine does.
        """
        made = cls(linear.in_features, linear.out_features, linear.bias is not None,
                   device="meta", dtype=linear.weight.dtype)
        made.config = config
        made.bias = linear.bias
        made.weight = linear.weight
        made._weight_quantizer, made._quantizer = config.texts()
        made._name = name
        if isinstance(config.on, mxe.Engine):
            made._numbers = linear.weight.detach()
        if not config.train:
            made.weight = nn.Parameter(
                MXTensor.to_mx(linear.weight.detach(), config.weight,
                               **config._preset(config.weight)), requires_grad=False)
        made.train(linear.training)
        return made

    def forward(self, input: Tensor) -> Tensor:
        """Source: model/numerics/gemm.h."""
        config, x = self.config, input
        if isinstance(config.on, mxe.Engine):
            return self._on_engine(config.on, x)
        golden = config.on == "golden" and self._quantizer is not None
        if not config.train:
            if not golden:
                return nn.functional.linear(self._activation(x), self.weight.dequantize(x.dtype),
                                            self.bias)
            return operators.linear(x, self.weight.codes, self.weight.scales, self.bias,
                                    self._quantizer, self._weight_quantizer, config.accumulate,
                                    config.clip)
        if not golden:
            weight = operators.fake_quantize(self.weight, self._weight_quantizer, -1, config.clip)
            return nn.functional.linear(self._activation(x), weight, self.bias)
        rows = x.reshape(-1, self.in_features)
        product = operators.matmul(rows, self.weight, self._quantizer, self._weight_quantizer,
                                   self.bias, config.accumulate, config.clip)
        return product.reshape(*x.shape[:-1], self.out_features).to(x.dtype)

    def _on_engine(self, engine: mxe.Engine, x: Tensor) -> Tensor:
        rows, bias = x.detach().reshape(-1, self.in_features), self.bias
        with mxe.layer(self._name):
            result = engine.matmul(
                mxe.quantize(rows, self.config.activation, **self.config._preset(
                    self.config.activation)),
                self.weight.array, transpose_b=True, bias=None if bias is None else bias.detach(),
                reference=lambda: nn.functional.linear(rows, self._numbers, bias).detach())
        product: Tensor = result.value
        return product.reshape(*x.shape[:-1], self.out_features).to(x.dtype)

    def _activation(self, x: Tensor) -> Tensor:
        if self._quantizer is None:
            return x
        return operators.fake_quantize(x, self._quantizer, -1, self.config.clip)

    def extra_repr(self) -> str:
        """What `print(model)` shows."""
        return (f"{super().extra_repr()}, weight={self._weight_quantizer}, "
                f"activation={self._quantizer}, on={self.config.on}")

    _name: str
    _numbers: Tensor  # what was quantized; only for an engine, whose recordings compare with it
    _weight_quantizer: str
    _quantizer: Optional[str]


def _is_linear(module: nn.Module, name: str) -> bool:
    return type(module) is nn.Linear


def quantize_(model: nn.Module, config: Optional[MXConfig] = None,
              filter_fn: Optional[Callable[[nn.Module, str], bool]] = None) -> nn.Module:
    """Replaces the linear layers of a model by such in Microscaling formats, in place.

    filter_fn(module, its name): which modules; default: every torch.nn.Linear. Returns the model,
    or the layer that takes its place if the model is a linear layer itself. Raises ValueError for
    formats that the product is not for.
    """
    chosen = MXConfig() if config is None else config
    wanted = _is_linear if filter_fn is None else filter_fn
    if isinstance(model, nn.Linear) and wanted(model, ""):
        return MXLinear.from_linear(model, chosen)
    for name, module in list(model.named_modules()):
        for own, child in list(module.named_children()):
            path = f"{name}.{own}" if name else own
            if isinstance(child, nn.Linear) and wanted(child, path):
                setattr(module, own, MXLinear.from_linear(child, chosen, path))
    return model


@functools.cache
def _register_with_torchao() -> None:
    """Makes torchao.quantization.quantize_ take MXConfig."""
    from torchao.core.config import AOBaseConfig
    from torchao.quantization.transform_module import register_quantize_module_handler
    AOBaseConfig.register(MXConfig)
    register_quantize_module_handler(MXConfig)(
        lambda module, config, **_: MXLinear.from_linear(module, config))
