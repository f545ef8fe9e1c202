# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch
from torch import Tensor


def hp_to_floatx(hp_data: Tensor, exponent_bits: int, mantissa_bits: int, max_normal: float,
                 round_mode: str = "round_to_even", keep_subnormals: bool = True) -> Tensor:
    """float32 or float64 numbers, rounded to a float of these bits and clipped at max_normal. NaN and infinity stay.

    round_mode: round_to_even or truncate. Raises AssertionError for other types and modes.
    """
    if hp_data.dtype not in (torch.float32, torch.float64):
        raise AssertionError(f"the elements must be float32 or float64, but are {hp_data.dtype}")
    if round_mode not in ("truncate", "round_to_even"):
        raise AssertionError(f"unknown rounding '{round_mode}' (allowed: truncate, round_to_even)")
    smallest = 2 - 2 ** (exponent_bits - 1)  # exponent of normal numbers
    x = hp_data
    if not keep_subnormals and exponent_bits:
        x = torch.where(x.abs() < 2.0 ** smallest, torch.zeros_like(x), x)
    magnitude = x.abs()
    exponent = torch.floor(torch.log2(torch.where(magnitude == 0, torch.ones_like(x), magnitude))).clamp(min=smallest)
    steps = x / 2 ** exponent * 2 ** mantissa_bits
    rounded = torch.trunc(steps) if round_mode == "truncate" else torch.round(steps)
    found = rounded / 2 ** mantissa_bits * 2 ** exponent
    found = torch.where(magnitude > max_normal, torch.sign(x) * max_normal, found)
    return torch.where(x.isinf(), x, found)
