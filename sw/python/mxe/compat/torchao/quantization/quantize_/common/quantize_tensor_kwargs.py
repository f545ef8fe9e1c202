# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import ClassVar


class QuantizeTensorKwargs:
    """Base of the arguments with which activations are quantized."""

    VERSION: ClassVar[int] = 1
