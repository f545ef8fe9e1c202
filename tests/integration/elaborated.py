# SPDX-License-Identifier: Apache-2.0
"""The ports of mxe_top and mxe_axi as Yosys elaborates them."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
YOSYS = os.environ.get("MXE_YOSYS", "yosys")
READ = {"mxe_top": "read_verilog -sv -Irtl rtl/mxe_pkg.sv rtl/mxe_reg_pkg.sv rtl/mxe_top.sv",
        "mxe_axi": "read_verilog rtl/wrap/mxe_axi.v"}  # as Verilog 2005


def ports(module, parameters=None):
    """{name: (direction, width)}"""
    values = "".join(f" -set {name} {value}" for name, value in (parameters or {}).items())
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "ports.json")
        script = [READ[module], f"chparam{values} {module}" if values else "", "proc", f"write_json {path}"]
        subprocess.run([YOSYS, "-q", "-p", "; ".join(filter(None, script))], cwd=ROOT, check=True)
        with open(path, encoding="utf-8") as file:
            found = json.load(file)["modules"][module]["ports"]
    return {name: (port["direction"], len(port["bits"])) for name, port in found.items()}


def configurations():
    """{"small": {"NUM_PE": 4, ...}, ...} with all parameters of each named configuration."""
    declared = (ROOT / "rtl/mxe_parameters.svh").read_text(encoding="utf-8")
    base = {name: int(value) for name, value in re.findall(r"parameter int unsigned (\w+) = (\d+)", declared)}
    text = (ROOT / "model/regs/generated/mxe_parameters.cmake").read_text(encoding="utf-8")
    return {name: {**base, **{key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", values)}}
            for name, values in re.findall(r"set\(MXE_RTL_PARAMETERS_(\w+)([^)]*)\)", text)}
