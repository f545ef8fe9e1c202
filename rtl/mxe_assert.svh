// SPDX-License-Identifier: Apache-2.0
// Promises, checked on every clock outside reset. Simulation and formal see immediate statements;
// synthesis sees nothing. The including module has clk_i and rst_ni.
//   MXE_ASSERT   what the module promises.
//   MXE_REQUIRE  what its surroundings promise: simulation asserts it; a proof of the module
//                assumes it, and a proof of a module around it asserts it (tests/formal).
//   MXE_FORMAL_START  a proof's first clock is a reset.
//   MXE_STATE_NAMES  the names of the states of state_q, for what a simulation reports.
`ifndef MXE_ASSERT_SVH
`define MXE_ASSERT_SVH
`ifdef VERILATOR
`define MXE_STATE_NAMES(state_e) \
  string state_names [0:(1 << $bits(state_e))-1]; \
  initial begin : name_states \
    state_e state; \
    state = state.first(); \
    for (int i = 0; i < state.num(); i++) begin \
      state_names[state] = state.name(); \
      state = state.next(); \
    end \
  end
`else
`define MXE_STATE_NAMES(state_e)
`endif
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
