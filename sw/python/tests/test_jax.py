# SPDX-License-Identifier: Apache-2.0
"""mxe.jax under JAX's transformations, bit for bit what mxe computes without them."""
import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe

jax = pytest.importorskip("jax", reason="jax is not installed")
jnp = jax.numpy

import mxe.jax  # noqa: E402


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16"])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_fake_quantize_in_jit(dtype, axis):
    x = jnp.asarray(awkward((40, 70)).clip(-6e4, 6e4), dtype)
    y = jax.jit(lambda v: mxe.jax.fake_quantize(v, "mxfp6_e3m2", axis=axis))(x)
    assert y.dtype == x.dtype
    assert_same(np.asarray(y, np.float32),
                np.asarray(mxe.fake_quantize(x, "mxfp6_e3m2", axis=axis), np.float32))


@pytest.mark.parametrize("name, preset", [("mxfp8_e4m3", "ocp"), ("nvfp4", "nvfp4-te"),
                                          ("nvfp4", "nvfp4-te-row"), ("mxfp4_e2m1", "pychop"),
                                          ("e5m7", "ocp"), ("mxint8", "quark-onnx")])
def test_codes_in_jit(name, preset):
    x = plain((5, 66))
    ours = jax.jit(lambda v: mxe.jax.quantize(v, name, preset))(x)
    q = mxe.quantize(x, name, preset)
    assert_same(np.asarray(ours.codes), q.codes)
    assert_same(np.asarray(ours.scales), q.scales)


@pytest.mark.parametrize("name, preset", [("mxfp8_e4m3", "ocp"), ("nvfp4", "nvfp4-torchao2"),
                                          ("mxfp4_e2m1", "pychop")])
@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("over", [0, 1])
def test_vmap(name, preset, axis, over):
    x = plain((3, 40, 50)) * np.float32([[[1]], [[50]], [[900]]])
    batch = np.moveaxis(x, 0, over)
    y = jax.vmap(lambda v: mxe.jax.fake_quantize(v, name, preset, axis=axis), in_axes=over)(batch)
    for one, expected in zip(y, x, strict=True):
        assert_same(np.asarray(one), mxe.fake_quantize(expected, name, preset, axis=axis))


def test_gradient_is_straight_through():
    x = plain((4, 64))
    gradient = jax.grad(lambda v: (mxe.jax.fake_quantize(v, "mxfp4_e2m1") * x).sum())(jnp.asarray(x))
    assert_same(np.asarray(gradient), x)


def test_matmul():
    a, b = plain((2, 9, 70)), plain((70, 13), 2)
    expected = mxe.matmul(a, b, "mxfp8_e4m3", "mxfp4_e2m1")

    def product(x, y):
        return mxe.jax.matmul(x, y, "mxfp8_e4m3", "mxfp4_e2m1")

    assert_same(np.asarray(jax.jit(product)(a, b)), expected)
    assert_same(np.asarray(jax.vmap(product, in_axes=(0, None))(a, b)), expected)
    ga, gb = jax.grad(lambda x, y: product(x, y).sum(), argnums=(0, 1))(jnp.asarray(a),
                                                                        jnp.asarray(b))
    qa = mxe.fake_quantize(a, "mxfp8_e4m3")
    qb = mxe.fake_quantize(b, "mxfp4_e2m1", axis=0)
    np.testing.assert_allclose(ga, np.broadcast_to(qb.sum(1), a.shape), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(gb, np.repeat(qa.sum((0, 1))[:, None], 13, 1), rtol=1e-4, atol=1e-4)


def test_large_arrays_do_not_wait_for_themselves():
    x = jnp.asarray(plain((1500, 2048)))
    y = jax.jit(lambda v: mxe.jax.fake_quantize(v + 1, "mxfp8_e4m3") * 2)(x)
    assert_same(np.asarray(y), 2 * mxe.fake_quantize(np.asarray(x) + 1, "mxfp8_e4m3"))


def test_errors_come_while_tracing():
    for arguments, error in ((("mxint8", "torchao-floor"), ValueError), (("fp3",), ValueError)):
        with pytest.raises(error):
            jax.jit(lambda v, arguments=arguments: mxe.jax.fake_quantize(v, *arguments))(
                np.zeros(4, np.float32))
    with pytest.raises(ValueError, match="axis 3"):
        mxe.jax.fake_quantize(plain((4, 4)), "mxint8", axis=3)
    with pytest.raises(TypeError, match="but are int32"):
        mxe.jax.fake_quantize(jnp.arange(4), "mxint8")
