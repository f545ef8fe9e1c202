# SPDX-License-Identifier: Apache-2.0
"""The commands that scripts/demo suggests at its end work as written: runs those of `mxe`, looks for the target and the
script of the others.

    demo_suggestions.py BUILD NINJA
"""
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def suggested(text):
    """The commands: lines of the last text of the script with an indentation of two."""
    return re.findall(r"^  (\S.*)$", text.partition("Try next:")[2].partition("END")[0], re.MULTILINE)


def wrong(command, build, ninja):
    """A message if the command does not work, else an empty text."""
    words = shlex.split(command)
    if words[:3] == ["cmake", "--build", "build-demo"] and words[3:4] == ["--target"]:
        words = [ninja, "-C", build, "-t", "query", *words[4:]]
    elif words[0].startswith("build-demo/"):
        words[0] = words[0].replace("build-demo", build)
    elif words[0].startswith("scripts/"):
        words = ["test", "-x", str(ROOT / words[0])]
    else:
        return f"{command}: no command of build-demo or of scripts"
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError as error:
        return f"{command}: {error}"
    return f"{command}: {done.stdout}{done.stderr}" if done.returncode else ""


def main(build, ninja):
    commands = suggested((ROOT / "scripts/demo").read_text(encoding="utf-8"))
    if len(commands) != 3:
        sys.exit(f"{len(commands)} commands: {commands}; allowed: 3")
    for planted in ("cmake --build build-demo --target no_target", "build-demo/mxe estimate 8 8 --format-a none",
                    "build-demo/none", "scripts/none", "none"):
        if not wrong(planted, build, ninja):
            sys.exit(f"a planted fault was not found: {planted}")
    found = [message for message in (wrong(command, build, ninja) for command in commands) if message]
    print(*found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
