#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rtl/mxe_top.sdc and rtl/wrap/mxe_axi.sdc constrain each port once. With --sta, OpenSTA reads them too, for registers
at all ports; exit status 77 if there is none (scripts/setup --clock installs it).
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import elaborated
from elaborated import ROOT, YOSYS

FILES = {"mxe_top": ROOT / "rtl/mxe_top.sdc", "mxe_axi": ROOT / "rtl/wrap/mxe_axi.sdc"}
CLOCKS = {"mxe_top": "clk_i", "mxe_axi": "clk"}
RESETS = {"mxe_top": "rst_ni", "mxe_axi": "rst_n"}
LIBERTY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
# The commands of SDC as procedures that print their arguments; Yosys contains an interpreter of Tcl.
STUBS = r"""
set ports {PORTS}
proc get_ports {names} {
  foreach name $names { if {[lsearch -exact $::ports $name] < 0} { error "no port $name" } }
  return $names
}
foreach command {create_clock set_input_delay set_output_delay} {
  proc $command {args} "puts \"$command \[join \[concat {*}\$args\]\]\""
}
"""


def stubbed(module, text, ports=None):
    """The commands of a file, each as [command, argument...], or the message of an error."""
    names = " ".join(ports or elaborated.ports(module))
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "stub.tcl"
        path.write_text(STUBS.replace("PORTS", names) + text, encoding="utf-8")
        run = subprocess.run([YOSYS, "-Q", "-T", "-q", "-c", str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, check=False)
    if run.returncode:
        return run.stdout
    return [line.split() for line in run.stdout.splitlines()]


def constrained(commands):
    """[(command, value, port)]"""
    found = []
    for command, *words in commands:
        value, ports = (words[3], words[4:]) if command == "create_clock" else (words[0], words[3:])
        found += [(command, float(value), port) for port in ports]
    return found


class Stubbed(unittest.TestCase):
    def text(self, module, before="set mxe_clock_ns 4.0\n"):
        return before + FILES[module].read_text(encoding="utf-8")

    def wanted(self, module, delays=(2.0, 2.0)):
        return sorted(("create_clock", 4.0, name) if name == CLOCKS[module] else
                      ("set_input_delay", delays[0], name) if direction == "input" else
                      ("set_output_delay", delays[1], name)
                      for name, (direction, _) in elaborated.ports(module).items())

    def test_each_port_once(self):
        for module in FILES:
            self.assertEqual(sorted(constrained(stubbed(module, self.text(module)))), self.wanted(module))

    def test_shares(self):
        before = "set mxe_clock_ns 4.0\nset mxe_input_share 0.75\nset mxe_output_share 0.25\n"
        found = constrained(stubbed("mxe_top", self.text("mxe_top", before)))
        self.assertEqual(sorted(found), self.wanted("mxe_top", (3.0, 1.0)))

    def test_the_period_is_required(self):
        self.assertRegex(stubbed("mxe_top", self.text("mxe_top", "")), r'"mxe_clock_ns": no such variable')

    def test_comparison_finds_differences(self):
        text = self.text("mxe_top")
        ports = dict(elaborated.ports("mxe_top"))
        self.assertNotEqual(sorted(constrained(stubbed("mxe_top", text.replace(" irq_o", "")))), self.wanted("mxe_top"))
        twice = text.replace("get_ports {rst_ni}", "get_ports {rst_ni s_bready_i}")
        self.assertNotEqual(sorted(constrained(stubbed("mxe_top", twice))), self.wanted("mxe_top"))
        del ports["m_wlast_o"]
        self.assertIn("no port m_wlast_o", stubbed("mxe_top", text, ports))


def registers_at_all_ports(module):
    """A netlist in which each input ends in a register, and each output begins in one; all have a reset."""
    declared, cells = [], []
    ports = elaborated.ports(module, elaborated.configurations()["small"])
    clock, reset = CLOCKS[module], RESETS[module]
    for name, (direction, width) in ports.items():
        declared.append(f"{direction} [{width - 1}:0] {name};" if width > 1 else f"{direction} {name};")
        for i in range(width if name not in (clock, reset) else 0):
            bit, wire = f"{name}[{i}]" if width > 1 else name, f"w{len(cells)}"
            q = wire if direction == "input" else bit
            cells.append(f"wire {wire}; DFFSR r{len(cells)} (.D({bit}), .Q({q}), .CLK({clock}), .R({reset}), .S({reset}));")
    return "\n".join([f"module {module} ({', '.join(ports)});", *declared, *cells, "endmodule", ""])


class OpenSta(unittest.TestCase):
    def run_sta(self, module, text):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "netlist.v").write_text(registers_at_all_ports(module), encoding="utf-8")
            (folder / "ports.sdc").write_text(text, encoding="utf-8")
            (folder / "run.tcl").write_text(
                f"read_liberty {LIBERTY}\nread_verilog netlist.v\nlink_design {module}\nset mxe_clock_ns 4.0\n"
                f"read_sdc ports.sdc\ncheck_setup -verbose\nputs CHECKED\nreport_checks -from [get_ports {RESETS[module]}]\n",
                encoding="utf-8")
            run = subprocess.run(["sta", "-no_splash", "-exit", "run.tcl"], cwd=scratch, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, check=False)
        return run.stdout.partition("CHECKED\n")

    def test_all_is_constrained(self):
        for module, path in FILES.items():
            warnings, end, report = self.run_sta(module, path.read_text(encoding="utf-8"))
            self.assertEqual((warnings, bool(end)), ("", True))
            self.assertRegex(report, r"recovery check against rising-edge clock mxe_clk(.|\n)* 2\.00 +\^? *input external")

    def test_finds_a_missing_delay(self):
        text = FILES["mxe_top"].read_text(encoding="utf-8")
        for missing in ("irq_o", "m_rlast_i"):
            warnings, _, _ = self.run_sta("mxe_top", re.sub(rf"\b{missing}\b", "", text))
            self.assertIn(missing, warnings)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sta", action="store_true")
    args = parser.parse_args()
    if args.sta and not (shutil.which("sta") and os.path.exists(LIBERTY)):
        print("no OpenSTA: scripts/setup --clock")
        sys.exit(77)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(OpenSta if args.sta else Stubbed)
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())


if __name__ == "__main__":
    main()
