# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np


def straight_through(x: Any, numbers: Callable[[np.ndarray], np.ndarray]) -> Any:
    """numbers(x), of the shape and type of x, also for tracers; the gradient passes through unchanged."""
    @jax.custom_vjp
    def call(x: Any) -> Any:
        if not isinstance(x, jax.core.Tracer):
            return jax.numpy.asarray(numbers(np.asarray(x)))
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.pure_callback(lambda values: numbers(np.asarray(values)), shape, x, vmap_method="sequential")

    call.defvjp(lambda x: (call(x), None), lambda _, gradient: (gradient,))
    return call(x)
