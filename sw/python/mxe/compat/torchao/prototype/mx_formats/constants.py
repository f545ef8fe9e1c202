# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch

DTYPE_FP6_E3M2 = "fp6_e3m2"
DTYPE_FP6_E2M3 = "fp6_e2m3"

SUPPORTED_ELEM_DTYPES = [torch.float8_e4m3fn, torch.float8_e5m2, DTYPE_FP6_E2M3, DTYPE_FP6_E3M2,
                         torch.float4_e2m1fn_x2]

DTYPE_TO_SHORT_STR = {
    torch.float8_e4m3fn: "f8e4m3",
    torch.float8_e5m2: "f8e5m2",
    DTYPE_FP6_E2M3: "f6e2m3",
    DTYPE_FP6_E3M2: "f6e3m2",
    torch.float4_e2m1fn_x2: "f4e2m1",
}

F8E4M3_MAX = 448.0
F8E5M2_MAX = 57344.0
F8E4M3_MAX_POW2 = 8
F8E5M2_MAX_POW2 = 15
F6_E2M3_MAX_POW2 = 2
F6_E3M2_MAX_POW2 = 4
F4_E2M1_MAX_POW2 = 2

E8M0_EXPONENT_BIAS = 127
E8M0_EXPONENT_NAN_VAL = 255

F32_EXP_BIAS = 127
BF16_EXP_BIAS = 127
F6_E2M3_EXP_BIAS = 1
F6_E3M2_EXP_BIAS = 3
F4_E2M1_EXP_BIAS = 1
F32_MIN_NORMAL = 2.0 ** -126

F6_E2M3_MAX = 7.5
F6_E2M3_MIN_NORMAL = 1.0
F6_E2M3_MAX_INT = 31
F6_E3M2_MAX = 28.0
F6_E3M2_MIN_NORMAL = 0.25
F6_E3M2_MAX_INT = 31
F4_E2M1_MAX = 6.0
F4_E2M1_MIN_NORMAL = 1.0
F4_E2M1_MAX_INT = 7

BLOCK_SIZE_DEFAULT = 32

#: MXE's formats.
_FORMATS = {
    torch.float8_e4m3fn: "mxfp8_e4m3",
    torch.float8_e5m2: "mxfp8_e5m2",
    DTYPE_FP6_E2M3: "mxfp6_e2m3",
    DTYPE_FP6_E3M2: "mxfp6_e3m2",
    torch.float4_e2m1fn_x2: "mxfp4_e2m1",
}
