# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import types
from dataclasses import dataclass
from functools import partial
from typing import Any, Optional

import torch
from torch import Tensor, nn

from ..._tensor import require
from ...core.config import AOBaseConfig
from ...quantization.quantize_.common import KernelPreference, QuantizationStep
from ...quantization.transform_module import register_quantize_module_handler
from ...quantization.utils import _linear_extra_repr, _module_extra_repr
from .config import _validate_elem_dtype
from .mx_tensor import MXTensor, QuantizeTensorToMXKwargs, ScaleCalculationMode
from .nvfp4_tensor import NVFP4Tensor, QuantizeTensorToNVFP4Kwargs, per_tensor_amax_to_scale


class NVFP4ObservedLinear(nn.Linear):
    """A linear layer that keeps the largest magnitude of its inputs in `amax`."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
                 dtype: Any = None) -> None:
        super().__init__(in_features, out_features, bias, device, dtype)
        self.amax = torch.tensor(0.0, device=device)

    def forward(self, input: Tensor) -> Tensor:
        with torch.no_grad():
            self.amax = torch.max(self.amax, torch.max(torch.abs(input)))
        return nn.functional.linear(input, self.weight, self.bias)

    @classmethod
    def from_float(cls, float_linear: nn.Linear) -> NVFP4ObservedLinear:
        made = cls(float_linear.in_features, float_linear.out_features, float_linear.bias is not None, "meta",
                   float_linear.weight.dtype)
        made.amax = torch.tensor(0.0)
        made.weight, made.bias = float_linear.weight, float_linear.bias
        return made


@dataclass
class MXDynamicActivationMXWeightConfig(AOBaseConfig):
    """MX formats for weights, which must be bfloat16, and activations.

    kernel_preference: AUTO multiplies float8_e4m3fn and float4_e2m1fn_x2 in blocks of 32 as `mxe.matmul`; EMULATED
        multiplies dequantized numbers of every format.
    """

    block_size: int = 32
    activation_dtype: torch.dtype = torch.float8_e4m3fn
    weight_dtype: torch.dtype = torch.float8_e4m3fn
    kernel_preference: KernelPreference = KernelPreference.AUTO
    scaling_mode: ScaleCalculationMode = ScaleCalculationMode.RCEIL

    def __post_init__(self) -> None:
        require(self.activation_dtype == self.weight_dtype,
                "For now - we only support matching input/weight dtypes.")
        _validate_elem_dtype(self.activation_dtype)


def _with_weight(module: Any, parameter_name: str, weight: Tensor) -> nn.Module:
    setattr(module, parameter_name, nn.Parameter(weight, requires_grad=False))
    module.extra_repr = types.MethodType(
        partial(_module_extra_repr, original_extra_repr=module.extra_repr, parameter_name=parameter_name), module)
    changed: nn.Module = module
    return changed


@register_quantize_module_handler(MXDynamicActivationMXWeightConfig)
def _mx_inference_linear_transform(module: nn.Module, config: MXDynamicActivationMXWeightConfig, *,
                                   parameter_name: str = "weight") -> nn.Module:
    weight = getattr(module, parameter_name)
    require(weight.dtype == torch.bfloat16, f"Only supporting bf16 out dtype for now, got {weight.dtype}")
    kwargs = QuantizeTensorToMXKwargs(config.activation_dtype, config.block_size, config.scaling_mode,
                                      config.kernel_preference, is_swizzled_scales=True)
    return _with_weight(module, parameter_name, MXTensor.to_mx(
        weight, config.weight_dtype, config.block_size, config.scaling_mode, config.kernel_preference, kwargs,
        is_swizzled_scales=True))


@dataclass
class NVFP4DynamicActivationNVFP4WeightConfig(AOBaseConfig):
    """NVFP4 for weights and activations.

    use_triton_kernel: is kept in the tensors; no number depends on it.
    use_dynamic_per_tensor_scale: the tensor scale is computed from the largest magnitude, that of activations in each
        product. Without it, there is none.
    step: "prepare" replaces linear layers by observers; "convert" replaces these by layers whose activations have the
        constant tensor scale of the largest observed magnitude.
    """

    use_triton_kernel: bool = True
    use_dynamic_per_tensor_scale: bool = True
    step: Optional[QuantizationStep] = None

    def __post_init__(self) -> None:
        if isinstance(self.step, str):
            self.step = QuantizationStep(self.step)
        if self.step is not None:
            self.use_dynamic_per_tensor_scale = False


def _check_shape(weight: Tensor, axes: tuple[int, ...]) -> None:
    require(weight.dim() in axes, f"a weight of {weight.dim()} axes is not supported here")
    if weight.shape[-2] % 16 or weight.shape[-1] % 16:
        raise RuntimeError("NVFP4 only supports weight shape with last 2 dims divisible by 16, got "
                           f"{list(weight.shape)}")


def _scale_of(weight: Tensor) -> Tensor:
    """The tensor scale, or [E, 1, 1] for experts [E, N, K]."""
    if weight.dim() == 2:
        return per_tensor_amax_to_scale(torch.max(torch.abs(weight)))
    return per_tensor_amax_to_scale(torch.amax(torch.abs(weight), dim=(1, 2))).view(-1, 1, 1)


def _quantized(weight: Tensor, scale: Optional[Tensor], activation_scale: Optional[Tensor],
               config: NVFP4DynamicActivationNVFP4WeightConfig) -> NVFP4Tensor:
    kwargs = QuantizeTensorToNVFP4Kwargs(
        is_swizzled_scales=True, use_triton_kernel=config.use_triton_kernel,
        use_dynamic_per_tensor_scale=config.use_dynamic_per_tensor_scale)
    made = NVFP4Tensor.to_nvfp4(weight, per_tensor_scale=scale, act_per_tensor_scale=activation_scale,
                                is_swizzled_scales=True, act_quant_kwargs=kwargs)
    made.use_triton_kernel = config.use_triton_kernel
    return made


@register_quantize_module_handler(NVFP4DynamicActivationNVFP4WeightConfig)
def _nvfp4_inference_linear_transform(module: Any, config: NVFP4DynamicActivationNVFP4WeightConfig, *,
                                      parameter_name: str = "weight") -> nn.Module:
    weight = getattr(module, parameter_name)
    _check_shape(weight, (2, 3) if config.step is None else (2,))
    if config.step is None:
        scale = _scale_of(weight) if config.use_dynamic_per_tensor_scale else None
        return _with_weight(module, parameter_name, _quantized(weight, scale, None, config))
    if config.step == QuantizationStep.PREPARE:
        return NVFP4ObservedLinear.from_float(module)
    if config.step != QuantizationStep.CONVERT:
        raise ValueError(f"unexpected step {config.step} (allowed: prepare, convert)")
    if not isinstance(module, NVFP4ObservedLinear):
        unchanged: nn.Module = module
        return unchanged
    made = nn.Linear(module.in_features, module.out_features, module.bias is not None, "meta", weight.dtype)
    made.weight = nn.Parameter(_quantized(weight, _scale_of(weight), per_tensor_amax_to_scale(module.amax).detach(),
                                          config), requires_grad=False)
    made.bias = module.bias
    made.extra_repr = types.MethodType(_linear_extra_repr, made)
    return made


@dataclass
class NVFP4WeightOnlyConfig(AOBaseConfig):
    """NVFP4 for weights; torch multiplies activations by the dequantized weights."""

    use_dynamic_per_tensor_scale: bool = True


@register_quantize_module_handler(NVFP4WeightOnlyConfig)
def _nvfp4_weight_only_linear_transform(module: Any, config: NVFP4WeightOnlyConfig) -> nn.Module:
    weight = module.weight
    _check_shape(weight, (2,))
    scale = _scale_of(weight) if config.use_dynamic_per_tensor_scale else None
    module.weight = nn.Parameter(NVFP4Tensor.to_nvfp4(weight, per_tensor_scale=scale, is_swizzled_scales=True),
                                 requires_grad=False)
    module.extra_repr = types.MethodType(_linear_extra_repr, module)
    changed: nn.Module = module
    return changed
