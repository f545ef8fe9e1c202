# SPDX-License-Identifier: Apache-2.0
"""Plants the faults of faults.json in a copy of the driver; the module's parameter `plant` selects one."""
import json
import pathlib
import sys

DECLARATION = "\nextern unsigned int mxa_plant;\n"
PARAMETER = """
#include <linux/delay.h>
unsigned int mxa_plant;
module_param_named(plant, mxa_plant, uint, 0600);
"""


def plant(source: pathlib.Path, target: pathlib.Path):
    faults = json.loads(pathlib.Path(__file__).with_name("faults.json").read_text(encoding="utf-8"))
    texts = {}
    for fault in faults:
        name = fault["file"]
        text = texts.get(name) or (source / name).read_text(encoding="utf-8")
        if text.count(fault["correct"]) != 1:
            raise SystemExit(f"fault {fault['number']}: '{fault['correct']}' must occur exactly once in {name}")
        texts[name] = text.replace(fault["correct"], fault["faulty"].replace("ACTIVE", f"(mxa_plant == {fault['number']})"))
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        (target / path.name).unlink(missing_ok=True)
        if path.name not in texts and path.name != "mxa.h":
            (target / path.name).symlink_to(path.resolve())
    for name, text in texts.items():
        extra = PARAMETER if name == "mxa_engine.c" else ""
        head, rest = text.split('#include "mxa.h"\n', 1)
        (target / name).write_text(head + '#include "mxa.h"\n' + extra + rest, encoding="utf-8")
    (target / "mxa.h").write_text((source / "mxa.h").read_text(encoding="utf-8").replace("enum mxa_operand {", DECLARATION + "enum mxa_operand {"), encoding="utf-8")


if __name__ == "__main__":
    plant(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
