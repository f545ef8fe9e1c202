#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of docs/build.md in a moved installation, and in the Debian packages, unpacked into a folder."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["MXE_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/documents"))
from documents import blocks_of  # noqa: E402

BUILD = pathlib.Path(os.environ["MXE_BUILD"])
LIBDIR = os.environ["MXE_LIBDIR"]  # of the installation: lib, or Debian's lib/x86_64-linux-gnu
HAS_RTL = os.environ["MXE_RTL"] == "1"
PREFIX = "/opt/mxe"  # in the documents


def blocks(document, language, word):
    """All code blocks of a document that contain the word, as one text."""
    found = blocks_of((SOURCE / document).read_text(encoding="utf-8"))
    return "".join(block.text for block in found if block.language == language and word in block.text)


def here(line):
    line = line.replace("--install build ", f"--install {BUILD} ")
    return line.replace("build/CPack", f"{BUILD}/CPack")


def run(command, **options):
    """The output of a command; prints all of it if the command fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}\n{done.stdout}")
    return done.stdout


def demo(program):
    """Returns the table of `mxe demo` without its time, run from the root folder without environment variables."""
    return re.sub(r"\(.* s\)", "", run([str(program), "demo"], cwd="/", env={}))


def is_included_first(header):
    source = (SOURCE / header).with_suffix(".cpp")
    includes = re.findall(r'^#include (.*)$', source.read_text(encoding="utf-8"), re.MULTILINE) \
        if source.exists() else []
    return bool(includes) and includes[0] == f'"{header}"'


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # A fixed folder, so that ccache finds the files.
        cls.scratch = BUILD / "tests/install/scratch"
        shutil.rmtree(cls.scratch, ignore_errors=True)
        (cls.scratch / "build").mkdir(parents=True)
        (cls.scratch / "docs").symlink_to(SOURCE / "docs")
        first, cls.prefix = cls.scratch / "first", cls.scratch / "moved"
        install = blocks("docs/build.md", "sh", "cmake --install").splitlines()[0]
        run(here(install).replace(PREFIX, str(first)), shell=True, cwd=cls.scratch)
        first.rename(cls.prefix)

    def documented(self, word):
        """The commands of docs/build.md that contain the word, for the moved installation."""
        lines = blocks("docs/build.md", "sh", word).replace(PREFIX, str(self.prefix)).splitlines()
        self.assertTrue(lines, word)
        if not HAS_RTL:
            lines = [line for line in lines if not line.endswith("/rtl")]
        return [line for line in lines if "--install" not in line]

    def test_demo(self):
        (command,) = self.documented("--install")
        program, word = command.split()
        self.assertEqual(word, "demo")
        self.assertEqual(demo(program), demo(BUILD / "mxe"))

    def test_programs_of_another_project(self):
        printed = "".join(run(line, shell=True, cwd=self.scratch)
                          for line in self.documented("examples/installed"))
        expected = ["reference: 4 x 3 x 96", "model: 16 x 8 x 64", "agrees with the reference", "of 8 PEs"]
        if HAS_RTL:
            expected += ["rtl: 16 x 8 x 64", "agrees with the model"]
        for text in expected:
            self.assertIn(text, printed)

    def test_documented_find_package_is_the_example_s(self):
        snippet = blocks("docs/build.md", "cmake", "find_package")
        example = (SOURCE / "docs/examples/installed/CMakeLists.txt").read_text(encoding="utf-8")
        self.assertTrue(snippet)
        self.assertIn(snippet, example)

    def linux_driver(self, word):
        """The commands of docs/linux-driver.md that contain the word, for the moved installation."""
        text = blocks("docs/linux-driver.md", "sh", "/opt/mxe")
        return [line.replace(PREFIX, str(self.prefix)).replace("$(scripts/", f"$({SOURCE}/scripts/")
                for line in text.splitlines() if word in line and "--install" not in line]

    def test_program_for_linux(self):
        configure, build = self.linux_driver("build/layer -D") + self.linux_driver("--build build/layer")
        run(f"{configure}\n{build}", shell=True, cwd=self.scratch)
        program = self.scratch / "build/layer/layer"
        done = subprocess.run([program], capture_output=True, text=True, check=False, env={"MXE_DEVICE": "/nowhere"})
        self.assertEqual((done.returncode, done.stderr), (1, "no engine: No such file or directory\n"))
        (compiler,) = re.findall("`(cc layer.c .*)`", (SOURCE / "docs/linux-driver.md").read_text(encoding="utf-8"))
        compiler = compiler.replace(PREFIX, str(self.prefix)).replace("/lib ", f"/{LIBDIR} ").replace("layer.c", "docs/examples/linux/layer.c")
        run(f"{compiler} -Wall -Wextra -Werror -o alone", shell=True, cwd=self.scratch)
        needed = run(["readelf", "--dynamic", self.scratch / "alone"])
        self.assertIn("[libmxe.so.0]", needed)

    def test_documented_program_for_linux_is_the_example(self):
        snippet = blocks("docs/linux-driver.md", "cmake", "find_package")
        self.assertTrue(snippet)
        self.assertIn(snippet, (SOURCE / "docs/examples/linux/CMakeLists.txt").read_text(encoding="utf-8"))

    def test_driver_for_a_kernel(self):
        kernel = subprocess.run([SOURCE / "scripts/linux-kernel", "require", "plain"], capture_output=True, text=True, check=False)
        if kernel.returncode or not (self.prefix / "bin/mxe-linux").exists():
            self.skipTest("no kernel, or mxe-linux was not built")
        self.test_program_for_linux()
        make, with_module = self.linux_driver("make -C") + self.linux_driver("--module build")
        run(f"{make}\n{with_module} 2>/dev/null", shell=True, cwd=self.scratch)
        installed = self.prefix / LIBDIR / "mxe/linux/mxe.ko"
        installed.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.scratch / "build/module/mxe.ko", installed)
        (run_layer,) = [line for line in self.linux_driver("bin/mxe-linux") if "--module" not in line]
        printed = run(f"{run_layer} 2>/dev/null", shell=True, cwd=self.scratch)
        self.assertEqual(printed, "layer: success, 32768 of 32768 results are right\n")

    def find_package(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            text = ("cmake_minimum_required(VERSION 3.25)\nproject(p LANGUAGES C)\n"
                    f"find_package(mxe CONFIG REQUIRED {' '.join(arguments)})\n")
            pathlib.Path(folder, "CMakeLists.txt").write_text(text, encoding="utf-8")
            done = subprocess.run(
                ["cmake", "-S", folder, "-B", f"{folder}/build",
                 f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True, check=False)
        return done.returncode, " ".join(done.stderr.split())

    def test_find_package_says_what_is_missing(self):
        self.assertEqual(self.find_package("COMPONENTS driver"), (0, ""))
        self.assertIn("no component 'modell', only driver", self.find_package("modell")[1])
        self.assertEqual(self.find_package("COMPONENTS linux"), (0, ""))
        self.assertNotEqual(self.find_package("9.9")[0], 0)
        rtl = self.prefix / LIBDIR / "cmake/mxe/mxe-rtl.cmake"
        self.assertEqual(rtl.exists(), HAS_RTL)
        hidden = rtl.with_suffix(".hidden")
        if HAS_RTL:
            rtl.rename(hidden)
        said = self.find_package("COMPONENTS rtl")[1]
        if HAS_RTL:
            hidden.rename(rtl)
        self.assertIn("'rtl' is not installed: this MXE was built with MXE_BUILD_RTL=OFF", said)
        linux = rtl.with_name("mxe-linux.cmake")
        linux.rename(hidden)
        said = self.find_package("COMPONENTS linux")[1]
        hidden.rename(linux)
        self.assertIn("'linux' is not installed: this MXE was built without libdrm's headers", said)

    @unittest.skipUnless(HAS_RTL, "built without the RTL")
    def test_missing_design_is_one_clear_error(self):
        weights = [self.prefix / f"share/mxe/digits/weight{layer}.npy" for layer in (1, 2)]
        design = self.prefix / LIBDIR / "mxe/mxe_rtl_small.so"
        hidden = design.with_suffix(".hidden")
        design.rename(hidden)
        done = subprocess.run(
            [self.prefix / "bin/mxe", "matmul", *weights, "--format-a", "mxint8", "--format-b", "mxint8",
             "--on", "rtl", "--config", "small"],
            capture_output=True, text=True, check=False)
        hidden.rename(design)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn("the design mxe_rtl_small is not installed", done.stderr)

    def test_no_text_names_the_folder_it_was_built_in(self):
        for path in self.prefix.rglob("*"):
            binary = path.suffix in (".a", ".npy", ".ko", ".png", ".safetensors") or ".so" in path.suffixes or \
                path.parent.name == "bin"
            if not path.is_file() or binary:
                continue
            text = path.read_text(encoding="utf-8")
            for folder in (SOURCE, BUILD, self.scratch):
                self.assertNotIn(str(folder), text, path)

    def test_each_header_compiles_alone(self):
        include = self.prefix / "include/mxe"
        headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
        self.assertGreater(len(headers), 40)
        options = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{include}", "-x"]

        def compile_headers(names, *language):
            unit = "".join(f'#include "{name}"\n' for name in names)
            run([*language[:2], *options, language[2], "-"], input=unit)

        # All together: no installed header needs a missing one. Separately: headers that no source file includes
        # first need nothing before them.
        compile_headers(headers, "c++", "-std=c++17", "c++")
        for header in headers:
            if not is_included_first(header):
                compile_headers([header], "c++", "-std=c++17", "c++")
        for header in ("mxe_driver.h", "mxe_regs.h", "mxe_values.h", *(["mxe_dpi.h"] if HAS_RTL else [])):
            compile_headers([header], "cc", "-std=c11", "c")

    def test_rtl_and_its_lists(self):
        rtl = self.prefix / "share/mxe/rtl"
        sources = {path.name for path in rtl.glob("*.sv")}
        for name, folder in (("mxe.f", rtl), ("mxe.core", rtl), ("../Bender.yml", rtl.parent)):
            text = (rtl / name).read_text(encoding="utf-8")
            listed = re.findall(r"^[ -]*([\w/]+\.sv)\b", text, re.MULTILINE)
            self.assertEqual({pathlib.Path(path).name for path in listed}, sources, name)
            for path in listed:
                self.assertTrue((folder / path).exists(), f"{name}: {path}")
        if HAS_RTL:
            run(["verilator", "--lint-only", "-Wall", "--top-module", "mxe_top",
                 str(rtl / "mxe.vlt"), "-F", str(rtl / "mxe.f")])

    @unittest.skipUnless(HAS_RTL, "built without the RTL")
    def test_own_rtl_is_made_for_this_program(self):
        """The simple engine as a project on the installed files: MxeVerilate.cmake finds its folders, and the program
        loads the library."""
        build = self.scratch / "simple_engine"
        run(["cmake", "-S", str(SOURCE / "docs/examples/simple_engine"), "-B", str(build),
             f"-DMXE_SOURCE_DIR={self.prefix}/share/mxe", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])
        commands = (build / "compile_commands.json").read_text(encoding="utf-8")
        paths = re.findall(rf"(?:-I|-c )({self.prefix}[^\s\"]*)", commands)
        self.assertTrue(paths)
        for path in paths:
            self.assertTrue(pathlib.Path(path).exists(), path)
        (digest,) = set(re.findall(r'MXE_ENGINE_INTERFACE=[\\"]*(\w+)', commands))
        self.assertIn(digest.encode(), (self.prefix / "bin/mxe").read_bytes())


class Clone(unittest.TestCase):
    def test_first_commands_of_the_guides(self):
        """These commands take too long; the script, preset and targets that they name must exist."""
        for document in ("docs/driver.md", "docs/firmware.md"):
            setup, configure, build = blocks(document, "sh", "--preset").splitlines()
            self.assertTrue(os.access(SOURCE / setup, os.X_OK), setup)
            self.assertIn(f'"{configure.split()[-1]}"', run(["cmake", "--list-presets"], cwd=SOURCE))
            for target in build.partition("--target ")[2].split():
                run(["ninja", "-C", str(BUILD), "-t", "query", target])


class Package(unittest.TestCase):
    def test_runs_on_any_processor(self):
        commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
        for entry in commands:
            self.assertNotRegex(entry["command"], r" -m(arch|cpu|tune|avx|sse|fma|bmi)")

    def test_unpacked_package_runs(self):
        line = blocks("docs/build.md", "sh", "cpack").strip()
        with tempfile.TemporaryDirectory() as folder:
            run(here(line).replace("build/packages", folder), shell=True, cwd=folder)
            mxe, dev = (next(pathlib.Path(folder).glob(pattern))
                        for pattern in ("mxe_*.deb", "mxe-dev_*.deb"))
            depends = run(["dpkg-deb", "--field", str(mxe), "Depends"])
            for library in ("libc6", "libfmt9", "libstdc++6", "libsystemc", "libyaml-cpp0.7"):
                self.assertIn(library, depends)
            self.assertIn("mxe (= ", run(["dpkg-deb", "--field", str(dev), "Depends"]))
            run(["dpkg-deb", "--extract", str(mxe), f"{folder}/root"])
            self.assertEqual(demo(f"{folder}/root/usr/bin/mxe"), demo(BUILD / "mxe"))
            development = run(["dpkg-deb", "--contents", str(dev)])
            for path in ("include/mxe/mxe_driver.h", "cmake/mxe/mxeConfig.cmake", "rtl/mxe_top.sv",
                         "rtl/mxe_top.sdc", "rtl/wrap/mxe_axi.v", "rtl/wrap/mxe_axi.xml", "libmxe.so.0", "include/mxe/mxe_linux.h", "sw/linux/module/mxa_pci.c"):
                self.assertIn(path, development)
            for package in (mxe, dev):  # the licences of mxe.ko forbid distribution
                self.assertNotIn("mxe.ko", run(["dpkg-deb", "--contents", str(package)]))


if __name__ == "__main__":
    unittest.main()
