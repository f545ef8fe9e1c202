# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor

from ...quantization.qat.fake_quantize_config import FakeQuantizeConfigBase
from ...quantization.quantize_.common.kernel_preference import KernelPreference
from ..mx_formats.config import ScaleCalculationMode, _validate_elem_dtype, _validate_kernel_preference
from ..mx_formats.mx_tensor import MXTensor, _addmm_mx_dispatch
from ._linear import FakeQuantizedLinear


@dataclass
class MXFakeQuantizeConfig(FakeQuantizeConfigBase):
    """The MX format of weights or activations during training."""

    dtype: torch.dtype = torch.float4_e2m1fn_x2
    block_size: int = 32
    scaling_mode: ScaleCalculationMode = ScaleCalculationMode.RCEIL
    kernel_preference: KernelPreference = KernelPreference.EMULATED

    def __post_init__(self) -> None:
        _validate_elem_dtype(self.dtype)
        _validate_kernel_preference(self.kernel_preference, self.block_size, self.dtype)


class MXFakeQuantizedLinear(FakeQuantizedLinear):
    """A linear layer with MX weights and activations in the forward pass. AUTO has results in bfloat16."""

    _family = "MX"

    @staticmethod
    def _quantized(x: Tensor, config: MXFakeQuantizeConfig) -> MXTensor:
        made: MXTensor = MXTensor.to_mx(x, config.dtype, config.block_size, config.scaling_mode,
                                        config.kernel_preference)
        return made

    @staticmethod
    def _product(a: MXTensor, b: MXTensor, bias: Optional[Tensor]) -> Tensor:
        operator = torch.ops.aten.mm.default if bias is None else torch.ops.aten.addmm.default
        return _addmm_mx_dispatch(a, b, operator, bias)
