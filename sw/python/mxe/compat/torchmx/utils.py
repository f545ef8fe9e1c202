# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import logging
from collections.abc import Iterable

import torch
from torch import Tensor


def get_logger(logger_name: str = "TORCHMX") -> logging.Logger:
    return logging.getLogger(logger_name)


def get_uniform_random_number(min_val: int, max_val: int, shape: Iterable[int],
                              dtype: torch.dtype) -> Tensor:
    """Random numbers in [min_val, max_val)."""
    return (max_val - min_val) * torch.rand(*shape, dtype=dtype) + min_val
