# SPDX-License-Identifier: Apache-2.0
"""Quantizing in JAX's transformations: jit, vmap, grad.

These functions also take tracers. They call the C++ reference on the host with jax.pure_callback and
return the bits of `mxe`. Gradients are straight-through estimates.

>>> import jax, mxe.jax
>>> jax.jit(lambda x: mxe.jax.fake_quantize(x, "mxfp8_e4m3"))
"""
from __future__ import annotations

import functools
from typing import Any, NamedTuple, Optional, Union

import jax
import jax.numpy as jnp
import numpy as np

import mxe
from mxe import Quantizer
from mxe._names import AccumulateLike, PresetLike
from mxe._namespaces import Source
from mxe._quantizer import FormatLike, resolve

__all__ = ["Codes", "fake_quantize", "matmul", "quantize"]


class Codes(NamedTuple):
    """Element codes and scales, from which `mxe.Array.from_codes` makes an `mxe.Array` (pass tensor_amax
    or row_amaxes for presets with such scales)."""

    codes: jax.Array  #: [shape], uint8 or uint16
    scales: jax.Array  #: uint8 codes, or float32
    tensor_amax: jax.Array  #: float32 []; 1 for presets without a tensor scale
    row_amaxes: jax.Array  #: float32, [shape] without the blocked axis; [0] for presets without row scales


def _quantizer(format: Union[FormatLike, Quantizer], preset: str,
               switches: dict[str, Any]) -> Quantizer:
    core = resolve(format, preset, **switches)
    return Quantizer(core.format, core.preset, **core.changes)


def _from_the_end(axis: int, ndim: int) -> int:
    """A negative axis, which remains valid when vmap adds leading axes."""
    if not -max(ndim, 1) <= axis < max(ndim, 1):
        raise ValueError(f"axis {axis} does not exist (allowed: {-max(ndim, 1)} to "
                         f"{max(ndim, 1) - 1})")
    return axis - ndim if axis >= 0 and ndim > 0 else axis


def _vmap_method(x: jax.Array, *quantizers: Quantizer) -> str:
    """How vmap computes a callback: with one call (expand_dims: leading axes of size 1 for unmapped
    operands), or with one call per member (sequential) if a member's result depends on its whole array:
    tensor scales, blocks that straddle rows, blocks of several rows if x has one axis, stochastic rounding."""
    def alone(quantizer: Quantizer) -> bool:
        switches = quantizer.switches
        return bool(switches["walk"] == "flat" or switches["rounding"] == "stochastic"
                    or (switches["uses_tensor_scale"] and not switches["row_scaled"])
                    or (switches["block_rows"] > 1 and x.ndim < 2))
    return "sequential" if any(map(alone, quantizers)) else "expand_dims"


def quantize(x: Any, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *, axis: int = -1,
             **switches: Any) -> Codes:
    """Codes and scales of an array or tracer; arguments as in `mxe.quantize`. Has no gradient. Raises
    ValueError and TypeError at tracing time."""
    quantizer = _quantizer(format, preset, switches)
    x = jnp.asarray(x)
    axis = _from_the_end(axis, x.ndim)
    if x.ndim == 0:  # vmap adds axes, and blocks must not run along them
        one = quantize(x.reshape(1), quantizer)
        flat = quantizer.switches["walk"] == "flat"
        return one._replace(codes=one.codes.reshape(()),
                            scales=one.scales.reshape((1,) if flat else ()))
    sample = mxe.quantize(np.zeros((1,) * x.ndim, x.dtype), quantizer)
    blocks = list(x.shape)
    size = quantizer.switches["block_size"]
    if quantizer.switches["walk"] == "flat":
        blocks = [-(-x.size // size)]
    else:
        blocks[axis] = -(-blocks[axis] // size)
    rows = [0]
    if quantizer.switches["row_scaled"]:
        rows = [length for i, length in enumerate(x.shape) if i != axis % x.ndim]
    shapes = (jax.ShapeDtypeStruct(x.shape, sample.codes.dtype),
              jax.ShapeDtypeStruct(tuple(blocks), sample.scales.dtype),
              jax.ShapeDtypeStruct((), np.float32), jax.ShapeDtypeStruct(tuple(rows), np.float32))

    def compute(values: Any) -> tuple[np.ndarray, ...]:
        q = mxe.quantize(np.asarray(values), quantizer, axis=axis)
        batch = values.shape[:values.ndim - x.ndim]
        rows = np.zeros((*batch, 0), np.float32) if q.row_amaxes is None else q.row_amaxes
        return q.codes, q.scales, np.full(batch, q.tensor_amax, np.float32), rows

    return Codes(*jax.pure_callback(compute, shapes, x, vmap_method=_vmap_method(x, quantizer)))


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _straight_through(x: jax.Array, quantizer: Quantizer, axis: int) -> jax.Array:
    def compute(values: Any) -> Any:
        return mxe.fake_quantize(np.asarray(values), quantizer, axis=axis)

    return jax.pure_callback(compute, jax.ShapeDtypeStruct(x.shape, x.dtype), x,
                             vmap_method=_vmap_method(x, quantizer))


_straight_through.defvjp(lambda x, quantizer, axis: (_straight_through(x, quantizer, axis), None),
                         lambda quantizer, axis, _, gradient: (gradient,))


def fake_quantize(x: Any, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *,
                  axis: int = -1, **switches: Any) -> jax.Array:
    """An array quantized and dequantized, of the same shape and type; arguments as in `mxe.quantize`.
    Gradients pass through unchanged. Raises ValueError and TypeError at tracing time."""
    quantizer = _quantizer(format, preset, switches)
    x = jnp.asarray(x)
    mxe.fake_quantize(np.zeros((0,), x.dtype), quantizer)  # checks types now, not in the callback
    axis = _from_the_end(axis, x.ndim)
    if x.ndim == 0:
        return _straight_through(x.reshape(1), quantizer, -1).reshape(())
    return _straight_through(x, quantizer, axis)


@functools.partial(jax.custom_vjp, nondiff_argnums=(2, 3, 4))
def _product(a: jax.Array, b: jax.Array, format_a: Quantizer, format_b: Quantizer,
             accumulate: str) -> jax.Array:
    def compute(x: Any, y: Any) -> Any:
        return mxe.matmul(mxe.quantize(np.asarray(x), format_a),
                          mxe.quantize(np.asarray(y), format_b, axis=-2), accumulate=accumulate)

    shape = jax.eval_shape(jnp.matmul, a, b).shape
    # Operands of equal rank stay aligned when vmap adds leading axes.
    a, b = (x.reshape((1,) * (len(shape) - x.ndim) + x.shape) for x in (a, b))
    return jax.pure_callback(compute, jax.ShapeDtypeStruct(shape, jnp.float32), a, b,
                             vmap_method=_vmap_method(a, format_a, format_b))


def _product_forward(a: jax.Array, b: jax.Array, format_a: Quantizer, format_b: Quantizer,
                     accumulate: str) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    return _product(a, b, format_a, format_b, accumulate), (a, b)


def _product_backward(format_a: Quantizer, format_b: Quantizer, accumulate: str,
                      operands: tuple[jax.Array, jax.Array],
                      gradient: jax.Array) -> tuple[jax.Array, jax.Array]:
    def product(a: jax.Array, b: jax.Array) -> jax.Array:
        return jnp.matmul(_straight_through(a, format_a, -1), _straight_through(b, format_b, -2),
                          preferred_element_type=jnp.float32)

    _, pullback = jax.vjp(product, *operands)
    found: tuple[jax.Array, jax.Array] = pullback(gradient)
    return found


_product.defvjp(_product_forward, _product_backward)


def matmul(a: Any, b: Any, format_a: Union[FormatLike, Quantizer],
           format_b: Optional[Union[FormatLike, Quantizer]] = None, *,
           accumulate: AccumulateLike = "block") -> jax.Array:
    """a @ b in float32, with both quantized along K, as in `mxe.matmul`.

    a: [..., M, K], b: [..., K, N]; leading axes broadcast. format_b: default: format_a. The gradient is
    that of the product of the quantized operands. vmap gives each member the result that it has alone. Raises
    ValueError and TypeError at tracing time.
    """
    a, b = jnp.asarray(a), jnp.asarray(b)
    for name, x in (("a", a), ("b", b)):
        if x.ndim < 2:
            raise ValueError(f"{name} must have at least two axes, but has {x.ndim}")
    first = _quantizer(format_a, "ocp", {})
    second = first if format_b is None else _quantizer(format_b, "ocp", {})
    sample = []  # checks types and formats now, not in the callback
    for name, x, quantizer, axis in (("a", a, first, -1), ("b", b, second, -2)):
        Source(np.zeros(0, x.dtype)).numbers(name)
        sample.append(mxe.quantize(np.zeros((1, 1), x.dtype), quantizer, axis=axis))
    mxe.matmul(*sample, accumulate=accumulate)
    return _product(a, b, first, second, accumulate)
