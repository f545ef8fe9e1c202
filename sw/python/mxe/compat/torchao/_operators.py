# SPDX-License-Identifier: Apache-2.0
"""torch.ops.mxe_torchao: NVFP4 with a tensor scale that graphs compute."""
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor

import mxe
from mxe.torch import _operators as operators


@torch.library.custom_op("mxe_torchao::quantize_nvfp4", mutates_args=())
def quantize_nvfp4(x: Tensor, per_tensor_scale: Optional[Tensor]) -> tuple[Tensor, Tensor]:
    """Codes and scales, uint8, of x [..., K]. per_tensor_scale: one number, or [E, 1, 1] for x [E, M, K]."""
    if per_tensor_scale is None:
        codes, scales, _ = operators.quantize(x, "nvfp4:nvfp4-torchao1")
        return codes, scales
    if per_tensor_scale.dim() == 0:
        return _with_scale(x, float(per_tensor_scale))
    parts = [_with_scale(one, scale) for one, scale in zip(x, per_tensor_scale.reshape(-1).tolist())]
    return torch.stack([codes for codes, _ in parts]), torch.stack([scales for _, scales in parts])


@quantize_nvfp4.register_fake
def _(x: Tensor, per_tensor_scale: Optional[Tensor]) -> tuple[Tensor, Tensor]:
    return (x.new_empty(x.shape, dtype=torch.uint8),
            x.new_empty([*x.shape[:-1], x.shape[-1] // 16], dtype=torch.uint8))


def _with_scale(x: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    if scale < 0:
        raise ValueError(f"the tensor scale {scale} is below 0")
    if not 2.0 ** -127 <= scale < float("inf"):  # 1 / scale is not finite
        return _by_formula(x.to(torch.float32), scale)
    array = mxe.quantize(x, "nvfp4", "nvfp4-torchao2", tensor_scale=scale, threads=operators._threads_of_torch())
    return array.codes, array.scales


def _by_formula(x: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    """torchao's rule for a scale without a finite reciprocal. Example: 0, that of an array of zeros, gives NaN scales.
    Products are 0, Inf or NaN; NaN has the code 0."""
    whole = torch.tensor(scale)
    blocks = x.reshape(*x.shape[:-1], -1, 16)
    wanted = blocks.abs().amax(-1) / 6.0 / whole
    scales = wanted.clamp(min=2.0 ** -6, max=448.0).to(torch.float8_e4m3fn)
    products = blocks * ((1.0 / whole) / scales.to(torch.float32)).unsqueeze(-1)
    codes = (products > 0) * 7 + (products < 0) * 15 + ((products == 0) & products.signbit()) * 8
    return codes.to(torch.uint8).reshape(x.shape), scales.view(torch.uint8) & 127
