# SPDX-License-Identifier: Apache-2.0
"""The package's rules for memory, threads, signals, imports and errors."""
import array
import importlib.metadata
import inspect
import pathlib
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import assert_same, plain

import mxe


def run(script):
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                          check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_needs_numpy_alone():
    loaded = run("""
import sys
import numpy
before = set(sys.modules)
import mxe
roots = {name.partition('.')[0] for name in set(sys.modules) - before}
print(sorted(root for root in roots if root not in sys.stdlib_module_names))
print('systemc' in open('/proc/self/maps').read())
""")
    assert loaded.splitlines() == ["['mxe']", "False"]


GROWTH = """
import resource
import numpy as np
import mxe
x = {array}
mxe.quantize(np.zeros((64, 64), np.float32), 'mxfp8_e4m3')
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
q = {call}
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("source", ["np.ones((4096, 4096), np.float32)",
                                    "np.ones((4096, 4096), np.float32).T",
                                    "np.ones((4096, 4096), np.float16)",
                                    "np.ones((4096, 4096), np.float64)",
                                    "np.ones((4096, 8192), np.float32)[:, ::2]"])
@pytest.mark.parametrize("axis", [0, 1])
def test_input_is_not_copied(source, axis):
    """Codes and scales of 16 M elements are 18.5 MiB; a float32 copy would add 64 MiB."""
    call = f"mxe.quantize(x, 'mxfp8_e4m3', axis={axis}, threads=1)"
    grown = int(run(GROWTH.format(array=source, call=call)))
    assert grown < 36 * 1024, f"{grown} KiB"


def test_threads_run_while_quantizing():
    """If a call held the interpreter's lock, a thread that sleeps 1 ms at a time would run about once per call."""
    x = plain((8000, 1024))
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    for _ in range(10):
        mxe.quantize(x, "mxfp8_e4m3", "microxcaling-nearest", threads=1)
    stop.set()
    thread.join()
    assert counted[0] > 30


@pytest.mark.parametrize("call", [
    # Infinities keep blocks off the vector kernels.
    "mxe.quantize(infinite, 'mxfp8_e4m3', 'microxcaling-nearest', threads=1)",
    "mxe.matmul(x[:600], x[:600].T, 'mxfp8_e4m3', 'mxfp8_e4m3', accumulate='exact', threads=1)"])
def test_control_c(call):
    """A signal after a quarter of a call's processor time ends it before three quarters."""
    script = f"""
import numpy as np, mxe, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored below a shell's `&`
x = np.ones((60000, 2048), np.float32)
infinite = np.full_like(x, np.inf)
{call}
whole = time.process_time()
{call}
begin = time.process_time()
whole = begin - whole

def interrupt():
    while time.process_time() < begin + whole / 4:
        time.sleep(0.001)
    signal.raise_signal(signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    while True:
        {call}
except KeyboardInterrupt:
    print((time.process_time() - begin) / whole)
"""
    assert 0.25 <= float(run(script)) < 0.75


class Foreign:

    def __init__(self, values):
        self.values = values

    def __dlpack__(self, **arguments):
        return self.values.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("wrap", [Foreign, memoryview, lambda x: x.tolist()])
def test_protocols(wrap):
    x = plain((4, 64))
    expected = mxe.quantize(x, "mxfp8_e4m3")
    q = mxe.quantize(wrap(x), "mxfp8_e4m3")
    assert_same(q.codes, expected.codes)
    assert_same(mxe.matmul(wrap(x), wrap(x.T), "mxint8", "mxint8"),
                mxe.matmul(x, x.T, "mxint8", "mxint8"))


def test_array_of_the_standard_library():
    assert_same(mxe.quantize(array.array("f", [1, 2, 3]), "mxint8").codes,
                mxe.quantize([1.0, 2.0, 3.0], "mxint8").codes)


def test_jax():
    jax = pytest.importorskip("jax", reason="jax is not installed")
    x = plain((4, 64))
    for dtype in (jax.numpy.float32, jax.numpy.bfloat16, jax.numpy.float16):
        y = jax.numpy.asarray(x, dtype)
        values = mxe.fake_quantize(y, "mxfp8_e4m3")
        assert isinstance(values, jax.Array) and values.dtype == dtype
        assert isinstance(mxe.quantize(y, "mxfp8_e4m3").codes, jax.Array)
        assert_same(np.asarray(values, np.float32),
                    mxe.fake_quantize(np.asarray(y), "mxfp8_e4m3", dtype="float32"))


def test_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = plain((4, 64))
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        y = torch.from_numpy(x).to(dtype).requires_grad_()
        q = mxe.quantize(y, torch.float8_e4m3fn)
        values = mxe.fake_quantize(y.t(), "mxfp8_e4m3", axis=0)
        assert values.dtype == dtype and isinstance(q.codes, torch.Tensor)
        assert torch.equal(values.t(), q.dequantize(dtype))
        assert_same(q.codes.numpy(),
                    mxe.quantize(y.detach().float().numpy(), "mxfp8_e4m3").codes)


@pytest.mark.parametrize("error, text, call", [
    (ValueError, "unknown format 'fp3'", lambda x: mxe.quantize(x, "fp3")),
    (ValueError, "nearest: torchao-floor", lambda x: mxe.quantize(x, "mxint8", "torchao")),
    (ValueError, "does not produce 'mxint8'", lambda x: mxe.quantize(x, "mxint8", "torchao-floor")),
    (ValueError, "axis 2 does not exist", lambda x: mxe.quantize(x, "mxint8", axis=2)),
    (ValueError, "block size cannot be 0", lambda x: mxe.quantize(x, "mxint8", block=0)),
    (ValueError, "unknown rounding 'up2'", lambda x: mxe.quantize(x, "mxint8", rounding="up2")),
    (ValueError, "power-of-two", lambda x: mxe.quantize(x, "nvfp4", scale_rule="rceil")),
    (ValueError, "seed is for", lambda x: mxe.quantize(x, "mxint8", seed=1)),
    (ValueError, "scale of the whole", lambda x: mxe.quantize(x, "mxint8", tensor_amax=1.0)),
    (ValueError, "threads cannot be 0", lambda x: mxe.quantize(x, "mxint8", threads=0)),
    (ValueError, "unknown dtype 'int8'", lambda x: mxe.fake_quantize(x, "mxint8", dtype="int8")),
    (ValueError, "format_b is needed", lambda x: mxe.matmul(x, x, "mxint8")),
    (ValueError, "columns of A", lambda x: mxe.matmul(x, x, "mxint8", "mxint8")),
    (ValueError, "no product has elements", lambda x: mxe.matmul(x, x.T, "int4", "mxint8")),
    (ValueError, "along axis 0", lambda x: mxe.matmul(x, mxe.quantize(x.T, "mxint8"), "mxint8")),
    (ValueError, "two axes", lambda x: mxe.matmul(x[0], x.T, "mxint8", "mxint8")),
    (ValueError, "the bias must be", lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", bias=[1.0])),
    (ValueError, "output format must be fp32",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", out_format="x")),
    (ValueError, "for MX results",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", out_rule="floor")),
    (ValueError, "unknown accumulation",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", accumulate="x")),
    (ValueError, "scales must be", lambda x: mxe.Array.from_codes(
        np.zeros((4, 64), np.uint8), np.zeros((4, 3), np.uint8), "mxint8")),
    (ValueError, "too large for mxfp4_e2m1", lambda x: mxe.Array.from_codes(
        np.full((4, 64), 16, np.uint8), np.zeros((4, 2), np.uint8), "mxfp4_e2m1")),
    (TypeError, "but are int64", lambda x: mxe.quantize(np.arange(64), "mxint8")),
    (TypeError, "but are complex64", lambda x: mxe.quantize(x.astype(np.complex64), "mxint8")),
    (TypeError, "not str", lambda x: mxe.quantize("x", "mxint8")),
    (TypeError, "not NoneType", lambda x: mxe.quantize(None, "mxint8")),
    (TypeError, "a format is a name", lambda x: mxe.quantize(x, 3)),
    (TypeError, "x: the elements must be .* but are object",
     lambda x: mxe.quantize(x.astype(object), "mxint8")),
    (TypeError, "but are str", lambda x: mxe.quantize(x.astype(str), "mxint8")),
    (TypeError, "but are bytes", lambda x: mxe.quantize(x.astype("S8"), "mxint8")),
    (TypeError, "but are longdouble|but are float128",
     lambda x: mxe.fake_quantize(x.astype(np.longdouble), "mxint8")),
    (TypeError, "but are datetime64", lambda x: mxe.quantize(np.zeros(4, "M8[s]"), "mxint8")),
    (TypeError, "but are timedelta64", lambda x: mxe.quantize(np.zeros(4, "m8[s]"), "mxint8")),
    (TypeError, "but are void", lambda x: mxe.quantize(np.zeros(4, "f4,f4"), "mxint8")),
    (TypeError, "but are bool", lambda x: mxe.compare(x > 0)),
    (TypeError, "but are object", lambda x: mxe.diff(x.astype(object), "mxint8", "ocp", "torchmx")),
    (TypeError, "but are object", lambda x: mxe.explain(x.astype(object), "mxint8")),
    (TypeError, "a: the elements must be", lambda x: mxe.matmul(x.astype(object), x.T, "mxint8")),
    (TypeError, "b: the elements must be",
     lambda x: mxe.matmul(x, x.T.astype(np.int16), "mxint8", "mxint8")),
    (TypeError, "bias: the elements must be",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", bias=np.zeros(4, object))),
    (TypeError, "x: the elements must be",
     lambda x: mxe.quantize(x, "mxint8").stats(x.astype(object))),
    (TypeError, "codes .* float32", lambda x: mxe.Array.from_codes(x, x[:, :2], "mxint8")),
    (TypeError, "scales .* <U|scales .* str", lambda x: mxe.Array.from_codes(
        np.zeros((4, 64), np.uint8), np.full((4, 2), "1"), "mxint8")),
    (TypeError, "axis must be a whole number, not tuple",
     lambda x: mxe.quantize(x, "mxint8", axis=(0, 1))),
    (TypeError, "axis must be a whole number, not str",
     lambda x: mxe.fake_quantize(x, "mxint8", axis="1")),
    (TypeError, "axis must be a whole number, not float",
     lambda x: mxe.compare(x, ["mxint8"], axis=1.0)),
    (TypeError, "axis must be a whole number, not NoneType",
     lambda x: mxe.explain(x, "mxint8", axis=None)),
    (TypeError, "axis is out of range", lambda x: mxe.quantize(x, "mxint8", axis=1 << 40)),
    (TypeError, "threads must be a whole number, not str",
     lambda x: mxe.quantize(x, "mxint8", threads="2")),
    (TypeError, "threads must be a whole number, not float",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", threads=1.5)),
    (TypeError, "show must be a whole number",
     lambda x: mxe.diff(x, "mxint8", "ocp", "torchmx", show="all")),
    (TypeError, "preset must be a text, not int", lambda x: mxe.quantize(x, "mxint8", 3)),
    (TypeError, "preset must be a text", lambda x: mxe.Quantizer("mxint8", None)),
    (TypeError, "out_format must be a text, not NoneType",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", out_format=None)),
    (TypeError, "out_rule must be a text, not int",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", out_format="mxint8", out_rule=1)),
    (TypeError, "accumulate must be a text",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", accumulate=1)),
    (TypeError, "transpose_b must be True or False",
     lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8", transpose_b="no")),
    (TypeError, "order must be a text, not int", lambda x: mxe.quantize(x, "mxint8").pack(1)),
    (TypeError, "block_size", lambda x: mxe.quantize(x, "mxint8", block=[32])),
    (TypeError, "rounding", lambda x: mxe.quantize(x, "mxint8", rounding=[])),
    (TypeError, "scale_format", lambda x: mxe.Quantizer("mxint8", scale_format={})),
    (TypeError, "seed", lambda x: mxe.quantize(x, "mxint8", rounding="stochastic", seed=1j)),
    (ValueError, "the scales of 'quark-onnx' have exponents .* more than e5m0 holds",
     lambda x: mxe.quantize(x, "mxint8", "quark-onnx", scale_format="e5m0")),
    (ValueError, "more than e7m0 holds",
     lambda x: mxe.Quantizer("mxint8", "quark-torch-ceil", scale_format="e7m0")),
    (TypeError, "masked array", lambda x: mxe.quantize(np.ma.masked_less(x, 0), "mxint8")),
    (TypeError, "masked array", lambda x: mxe.fake_quantize(np.ma.array(x), "mxint8")),
    (TypeError, "masked array", lambda x: mxe.matmul(x, np.ma.masked_less(x.T, 0), "mxint8",
                                                     "mxint8")),
    (TypeError, "masked array", lambda x: mxe.quantize(x, "mxint8").stats(np.ma.array(x))),
])
def test_errors(error, text, call):
    with pytest.raises(error, match=text) as caught:
        call(plain((4, 64)))
    assert "\n" not in str(caught.value)


def test_types_of_ml_dtypes_are_named():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    for name in ("float8_e4m3fn", "float4_e2m1fn", "int4"):
        with pytest.raises(TypeError, match=f"x: the elements must be .* but are {name}$"):
            mxe.fake_quantize(np.zeros(4, getattr(ml_dtypes, name)), "mxint8")


def test_types_of_tensors_are_named():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    import mxe.torch
    x = torch.zeros(4, 64)
    q = mxe.torch.MXTensor.to_mx(x, "mxint8")
    for error, text, call in (
            (TypeError, "MXTensor", lambda: mxe.quantize(q, "mxint8")),
            (TypeError, "MXTensor", lambda: mxe.fake_quantize(torch.nn.Parameter(q, False), "mxint8")),
            (TypeError, "axis must be a whole number, not tuple",
             lambda: mxe.torch.fake_quantize(x, "mxint8", axis=(0, 1))),
            (TypeError, "axis must be a whole number, not str",
             lambda: mxe.torch.quantize(x, "mxint8", axis="1"))):
        with pytest.raises(error, match=text) as caught:
            call()
        assert "\n" not in str(caught.value)


def test_sentences_of_the_command_line(cli):
    x = cli.save("x.npy", plain((4, 64)))
    for options, call in [
            (["--format", "fp3"], lambda: mxe.quantize([1.0], "fp3")),
            (["--format", "mxint8", "--preset", "torchao"],
             lambda: mxe.quantize([1.0], "mxint8", "torchao")),
            (["--format", "mxint8", "--axis", "2"],
             lambda: mxe.quantize(plain((4, 64)), "mxint8", axis=2)),
            (["--format", "e3m2", "--scale-format", "e9m9"],
             lambda: mxe.quantize([1.0], "e3m2", scale_format="e9m9"))]:
        with pytest.raises(ValueError) as caught:
            call()
        assert cli.error("quantize", x, *options).endswith(str(caught.value))


def test_everything_is_documented_and_typed():
    folder = pathlib.Path(mxe.__file__).parent
    assert (folder / "py.typed").exists() and (folder / "_core.pyi").exists()
    for name in mxe.__all__:
        thing = getattr(mxe, name)
        assert thing.__doc__, name
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in signature.parameters.values():
                assert parameter.annotation is not inspect.Parameter.empty, (name, parameter)
    for name, member in inspect.getmembers(mxe.Array) + inspect.getmembers(mxe.Quantizer):
        if not name.startswith("_"):
            assert inspect.getdoc(member), name


def test_version():
    assert importlib.metadata.version("mxe") == mxe.__version__
