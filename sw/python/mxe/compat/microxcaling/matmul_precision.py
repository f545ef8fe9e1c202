# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def set_matmul_precision(a: Any, b: Any, a_elem_format: Any, b_elem_format: Any,
                         force_bf16: bool = False) -> Iterator[None]:
    """Has no effect on a CPU, as in microxcaling."""
    yield
