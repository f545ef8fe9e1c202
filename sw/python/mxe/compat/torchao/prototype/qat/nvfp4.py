# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

import torch
from torch import Tensor

from ...quantization.qat.fake_quantize_config import FakeQuantizeConfigBase
from ..mx_formats.nvfp4_tensor import NVFP4Tensor, _addmm_nvfp4_dispatch, per_tensor_amax_to_scale
from ._linear import FakeQuantizedLinear


@dataclass
class NVFP4FakeQuantizeConfig(FakeQuantizeConfigBase):
    """NVFP4 of weights or activations during training. use_triton_kernel changes no number."""

    use_per_tensor_scale: bool = True
    use_swizzled_scales: bool = False
    use_triton_kernel: bool = False


class NVFP4FakeQuantizedLinear(FakeQuantizedLinear):
    """A linear layer with NVFP4 weights and activations in the forward pass."""

    _family = "NVFP4"

    @staticmethod
    def _quantized(x: Tensor, config: NVFP4FakeQuantizeConfig) -> NVFP4Tensor:
        scale = per_tensor_amax_to_scale(torch.max(torch.abs(x))) if config.use_per_tensor_scale else None
        return NVFP4Tensor.to_nvfp4(x, per_tensor_scale=scale, is_swizzled_scales=config.use_swizzled_scales)

    @staticmethod
    def _product(a: NVFP4Tensor, b: NVFP4Tensor, bias: Optional[Tensor]) -> Tensor:
        return _addmm_nvfp4_dispatch(a, b, None, bias)
