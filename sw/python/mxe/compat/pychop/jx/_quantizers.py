# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Optional

from .. import mx_formats as front
from ..mx_formats import FormatLike, MXSpec

mx_quantize = functools.partial(front.mx_quantize, backend="jax")


def create_mx_ste_quantizer(spec: MXSpec, block_size: int = 32, scale_exp_bits: Optional[int] = None,
                            scale_sig_bits: Optional[int] = None) -> Callable[[Any], Any]:
    """A function of arrays and tracers, whose gradient is that of the identity."""
    return functools.partial(mx_quantize, format=spec, block_size=block_size, scale_exp_bits=scale_exp_bits,
                             scale_sig_bits=scale_sig_bits)


class MXQuantizerSTE:
    """`mx_quantize` with fixed arguments."""

    def __init__(self, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                 scale_exp_bits: Optional[int] = None, scale_sig_bits: Optional[int] = None) -> None:
        self.spec = front._spec_of(format, block_size, scale_exp_bits, scale_sig_bits, "jax")
        self.format_str, self.block_size = front._title(format), block_size

    def __call__(self, x: Any) -> Any:
        return mx_quantize(x, self.spec)

    def __repr__(self) -> str:
        return f"MXQuantizerSTE(format={self.format_str}, block_size={self.block_size})"
