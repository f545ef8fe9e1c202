# SPDX-License-Identifier: Apache-2.0
"""Pages of the C, C++ and Python interfaces, from the comments in their sources.

C and C++: doxygen reads the headers of HEADERS, and breathe shows them by the directive `doxygenfile`. Python: autodoc,
with the compiled module mxe._core and foreign packages replaced by stand-ins (conf.py).
"""
import re
import shutil
import subprocess
import sys

from sphinx.errors import ExtensionError
from sphinx.ext.autodoc.mock import _MockModule

HEADERS = """
sw/driver/mxe_driver.h sw/driver/mxe_math.h sw/driver/mxe_float.h sw/linux/lib/mxe_linux.h
model/numerics/quantize/quantize.h model/numerics/gemm/gemm.h model/job/job.h model/platform/device/device.h
model/platform/engine.h model/platform/memory.h
""".split()
DOXYFILE = """
INPUT = {headers}
OUTPUT_DIRECTORY = {folder}
STRIP_FROM_PATH = {root}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = YES
EXTRACT_ALL = YES
AUTOLINK_SUPPORT = NO
MACRO_EXPANSION = NO
"""
PARAMETER = re.compile(r"(\w+(?:, \w+)*): (.*)")


def run_doxygen(app, config):
    if not shutil.which("doxygen"):
        raise ExtensionError("doxygen is missing; scripts/setup installs it")
    folder = app.outdir / ".doxygen"
    folder.mkdir(parents=True, exist_ok=True)
    text = DOXYFILE.format(headers=" ".join(str(app.srcdir / name) for name in HEADERS), folder=folder, root=app.srcdir)
    subprocess.run(["doxygen", "-"], input=text, text=True, check=True)
    config.breathe_projects = {"mxe": str(folder / "xml")}
    config.breathe_default_project = "mxe"


def parameters(_app, _what, _name, _object, _options, lines):
    """Turns `name: description` at the beginning of a line, by which docstrings describe parameters, into a field."""
    result, fields = [], False
    for line in lines:
        found = PARAMETER.fullmatch(line)
        if found and (fields or not result or not result[-1].strip()):
            fields = True
            result.append(f":{found[1]}: {found[2]}")
            continue
        if fields and line and not line.startswith(" "):
            fields = False
            result.append("")
        result.append(line)
    lines[:] = [line.replace("|", r"\|") for line in result]


def stand_in_for_onnx(_app, _config):
    """mxe.onnx compares the version of onnx, which the stand-ins of autodoc do not have."""
    sys.modules["onnx"] = _MockModule("onnx")
    sys.modules["onnx"].__version__ = "1.18"


def setup(app):
    app.connect("config-inited", stand_in_for_onnx)
    app.connect("config-inited", run_doxygen, priority=100)
    app.connect("autodoc-process-docstring", parameters)
    return {"parallel_read_safe": False}
