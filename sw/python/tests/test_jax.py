# SPDX-License-Identifier: Apache-2.0
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


FORMATS = ("mxfp8_e4m3", "mxfp4_e2m1")
# Shapes of a and b with all mapped axes, and in_axes of each vmap, outermost first.
MAPPED = [((3, 5, 64), (3, 3, 64, 7), [(0, 0)]), ((4, 5, 64), (4, 3, 64, 7), [(0, 0)]),
          ((3, 5, 64), (3, 64, 7), [(0, None)]), ((5, 64), (3, 64, 7), [(None, 0)]),
          ((5, 64), (2, 3, 64, 7), [(None, 0)]), ((2, 3, 5, 64), (3, 64, 7), [(0, None)]),
          ((3, 2, 5, 64), (2, 64, 7), [(0, None)]), ((5, 3, 64), (64, 7, 3), [(1, 2)]),
          ((5, 64, 3), (2, 64, 3, 7), [(-1, 2)]), ((3, 4, 5, 64), (3, 64, 7), [(0, 0), (0, None)]),
          ((3, 5, 64), (4, 64, 7), [(0, None), (None, 0)]),
          ((3, 4, 5, 64), (4, 3, 6, 64, 7), [(0, 1), (0, 0)]),
          ((3, 5, 4, 64), (2, 64, 4, 7), [(0, None), (1, 2)])]


@pytest.mark.parametrize("a, b, maps", MAPPED)
@pytest.mark.parametrize("closed", [False, True])
def test_vmap_of_matmul(a, b, maps, closed):
    """Equals vmap of jnp.matmul. `closed`: the function captures unmapped operands."""
    random = np.random.default_rng(1)
    operands = [random.integers(-3, 4, shape).astype(np.float32) for shape in (a, b)]

    def mapped(product):
        function, fixed = product, [None, None]
        if closed:
            for at in range(2):
                if all(axes[at] is None for axes in maps):
                    fixed[at] = operands[at]
            function = lambda *rest: product(*[
                rest[at] if one is None else one for at, one in enumerate(fixed)])
        for axes in reversed(maps):
            function = jax.vmap(function, in_axes=axes)
        return function

    def product(x, y):
        return mxe.jax.matmul(x, y, "mxint8")  # integers of this size are exact

    for outer in (lambda f: f, jax.jit):
        expected = mapped(jnp.matmul)(*operands)
        found = outer(mapped(product))(*operands)
        assert_same(np.asarray(found), np.asarray(expected))


def test_vmap_of_matmul_in_other_formats():
    a, b = plain((3, 5, 70)), plain((3, 2, 70, 7), 2)
    y = jax.vmap(lambda x, y: mxe.jax.matmul(x, y, *FORMATS))(a, b)
    for one, x, z in zip(y, a, b, strict=True):
        assert_same(np.asarray(one), mxe.matmul(x, z, *FORMATS))
    random = mxe.Quantizer("mxfp4_e2m1", rounding="stochastic", seed=3)
    y = jax.vmap(lambda x, y: mxe.jax.matmul(x, y, random))(a, b)
    for one, x, z in zip(y, a, b, strict=True):
        assert_same(np.asarray(one), mxe.matmul(mxe.quantize(x, random),
                                                mxe.quantize(z, random, axis=-2)))


@pytest.mark.parametrize("axes", [(0, 0), (0, None), (None, 0)])
def test_gradient_of_matmul_under_vmap(axes):
    a = plain((3, 5, 64) if axes[0] == 0 else (5, 64))
    b = plain((3, 2, 64, 7) if axes[1] == 0 else (2, 64, 7), 2)

    def loss(x, y):
        return (mxe.jax.matmul(x, y, *FORMATS) ** 2).sum()

    found = jax.vmap(jax.grad(loss, argnums=(0, 1)), in_axes=axes)(a, b)
    for at in range(3):
        x, y = (one[at] if axis == 0 else one for one, axis in zip((a, b), axes))
        expected = jax.grad(loss, argnums=(0, 1))(jnp.asarray(x), jnp.asarray(y))
        for one, other in zip(found, expected):
            np.testing.assert_allclose(one[at], other, rtol=1e-5, atol=1e-4)


def square(name="mxfp4_e2m1"):
    return mxe.Quantizer(name, block_rows=32)


@pytest.mark.parametrize("quantizer", ["mxfp8_e4m3", "nvfp4", mxe.Quantizer("nvfp4", "nvfp4-te-2d"),
                                       mxe.Quantizer("nvfp4", "nvfp4-te-row"), square(),
                                       mxe.Quantizer("mxfp4_e2m1", "pychop")])
@pytest.mark.parametrize("shape", [(5,), (5, 40), (5, 3, 40), (5, 3, 4, 40)])
@pytest.mark.parametrize("over", [0, -1])
def test_vmap_of_quantizing(quantizer, shape, over):
    x = plain(shape) * np.exp2(np.arange(5, dtype=np.float32) * 3).reshape(
        (5,) + (1,) * (len(shape) - 1))
    batch = jnp.moveaxis(jnp.asarray(x), 0, over)
    values = jax.vmap(lambda v: mxe.jax.fake_quantize(v, quantizer), in_axes=over)(batch)
    codes = jax.vmap(lambda v: mxe.jax.quantize(v, quantizer), in_axes=over)(batch)
    for at, one in enumerate(x):
        expected = mxe.quantize(one, quantizer)
        assert_same(np.asarray(values[at]), mxe.fake_quantize(one, quantizer))
        assert_same(np.asarray(codes.codes[at]), expected.codes)
        assert_same(np.asarray(codes.scales[at]), expected.scales)


def test_matrices_are_needed():
    """vmap adds leading axes, so a mapped vector would look like a matrix."""
    a, b = plain((7, 64)), plain((7, 64, 9))
    for call in (lambda: jax.vmap(lambda x, y: mxe.jax.matmul(x, y, "mxint8"))(a, b),
                 lambda: jax.jit(lambda x: mxe.jax.matmul(x, b, "mxint8"))(a[0])):
        with pytest.raises(ValueError, match="a must have at least two axes, but has 1"):
            call()


def test_formats_of_products_are_checked_while_tracing():
    a, b = plain((5, 64)), plain((64, 9))
    for name, accumulate, text in (("e4m3", "block", "no product has elements"),
                                   ("mxint8", "x", "unknown accumulation")):
        with pytest.raises(ValueError, match=text):
            jax.eval_shape(lambda x, name=name, accumulate=accumulate: mxe.jax.matmul(
                x, b, name, accumulate=accumulate), a)
    with pytest.raises(TypeError, match="b: the elements must be"):
        jax.eval_shape(lambda x: mxe.jax.matmul(x, b.astype(np.int32), "mxint8"), a)


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
