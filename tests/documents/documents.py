#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a document and compares the outputs that it shows.

Runs every ```sh block that calls a program of the build (build/mxe ...) or names a folder next to the project (../...),
in the order of the page, in one scratch folder that looks like the project's root. Other blocks belong to other tests.
A block without a language after a ```sh block shows its output, which must be the same except for seconds. Comments
before a block change this:

    <!-- run: COMMAND -->      the block is the output of COMMAND; a block in another language than sh is also
                               a file block.LANGUAGE, which COMMAND can read
    <!-- shorter: A => B -->   runs the block with B in every place of A, to save time; A is a regular
                               expression in which ^ and $ are the ends of a line
    <!-- not run: REASON -->   the block is not run

The paragraph or row after the comment `<!-- figures: COMMAND -->` contains each figure that COMMAND prints, one per line.

With --clone, the folder is a clone in which every ```sh block is run, and may build and change sources. With --update,
the page receives the current outputs. Exit status: 0, or 1 with a line for each wrong block; 77, which ctest reports as
skipped, if the command of --needs fails.
"""
import argparse
import dataclasses
import difflib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
TIMEOUT = 300  # seconds for a block
PROGRAM = re.compile(r"(^|[ (])(build/mxe|\.\./)", re.MULTILINE)
NOTE = re.compile(r"<!--\s*(run|shorter|not run|figures):\s*(.*?)\s*-->")


class Wrong(Exception):
    """A difference between a document and the program."""


class Differs(Wrong):
    """A shown output differs from the printed one."""

    def __init__(self, message, printed):
        super().__init__(message)
        self.printed = printed


@dataclasses.dataclass
class Block:
    """A fenced block, the line on which it begins, and the comments before it."""
    line: int
    language: str
    text: str
    notes: list
    follows: bool  # only comments and empty lines separate it from the block before

    def note(self, kind):
        return [text for name, text in self.notes if name == kind]


def blocks_of(page):
    blocks, notes, body, follows = [], [], None, False
    start, language = 0, ""
    paragraph = None
    for number, line in enumerate(page.splitlines(), 1):
        if not line.strip():
            paragraph = None
        if body is not None:
            if line == "```":
                blocks.append(Block(start, language, "".join(body), notes, follows))
                notes, body, follows = [], None, True
            else:
                body.append(line + "\n")
        elif line.startswith("```"):
            start, language, body = number, line[3:].strip(), []
        elif note := NOTE.fullmatch(line):
            notes.append(note.groups())
        elif line.strip() and any(name == "figures" for name, _ in notes):
            paragraph = Block(number, "figures", line + "\n", notes, False)
            blocks.append(paragraph)
            notes, follows = [], False
        elif line.strip():
            if paragraph:
                paragraph.text += line + "\n"
            notes, follows = [], False
    return blocks


def shortened(block):
    """The commands of a block, shortened. Throws Wrong if `shorter` replaces nothing."""
    text = block.text
    for note in block.note("shorter"):
        before, arrow, after = note.partition(" => ")
        text, count = re.subn(before, after, text, flags=re.MULTILINE)
        if not arrow or not count:
            raise Wrong(f"nothing to shorten by '{note}'")
    return text


def run(script, folder):
    """The standard output of the commands. Throws Wrong if one fails."""
    try:
        done = subprocess.run(["bash", "-euc", script], cwd=folder, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired as error:
        raise Wrong(f"takes more than {TIMEOUT} seconds:\n{script}") from error
    if done.returncode:
        raise Wrong(f"exit status {done.returncode}:\n{script}{done.stdout}{done.stderr}")
    return done.stdout


def comparable(text):
    """The lines of an output without seconds and trailing blanks, which vary."""
    text = re.sub(r"\b\d+(\.\d+)? s\b", "# s", text.strip())
    return [line.rstrip() for line in text.splitlines()]


def compare(shown, printed):
    lines = list(difflib.unified_diff(comparable(shown), comparable(printed), "shown", "printed",
                                      lineterm="", n=1))
    if lines:
        raise Differs("the output shown differs from the one printed:\n" + "\n".join(lines), printed)


class Document:
    """The blocks of a page, run in a folder; `everything`: also those of other tests."""

    def __init__(self, page, folder, everything=False):
        self.everything = everything
        self.page, self.blocks, self.folder = page, blocks_of(page), folder
        self.outputs = []  # (block, correct output) where they differ
        self.commands = 0
        self.printed = None  # output of the previous block, if it was run unchanged
        self.tables = {}

    def check(self):
        for block in self.blocks:
            try:
                self.check_block(block)
            except Differs as differs:
                self.outputs.append((block, differs.printed))
                yield f"{block.line}: {differs}"
            except Wrong as wrong:
                yield f"{block.line}: {wrong}"
        if not self.commands:
            yield "1: no block is run"

    def updated(self):
        lines = self.page.splitlines(keepends=True)
        for block, printed in reversed(self.outputs):
            text = [line.rstrip() + "\n" for line in printed.strip("\n").splitlines()]
            lines[block.line:block.line + block.text.count("\n")] = text
        return "".join(lines)

    def check_block(self, block):
        before, self.printed = self.printed if block.follows else None, None
        if block.note("not run"):
            return
        if commands := block.note("figures"):
            self.commands += 1
            for figure in run("\n".join(commands) + "\n", self.folder).split():
                if not re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d]|[.,]\d)", block.text):
                    raise Wrong(f"{figure} is not in this paragraph, but the command prints it")
        elif commands := block.note("run"):
            self.commands += 1
            (self.folder / f"block.{block.language}").write_text(block.text, encoding="utf-8")
            printed = run("\n".join(commands) + "\n", self.folder)
            if not block.language:
                compare(block.text, printed)
        elif block.language == "sh" and (self.everything or PROGRAM.search(block.text)):
            self.commands += 1
            printed = run(shortened(block), self.folder)
            self.printed = None if block.note("shorter") else printed
        elif not block.language and before is not None:
            compare(block.text, before)


def looks_like_root(folder, root, programs):
    """Creates links in `folder` to the files that commands use, so that new files stay there."""
    (folder / "build").mkdir()
    for program in programs:
        (folder / "build" / program.name).symlink_to(program.resolve())
    for name in ("model", "rtl", "sw", "tb", "tests", "scripts", "docs", ".venv"):
        (folder / name).symlink_to(root / name)


def looks_like_clone(folder, root):
    """Copies the files that Git tracks or would add, with a new repository and the project's Python packages."""
    def git(*words, where=folder):
        return subprocess.run(["git", *words], cwd=where, check=True, capture_output=True, text=True).stdout

    for name in git("ls-files", "--cached", "--others", "--exclude-standard", where=root).splitlines():
        if (root / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, folder / name)
    git("init", "--quiet")
    git("add", "--all")
    git("-c", "user.name=reader", "-c", "user.email=reader@localhost", "commit", "--quiet", "--message", "As it was")
    (folder / ".venv").symlink_to(root / ".venv")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("document", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, required=True, help="the project")
    parser.add_argument("--programs", type=pathlib.Path, nargs="*", default=[],
                        help="files and folders that the commands call build/NAME")
    parser.add_argument("--clone", action="store_true", help="run everything, in a copy of the project")
    parser.add_argument("--needs", help="skip unless this command succeeds in the project's root")
    parser.add_argument("--update", action="store_true", help="correct the outputs in the document")
    options = parser.parse_args()
    if options.needs and subprocess.run(["bash", "-c", options.needs], cwd=options.root, check=False).returncode:
        print(f"skipped, for this fails: {options.needs}")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="mxe_document_") as name:
        folder = pathlib.Path(name) / "mxe"
        folder.mkdir()
        if options.clone:
            looks_like_clone(folder, options.root.resolve())
        else:
            looks_like_root(folder, options.root.resolve(), options.programs)
        document = Document(options.document.read_text(encoding="utf-8"), folder, options.clone)
        wrong = list(document.check())
        if options.update:
            options.document.write_text(document.updated(), encoding="utf-8")
    for line in wrong:
        print(f"{options.document}:{line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
