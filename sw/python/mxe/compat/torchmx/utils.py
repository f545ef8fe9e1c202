# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import logging
import random
from collections.abc import Iterable, Sequence

import numpy as np
import torch
from torch import Tensor

from . import env_variables


def get_logger(logger_name: str = "TORCHMX",
               format_string: str = "%(asctime)s - %(name)s - %(levelname)s - %(message)s",
               console_output: bool = True) -> logging.Logger:
    """A logger that writes to the terminal, unless console_output is False, and to the file of LOG_FILE."""
    logger = logging.getLogger(logger_name)
    logger.setLevel(env_variables.TORCHMX_LOG_LEVEL)
    logger.propagate = False
    if not logger.handlers:
        handlers: list[logging.Handler] = [logging.StreamHandler()] if console_output else []
        if env_variables.TORCHMX_LOG_FILE:
            handlers.append(logging.FileHandler(env_variables.TORCHMX_LOG_FILE))
        for handler in handlers:
            handler.setFormatter(logging.Formatter(format_string))
            logger.addHandler(handler)
    return logger


def get_uniform_random_number(min_val: int, max_val: int, shape: Iterable[int],
                              dtype: torch.dtype) -> Tensor:
    """Random numbers in [min_val, max_val)."""
    return (max_val - min_val) * torch.rand(*shape, dtype=dtype) + min_val


def set_seed(seed: int) -> None:
    """Seeds Python, NumPy and PyTorch."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the generator that torchmx's users draw from
    torch.manual_seed(seed)


def tensor_size_hp_to_fp4x2(orig_size: Sequence[int], packing_dim: int) -> list[int]:
    """The shape of codes packed in pairs along an axis, of ceil(size / 2) bytes."""
    size = list(orig_size)
    size[packing_dim] = (size[packing_dim] + 1) // 2
    return size


def tensor_size_fp4x2_to_hp(orig_size: Sequence[int], unpacking_dim: int) -> list[int]:
    """The shape of the codes in bytes that hold two each."""
    size = list(orig_size)
    size[unpacking_dim] = size[unpacking_dim] * 2
    return size


def unpack_uint4(uint8_data: Tensor, packing_dim: int = -1) -> Tensor:
    """Codes of 4 bits, one a byte, from bytes with the first code in the high bits."""
    axis = packing_dim % uint8_data.dim()
    pairs = torch.stack((uint8_data >> 4, uint8_data & 15), dim=axis + 1)
    return pairs.reshape(tensor_size_fp4x2_to_hp(uint8_data.shape, axis))


def pack_uint4(uint8_data: Tensor, packing_dim: int = -1) -> Tensor:
    """Bytes of two codes each along an axis, the first one in the high bits. Raises AssertionError for an odd number
    of codes."""
    axis = packing_dim % uint8_data.dim()
    if uint8_data.shape[axis] % 2:
        raise AssertionError(f"an axis of {uint8_data.shape[axis]} codes has no pairs")
    first, second = (uint8_data.narrow(axis, 0, uint8_data.shape[axis]).unflatten(axis, (-1, 2)).select(axis + 1, at)
                     for at in (0, 1))
    return (first << 4 | second).contiguous()
