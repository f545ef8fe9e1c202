# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
from typing import Any

from . import dtypes


@dataclasses.dataclass(frozen=True)
class MXConfig:
    """An element type by name, and the block size. Raises ValueError for unknown types and sizes below 1."""

    elem_dtype_name: str
    block_size: int = 32

    def __post_init__(self) -> None:
        if self.elem_dtype_name not in dtypes.STR_TO_SUPPORTED_ELEM_DTYPE:
            raise ValueError(f"unknown element type '{self.elem_dtype_name}' (allowed: "
                             f"{', '.join(dtypes.STR_TO_SUPPORTED_ELEM_DTYPE)})")
        if self.block_size < 1:
            raise ValueError(f"block size {self.block_size} is less than 1")

    @property
    def elem_dtype(self) -> dtypes.DType:
        return dtypes.STR_TO_SUPPORTED_ELEM_DTYPE[self.elem_dtype_name]

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def load_from_dict(cls, config_dict: dict[str, Any]) -> MXConfig:
        return cls(**config_dict)


@dataclasses.dataclass(frozen=True)
class QLinearConfig:
    weights_config: MXConfig
    activations_config: MXConfig

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)

    @classmethod
    def load_from_dict(cls, config_dict: dict[str, Any]) -> QLinearConfig:
        return cls(**{name: MXConfig.load_from_dict(value) for name, value in config_dict.items()})
