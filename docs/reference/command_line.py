#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/command-line.md from the help of each subcommand.

  docs/reference/command_line.py build/mxe           writes the page
  docs/reference/command_line.py build/mxe --check   compares it; exit status 1 if a section differs

Sections of subcommands whose program is not built (mxe cosim: build/mxe-cosim) stay as they are.
"""
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent / "command-line.md"
HEAD = """# Command line

For everybody who runs `mxe`. After this page you know each subcommand and each option. The text is that of
`mxe COMMAND --help`; `docs/reference/command_line.py` writes this page.

Exit status:

- 0: success
- 1: a comparison failed
- 2: bad input, with one line on stderr that names the problem and the allowed values. Or the output could not be
  written, for example to a full disk or a closed pipe

`mxe run` and `mxe linux` return the exit code of the program that they run. `--json` prints one JSON object on stdout.
"""
COLUMN = 30  # of descriptions; one of a long option begins on the next line


def help_of(mxe, *words):
    """The help of a subcommand; None if its program is not built. Any other failure ends this script."""
    done = subprocess.run([mxe, *words, "--help"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout.replace(str(mxe.parent), "build")
    if "is not built" in done.stderr:
        return None
    sys.exit(f"{' '.join(words)} --help ends with status {done.returncode}: {done.stderr.strip()}")


def subcommands(mxe):
    """(name, description) of each subcommand."""
    lines = help_of(mxe).partition("\nSubcommands:\n")[2].splitlines()
    return [tuple(line.split(None, 1)) for line in lines if line.strip()]


def cell(text, prose=True):
    """The text for a cell of a table; as prose, it contains no marks of Markdown."""
    text = text.replace("|", "\\|")
    return text.replace("*", "\\*").replace("<", "&lt;") if prose else text


def table(lines):
    """The entries of a part of the help as a table."""
    rows = []
    for line, following in zip(lines, [*lines[1:], ""]):
        if not line[:COLUMN].strip():
            continue
        if following and not following[:COLUMN].strip():
            rows.append([line.strip(), following.strip()])
        else:
            rows.append([line[:COLUMN].strip(), line[COLUMN:].strip()])
    return ["| option | meaning |", "|---|---|"] + [f"| `{cell(name, False)}` | {cell(text)} |" for name, text in rows]


def section(name, description, text):
    """The help of a subcommand as Markdown."""
    lines = [f"## {name}", "", description + ".", ""]
    for part in filter(str.strip, text.split("\n\n")):
        title, *rest = part.strip("\n").splitlines()
        if found := re.search(r"^Usage: .*$", part, re.MULTILINE):
            lines += ["```", found[0].removeprefix("Usage: "), "```", ""]
        elif title.endswith(":"):
            lines += table(rest) + [""]
        else:
            lines += ["```", *[title, *rest], "```", ""]
    return "\n".join(lines)


def sections_of(page):
    """The present sections, by their names."""
    parts = re.split(r"^(?=## )", page, flags=re.MULTILINE)[1:]
    return {part.split("\n", 1)[0].removeprefix("## "): part for part in parts}


def main():
    mxe = pathlib.Path(sys.argv[1]).resolve()
    present = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    old = sections_of(present)
    new = {}
    for name, description in subcommands(mxe):
        text = help_of(mxe, name)
        new[name] = section(name, description, text) if text else old.get(name, "")
    page = HEAD + "\n" + "\n".join(text.rstrip("\n") + "\n" for text in new.values())
    if sys.argv[2:] != ["--check"]:
        PAGE.write_text(page, encoding="utf-8")
        return 0
    if page != present:
        differ = [name for name in new | old if new.get(name, "").strip() != old.get(name, "").strip()] or ["the head"]
        print(f"{PAGE}: differs from the help of mxe: {', '.join(differ)}; docs/reference/command_line.py writes it",
              file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
