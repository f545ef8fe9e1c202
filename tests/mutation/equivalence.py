# SPDX-License-Identifier: Apache-2.0
"""Tries to prove that a mutant is equivalent to the original.

Yosys connects the same inputs to two copies of a module, one with the fault. ABC proves that the outputs never differ:
it finds registers that are always equal (scorr), then invariants of all reachable states (pdr). Both copies start at
zero, as after a reset.

Assumed of the copy without the fault: its surroundings meet their obligations (MXE_REQUIRE), and it meets its own
(MXE_ASSERT). The simulation asserts both, and tests/formal proves many. Surroundings that receive the same outputs
behave the same, so the other copy has the same surroundings.

The proof is tried on the mutated module, then on the modules around it, up to the engine. Inner modules without the
fault may be left out: then their inputs must be equal, except for unused bits (unused_bits.py), and their outputs may
have any values, the same for both copies.
"""
import itertools
import os
import re
import subprocess
import tempfile

import unused_bits
from make_mutants import TOP, read, source_name, write

TOP_MODULE = "\\" + TOP
MUTATE = """
read_rtlil {mutants}
{mutate}
write_rtlil mutated.il
"""
SIDES = """
read_rtlil {designs}/promises.il
hierarchy -top {module}
{keep}
flatten
rename {module} gold
delete -output gold/f_*
write_rtlil gold.il
design -reset
read_rtlil {designs}/mutated.il
hierarchy -top {module}
{keep}
flatten
rename {module} gate
write_rtlil gate.il
"""
MITER = """
read_rtlil gold.il
chformal -assert2assume gold
read_rtlil -overwrite gate.il
{expose}
miter -equiv -make_assert -flatten gold gate miter
hierarchy -top miter
flatten
delete -output miter/trigger
memory -nordff -nomap
memory_map
async2sync
chformal -early
dffunmap
setundef -zero -undriven -init
opt -fast
techmap
opt -fast
dffunmap
simplemap
setundef -zero
aigmap
opt_clean -purge
write_aiger miter.aig
"""

# scorr and pdr with the assumptions, which `fold` then makes a part of the property.
PROOF = "read_aiger miter.aig; scorr -c; fold; scorr; pdr -T 15"

MEMORIES = {"mxe_ram"}
ARITHMETIC = {"mxe_lane", "mxe_quad", "mxe_tree", "mxe_facc", "mxe_narrow", "mxe_requant_lane"}


class Design:
    """Reads mutants.il and promises.il in `directory`, which make_mutants.py wrote."""

    def __init__(self, directory, seconds=60):
        self.mutants = os.path.abspath(os.path.join(directory, "mutants.il"))
        self.promises = read(directory, "promises.il")
        self.seconds = seconds
        text = read(self.mutants)
        self.unused = unused_bits.common(unused_bits.find(text), unused_bits.find(self.promises))
        texts = dict(unused_bits.MODULE.findall(text))
        self.children = {m: set(re.findall(r"^  cell (\S*mxe_\S+) ", text, re.MULTILINE)) & texts.keys()
                         for m, text in texts.items()}

    def prove(self, fault, tries=None):
        """Returns the place where mutant `fault` of mutants.json was proved equivalent, or None after at most `tries`
        attempts, which may take minutes."""
        words = fault["command"].split()
        module = words[words.index("-module") + 1]
        if module not in self.children:
            module = "\\" + module
        mutate = fault["command"].replace(f"-module {module[1:]} ", f"-module {module} ")
        with tempfile.TemporaryDirectory() as designs:
            self.write_designs(designs, mutate)
            for places in itertools.islice(self.attempts(module), tries):
                if all(self.is_equal(designs, place, kept) for place, kept in places):
                    return " and ".join(sorted({source_name(place) for place, _ in places}))
        return None

    def write_designs(self, directory, mutate):
        write(os.path.join(directory, "mutate.ys"), MUTATE.format(mutants=self.mutants, mutate=mutate))
        subprocess.run(["yosys", "-q", "mutate.ys"], cwd=directory, check=True)
        mutated = read(directory, "mutated.il")
        unused = unused_bits.common(self.unused, unused_bits.find(mutated))
        for name, text in (("mutated.il", mutated), ("promises.il", self.promises)):
            write(os.path.join(directory, name), unused_bits.tie(text, unused))

    def attempts(self, module):
        """Yields attempts, those that keep little first: lists of (place, inner modules to keep). All places of an
        attempt must be proved."""
        without_memories = self.inside(module, MEMORIES | ARITHMETIC)
        with_memories = self.inside(module, ARITHMETIC)
        for kept in dict.fromkeys(map(frozenset, ({module}, without_memories, with_memories))):
            yield from self.outwards(module, kept)
        if around := self.around(module):
            yield [(place, self.inside(place, MEMORIES | ARITHMETIC) | {module}) for place in sorted(around)]

    def outwards(self, module, kept):
        """Yields the module, then its surroundings, up to the engine."""
        places = {module}
        while places:
            yield [(place, kept) for place in sorted(places)]
            if TOP_MODULE in places:
                break
            places = {place for m in places for place in self.around(m)}
            kept = kept | places
            # A place that is only used inside other places needs no separate proof.
            places = {m for m in places if m == TOP_MODULE or not self.around(m) <= places}

    def around(self, module):
        return {place for place, children in self.children.items() if module in children}

    def inside(self, module, left_out):
        """The module and its inner modules, except for those that can be left out."""
        inner = {c for c in self.children[module] if source_name(c) not in left_out}
        return {module}.union(*(self.inside(child, left_out) for child in inner))

    def is_equal(self, designs, place, kept):
        """True if the outputs of `place` were proved equal in both `designs`."""
        left_out = [m for m in self.children if m not in kept and m != place]
        sides = SIDES.format(
            designs=designs, module=place,
            keep="\n".join(f"setattr -mod -set keep_hierarchy 1 {m}" for m in left_out))
        miter = MITER.format(
            expose="expose -shared -evert gold/t:*mxe_* gate/t:*mxe_*" if left_out else "")
        with tempfile.TemporaryDirectory() as directory:
            write(os.path.join(directory, "sides.ys"), sides)
            write(os.path.join(directory, "miter.ys"), miter)

            def run(*command):
                done = subprocess.run(command, cwd=directory, capture_output=True, text=True,
                                      timeout=self.seconds, check=False)
                return done.stdout if done.returncode == 0 else ""
            try:
                run("yosys", "-q", "sides.ys")
                run("yosys", "-q", "miter.ys")
                return "Property proved" in run("yosys-abc", "-c", PROOF)
            except subprocess.TimeoutExpired:
                return False
