# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations


class FakeQuantizeConfigBase:
    """Base of the configurations of weights or activations during training."""
