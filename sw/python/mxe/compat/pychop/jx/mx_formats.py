# SPDX-License-Identifier: Apache-2.0
"""The front end for JAX's arrays, whichever backend is set, and pychop's layer for Flax."""
from __future__ import annotations

import functools
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .. import mx_formats as front
from .._missing import missing
from ..mx_formats import MX_FORMATS, MXSpec, compare_mx_formats, create_mx_spec
from ._quantizers import MXQuantizerSTE, create_mx_ste_quantizer, mx_quantize

if TYPE_CHECKING or find_spec("flax"):
    from ._flax import MXDense
else:
    MXDense = missing("MXDense", "flax")

__all__ = ["MX_FORMATS", "MXDense", "MXQuantizerSTE", "MXSpec", "MXTensor_", "compare_mx_formats", "create_mx_spec",
           "create_mx_ste_quantizer", "mx_quantize"]


class MXTensor_(front.MXTensor_):  # noqa: N801 - a name of pychop
    __init__ = functools.partialmethod(front.MXTensor_.__init__, backend="jax")
