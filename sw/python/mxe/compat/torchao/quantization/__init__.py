# SPDX-License-Identifier: Apache-2.0
"""`quantize_`, and quantization-aware training."""
from __future__ import annotations

from .quantize_ import common as common  # before the function, which has the name of its package

from .quant_api import quantize_  # isort: skip

__all__ = ["quantize_"]
