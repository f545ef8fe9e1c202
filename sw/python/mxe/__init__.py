# SPDX-License-Identifier: Apache-2.0
"""OCP Microscaling (MX) formats for NumPy, PyTorch and JAX.

MXE's C++ reference computes all results: the bits of `mxe quantize` and `mxe matmul --on golden`.
Arrays are float32, float64, float16 or bfloat16 with any strides, from any library with DLPack or
the buffer protocol, or lists. Results are of the same library. Wrong values raise ValueError, wrong types TypeError.
"""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Optional, Union

from . import _core, _sentences
from ._array import Array, _threads, load, save
from ._checkpoints import CheckpointLayer, load_layer, save_checkpoint
from ._engine import Engine, EngineResult
from ._estimate import estimate
from ._names import (
    AccumulateLike,
    OutFormatLike,
    OverflowLike,
    PresetLike,
    RoundingLike,
    ScaleFormatLike,
    ScaleRuleLike,
)
from ._namespaces import Source, form_of, in_graph, numbers
from ._operands import operand, output
from ._quantizer import Format, FormatLike, Preset, Quantizer, format_name, formats, presets, resolve
from ._record import Job, Recording, layer, record
from ._requests import EngineError, whole
from ._results import Cause, Comparison, Difference, Differing, Explanation, Side, Stats

__all__ = ["Array", "Cause", "CheckpointLayer", "Comparison", "Difference", "Differing", "Engine", "EngineError",
           "EngineResult", "Explanation", "Format", "Job", "Preset", "Quantizer", "Recording",
           "Side", "Stats", "compare", "diff", "estimate", "explain", "fake_quantize", "formats",
           "layer", "load", "load_layer", "matmul", "presets", "quantize", "record", "save",
           "save_checkpoint"]
__version__ = _core.version
_sentences.explain_all()


def quantize(x: Any, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *, axis: int = -1,
             block: Optional[int] = None, scale_format: Optional[ScaleFormatLike] = None,
             scale_rule: Optional[ScaleRuleLike] = None, rounding: Optional[RoundingLike] = None,
             seed: Optional[int] = None, tensor_amax: Optional[float] = None,
             tensor_scale: Optional[float] = None, threads: Optional[int] = None,
             block_size: Optional[int] = None) -> Array:
    """Quantizes an array of any shape to element codes and block scales: `mxe quantize`.

    x: float32, float64 (rounded to float32), float16 or bfloat16. Row-major float32 is read in
        place, other arrays are copied a few MiB at a time, or whole if blocks depend on
        each other: scales of tensor or rows, blocks over several rows, stochastic rounding.
    format: a name, a dtype of torch or ml_dtypes, or a Quantizer, which also sets the preset.
    preset: the software whose results are reproduced (`mxe.presets()`, docs/numerics.md).
    axis: the axis along which blocks run; negative values count from the last axis.
    block, block_size, scale_format, scale_rule, rounding, seed, tensor_amax, tensor_scale: replace the preset's
        values. block_size is another name of block. rounding is rne, away, down, up, trunc or stochastic, or one of
        Quantizer's names. tensor_scale is a constant one, for example of a checkpoint's activations.
    threads: 1 to 1024; default: all hardware threads. The result does not depend on it.

    Returns an Array. If x requires a gradient, backward() through it raises RuntimeError
    (`mxe.torch.quantize` has a gradient). Raises ValueError for unknown or incompatible names and
    axes that do not exist, TypeError for other element types.
    Source: model/numerics/quantize/quantize.h.
    """
    quantizer = resolve(format, preset, block, scale_format, scale_rule, rounding, seed,
                        tensor_amax, block_size, tensor_scale)
    source = Source(x).numbers("x")
    return Array(_core.quantize(source.array, source.bits, quantizer, axis, _threads(threads)),
                 source.library, in_graph(x))


def fake_quantize(x: Any, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *,
                  axis: int = -1, dtype: Any = None, block: Optional[int] = None,
                  scale_format: Optional[ScaleFormatLike] = None, scale_rule: Optional[ScaleRuleLike] = None,
                  rounding: Optional[RoundingLike] = None, seed: Optional[int] = None,
                  tensor_amax: Optional[float] = None, tensor_scale: Optional[float] = None,
                  threads: Optional[int] = None, block_size: Optional[int] = None) -> Any:
    """Quantizes and dequantizes an array, [shape of x]: `mxe quantize --dequantized`.

    dtype: of the result: float32, float64, or bfloat16 and float16, both rounded to nearest even; default:
        that of x. Other arguments are as in `quantize`. Gradients pass through unchanged.
    """
    quantizer = resolve(format, preset, block, scale_format, scale_rule, rounding, seed,
                        tensor_amax, block_size, tensor_scale)
    source = Source(x).numbers("x")
    form = form_of(source.dtype if dtype is None else dtype)
    values: Any = _core.fake_quantize(source.array, source.bits, quantizer, axis,
                                      _threads(threads), form)
    made = numbers(values, form, source.library)
    if not in_graph(x):
        return made
    from ._autograd import straight_through
    return straight_through(x, made)


def matmul(a: Any, b: Any, format_a: Optional[FormatLike] = None,
           format_b: Optional[FormatLike] = None, *, bias: Any = None, transpose_b: bool = False,
           out_format: OutFormatLike = "fp32", out_rule: Optional[ScaleRuleLike] = None,
           out_overflow: Optional[OverflowLike] = None, accumulate: AccumulateLike = "block", dual: bool = True,
           alpha: Optional[float] = None, bias_format: str = "fp32",
           threads: Optional[int] = None, on: Union[str, Engine] = "golden") -> Any:
    """a @ b + bias on the reference or on an engine, with the same bits.

    a: [..., M, K]. b: [..., K, N], or [..., N, K] with transpose_b. Leading axes broadcast as in
        NumPy. Each operand is an Array, quantized along K, or an array of numbers, which preset ocp
        quantizes to format_a or format_b: a name, such as nvfp4, or a Quantizer. Blocks have 16, 32, 64 or
        128 elements with E8M0 scales, or 16 of mxfp4_e2m1 with E4M3 (nvfp4) or E5M3 scales. An engine
        multiplies E8M0 scales of blocks of 32, and nvfp4 by nvfp4.
    bias: [N], [M, N] or the shape of the result; bias_format bf16 rounds it to bfloat16 first.
    out_format: fp32, bf16, fp16, or an MX format of the engine. For an MX format the result is an
        Array quantized along N, with scales by out_rule (floor, ceil, even, rceil). out_overflow
        (saturate, special): result of elements beyond the largest value.
    accumulate: block, the engine's rule; exact, sequential, or nvidia-blackwell.
    dual: sums two 4-bit operands in two chains, and NVFP4 twice in steps of 64 elements, as engines with
        FP4_DUAL do. An engine ignores it.
    alpha: factor of the sums, before the bias is added; default: the product of the tensor scales,
        rounded to float32.
    on: golden, or an `mxe.Engine`. `Engine.matmul` also returns cycles and counters.

    Returns [..., M, N], float32, bfloat16 or float16, in the library of a; or an Array. backward()
    raises RuntimeError (`mxe.torch.matmul` has a gradient). Raises ValueError for shapes that do not
    fit, formats that the engine does not have and unknown names.
    Source: model/numerics/gemm/gemm.h, model/job/output.h.
    """
    if isinstance(on, Engine):
        return on.matmul(a, b, format_a, format_b, bias=bias, transpose_b=transpose_b,
                         out_format=out_format, out_rule=out_rule, out_overflow=out_overflow,
                         accumulate=accumulate, alpha=alpha, bias_format=bias_format, threads=threads).value
    if on != "golden":
        raise ValueError(f"on must be 'golden' or an mxe.Engine, not {on!r}")
    count = _threads(threads)
    first, library = operand(a, format_a, -1, "a", count)
    second, _ = operand(b, format_b, -1 if transpose_b else -2, "b", count)
    added = None if bias is None else Source(bias).numbers("bias")
    value: Any = _core.matmul(first, second, transpose_b, None if added is None else added.array,
                              added is not None and added.bits, bias_format, out_format, out_rule,
                              out_overflow, accumulate, dual, alpha, count)
    return output(value, out_format, library, in_graph(a, b, bias))


def compare(x: Any, formats: Optional[Iterable[FormatLike]] = None,
            presets: Sequence[str] = ("ocp",), *, axis: int = -1,
            threads: Optional[int] = None) -> list[Comparison]:
    """Compares the errors of several formats and presets: `mxe compare`.

    formats: default: those of the engine's seven and nvfp4 that every preset supports. Returns one
    Comparison per format and preset; pandas.DataFrame accepts the list. Raises as `quantize` does.
    Source: model/numerics/quantize/study.h.
    """
    for name, value in (("formats", formats), ("presets", presets)):
        if isinstance(value, str) or not isinstance(value, (Iterable, type(None))):
            raise TypeError(f"{name} must be a list of names, not {type(value).__name__}")
    names = _core.common_formats(list(presets)) if formats is None else \
        [format_name(format) for format in formats]
    source = Source(x).numbers("x")
    count = _threads(threads)
    return [Comparison(format=name, preset=preset,
                       **_core.stats(source.array, source.bits, resolve(name, preset), axis, None,
                                     count))
            for name in names for preset in presets]


def diff(x: Any, format: Optional[FormatLike], a: Union[str, Quantizer], b: Union[str, Quantizer],
         *, axis: int = -1, show: int = 5, threads: Optional[int] = None) -> Difference:
    """Where two quantizers' results differ, and which switch causes it: `mxe diff`.

    a, b: presets of `format`, or Quantizers of one format (`format` may be None). show: number of
    differing elements to return, the first ones. Source: model/numerics/quantize/explain.h.
    """
    sides = []
    for side in (a, b):
        if isinstance(side, Quantizer):
            sides.append(side._core)
        elif format is None:
            raise ValueError("presets need a format")
        else:
            sides.append(resolve(format, side))
    source = Source(x).numbers("x")
    found = _core.diff(source.array, source.bits, sides[0], sides[1], axis, show,
                       _threads(threads))
    found["causes"] = [Cause(*cause) for cause in found["causes"]]
    found["shown"] = [Differing(at, value, cause, Side(*one), Side(*other))
                      for at, value, cause, one, other in found["shown"]]
    return Difference(**found)


def explain(x: Any, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *, axis: int = -1,
            at: Union[int, Sequence[int], None] = None) -> list[Explanation]:
    """How numbers are quantized, step by step: `mxe explain`.

    x: an array or a list of numbers. at: row-major indices of elements; default: all. Raises
    ValueError for elements that do not exist. Source: model/numerics/quantize/explain.h.
    """
    source = Source(x).numbers("x")
    chosen = None
    if at is not None:
        listed = at if isinstance(at, Iterable) and not isinstance(at, str) else [at]
        chosen = [whole("at", one) for one in listed]
    return [Explanation(**element)
            for element in _core.explain(source.array, source.bits, resolve(format, preset), axis,
                                         chosen)]


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])
