#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks comments, docstrings, Markdown pages, and names in code against a list of words and patterns (words.toml).

    prose.py --root DIR [--words FILE] [PATH]...

Reads the tracked files but for [[skip]]; PATHs (files or folders below DIR) select findings. Prints findings as

    FILE:LINE: 'words': use '...' (reason)

An exception names its reason in the same line or in the line above, after the word "prose" and a colon:
in a comment, in Markdown <!-- in a comment of HTML -->. An exception without a finding is a finding itself.

Exit status 0 if no top folder has more findings than words.toml allows (with PATHs: any), 1 if one has more, 2 for a
mistake in words.toml, 77 if DIR is not a Git checkout.
"""
import argparse
import ast
import bisect
import collections
import fnmatch
import io
import pathlib
import re
import subprocess
import sys

import tomllib

BREAK = "\n\0\n"  # between two blocks: no pattern matches across it

C_TOKEN = re.compile(
    r'R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)"'  # raw string
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\[^'\n]*|[^'\\\n])'"
    r"|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL)
PYTHON_TOKEN = re.compile(
    r"""(?P<quote>"{3}|'{3})(?:\\.|.)*?(?P=quote)|(?P<comment>#[^\n]*)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""",
    re.DOTALL)
CMAKE_TOKEN = re.compile(
    r"(?P<comment>#\[(?P<hashes>=*)\[.*?\](?P=hashes)\]|#[^\n]*)"
    r'|"(?:\\.|[^"\\])*"|\[(?P<equals>=*)\[.*?\](?P=equals)\]|\\.', re.DOTALL)
# `$#`, `${name#prefix}` and words such as a#b are no comments.
HASH_TOKEN = re.compile(r"""(?P<comment>(?<![^\s;])#[^\n]*)|"(?:\\.|[^"\\])*"|'[^'\n]*'|\\.""", re.DOTALL)
DECORATION = re.compile(
    r"^\s*(?://[/!]?<?|/\*+<?|\*+(?!/)|#+!?|[rbuRBU]*(?:\"\"\"|'''))?\s*|\s*(?:\*+/|\"\"\"|''')\s*$")
CODE = re.compile(r"`+[^`\n]*`+|https?://\S+")
EXCEPTION = re.compile(r"(?<![\w/.`-])prose: *(?P<reason>\w[^\n]*?)\s*(?:-->|\*/|$)")
DIRECTIVE = re.compile(r"^(?:SPDX-|clang-format |NOLINT|shellcheck |!/)")
FENCE = re.compile(r"^\s*(?:>\s*)?(```+|~~~+)")
# Files by the syntax of their comments.
C_SUFFIXES = {".c", ".h", ".cpp", ".inc", ".S", ".sv", ".svh", ".vlt", ".rdl", ".js", ".css"}
CODE_SUFFIXES = {".c", ".h", ".cpp", ".inc", ".sv", ".svh"}
HASH_SUFFIXES = {".sh", ".yaml", ".yml", ".toml", ".config"}
HASH_NAMES = {"Makefile", "Kbuild", "Kconfig", ".gitignore", ".clang-format", ".clang-tidy", "run"}
SENTENCE = r"(?<![^\n ])(?<![^\0.!?:][\n ])"


class Mistake(Exception):
    """A mistake in words.toml."""


def pieces_of_tokens(text, token):
    """(line, raw text, whether it has the line for itself) of each comment that is a token of a language."""
    starts = [0] + [found.end() for found in re.finditer("\n", text)]
    for found in token.finditer(text):
        if found["comment"]:
            line = bisect.bisect(starts, found.start())
            yield line, found["comment"], not text[starts[line - 1]:found.start()].strip()


def pieces_of_python(text):
    """As pieces_of_tokens(), with docstrings."""
    yield from pieces_of_tokens(text, PYTHON_TOKEN)
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, "\n".join(lines[node.lineno - 1:node.end_lineno]), True


def pieces_of_markdown(text):
    """As pieces_of_tokens(), for each line outside of code blocks."""
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence):
                fence = None
        elif found:
            fence = found[1]
        else:
            yield number, line, True


def language_of(path, text):
    """The function that yields the pieces of prose of a file, or None for a file without prose."""
    suffix, name = pathlib.PurePosixPath(path).suffix, pathlib.PurePosixPath(path).name
    first = text[:text.find("\n")]
    if suffix == ".md":
        return pieces_of_markdown
    if suffix == ".py" or (first.startswith("#!") and "python" in first):
        return pieces_of_python
    if suffix in C_SUFFIXES:
        return lambda text: pieces_of_tokens(text, C_TOKEN)
    if suffix == ".cmake" or name == "CMakeLists.txt":
        return lambda text: pieces_of_tokens(text, CMAKE_TOKEN)
    if suffix in HASH_SUFFIXES or name in HASH_NAMES or first.startswith("#!"):
        return lambda text: pieces_of_tokens(text, HASH_TOKEN)
    return None


def prose_lines(path, text):
    """(line, words, whether the line continues the one before) of the prose in a file."""
    pieces = language_of(path, text)
    if not pieces:
        return
    markdown = path.endswith(".md")
    last, last_alone = -1, False
    for first, raw, alone in pieces(text):
        for number, line in enumerate(raw.split("\n"), first):
            if markdown:
                words = re.sub(r"^[\s>]*(?:[-*+]|\d+\.|\|)?\s*", "", line)  # a heading is no sentence
                continues = words == line.strip() and bool(words)
            else:
                words = DECORATION.sub("", line)
                continues = alone and (number > first or last_alone)
            yield number, words, continues and number == last + 1 and bool(words)
            last, last_alone = (number, alone) if words else (-1, False)


def blocks(path, text):
    """All prose of a file as one string, and for each of its lines (offset in the string, line)."""
    result, places = io.StringIO(), []
    for number, words, continues in prose_lines(path, text):
        if DIRECTIVE.match(words):
            continue
        result.write("\n" if continues else BREAK)
        places.append((result.tell(), number))
        result.write(EXCEPTION.sub("", CODE.sub("``", words)))
    return result.getvalue(), places


def code(path, text):
    """The code of a C, C++, SystemVerilog or Python file: comments and strings are blank, lines stay."""
    suffix = pathlib.PurePosixPath(path).suffix
    token = C_TOKEN if suffix in CODE_SUFFIXES else PYTHON_TOKEN if suffix == ".py" else None
    return token.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text) if token else ""


def exceptions(path, text):
    """{line: reason} of the exceptions in a file."""
    if "prose:" not in text:
        return {}
    return {number: found["reason"] for number, words, _ in prose_lines(path, text)
            if (found := EXCEPTION.search(CODE.sub("``", words)))}


class Word:
    def __init__(self, entry):
        unknown = entry.keys() - {"find", "starts", "use", "why", "bad", "good"}
        missing = {"use", "why", "bad"} - entry.keys()
        if unknown or missing or ("find" in entry) == ("starts" in entry):
            raise Mistake(f"{entry}: unknown {sorted(unknown)}, missing {sorted(missing)}; "
                          "each word has use, why, bad and either find or starts")
        self.use, self.why, self.bad, self.good = entry["use"], entry["why"], entry["bad"], entry.get("good", [])
        pattern = entry.get("find") or entry["starts"]
        source = r"\b(?:" + pattern.replace(" ", r"\s+") + r")(?![\w-])"
        self.starts = "starts" in entry
        self.expression = re.compile(SENTENCE + source if self.starts else source)

    def find(self, prose, lower):
        """The matches in a text, given also in lower case."""
        for found in self.expression.finditer(prose if self.starts else lower):
            if prose[found.start() - 1:found.start()] != "-":
                yield found


class Words:
    def __init__(self, data):
        self.words = [Word(entry) for entry in data["word"]]
        self.names = [Word(entry) for entry in data.get("name", [])]
        self.skipped = {entry["path"]: entry["why"] for entry in data.get("skip", [])}
        self.allowed = data.get("allowed", {})

    def skips(self, path):
        return [pattern for pattern in self.skipped if fnmatch.fnmatchcase(path, pattern)]

    def findings(self, path, text):
        prose, places = blocks(path, text)
        offsets = [offset for offset, _ in places]
        lower = prose.lower()
        excepted = exceptions(path, text)
        used = set()
        for word in self.words:
            for found in word.find(prose, lower):
                ends = {places[bisect.bisect(offsets, at) - 1][1] for at in (found.start(), found.end() - 1)}
                reasons = {line for end in ends for line in (end - 1, end)} & excepted.keys()
                used |= reasons
                if not reasons:
                    words = " ".join(prose[found.start():found.end()].split())
                    yield min(ends), f"'{words}': use '{word.use}' ({word.why})"
        for name in self.names:
            source = code(path, text) if name.expression.search(text) else ""
            for found in name.expression.finditer(source):
                line = source.count("\n", 0, found.start()) + 1
                reasons = {line - 1, line} & excepted.keys()
                used |= reasons
                if not reasons:
                    yield line, f"name '{found[0]}': use '{name.use}' ({name.why})"
        for line in sorted(excepted.keys() - used):
            yield line, f"'prose: {excepted[line]}': use '' (no finding here needs this exception)"


def tracked(root):
    done = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z"],
                          capture_output=True, check=False)
    if done.returncode != 0:
        print(f"prose: {root} is not a Git checkout: {done.stderr.decode(errors='replace').strip()}", file=sys.stderr)
        sys.exit(77)
    return [name for name in done.stdout.decode().split("\0") if name]


def check(root, names, words):
    """(file, line, message) of every finding; entries of [[skip]] that match no file are findings."""
    unused = set(words.skipped)
    for name in names:
        skips = words.skips(name)
        unused.difference_update(skips)
        if skips or not (root / name).is_file():
            continue
        try:
            text = (root / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        try:
            found = sorted(words.findings(name, text))
        except SyntaxError:
            continue  # no Python: its own tests say so
        for line, message in found:
            yield name, line, message
    for pattern in sorted(unused):
        yield "tests/prose/words.toml", 0, f"'{pattern}': use '' (no tracked file matches this path of [[skip]])"


def top_folder(name):
    return name.partition("/")[0] if "/" in name else "."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True, help="the project")
    parser.add_argument("--words", type=pathlib.Path, default=pathlib.Path(__file__).with_name("words.toml"),
                        help="list of words (default: words.toml beside this script)")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files or folders to read (default: all)")
    args = parser.parse_args()
    root = args.root.resolve()
    try:
        words = Words(tomllib.loads(args.words.read_text(encoding="utf-8")))
    except (Mistake, tomllib.TOMLDecodeError, re.error, OSError) as error:
        print(f"{args.words}: {error}", file=sys.stderr)
        return 2
    names = tracked(root)
    found = list(check(root, names, words))
    if args.paths:
        wanted = [path.rstrip("/") for path in args.paths]
        found = [one for one in found if any(one[0] == path or one[0].startswith(path + "/") for path in wanted)]
    count = collections.Counter(top_folder(name) for name, _, _ in found)
    more = [folder for folder in count if args.paths or count[folder] > words.allowed.get(folder, 0)]
    for name, line, message in found:
        if top_folder(name) in more:
            print(f"{name}:{line}: {message}")
    if not args.paths:
        for folder in sorted(count.keys() | words.allowed.keys()):
            allowed = words.allowed.get(folder, 0)
            if count[folder] > allowed:
                print(f"{folder}: {count[folder]} findings, {allowed} allowed")
            elif count[folder] < allowed:
                print(f"{folder}: {count[folder]} findings, {allowed} allowed: "
                      f"lower the number in tests/prose/words.toml to {count[folder]}")
    print(f"{len(words.words) + len(words.names)} patterns, {len(names)} files, {sum(count.values())} findings")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
