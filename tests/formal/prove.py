#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves a module's MXE_ASSERTs for unlimited time with Yosys' SAT solver (temporal induction).

The module's MXE_REQUIREs are assumed; those of inner modules are proven, too, unless an option names them. With
--fault, the module is changed first, and the proof must fail with a counterexample that starts at reset.
"""
import argparse
import os
import subprocess
import sys
import tempfile


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--yosys", default="yosys")
    parser.add_argument("--include", required=True, help="directory of mxe_assert.svh")
    parser.add_argument("--module", required=True)
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--steps", type=int, default=1, help="longest induction to try; with --fault: cycles after reset")
    parser.add_argument("--passed-through", action="append", default=[], metavar="NAME",
                        help="requirement of an inner module that the module's own inputs meet")
    parser.add_argument("--proven", action="append", default=[], metavar="MODULE",
                        help="inner module whose promises its own proof has shown: assumed here")
    parser.add_argument("--free", action="append", default=[], metavar="MODULE",
                        help="inner module whose outputs may be anything")
    parser.add_argument("--not-proven", action="append", default=[], metavar="NAME",
                        help="promise, or inner requirement, left to simulation")
    parser.add_argument("--fault", nargs=2, metavar=("CORRECT", "FAULTY"))
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("sources", nargs="+")
    return parser.parse_args()


def plant(sources, module, fault, directory):
    correct, faulty = fault
    [path] = [s for s in sources if os.path.basename(s) == module + ".sv"]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(correct) != 1:
        sys.exit(f"prove.py: '{correct}' must occur exactly once in {path}")
    copy = os.path.join(directory, module + ".sv")
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace(correct, faulty))
    return [copy if s == path else s for s in sources]


def script(args, sources):
    top = args.module
    # Only the module's contents are elaborated. Packages are read at once, and so is the module, because its
    # parameters cannot be set otherwise.
    read = f"read_verilog -formal -sv -I{args.include}"
    at_once = [s for s in sources if s.endswith("_pkg.sv") or os.path.basename(s) == top + ".sv"]
    others = [s for s in sources if s not in at_once]
    lines = [f"{read} {' '.join(at_once)}", f"{read} -defer {' '.join(others)}"]
    for parameter in args.parameter:
        name, value = parameter.split("=")
        lines.append(f"chparam -set {name} {value} {top}")
    lines += [f"hierarchy -check -top {top}", "proc", f"rename -top {top}"]
    kept = "".join(f" c:{name} %d" for name in args.passed_through)
    # The requirements of inner modules are proven; the assertions of modules named by --proven are assumed.
    lines.append(f"select -set inner t:$assume {top}/t:$assume %d{kept}")
    for module in args.proven:
        lines.append(f"chformal -assert -assert2assume *{module}/t:$assert")
    lines.append("chformal -assume -assume2assert @inner")
    for module in args.free:
        lines.append(f"delete */t:*{module}*")
    for name in args.not_proven:
        lines += [f"select -assert-count 1 */c:{name}", f"delete */c:{name}"]
    lines += ["flatten", "memory -nordff -nomap", "memory_map", "async2sync", "chformal -early",
              "opt -fast -keepdc", "dffunmap", "opt_clean", "select -assert-min 1 t:$assert",
              "sat -verify -set-assumes -prove-asserts "
              f"-tempinduct{'-baseonly' if args.fault else ''} -maxsteps {args.steps}"]
    return "\n".join(lines) + "\n"


def main():
    args = arguments()
    with tempfile.TemporaryDirectory() as directory:
        sources = args.sources
        if args.fault:
            sources = plant(sources, args.module, args.fault, directory)
        path = os.path.join(directory, "prove.ys")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script(args, sources))
        run = subprocess.run([args.yosys, "-s", path], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=args.seconds,
                             check=False)
    if args.fault:
        failed = "Called with -verify and proof did fail!" in run.stdout
        print("the fault is found" if failed else run.stdout[-3000:])
        sys.exit(0 if failed else 1)
    proven = run.returncode == 0 and "Induction step proven: SUCCESS!" in run.stdout
    print("proven" if proven else run.stdout[-8000:])
    sys.exit(0 if proven else 1)


if __name__ == "__main__":
    main()
