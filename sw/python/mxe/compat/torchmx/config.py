# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
from typing import Any, Optional

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


@dataclasses.dataclass(frozen=True)
class QAttentionConfig:
    """Formats of an attention layer: its projections, and its products if the other four are set.

    Raises AssertionError if some, but not all of the four are set.
    """

    projection_config: QLinearConfig
    query_config: Optional[MXConfig] = None
    key_config: Optional[MXConfig] = None
    value_config: Optional[MXConfig] = None
    attention_weights_config: Optional[MXConfig] = None

    def __post_init__(self) -> None:
        missing = [name for name, config in self._of_products() if config is None]
        if 0 < len(missing) < 4:
            raise AssertionError(f"either all or none of the configs of products are needed, but missing are: "
                                 f"{', '.join(missing)}")

    def _of_products(self) -> list[tuple[str, Optional[MXConfig]]]:
        return [(field.name, getattr(self, field.name)) for field in dataclasses.fields(self)[1:]]

    @property
    def is_qkv_quantization_enabled(self) -> bool:
        return self.query_config is not None

    def to_dict(self) -> dict[str, Any]:
        return {name: value for name, value in dataclasses.asdict(self).items() if value is not None}

    @classmethod
    def load_from_dict(cls, config_dict: dict[str, Any]) -> QAttentionConfig:
        rest = {name: MXConfig.load_from_dict(value) for name, value in config_dict.items()
                if name != "projection_config" and value}
        return cls(QLinearConfig.load_from_dict(config_dict["projection_config"]), **rest)
