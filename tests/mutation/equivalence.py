# SPDX-License-Identifier: Apache-2.0
"""Tries to prove that a mutant makes no difference.

Yosys compares a module with and without the fault, whatever its inputs are: registers of one name
are assumed equal before some clocks and must be equal after them, as must all outputs. First the
mutated module is compared, the modules inside left out: what they are given must be equal. Then all
is taken apart to registers of one bit, and those that nothing depends on are removed. At last the
same is done with every module that the mutated one stands in.
"""
import os
import re
import subprocess
import tempfile

LIMIT_SECONDS = 60

SCRIPT = """
read_rtlil {design}
{mutate}
{flatten}
delete gold gate %u %n
cd gold
rename -hide w:* t:$*ff* %x:+[Q] w:* %i %d
cd ..
memory_map
async2sync
simplemap t:$dff t:$dffe t:$sdff t:$sdffe
splitnets
opt_clean -purge
equiv_make gold gate equiv
hierarchy -top equiv
clean -purge
equiv_struct -icells
equiv_simple
equiv_induct -seq 2
equiv_status -assert
"""


class Design:
    """The modules of mutants.il as text."""

    def __init__(self, directory):
        with open(os.path.join(directory, "mutants.il"), encoding="utf-8") as file:
            self.text = file.read().replace("attribute \\top 1\n", "")
        self.modules = dict(re.findall(r"^module (\S+)\n(.*?^end\n)", self.text, re.M | re.S))

    def parents(self, module):
        return [m for m, text in self.modules.items() if f"\n  cell {module} " in text]

    def pair(self, module, mutated=None):
        """The design and a module twice, gold and gate; in gate, `mutated` is called `unit`."""
        gate = self.modules[module]
        unit = ""
        if mutated:
            gate = gate.replace(f"\n  cell {mutated} ", "\n  cell \\unit ")
            unit = f"module \\unit\n{self.modules[mutated]}"
        return f"{self.text}\nmodule \\gold\n{self.modules[module]}module \\gate\n{gate}{unit}"


def attempt(yosys, design, command, place, flatten):
    """Whether gold and gate were proved equal, with the fault made in `place` of the design."""
    module = command.split(" -module ")[1].split()[0]
    mutate = command.replace(f"-module {module} ", f"-module {place} ")
    with tempfile.TemporaryDirectory() as directory:
        il, script = (os.path.join(directory, name) for name in ("design.il", "prove.ys"))
        with open(il, "w", encoding="utf-8") as file:
            file.write(design)
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT.format(design=il, mutate=mutate,
                                     flatten="flatten gold gate" if flatten else ""))
        try:
            done = subprocess.run([yosys, "-q", "-s", script], capture_output=True, text=True,
                                  timeout=LIMIT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def prove(directory, fault, yosys="yosys"):
    """Whether the mutant `fault` of mutants.json, made in `directory`, was proved equivalent."""
    design = Design(directory)
    command = fault["command"]
    module = command.split(" -module ")[1].split()[0]
    if module not in design.modules:
        module = "\\" + module
    for flatten in (False, True):
        if attempt(yosys, design.pair(module), command, "gate", flatten):
            return True
    parents = design.parents(module)
    return bool(parents) and all(
        attempt(yosys, design.pair(parent, module), command, "unit", True) for parent in parents)
