# SPDX-License-Identifier: Apache-2.0
"""Layers that train with MX or NVFP4 in the forward pass."""
from __future__ import annotations

from .mx import MXFakeQuantizeConfig, MXFakeQuantizedLinear
from .nvfp4 import NVFP4FakeQuantizeConfig, NVFP4FakeQuantizedLinear

__all__ = ["MXFakeQuantizeConfig", "MXFakeQuantizedLinear", "NVFP4FakeQuantizeConfig", "NVFP4FakeQuantizedLinear"]
