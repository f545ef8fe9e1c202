# SPDX-License-Identifier: Apache-2.0
"""rooms.py and calls.py find each kind of violation, planted in a project of a few folders."""
import pathlib
import tempfile
import unittest

import calls
import rooms

ROOMS = ["model/regs", "sw/driver", "model/numerics", "model/platform", "sw/firmware/runtime", "sw/firmware",
         "sw/linux/include", "sw/linux/lib", "sw/linux/programs", "sw/mxe"]
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

    GUESTS = {"sw/firmware/runtime/soc.h": '#include "mxe_driver.h"\n', "sw/firmware/digits/digits.h": "",
              "sw/driver/ports/bare_metal.h": "", "sw/linux/include/uapi/drm/mxe_accel.h": '#include "drm.h"\n',
              "sw/linux/lib/mxe_linux.h": '#include "mxe_driver.h"\n',
              "sw/linux/lib/kernel.c": '#include "mxe_linux.h"\n#include "uapi/drm/mxe_accel.h"\n'}

    def test_guests_include_bare_names(self):
        self.assertEqual([], self.check({**self.GUESTS,
            "sw/firmware/digits/main.c": '#include "digits.h"\n#include "soc.h"\n#include "ports/bare_metal.h"\n',
            "sw/linux/programs/digits.c": '#include "digits.h"\n#include "mxe_linux.h"\n'}))

    def test_a_guest_that_includes_what_is_above(self):
        for file, header, above in [("sw/firmware/runtime/a.c", "digits.h", "sw/firmware"),
                                    ("sw/linux/include/uapi/a.h", "mxe_linux.h", "sw/linux/lib"),
                                    ("sw/firmware/a.c", "mxe_linux.h", "sw/linux/lib")]:
            self.assertEqual([f"{file} includes {header}, but {above} is above {file.rpartition('/')[0].removesuffix('/uapi')}"],
                             self.check({**self.GUESTS, file: f'#include "{header}"\n'}))

    def test_a_guest_with_headers_of_the_host(self):
        for header in ("model/numerics/a.h", "../../../model/numerics/a.h"):
            found = self.check({**self.GUESTS, "model/numerics/a.h": "", "sw/linux/programs/a.c": f'#include "{header}"\n'})
            self.assertIn("guests have no model/numerics", found[0])

    def circles(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return list(rooms.circles(pathlib.Path(folder), ROOMS))

    def test_files_that_include_each_other(self):
        for a, b in [("model/numerics/formats/a.h", "model/numerics/block/b.h"), ("sw/linux/lib/a.h", "b.h")]:
            path_b = b if "/" in b else f"sw/linux/lib/{b}"
            self.assertEqual([], self.circles({a: f'#include "{b}"\n', path_b: "#include <vector>\n"}))
            back = a if "/" in b else "a.h"
            found = self.circles({a: f'#include "{b}"\n', path_b: f'#include "{back}"\n'})
            self.assertEqual(1, len(found), a)
            self.assertIn("include each other", found[0])

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


class Calls(unittest.TestCase):
    def check(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (pathlib.Path(folder) / f"{name}.c").write_text(text, encoding="utf-8")
            return calls.cycle_of(pathlib.Path(folder))

    def test_calls_in_one_direction(self):
        self.assertEqual([], self.check(low="int low(int a) {\n  return a;  // high()\n}\n", high="int high(void) { return low(1); }\n",
                                        alone="static int low(void) { return 0; }\nvoid alone(void) {}\n"))

    def test_a_cycle_of_functions(self):
        self.assertEqual({"a.c", "b.c", "c.c"}, set(self.check(a="int* a(void) { return b(); }\n", b="int* b(void) { return c(); }\n",
                                                               c="int c(int x,\n      int y) { return *a(); }\n")))

    def test_a_cycle_of_a_function_and_a_table(self):
        self.assertEqual({"a.c", "b.c"}, set(self.check(a="const struct table table = {use};\n", b="void use(void) { call(&table); }\n")))


if __name__ == "__main__":
    unittest.main()
