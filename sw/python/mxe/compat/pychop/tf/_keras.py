# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import tensorflow as tf

from .. import mx_formats as front
from ..mx_formats import FormatLike


class MXQuantizerSTE(tf.keras.layers.Layer):
    """A layer that quantizes its input; the gradient is that of the identity."""

    def __init__(self, format: FormatLike = "mxfp8_e4m3", block_size: int = 32, scale_exp_bits: Optional[int] = None,
                 scale_sig_bits: Optional[int] = None, **keywords: Any) -> None:
        super().__init__(**keywords)
        front._spec_of(format, block_size, scale_exp_bits, scale_sig_bits, "tensorflow")
        self.format, self.block_size = format, block_size
        self.scale_exp_bits, self.scale_sig_bits = scale_exp_bits, scale_sig_bits

    def call(self, x: Any) -> Any:
        return front.mx_quantize(x, self.format, self.block_size, self.scale_exp_bits, self.scale_sig_bits,
                                 "tensorflow")
