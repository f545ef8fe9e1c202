# SPDX-License-Identifier: Apache-2.0
"""`mxe.load` and the command line with files of many arrays, of all types, and with false sizes."""
import io
import json
import resource
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from conftest import PROGRAM, plain

import mxe

MANY = 20_000


def safetensors(path, tensors, data=None):
    """Writes (name, type, shape, bytes); `data` replaces all contents, at overlapping offsets."""
    header, blob = {}, b""
    for name, dtype, shape, content in tensors:
        begin = 0 if data is not None else len(blob)
        end = len(data) if data is not None else begin + len(content)
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
        blob += b"" if data is not None else content
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + (blob if data is None else data))
    return str(path)


def peak_megabytes(code):
    """Peak memory (MiB) of a new process that runs the code, and the lines it prints. ru_maxrss would include the
    parent's memory."""
    code += "\nprint([int(line.split()[1]) // 1024 for line in open('/proc/self/status') if 'VmHWM' in line][0])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    *printed, peak = done.stdout.splitlines()
    return int(peak), printed


def processor_seconds(whose):
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (1 << 28, 1 << 28))


@pytest.mark.parametrize("kind", ["npz", "safetensors"])
def test_many_tensors(cli, kind):
    x = plain(32)
    if kind == "npz":
        path = cli.path("many.npz")
        np.savez(path, **{f"t{i}": x for i in range(MANY)})
    else:
        blob = b"".join([x.tobytes()] * MANY)
        header = {f"t{i}": {"dtype": "F32", "shape": [32], "data_offsets": [128 * i, 128 * (i + 1)]}
                  for i in range(MANY)}
        text = json.dumps(header).encode()
        (cli.folder / "many.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + blob)
        path = cli.path("many.safetensors")
    # About a second; a parser that starts again for each tensor would take minutes.
    start = processor_seconds(resource.RUSAGE_CHILDREN)
    compared = cli.run("compare", path, "--formats", "mxint8", "--json")
    assert len(compared["tensors"]) == MANY and compared["skipped"] == []
    cli.run("diff", path, "--format", "mxint8", "--presets", "ocp", "torchmx")
    cli.run("quantize", path, "--tensor", f"t{MANY - 1}", "--format", "mxint8", "--elements", cli.path("e.npy"))
    assert processor_seconds(resource.RUSAGE_CHILDREN) - start < 20


def test_many_arrays(tmp_path):
    q = mxe.quantize(plain(32), "mxint8")
    start = processor_seconds(resource.RUSAGE_SELF)
    mxe.save(tmp_path / "many.safetensors", {f"t{i}": q for i in range(MANY)})
    arrays = mxe.load(tmp_path / "many.safetensors")
    assert len(arrays) == MANY
    # About two seconds; a parser that visits all tensors after each of them takes a minute.
    assert processor_seconds(resource.RUSAGE_SELF) - start < 20


def npz_with_everything(path):
    x = plain((4, 64))
    np.savez(path, ids=np.arange(8), flags=np.array([True]), names=np.array(["a", "bc"]),
             image=np.zeros((2, 2), np.uint8), big=np.arange(3, dtype=">i8"),
             table=np.zeros(2, [("a", "f4")]), z=np.ones(2, np.complex64), anything=np.array([{}, None], dtype=object),
             count=np.float32(7), x=x, y=x.astype(np.float16))
    return {"ids": "<i8", "flags": "|b1", "names": "<U2", "image": "uint8", "big": ">i8", "table": "structured",
            "z": "<c8", "anything": "|O", "count": "a scalar"}


def test_a_checkpoint_of_all_types_npz(cli):
    skipped = npz_with_everything(cli.path("all.npz"))
    compared = cli.run("compare", cli.path("all.npz"), "--json")
    assert [tensor["name"] for tensor in compared["tensors"]] == ["x", "y"]
    assert {array["name"]: array["reason"] for array in compared["skipped"]} == skipped
    alone = cli.run("compare", cli.path("all.npz"), "--tensor", "x", "--json")
    assert alone["tensors"] == compared["tensors"][:1]
    text = cli.run("compare", cli.path("all.npz"))
    assert "\nids skipped: <i8\n" in text
    both = cli.run("diff", cli.path("all.npz"), "--format", "mxint8", "--presets", "ocp", "torchmx", "--json")
    assert [tensor["name"] for tensor in both["tensors"]] == ["x", "y"]
    assert {array["name"] for array in both["skipped"]} == set(skipped)
    assert "must be float32" in cli.error("compare", cli.path("all.npz"), "--tensor", "image")
    assert "'<i8' is not supported" in cli.error("compare", cli.path("all.npz"), "--tensor", "ids")
    np.savez(cli.path("none.npz"), a=np.arange(3), b=np.array([True]))
    assert "none of the 2 arrays can be used: 'a' is <i8" in cli.error("compare", cli.path("none.npz"))


def test_a_checkpoint_of_all_types_safetensors(cli):
    x = plain((2, 32)).tobytes()
    tensors = [("position_ids", "I64", [2], bytes(16)), ("mask", "BOOL", [3], bytes(3)),
               ("packed", "U8", [4], bytes(4)), ("word", "U64", [1], bytes(8)), ("z", "C64", [1], bytes(8)),
               ("fnuz", "F8_E4M3FNUZ", [4], bytes(4)), ("step", "F32", [], bytes(4)), ("w", "F32", [2, 32], x),
               ("v", "BF16", [1, 64], x[:128])]
    path = safetensors(cli.folder / "all.safetensors", tensors)
    compared = cli.run("compare", path, "--json")
    assert [tensor["name"] for tensor in compared["tensors"]] == ["v", "w"]
    assert {array["name"]: array["reason"] for array in compared["skipped"]} == {
        "position_ids": "I64", "mask": "BOOL", "packed": "U8", "word": "U64", "z": "C64", "fnuz": "F8_E4M3FNUZ",
        "step": "a scalar"}
    assert "type I64 is not supported" in cli.error("compare", path, "--tensor", "position_ids")


def test_load_beside_other_types(tmp_path):
    q = mxe.quantize(plain((4, 64)), "mxfp8_e4m3")
    q.save(tmp_path / "q.safetensors")
    whole = (tmp_path / "q.safetensors").read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header, data = json.loads(whole[8:8 + length]), whole[8 + length:]
    for name, dtype, shape, size in (("ids", "I64", [2], 16), ("mask", "BOOL", [3], 3), ("z", "C64", [1], 8),
                                     ("w", "F64", [1], 8), ("i", "I32", [2], 8)):
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + size]}
        data += bytes(size)
    text = json.dumps(header).encode()
    (tmp_path / "mixed.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    again = mxe.load(tmp_path / "mixed.safetensors")
    np.testing.assert_array_equal(again.codes, q.codes)
    np.testing.assert_array_equal(again.scales, q.scales)


@pytest.mark.parametrize("part, dtype, shape, size, message", [
    ("elements", "F32", [32], 128, "codes must be uint8 or uint16, not float32"),
    ("scales", "U16", [1], 2, "scales must be uint8 or float32, not uint16")])
def test_numbers_do_not_become_codes(tmp_path, part, dtype, shape, size, message):
    parts = {"elements": ("U8", [32], bytes(32)), "scales": ("U8", [1], bytes(1))}
    parts[part] = (dtype, shape, bytes([1] * size))
    path = safetensors(tmp_path / "other.safetensors", [(name, *rest) for name, rest in parts.items()])
    with pytest.raises(TypeError, match=f"^{message}$"):
        mxe.load(path, "mxfp8_e4m3")


def test_nothing_is_copied_of_a_file_that_lies(tmp_path):
    data = bytes(1 << 22)
    path = safetensors(tmp_path / "lies.safetensors",
                       [(f"t{i}", "U8", [1 << 22], b"") for i in range(1500)], data)
    peak, printed = peak_megabytes(
        f"import mxe\ntry: mxe.load({path!r})\nexcept ValueError as error: print(error)")
    assert "tensors overlap or leave a gap" in printed[0]
    assert peak < 500


def bomb(path, header_shape, size):
    """An archive of one array of `size` zeros, with another shape in its header."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": header_shape})
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("x.npy", "w") as member:
        member.write(file.getvalue())
        for _ in range(size >> 20):
            member.write(bytes(1 << 20))


@pytest.mark.parametrize("shape", [(4,), (1 << 20, 2), (0, 5)])
def test_a_bomb_is_not_unpacked(cli, shape):
    bomb(cli.path("bomb.npz"), shape, 1 << 28)
    done = subprocess.run([PROGRAM, "compare", cli.path("bomb.npz")], capture_output=True, text=True, check=False,
                          preexec_fn=limited, timeout=60)
    assert done.returncode == 2
    assert f"promises {4 * int(np.prod(shape))} bytes of data, the file holds {1 << 28}" in done.stderr


@pytest.mark.parametrize("field, value", [(20, 10), (24, 10), (24, (1 << 32) - 2)])
def test_sizes_of_the_archive_that_lie(cli, field, value):
    """In the archive's directory, the compressed size is at byte 20, the uncompressed one at 24."""
    np.savez_compressed(cli.path("x.npz"), x=plain((8, 32)))
    whole = bytearray((cli.folder / "x.npz").read_bytes())
    entry = whole.rindex(b"PK\x01\x02")
    whole[entry + field:entry + field + 4] = value.to_bytes(4, "little")
    (cli.folder / "x.npz").write_bytes(whole)
    assert "x.npz" in cli.error("compare", cli.path("x.npz"))


def test_two_arrays_of_one_name(cli):
    file = io.BytesIO()
    np.save(file, plain(32))
    with pytest.warns(UserWarning), zipfile.ZipFile(cli.path("two.npz"), "w") as archive:
        archive.writestr("x.npy", file.getvalue())
        archive.writestr("x.npy", file.getvalue())
    assert "two arrays 'x'" in cli.error("compare", cli.path("two.npz"))


def test_saving_keeps_the_old_file(tmp_path):
    q = mxe.quantize(plain((4, 64)), "mxint8")
    q.save(tmp_path / "q.safetensors")
    old = (tmp_path / "q.safetensors").read_bytes()
    big = mxe.quantize(plain((64, 64)), "mxint8")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, before[1]))
    try:
        with pytest.raises(ValueError, match="q.safetensors: cannot write: File too large"):
            big.save(tmp_path / "q.safetensors")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "q.safetensors").read_bytes() == old
    assert [path.name for path in tmp_path.iterdir()] == ["q.safetensors"]
    (tmp_path / "full").symlink_to("/dev/full")
    with pytest.raises(ValueError, match="full: cannot write: No space left on device"):
        q.save(tmp_path / "full")
