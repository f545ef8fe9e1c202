# SPDX-License-Identifier: Apache-2.0
"""Every public function of a tensor has a gradient, or backward() raises; also with torch.func."""
import functools
import inspect

import pytest
from conftest import plain
from test_engine import engine

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")
from torch import nn  # noqa: E402
from torch.func import functional_call, grad, jacrev, vjp, vmap  # noqa: E402

import mxe.compat.microxcaling  # noqa: E402
import mxe.compat.pychop  # noqa: E402
import mxe.compat.torchmx  # noqa: E402
import mxe.torch  # noqa: E402
from mxe.torch import MXConfig, MXLinear, MXTensor, quantize_  # noqa: E402

FORMATS = ("mxfp8_e4m3", "mxfp4_e2m1")
SPECS = mxe.compat.microxcaling.finalize_mx_specs({
    "w_elem_format": "fp4_e2m1", "a_elem_format": "fp8_e4m3", "scale_bits": 8, "block_size": 32})
VECTOR_SPECS = mxe.compat.microxcaling.finalize_mx_specs({**SPECS, "bfloat": 16})


def numbers(*shape, seed=1):
    return torch.from_numpy(plain(shape, seed))


def trained(x):
    return quantize_(nn.Linear(64, 8), MXConfig(train=True))(x)


def torchmx(x):
    from mxe.compat.torchmx import MXTensor, dtypes
    return MXTensor.to_mx(x.bfloat16(), dtypes.int8)


#: Calls of f, the function of this name of mxe.compat.microxcaling. Squares, because the sum of softmax() is constant.
OF_MICROXCALING = {
    **{name: lambda f, x: f(x) for name in (
        "gelu", "leaky_relu", "quantize_bfloat", "relu", "relu6", "sigmoid", "silu", "tanh", "simd_exp", "simd_norm",
        "simd_reduce_mean", "simd_reduce_sum", "simd_square")},
    **{name: lambda f, x: f(x, numbers(9, 64, seed=2)) for name in ("simd_add", "simd_div", "simd_mul", "simd_sub")},
    **{name: lambda f, x: f(x.abs() + 1) for name in ("simd_log", "simd_sqrt")},
    "simd_split": lambda f, x: torch.cat(f(x)),
    "softmax": lambda f, x: f(x).square(),
    "layer_norm": lambda f, x: f(x, (64,), numbers(64), numbers(64)).square(),
    "adaptive_avg_pool2d": lambda f, x: f(x[None, None], 3),
    "conv1d": lambda f, x: f(x[None], numbers(4, 9, 3)),
    "conv2d": lambda f, x: f(x[None, None], numbers(4, 1, 3, 3)),
    "conv3d": lambda f, x: f(x[None, None, None], numbers(4, 1, 1, 3, 3))}

DIFFERENTIABLE = {
    "mxe.fake_quantize": lambda x: mxe.fake_quantize(x, "mxfp4_e2m1"),
    "mxe.fake_quantize, other type": lambda x: mxe.fake_quantize(x, "nvfp4", dtype="bfloat16"),
    "mxe.fake_quantize of a view": lambda x: mxe.fake_quantize(x.t()[::2], "mxint8", axis=0),
    "mxe.torch.fake_quantize": lambda x: mxe.torch.fake_quantize(x, "mxfp4_e2m1"),
    "mxe.torch.quantize": lambda x: mxe.torch.quantize(x, "mxfp4_e2m1").dequantize(),
    "mxe.torch.matmul, a": lambda x: mxe.torch.matmul(x, numbers(64, 5), *FORMATS),
    "mxe.torch.matmul, b": lambda x: mxe.torch.matmul(numbers(5, 9), x, *FORMATS),
    "mxe.torch.matmul, bias": lambda x: mxe.torch.matmul(numbers(9, 32), numbers(32, 64), *FORMATS,
                                                         bias=x),
    "MXTensor.to_mx": lambda x: MXTensor.to_mx(x, "mxfp4_e2m1").dequantize(),
    "MXTensor's product": lambda x: MXTensor.to_mx(x, "mxint8") @ MXTensor.to_mx(
        numbers(5, 64), "mxint8").t(),
    "MXLinear": lambda x: quantize_(nn.Linear(64, 8), MXConfig())(x),
    "MXLinear, on torch": lambda x: quantize_(nn.Linear(64, 8), MXConfig(on="torch"))(x),
    "MXLinear, weights only": lambda x: quantize_(nn.Linear(64, 8), MXConfig(activation=None))(x),
    "MXLinear, train": trained,
    "pychop.mx_quantize": lambda x: mxe.compat.pychop.mx_quantize(x, "mxfp4_e2m1"),
    "pychop.MXTensor_": lambda x: mxe.compat.pychop.MXTensor_(x).dequantize(),
    "torchmx.MXTensor": lambda x: torchmx(x).to_dtype(torch.bfloat16),
    "microxcaling.quantize_mx_op": lambda x: mxe.compat.microxcaling.quantize_mx_op(
        x, SPECS, "int8", axes=[-1]),
    "microxcaling.quantize_mx_op, bfloat16": lambda x: mxe.compat.microxcaling.quantize_mx_op(
        x.bfloat16(), SPECS, "int8", axes=[-1]),
    "microxcaling.linear": lambda x: mxe.compat.microxcaling.linear(x, numbers(8, 64),
                                                                    mx_specs=SPECS),
    "microxcaling.matmul": lambda x: mxe.compat.microxcaling.matmul(x, numbers(64, 8),
                                                                    mx_specs=SPECS),
    "microxcaling.bmm": lambda x: mxe.compat.microxcaling.bmm(x[None], numbers(1, 64, 8), SPECS),
    **{f"microxcaling.{name}": lambda x, name=name, call=call: call(
        functools.partial(getattr(mxe.compat.microxcaling, name), mx_specs=VECTOR_SPECS), x)
       for name, call in OF_MICROXCALING.items()}}


def prequantized(x):
    return mxe.compat.microxcaling.linear(x, numbers(8, 64).bfloat16(), None, SPECS, True)


def inference_linear(x):
    from mxe.compat.torchmx import MXConfig, MXInferenceLinear, QLinearConfig
    config = MXConfig("int8")
    torch.manual_seed(1)
    return MXInferenceLinear.from_float(nn.Linear(64, 8).bfloat16(),
                                        QLinearConfig(config, config))(x.bfloat16())


REFUSED = {
    "mxe.quantize": (lambda x: mxe.quantize(x, "mxint8").dequantize(), "mxe.torch.quantize"),
    "mxe.matmul, a": (lambda x: mxe.matmul(x, numbers(64, 8), *FORMATS), "mxe.torch.matmul"),
    "mxe.matmul, b": (lambda x: mxe.matmul(numbers(8, 9), x, *FORMATS), "mxe.torch.matmul"),
    "mxe.matmul, bias": (lambda x: mxe.matmul(numbers(9, 32), numbers(32, 64), *FORMATS, bias=x),
                         "mxe.torch.matmul"),
    "mxe.matmul of an Array": (lambda x: mxe.matmul(mxe.quantize(x, "mxint8"), numbers(64, 8),
                                                    format_b="mxint8"), "mxe.torch.matmul"),
    "mxe.matmul to an Array": (lambda x: mxe.matmul(x, numbers(64, 8), *FORMATS,
                                                    out_format="mxint8").dequantize(), "detach"),
    "microxcaling.quantize_elemwise_op": (
        lambda x: mxe.compat.microxcaling.quantize_elemwise_op(
            x, mxe.compat.microxcaling.apply_mx_specs({"bfloat": 16})), "no autograd formula"),
    "microxcaling.quantize_elemwise_op, bfloat16": (
        lambda x: mxe.compat.microxcaling.quantize_elemwise_op(
            x.bfloat16(), mxe.compat.microxcaling.apply_mx_specs({"bfloat": 12})), "has no gradient"),
    "microxcaling.linear, prequantized": (prequantized, "have no gradient"),
    "torchmx.MXInferenceLinear": (inference_linear, "has no gradient")}


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients(name):
    x = numbers(9, 64).requires_grad_()
    y = DIFFERENTIABLE[name](x)
    y.float().sum().backward()
    assert x.grad is not None and x.grad.dtype == x.dtype and torch.count_nonzero(x.grad) > 0
    with torch.no_grad():
        assert not DIFFERENTIABLE[name](x).requires_grad


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    call, text = REFUSED[name]
    x = numbers(9, 64).requires_grad_()
    y = call(x)
    assert y.requires_grad
    with pytest.raises(RuntimeError, match=text) as caught:
        y.float().sum().backward()
    assert "\n" not in str(caught.value)
    with torch.no_grad():
        assert torch.equal(call(x), y) and not call(x).requires_grad
    assert not call(x.detach()).requires_grad


def test_refusal_of_engines():
    with engine("model") as eng:
        x = numbers(9, 64).requires_grad_()
        layer = quantize_(nn.Linear(64, 8), MXConfig(on=eng))
        for y, text in ((layer(x), "forward passes only"),
                        (layer(x.detach()), "forward passes only"),  # the bias requires a gradient
                        (mxe.matmul(x, numbers(64, 8), *FORMATS, on=eng), "mxe.torch.matmul"),
                        (eng.matmul(x, numbers(64, 8), *FORMATS).value, "mxe.torch.matmul")):
            with pytest.raises(RuntimeError, match=text):
                y.sum().backward()
        with torch.no_grad():
            assert not layer(x).requires_grad


def test_every_function_is_listed():
    """Every public function that takes a tensor is in a list above, or returns no numbers."""
    listed = {name.partition(",")[0].partition(" of ")[0].partition(" to ")[0]
              for name in (*DIFFERENTIABLE, *REFUSED)}
    without = {"compare", "diff", "estimate", "explain", "formats", "layer", "load", "load_layer", "presets",
               "record", "save", "save_checkpoint", "flatten_state_dict", "unflatten_state_dict", "quantize_",
               "quantizer_of", "text_of", "create_mx_spec", "add_mx_args", "apply_mx_specs", "finalize_mx_specs",
               "get_backwards_mx_specs",
               "get_mx_specs", "quantize_linear_", "backend", "compare_mx_formats", "print_mx_format_table",
               "mx_dynamic_activation_mx_weights", "quantize_llm_"}
    for module in (mxe, mxe.torch, mxe.compat.pychop, mxe.compat.microxcaling,
                   mxe.compat.torchmx):
        prefix = module.__name__.removeprefix("mxe.compat.")
        for name in module.__all__:
            if inspect.isfunction(getattr(module, name)) and name not in without:
                assert f"{prefix}.{name}" in listed, f"{prefix}.{name}"


def test_gradient_is_the_identity():
    x, grown = numbers(9, 64).mul(100).requires_grad_(), numbers(9, 64, seed=2)
    for call in (lambda v: mxe.fake_quantize(v, "mxfp4_e2m1", "torchao-even"),
                 lambda v: mxe.fake_quantize(v, "nvfp4", axis=0),
                 lambda v: mxe.fake_quantize(v, mxe.Quantizer("e3m2", rounding="stochastic"))):
        x.grad = None
        y = call(x)
        assert torch.equal(y, call(x.detach()))
        y.backward(grown)
        assert torch.equal(x.grad, grown)
    half = x.detach().half().requires_grad_()
    mxe.fake_quantize(half, "mxint8", dtype="float32").backward(grown)
    assert half.grad.dtype == torch.float16 and torch.equal(half.grad, grown.half())


class Reversed(torch.Tensor):
    """A class derived from Tensor."""


@pytest.mark.parametrize("wrap", [nn.Parameter, lambda x: x.as_subclass(Reversed)])
def test_derived_tensors(wrap):
    x = wrap(numbers(4, 64)).requires_grad_()
    assert isinstance(mxe.quantize(x, "mxint8").codes, torch.Tensor)
    mxe.fake_quantize(x, "mxint8").sum().backward()
    assert torch.equal(torch.Tensor(x.grad), torch.ones(4, 64))




@pytest.mark.parametrize("clip", [False, True])
@pytest.mark.parametrize("name", ["mxfp4_e2m1", "nvfp4"])
def test_func_of_fake_quantize(name, clip):
    x, weights = numbers(5, 40, 3), numbers(40, 3, seed=2)

    def loss(v):
        return (mxe.torch.fake_quantize(v, name, axis=0, clip=clip) * weights).square().sum()

    expected = []
    for one in x:
        one = one.clone().requires_grad_()
        loss(one).backward()
        expected.append(one.grad)
    for one, other in zip(x, expected):
        assert torch.equal(grad(loss)(one), other)
        assert torch.equal(vjp(loss, one)[1](torch.tensor(1.0))[0], other)
    assert torch.equal(vmap(grad(loss))(x), torch.stack(expected))
    assert torch.equal(vmap(vmap(grad(lambda v: loss(v)), out_dims=0))(x[None])[0],
                       torch.stack(expected))
    assert torch.equal(vmap(grad(loss), in_dims=1, out_dims=1)(x.transpose(0, 1)),
                       torch.stack(expected, 1))


def test_higher_derivatives():
    x = numbers(32)
    hessian = jacrev(grad(lambda v: mxe.torch.fake_quantize(v, "mxint8").square().sum()))(x)
    assert torch.equal(hessian, 2 * torch.eye(32))
    with_one = x.clone().requires_grad_()  # outside of torch.func
    grad(lambda v: (mxe.torch.fake_quantize(v * with_one, "mxint8")).sum())(x).sum().backward()
    assert torch.equal(with_one.grad, torch.ones(32))


@pytest.mark.parametrize("config", [{"train": True}, {"train": True, "on": "torch"}, {},
                                    {"on": "torch"}, {"train": True, "clip": True}])
def test_gradients_for_every_sample(config):
    torch.manual_seed(1)
    model = quantize_(nn.Sequential(nn.Linear(64, 48), nn.ReLU(), nn.Linear(48, 10)),
                      MXConfig(*reversed(FORMATS), **config))
    x, target = numbers(6, 64), torch.arange(6)
    named = {name: one for name, one in model.named_parameters() if one.requires_grad}

    def loss(values, v, label):
        y = functional_call(model, values, (v[None],))
        return nn.functional.cross_entropy(y, label[None])

    found = vmap(grad(loss), in_dims=(None, 0, 0))({k: v.detach() for k, v in named.items()}, x,
                                                   target)
    assert len(found) == (4 if config.get("train") else 2)
    for at in range(6):
        model.zero_grad()
        nn.functional.cross_entropy(model(x[at:at + 1]), target[at:at + 1]).backward()
        for name, one in named.items():
            torch.testing.assert_close(found[name][at], one.grad)
    inputs = vmap(grad(lambda v, label: loss({}, v, label)))(x, target)
    model(x.requires_grad_())
    nn.functional.cross_entropy(model(x), target, reduction="sum").backward()
    torch.testing.assert_close(inputs, x.grad, rtol=1e-4, atol=1e-6)


def test_func_of_products():
    a, b, bias = numbers(5, 7, 64), numbers(5, 64, 9), numbers(9)

    def loss(x, y, z):
        return mxe.torch.matmul(x, y, *FORMATS, bias=z).square().sum()

    found = vmap(grad(loss, argnums=(0, 1, 2)), in_dims=(0, 0, None))(a, b, bias)
    for at in range(5):
        operands = [one.clone().requires_grad_() for one in (a[at], b[at], bias)]
        loss(*operands).backward()
        for one, other in zip(found, operands):
            torch.testing.assert_close(one[at], other.grad)


def test_compiled_graphs_show_operators():
    layer = quantize_(nn.Linear(64, 8), MXConfig(train=True))
    seen = []

    def backend(graph, inputs):
        seen.extend(str(node.target) for node in graph.graph.nodes if node.op == "call_function")
        return graph
    torch.compile(layer, backend=backend, fullgraph=True)(numbers(3, 64))
    torch._dynamo.reset()
    assert any("mxe.matmul" in name for name in seen), seen
    assert isinstance(layer, MXLinear)
