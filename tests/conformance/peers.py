# SPDX-License-Identifier: Apache-2.0
"""Preset and format of each file of recorded vectors, and the values that the recorded systems leave undefined."""
import numpy as np

HARDWARE = {"e2m1": "mxfp4_e2m1", "e1m2": "mxfp4_e1m2", "e2m3": "mxfp6_e2m3", "e3m2": "mxfp6_e3m2",
            "e4m3": "mxfp8_e4m3", "e5m2": "mxfp8_e5m2", "int8": "mxint8"}
CASES = ["normal", "widedyn", "fp32_subnormal", "tiny", "huge", "zeros", "ties", "satedge",
         "log2edge", "naninf", "rawbits", "allexp", "bf16vals", "heavytail", "partial_a",
         "partial_b", "partial_c", "partial_d", "partial_e"]
RENAMED = {"torchmx-sim": "torchmx", "torchmx-hwexact": "torchmx", "torchao-nvfp4": None,
           "modelopt-nvfp4": "nvfp4-modelopt_old", "te-nvfp4ref": "nvfp4-te",
           "te-nvfp4ref-pow2": "nvfp4-te-pow2", "ml_dtypes": None}
NAN_EXPONENT = 999  # exponent of a NaN scale in the recorded vectors


def job_of(stem):
    """Returns (preset, format name, options) of a file SYSTEM__FMT; None for torchao-nvfp4, which holds two presets, and
    for ml_dtypes, which is no quantizer."""
    system, fmt = stem.split("__")
    options = ""
    if system.startswith("pychop-scale"):
        options = f"scale=e{system[len('pychop-scale')]}m0"
        system = "pychop"
    preset = RENAMED.get(system, system)
    if preset is None:
        return None
    if preset.startswith("nvfp4"):
        return preset, "nvfp4", options
    if fmt.startswith("c_"):
        custom = fmt[2:]
        name = f"int{int(custom[3:]) + 1}" if custom.startswith("e0m") else custom
        return preset, name, options
    return preset, HARDWARE[fmt], options


def nan_codes(codes, fmt):
    if fmt == "mxfp8_e4m3":
        return (codes & 0x7F) == 0x7F
    if fmt == "mxfp8_e5m2":
        return (codes & 0x7F) > 0x7C
    return np.zeros(codes.shape, bool)


def per_element(block_mask, shape, block):
    return np.repeat(block_mask, block, axis=-1)[..., : shape[-1]]


def excluded_codes(preset, fmt, scale_is_nan, x, stem, block):
    """Returns a mask of the elements whose codes the recorded system leaves undefined, or None.

    torchao (fp4, fp6, e5m2, NVFP4) and torchmx's hardware-exact path convert NaN to integers in blocks with a NaN scale.
    """
    poisoned = per_element(scale_is_nan, x.shape, block)
    if preset.startswith("torchao") and fmt != "mxfp8_e4m3":
        return poisoned
    if stem.startswith("torchmx-hwexact"):
        return poisoned
    if preset.startswith("nvfp4-torchao"):
        return poisoned
    return None
