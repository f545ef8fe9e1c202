# SPDX-License-Identifier: Apache-2.0
"""rooms.py finds each kind of violation, planted in a project of a few folders."""
import pathlib
import tempfile
import unittest

import rooms

ROOMS = ["model/regs", "sw/driver", "model/numerics", "model/platform", "sw/mxe"]
LINKS = """sw/driver driver
model/numerics mx fmt::fmt
model/platform platform mx driver
sw/mxe cli platform $<LINK_ONLY:mx>
"""


class Rooms(unittest.TestCase):
    def check(self, files, links=LINKS, absent=()):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            files = {"sw/driver/mxe_driver.h": "", **files}
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return list(rooms.breaches(root, ROOMS, links, absent))

    def test_what_points_down_is_allowed(self):
        self.assertEqual([], self.check({
            "sw/mxe/main.cpp": '#include <systemc>\n#include "model/platform/host.h"\n'
                               '#include "mxe_driver.h"\n#include "sw/mxe/main.h"\n',
            "model/numerics/formats/format.cpp": '#include "model/numerics/formats/format.h"\n#include <vector>\n'}))

    def test_an_include_that_points_up(self):
        self.assertIn("above", self.check(
            {"model/numerics/formats/format.h": '#include "model/platform/host.h"\n'})[0])

    def test_systemc_below_the_platform(self):
        self.assertIn("no SystemC", self.check({"model/numerics/a.h": "#  include <tlm>\n"})[0])

    def test_a_target_that_links_up(self):
        self.assertIn("above", self.check({}, LINKS.replace("mx fmt::fmt", "mx platform"))[0])

    def test_an_include_without_a_link(self):
        files = {"model/platform/driver_port.h": '#include "mxe_driver.h"\n'}
        self.assertEqual([], self.check(files))
        self.assertIn("no target", self.check(files, LINKS.replace("mx driver", "mx"))[0])

    def test_a_room_that_is_not_built(self):
        files = {"model/platform/a.h": '#include "model/numerics/b.h"\n', "model/numerics/b.h": ""}
        links = "model/platform platform driver\n"
        self.assertIn("no target", self.check(files, links)[0])
        self.assertEqual([], self.check(files, links, ["model/numerics"]))

    def test_another_include_root(self):
        self.assertIn("root", self.check({"sw/mxe/a.cpp": '#include "a.h"\n', "sw/mxe/a.h": ""})[0])

    def namespaces(self, file, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, file)
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            return list(rooms.strangers(pathlib.Path(folder), [*ROOMS, "model/platform/rtl", "model/platform/linux"]))

    def test_namespaces_of_their_folders(self):
        for file, name in [("model/numerics/formats/a.h", "numerics"), ("model/platform/a.cpp", "platform"),
                           ("model/platform/rtl/a.h", "rtl"), ("model/platform/linux/a.h", "guest"),
                           ("sw/mxe/a.h", "cli"), ("sw/mxe/a.h", "cli::detail"), ("tests/cosim/a.cpp", "test"),
                           ("tests/unit/numerics/a.cpp", "numerics")]:
            self.assertEqual([], self.namespaces(file, f"namespace mxe::{name} {{\nnamespace {{\nint i;\n}}\n}}\n"))
        self.assertEqual([], self.namespaces("model/regs/a.h", "namespace mxe {\nint i;\n}\n"))
        self.assertEqual([], self.namespaces("sw/mxe/a.h", "namespace CLI {\nclass App;\n}\n"))

    def test_a_namespace_of_another_folder(self):
        for file, name in [("model/numerics/formats/a.h", "mx"), ("model/platform/a.cpp", "mxe"),
                           ("model/platform/rtl/a.h", "mxe::platform"), ("model/regs/a.h", "mxe::regs"),
                           ("sw/mxe/a.h", "mxe::mxe"), ("sw/mxe/a.h", "CLI"), ("tests/cosim/a.cpp", "helpers")]:
            found = self.namespaces(file, f"namespace {name} {{\nint i;\n}}\n")
            self.assertEqual(1, len(found), file)
            self.assertIn(f"{file} opens namespace {name}; allowed: mxe", found[0])


if __name__ == "__main__":
    unittest.main()
