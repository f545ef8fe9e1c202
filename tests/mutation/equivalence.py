# SPDX-License-Identifier: Apache-2.0
"""Tries to prove that a mutant makes no difference, whatever the inputs of its module are.

Yosys compares the module with and without the fault: registers of one name are assumed equal before
some clocks and must be equal after them, as must all outputs. The modules inside are left out, then
what they are given must be equal; or else are taken apart too.
"""
import os
import subprocess
import tempfile

LIMIT_SECONDS = 120

SCRIPT = """
read_rtlil {design}
hierarchy -top {module}
setattr -mod -unset top {module}
rename {module} gold
copy gold gate
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


def prove(directory, fault, yosys="yosys"):
    """Whether the mutant `fault` of mutants.json, made in `directory`, was proved equivalent."""
    module = fault["command"].split(" -module ")[1].split()[0]
    mutate = fault["command"].replace(f"-module {module} ", "-module gate ")
    for flatten in ("", "flatten gold gate"):
        script = SCRIPT.format(design=os.path.join(directory, "mutants.il"), module=module,
                               mutate=mutate, flatten=flatten)
        with tempfile.NamedTemporaryFile("w", suffix=".ys") as file:
            file.write(script)
            file.flush()
            try:
                done = subprocess.run([yosys, "-q", "-s", file.name], capture_output=True,
                                      text=True, timeout=LIMIT_SECONDS, check=False)
            except subprocess.TimeoutExpired:
                continue
        if done.returncode == 0:
            return True
    return False
