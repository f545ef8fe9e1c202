# SPDX-License-Identifier: Apache-2.0
"""OCP Microscaling (MX) formats for NumPy, PyTorch and JAX, bit for bit.

The numerics are the C++ reference of MXE, which its model and its hardware agree with: what
`mxe quantize` and `mxe matmul --on golden` compute, this package computes to the last bit.

Arrays may be anything with DLPack or the buffer protocol (NumPy, torch, jax, ...), or lists of
numbers, of float32, float64, float16 or bfloat16, with any strides; results are arrays of the same
library. Bad values raise ValueError, bad types TypeError.
"""
from __future__ import annotations

from typing import Any, Iterable, Optional, Sequence, Union

from . import _core, _sentences
from ._array import Array, _threads, load, save
from ._engine import Engine, EngineResult
from ._estimate import estimate
from ._namespaces import Source, form_of, in_graph, numbers
from ._operands import operand, output
from ._quantizer import (Format, FormatLike, Preset, Quantizer, format_name, formats, presets,
                         resolve)
from ._record import Job, Recording, layer, record
from ._requests import EngineError
from ._results import Cause, Comparison, Difference, Differing, Explanation, Side, Stats

__all__ = ["Array", "Cause", "Comparison", "Difference", "Differing", "Engine", "EngineError",
           "EngineResult", "Explanation", "Format", "Job", "Preset", "Quantizer", "Recording",
           "Side", "Stats", "compare", "diff", "estimate", "explain", "fake_quantize", "formats",
           "layer", "load", "matmul", "presets", "quantize", "record", "save"]
__version__ = _core.version
_sentences.explain_all()


def quantize(x: Any, format: Union[FormatLike, Quantizer], preset: str = "ocp", *, axis: int = -1,
             block: Optional[int] = None, scale_format: Optional[str] = None,
             scale_rule: Optional[str] = None, rounding: Optional[str] = None,
             seed: Optional[int] = None, tensor_amax: Optional[float] = None,
             threads: Optional[int] = None) -> Array:
    """Quantizes an array of any shape to element codes and block scales: `mxe quantize`.

    x: float32, float64 (rounded to float32), float16 or bfloat16, any strides. float32 in row-major
        order is read where it lies; of anything else a few MiB at a time are copied, or all of it
        where blocks depend on each other (scales of the whole tensor or of rows, blocks of several
        rows, blocks that straddle rows, stochastic rounding).
    format: a name, a dtype of torch or ml_dtypes, or a Quantizer, which has the preset too.
    preset: whose quantizer (`mxe.presets()`); docs/numerics.md says which to choose.
    axis: that blocks run along; negative counts from the last one.
    block, scale_format, scale_rule, rounding, seed, tensor_amax: other than the preset's. rounding
        is rne, away, down, up, trunc or stochastic, or what Quantizer calls it.
    threads: default all; the result is the same.

    Returns an Array. Codes have no gradient: what is computed of the Array of a tensor that
    requires one raises RuntimeError in backward() (`mxe.torch.quantize` has the gradient). Raises
    ValueError for names that do not exist or do not go together, an axis that does not exist;
    TypeError for other types of elements. Source: model/numerics/quantize.h.
    """
    quantizer = resolve(format, preset, block, scale_format, scale_rule, rounding, seed,
                        tensor_amax)
    source = Source(x).numbers("x")
    return Array(_core.quantize(source.array, source.bits, quantizer, axis, _threads(threads)),
                 source.library, in_graph(x))


def fake_quantize(x: Any, format: Union[FormatLike, Quantizer], preset: str = "ocp", *,
                  axis: int = -1, dtype: Any = None, block: Optional[int] = None,
                  scale_format: Optional[str] = None, scale_rule: Optional[str] = None,
                  rounding: Optional[str] = None, seed: Optional[int] = None,
                  tensor_amax: Optional[float] = None, threads: Optional[int] = None) -> Any:
    """The numbers that an array becomes by quantizing, [shape of x]: `mxe quantize --dequantized`.

    dtype: of the result: float32, bfloat16, float16 or float64; default: that of x. float32 and
    float64 hold every value of every format, the others are rounded to nearest even. The rest is as
    in `quantize`. The gradient of a tensor that requires one is that of the identity.
    """
    quantizer = resolve(format, preset, block, scale_format, scale_rule, rounding, seed,
                        tensor_amax)
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
           out_format: str = "fp32", out_rule: Optional[str] = None,
           out_overflow: Optional[str] = None, accumulate: str = "block", dual: bool = True,
           bias_format: str = "fp32", threads: Optional[int] = None,
           on: Union[str, Engine] = "golden") -> Any:
    """a @ b + bias on the reference, or on an engine, which computes the same, bit for bit.

    a: [..., M, K], b: [..., K, N], or [..., N, K] with transpose_b, as weights of linear layers are
        stored. Axes before the last two broadcast as NumPy's do. Each is an Array, quantized along
        K by a quantizer of the engine (blocks of 32, E8M0 scales), or an array of numbers, which is
        quantized to format_a or format_b by the preset ocp first.
    bias: [N], [M, N] or like the result; bias_format bf16 rounds it as the engine stores it.
    out_format: fp32, bf16, fp16, or one of the engine's formats along N: then the result is an
        Array, with scales by out_rule (floor, ceil, even, rceil) and what is too large made by
        out_overflow (saturate, special).
    accumulate: block, the engine's rule; exact, sequential, or nvidia-blackwell.
    dual: two 4-bit operands are summed in two chains, as engines with FP4_DUAL do. An engine does
        what it is built to do.
    on: golden, or an `mxe.Engine`, whose `matmul` says what the product took, too.

    Returns [..., M, N], float32, bfloat16 or float16, in the library of a; or an Array. Has no
    gradient: backward() raises RuntimeError (`mxe.torch.matmul` has one). Raises ValueError for
    shapes that do not fit, formats that the engine does not have and names that do not exist.
    Source: model/numerics/gemm.h, model/job/output.h.
    """
    if isinstance(on, Engine):
        return on.matmul(a, b, format_a, format_b, bias=bias, transpose_b=transpose_b,
                         out_format=out_format, out_rule=out_rule, out_overflow=out_overflow,
                         accumulate=accumulate, bias_format=bias_format, threads=threads).value
    if on != "golden":
        raise ValueError(f"on must be 'golden' or an mxe.Engine, not {on!r}")
    count = _threads(threads)
    first, library = operand(a, format_a, -1, "a", count)
    second, _ = operand(b, format_b, -1 if transpose_b else -2, "b", count)
    added = None if bias is None else Source(bias).numbers("bias")
    value: Any = _core.matmul(first, second, transpose_b, None if added is None else added.array,
                              added is not None and added.bits, bias_format, out_format, out_rule,
                              out_overflow, accumulate, dual, count)
    return output(value, out_format, library, in_graph(a, b, bias))


def compare(x: Any, formats: Optional[Iterable[FormatLike]] = None,
            presets: Sequence[str] = ("ocp",), *, axis: int = -1,
            threads: Optional[int] = None) -> list[Comparison]:
    """What an array loses in each of several formats, by each of several presets: `mxe compare`.

    formats: default: the engine's seven and nvfp4, those of them that every preset has. A
    pandas.DataFrame of the result is a table. Raises as `quantize` does. Source:
    model/numerics/study.h.
    """
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
    """Where two quantizers part over an array, and by which of their switches: `mxe diff`.

    a, b: presets of `format`, or Quantizers with the same format (`format` may then be None).
    show: how many of the differing elements to return. Source: model/numerics/explain.h.
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


def explain(x: Any, format: Union[FormatLike, Quantizer], preset: str = "ocp", *, axis: int = -1,
            at: Union[int, Sequence[int], None] = None) -> list[Explanation]:
    """What becomes of numbers, step by step: `mxe explain`.

    x: an array, or a list of numbers that follow each other. at: which elements, counted in
    row-major order; default: all of them. Raises ValueError for elements that do not exist. Source:
    model/numerics/explain.h.
    """
    source = Source(x).numbers("x")
    chosen = [at] if isinstance(at, int) else None if at is None else list(at)
    if chosen is not None and any(one < 0 for one in chosen):
        raise ValueError("elements are counted from 0")
    return [Explanation(**element)
            for element in _core.explain(source.array, source.bits, resolve(format, preset), axis,
                                         chosen)]
