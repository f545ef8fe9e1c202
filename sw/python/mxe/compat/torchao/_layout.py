# SPDX-License-Identifier: Apache-2.0
"""Packed 4-bit codes, and swizzled scales: 128 x 4 scales become a tile of 32 x 16, as cuBLAS reads them."""
from __future__ import annotations

import math
import sys
from typing import Any

import torch
from torch import Tensor


def pack_uint4(uint8_data: Tensor) -> Tensor:
    """Packs pairs of 4-bit codes along the last axis, which must be even; the first of a pair into the low bits."""
    assert uint8_data.shape[-1] % 2 == 0, f"the last axis must be even, got {uint8_data.shape[-1]}"
    pairs = uint8_data.contiguous()
    return pairs[..., ::2] | pairs[..., 1::2] << 4


def unpack_uint4(uint8_data: Tensor) -> Tensor:
    """The reverse of `pack_uint4`."""
    assert uint8_data.is_contiguous(), "packed codes must be contiguous"
    pairs = torch.stack([uint8_data & 15, uint8_data >> 4], dim=-1)
    return pairs.reshape([*uint8_data.shape[:-1], uint8_data.shape[-1] * 2])


def ceil_div(a: Any, b: Any) -> Any:
    return (a + b - 1) // b


def to_blocked(input_matrix: Tensor, use_triton_kernel: bool = False) -> Tensor:
    """The swizzled scales of a matrix, filled up with zeros to whole tiles: [tiles * 512]. use_triton_kernel has no
    effect."""
    rows, columns = input_matrix.shape
    down, across = ceil_div(rows, 128), ceil_div(columns, 4)
    # Some versions of torch pad no float8.
    filled = torch.nn.functional.pad(input_matrix.view(torch.uint8), (0, across * 4 - columns, 0, down * 128 - rows))
    tiles = filled.view(down, 4, 32, across, 4).permute(0, 3, 2, 1, 4)
    return tiles.reshape(-1).view(input_matrix.dtype)


def from_blocked(blocked_tensor: Tensor, original_rows: int, original_cols: int) -> Tensor:
    """The reverse of `to_blocked`: [original_rows, original_cols]."""
    down, across = ceil_div(original_rows, 128), ceil_div(original_cols, 4)
    tiles = blocked_tensor.reshape(-1).view(down, across, 32, 4, 4).permute(0, 3, 2, 1, 4)
    return tiles.reshape(down * 128, across * 4)[:original_rows, :original_cols]


def hp_data_dims_to_swizzled_scale_dims_nvfp4(hp_data_M: int, hp_data_K: int) -> tuple[int, int]:
    """Rows and columns of the swizzled NVFP4 scales of an M x K matrix."""
    return ceil_div(hp_data_M, 128) * 32, ceil_div(hp_data_K, 64) * 16


def hp_data_dims_to_swizzled_scale_dims_mx(hp_data_M: int, hp_data_K: int) -> tuple[int, int]:
    """Rows and columns of the swizzled MX scales of an M x K matrix in blocks of 32."""
    return ceil_div(hp_data_M, 128) * 32, ceil_div(hp_data_K, 128) * 16


def _swizzled(scale: Tensor) -> Tensor:
    """[..., M, blocks] to [..., rows of tiles * 32, columns of tiles * 16]. As in torchao, [E, M, K] is swizzled as E *
    M rows; M must be a multiple of 128 if E > 1."""
    assert scale.dim() > 1, "swizzled scales need two axes or more"
    *leading, rows, blocks = scale.shape
    whole = math.prod(leading) * rows
    assert math.prod(leading) <= 1 or rows % 128 == 0, (
        f"swizzled scales of {list(leading)} matrices need a multiple of 128 rows, got {rows}")
    tiles = to_blocked(scale.reshape(whole, blocks))
    return tiles.view(*leading, ceil_div(rows, 128) * 32, ceil_div(blocks, 4) * 16)


def _unswizzled(scale: Tensor, leading: tuple[int, ...], rows: int, blocks: int) -> Tensor:
    return from_blocked(scale, math.prod(leading) * rows, blocks).reshape(*leading, rows, blocks)


def _limits(start: Any, end: Any, size: int) -> tuple[int, int]:
    """start and end of a slice, as torch counts them."""
    first, last, _ = slice(start, None if end == sys.maxsize else end).indices(size)
    return first, max(first, last)


def _check_slice(kind: str, first: int, last: int, size: int, unit: int) -> None:
    text = f"{kind} slicing of NVFP4Tensor with swizzled scales requires"
    if first % unit:
        raise RuntimeError(f"{text} start index to be a multiple of {unit}, got {first}")
    if last != size and last % unit:
        raise RuntimeError(f"{text} end index to be a multiple of {unit} or equal to tensor size {size}, got {last}")


def _swizzle_aware_slice(x: Any, dim: int, start: Any, end: Any, step: int) -> tuple[Tensor, Tensor]:
    """Codes and scales of a slice of a matrix. Swizzled scales are sliced in whole tiles."""
    if step != 1 or x.dim() != 2 or x._is_transposed():
        raise NotImplementedError(f"slices of {type(x).__name__} need step 1, and a matrix that is not transposed: "
                                  "dequantize() first")
    dim %= 2
    size, block = x.shape[dim], x.block_size
    first, last = _limits(start, end, size)
    if x.is_swizzled_scales:
        _check_slice("Column" if dim else "Row", first, last, size, 4 * block if dim else 128)
    elif dim:
        assert first % block == 0, f"Start index {first} must be a multiple of block_size {block}"
        assert last % block == 0 or last == size, f"End index {last} must be a multiple of block_size {block}"
    packed = size // x.qdata.shape[1] if dim else 1
    qdata = torch.ops.aten.slice.Tensor(x.qdata, dim, first // packed, last // packed, 1)
    if (first, last) == (0, size):
        return qdata, x.scale
    unit = block if dim else 1
    scales = x._plain_scales().narrow(dim, first // unit, ceil_div(last, unit) - first // unit)
    return qdata, _swizzled(scales) if x.is_swizzled_scales else scales
