# SPDX-License-Identifier: Apache-2.0
"""Engines: results equal the reference in every byte, and a process that dies affects no other."""
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe
from mxe import _worker

DESIGNS = os.environ.get("MXE_RTL_PATH", "")
PAIR = ("mxfp8_e4m3", "mxfp4_e2m1")

if not (pathlib.Path(mxe.__file__).parent / "mxe-worker").exists():
    pytest.skip("the package was built without SystemC, no engine is tested",
                allow_module_level=True)


def engine(target, config="small", **arguments):
    if target == "rtl" and not pathlib.Path(DESIGNS, f"mxe_rtl_{config}.so").exists():
        pytest.skip(f"the RTL of {config} is not tested: MXE_RTL_PATH names no folder with it")
    return mxe.Engine(config, target=target, **arguments)


@pytest.fixture(scope="module", params=[("model", "small"), ("model", "base"), ("rtl", "small"),
                                        ("rtl", "base")], ids=lambda at: f"{at[0]}-{at[1]}")
def eng(request):
    with engine(*request.param) as made:
        yield made


def assert_golden(result, golden):
    if isinstance(golden, mxe.Array):
        assert_same(result.value.codes, golden.codes)
        assert_same(result.value.scales, golden.scales)
        assert_same(result.stored_scales, golden.scales.ravel())
    else:
        assert_same(result.value, golden)
        assert bytes(result.stored) == golden.tobytes()


@pytest.mark.parametrize("formats", [PAIR, ("mxint8", "mxfp6_e3m2"), ("mxfp4_e2m1", "mxfp4_e1m2"),
                                     ("mxfp8_e5m2", "mxfp8_e5m2")])
def test_bytes_are_those_of_the_reference(eng, formats):
    a, b = awkward((9, 70)), awkward((70, 13), 2)
    assert_golden(eng.matmul(a, b, *formats), mxe.matmul(a, b, *formats))


@pytest.mark.parametrize("output", ["fp16", "bf16", "mxfp8_e4m3", "mxfp6_e2m3", "mxfp4_e2m1"])
def test_outputs(eng, output):
    if output == "bf16":
        pytest.importorskip("ml_dtypes")
    a, b, bias = plain((9, 70)), plain((70, 45), 2), plain((45,), 3)
    more = {"out_rule": "rceil", "out_overflow": "special"} if output == "mxfp8_e4m3" else {}
    options = {"bias": bias, "bias_format": "bf16", "out_format": output, **more}
    assert_golden(eng.matmul(a, b, *PAIR, **options), mxe.matmul(a, b, *PAIR, **options))


@pytest.mark.parametrize("a, b, bias", [((2, 3, 5, 70), (2, 3, 70, 7), (7,)),
                                        ((4, 5, 70), (70, 7), (4, 5, 7)),
                                        ((5, 70), (4, 70, 7), (5, 7)),
                                        ((3, 1, 5, 70), (1, 2, 70, 7), None)])
def test_batches(eng, a, b, bias):
    a, b = plain(a), plain(b, 2)
    bias = None if bias is None else plain(bias, 3)
    golden = mxe.matmul(a, b, *PAIR, bias=bias)
    assert_golden(eng.matmul(a, b, *PAIR, bias=bias), golden)
    turned = mxe.quantize(b.swapaxes(-1, -2), PAIR[1])
    assert_same(mxe.matmul(mxe.quantize(a, PAIR[0]), turned, transpose_b=True, bias=bias, on=eng),
                golden)


def test_batches_add_up():
    a, b = plain((3, 5, 70)), plain((3, 70, 7), 2)
    with engine("model") as eng:
        together = eng.matmul(a, b, *PAIR)
        alone = [eng.matmul(one, other, *PAIR) for one, other in zip(a, b)]
    assert together.cycles == sum(one.cycles for one in alone)
    for name, value in together.counters.items():
        assert value == sum(one.counters[name] for one in alone), name


def test_quantized_operands():
    with engine("model") as eng:
        a, b = plain((9, 70)), plain((70, 13), 2)
        y = mxe.matmul(mxe.quantize(a, "mxfp8_e4m3"), mxe.quantize(b, "mxfp4_e2m1", axis=0), on=eng)
        assert_same(y, mxe.matmul(a, b, *PAIR))


def test_cycles_are_those_of_the_command_line(cli):
    a, b = plain((40, 96)), plain((96, 50), 2)
    with mxe.Engine("small", mem_latency=77, mem_bytes_per_cycle=8, rows=8) as eng:
        result = eng.matmul(a, b, *PAIR)
    options = ["--format-a", PAIR[0], "--format-b", PAIR[1], "--config", "small", "--set", "ROWS=8",
               "--mem-latency", 77, "--mem-bytes-per-cycle", 8, "--json"]
    said = cli.run("matmul", cli.save("a.npy", a), cli.save("b.npy", b), "--on", "model", *options)
    assert (result.cycles, result.counters) == (said["cycles"], said["counters"])
    assert list(result.counters) == list(said["counters"])
    assert result.utilization == said["utilization"]
    said = cli.run("estimate", 40, 50, 96, *options)
    row, = mxe.estimate((40, 50, 96), *PAIR, config="small", rows=8, mem_latency=77,
                        mem_bytes_per_cycle=8)
    assert (row.cycles, row.counters) == (said["cycles"], said["counters"])


def test_outstanding_bursts(cli):
    few = {"mem_outstanding_reads": 2, "mem_outstanding_writes": 3}
    row, = mxe.estimate((40, 50, 96), *PAIR, config="small", **few)
    options = ["--format-a", PAIR[0], "--format-b", PAIR[1], "--config", "small", "--json"]
    said = cli.run("estimate", 40, 50, 96, *options, "--mem-outstanding-reads", 2,
                   "--mem-outstanding-writes", 3)
    assert row.cycles == said["cycles"] > cli.run("estimate", 40, 50, 96, *options)["cycles"]
    a, b = plain((40, 96)), plain((96, 50), 2)
    with mxe.Engine("small", **few) as eng:
        assert eng.matmul(a, b, *PAIR).cycles == row.cycles


def test_model_and_rtl_take_the_same_cycles():
    a, b = plain((40, 96)), plain((96, 50), 2)
    with engine("rtl") as rtl, engine("model") as model:
        one, other = rtl.matmul(a, b, *PAIR), model.matmul(a, b, *PAIR)
    assert (one.cycles, one.counters) == (other.cycles, other.counters)


def test_several_engines_at_once():
    a, b = plain((64, 256)), plain((256, 96), 2)
    golden = mxe.matmul(a, b, *PAIR)
    engines = [mxe.Engine("base", num_pe=count) for count in (4, 8, 16)]
    results = {}

    def work(eng):
        results[eng] = [eng.matmul(a, b, *PAIR) for _ in range(3)]

    threads = [threading.Thread(target=work, args=(eng,)) for eng in engines * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cycles = [{result.cycles for result in results[eng]} for eng in engines]
    assert [len(one) for one in cycles] == [1, 1, 1]
    assert cycles[0] > cycles[1] > cycles[2] or len(set.union(*cycles)) == 3
    for eng in engines:
        assert_same(results[eng][-1].value, golden)
        eng.close()


# Runs for a few seconds.
LONG = "np.ones((4096, 4096), np.float32), np.ones((4096, 4096), np.float32), 'mxint8', 'mxint8'"


def kill_stopped(pid, number):
    os.kill(pid, number)
    if number != signal.SIGKILL:  # a stopped process receives it after SIGCONT
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_a_killed_process_loses_its_job_alone(number):
    a, b = plain((9, 70)), plain((70, 13), 2)
    with engine("model") as eng, engine("model") as other:
        long_one = np.ones((2048, 4096), np.float32), np.ones((4096, 2048), np.float32)
        pid = eng.pid
        threading.Timer(0.2, os.kill, [pid, signal.SIGSTOP]).start()  # a stopped job cannot end before the signal
        threading.Timer(0.4, kill_stopped, [pid, number]).start()
        with pytest.raises(mxe.EngineError, match=f"ended by {number.name}"):
            eng.matmul(*long_one, *PAIR)
        golden = mxe.matmul(a, b, *PAIR)
        assert eng.pid is None
        assert_same(other.matmul(a, b, *PAIR).value, golden)
        assert_same(eng.matmul(a, b, *PAIR).value, golden)
        assert eng.pid != pid


def run(script, *arguments):
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True,
                          text=True, check=False, timeout=120, start_new_session=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_control_c():
    """The signal arrives during a job, so the engine's process is ended."""
    script = f"""
import numpy as np, mxe, os, signal, threading, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored below a shell's `&`
eng = mxe.Engine("small")
begin = time.perf_counter()
eng.matmul({LONG})
threading.Timer((time.perf_counter() - begin) / 2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    while True:
        eng.matmul({LONG})
except KeyboardInterrupt:
    print(eng.pid)
print(eng.matmul(np.ones((4, 32)), np.ones((32, 4)), "mxint8", "mxint8").value[0, 0])
"""
    assert run(script).split() == ["None", "32.0"]


def test_control_c_reaches_nobody_else():
    """A terminal also sends the signal to the engine's process, which must ignore it."""
    script = f"""
import numpy as np, mxe, os, signal, threading
eng = mxe.Engine("small")
pid, seen = eng.pid, []
signal.signal(signal.SIGINT, lambda *_: seen.append(1))
threading.Timer(0.3, os.killpg, [os.getpgid(0), signal.SIGINT]).start()
while not seen:
    eng.matmul({LONG})
print(eng.pid == pid, seen)
"""
    assert run(script) == "True [1]"


def ended(pid):
    """True if a process ends within a second; a long job takes longer."""
    for _ in range(20):
        try:
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except FileNotFoundError:
            return True
        if stat.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.05)
    return False


def test_processes_end_with_who_started_them():
    script = """
import mxe, numpy as np, os, threading, time
eng = mxe.Engine("small")
print(eng.pid, flush=True)
x = np.ones((4096, 4096), np.float32)
threading.Timer(1, os._exit, [0]).start()
eng.matmul(x, x, "mxint8", "mxint8")
"""
    assert ended(int(run(script)))


def test_processes_end_with_their_engines():
    eng = mxe.Engine("small")
    pid = eng.pid
    del eng
    assert ended(pid)
    with mxe.Engine("small") as eng:
        pid = eng.pid
    assert ended(pid)


MULTIPROCESSING = """
import multiprocessing, sys
import numpy as np
import mxe

def multiply(eng, a, b, results):
    results.put((eng.pid, eng.matmul(a, b, "mxfp8_e4m3", "mxfp4_e2m1").value))

if __name__ == "__main__":
    random = np.random.default_rng(1)
    a, b = random.standard_normal((9, 70)), random.standard_normal((70, 13))
    golden = mxe.matmul(a, b, "mxfp8_e4m3", "mxfp4_e2m1")
    context = multiprocessing.get_context(sys.argv[1])
    with mxe.Engine("small") as eng:
        pid, results = eng.pid, context.Queue()
        children = [context.Process(target=multiply, args=(eng, a, b, results)) for _ in range(2)]
        for child in children:
            child.start()
        found = [results.get(timeout=60) for _ in children]
        for child in children:
            child.join()
        assert all(np.array_equal(value, golden) for _, value in found)
        assert pid not in [of_child for of_child, _ in found]
        assert np.array_equal(eng.matmul(a, b, "mxfp8_e4m3", "mxfp4_e2m1").value, golden)
        assert eng.pid == pid
    print("done")
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(method, tmp_path):
    """A separate process, because threads of other tests' libraries do not survive a fork."""
    (tmp_path / "program.py").write_text(MULTIPROCESSING, encoding="utf-8")
    done = subprocess.run([sys.executable, tmp_path / "program.py", method], capture_output=True,
                          text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout) == (0, "done\n"), done.stderr


def test_pickle():
    with mxe.Engine("small", rows=8, mem_latency=9) as eng, pickle.loads(pickle.dumps(eng)) as other:
        assert other.parameters == eng.parameters and other.pid != eng.pid
        a, b = plain((9, 70)), plain((70, 13), 2)
        assert other.matmul(a, b, *PAIR).cycles == eng.matmul(a, b, *PAIR).cycles


def test_pytest_xdist(tmp_path):
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    chosen = "test_bytes or test_several or test_multiprocessing"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-k", chosen,
         __file__], capture_output=True, text=True, check=False, timeout=120, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert " passed" in done.stdout


@pytest.mark.parametrize("error, text, arguments", [
    (ValueError, "NUM_PE is 7, but must be a power of two", {"num_pe": 7}),
    (ValueError, "unknown parameter 'PES'", {"pes": 7}),
    (ValueError, "NUM_PE must be a whole number of at least 0, not '-1'", {"num_pe": -1}),
    (ValueError, "'tiny' is neither", {"config": "tiny"}),
    (ValueError, "cannot run on 'fpga'", {"target": "fpga"}),
    (ValueError, "allowed: model, rtl", {"target": "golden"}),
    (ValueError, "memory latency is 0", {"mem_latency": 0}),
    (ValueError, "unknown memory 'ddr9'; allowed: ddr4-3200, ", {"memory": "ddr9"}),
    (ValueError, "memory excludes mem_latency", {"memory": "hbm2", "mem_latency": 9}),
    (ValueError, "clock_mhz needs memory", {"clock_mhz": 800}),
    (ValueError, "clock of nan MHz; allowed: 1 to 10000", {"memory": "hbm2", "clock_mhz": float("nan")}),
    (ValueError, "mem_latency must be", {"mem_latency": -1}),
    (ValueError, "outstanding reads of the memory are 0", {"mem_outstanding_reads": 0}),
    (ValueError, "outstanding reads of the memory are 4294967295", {"mem_outstanding_reads": 2**32 + 1}),
    (ValueError, "outstanding writes of the memory are 257", {"mem_outstanding_writes": 257}),
    (ValueError, "memory bandwidth is nan", {"mem_bytes_per_cycle": float("nan")}),
    (ValueError, "rtl needs target='rtl'", {"rtl": "."}),
    (ValueError, "was built for the configurations", {"target": "rtl", "num_pe": 16}),
    (ValueError, r"mxe_rtl_large is not installed.*`scripts/design large` builds it",
     {"target": "rtl", "config": "large", "rtl": "/"}),
    (ValueError, "cannot load the engine", {"target": "rtl", "rtl": "/none.so"}),
    (TypeError, "ROWS must be a whole number, not str", {"rows": "8"}),
])
def test_bad_engines(error, text, arguments, monkeypatch):
    monkeypatch.delenv("MXE_RTL_PATH", raising=False)
    with pytest.raises(error, match=text) as caught:
        mxe.Engine(**arguments)
    assert "\n" not in str(caught.value)


def test_sentences_of_the_command_line(cli):
    files = cli.save("a.npy", plain((4, 64))), cli.save("b.npy", plain((64, 4)))
    command = ["matmul", *files, "--format-a", PAIR[0], "--format-b", PAIR[1], "--on", "model"]
    for options, arguments in [(["--set", "NUM_PE=7"], {"num_pe": 7}),
                               (["--set", "PES=7"], {"pes": 7}),
                               (["--config", "tiny"], {"config": "tiny"}),
                               (["--mem-latency", "0"], {"mem_latency": 0})]:
        with pytest.raises(ValueError) as caught:
            mxe.Engine(**arguments)
        assert cli.error(*command, *options).endswith(str(caught.value))


def test_bad_jobs_leave_the_engine_alone():
    x = plain((4, 64))
    with engine("model", fp4_dual=0) as eng:
        pid = eng.pid
        for text, call in [
                ("columns of A", lambda: eng.matmul(x, x, *PAIR)),
                ("only for on='golden'", lambda: eng.matmul(x, x.T, *PAIR, accumulate="exact")),
                ("output format must be fp32", lambda: eng.matmul(x, x.T, *PAIR, out_format="fp3")),
                ("for MX results", lambda: eng.matmul(x, x.T, *PAIR, out_rule="floor")),
                ("format_b is needed", lambda: eng.matmul(x, x.T, "mxint8")),
                ("the device has", lambda: eng.matmul(np.zeros((2**15, 32), np.float32),
                                                      np.zeros((32, 2**15), np.float32), *PAIR)),
                ("'golden' or an mxe.Engine", lambda: mxe.matmul(x, x.T, *PAIR, on="model"))]:
            with pytest.raises(ValueError, match=text):
                call()
        assert_same(eng.matmul(x, x.T, *PAIR).value, mxe.matmul(x, x.T, *PAIR))
        assert eng.pid == pid


def test_a_wrong_result_is_an_error(monkeypatch):
    call = _worker.Worker.call

    def wrong(self, request, arrays=()):
        return {**call(self, request, arrays), "difference": "1 of 16 outputs differ"}

    x = plain((4, 64))
    with engine("model") as eng:
        monkeypatch.setattr(_worker.Worker, "call", wrong)
        with pytest.raises(mxe.EngineError, match="model and golden disagree: 1 of 16"):
            eng.matmul(x, x.T, *PAIR)


def test_results_are_compared():
    x = plain((4, 64))
    for check in (True, False):
        replies = []
        with mxe.Engine("small", check=check) as eng:
            eng._worker.call, call = lambda *at: replies.append(call(*at)) or replies[-1], \
                eng._worker.call
            eng.matmul(x, x.T, *PAIR)
        assert ("difference" in replies[0]) == check


def test_a_package_without_engines_says_so(monkeypatch):
    monkeypatch.setattr(_worker, "_PROGRAM", pathlib.Path("/none"))
    with pytest.raises(mxe.EngineError, match="built without SystemC: install libsystemc-dev"):
        mxe.Engine()
