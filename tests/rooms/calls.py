#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the C files of a folder do not call each other in a cycle.

    calls.py FOLDER...

A file has an arrow to each other file that defines a function or variable whose name occurs in the first. Prints one
line for each folder with a cycle; exit status 1 if there are any.
"""
import graphlib
import pathlib
import re
import sys

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
# At the beginning of a line: a type, then the name of a function or of an initialised variable. A declaration ends with a semicolon.
DEFINITION = re.compile(r"^(?!static\b|extern\b|typedef\b)[a-z][\w *]*?\b(\w+)(?: = |\((?!.*;$))", re.MULTILINE)


def cycle_of(folder):
    """The names of the files of a cycle, the first one also at the end; empty without a cycle."""
    texts = {path.name: COMMENT.sub("", path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.c"))}
    definitions = {file: set(DEFINITION.findall(text)) for file, text in texts.items()}
    words = {file: set(re.findall(r"\w+", text)) for file, text in texts.items()}
    arrows = {file: {other for other in texts if other != file and words[file] & definitions[other]} for file in texts}
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def main():
    cycles = {folder: cycle_of(pathlib.Path(folder)) for folder in sys.argv[1:]}
    for folder, cycle in cycles.items():
        if cycle:
            print(f"{folder}: a cycle of calls: {', '.join(cycle)}")
    return 1 if any(cycles.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
