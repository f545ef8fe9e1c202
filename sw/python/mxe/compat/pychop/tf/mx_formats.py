# SPDX-License-Identifier: Apache-2.0
"""The front end for TensorFlow's tensors, whichever backend is set."""
from __future__ import annotations

import functools

from .. import mx_formats as front
from ..mx_formats import MX_FORMATS, MXSpec, create_mx_spec

__all__ = ["MX_FORMATS", "MXSpec", "MXTensor_", "create_mx_spec", "mx_quantize"]


class MXTensor_(front.MXTensor_):  # noqa: N801 - a name of pychop
    __init__ = functools.partialmethod(front.MXTensor_.__init__, backend="tensorflow")


mx_quantize = functools.partial(front.mx_quantize, backend="tensorflow")
