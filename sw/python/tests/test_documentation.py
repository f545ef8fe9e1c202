# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/python.md print what they show, and its packages are the project's."""
import doctest
import importlib.util
import os
import re
import sys

import pytest
from conftest import SOURCE

PAGE = SOURCE / "docs/python.md"


@pytest.fixture(scope="module")
def blocks():
    if not PAGE.exists():
        pytest.skip(f"{PAGE} is not there")
    sys.path.insert(0, str(SOURCE / "tests/documents"))
    from documents import blocks_of
    return blocks_of(PAGE.read_text(encoding="utf-8"))


def missing(block):
    """Libraries named in the comment before a block that are not installed."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    named = re.fullmatch(r"<!-- with: (\w+) -->", lines[block.line - 2])
    return [] if not named or importlib.util.find_spec(named[1]) else [named[1]]


def test_examples(blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parser, runner, shared = doctest.DocTestParser(), doctest.DocTestRunner(), {}
    printed = []
    for block in blocks:
        if block.language == "pycon" and not missing(block):
            test = parser.get_doctest(block.text, shared, PAGE.name, str(PAGE), block.line)
            runner.run(test, out=printed.append, clear_globs=False)
            shared = test.globs
    assert runner.failures == 0, "".join(printed)
    assert runner.tries > 25


def test_every_library_of_the_examples_is_there(blocks):
    if absent := [name for block in blocks for name in missing(block)]:
        pytest.skip("examples are not run, these are not installed: " + ", ".join(absent))


def test_every_block_is_run_or_a_command(blocks):
    assert {block.language for block in blocks} == {"sh", "pycon"}


def test_packages(blocks):
    """scripts/setup installs the packages of the documented command."""
    line, = [line for block in blocks if block.language == "sh" for line in block.text.splitlines()
             if line.startswith("apt-get")]
    setup = (SOURCE / "scripts/setup").read_text(encoding="utf-8")
    for package in line.split()[3:]:
        assert f"\n  {package} " in setup, package
    assert os.path.isdir(SOURCE / "sw/python")
