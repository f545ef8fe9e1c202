# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch
from torch import Tensor

import mxe.torch
from mxe.torch import text_of
from mxe.torch._tensor import _ToMX

from . import dtypes


class MXTensor(mxe.torch.MXTensor):
    """A bfloat16 tensor quantized along its last axis by preset torchmx; torch computes products (mm, bmm,
    linear, 4-D matmul, ...) of the dequantized numbers."""

    @staticmethod
    def to_mx(  # type: ignore[override]  # torchmx's arguments, not those of mxe.torch
            data_hp: Tensor, elem_dtype: dtypes.DType, block_size: int = 32) -> MXTensor:
        """Quantizes a bfloat16 tensor of any shape; raises TypeError for other types."""
        if data_hp.dtype != torch.bfloat16:
            raise TypeError(f"data_hp: the elements must be bfloat16, but are {data_hp.dtype}")
        quantizer = text_of(elem_dtype.format, "torchmx", block=block_size)
        result: MXTensor = _ToMX.apply(data_hp, MXTensor, quantizer, -1, "torch")
        return result

    def to_dtype(self, target_dtype: torch.dtype) -> Tensor:
        """The dequantized numbers, as bfloat16 or float32."""
        return self.dequantize(target_dtype)

    @property
    def _elem_dtype(self) -> dtypes.DType:
        return next(dtype for dtype in dtypes.SUPPORTED_ELEM_DTYPES if dtype.format == self.format)

    @property
    def _scale_e8m0(self) -> Tensor:
        return self.scales

    @property
    def _block_size(self) -> int:
        return int(self.quantizer.switches["block_size"])

    @property
    def _block_dim(self) -> int:
        return self.axis

    @property
    def _orig_dtype(self) -> torch.dtype:
        return self.dtype


torch.serialization.add_safe_globals([MXTensor])
