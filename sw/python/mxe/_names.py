# SPDX-License-Identifier: Apache-2.0
"""Names of formats, presets and choices as types, which editors offer; tests compare them with the core's lists."""
from __future__ import annotations

from typing import Literal, Union

FormatName = Literal[
    "mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp8_e4m3", "mxfp8_e5m2", "mxint8",
    "nvfp4"]

PresetName = Literal[
    "ocp", "ocp-floor", "ocp-ceil", "ocp-even", "ocp-rceil", "microxcaling-nearest",
    "microxcaling-even", "microxcaling-floor", "microxcaling-even-flush",
    "microxcaling-cuda-nearest", "microxcaling-cuda-even", "microxcaling-cuda-floor", "torchmx",
    "torchao-floor", "torchao-ceil", "torchao-even", "torchao-rceil", "torchao_old-floor",
    "torchao_old-ceil", "torchao_old-even", "torchao_old-rceil", "quark-onnx", "quark-onnx-std",
    "quark-onnx-dpu", "quark-onnx-py3", "quark-torch-floor", "quark-torch-ceil", "quark-torch-even",
    "pychop", "ascend", "modelopt-mxfp4", "modelopt-mxfp8", "modelopt-cuda-nv", "modelopt-cuda-ocp",
    "nvfp4-torchao1", "nvfp4-torchao2", "nvfp4-modelopt", "nvfp4-modelopt-4over6",
    "nvfp4-modelopt_old", "nvfp4-compressed-tensors", "nvfp4-te", "nvfp4-te-2d", "nvfp4-te-row",
    "nvfp4-te-4over6", "nvfp4-te-4over6-mse", "nvfp4-te-4over6-2d", "nvfp4-te-4over6-row",
    "nvfp4-te-pow2"]

ScaleFormatName = Literal[
    "e8m0", "e4m3", "e5m3"]

ScaleRuleName = Literal[
    "floor", "ceil", "even", "rceil"]

RoundingName = Literal[
    "rne", "away", "down", "up", "trunc", "stochastic"]

OutFormatName = Literal[
    "fp32", "bf16", "fp16", "mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp8_e4m3",
    "mxfp8_e5m2", "mxint8"]

OverflowName = Literal[
    "saturate", "special"]

AccumulateName = Literal[
    "block", "exact", "sequential", "nvidia-blackwell"]

# Texts are allowed too: names that a program computes, eXmY, intN.
PresetLike = Union[PresetName, str]
ScaleFormatLike = Union[ScaleFormatName, str]
ScaleRuleLike = Union[ScaleRuleName, str]
RoundingLike = Union[RoundingName, str]
OutFormatLike = Union[OutFormatName, str]
OverflowLike = Union[OverflowName, str]
AccumulateLike = Union[AccumulateName, str]
