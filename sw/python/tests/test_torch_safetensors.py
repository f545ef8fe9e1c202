# SPDX-License-Identifier: Apache-2.0
"""State dicts with quantized weights as plain tensors, for safetensors."""
import json

import pytest
from conftest import assert_same, plain

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")

import mxe.torch  # noqa: E402
from mxe.torch import MXConfig, MXTensor, flatten_state_dict, quantize_, unflatten_state_dict  # noqa: E402

CASES = [("mxfp8_e4m3", "ocp"), ("mxfp4_e2m1", "quark-torch-even"), ("mxint8", "ocp"), ("nvfp4", "nvfp4-modelopt"),
         ("nvfp4", "nvfp4-te-row"), ("e5m7", "ocp")]


def states():
    """Weights of every kind, and a plain tensor."""
    x = torch.from_numpy(plain((6, 64)))
    state = {f"{name}.{preset}": MXTensor.to_mx(x, name, preset) for name, preset in CASES}
    state["turned"] = MXTensor.to_mx(x.bfloat16(), "mxfp8_e5m2", block=16, on="torch").t()
    state["linear"] = MXTensor.to_mx(x, "mxfp4_e2m1")
    state["linear"].activation, state["linear"].accumulate = "mxfp8_e4m3", "exact"
    state["bias"] = torch.arange(4, dtype=torch.bfloat16)
    return state


def expect_equal(found, state):
    assert sorted(found) == sorted(state)
    for name, tensor in state.items():
        other = found[name]
        assert type(other) is type(tensor) and other.dtype == tensor.dtype and other.shape == tensor.shape
        if not isinstance(tensor, MXTensor):
            assert torch.equal(other, tensor)
            continue
        for part in ("codes", "scales", "whole"):
            assert torch.equal(getattr(other, part), getattr(tensor, part)), part
        assert torch.equal(other.dequantize(), tensor.dequantize())
        for attribute in ("_quantizer", "axis", "on", "activation", "accumulate"):
            assert getattr(other, attribute) == getattr(tensor, attribute), attribute


def test_there_and_back():
    state = states()
    tensors, metadata = flatten_state_dict(state)
    assert all(type(tensor) is torch.Tensor and tensor.is_contiguous() for tensor in tensors.values())
    expect_equal(unflatten_state_dict(tensors, metadata), state)
    assert torch.equal(unflatten_state_dict({"bias": state["bias"]}, None)["bias"], state["bias"])


def test_files_of_safetensors(tmp_path):
    safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is not installed")
    from safetensors import safe_open
    state, path = states(), tmp_path / "m.safetensors"
    tensors, metadata = flatten_state_dict(state)
    safetensors.save_file(tensors, path, metadata)
    with safe_open(path, "pt") as file:
        metadata = file.metadata()
    expect_equal(unflatten_state_dict(safetensors.load_file(path), metadata), state)
    for name, array in mxe.load(path).items():
        assert_same(array.dequantize(), state[name].dequantize(torch.float32).numpy())
        assert array.quantizer == state[name].quantizer


def test_models(tmp_path):
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8))
    x = torch.from_numpy(plain((3, 64)))
    config = MXConfig("mxfp4_e2m1", "mxfp8_e4m3")
    expected = quantize_(model, config)(x)
    other = quantize_(torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8)), config)
    other.load_state_dict(unflatten_state_dict(*flatten_state_dict(model.state_dict())))
    assert torch.equal(other(x), expected)


def test_states_that_cannot_be_flattened():
    q = MXTensor.to_mx(torch.ones(2, 32), "mxint8")
    with pytest.raises(TypeError, match="'a' must be a tensor, not int"):
        flatten_state_dict({"a": 1})
    with pytest.raises(ValueError, match=r"two tensors have the name 'a\.scales'"):
        flatten_state_dict({"a.scales": torch.ones(1), "a": q})
    from mxe.compat.torchmx import MXTensor as Other
    from mxe.compat.torchmx import dtypes
    other = Other.to_mx(torch.ones(2, 32, dtype=torch.bfloat16), dtypes.int8)
    with pytest.raises(TypeError, match=r"'a' must be an mxe\.torch\.MXTensor, not mxe\.compat\.torchmx"):
        flatten_state_dict({"a": other})


@pytest.mark.parametrize("member,value,message", [
    ("format", "mxfp9", "mxfp9"), ("preset", "none", "none"), ("axis", "x", "'a.mxe' are damaged"),
    ("switches", 3, "switches"), ("tensor_amax", "x", "'a.mxe' are damaged"), ("torch", {}, "'a.mxe' are damaged"),
    ("torch.dtype", "torch.int8", "'a.mxe' are damaged"), ("torch.on", "gpu", "unknown product 'gpu'"),
    ("torch.activation", "mxfp9", "mxfp9"), ("torch.activation", 3, "'a.mxe' are damaged"),
    ("torch.accumulate", "any", "'a.mxe' are damaged")])
def test_damaged_metadata(member, value, message):
    tensors, metadata = flatten_state_dict({"a": MXTensor.to_mx(torch.ones(2, 32), "mxfp8_e4m3")})
    said = json.loads(metadata["a.mxe"])
    outer, _, inner = member.rpartition(".")
    (said[outer] if outer else said)[inner] = value
    with pytest.raises(ValueError, match=message):
        unflatten_state_dict(tensors, {"a.mxe": json.dumps(said)})


def test_damaged_tensors():
    tensors, metadata = flatten_state_dict({"a": MXTensor.to_mx(torch.ones(2, 64), "mxfp8_e4m3")})
    with pytest.raises(ValueError, match="'a.mxe' are damaged"):
        unflatten_state_dict(tensors, {"a.mxe": "{"})
    for part in ("elements", "scales"):
        with pytest.raises(ValueError, match=rf"there is no tensor 'a\.{part}'"):
            unflatten_state_dict({name: tensors[name] for name in tensors if not name.endswith(part)}, metadata)
    with pytest.raises(ValueError, match="scales must be"):
        unflatten_state_dict({**tensors, "a.scales": tensors["a.scales"][:, :1]}, metadata)
