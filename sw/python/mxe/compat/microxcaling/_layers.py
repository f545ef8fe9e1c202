# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Optional

from .specs import MxSpecs, Specs, apply_mx_specs, mx_assert_test


class WithSpecs:
    """A layer with mx_specs; mx_none: they are None, so the layer is torch's."""

    mx_specs: MxSpecs
    mx_none: bool
    name: Optional[str]

    def _set(self, mx_specs: Optional[Specs], name: Optional[str]) -> None:
        self.name = name
        self.apply_mx_specs(mx_specs)

    def apply_mx_specs(self, mx_specs: Optional[Specs]) -> None:
        mx_assert_test(mx_specs)
        self.mx_none = mx_specs is None
        self.mx_specs = apply_mx_specs(mx_specs)

    def append_name(self, postfix: str) -> None:
        self.name = (self.name or "") + postfix

    @property
    def _specs(self) -> Optional[MxSpecs]:
        return None if self.mx_none else self.mx_specs
