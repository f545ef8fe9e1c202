# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import warnings
from typing import Any, Optional, Union

import onnx

import mxe.onnx
from mxe.onnx._activations import _OPERATORS

from .._graph import Options, equalized, quantized, rewritten
from .config.config import Config, QConfig
from .config.custom_config import DEFAULT_MICROSCALING_PARAMS
from .config.legacy import QuantizationConfig

#: Attributes of MX nodes without MXAttributes.
_DEFAULT_ATTRIBUTES = {**DEFAULT_MICROSCALING_PARAMS, "rounding_mode": 0}
_ALLOWED = {"element_dtype": ("int8", "fp4_e2m1", "fp6_e2m3", "fp6_e3m2", "fp8_e4m3", "fp8_e5m2"),
            "rounding_mode": (0, 1, 2)}
#: Fields of QuantizationConfig and members of extra_options that change no MX node.
_NO_EFFECT = {"calibrate_method", "execution_providers", "reduce_range", "debug_mode", "print_summary",
              "ignore_warnings", "log_severity_level", "optimize_model", "include_cle"}
_NO_EFFECT_EXTRA = {"ActivationSymmetric", "WeightSymmetric", "IgnoreWarnings", "PrintSummary", "DebugMode",
                    "ExecutionProviders", "CalibDataSize", "CalibWorkerNum", "WeightCalibrateMethod", "TmpDir",
                    "OptimizeModel", "SimplifyModel", "SkipPreprocess", "RemoveInputInit", "FoldBatchNorm",
                    "FuseInstanceNorm", "FuseL2Norm", "FuseGelu", "FuseLayerNorm", "ConvertSplitToSlice",
                    "ConvertBNToConv", "ConvertReduceMeanToGlobalAvgPool", "SplitLargeKernelPool", "Int32Bias"}
_EXTRA = {"OpTypesToQuantize": "op_types", "ExtraOpTypesToQuantize": "more_op_types", "NodesToQuantize": "nodes",
          "OpTypesToExcludeOutputQuantization": "op_types_without_output",
          "NodesToExcludeOutputQuantization": "nodes_without_output", "QuantizeAllOpTypes": "all_op_types",
          "QuantizeBias": "bias", "WeightsOnly": "weights_only", "RefineBlockAxis": "refine",
          "ForceQuantizeNoInputCheck": "force"}


def get_library_path(device: str = "CPU") -> str:
    """The library of operators for onnxruntime on CPUs; for Quark's GPU libraries, install Quark."""
    if device.upper() != "CPU":
        raise ValueError(f"there is no library for the device {device} (allowed: CPU)")
    return mxe.onnx.custom_op_library()


class ModelQuantizer:
    """Quantizes ONNX models as Quark does, in MX formats.

    domain: of the nodes: com.amd.quark, com.vai.quantize (MXFixNeuron, the older name), or com.mxe, which
        onnx.reference runs, too.

    Raises ValueError for another type of configuration.
    """

    def __init__(self, config: Union[Config, QConfig], *, domain: str = "com.amd.quark") -> None:
        if not isinstance(config, (Config, QConfig)):
            raise ValueError("quantization config must be one of Config and QConfig.")
        if domain not in _OPERATORS:
            raise ValueError(f"unknown domain '{domain}' (allowed: {', '.join(_OPERATORS)})")
        self.config: Any = config.global_quant_config if isinstance(config, Config) else config
        self._domain = domain

    def quantize_model(self, model_input: Union[str, pathlib.Path, onnx.ModelProto],
                       model_output: Optional[Union[str, pathlib.Path]] = None, calibration_data_reader: Any = None,
                       calibration_data_path: Optional[str] = None,
                       algorithms: Optional[list[Any]] = None) -> Optional[onnx.ModelProto]:
        """Quantizes every activation and weight of the types of nodes that Quark quantizes.

        model_output: a file; without it, the model is returned. Calibration data are not read.

        The graph is quantized as it is; Quark first rewrites it, unless extra_options has SkipPreprocess. Warns of
        nodes and weights that Quark rewrites. Raises FileNotFoundError without model_input, and ValueError for options
        other than those of MX nodes.
        """
        if not isinstance(model_input, onnx.ModelProto) and not os.path.exists(model_input):
            raise FileNotFoundError(f"Input model file {model_input} does not exist.")
        if algorithms:
            raise ValueError("algorithms are not supported (allowed: none)")
        model = onnx.ModelProto()
        model.CopyFrom(model_input if isinstance(model_input, onnx.ModelProto) else onnx.load(model_input))
        extra, options, is_external = _options(self.config, model)
        if not extra.get("SkipPreprocess", False):
            _warn(model, getattr(self.config, "include_cle", False))
        result = quantized(model, options, self._domain)
        if model_output is None:
            return result
        onnx.save(result, model_output, save_as_external_data=is_external)
        return None


def _warn(model: onnx.ModelProto, is_equalized: bool) -> None:
    kinds = rewritten(model)
    if kinds:
        warnings.warn(f"Quark rewrites {', '.join(kinds)} before it quantizes; here the graph stays as it is: "
                      "preprocess the model first, or set SkipPreprocess in extra_options", stacklevel=3)
    names = equalized(model) if is_equalized else []
    if names:
        warnings.warn(f"include_cle has no effect: the weights of {', '.join(names)}, which Quark equalizes first, "
                      "stay as they are (include_cle=False is the same in both)", stacklevel=3)


def _options(config: Any, model: onnx.ModelProto) -> tuple[dict[str, Any], Options, bool]:
    """The members of extra_options, the options of the nodes, and true for external data."""
    legacy = isinstance(config, QuantizationConfig)
    extra = dict(config.extra_options)
    extra.update(extra.pop("extra_options", None) or {})
    settings: dict[str, Any] = {}
    if legacy:
        _check_legacy(config)
        settings.update(op_types=config.op_types_to_quantize, more_op_types=config.extra_op_types_to_quantize,
                        nodes=config.nodes_to_quantize)
        excluded, attributes = config.nodes_to_exclude, dict(_DEFAULT_ATTRIBUTES)
    else:
        attributes = {**DEFAULT_MICROSCALING_PARAMS, "element_dtype": _element_of(config)}
        excluded = config.exclude
        if "MXAttributes" in extra:
            attributes = dict(_DEFAULT_ATTRIBUTES)
    attributes.update(_checked(extra.pop("MXAttributes", {})))
    for name, value in extra.items():
        if name in _EXTRA:
            settings[_EXTRA[name]] = value
        elif name not in _NO_EFFECT_EXTRA and value not in (None, False, [], {}):
            raise ValueError(f"extra_options has {name}, which is not supported (allowed: MXAttributes, "
                             f"{', '.join(_EXTRA)})")
    return extra, Options(attributes, without=_excluded(excluded, model), **settings), config.use_external_data_format


def _check_legacy(config: QuantizationConfig) -> None:
    kind, name = type(config.quant_format).__name__, getattr(config.quant_format, "name", "")
    if (kind, name) not in (("ExtendedQuantFormat", "QDQ"), ("VitisQuantFormat", "QDQ"),
                            ("VitisQuantFormat", "MXFixNeuron")):
        raise ValueError(f"quant_format {config.quant_format} is not supported (allowed: ExtendedQuantFormat.QDQ)")
    for field in ("activation_type", "weight_type"):
        if name != "MXFixNeuron" and getattr(getattr(config, field), "name", "") != "QMX":
            raise ValueError(f"{field} {getattr(config, field)} is not supported (allowed: ExtendedQuantType.QMX)")
    known = {"quant_format", "activation_type", "weight_type", "op_types_to_quantize", "extra_op_types_to_quantize",
             "nodes_to_quantize", "nodes_to_exclude", "use_external_data_format", "extra_options", *_NO_EFFECT}
    for one in dataclasses.fields(config):
        if one.name not in known and getattr(config, one.name):
            raise ValueError(f"{one.name}={getattr(config, one.name)} is not supported (allowed: the default)")


def _element_of(config: QConfig) -> str:
    layer = config.global_config
    inputs = layer.input_tensors if layer.input_tensors is not None else layer.activation
    if inputs is None or layer.weight is None:
        raise ValueError("You must specify `input_tensors` and `weight`.")
    element = getattr(inputs, "element_dtype", None)
    others = [layer.weight, *(one for one in (layer.bias, layer.output_tensors) if one is not None)]
    if element is None or any(getattr(one, "element_dtype", None) != element for one in others):
        raise ValueError("all tensors must have the same MX format (allowed: MXInt8Spec, MXFP4E2M1Spec, MXFP6E2M3Spec, "
                         "MXFP6E3M2Spec, MXFP8E4M3Spec, MXFP8E5M2Spec)")
    if inputs.quant_granularity.name != "Tensor" or layer.weight.quant_granularity.name != "Tensor":
        raise ValueError("MX formats have the granularity QuantGranularity.Tensor only")
    for name in ("specific_layer_config", "layer_type_config", "algo_config"):
        if getattr(config, name):
            raise ValueError(f"{name} is not supported (allowed: none)")
    return str(element)


def _checked(attributes: dict[str, Any]) -> dict[str, Any]:
    """Raises ValueError for attributes that the operator does not have."""
    for name, value in attributes.items():
        if name not in _DEFAULT_ATTRIBUTES:
            raise ValueError(f"MXAttributes has {name} (allowed: {', '.join(_DEFAULT_ATTRIBUTES)})")
        allowed = _ALLOWED.get(name)
        if allowed is not None and value not in allowed:
            raise ValueError(f"{name} cannot be {value!r} (allowed: {', '.join(map(str, allowed))})")
        if allowed is None and (not isinstance(value, int) or isinstance(value, bool) or
                                (name == "block_size" and value < 1)):
            raise ValueError(f"{name} cannot be {value!r} (allowed: whole numbers"
                             f"{' from 1 on' if name == 'block_size' else ''})")
    return attributes


def _excluded(names: list[Any], model: onnx.ModelProto) -> set[str]:
    """Names of nodes; names that begin with ^ are patterns."""
    found: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise ValueError(f"{name} cannot be excluded (allowed: names of nodes, and patterns such as ^layer.*)")
        if not name.startswith("^"):
            found.add(name)
            continue
        matching = {node.name for node in model.graph.node if re.search(name, node.name)}
        if not matching:
            raise ValueError(f"no node has a name that matches {name}")
        found |= matching
    return found
