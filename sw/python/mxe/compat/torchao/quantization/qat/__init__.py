# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from .api import QATConfig, QATStep
from .fake_quantize_config import FakeQuantizeConfigBase

__all__ = ["FakeQuantizeConfigBase", "QATConfig", "QATStep"]
