# SPDX-License-Identifier: Apache-2.0
"""Packing of 4-bit codes; torchao's kernels for GPUs are not part of this package."""
from __future__ import annotations

from ..._layout import pack_uint4, unpack_uint4

__all__ = ["pack_uint4", "unpack_uint4"]
