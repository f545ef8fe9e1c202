# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
from typing import Optional

import torch

import mxe

_FORMATS = {"float8_e4m3": "mxfp8_e4m3", "float6_e3m2": "mxfp6_e3m2", "float6_e2m3": "mxfp6_e2m3",
            "float4_e2m1": "mxfp4_e2m1", "int8": "mxint8"}
E8M0_EXPONENT_NAN_VAL = 255


@dataclasses.dataclass(frozen=True, repr=False)
class DType:
    """Properties of a type."""

    name: str
    max: float  #: the largest value; for int8 the largest code, 127
    max_pow2: int  #: exponent of the largest value
    exponent_bias: int
    exponent_bits: int
    mantissa_bits: int
    has_nan: bool
    has_inf: bool
    torch_dtype: Optional[torch.dtype] = None

    @property
    def format(self) -> str:
        """MXE's name of an element type; raises ValueError for other types."""
        if self.name not in _FORMATS:
            raise ValueError(f"{self.name} is no element type (allowed: {', '.join(_FORMATS)})")
        return _FORMATS[self.name]

    def __repr__(self) -> str:
        return self.name


def _element(name: str, torch_dtype: Optional[torch.dtype] = None) -> DType:
    one = mxe.Format(_FORMATS[name])
    return DType(name, one.max, one.emax, one.bias, one.exponent_bits, one.mantissa_bits, one.has_nan, one.has_inf,
                 torch_dtype)


def _number(name: str, exponent_bits: int, mantissa_bits: int, torch_dtype: Optional[torch.dtype] = None) -> DType:
    bias = 2 ** (exponent_bits - 1) - 1
    return DType(name, 2.0 ** bias * (2 - 2.0 ** -mantissa_bits), bias, bias, exponent_bits, mantissa_bits, True, True,
                 torch_dtype)


float8_e4m3 = _element("float8_e4m3", torch.float8_e4m3fn)
float6_e3m2 = _element("float6_e3m2")
float6_e2m3 = _element("float6_e2m3")
float4_e2m1 = _element("float4_e2m1")
int8 = DType("int8", 127.0, 6, 0, 0, 7, False, False, torch.int8)

float64 = _number("float64", 11, 52, torch.float64)
float32 = _number("float32", 8, 23, torch.float32)
bfloat16 = _number("bfloat16", 8, 7, torch.bfloat16)
float22_e8m13 = _number("float22_e8m13", 8, 13)
e8m0 = DType("e8m0", 2.0 ** 127, 127, 127, 8, 0, True, False)

SUPPORTED_FP_ELEM_DTYPES = (float8_e4m3, float6_e3m2, float6_e2m3, float4_e2m1)
SUPPORTED_ELEM_DTYPES = (*SUPPORTED_FP_ELEM_DTYPES, int8)
STR_TO_SUPPORTED_ELEM_DTYPE = {dtype.name: dtype for dtype in SUPPORTED_ELEM_DTYPES}
