// SPDX-License-Identifier: Apache-2.0
// One promise, checked on every clock outside reset. Simulation and formal see an immediate
// assertion; synthesis sees nothing. The including module has clk_i and rst_ni.
`ifndef MXE_ASSERT_SVH
`define MXE_ASSERT_SVH
`ifdef SYNTHESIS
`define MXE_ASSERT(name, cond)
`else
`define MXE_ASSERT(name, cond) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) name : assert (cond); \
  end
`endif
`endif
