// SPDX-License-Identifier: Apache-2.0
// Assertion macros, checked in every cycle outside reset. Simulation and formal proofs use them as
// immediate assertions; synthesis ignores them. The including module must have clk_i and rst_ni.
//   MXE_ASSERT        a property that the module guarantees
//   MXE_REQUIRE       a property that the module's environment guarantees: simulation asserts it, a
//                     proof of the module assumes it, a proof of an enclosing module asserts it
//   MXE_FORMAL_START  makes the first cycle of a proof a reset
//   MXE_STATE_NAMES   declares the names of the states of state_q for simulation reports
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
