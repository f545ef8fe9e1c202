# SPDX-License-Identifier: Apache-2.0
"""torchmx's environment variables. Exact and simulated quantization give the same bits, so MX_EXACT_QUANTIZATION
has no effect."""
from __future__ import annotations

import os
from typing import Optional

TORCHMX_LOG_LEVEL = os.getenv("LOG_LEVEL", "INFO")
TORCHMX_LOG_FILE: Optional[str] = os.getenv("LOG_FILE", None)
MX_EXACT_QUANTIZATION = os.getenv("MX_HARDWARE_EXACT_QUANTIZATION", "False")
