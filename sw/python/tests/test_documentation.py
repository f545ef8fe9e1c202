# SPDX-License-Identifier: Apache-2.0
"""The examples of the pages about Python print what they show, and their packages are the project's."""
import doctest
import importlib.util
import os
import re
import sys

import pytest
from conftest import SOURCE

PAGES = [SOURCE / "docs/python.md", SOURCE / "docs/python-frameworks.md"]


def blocks_of(page):
    if not page.exists():
        pytest.skip(f"{page} is not there")
    sys.path.insert(0, str(SOURCE / "tests/documents"))
    import documents
    return documents.blocks_of(page.read_text(encoding="utf-8"))


def missing(page, block):
    lines = page.read_text(encoding="utf-8").splitlines()
    named = re.fullmatch(r"<!-- with: (\w+) -->", lines[block.line - 2])
    return [] if not named or importlib.util.find_spec(named[1]) else [named[1]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parser, runner, shared = doctest.DocTestParser(), doctest.DocTestRunner(), {}
    printed = []
    for block in blocks_of(page):
        if block.language == "pycon" and not missing(page, block):
            test = parser.get_doctest(block.text, shared, page.name, str(page), block.line)
            runner.run(test, out=printed.append, clear_globs=False)
            shared = test.globs
    assert runner.failures == 0, "".join(printed)
    assert runner.tries > {"python": 25, "python-frameworks": 3}[page.stem]  # without torch and onnx


def test_every_library_of_the_examples_is_there():
    if absent := [name for page in PAGES for block in blocks_of(page) for name in missing(page, block)]:
        pytest.skip("examples are not run, these are not installed: " + ", ".join(absent))


def test_every_block_is_run_or_a_command():
    assert {block.language for page in PAGES for block in blocks_of(page)} == {"sh", "pycon"}


def test_packages():
    line, = [line for block in blocks_of(PAGES[0]) if block.language == "sh" for line in block.text.splitlines()
             if line.startswith("apt-get")]
    setup = (SOURCE / "scripts/setup").read_text(encoding="utf-8")
    for package in line.split()[3:]:
        assert f"\n  {package} " in setup, package
    assert os.path.isdir(SOURCE / "sw/python")
