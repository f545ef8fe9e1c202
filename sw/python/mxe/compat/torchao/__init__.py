# SPDX-License-Identifier: Apache-2.0
"""torchao's MX and NVFP4 interface (main branch, 36027d8), with its numbers, on a CPU.

Change `torchao` to `mxe.compat.torchao` in imports of torchao.prototype.mx_formats, torchao.prototype.qat and
torchao.quantization. Needs no torchao, except `to_torchao`.
"""
from __future__ import annotations

from . import prototype
from ._exchange import from_torchao, load, to_torchao
from .quantization import quantize_

__all__ = ["from_torchao", "load", "prototype", "quantize_", "to_torchao"]
