# SPDX-License-Identifier: Apache-2.0
"""The MX formats of pychop 0.6.2, with its numbers for float32 arrays.

Import mx_quantize from mxe.compat.pychop, not from pychop. Takes arrays of any library, as `mxe` does, and of
TensorFlow. As in pychop, `mx_formats` is the front end, and `np`, `tch`, `jx`, `tf` have `mx_formats` of one library.
"""
from __future__ import annotations

from .mx_formats import (
    MX_FORMATS,
    MXBlock_,
    MXSpec,
    MXTensor,
    MXTensor_,
    backend,
    compare_mx_formats,
    create_mx_spec,
    mx_quantize,
    print_mx_format_table,
)

__all__ = ["MX_FORMATS", "MXBlock_", "MXSpec", "MXTensor", "MXTensor_", "backend", "compare_mx_formats",
           "create_mx_spec", "mx_quantize", "print_mx_format_table"]
