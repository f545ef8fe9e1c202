# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import ClassVar


class AOBaseConfig:
    """Base of the configurations that `quantize_` takes."""

    version: ClassVar[int] = 1
