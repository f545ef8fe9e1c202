# SPDX-License-Identifier: Apache-2.0
"""The checker of prose finds a planted sentence for each pattern, in every language that it reads."""
import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import prose
import tomllib

HERE = pathlib.Path(__file__).parent
DATA = tomllib.loads((HERE / "words.toml").read_text(encoding="utf-8"))
BAD = "The job waits until nobody needs it."
ONE_WORD = """
[[word]]
find = "nobody"
use = "no client"
why = "name who acts"
bad = "nobody"
[allowed]
docs = {allowed}
{more}
"""


class Patterns(unittest.TestCase):
    def setUp(self):
        self.words = prose.Words(DATA)

    def lines_of(self, path, text):
        return [line for line, _ in self.words.findings(path, text)]

    def test_each_pattern_finds_its_planted_sentence(self):
        for entry in DATA["word"]:
            only = prose.Words({"word": [entry]})
            with self.subTest(entry["bad"]):
                self.assertEqual([1], [line for line, _ in only.findings("a.cpp", f"// {entry['bad']}\n")])
                self.assertEqual([3], [line for line, _ in only.findings("a.md", f"# Page\n\n{entry['bad']}\n")])
            for good in entry.get("good", []):
                with self.subTest(good):
                    self.assertEqual([], list(only.findings("a.cpp", f"// {good}\n")))

    def test_each_name_is_found_in_code_alone(self):
        for entry in DATA["name"]:
            only = prose.Words({"word": [], "name": [entry]})
            for path in ("a.cpp", "a.sv", "a.py"):
                self.assertEqual(1, len(list(only.findings(path, f"{entry['bad']}\n"))))
            self.assertEqual([], list(only.findings("a.cpp", f"// {entry['bad']}\nprint(\"{entry['bad']}\");\n")))

    def test_a_finding_names_words_replacement_and_reason(self):
        (line, message), = self.words.findings("a.cpp", f"int a;  // {BAD}\n")
        self.assertEqual(1, line)
        self.assertRegex(message, r"^'nobody': use '.+' \(.+\)$")

    def test_words_are_found_across_the_lines_of_a_comment_but_not_across_comments(self):
        self.assertEqual([1], self.lines_of("a.cpp", "/// The loader is\n/// told the row.\n"))
        self.assertEqual([2], self.lines_of("a.h", "/*\n * The loader is\n * told the row.\n */\n"))
        self.assertEqual([], self.lines_of("a.cpp", "int a;  // it is\nint b;  // told\n"))
        self.assertEqual([], self.lines_of("a.md", "The loader is\n\ntold the row.\n"))

    def test_a_word_with_a_hyphen_is_another_word(self):
        self.assertEqual([], self.lines_of("a.cpp", "// a no-nobody and a nobody-else\n"))


class Languages(unittest.TestCase):
    """Finds prose in comments, docstrings and text, not in code."""

    def lines_of(self, path, text):
        return [line for line, _ in prose.Words(DATA).findings(path, text)]

    def test_c_and_systemverilog(self):
        for path in ("a.c", "a.h", "a.cpp", "a.inc", "a.sv", "a.svh", "a.S"):
            self.assertEqual([1, 3], self.lines_of(path, f"int a;  // {BAD}\n/* A comment.\n   {BAD} */\n"))
            self.assertEqual([], self.lines_of(path, f'puts("{BAD}");\nputs("// {BAD}");\n'))
        self.assertEqual([2], self.lines_of("a.cpp", f"auto a = R\"(// {BAD})\" + 1'000'000;\n// {BAD}\n"))
        self.assertEqual([2], self.lines_of("a.cpp", f"char a = '\"';\n// {BAD}\n"))

    def test_python(self):
        text = f'"""A page.\n\n{BAD}"""\nx = "{BAD}"\n\n\ndef f():\n    """{BAD}"""\n    return 1  # {BAD}\n'
        for path in ("a.py", "script"):
            start = "" if path == "a.py" else "#!/usr/bin/env python3\n"
            self.assertEqual([3, 8, 9], sorted(line - start.count("\n") for line in self.lines_of(path, start + text)))

    def test_cmake(self):
        text = f'set(a "# {BAD}")  # {BAD}\n#[[ A comment.\n{BAD} ]]\nset(b [[# {BAD}]])\n'
        self.assertEqual([1, 3], self.lines_of("CMakeLists.txt", text))
        self.assertEqual([1, 3], self.lines_of("a.cmake", text))

    def test_shell_and_yaml(self):
        self.assertEqual([2, 3], self.lines_of("script", f"#!/bin/bash\n# {BAD}\necho '# {BAD}' $#  # {BAD}\n"))
        self.assertEqual([1, 2], self.lines_of("a.yaml", f"# {BAD}\na: 1  # {BAD}\nb: \"# {BAD}\"\n"))

    def test_markdown(self):
        text = f"{BAD}\n\n```sh\n# {BAD}\n```\n\n- an item: `nobody`\n- nobody\n| cell | nobody |\n"
        self.assertEqual([1, 8, 9], self.lines_of("a.md", text))

    def test_a_sentence_starts_after_a_full_stop_or_a_comment_sign(self):
        for text in ("// Whether it is idle.\n", "// A port. Whether it is idle.\n",
                     "/// A port.\n/// Whether it is.\n", "int a;  ///< Whether it is idle.\n"):
            self.assertEqual(1, len(self.lines_of("a.h", text)), text)
        self.assertEqual([], self.lines_of("a.h", "// It reports\n// Whether by name\n"))

    def test_code_and_other_files_are_not_read(self):
        self.assertEqual([], self.lines_of("a.json", BAD))
        self.assertEqual([], self.lines_of("a.cpp", "// `nobody` https://nobody.org/nobody\n"))


class Exceptions(unittest.TestCase):
    """An exception holds for its line and the next one."""

    def messages(self, path, text):
        return [message for _, message in prose.Words(DATA).findings(path, text)]

    def test_in_the_line_or_in_the_line_above(self):
        self.assertEqual([], self.messages("a.cpp", f"// {BAD} prose: a name\n"))
        self.assertEqual([], self.messages("a.cpp", f"// prose: a name\n// {BAD}\n"))
        self.assertEqual([], self.messages("a.sv", "assign behind = 0;  // prose: a name\n"))
        self.assertEqual([], self.messages("a.md", f"<!-- prose: a name -->\n{BAD}\n"))
        self.assertEqual([], self.messages("a.py", f"a = 1  # {BAD} prose: a name\n"))

    def test_not_elsewhere(self):
        self.assertEqual(2, len(self.messages("a.cpp", f"// prose: a name\n//\n// {BAD}\n")))
        self.assertEqual(2, len(self.messages("a.cpp", f"// {BAD}\n// prose: a name\n")))

    def test_a_reason_is_necessary(self):
        self.assertEqual(1, len(self.messages("a.cpp", f"// {BAD} prose:\n")))

    def test_one_without_a_finding_is_a_finding(self):
        message, = self.messages("a.cpp", "// All is well. prose: a name\n")
        self.assertIn("no finding here needs this exception", message)


class Program(unittest.TestCase):
    def run_program(self, files, *options, allowed=0, more=""):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()):
            root = pathlib.Path(folder)
            if files:
                subprocess.run(["git", "init", "--quiet", folder], check=True)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            if files:
                subprocess.run(["git", "-C", folder, "add", "."], check=True)
            words = root / "words.toml"
            words.write_text(ONE_WORD.format(allowed=allowed, more=more), encoding="utf-8")
            with mock.patch.object(sys, "argv", ["prose.py", "--root", folder, "--words", str(words), *options]):
                try:
                    status = prose.main()
                except SystemExit as end:
                    status = end.code
            return status, out.getvalue()

    def test_a_finding_fails(self):
        status, out = self.run_program({"docs/a.md": f"# Page\n{BAD}\n"})
        self.assertEqual(1, status)
        self.assertIn("docs/a.md:2: 'nobody': use 'no client' (name who acts)\n", out)
        self.assertIn("docs: 1 findings, 0 allowed\n", out)

    def test_a_folder_has_at_most_the_allowed_number(self):
        files = {"docs/a.md": f"{BAD}\n", "docs/b.md": f"{BAD}\n", "tb/a.cpp": "// fine\n"}
        self.assertEqual(1, self.run_program(files, allowed=1)[0])
        self.assertEqual(0, self.run_program(files, allowed=2)[0])
        status, out = self.run_program(files, allowed=3)
        self.assertEqual(0, status)
        self.assertIn("lower the number", out)
        self.assertEqual(1, self.run_program({**files, "tb/a.cpp": f"// {BAD}\n"}, allowed=3)[0])

    def test_given_paths_are_checked_without_the_allowed_number(self):
        files = {"docs/a.md": f"{BAD}\n", "docs/b.md": "fine\n"}
        self.assertEqual(1, self.run_program(files, "docs/a.md", allowed=3)[0])
        self.assertEqual(0, self.run_program(files, "docs/b.md", allowed=3)[0])

    def test_folders_that_are_left_out(self):
        more = '[[skip]]\npath = "*/vendor/*"\nwhy = "copied"\n'
        self.assertEqual(0, self.run_program({"docs/vendor/a.md": f"{BAD}\n"}, more=more)[0])
        status, out = self.run_program({"docs/a.md": "fine\n"}, more=more)
        self.assertEqual(1, status)
        self.assertIn("no tracked file matches", out)

    def test_mistakes_in_the_list(self):
        for more in ('[[word]]\nfind = "("\nuse = ""\nwhy = ""\nbad = ""\n', '[[word]]\nfind = "a"\n', "["):
            self.assertEqual(2, self.run_program({"a.md": "fine\n"}, more=more)[0])

    def test_without_git(self):
        self.assertEqual(77, self.run_program({})[0])


if __name__ == "__main__":
    unittest.main()
