# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

import mxe
from mxe._array import stored_array

from ._text import quantizer_of

# Large arrays of array_of(): {codes: (stamp, scales, array)}; an equal stamp means unchanged codes and scales.
_known = WeakIdKeyDictionary()
_WORTH_KEEPING = 4096  # elements


def parts_of(array: mxe.Array) -> tuple[Tensor, Tensor, Tensor]:
    """Codes, scales, and float32 [tensor scale, tensor amax, row amaxes ...], as tensors."""
    rows = array.row_amaxes
    whole = [array.tensor_scale, array.tensor_amax]
    if rows is not None:
        whole += [float(row) for row in rows.reshape(-1)]
    return array.codes, array.scales, torch.tensor(whole, dtype=torch.float32)


def array_of(codes: Tensor, scales: Tensor, whole: Optional[Tensor], quantizer: str,
             axis: int) -> mxe.Array:
    """The array of these parts, from `_known` if codes and scales have not changed. `whole` may be None for
    quantizers without a scale of the whole tensor."""
    one = quantizer_of(quantizer)
    if whole is None and one.switches["uses_tensor_scale"]:
        raise ValueError(f"{quantizer} has a scale of the whole tensor, which is missing")
    values = (1.0, 1.0) if whole is None else tuple(whole.tolist())
    keep = codes.numel() >= _WORTH_KEEPING and not codes.is_inference() and \
        not scales.is_inference()
    if keep:
        known = _known.get(codes)
        stamp = (codes._version, id(scales), scales._version, values, quantizer, axis)
        if known is not None and known[0] == stamp:
            array: mxe.Array = known[2]
            return array
    rows = values[2:] if one.switches["row_scaled"] else None
    made = stored_array(codes, scales, one, axis, values[0], values[1], rows)
    if keep:
        _known[codes] = (stamp, scales, made)  # the entry holds the scales, so that their id stays in use
    return made
