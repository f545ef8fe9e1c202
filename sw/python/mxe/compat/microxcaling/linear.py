# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from .functions import LinearFunction, linear
from .layers import Linear

__all__ = ["Linear", "LinearFunction", "linear"]
