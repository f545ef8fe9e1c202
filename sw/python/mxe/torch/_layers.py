# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any, Optional, Union

import torch
from torch import Tensor, nn
from torch.nn.modules.linear import NonDynamicallyQuantizableLinear
from torch.nn.utils import parametrize

import mxe
from mxe import Quantizer, _core
from mxe._names import AccumulateLike, PresetLike
from mxe._namespaces import in_graph, without_gradient
from mxe._quantizer import FormatLike, format_name

from . import _transforms as transforms
from ._tensor import PRODUCTS, MXTensor
from ._text import quantizer_of, text_of


@dataclasses.dataclass
class MXConfig:
    """Formats of linear layers, for `quantize_` or torchao's function of this name.

    weight, activation: formats (of preset) or Quantizers; activation None quantizes weights only.
    on: "golden", the products of `mxe.matmul`; an `mxe.Engine`, which computes the same (blocks of 32, E8M0
        scales; `mxe.record` records each layer); or "torch", torch's products of the dequantized
        numbers, for every format and preset. Without an activation it is always torch.
    train: keeps weights as numbers, quantized in every forward pass with straight-through gradients.
    clip: gradients are zero where numbers are clipped. accumulate: as in `mxe.matmul`.
    """

    weight: Union[FormatLike, Quantizer] = "mxfp8_e4m3"
    activation: Optional[Union[FormatLike, Quantizer]] = "mxfp8_e4m3"
    preset: PresetLike = "ocp"
    on: Union[str, mxe.Engine] = "golden"
    train: bool = False
    clip: bool = False
    accumulate: AccumulateLike = "block"

    def __post_init__(self) -> None:
        if "torchao" in sys.modules:  # importing torchao takes seconds
            _register_with_torchao()
        simulated = isinstance(self.on, mxe.Engine)
        if not simulated and self.on not in PRODUCTS:
            raise ValueError(f"unknown product '{self.on}' (allowed: {', '.join(PRODUCTS)}, an "
                             "mxe.Engine)")
        if simulated and (self.train or self.activation is None or self.accumulate != "block"):
            raise ValueError("an engine needs train=False, accumulate='block' and an activation")
        self.texts()
        if self.on != "torch" and self.activation is not None:  # checks formats now
            block = [[0.0] * 32]
            w, x = (mxe.quantize(block, q, **self._preset(q)) for q in (self.weight,
                                                                       self.activation))
            mxe.matmul(x, w, transpose_b=True, accumulate=self.accumulate)
            if simulated:
                _core.engine_job(x._core, w._core, True, None, False, "fp32", "fp32", None, None)

    def _preset(self, quantizer: Any) -> dict[str, Any]:
        return {} if isinstance(quantizer, Quantizer) else {"preset": self.preset}

    def texts(self) -> tuple[str, Optional[str]]:
        weight = text_of(self.weight, **self._preset(self.weight))
        if self.activation is None:
            return weight, None
        return weight, text_of(self.activation, **self._preset(self.activation))


class MXLinear(nn.Linear):
    """torch.nn.Linear with weights and activations quantized along the inputs.

    x [..., in_features], of any floating type -> [..., out_features] of the same type; torch.autocast
    rounds x to its type first. With train=True, `weight` holds the unquantized numbers. Otherwise it is
    an MXTensor, which quantizes the other operand of every product along K, also outside of this layer.
    """

    config: MXConfig

    @classmethod
    def from_linear(cls, linear: nn.Linear, config: MXConfig, name: str = "linear") -> MXLinear:
        """A quantized layer with the bias, hooks and attributes of `linear` (to train: and its weights).

        name: in recordings. Raises ValueError for layers with another forward() and weights that are no parameter.
        """
        obstacle = _obstacle(linear, config)
        if obstacle is not None:
            raise ValueError(f"layer '{name}' cannot be quantized: {obstacle}")
        made = cls.__new__(cls)
        made.__dict__.update(linear.__dict__)
        for kind in ("_parameters", "_buffers", "_modules"):
            made.__dict__[kind] = dict(linear.__dict__[kind])
        made.config = config
        made._weight_quantizer, made._quantizer = config.texts()
        made._name = name
        made._numbers = linear.weight.detach() if isinstance(config.on, mxe.Engine) else None
        if not config.train:
            made._quantize_weight(linear.weight)
        if keep_off_fast_paths not in made._forward_pre_hooks.values():
            made.register_forward_pre_hook(keep_off_fast_paths)
        return made

    @classmethod
    def from_codes(cls, codes: Any, scales: Any, format: Union[FormatLike, Quantizer], preset: str = "ocp", *,
                   bias: Any = None, activation: Optional[Union[FormatLike, Quantizer]] = None,
                   activation_scale: Optional[float] = None, on: Union[str, mxe.Engine] = "golden",
                   accumulate: str = "block", dtype: torch.dtype = torch.float32, name: str = "linear",
                   **arguments: Any) -> MXLinear:
        """A layer whose weight [N, K] has these codes and scales; further arguments as in `mxe.Array.from_codes`.
        The other arguments are those of `from_array`."""
        return cls.from_array(mxe.Array.from_codes(codes, scales, format, preset, **arguments), bias=bias,
                              activation=activation, activation_scale=activation_scale, on=on,
                              accumulate=accumulate, dtype=dtype, name=name)

    @classmethod
    def from_array(cls, weight: mxe.Array, *, bias: Any = None,
                   activation: Optional[Union[FormatLike, Quantizer]] = None,
                   activation_scale: Optional[float] = None, on: Union[str, mxe.Engine] = "golden",
                   accumulate: str = "block", dtype: torch.dtype = torch.float32, name: str = "linear") -> MXLinear:
        """A layer with a quantized weight [N, K], for example of a checkpoint (`mxe.load_layer`).

        bias: [N], of any floating type. activation, on, accumulate: as in `MXConfig`; a name has the preset of the
            weight if it has its format, else ocp. activation_scale: constant tensor scale of the activations.
        dtype: the type that the layer's weight appears to have.

        Raises ValueError for weights with other axes, and for activations that MXConfig refuses.
        """
        if weight.ndim != 2 or weight.axis != 1:
            raise ValueError(f"the weight must be [N, K] with blocks along K, but is {list(weight.shape)} with blocks "
                             f"along axis {weight.axis}")
        chosen = _activation_of(activation, activation_scale, weight.quantizer)
        config = MXConfig(weight=weight.quantizer, activation=chosen, on=on, accumulate=accumulate)
        rows, depth = weight.shape
        made = cls(depth, rows, bias=bias is not None, device="meta", dtype=dtype)
        made.config, made._name, made._numbers = config, name, None
        made._weight_quantizer, made._quantizer = config.texts()
        made._set_weight(MXTensor.from_array(mxe.Array(weight._core, "torch"), dtype,
                                             "torch" if on == "torch" else "golden"))
        if bias is not None:
            numbers = torch.as_tensor(bias).detach().clone()
            if numbers.shape != (rows,):
                raise ValueError(f"the bias must be [{rows}], but is {list(numbers.shape)}")
            made.bias = nn.Parameter(numbers, requires_grad=False)
        made.register_forward_pre_hook(keep_off_fast_paths)
        return made

    def _set_weight(self, quantized: MXTensor) -> None:
        quantized.activation, quantized.accumulate = self._quantizer, self.config.accumulate
        self.weight = nn.Parameter(quantized, requires_grad=False)

    def _quantize_weight(self, numbers: Tensor) -> None:
        config = self.config
        quantized = MXTensor.to_mx(numbers.detach(), config.weight,
                                   on="torch" if config.on == "torch" else "golden",
                                   **config._preset(config.weight))
        self._set_weight(quantized)

    def forward(self, input: Tensor) -> Tensor:
        """Source: model/numerics/gemm/gemm.h."""
        config, x = self.config, _autocast(input)
        if isinstance(config.on, mxe.Engine):
            return self._on_engine(config.on, x)
        quantizer = self._quantizer if config.on == "golden" else None
        if quantizer is not None and not config.train:
            return transforms.linear(x, self.weight.codes, self.weight.scales, self.bias, quantizer,
                                     self._weight_quantizer, config.accumulate, config.clip,
                                     self.weight.whole)
        if quantizer is not None:
            rows = x.reshape(-1, self.in_features)
            product = transforms.matmul(rows, self.weight, quantizer, self._weight_quantizer,
                                        self.bias, config.accumulate, config.clip)
            return product.reshape(*x.shape[:-1], self.out_features).to(x.dtype)
        weight = self.weight._values(x.dtype) if not config.train else transforms.fake_quantize(
            self.weight, self._weight_quantizer, -1, config.clip).to(x.dtype)
        bias = None if self.bias is None else self.bias.to(x.dtype)
        return nn.functional.linear(self._activation(x), weight, bias)

    def _on_engine(self, engine: mxe.Engine, x: Tensor) -> Tensor:
        rows, bias, numbers = x.detach().reshape(-1, self.in_features), self.bias, self._numbers
        with mxe.layer(self._name):
            result = engine.matmul(
                mxe.quantize(rows, self.config.activation, **self.config._preset(
                    self.config.activation)),
                self.weight.array, transpose_b=True, bias=None if bias is None else bias.detach(),
                reference=None if numbers is None else
                lambda: nn.functional.linear(rows.to(numbers.dtype), numbers, bias).detach())
        product: Tensor = result.value.reshape(*x.shape[:-1], self.out_features).to(x.dtype)
        if in_graph(x, bias):
            product = without_gradient(product, "an engine computes forward passes only")
        return product

    def _activation(self, x: Tensor) -> Tensor:
        if self._quantizer is None:
            return x
        return transforms.fake_quantize(x, self._quantizer, -1, self.config.clip)

    def _load_from_state_dict(self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool,
                              missing_keys: list[str], unexpected_keys: list[str],
                              error_msgs: list[str]) -> None:
        """Quantizes loaded numbers. Quantized weights (assign=True) set the layer's formats."""
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys,
                                      unexpected_keys, error_msgs)
        loaded = state_dict.get(prefix + "weight")
        if loaded is not None and self._numbers is not None:
            self._numbers = None if isinstance(loaded, MXTensor) else loaded.detach()
        if isinstance(self.weight, MXTensor) == (not self.config.train):
            if not self.config.train:
                self._adopt(self.weight)
        elif self.config.train:
            error_msgs.append(f"{prefix}weight is quantized, but train=True needs numbers")
        else:
            self._quantize_weight(self.weight)

    def _adopt(self, weight: MXTensor) -> None:
        formats = (weight._quantizer, weight.activation)
        if formats == (self._weight_quantizer, self._quantizer):
            return
        self._weight_quantizer, self._quantizer = formats
        self.config = dataclasses.replace(
            self.config, weight=weight.quantizer, accumulate=weight.accumulate,
            activation=None if weight.activation is None else quantizer_of(weight.activation))

    def extra_repr(self) -> str:
        return (f"{super().extra_repr()}, weight={self._weight_quantizer}, "
                f"activation={self._quantizer}, on={self.config.on}")

    _name: str
    # The unquantized weight, for the error in an engine's recordings; else None.
    _numbers: Optional[Tensor]
    _weight_quantizer: str
    _quantizer: Optional[str]


def _activation_of(activation: Optional[Union[FormatLike, Quantizer]], scale: Optional[float],
                   weight: Quantizer) -> Optional[Quantizer]:
    if activation is None:
        if scale is not None:
            raise ValueError("activation_scale needs an activation")
        return None
    if not isinstance(activation, Quantizer):
        name = format_name(activation)
        activation = Quantizer(name, weight.preset if name == weight.format else "ocp")
    return activation if scale is None else activation.replace(tensor_scale=float(scale))


def _autocast(x: Tensor) -> Tensor:
    """x in the type of torch.autocast, if that is enabled and x is not float64."""
    device = x.device.type
    if not torch.is_autocast_enabled(device) or x.dtype == torch.float64:
        return x
    return x.to(torch.get_autocast_dtype(device))


def keep_off_fast_paths(layer: nn.Module, arguments: Any) -> None:
    """A hook that does nothing, but keeps torch.nn.TransformerEncoderLayer off its fast path."""


_FLOATS = (torch.float32, torch.float64, torch.bfloat16, torch.float16)


def _obstacle(linear: nn.Linear, config: MXConfig) -> Optional[str]:
    """The reason why an MXLinear cannot compute this layer; None if it can."""
    forward = nn.Linear.forward if not isinstance(linear, MXLinear) else MXLinear.forward
    if parametrize.is_parametrized(linear) or "weight" not in linear._parameters:
        return ("its weight is computed from other parameters (parametrize, weight_norm, prune): "
                "remove that first")
    if isinstance(linear.weight, MXTensor):
        return "its weight is quantized already"
    if "forward" in vars(linear) or type(linear).forward is not forward:
        return f"{type(linear).__name__} has a forward() of its own"
    if isinstance(linear.weight, nn.parameter.UninitializedParameter):
        return "its weight has no shape yet: call the model once"
    if linear.weight.dtype not in _FLOATS:
        return f"its weight is {linear.weight.dtype}"
    if isinstance(linear, NonDynamicallyQuantizableLinear) and config.train:
        return _READ_BY_ATTENTION
    return None


_READ_BY_ATTENTION = ("torch.nn.MultiheadAttention multiplies by its weights, in_proj_weight among "
                      "them, without calling layers")


def _not_by_default(parent: Optional[nn.Module], linear: nn.Linear) -> Optional[str]:
    """The reason why quantize_ skips a layer unless filter_fn chooses it; None if it does not skip."""
    if isinstance(linear, MXLinear):
        return "it is an MXLinear already"
    if isinstance(parent, nn.MultiheadAttention):
        return _READ_BY_ATTENTION
    if _is_derived(linear):
        return f"{type(linear).__name__} is derived from torch.nn.Linear: filter_fn can choose it"
    return None


def _is_derived(linear: nn.Linear) -> bool:
    return type(linear) is not nn.Linear and type(linear).forward is nn.Linear.forward and \
        not parametrize.is_parametrized(linear)


def _read_by_parent(parent: Optional[nn.Module]) -> Optional[str]:
    """The reason why no layer of this module can be replaced; None if layers can."""
    name = type(parent).__name__
    if name == "LinearCrossEntropyLoss":  # in PyTorch 2.15 and later
        return f"torch.nn.{name} multiplies by its weight without calling it"
    return None


def quantize_(model: nn.Module, config: Optional[MXConfig] = None,
              filter_fn: Optional[Callable[[nn.Module, str], bool]] = None) -> nn.Module:
    """Replaces the linear layers of a model by layers in Microscaling formats, in place.

    filter_fn(module, its name): chooses modules derived from torch.nn.Linear; default: every
    torch.nn.Linear that its parent calls. A layer with several names is replaced by one layer. Warns of
    layers that are not replaced, and if nothing is quantized.

    Returns the model, or the new layer if the model is a linear layer. Raises ValueError for unsupported
    formats, and, without a change, if filter_fn chooses a layer that cannot be quantized.
    """
    _check_types(model, config, filter_fn)
    chosen = MXConfig() if config is None else config
    paths: dict[nn.Linear, str] = {}  # by layer: its first name
    kept: dict[str, list[str]] = {}  # names of skipped layers, by reason
    places: list[tuple[nn.Module, str, nn.Linear]] = []

    def take(parent: Optional[nn.Module], linear: nn.Linear, path: str) -> bool:
        if filter_fn is not None and not filter_fn(linear, path):
            return False
        obstacle = _read_by_parent(parent)
        if filter_fn is None:
            obstacle = obstacle or _not_by_default(parent, linear)
        obstacle = obstacle or _obstacle(linear, chosen)
        if obstacle is None:
            paths.setdefault(linear, path or "linear")
            return True
        if filter_fn is not None:
            raise ValueError(f"layer '{path}' cannot be quantized: {obstacle}")
        kept.setdefault(obstacle, []).append(path or "the model")
        return False

    if isinstance(model, nn.Linear):
        if take(None, model, ""):
            return MXLinear.from_linear(model, chosen, paths[model])
    else:
        for name, module in model.named_modules():
            for own, child in module._modules.items():
                path = f"{name}.{own}" if name else own
                if isinstance(child, nn.Linear) and take(module, child, path):
                    places.append((module, own, child))
    # Choose all before building any: a new layer shares its hooks with the old one.
    made = {linear: MXLinear.from_linear(linear, chosen, path) for linear, path in paths.items()}
    for parent, own, linear in places:
        setattr(parent, own, made[linear])
    for module in model.modules():
        if isinstance(module, nn.TransformerEncoder) and any(
                isinstance(one, MXLinear) for one in module.modules()):
            module.use_nested_tensor = False  # for fast paths only
    _report(kept, len(made), filter_fn is not None)
    return model


def _check_types(model: Any, config: Any, filter_fn: Any) -> None:
    for name, value, fits, allowed in (
            ("model", model, isinstance(model, nn.Module), "a torch.nn.Module"),
            ("config", config, config is None or isinstance(config, MXConfig), "an mxe.torch.MXConfig"),
            ("filter_fn", filter_fn, filter_fn is None or callable(filter_fn), "a function")):
        if not fits:
            raise TypeError(f"{name} must be {allowed}, not {type(value).__name__}")


def _report(kept: dict[str, list[str]], made: int, filtered: bool) -> None:
    parts = [f"{names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''} ({reason})"
             for reason, names in kept.items()]
    if parts:
        warnings.warn(f"quantize_ leaves linear layers as they are: {'; '.join(parts)}",
                      stacklevel=3)
    elif made == 0:
        warnings.warn("quantize_ changes nothing: " + (
            "filter_fn chooses no layer" if filtered else "the model has no torch.nn.Linear"),
            stacklevel=3)


@functools.cache
def _register_with_torchao() -> None:
    from torchao.core.config import AOBaseConfig
    from torchao.quantization.transform_module import register_quantize_module_handler
    AOBaseConfig.register(MXConfig)
    register_quantize_module_handler(MXConfig)(
        lambda module, config, **_: MXLinear.from_linear(module, config))
