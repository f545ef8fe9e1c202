# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def compute_error(x: Tensor, y: Tensor) -> Tensor:
    """Ratio of the signal x to the error x - y, in dB."""
    return 20 * torch.log10(torch.linalg.norm(x) / torch.linalg.norm(x - y))


def _quantization_type(weight: Tensor) -> str:
    if hasattr(weight, "_quantization_type"):
        return f"{type(weight).__name__}({weight._quantization_type()})"
    if type(weight) in (Tensor, torch.nn.Parameter):
        return f"Tensor: {type(weight)}"
    return f"not recognized: {type(weight)}"


def _module_extra_repr(self: Any, original_extra_repr: Any, parameter_name: str) -> str:
    own = f"{parameter_name}={_quantization_type(getattr(self, parameter_name))}"
    return ", ".join(filter(None, (original_extra_repr(), own)))


def _linear_extra_repr(self: Any) -> str:
    rows, columns = self.weight.shape
    return f"in_features={columns}, out_features={rows}, weight={_quantization_type(self.weight)}"
