# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence

from ._layers import WithSpecs
from .activations import sigmoid, tanh
from .functions import linear
from .simd_ops import simd_add, simd_mul
from .specs import Specs

State = tuple[Tensor, Tensor]  # hidden and cell, [1, batch, hidden size]


class LSTM(WithSpecs, nn.LSTM):
    """torch.nn.LSTM, in steps that are quantized by mx_specs. Raises ValueError for batch_first and proj_size."""

    def __init__(self, *arguments: Any, mx_specs: Optional[Specs] = None, name: str = "", **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        if self.batch_first or self.proj_size:
            raise ValueError("LSTM supports neither batch_first nor proj_size")
        self._set(mx_specs, name)
        self.dropout_layer = nn.Dropout(self.dropout)

    def _parameter(self, kind: str, layer: int, is_reverse: bool) -> Any:
        return getattr(self, f"{kind}_l{layer}{'_reverse' if is_reverse else ''}", None)

    def _project(self, x: Tensor, layer: int, is_reverse: bool) -> Tensor:
        return linear(x, self._parameter("weight_ih", layer, is_reverse),
                      self._parameter("bias_ih", layer, is_reverse), self._specs)

    def _cell(self, x: Tensor, state: State, layer: int, is_reverse: bool) -> State:
        specs, (hidden, cell) = self._specs, state
        product = linear(hidden, self._parameter("weight_hh", layer, is_reverse),
                         self._parameter("bias_hh", layer, is_reverse), specs)
        into, kept, fresh, out = simd_add(x, product, specs).chunk(4, dim=-1)
        into, kept, fresh, out = (sigmoid(into, specs), sigmoid(kept, specs), tanh(fresh, specs), sigmoid(out, specs))
        cell = simd_add(simd_mul(kept, cell, specs), simd_mul(into, fresh, specs), specs)
        return simd_mul(out, tanh(cell, specs), specs), cell

    def _steps(self, x: Tensor, state: State, layer: int, is_reverse: bool) -> tuple[Tensor, State]:
        """Outputs [length, batch, hidden size], and the last state."""
        outputs: list[Tensor] = []
        for step in reversed(x.unbind(0)) if is_reverse else x.unbind(0):
            state = self._cell(step, state, layer, is_reverse)
            outputs.append(state[0])
        return torch.cat(outputs[::-1] if is_reverse else outputs), state

    def _packed_steps(self, x: Tensor, state: State, layer: int, is_reverse: bool,
                      sizes: list[int]) -> tuple[Tensor, State]:
        """The same for packed sequences: `sizes` is the number of those that have each step."""
        parts = list(zip(sizes, x.split(sizes)))
        outputs: list[Tensor] = []
        whole = state
        state = (whole[0][:, :0], whole[1][:, :0]) if is_reverse else state
        finished: list[State] = []
        for size, part in reversed(parts) if is_reverse else parts:
            active = state[0].shape[1]
            if size > active:  # sequences that begin here, at their end
                state = (torch.cat((state[0], whole[0][:, active:size]), 1),
                         torch.cat((state[1], whole[1][:, active:size]), 1))
            elif size < active:
                finished.append((state[0][:, size:], state[1][:, size:]))
                state = (state[0][:, :size], state[1][:, :size])
            state = self._cell(part, state, layer, is_reverse)
            outputs.append(state[0])
        finished.append(state)
        last = (torch.cat([one[0] for one in finished[::-1]], 1), torch.cat([one[1] for one in finished[::-1]], 1))
        return torch.cat(outputs[::-1] if is_reverse else outputs, 1).squeeze(0), last

    def forward(self, input: Any, hx: Optional[State] = None) -> Any:
        """As torch.nn.LSTM: the outputs, and the last hidden and cell states of all layers."""
        if self.mx_none:
            return super().forward(input, hx)
        is_packed = isinstance(input, PackedSequence)
        parts: Any = input if is_packed else (input, None, None, None)
        x, sizes, order, restored = parts
        if not is_packed and x.dim() != 3:
            raise ValueError(f"LSTM with mx_specs needs 3 axes, not {x.dim()}")
        directions = 2 if self.bidirectional else 1
        batch = int(sizes[0]) if is_packed else x.shape[1]
        if hx is None:
            zeros = x.new_zeros(self.num_layers * directions, batch, self.hidden_size)
            hx = (zeros, zeros)
        else:
            hx = self.permute_hidden(hx, order)
        self.check_forward_args(x, hx, sizes)
        begins = list(zip(*(one.unsqueeze(1).unbind(0) for one in hx)))
        ends: list[State] = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                projected = self._project(x, layer, bool(direction))
                begin = begins[layer * directions + direction]
                output, end = self._packed_steps(projected, begin, layer, bool(direction), sizes.tolist()) \
                    if is_packed else self._steps(projected, begin, layer, bool(direction))
                outputs.append(output)
                ends.append(end)
            x = outputs[0] if directions == 1 else torch.cat(outputs, -1)
            if layer < self.num_layers - 1 and self.dropout > 0:
                x = self.dropout_layer(x)
        last = self.permute_hidden((torch.cat([end[0] for end in ends]), torch.cat([end[1] for end in ends])), restored)
        return PackedSequence(x, sizes, order, restored) if is_packed else x, last
