#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the order of the code's folders ("rooms"): each includes and links only folders below it, and its names are in
the namespace of the folder.

A source file includes headers by their path from the project's root; its target links the libraries of their folders.
Folders below the platform do not include SystemC. Guest software (firmware, the Linux module, library and programs)
links no libraries of the host; it includes bare names, and only folders for guests. No files include each other in a
circle. Files in model/X, tb/X, sw/X and model/platform/X declare names in namespace mxe::X; tests
in mxe::test or in the namespace of a room. Prints one line for each violation; exit status 1 if there are any.

    rooms.py --root DIR --links FILE [--absent ROOM]... ROOM...

FILE has a line for each target: its room, its name, and the libraries that it links. Rooms that this build leaves out
are absent and need not be linked.
"""
import argparse
import graphlib
import pathlib
import posixpath
import re
import sys

# Folders whose headers have bare names, because the compilers of guests search them.
BARE = ("sw/driver", "model/regs/generated")
BARE_IN_GUESTS = (*BARE, "model/platform/soc/generated", "sw/firmware/runtime", "sw/firmware/attention",
                  "sw/firmware/digits", "sw/linux/include", "sw/linux/lib")
GUESTS = re.compile(r"sw/(firmware|linux)\b")
FIRST_WITH_SYSTEMC = "model/platform"
WITHOUT_SYSTEMC = {"sw/python", "sw/arrays", "sw/digits", "sw/explore", "sw/report"}  # although they are above it
# Rooms whose namespace does not have their name.
NAMESPACES = {
    "model/regs": "mxe",           # words that all rooms use: registers,
    "model/params": "mxe",         # parameters,
    "model/numerics/base": "mxe",  # errors, bits, random numbers
    "model/platform/linux": "mxe::guest",  # in GNU dialects of C++ `linux` is a macro
    "sw/mxe": "mxe::cli",          # the command line: mxe::mxe would say nothing
    "sw/python/onnxruntime": "mxe::onnxruntime",  # the operators for onnxruntime
}
SOURCES = {".h", ".c", ".cpp", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
# A namespace, and the first character after the forward declarations at its beginning.
NAMESPACE = re.compile(r"^\s*(?:inline\s+)?namespace\s+([\w:]+)\s*{\s*(?:(?:class|struct)\s+\w+;\s*)*(.)", re.MULTILINE)
SYSTEMC = re.compile(r"systemc|sysc/|tlm")


def room_of(path, rooms):
    """The innermost room of a path from the root, or None."""
    return max((room for room in rooms if path.startswith(room + "/")), key=len, default=None)


def read_includes(root, rooms):
    """(room, file, quoted, bracketed, found) of every include in a room. `found`: the path of a quoted header from the
    root, or None outside the project."""
    for room in rooms:
        for path in sorted((root / room).rglob("*")):
            relative = path.relative_to(root).as_posix()
            if path.suffix not in SOURCES or room_of(relative, rooms) != room:
                continue
            places = [relative.rpartition("/")[0], *BARE_IN_GUESTS] if GUESTS.match(room) else ["", *BARE]
            for quoted, bracketed in INCLUDE.findall(path.read_text(encoding="utf-8")):
                found = (posixpath.normpath(posixpath.join(place, quoted)) for place in places
                         if quoted and (root / place / quoted).is_file())
                yield room, relative, quoted, bracketed, next(found, None)


def circles(root, rooms):
    arrows = {}
    for _, file, _, _, found in read_includes(root, rooms):
        arrows.setdefault(file, set()).update({found} - {None})
    try:
        graphlib.TopologicalSorter(arrows).prepare()
    except graphlib.CycleError as error:
        yield f"files include each other: {', '.join(error.args[1])}"


def namespace_of(folder):
    parts = folder.split("/")
    for count in range(len(parts), 1, -1):
        if name := NAMESPACES.get("/".join(parts[:count])):
            return name
    inner = parts[:2] == ["model", "platform"] and len(parts) > 2
    return "mxe::" + parts[2 if inner else 1]


def strangers(root, rooms):
    of_tests = {"mxe::test", *map(namespace_of, rooms)} - {"mxe"}
    for top in [*rooms, "tests"]:
        for path in sorted((root / top).rglob("*")):
            file = path.relative_to(root).as_posix()
            if path.suffix not in SOURCES - {".c"} or room_of(file, [*rooms, "tests"]) != top:
                continue
            allowed = of_tests if top == "tests" else {namespace_of(path.parent.relative_to(root).as_posix())}
            nested = tuple(f"{name}::" for name in allowed if name != "mxe")
            for name, end in NAMESPACE.findall(path.read_text(encoding="utf-8")):
                if end != "}" and name not in allowed and not name.startswith(nested):
                    yield f"{file} opens namespace {name}; allowed: {', '.join(sorted(allowed))}"


def read_links(text):
    """{target: (room, [linked libraries])}."""
    targets = {}
    for line in text.splitlines():
        room, target, *libraries = line.split()
        names = [re.sub(r"^\$<LINK_ONLY:(.*)>$", r"\1", name) for name in libraries]
        targets[target] = (room, names)
    return targets


def reachable(target, targets):
    found, open_ones = set(), [target]
    while open_ones:
        for name in targets.get(open_ones.pop(), (None, []))[1]:
            if name in targets and name not in found:
                found.add(name)
                open_ones.append(name)
    return {targets[name][0] for name in found}


def breaches(root, rooms, links, absent=()):
    rank = {room: index for index, room in enumerate(rooms)}
    targets = read_links(links)
    homes = {room for room, _ in targets.values()} | set(absent)

    def home_of(room):
        """The folder whose targets are built from a room: itself or one around it."""
        return max((home for home in homes if f"{room}/".startswith(f"{home}/")), key=len, default=room)

    def top_of(home):
        return max(rank[room] for room in rooms if home_of(room) == home)

    linked = {}
    for target, (home, libraries) in targets.items():
        linked.setdefault(home, {home}).update(reachable(target, targets))
        for library in libraries:
            if library in targets and top_of(targets[library][0]) > top_of(home):
                yield f"{target} of {home} links {library} of {targets[library][0]}, which is above it"
    for room, file, quoted, bracketed, found in read_includes(root, rooms):
        if bracketed:
            if SYSTEMC.match(bracketed) and (room in WITHOUT_SYSTEMC or rank[room] < rank[FIRST_WITH_SYSTEMC]):
                yield f"{file} includes <{bracketed}>: {room} knows no SystemC"
            continue
        other = room_of(found or quoted, rooms)
        if not other:
            if (root / file).parent.joinpath(quoted).exists():
                yield f'{file} includes "{quoted}": say the path from the project\'s root'
            continue
        if rank[other] > rank[room]:
            yield f"{file} includes {quoted}, but {other} is above {room}"
        elif GUESTS.match(room):
            if not GUESTS.match(other) and not (found or quoted).startswith(tuple(f"{place}/" for place in BARE_IN_GUESTS)):
                yield f"{file} includes {quoted}: guests have no {other}"
        elif home_of(other) not in linked.get(home_of(room), {home_of(other)}) and home_of(other) not in absent:
            yield f"{file} includes {quoted}, but no target of {home_of(room)} links {home_of(other)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--links", type=pathlib.Path, required=True)
    parser.add_argument("--absent", action="append", default=[], help="a room that is not built")
    parser.add_argument("rooms", nargs="+", help="from the bottom up")
    args = parser.parse_args()
    found = [*breaches(args.root, args.rooms, args.links.read_text(encoding="utf-8"), args.absent),
             *circles(args.root, args.rooms),
             *strangers(args.root, args.rooms)]
    for line in found:
        print(line)
    print(f"{len(args.rooms)} rooms, {len(found)} arrows that point up, nowhere or in a circle, or namespaces of other folders")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
