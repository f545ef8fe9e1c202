# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import enum
from typing import Any

import torch

from ...quantization.quantize_.common.kernel_preference import KernelPreference
from .constants import SUPPORTED_ELEM_DTYPES


class MXFP8Dim0CastKernelChoice(enum.Enum):
    """Kernels that quantize along rows. All have the same numbers here."""

    TRITON = "triton"
    TORCH = "torch"


class MXFP8Dim1CastKernelChoice(enum.Enum):
    """Kernels that quantize along columns, for training, which is not part of this package."""

    TRITON = "triton"
    CUDA = "cuda"
    TORCH = "torch"
    CUTEDSL = "cutedsl"
    FLYDSL = "flydsl"


class ScaleCalculationMode(enum.Enum):
    """Rules of scales: the presets torchao-floor, torchao-rceil, torchao-ceil and torchao-even."""

    FLOOR = "floor"
    RCEIL = "rceil"
    CEIL = "ceil"
    EVEN = "even"

    def __eq__(self, other: object) -> Any:
        """torchao's members are equal to those of the same name."""
        if type(other).__name__ == "ScaleCalculationMode" and isinstance(other, enum.Enum):
            return self.value == other.value
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)


def _validate_elem_dtype(elem_dtype: Any) -> None:
    assert elem_dtype in SUPPORTED_ELEM_DTYPES, (
        f"elem_dtype must be one of {SUPPORTED_ELEM_DTYPES}, got {elem_dtype}")


def _validate_kernel_preference(kernel_preference: Any, block_size: int, elem_dtype: Any) -> None:
    if kernel_preference == KernelPreference.AUTO and elem_dtype in (torch.float8_e4m3fn, torch.float4_e2m1fn_x2):
        assert block_size == 32, f"block_size must be 32, got {block_size}"
    else:
        assert kernel_preference == KernelPreference.EMULATED, (
            f"unsupported {kernel_preference=}, {block_size=}, {elem_dtype=}")


torch.serialization.add_safe_globals([ScaleCalculationMode])
