# SPDX-License-Identifier: Apache-2.0
"""Types and formats. Those other than QMX, QDQ and MXFixNeuron are refused when a model is quantized."""
from __future__ import annotations

import enum


class _Named(enum.Enum):
    def __str__(self) -> str:
        return self.name


class ExtendedQuantType(_Named):
    QInt8 = 1
    QUInt8 = 2
    QInt16 = 3
    QUInt16 = 4
    QInt32 = 5
    QUInt32 = 6
    QFloat16 = 7
    QBFloat16 = 8
    QBFP = 9
    QMX = 10


class VitisQuantType(_Named):
    """The old name of `ExtendedQuantType`."""

    QInt8 = 1
    QUInt8 = 2
    QInt16 = 3
    QUInt16 = 4
    QInt32 = 5
    QUInt32 = 6
    QFloat16 = 7
    QBFloat16 = 8
    QBFP = 9
    QMX = 10


class ExtendedQuantFormat(_Named):
    QOperator = 0
    QDQ = 1


class VitisQuantFormat(_Named):
    """The old name of `ExtendedQuantFormat`. MXFixNeuron sets both types to QMX."""

    QDQ = 2
    FixNeuron = 3
    BFPFixNeuron = 4
    MXFixNeuron = 5
