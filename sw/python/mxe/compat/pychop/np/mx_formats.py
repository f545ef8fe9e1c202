# SPDX-License-Identifier: Apache-2.0
"""The front end for NumPy's arrays, whichever backend is set."""
from __future__ import annotations

import functools

from .. import mx_formats as front
from ..mx_formats import MX_FORMATS, MXBlock_, MXSpec, compare_mx_formats, create_mx_spec

__all__ = ["MX_FORMATS", "MXBlock_", "MXSpec", "MXTensor_", "compare_mx_formats", "create_mx_spec", "mx_quantize"]


class MXTensor_(front.MXTensor_):  # noqa: N801 - a name of pychop
    __init__ = functools.partialmethod(front.MXTensor_.__init__, backend="numpy")


mx_quantize = functools.partial(front.mx_quantize, backend="numpy")
