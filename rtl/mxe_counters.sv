// SPDX-License-Identifier: Apache-2.0
// Performance counters, 64 bits each, and their snapshot for software. While enabled, every cycle
// increments total and exactly one of mac_active, the stalls and idle.
`include "mxe_assert.svh"
`default_nettype none
module mxe_counters #(
  parameter int unsigned AMOUNT_W = 8,
  // Counters that may grow by more than one per cycle.
  parameter logic [mxe_reg_pkg::COUNTERS-1:0] SUMS = '1
) (
  input  logic                                      clk_i,
  input  logic                                      rst_ni,
  input  logic                                      enable_i,
  input  logic                                      clear_i,
  input  logic                                      snapshot_i,
  // Increment of each counter at index mxe_reg_pkg::COUNTER_*. At most one of mac_active and the
  // stalls is 1. The entries of total and idle are ignored; they are derived here.
  input  logic [mxe_reg_pkg::COUNTERS*AMOUNT_W-1:0] amounts_i,
  output logic [mxe_reg_pkg::COUNTERS*64-1:0]       snapshot_o
);
  localparam int unsigned Count = mxe_reg_pkg::COUNTERS;
  // Total is the sum of the causes, from mac_active to idle.
  localparam int unsigned Total = mxe_reg_pkg::COUNTER_TOTAL;
  localparam int unsigned First = mxe_reg_pkg::COUNTER_MAC_ACTIVE;
  localparam int unsigned Idle  = mxe_reg_pkg::COUNTER_IDLE;

  logic [Count*64-1:0] live, snapshot_q;
  logic [Count-1:0]    grows;
  logic [Idle-1:First] cause;
  logic                idle;
  for (genvar i = First; i < Idle; i++) begin : gen_cause
    assign cause[i] = amounts_i[AMOUNT_W*i];
  end
  assign idle = ~(|cause);

  logic [Count-1:0] too_many;  // increments above 1 although SUMS forbids it
  for (genvar i = 0; i < Count; i++) begin : gen_grows
    assign too_many[i] = (i != Total) & (i != Idle) & ~SUMS[i] &
                         (amounts_i[AMOUNT_W*i +: AMOUNT_W] > AMOUNT_W'(1));
    assign grows[i] = (i == Total) ? 1'b1 : (i == Idle) ? idle : amounts_i[AMOUNT_W*i];
  end
  logic unused_amounts;
  assign unused_amounts = &{1'b0, amounts_i, too_many, grows};

  // Increments arrive late in the cycle, so a sum counter adds them to its low bits at once and
  // propagates the carry one cycle later.
  for (genvar i = 0; i < Count; i++) begin : gen_counter
    logic [63:0] value_q, value_d;
    if (SUMS[i] && (i != Total) && (i != Idle)) begin : gen_two_steps
      logic                carry_q, carry;
      logic [AMOUNT_W-1:0] low;
      logic [63:AMOUNT_W]  high;
      assign {carry, low} = {1'b0, value_q[AMOUNT_W-1:0]} +
                            (enable_i ? {1'b0, amounts_i[AMOUNT_W*i +: AMOUNT_W]} : '0);
      assign high         = value_q[63:AMOUNT_W] + (64-AMOUNT_W)'(carry_q);
      assign value_d      = {high, low};
      assign live[64*i +: 64] = {high, value_q[AMOUNT_W-1:0]};
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) carry_q <= 1'b0;
        else carry_q <= carry & ~clear_i;
      end
    end else begin : gen_one_step
      assign value_d = (enable_i & grows[i]) ? (value_q + 64'd1) : value_q;
      assign live[64*i +: 64] = value_q;
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) value_q <= '0;
      else if (clear_i) value_q <= '0;
      else value_q <= value_d;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) snapshot_q <= '0;
    else if (snapshot_i) snapshot_q <= live;
  end
  assign snapshot_o = snapshot_q;

  `MXE_REQUIRE(counters_one_cause, $onehot0(cause))
  `MXE_REQUIRE(counters_events_count_one, too_many == '0)
`ifndef FORMAL
`ifndef SYNTHESIS
  logic [63:0] f_causes;
  always_comb begin
    f_causes = '0;
    for (int unsigned i = First; i <= Idle; i++) f_causes = f_causes + live[64*i +: 64];
  end
`endif
  `MXE_ASSERT(counters_add_up, live[64*Total +: 64] == f_causes)
`else
`include "mxe_counters.proof.svh"
`endif
endmodule
`default_nettype wire
