#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles AMD Quark's library of operators for onnxruntime from the sources in its package.

    python3 tests/python/quark_operators.py FOLDER

The tests compare with FOLDER/libquark.so (MXE_QUARK_OPERATORS). The package contains onnxruntime's headers, with which
the compiler checks sw/python/onnxruntime/abi.h. Needs c++.
"""
from __future__ import annotations

import argparse
import os
import pathlib
import subprocess
import sys
import zipfile

QUARK = "amd-quark==0.13"
SOURCES = ("custom_op_library.cc", "custom_op_bfp.cc", "custom_op_in.cc", "custom_op_lstm.cc",
           "custom_op_mx.cc", "custom_op_qdq.cc", "bfp/cpu/bfp.cc", "bfp/cpu/bfp_kernel.cc",
           "mx/cpu/mx.cc", "mx/cpu/mx_kernel.cc")
#: The project's constant for an index in onnxruntime's table, and the function there.
PLACES = {"kCreateCustomOpDomain": "CreateCustomOpDomain",
          "kCustomOpDomainAdd": "CustomOpDomain_Add", "kAddCustomOpDomain": "AddCustomOpDomain",
          "kGetTensorMutableData": "GetTensorMutableData",
          "kGetDimensionsCount": "GetDimensionsCount", "kGetDimensions": "GetDimensions",
          "kGetTensorTypeAndShape": "GetTensorTypeAndShape",
          "kKernelInfoGetAttributeInt64": "KernelInfoGetAttribute_int64",
          "kKernelInfoGetAttributeString": "KernelInfoGetAttribute_string",
          "kKernelContextGetInput": "KernelContext_GetInput",
          "kKernelContextGetOutput": "KernelContext_GetOutput", "kReleaseStatus": "ReleaseStatus",
          "kReleaseTensorTypeAndShapeInfo": "ReleaseTensorTypeAndShapeInfo",
          "kShapeInferContextGetInputTypeShape": "ShapeInferContext_GetInputTypeShape",
          "kShapeInferContextSetOutputTypeShape": "ShapeInferContext_SetOutputTypeShape"}
#: The project's member of Operator, and onnxruntime's.
MEMBERS = {"version": "version", "name": "GetName", "provider": "GetExecutionProviderType",
           "input_type": "GetInputType", "inputs": "GetInputTypeCount",
           "output_type": "GetOutputType", "outputs": "GetOutputTypeCount",
           "destroy": "KernelDestroy", "input_kind": "GetInputCharacteristic",
           "output_kind": "GetOutputCharacteristic", "input_memory": "GetInputMemoryType",
           "variadic": "GetVariadicInputMinArity", "create": "CreateKernelV2",
           "compute": "KernelComputeV2", "infer_shape": "InferOutputShapeFn",
           "first_version": "GetStartVersion", "last_version": "GetEndVersion"}


def run(*command: str | os.PathLike[str], text: str | None = None) -> None:
    subprocess.run(command, input=text, text=True, check=True)


def folders(quark: pathlib.Path) -> list[str]:
    include = quark / "include"
    runtime = include / "onnxruntime-1.17.0/onnxruntime"
    return [f"-I{one}" for one in (include, quark / "src", runtime, runtime / "core/session",
                                   include / "gsl-4.0.0")]


def check_interface(root: pathlib.Path, cxx: str, include: list[str]) -> None:
    """Fails if onnxruntime's header has other positions than abi.h."""
    places = "".join(f"static_assert(Api::{ours} * sizeof(void*) == offsetof(OrtApi, {theirs}));\n"
                     for ours, theirs in PLACES.items())
    members = "".join(f"static_assert(offsetof(Operator, {ours}) == "
                      f"offsetof(OrtCustomOp, {theirs}));\n" for ours, theirs in MEMBERS.items())
    run(cxx, "-std=c++17", "-fsyntax-only", "-w", f"-I{root}", *include, "-x", "c++", "-", text=f"""
#include <cstddef>
#include "onnxruntime_c_api.h"
#include "sw/python/onnxruntime/abi.h"
using namespace mxe::onnxruntime;
{places}{members}
static_assert(offsetof(OrtApi, CreateStatus) == 0);
static_assert(kApiVersion == ORT_API_VERSION && sizeof(Operator) == sizeof(OrtCustomOp));
static_assert(kInvalidArgument == ORT_INVALID_ARGUMENT);
static_assert(int(Element::float32) == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
static_assert(int(Element::float16) == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16);
""")


def install(folder: pathlib.Path, root: pathlib.Path, cxx: str = "c++",
            python: str | os.PathLike[str] = sys.executable) -> pathlib.Path:
    """Checks abi.h; compiles the library unless it exists. Returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    library, quark = folder / "libquark.so", folder / "quark/onnx/operators/custom_ops"
    if not quark.exists():
        run(python, "-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps",
            "--dest", folder, QUARK)
        wheel, = folder.glob("amd_quark*.whl")
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder, [name for name in archive.namelist()
                                        if name.startswith("quark/onnx/operators/custom_ops/")])
    include = folders(quark)
    check_interface(root, cxx, include)
    if not library.exists():
        made = folder / "made.so"
        run(cxx, "-std=c++17", "-O2", "-fPIC", "-shared", "-w", "-DNO_GPU",
            *include, *[quark / "src" / name for name in SOURCES], "-o", made)
        made.rename(library)
    return library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    print(install(parser.parse_args().folder.resolve(), pathlib.Path(__file__).parents[2]))


if __name__ == "__main__":
    main()
