# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from .functions import bmm

__all__ = ["bmm"]
