# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any


def missing(name: str, package: str) -> Any:
    """A class of this name that cannot be instantiated without the package."""
    def refuse(self: Any, *arguments: Any, **keywords: Any) -> None:
        raise ImportError(f"{name} needs {package}, which is not installed: pip install {package}")

    return type(name, (), {"__init__": refuse})
