# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses

import mxe


@dataclasses.dataclass(frozen=True, repr=False)
class DType:
    name: str
    format: str

    @property
    def max(self) -> float:
        """The largest value; for int8 the largest code, 127."""
        largest = mxe.Format(self.format).max
        return largest * 64 if self.name == "int8" else largest

    def __repr__(self) -> str:
        return self.name


float8_e4m3 = DType("float8_e4m3", "mxfp8_e4m3")
float6_e3m2 = DType("float6_e3m2", "mxfp6_e3m2")
float6_e2m3 = DType("float6_e2m3", "mxfp6_e2m3")
float4_e2m1 = DType("float4_e2m1", "mxfp4_e2m1")
int8 = DType("int8", "mxint8")

SUPPORTED_ELEM_DTYPES = (float8_e4m3, float6_e3m2, float6_e2m3, float4_e2m1, int8)
STR_TO_SUPPORTED_ELEM_DTYPE = {dtype.name: dtype for dtype in SUPPORTED_ELEM_DTYPES}
