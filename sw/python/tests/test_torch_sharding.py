# SPDX-License-Identifier: Apache-2.0
"""MXTensors taken apart and put together: shards, experts, batches."""
import pytest
from conftest import plain

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import nn  # noqa: E402

from mxe.torch import MXConfig, MXTensor, quantize_  # noqa: E402


def quantized(shape=(8, 96), name="mxfp4_e2m1", seed=1, **arguments):
    return MXTensor.to_mx(torch.from_numpy(plain(shape, seed)), name, **arguments)


def same(x, expected):
    """True if codes, scales and numbers are those of another tensor."""
    return torch.equal(x.codes, expected.codes) and torch.equal(x.scales, expected.scales) and \
        torch.equal(x.dequantize(), expected.dequantize()) and x.axis == expected.axis


@pytest.mark.parametrize("name", ["mxfp8_e4m3", "mxfp4_e2m1", "nvfp4", "mxint8"])
def test_shards_and_back(name):
    x = quantized((8, 96), name)
    values = x.dequantize()
    for axis, parts in ((0, 2), (0, 3), (1, 3), (-1, 3)):
        chunks = x.chunk(parts, axis)
        assert len(chunks) == parts and all(isinstance(chunk, MXTensor) for chunk in chunks)
        for chunk, expected in zip(chunks, values.chunk(parts, axis)):
            assert torch.equal(chunk.dequantize(), expected)
        assert same(torch.cat(chunks, axis), x)
    assert same(torch.cat(x.split([5, 3])), x) and same(torch.stack(x.unbind(0)), x)
    # As torch.distributed does: every shard travels as its inner tensors.
    received = []
    for shard in x.detach().chunk(4):
        parts, meta = shard.__tensor_flatten__()
        copies = {part: getattr(shard, part).clone() for part in parts}
        received.append(MXTensor.__tensor_unflatten__(copies, meta, shard.shape, shard.stride()))
    assert same(torch.cat(received), x)


def test_a_sharded_layer_multiplies_as_the_whole():
    layer = quantize_(nn.Linear(64, 48), MXConfig("mxfp4_e2m1"))
    x = torch.from_numpy(plain((5, 64)))
    shards = layer.weight.detach().chunk(3)
    assert all(shard.activation == layer.weight.activation for shard in shards)
    parts = [nn.functional.linear(x, shard, layer.bias[16 * i:16 * i + 16]) for i, shard in enumerate(shards)]
    assert torch.equal(torch.cat(parts, -1), layer(x))
    assert torch.equal(nn.functional.linear(x, torch.cat(shards), layer.bias), layer(x))


def test_whole_rows():
    x = quantized((4, 6, 64))
    for made, expected in ((x[[0, 2]], x.dequantize()[[0, 2]]),
                           (x[torch.tensor([[3, 1], [0, 0]])], x.dequantize()[torch.tensor([[3, 1], [0, 0]])]),
                           (x[torch.tensor([3, 1]), torch.tensor([5, 0])], x.dequantize()[[3, 1], [5, 0]]),
                           (x.index_select(1, torch.tensor([4, 4])), x.dequantize()[:, [4, 4]])):
        assert isinstance(made, MXTensor) and torch.equal(made.dequantize(), expected)
    batch = torch.utils.data.default_collate([x, x])
    assert torch.equal(batch.dequantize(), torch.stack([x.dequantize()] * 2))


def test_zeros_and_views():
    for name in ("mxfp4_e2m1", "nvfp4"):
        x = quantized((8, 64), name)
        for zeros in (torch.zeros_like(x), x.new_zeros(8, 64)):
            assert isinstance(zeros, MXTensor) and not zeros.dequantize().any()
        padded = x.new_zeros(10, 64)
        padded.narrow(0, 0, 8).copy_(x)
        assert torch.equal(padded.dequantize(), nn.functional.pad(x.dequantize(), (0, 0, 0, 2)))
        assert torch.equal(x.view(-1).dequantize(), x.dequantize().view(-1))
        assert torch.equal(x.view(4, 128).dequantize(), x.dequantize().view(4, 128))
        assert same(x.view(-1).view(8, 64), x) and same(x.as_strided((8, 64), (64, 1)), x)


def test_comparisons_are_of_numbers():
    x, y = quantized(), quantized(seed=2)
    assert torch.equal(x, x) and not torch.equal(x, y) and torch.equal(x, x.dequantize())
    assert torch.allclose(x, x) and torch.equal(x == y, x.dequantize() == y.dequantize())
    assert torch.equal(x != 0, x.dequantize() != 0)


@pytest.mark.parametrize("text, call", [
    ("different formats or axes", lambda x: torch.cat([x, quantized(name="mxfp8_e4m3")])),
    ("quantized and plain tensors are not joined", lambda x: torch.cat([x, torch.zeros(8, 96)])),
    ("quantized and plain tensors are not stacked", lambda x: torch.stack([x, torch.zeros(8, 96)])),
    ("scales of the whole tensor differ", lambda x: torch.cat([quantized(name="nvfp4"),
                                                               quantized(name="nvfp4", seed=2)])),
    ("its last block of 32 is short", lambda x: torch.cat([quantized((8, 40)), x], 1)),
    ("cuts blocks of 32", lambda x: x.chunk(2, 1)),
    ("a mask does not select", lambda x: x[torch.ones(8, dtype=torch.bool)]),
    ("axes before that of the blocks", lambda x: x[:, [0, 1]]),
    ("elements of blocks", lambda x: x.index_select(1, torch.tensor([0]))),
    ("have 2 axes, not 1", lambda x: x.new_zeros(96)),
    ("has no other strides", lambda x: x.as_strided((96, 8), (1, 96)))])
def test_what_is_refused(text, call):
    with pytest.raises(NotImplementedError, match=text):
        call(quantized())


@pytest.mark.parametrize("text, call", [
    ("model must be a torch.nn.Module, not int", lambda: quantize_(5)),
    ("config must be an mxe.torch.MXConfig, not str", lambda: quantize_(nn.Linear(64, 8), "mxint8")),
    ("filter_fn must be a function, not int", lambda: quantize_(nn.Linear(64, 8), MXConfig(), 5)),
    ("x must be a torch.Tensor, not ndarray", lambda: MXTensor.to_mx(plain((4, 64)), "mxint8")),
    ("x must be a torch.Tensor, not ndarray", lambda: mxe.torch.fake_quantize(plain((4, 64)), "mxint8"))])
def test_wrong_types(text, call):
    with pytest.raises(TypeError, match=text):
        call()


def test_block_size():
    x = torch.from_numpy(plain((4, 128)))
    for made in (quantized((4, 128), block=64), MXTensor.to_mx(x, "mxfp4_e2m1", block_size=64),
                 mxe.torch.quantize(x, "mxfp4_e2m1", block_size=64)):
        assert made.scales.shape == (4, 2)
    assert torch.equal(mxe.torch.fake_quantize(x, "mxfp4_e2m1", block_size=64),
                       mxe.torch.fake_quantize(x, "mxfp4_e2m1", block=64))


def test_gathered_as_fully_shard_does():
    x = quantized((8, 64), "nvfp4")
    shards = [shard.fsdp_pre_all_gather(None) for shard in x.chunk(2)]
    gathered = tuple(torch.cat(parts) for parts in zip(*(inputs for inputs, _ in shards)))
    whole, inner = x.fsdp_post_all_gather(gathered, shards[0][1], torch.float32)
    assert same(whole, x) and inner == gathered
    assert x.fsdp_post_all_gather(gathered, shards[0][1], torch.float32, out=whole) is None
    with pytest.raises(NotImplementedError, match="two ranks or more"):
        x.fsdp_post_all_gather(gathered[:1], shards[0][1], torch.float32)
