// SPDX-License-Identifier: Apache-2.0
// Promises, checked on every clock outside reset. Simulation and formal see immediate statements;
// synthesis sees nothing. The including module has clk_i and rst_ni.
//   MXE_ASSERT   what the module promises.
//   MXE_REQUIRE  what its surroundings promise: simulation asserts it; a proof of the module
//                assumes it, and a proof of a module around it asserts it (tests/formal).
//   MXE_FORMAL_START  a proof's first clock is a reset.
`ifndef MXE_ASSERT_SVH
`define MXE_ASSERT_SVH
`ifdef SYNTHESIS
`define MXE_ASSERT(name, cond)
`define MXE_REQUIRE(name, cond)
`else
`define MXE_ASSERT(name, cond) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) name : assert (cond); \
  end
`ifdef FORMAL
`define MXE_REQUIRE(name, cond) \
  always_ff @(posedge clk_i) begin \
    if (rst_ni) name : assume (cond); \
  end
`define MXE_FORMAL_START \
  logic f_started_q = 1'b0; \
  always_ff @(posedge clk_i) f_started_q <= 1'b1; \
  always_comb if (!f_started_q) f_start_in_reset : assume (!rst_ni);
`else
`define MXE_REQUIRE(name, cond) `MXE_ASSERT(name, cond)
`endif
`endif
`endif
