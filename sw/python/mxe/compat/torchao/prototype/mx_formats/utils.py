# SPDX-License-Identifier: Apache-2.0
"""Swizzled scales."""
from __future__ import annotations

from ..._layout import (
    ceil_div,
    from_blocked,
    hp_data_dims_to_swizzled_scale_dims_mx,
    hp_data_dims_to_swizzled_scale_dims_nvfp4,
    to_blocked,
)

__all__ = ["ceil_div", "from_blocked", "hp_data_dims_to_swizzled_scale_dims_mx",
           "hp_data_dims_to_swizzled_scale_dims_nvfp4", "to_blocked"]
