#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs PyTorch from PyPI into a folder so that its CPU part works without 3 GB of CUDA.

    python3 tests/python/torch_cpu.py FOLDER

For Linux on x86-64, PyPI only has PyTorch with CUDA. Its libraries depend on separate packages of CUDA, none of whose
functions is called without a GPU. This script compiles libraries of the same names, whose functions return an error.

The wheel (539 MB) is kept in $XDG_CACHE_HOME/mxe (~/.cache/mxe). FOLDER is like one of `pip install --target`: add it
to Python's path. Needs cc and binutils (readelf finds the functions).
"""
from __future__ import annotations

import argparse
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

TORCH = "torch==2.15.0"
#: Packages that PyTorch imports, without those of its CUDA part.
NEEDED = ("filelock", "fsspec", "jinja2", "networkx", "sympy", "typing-extensions")
NVIDIA = re.compile(r"libcu|libnv|libnccl")
FUNCTION = re.compile(r"cu|nv|nccl|__cuda|_Z.*nvshmem")
#: CUDA's error for no device: cudaErrorNoDevice, CUDA_ERROR_NO_DEVICE.
NO_DEVICE = 100


def run(*command: str | os.PathLike[str]) -> str:
    """The output of a command; raises CalledProcessError if it fails."""
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def pip(python: str | os.PathLike[str], *arguments: str | os.PathLike[str]) -> None:
    run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments)


def undefined(library: pathlib.Path) -> tuple[list[tuple[str, str]], set[str], list[str]]:
    """(name, version) of the functions that a library imports, those that it exports, and NVIDIA's libraries that it
    needs."""
    wanted, defined = [], set()
    for line in run("readelf", "--dyn-syms", "--wide", library).splitlines():
        field = line.split()
        if len(field) < 8 or not field[0].endswith(":"):
            continue
        name, _, version = field[7].partition("@")
        if field[6] != "UND":
            defined.add(name)
        elif field[4] != "WEAK":
            wanted.append((name, version.strip("@")))
    named = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "--dynamic", "--wide", library))
    return wanted, defined, [name for name in named if NVIDIA.match(name)]


def library_of(version: str, libraries: list[str]) -> str:
    """The library for a function of this version: the one with the most similar name."""
    def alike(name: str) -> int:
        stem = name.partition(".so")[0]
        if version.startswith(("NVSHMEM", "NCCL")):
            return int(stem.startswith("lib" + version.lower()[:4]))
        return len(stem) if version.startswith(stem) else 0

    best = max(libraries, key=alike)
    return best if alike(best) else next(name for name in libraries if "cudart" in name)


def stand_in(path: pathlib.Path, versions: dict[str, set[str]]) -> None:
    names = sorted(set().union(*versions.values()))
    source = "".join(
        f"int {name}(void) {{ return {NO_DEVICE if name.startswith('cu') else 0}; }}\n"
        for name in names)
    script = "".join(f"{version} {{ global: {'; '.join(sorted(functions))}; }};\n"
                     for version, functions in sorted(versions.items()) if version)
    command = ["cc", "-w", "-fno-builtin", "-shared", "-fPIC", "-O0", "-x", "c", "-", "-o", path,
               f"-Wl,-soname,{path.name}"]
    if script:
        versions_file = path.with_name("versions.map")
        versions_file.write_text(script, encoding="utf-8")
        command.append(f"-Wl,--version-script={versions_file}")
    subprocess.run(command, input=source, text=True, check=True)


def stand_ins(folder: pathlib.Path) -> int:
    wanted: list[tuple[str, str]] = []
    defined: set[str] = set()
    libraries: dict[str, None] = {}
    for library in folder.glob("*.so*"):
        functions, own, named = undefined(library)
        wanted += functions
        defined |= own
        libraries.update(dict.fromkeys(named))
    names = sorted(libraries)
    versions: dict[str, dict[str, set[str]]] = {name: collections.defaultdict(set)
                                                for name in names}
    for name, version in wanted:
        if name not in defined and FUNCTION.match(name):
            versions[library_of(version, names)][version].add(name)
    for name in names:
        stand_in(folder / name, versions[name])
    return len(names)


def install(folder: pathlib.Path, *beside: str,
            python: str | os.PathLike[str] = sys.executable) -> None:
    """Prepares `folder` for `import torch`, unless it is ready. Packages `beside` it get no dependencies. `python`: an
    interpreter with pip."""
    stamp = folder / "torch_cpu.txt"
    wanted = "\n".join((TORCH, *beside))
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    shutil.rmtree(folder, ignore_errors=True)
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "mxe"
    cache.mkdir(parents=True, exist_ok=True)
    pip(python, "download", "--no-deps", "--find-links", cache, "--dest", cache, TORCH)
    into = (python, "install", "--target", folder, "--no-compile", "--upgrade")
    pip(*into, *NEEDED)
    pip(*into, "--no-deps", "--no-index", "--find-links", cache, TORCH)
    if beside:
        pip(*into, "--no-deps", *beside)
    stand_ins(folder / "torch/lib")
    run(python, "-W", "ignore", "-c", f"import sys; sys.path[:0] = [{str(folder)!r}]; import torch")
    stamp.write_text(wanted, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    install(parser.parse_args().folder.resolve())


if __name__ == "__main__":
    main()
