# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import enum

import torch


class KernelPreference(str, enum.Enum):
    """Arithmetic of products: AUTO is that of `mxe.matmul`, EMULATED that of torch with dequantized numbers. The others
    are refused, as in torchao's MX tensors."""

    AUTO = "auto"
    TORCH = "torch"
    MSLK = "mslk"
    EMULATED = "emulated"
    DEEPGEMM = "deepgemm"
    TRITON = "triton"
    CUTEDSL = "cutedsl"


torch.serialization.add_safe_globals([KernelPreference])
