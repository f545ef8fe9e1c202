#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No output of mxe_top depends on an input in the same cycle: Yosys finds no path through logic alone. It does find one
after an output has been connected to an input. All registers use the rising edge of the clock, and there are no latches.
"""
import os
import re
import sys
import tempfile

from elaborated import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from area_flow import elaborate, yosys

SMALLEST = {"NUM_PE": 1, "ROWS": 8, "ACC_TILES": 1, "A_SLAB_K": 32, "B_BUF_K": 32, "MEM_W": 64}
INPUTS = "select -set inputs i:* i:clk_i %d i:rst_ni %d"


OTHERS = ["log OTHERS", "select -list t:$*latch* t:$*dff* r:CLK_POLARITY=1'0 %i %u"]
# A module with a latch and a register of the falling edge.
WRONG = """module wrong(input logic clk_i, input logic d_i, output logic [2:0] q_o);
  always_ff @(negedge clk_i) q_o[0] <= d_i;
  always_ff @(posedge clk_i) q_o[1] <= d_i;
  always_latch if (clk_i) q_o[2] = d_i;
endmodule
"""


def outputs(kind):
    """Lists the outputs that inputs reach: through all cells (co) or through logic without registers (coe)."""
    return [INPUTS, f"select -set reached @inputs %{kind}*", f"log OUTPUTS {kind}", "select -list @reached o:* %i"]


def names(listed):
    """The objects that `select -list` printed."""
    return re.findall(r"^\w+/(\S+)$", listed, re.MULTILINE)


def main():
    plant = ["cd mxe_top", "connect -nounset -set m_wlast_o m_wready_i", "cd"]
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, "wrong.sv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(WRONG)
        log = yosys(work, "wrong", [f"read_verilog -sv {path}", "proc", *OTHERS])
        found_in_wrong = names(log.rpartition("OTHERS")[2])
        log = yosys(work, "paths", elaborate("mxe_top", SMALLEST) + ["proc", "flatten", "opt_clean"] + outputs("co") +
                    outputs("coe") + plant + outputs("coe") + OTHERS)
    parts = log.rpartition("OTHERS")[0].split("OUTPUTS co")[1:]
    reached, direct, planted = (names(part) for part in parts)
    wrong = [f"{name} depends on an input in the same cycle" for name in direct]
    wrong += [f"{name} is a latch, or uses the falling edge" for name in names(log.rpartition("OTHERS")[2])]
    if len(reached) < 20 or "m_rready_o" not in reached:
        wrong.append(f"inputs reach only {reached}: Yosys' selection has changed")
    if planted != ["m_wlast_o"]:
        wrong.append(f"after m_wlast_o was connected to m_wready_i: {planted} instead of m_wlast_o")
    if len(found_in_wrong) != 2:
        wrong.append(f"a latch and a register of the falling edge: found {found_in_wrong}")
    print("\n".join(wrong) or f"inputs reach {len(reached)} outputs, all of them through registers")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
