# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any

import jax
from flax import linen

from ..mx_formats import FormatLike
from ._quantizers import MXQuantizerSTE


class MXDense(linen.Module):
    """flax.linen.Dense with quantized input (unless quantize_input is False) and kernel."""

    features: int
    use_bias: bool = True
    weight_format: FormatLike = "mxfp8_e4m3"
    block_size: int = 32
    quantize_input: bool = True

    def setup(self) -> None:
        self.weight_quantizer = MXQuantizerSTE(self.weight_format, self.block_size)
        self.input_quantizer = self.weight_quantizer if self.quantize_input else None

    @linen.compact
    def __call__(self, x: Any) -> Any:
        """x [..., inputs] -> [..., features]."""
        if self.input_quantizer is not None:
            x = self.input_quantizer(x)
        kernel = self.param("kernel", linen.initializers.lecun_normal(), (x.shape[-1], self.features))
        y = jax.numpy.dot(x, self.weight_quantizer(kernel))
        return y + self.param("bias", linen.initializers.zeros, (self.features,)) if self.use_bias else y
