# SPDX-License-Identifier: Apache-2.0
"""Recordings of engine jobs: rows, tables, pandas, HTML, traces; estimates."""
import json
import math
import threading

import numpy as np
import pytest
from conftest import plain
from test_engine import PAIR, engine

import mxe


@pytest.fixture(scope="module")
def recorded():
    a, b, bias = plain((4, 40, 96)), plain((96, 50), 2), plain((50,), 3)
    with engine("model") as small, mxe.Engine("base") as base, mxe.record() as recording:
        results = []
        with mxe.layer("encoder"):
            with mxe.layer("query"):
                results.append(small.matmul(a, b, *PAIR, bias=bias))
            results.append(base.matmul(mxe.quantize(a, PAIR[0]), b, format_b=PAIR[1]))
        results.append(small.matmul(a, plain((4, 96, 7)), *PAIR, out_format="mxint8"))
        mxe.matmul(a, b, *PAIR)  # the reference is not recorded
    return recording, results


def test_rows(recorded):
    recording, results = recorded
    assert [job.name for job in recording] == ["encoder.query", "encoder", "matmul"]
    assert [job.shape for job in recording] == ["160x50x96", "160x50x96", "4*40x7x96"]
    assert [job.config for job in recording] == ["small", "base", "small"]
    for job, result in zip(recording, results):
        assert (job.cycles, job.counters) == (result.cycles, result.counters)
        assert job.row["bytes_read"] == result.bytes_read == result.counters["bytes_read"]
        assert job.row["stalled"] == sum(result.stalls.values()) / result.cycles
    assert recording.cycles == sum(result.cycles for result in results)


def test_signal_to_noise(recorded):
    recording, results = recorded
    a, b, bias = plain((4, 40, 96)), plain((96, 50), 2), plain((50,), 3)
    exact = a.astype(np.float64) @ b.astype(np.float64) + bias
    noise = exact - results[0].value
    expected = 10 * math.log10((exact ** 2).sum() / (noise ** 2).sum())
    assert recording[0].sqnr_db == pytest.approx(expected, abs=1e-3)
    assert recording[1].sqnr_db is None, "the unquantized operand is unknown"
    with engine("model") as eng, mxe.record() as recording:
        eng.matmul(mxe.quantize(a, PAIR[0]), b, format_b=PAIR[1], bias=bias, reference=exact)
        eng.matmul(np.eye(32), np.eye(32), *PAIR)
    assert recording[0].sqnr_db == pytest.approx(expected, abs=1e-3)
    assert recording[1].sqnr_db == math.inf


def test_nested_recordings_and_threads():
    x = plain((4, 64))
    with engine("model") as eng:
        with mxe.record() as outer:
            eng.matmul(x, x.T, *PAIR)
            with mxe.record() as inner:
                thread = threading.Thread(target=eng.matmul, args=(x, x.T, *PAIR))
                thread.start()
                thread.join()
            eng.matmul(x, x.T, *PAIR)
        eng.matmul(x, x.T, *PAIR)
    assert (len(outer), len(inner)) == (3, 1)


def test_failed_jobs_are_not_recorded():
    with engine("model") as eng, mxe.record() as recording, pytest.raises(ValueError):
        eng.matmul(plain((4, 64)), plain((4, 64)), *PAIR)
    assert len(recording) == 0 and recording.table().splitlines()[-1].startswith("total")


def test_table(recorded):
    recording, _ = recorded
    head, *rows, total = recording.table().splitlines()
    assert head.split() == ["layer", "MxNxK", "A", "B", "result", "cycles", "used", "stalled", "most",
                            "by", "read", "written", "bound", "SQNR", "dB"]
    for line, job in zip(rows, recording):
        assert line.split()[:6] == [job.name, job.shape, job.format_a, job.format_b, job.out_format,
                                    str(job.cycles)]
        assert f"{job.utilization:.1%}" in line
    assert total.split()[:2] == ["total", str(recording.cycles)]
    html = recording._repr_html_()
    assert html.count("<tr>") == 5 and f"<td>{recording[0].cycles}</td>" in html


def test_pandas(recorded):
    pytest.importorskip("pandas", reason="pandas is not installed")
    recording, _ = recorded
    frame = recording.to_pandas()
    assert list(frame["cycles"]) == [job.cycles for job in recording]
    assert list(frame["mac_active"]) == [job.counters["mac_active"] for job in recording]


def test_trace(recorded, tmp_path):
    recording, _ = recorded
    recording.trace(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text(encoding="utf-8"))["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert [event["name"] for event in slices] == [job.name for job in recording]
    assert [event["dur"] for event in slices] == [job.cycles for job in recording]
    small = [event for event in slices if event["tid"] == 0]
    assert [event["ts"] for event in small] == [0, recording[0].cycles]
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} == \
        {"model small", "model base"}


def test_estimate_takes_what_a_job_takes():
    with mxe.Engine("base", num_pe=16) as eng:
        result = eng.matmul(plain((40, 96)), plain((96, 50), 2), *PAIR, out_format="mxfp8_e4m3")
    shapes = {"one": (40, 50, 96), "two": (8, 8, 320), "three": (40, 50, 96), "four": (40, 50, 64)}
    estimated = mxe.estimate(shapes, *PAIR, num_pe=16, out_format="mxfp8_e4m3")
    assert [job.name for job in estimated] == list(shapes)
    assert estimated[0].cycles == estimated[2].cycles == result.cycles > estimated[3].cycles
    assert estimated[0].utilization == result.utilization and estimated[0].sqnr_db is None
    one, other, four = mxe.estimate([(8, 8, 32), (4, 4, 64), (8, 8, 32, 4)], *PAIR)
    assert [one.shape, other.shape, four.shape] == ["8x8x32", "4x4x64", "4*8x8x32"]
    assert four.cycles == 4 * one.cycles and four.counters["blocks"] == 4 * one.counters["blocks"]


@pytest.mark.parametrize("text, shapes, arguments", [
    ("a shape is", (1, 2), {}), ("a shape is", (1, 2, 0), {}), ("a shape is", [(1, 2, 3, 4, 5)], {}),
    ("N must be a whole number", (1, -2, 3), {}), ("NUM_PE is 3", (1, 2, 3), {"num_pe": 3}),
    ("the output format must be", (1, 2, 3), {"out_format": "fp3"})])
def test_bad_estimates(text, shapes, arguments):
    with pytest.raises(ValueError, match=text):
        mxe.estimate(shapes, *PAIR, **arguments)
    with pytest.raises(ValueError, match="no format|unknown format|engine"):
        mxe.estimate((1, 2, 3), "nvfp4", "mxint8")
