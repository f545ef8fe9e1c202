# SPDX-License-Identifier: Apache-2.0
"""quantize_ on models with more than plain linear layers, and their files."""
import copy
import io
import os
import warnings

import numpy as np
import pytest
from conftest import plain

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import nn  # noqa: E402
from torch.nn.utils import parametrizations, prune  # noqa: E402

import mxe.torch  # noqa: E402
from mxe.compat.microxcaling import Linear as MicroxcalingLinear  # noqa: E402
from mxe.compat.microxcaling import finalize_mx_specs  # noqa: E402
from mxe.torch import MXConfig, MXLinear, MXTensor, quantize_  # noqa: E402

FORMATS = {"weight": "mxfp4_e2m1", "activation": "mxfp8_e4m3"}
CONFIGS = [{"train": train, "on": on} for train in (False, True) for on in ("golden", "torch")]
quiet = pytest.mark.filterwarnings("ignore:quantize_ leaves")


def numbers(*shape, seed=1):
    return torch.from_numpy(plain(shape, seed))


def seeded(make):
    torch.manual_seed(1)
    return make()


def by_hand(layer, x, on="golden"):
    if on == "torch":
        return nn.functional.linear(mxe.fake_quantize(x.detach(), FORMATS["activation"]),
                                    mxe.fake_quantize(layer.weight.detach(), FORMATS["weight"]),
                                    layer.bias).detach()
    return mxe.matmul(mxe.quantize(x.detach(), FORMATS["activation"]),
                      mxe.quantize(layer.weight.detach(), FORMATS["weight"]), transpose_b=True,
                      bias=None if layer.bias is None else layer.bias.detach()).to(x.dtype)


class Both(nn.Module):
    def __init__(self, one, other):
        super().__init__()
        self.a, self.b = one, other

    def forward(self, x):
        return self.b(self.a(x))




@quiet
@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("kind", ["layer", "encoder", "nested", "norm first"])
def test_transformers_fast_path(config, kind):
    """In evaluation without gradients, torch does not call the layer linear1."""
    layer = seeded(lambda: nn.TransformerEncoderLayer(64, 4, 128, 0.0, batch_first=True,
                                                      norm_first=kind == "norm first"))
    masks = {}
    if kind in ("encoder", "nested"):
        layer = nn.TransformerEncoder(layer, 2)
    if kind == "nested":
        masks["src_key_padding_mask"] = torch.arange(5) >= torch.tensor([[5], [3]])
    x = numbers(2, 5, 64)
    with torch.no_grad():
        floats = layer.eval()(x, **masks)
        model = quantize_(copy.deepcopy(layer), MXConfig(**FORMATS, **config)).eval()
        found = model(x, **masks)
    assert isinstance((model.layers[0] if kind in ("encoder", "nested") else model).linear1,
                      MXLinear)
    assert not torch.equal(found, floats)
    # With gradients, torch takes the slow path, which calls the layers.
    slow = model(x.requires_grad_(), **masks).detach()
    valid = ~masks["src_key_padding_mask"] if masks else torch.ones(2, 5, dtype=torch.bool)
    torch.testing.assert_close(found[valid], slow[valid])
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with torch.no_grad():
            torch.testing.assert_close(model(x, **masks)[valid], found[valid], rtol=0.01, atol=0.01)
    finally:
        torch.backends.mha.set_fastpath_enabled(True)


@quiet
@pytest.mark.parametrize("train", [False, True])
def test_transformers_feed_forward_is_quantized(train):
    torch.manual_seed(1)
    seen = {}
    for layer in (nn.TransformerEncoderLayer(64, 4, 96, 0.0, batch_first=True),
                  nn.TransformerDecoderLayer(64, 4, 96, 0.0, batch_first=True)):
        plain_layer = copy.deepcopy(layer)
        model = quantize_(layer, MXConfig(**FORMATS, train=train)).eval()
        for name in ("linear1", "linear2"):
            getattr(model, name).register_forward_hook(
                lambda module, inputs, output, name=name: seen.update({name: (*inputs, output)}))
        x = numbers(2, 5, 64)
        with torch.no_grad():
            model(x) if isinstance(layer, nn.TransformerEncoderLayer) else model(x, x)
        for name, (entered, left) in seen.items():
            assert torch.equal(left, by_hand(getattr(plain_layer, name), entered))


def test_layer_loaded_into_a_transformer_of_floats():
    """Weights carry their activation format, so torch's layers quantize the input."""
    layer = seeded(lambda: nn.TransformerEncoderLayer(64, 4, 96, 0.0, batch_first=True)).eval()
    with pytest.warns(UserWarning, match="self_attn.out_proj"):
        model = quantize_(copy.deepcopy(layer), MXConfig(**FORMATS))
    layer.load_state_dict(model.state_dict(), assign=True)
    x = numbers(2, 5, 64)
    with torch.no_grad():
        assert torch.equal(layer(x), model(x))


@pytest.mark.parametrize("path", ["fast", "slow"])
def test_projection_of_attention(path):
    """filter_fn may choose it: its weights and its input are quantized."""
    attention = seeded(lambda: nn.MultiheadAttention(64, 4, batch_first=True)).eval()
    floats, entered = copy.deepcopy(attention), []
    model = quantize_(attention, MXConfig(**FORMATS), lambda module, name: name == "out_proj")
    assert isinstance(model.out_proj, MXLinear)
    x, linear = numbers(2, 5, 64), nn.functional.linear

    def spy(*arguments):
        entered.append(arguments[0])
        return linear(*arguments)
    with pytest.MonkeyPatch.context() as patch, torch.no_grad() if path == "fast" else \
            torch.enable_grad():
        patch.setattr(torch.nn.functional, "linear", spy)
        y, _ = model(x, x, x)
    assert torch.equal(y.transpose(0, 1).reshape(10, 64), by_hand(floats.out_proj, entered[-1]))
    with pytest.raises(ValueError, match="'out_proj' cannot be quantized: .*MultiheadAttention"):
        quantize_(floats, MXConfig(train=True), lambda module, name: name == "out_proj")


def test_attention_stays_and_is_named():
    model = nn.Sequential(nn.Linear(64, 64), nn.ModuleDict({"mha": nn.MultiheadAttention(64, 4)}))
    with pytest.warns(UserWarning) as caught:
        quantize_(model, MXConfig())
    text, = map(str, (one.message for one in caught))
    assert text.startswith("quantize_ leaves linear layers as they are: 1.mha.out_proj (torch.nn.")
    assert "in_proj_weight" in text and "\n" not in text
    assert isinstance(model[0], MXLinear) and not isinstance(model[1]["mha"].out_proj, MXLinear)


@pytest.mark.skipif(not hasattr(nn, "LinearCrossEntropyLoss"), reason="torch is too old")
@pytest.mark.parametrize("train", [False, True])
def test_loss_that_reads_its_layer(train):
    loss = seeded(lambda: nn.LinearCrossEntropyLoss(64, 10))
    x, target = numbers(5, 64), torch.arange(5)
    expected = loss(x, target)
    with pytest.warns(UserWarning, match=r"linear \(torch.nn.LinearCrossEntropyLoss"):
        assert torch.equal(quantize_(loss, MXConfig(train=train))(x, target), expected)
    with pytest.raises(ValueError, match="'linear' cannot be quantized"):
        quantize_(loss, MXConfig(train=train), lambda module, name: True)


def test_microxcalings_layers_in_a_transformer():
    layer = seeded(lambda: nn.TransformerEncoderLayer(64, 4, 128, 0.0, batch_first=True)).eval()
    x = numbers(2, 5, 64)
    specs = finalize_mx_specs({"w_elem_format": "fp4_e2m1", "a_elem_format": "fp4_e2m1",
                               "scale_bits": 8, "block_size": 32})
    for name in ("linear1", "linear2"):
        old = getattr(layer, name)
        new = MicroxcalingLinear(old.in_features, old.out_features, mx_specs=specs)
        new.load_state_dict(old.state_dict())
        setattr(layer, name, new)
    with torch.no_grad():
        found = layer(x)
    torch.testing.assert_close(found, layer(x).detach())


@pytest.mark.parametrize("call", [
    lambda x, w, b: nn.functional.linear(x, w, b), lambda x, w, b: x @ w.t() + b,
    lambda x, w, b: torch.addmm(b, x, w.t()), lambda x, w, b: (w @ x.t()).t() + b,
    lambda x, w, b: torch.matmul(x, w.transpose(0, 1)).add(b)])
@pytest.mark.parametrize("on", ["golden", "torch"])
def test_products_with_the_weight_of_a_layer(call, on):
    """A product outside of the layer also quantizes the activations."""
    linear = seeded(lambda: nn.Linear(70, 48))
    layer = quantize_(copy.deepcopy(linear), MXConfig(**FORMATS, on=on))
    x = numbers(9, 70)
    for mode in (torch.no_grad(), torch.enable_grad()):
        with mode:
            torch.testing.assert_close(call(x, layer.weight, layer.bias), by_hand(linear, x, on))
    with torch.inference_mode():
        torch.testing.assert_close(nn.functional.linear(x, layer.weight, layer.bias),
                                   by_hand(linear, x, on))
    only = quantize_(linear, MXConfig(FORMATS["weight"], None))
    torch.testing.assert_close(call(x, only.weight, only.bias), only(x))


def test_gradient_of_such_a_product():
    layer = quantize_(seeded(lambda: nn.Linear(70, 48)), MXConfig(**FORMATS))
    x, y = (numbers(9, 70).requires_grad_() for _ in range(2))
    layer(x).backward(numbers(9, 48, seed=2))
    nn.functional.linear(y, layer.weight, layer.bias).backward(numbers(9, 48, seed=2))
    torch.testing.assert_close(x.grad, y.grad)


def test_tied_weights():
    """An embedding keeps its numbers; a layer that shares them is quantized, or trains them."""
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.head = nn.Embedding(50, 64), nn.Linear(64, 50, bias=False)
            self.head.weight = self.tokens.weight

        def forward(self, ids):
            return self.head(self.tokens(ids))
    for train in (False, True):
        model = seeded(Tied)
        weight = model.tokens.weight.detach().clone()
        expected = by_hand(model.head, weight[:7])
        quantize_(model, MXConfig(**FORMATS, train=train))
        assert torch.equal(model(torch.arange(7)), expected)
        assert torch.equal(model.tokens.weight, weight)
        assert (model.head.weight is model.tokens.weight) == train
        model(torch.arange(7)).sum().backward()
        assert torch.count_nonzero(model.tokens.weight.grad)




@pytest.mark.parametrize("train", [False, True])
def test_shared_layers(train):
    linear = nn.Linear(64, 64)
    for model, places in (
            (Both(linear, linear), lambda m: (m.a, m.b)),
            (Both(nn.Sequential(linear), nn.Sequential(nn.ReLU(), linear)),
             lambda m: (m.a[0], m.b[1])),
            (Both(linear, nn.ModuleList([nn.Sequential(linear), linear])),
             lambda m: (m.a, m.b[0][0], m.b[1]))):
        quantize_(model, MXConfig(train=train))
        found = places(model)
        assert isinstance(found[0], MXLinear) and len(set(map(id, found))) == 1


def test_filter_chooses_by_name():
    linear = nn.Linear(64, 64)
    model = quantize_(Both(linear, linear), MXConfig(), lambda module, name: name == "b")
    assert model.a is linear and isinstance(model.b, MXLinear)


class Derived(nn.Linear):
    """Computes the same as torch.nn.Linear."""


class Doubled(nn.Linear):
    def forward(self, input):
        return 2 * super().forward(input)


def patched():
    layer = nn.Linear(64, 64)
    layer.forward = lambda x: nn.functional.linear(x, layer.weight) * 2
    return layer


def old_weight_norm():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return nn.utils.weight_norm(nn.Linear(64, 64))


KEPT = [
    ("Derived is derived from", lambda: Derived(64, 64)),
    ("Doubled has a forward\\(\\) of its own", lambda: Doubled(64, 64)),
    ("computed from other parameters", lambda: parametrizations.weight_norm(nn.Linear(64, 64))),
    ("computed from other parameters", lambda: parametrizations.orthogonal(nn.Linear(64, 64))),
    ("computed from other parameters", lambda: nn.utils.spectral_norm(nn.Linear(64, 64))),
    ("computed from other parameters", old_weight_norm),
    ("computed from other parameters", lambda: prune.l1_unstructured(nn.Linear(64, 64), "weight",
                                                                     0.5)),
    ("Linear has a forward\\(\\) of its own", patched),
    ("its weight is torch.complex64", lambda: nn.Linear(64, 64, dtype=torch.complex64)),
    ("LazyLinear is derived from", lambda: nn.LazyLinear(64)),
    ("an MXLinear already", lambda: quantize_(nn.Linear(64, 64), MXConfig())),
    ("an MXLinear already", lambda: quantize_(nn.Linear(64, 64), MXConfig(train=True)))]


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("reason, make", KEPT)
def test_layers_that_stay(reason, make, train):
    """Each is reported with its reason, alone and in a model, and is unchanged."""
    layer = make()
    kind, model = type(layer), nn.Sequential(nn.Linear(64, 64), nn.Sequential(layer))
    with pytest.warns(UserWarning, match=f"as they are: 1.0 \\(.*{reason}"):
        quantize_(model, MXConfig(train=train))
    assert isinstance(model[0], MXLinear) and model[1][0] is layer and type(layer) is kind
    with pytest.warns(UserWarning, match=f"as they are: the model \\(.*{reason}"):
        assert quantize_(layer, MXConfig(train=train)) is layer


@pytest.mark.parametrize("reason, make", [
    ("a forward\\(\\) of its own", lambda: Doubled(64, 64)), KEPT[2], KEPT[4], KEPT[5], KEPT[6],
    KEPT[7], KEPT[8], ("its weight has no shape yet", lambda: nn.LazyLinear(64)),
    ("its weight is quantized already", KEPT[10][1])])
def test_chosen_layers_that_cannot_be_quantized(reason, make):
    model = nn.Sequential(nn.Linear(64, 64), make())
    with pytest.raises(ValueError, match=f"^layer '1' cannot be quantized: .*{reason}") as caught:
        quantize_(model, MXConfig(), lambda module, name: isinstance(module, nn.Linear))
    assert "\n" not in str(caught.value)
    assert type(model[0]) is nn.Linear and not model[0]._forward_pre_hooks


def test_chosen_layers_that_can():
    x, layer = numbers(3, 64), seeded(lambda: Derived(64, 48))
    expected = by_hand(layer, x)
    model = quantize_(layer, MXConfig(**FORMATS), lambda module, name: True)
    assert isinstance(model, MXLinear) and torch.equal(model(x), expected)
    trained = quantize_(nn.Sequential(nn.Linear(64, 48)), MXConfig(**FORMATS, train=True))
    expected = trained(x)
    final = quantize_(trained, MXConfig(**FORMATS), lambda module, name: isinstance(module, MXLinear))
    assert isinstance(final[0].weight, MXTensor) and torch.equal(final(x), expected)


def test_hooks_stay():
    linear, seen = nn.Linear(64, 48), []
    handles = [linear.register_forward_hook(lambda *_: seen.append("after")),
               linear.register_forward_pre_hook(lambda *_: seen.append("before")),
               linear.register_full_backward_hook(lambda *_: seen.append("backward"))]
    linear.register_state_dict_post_hook(lambda *_: seen.append("file"))
    linear.note = "kept"
    model = quantize_(nn.Sequential(linear), MXConfig(**FORMATS))
    model(numbers(3, 64).requires_grad_()).sum().backward()
    model.state_dict()
    assert seen == ["before", "after", "backward", "file"] and model[0].note == "kept"
    for handle in handles:
        handle.remove()
    model(numbers(3, 64))
    assert len(seen) == 4
    other = quantize_(nn.Sequential(nn.Linear(64, 48)), MXConfig(train=True))
    other[0].register_forward_hook(lambda module, inputs, output: output * 0)
    assert not torch.count_nonzero(other(numbers(3, 64)))


def test_models_without_layers():
    for model in (nn.Sequential(nn.ReLU()), nn.Conv1d(3, 4, 5), nn.LSTM(32, 32)):
        with pytest.warns(UserWarning, match="changes nothing: the model has no torch.nn.Linear"):
            assert quantize_(model, MXConfig()) is model
    with pytest.warns(UserWarning, match="changes nothing: filter_fn chooses no layer"):
        quantize_(nn.Sequential(nn.Linear(64, 8)), MXConfig(), lambda module, name: False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        quantize_(nn.Sequential(nn.Linear(64, 8), nn.ReLU()), MXConfig())




@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("config", [*CONFIGS, {"activation": None},
                                    {"activation": None, "train": True}])
@pytest.mark.parametrize("layer_type", [torch.float32, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
def test_input_of_another_type(dtype, layer_type, config, bias):
    linear = seeded(lambda: nn.Linear(64, 48, bias=bias, dtype=layer_type))
    x = numbers(5, 64).to(dtype)
    y = quantize_(copy.deepcopy(linear), MXConfig(**{**FORMATS, **config}))(x)
    assert y.dtype == dtype and y.shape == (5, 48)
    weight = mxe.fake_quantize(linear.weight.detach().double(), FORMATS["weight"])
    entered = x.double() if config.get("activation", 1) is None else mxe.fake_quantize(
        x.double(), FORMATS["activation"])
    expected = nn.functional.linear(entered, weight,
                                    None if linear.bias is None else linear.bias.double())
    torch.testing.assert_close(y.double(), expected, rtol=2e-2, atol=6e-2)


@pytest.mark.parametrize("config", CONFIGS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_autocast(config, dtype):
    model = quantize_(seeded(lambda: nn.Linear(64, 48)), MXConfig(**FORMATS, **config))
    x = numbers(5, 64)
    expected = model(x.to(dtype))
    with torch.autocast("cpu", dtype):
        assert nn.Linear(64, 48)(x).dtype == dtype
        y = model(x)
        assert y.dtype == dtype and torch.equal(y, expected)
    assert model(x).dtype == torch.float32




def pair(make=lambda: nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 8)), **config):
    made = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        made.append(quantize_(make(), MXConfig(**{**FORMATS, **config})))
    return made


@pytest.mark.parametrize("config", [{}, {"on": "torch"}, {"train": True}, {"activation": None},
                                    {"weight": "nvfp4", "activation": None}])
@pytest.mark.parametrize("assign", [False, True])
def test_load_state_dict(config, assign):
    one, other = pair(**config)
    x = numbers(5, 64)
    assert not torch.equal(one(x), other(x))
    for _ in range(2):  # the second round must not reuse the arrays of the first
        other.load_state_dict(copy.deepcopy(one.state_dict()), assign=assign)
        assert torch.equal(one(x), other(x))
        one, other = pair(**config)
        other(x)


@pytest.mark.parametrize("config", [{}, {"on": "torch"}, {"train": True}, {"activation": None}])
@pytest.mark.parametrize("assign", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_load_numbers(config, assign, dtype):
    floats = seeded(lambda: nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 8))).to(dtype)
    expected = quantize_(copy.deepcopy(floats), MXConfig(**{**FORMATS, **config}))
    _, other = pair(**config)
    if not assign or dtype == torch.float32:
        expected = expected.float()
    other.load_state_dict(floats.state_dict(), assign=assign)
    x = numbers(5, 64).to(next(expected.parameters()).dtype)
    assert torch.equal(other(x), expected(x))


def test_load_into_floats():
    """Loading quantized weights into float layers is an error, or (assign) quantizes the layer."""
    one, _ = pair()
    floats = nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 8))
    with pytest.raises(RuntimeError, match=r"quantize_\(\) the model first.*assign=True"):
        floats.load_state_dict(one.state_dict())
    _, trained = pair(train=True)
    with pytest.raises(RuntimeError, match="no longer be quantized"):
        trained.load_state_dict(one.state_dict())
    with pytest.raises(RuntimeError, match="0.weight is quantized, but train=True needs numbers"):
        trained.load_state_dict(one.state_dict(), assign=True)
    floats.load_state_dict(one.state_dict(), assign=True)
    x = numbers(5, 64)
    assert torch.equal(floats(x), one(x))


def test_load_other_formats():
    """Without assign=True an error; with it, the layer takes the formats of the file."""
    one, _ = pair()
    for config in ({"weight": "mxfp8_e4m3"}, {"weight": "mxfp4_e2m1", "activation": "mxint8"},
                   {"weight": "nvfp4", "activation": None}):
        _, other = pair(**config)
        if config["weight"] != FORMATS["weight"]:
            with pytest.raises(RuntimeError, match="does not fit into .*assign=True"):
                other.load_state_dict(one.state_dict())
        other.load_state_dict(one.state_dict(), assign=True)
        x = numbers(5, 64)
        assert torch.equal(other(x), one(x))
        assert "weight=mxfp4_e2m1, activation=mxfp8_e4m3" in repr(other)


def test_saved_weights_carry_their_activation():
    one, _ = pair()
    file = io.BytesIO()
    torch.save(one.state_dict(), file)
    file.seek(0)
    read = torch.load(file, weights_only=True)
    assert read["0.weight"].activation == FORMATS["activation"]
    assert torch.equal(copy.deepcopy(one)(numbers(5, 64)), one(numbers(5, 64)))


def test_engine_compares_with_what_was_loaded():
    from test_engine import engine
    with engine("model") as eng:
        model, _ = pair(lambda: nn.Linear(64, 48), on=eng)
        x, other = numbers(5, 64), seeded(lambda: nn.Linear(64, 48)).state_dict()
        other["weight"] = other["weight"] * 3
        with torch.no_grad(), mxe.record() as recording:
            model.load_state_dict(other)
            model(x)
            model.load_state_dict(pair(lambda: nn.Linear(64, 48))[0].state_dict())
            model(x)
    assert recording[0].sqnr_db > 10
    assert recording[1].sqnr_db is None  # unknown for codes


def test_safetensors_says_how():
    safetensors = pytest.importorskip("safetensors.torch", reason="safetensors is not installed")
    model, _ = pair()
    for call in (lambda: safetensors.save(model.state_dict()),
                 lambda: safetensors.save({"w": model[0].weight})):
        with pytest.raises(RuntimeError, match=r"torch.save\(model.state_dict.*mxe.save") as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("call", [lambda w: w.data_ptr(), lambda w: w.storage()])
def test_memory_of_quantized_tensors(call):
    with pytest.raises(RuntimeError, match="no memory of its own: torch.save"):
        call(pair()[0][0].weight)


def test_shared_memory():
    model, _ = pair()
    x = numbers(5, 64)
    expected = model(x).detach()
    assert model.share_memory() is model
    weight = model[0].weight
    assert weight.codes.is_shared() and torch.equal(model(x), expected)
    before = int(weight.codes[0, 0])
    child = os.fork()
    if child == 0:
        weight.codes.numpy()[0, 0] ^= 1
        os._exit(0)
    os.waitpid(child, 0)
    assert int(weight.codes[0, 0]) == before ^ 1




def test_estimates_of_attention():
    """Includes the projections of torch.nn.MultiheadAttention, which no layer computes."""
    attention = nn.MultiheadAttention(64, 4, batch_first=True)
    other = nn.MultiheadAttention(64, 4, kdim=32, vdim=48, batch_first=True)
    encoder = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    x = torch.zeros(2, 10, 64)
    keys = x[:, :7]  # also the values: the module compares identities
    narrow = (torch.zeros(2, 7, 32), torch.zeros(2, 7, 48))
    for model, inputs, expected in (
            (attention, [x] * 3, [("in_proj", "20x192x64"), ("out_proj", "20x64x64")]),
            (attention, [x, keys, keys],
             [("in_proj", "20x64x64"), ("in_proj", "14x128x64"), ("out_proj", "20x64x64")]),
            (other, [x, *narrow], [("q_proj", "20x64x64"), ("k_proj", "14x64x32"),
                                   ("v_proj", "14x64x48"), ("out_proj", "20x64x64")]),
            (encoder, x, [("self_attn.in_proj", "20x192x64"), ("self_attn.out_proj", "20x64x64"),
                          ("linear1", "20x128x64"), ("linear2", "20x64x128")]),
            (encoder.eval(), x, [("self_attn.in_proj", "20x192x64"),
                                 ("self_attn.out_proj", "20x64x64"), ("linear1", "20x128x64"),
                                 ("linear2", "20x64x128")])):
        found = mxe.estimate(model, inputs, "mxfp8_e4m3", "mxfp8_e4m3", config="small")
        assert [(job.name, job.shape) for job in found] == expected


def test_estimate_with_layers_that_are_not_called():
    class Idle(nn.Module):
        def __init__(self):
            super().__init__()
            self.used, self.idle = nn.Linear(64, 8), nn.Linear(64, 8)
            self.more = nn.Linear(64, 16)

        def forward(self, x):
            return self.used(x) + x.sum() * self.idle.bias.sum() + self.more.weight.sum()
    for model in (Idle(), quantize_(Idle(), MXConfig(), lambda module, name: name != "more")):
        found = mxe.estimate(model, (5, 64), "mxfp8_e4m3", "mxfp8_e4m3", config="small")
        assert [(job.name, job.shape) for job in found] == [("used", "5x8x64")]


@quiet
def test_estimate_of_quantized_transformers():
    layer = quantize_(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), MXConfig(**FORMATS))
    found = mxe.estimate(layer, (2, 10, 64), "mxint8", "mxint8", config="small")
    assert [(job.name, job.format_a, job.format_b) for job in found] == [
        ("self_attn.in_proj", "mxint8", "mxint8"), ("self_attn.out_proj", "mxint8", "mxint8"),
        ("linear1", "mxfp8_e4m3", "mxfp4_e2m1"), ("linear2", "mxfp8_e4m3", "mxfp4_e2m1")]
    attention = quantize_(nn.MultiheadAttention(64, 4), MXConfig(**FORMATS),
                          lambda module, name: True)
    found = mxe.estimate(attention, [(10, 64)] * 3, "mxint8", "mxint8", config="small")
    assert [(job.name, job.format_b) for job in found][-1] == ("out_proj", "mxfp4_e2m1")


@pytest.mark.parametrize("on", ["golden", "torch"])
def test_layers_of_quantized_weights(on):
    linear = torch.nn.Linear(64, 8)
    x = torch.randn(3, 64)
    expected = quantize_(copy.deepcopy(linear), MXConfig("mxfp4_e2m1", "mxfp8_e4m3", on=on))(x).detach()
    q = mxe.quantize(linear.weight.detach().numpy(), "mxfp4_e2m1")
    bias = linear.bias.detach()
    made = MXLinear.from_array(q, bias=bias, activation="mxfp8_e4m3", on=on)
    assert torch.equal(made(x), expected)
    assert torch.equal(MXLinear.from_codes(q.codes, q.scales, "mxfp4_e2m1", bias=bias.numpy(),
                                           activation="mxfp8_e4m3", on=on)(x), expected)
    assert torch.equal(made.weight.dequantize(), torch.from_numpy(q.dequantize()))
    again = MXLinear.from_array(mxe.quantize(np.zeros((8, 64), np.float32), "mxfp4_e2m1"), bias=np.zeros(8, np.float32),
                                activation="mxfp8_e4m3", on=on)
    again.load_state_dict(made.state_dict(), assign=True)
    assert torch.equal(again(x), expected)


def test_layers_of_quantized_weights_without_an_activation():
    weight = torch.randn(8, 64)
    q = mxe.quantize(weight, "nvfp4", "nvfp4-modelopt")
    x = torch.randn(3, 64, dtype=torch.bfloat16)
    made = MXLinear.from_array(q, dtype=torch.bfloat16)
    assert made.weight.dtype == torch.bfloat16 and made.bias is None
    assert torch.equal(made(x), torch.nn.functional.linear(x, q.dequantize("bfloat16")))


@pytest.mark.parametrize("preset,scale", [("nvfp4-modelopt", 0.0123), ("nvfp4-compressed-tensors", 77.25)])
def test_layers_with_a_constant_scale_of_activations(preset, scale):
    q = mxe.quantize(torch.randn(8, 64), "nvfp4", preset)
    x = torch.randn(3, 64)
    values = mxe.fake_quantize(x, "nvfp4", preset, tensor_scale=scale)
    assert not torch.equal(values, mxe.fake_quantize(x, "nvfp4", preset))
    made = MXLinear.from_array(q, activation="nvfp4", activation_scale=scale, on="torch")
    assert torch.equal(made(x), torch.nn.functional.linear(values, q.dequantize()))
    made = MXLinear.from_codes(q.codes, q.scales, "nvfp4", preset, tensor_scale=q.tensor_scale, activation="nvfp4",
                               activation_scale=scale)
    expected = mxe.matmul(mxe.quantize(x, "nvfp4", preset, tensor_scale=scale), q, transpose_b=True)
    assert torch.equal(made(x), torch.as_tensor(expected))
    with pytest.raises(ValueError, match="activation_scale needs an activation"):
        MXLinear.from_array(q, activation_scale=scale)


def test_weights_that_make_no_layer():
    q = mxe.quantize(np.zeros((8, 64), np.float32), "mxfp4_e2m1", axis=0)
    with pytest.raises(ValueError, match=r"the weight must be \[N, K\] with blocks along K"):
        MXLinear.from_array(q)
    q = mxe.quantize(np.zeros((8, 64), np.float32), "mxfp4_e2m1")
    with pytest.raises(ValueError, match=r"the bias must be \[8\], but is \[4\]"):
        MXLinear.from_array(q, bias=torch.zeros(4))
