# SPDX-License-Identifier: Apache-2.0
"""Tries to prove that a mutant makes no difference.

Yosys puts two copies of a module side by side, one with the fault, and gives both the same inputs;
ABC proves that no output ever differs, whatever the inputs are: it looks for registers that are
always equal (scorr), then for what else is true in every state that can be reached (pdr). Both
copies begin at zero, as after a reset.

Two things are assumed, of the copy without the fault: that its surroundings keep their promises
(MXE_REQUIRE), and that it keeps its own (MXE_ASSERT). The simulation asserts both all the time,
tests/formal proves many. What sees the same outputs behaves the same, so the copy with the fault
meets the same surroundings.

The modules tried are, one after the other, the mutated one, what stands around it, up to the whole
engine. Modules inside that have nothing to do with the fault may be left out: what they are given
must then be equal, what they give may be anything, but the same for both.
"""
import collections
import itertools
import os
import re
import subprocess
import tempfile

SCRIPT = """
read_rtlil {promises}
hierarchy -top {module}
{keep}
flatten
rename {module} gold
delete -output gold/f_*
write_rtlil gold.il
design -reset
read_rtlil {mutants}
{mutate}
hierarchy -top {module}
{keep}
flatten
rename {module} gate
write_rtlil gate.il
design -reset
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

# What is equal where the assumptions hold; then they become part of what is to be proved.
PROOF = "read_aiger miter.aig; scorr -c; fold; scorr; pdr -T 15"

LEFT_OUT = {"mxe_ram", "mxe_lane", "mxe_quad", "mxe_tree", "mxe_facc", "mxe_requant_lane"}


def source_name(module):
    """The name in the source: $paramod$<hash>\\mxe_fifo is mxe_fifo."""
    return re.search(r"mxe_\w+", module)[0]


class Design:
    """The engine of mutants.il and promises.il in `directory`, as make_mutants.py wrote them."""

    def __init__(self, directory, seconds=60):
        self.directory = os.path.abspath(directory)
        self.seconds = seconds
        with open(os.path.join(directory, "mutants.il"), encoding="utf-8") as file:
            texts = dict(re.findall(r"^module (\S+)\n(.*?^end\n)", file.read(), re.M | re.S))
        self.children = {m: set(re.findall(r"^  cell (\S*mxe_\S+) ", text, re.M)) & texts.keys()
                         for m, text in texts.items()}
        self.neighbours = neighbours(texts[r"\mxe_top"], self.children[r"\mxe_top"])

    def prove(self, fault, tries=None):
        """Where the mutant `fault` of mutants.json was proved to make no difference, or None. `tries`
        limits how much around the mutated module is tried; that may take minutes."""
        words = fault["command"].split()
        module = words[words.index("-module") + 1]
        if module not in self.children:
            module = "\\" + module
        mutate = fault["command"].replace(f"-module {module[1:]} ", f"-module {module} ")
        for places in itertools.islice(self.attempts(module), tries):
            if all(self.is_equal(place, kept, mutate) for place, kept in places):
                return " and ".join(sorted({source_name(place) for place, _ in places}))
        return None

    def attempts(self, module):
        """What to try: lists of places, each with the modules inside that are not left out. All
        places of a list together prove it."""
        yield [(module, self.inside(module))]
        places, kept = {module}, self.inside(module)
        while places := {p for m in places for p in self.children if m in self.children[p]}:
            kept = kept | places
            yield [(place, kept) for place in sorted(places)]
            if r"\mxe_top" in places:
                break
        blocks = kept & self.children[r"\mxe_top"]
        around = blocks.union(*(self.neighbours[b] for b in blocks))
        yield [(r"\mxe_top", kept.union(*(self.inside(b) for b in around)))]

    def inside(self, module):
        """The module and all in it but for memories and arithmetic, which may as well be left out."""
        inner = {c for c in self.children[module] if source_name(c) not in LEFT_OUT}
        return {module}.union(*(self.inside(child) for child in inner))

    def is_equal(self, place, kept, mutate):
        """Whether the outputs of `place` were proved equal with and without the fault."""
        left_out = [m for m in self.children if m not in kept and m != place]
        script = SCRIPT.format(
            promises=os.path.join(self.directory, "promises.il"),
            mutants=os.path.join(self.directory, "mutants.il"), module=place, mutate=mutate,
            keep="\n".join(f"setattr -mod -set keep_hierarchy 1 {m}" for m in left_out),
            expose="expose -shared -evert gold/t:*mxe_* gate/t:*mxe_*" if left_out else "")
        with tempfile.TemporaryDirectory() as directory:
            with open(os.path.join(directory, "miter.ys"), "w", encoding="utf-8") as file:
                file.write(script)

            def run(*command):
                done = subprocess.run(command, cwd=directory, capture_output=True, text=True,
                                      timeout=self.seconds, check=False)
                return done.stdout if done.returncode == 0 else ""
            try:
                run("yosys", "-q", "miter.ys")
                return "Property proved" in run("yosys-abc", "-c", PROOF)
            except subprocess.TimeoutExpired:
                return False


def neighbours(top, blocks):
    """Which blocks of the engine are connected, directly or through gates, by more than the signals
    that go to many."""
    cells = re.findall(r"^  cell (\S+) \S+\n(.*?)^  end\n", top, re.M | re.S)
    wires = {b: set() for b in blocks}
    gates = {}  # what each gate's output is made of
    for cell, text in cells:
        ports = {name: set(re.findall(r"[\\$]\S+", signal))
                 for name, signal in re.findall(r"^    connect (\S+) (.*)$", text, re.M)}
        if cell in blocks:
            wires[cell] |= set().union(*ports.values())
        else:
            for output in ports.get(r"\Y", ()):
                gates[output] = set().union(*ports.values())
    for _ in range(4):
        for signals in wires.values():
            signals |= set().union(*(gates.get(s, set()) for s in signals))
    users = collections.Counter(s for signals in wires.values() for s in signals)
    few = {b: {s for s in signals if users[s] <= 3} for b, signals in wires.items()}
    return {b: {o for o in blocks if few[b] & few[o]} for b in blocks}
