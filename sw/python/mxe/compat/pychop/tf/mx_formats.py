# SPDX-License-Identifier: Apache-2.0
"""The front end for TensorFlow's tensors, whichever backend is set, and pychop's layer for Keras."""
from __future__ import annotations

import functools
from importlib.util import find_spec
from typing import TYPE_CHECKING

from .. import mx_formats as front
from .._missing import missing
from ..mx_formats import MX_FORMATS, MXSpec, create_mx_spec

if TYPE_CHECKING or find_spec("tensorflow"):
    from ._keras import MXQuantizerSTE
else:
    MXQuantizerSTE = missing("MXQuantizerSTE", "tensorflow")

__all__ = ["MX_FORMATS", "MXQuantizerSTE", "MXSpec", "MXTensor_", "create_mx_spec", "mx_quantize"]


class MXTensor_(front.MXTensor_):  # noqa: N801 - a name of pychop
    __init__ = functools.partialmethod(front.MXTensor_.__init__, backend="tensorflow")


mx_quantize = functools.partial(front.mx_quantize, backend="tensorflow")
