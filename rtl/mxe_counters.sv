// SPDX-License-Identifier: Apache-2.0
// Performance counters, 64 bits each, and the snapshot that software reads. While enabled, every
// clock counts once in total and once in exactly one of mac_active, the stalls and idle.
`include "mxe_assert.svh"
`default_nettype none
module mxe_counters #(
  parameter int unsigned BYTES_W   = 8,  // bits of the amounts of a clock
  parameter int unsigned BLOCKS_W  = 9,
  parameter int unsigned RESULTS_W = 7
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          enable_i,
  input  logic          clear_i,
  input  logic          snapshot_i,
  // cause of this clock, at most one; none is idle
  input  logic          mac_active_i,
  input  logic          stall_a_i,
  input  logic          stall_b_i,
  input  logic          stall_c_i,
  input  logic          stall_drain_i,
  input  logic          stall_latency_i,
  // amounts of this clock
  input  logic [BYTES_W-1:0]  bytes_read_i,
  input  logic [BYTES_W-1:0]  bytes_written_i,
  input  logic [BLOCKS_W-1:0] blocks_i,
  input  logic          dual_i,
  input  logic [RESULTS_W-1:0] nan_results_i,
  input  logic [RESULTS_W-1:0] saturations_i,
  // snapshot: total, mac_active, stall_a, stall_b, stall_c, stall_drain, stall_latency, idle,
  // bytes_read, bytes_written, blocks, dual_cycles, nan_results, saturations (total lowest)
  output logic [14*64-1:0] snapshot_o
);
  localparam int unsigned Count = 14;
  logic [Count*64-1:0] live, snapshot_q, amount;
  logic                idle;
  assign idle = ~(mac_active_i | stall_a_i | stall_b_i | stall_c_i | stall_drain_i |
                  stall_latency_i);
  assign amount = {64'(saturations_i), 64'(nan_results_i), 64'(dual_i), 64'(blocks_i),
                   64'(bytes_written_i), 64'(bytes_read_i), 64'(idle), 64'(stall_latency_i),
                   64'(stall_drain_i), 64'(stall_c_i), 64'(stall_b_i), 64'(stall_a_i),
                   64'(mac_active_i), 64'd1};

  for (genvar i = 0; i < Count; i++) begin : gen_counter
    logic [63:0] value_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) value_q <= '0;
      else if (clear_i) value_q <= '0;
      else if (enable_i) value_q <= value_q + amount[64*i +: 64];
    end
    assign live[64*i +: 64] = value_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) snapshot_q <= '0;
    else if (snapshot_i) snapshot_q <= live;
  end
  assign snapshot_o = snapshot_q;

  `MXE_REQUIRE(counters_one_cause,
               $onehot0({mac_active_i, stall_a_i, stall_b_i, stall_c_i, stall_drain_i,
                         stall_latency_i}))
`ifndef FORMAL
  `MXE_ASSERT(counters_add_up, live[63:0] ==
              (live[64*1 +: 64] + live[64*2 +: 64] + live[64*3 +: 64] +
               live[64*4 +: 64] + live[64*5 +: 64] + live[64*6 +: 64] +
               live[64*7 +: 64]))
`else
  // The same in steps of one addition each, which a solver can take: partial sums that count the
  // clocks of the first so many causes; the last one, over all seven, is the total.
  `MXE_FORMAL_START
  logic [7:1] f_add_up;
  for (genvar i = 1; i <= 7; i++) begin : gen_partial
    logic [63:0] sum_q;
    logic        counted;
    if (i == 1) begin : gen_first
      assign counted = amount[64];
      assign f_add_up[i] = (sum_q == live[64 +: 64]);
    end else begin : gen_further
      assign counted = gen_partial[i-1].counted | amount[64*i];
      assign f_add_up[i] = (sum_q == gen_partial[i-1].sum_q + live[64*i +: 64]);
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) sum_q <= '0;
      else if (clear_i) sum_q <= '0;
      else if (enable_i) sum_q <= sum_q + 64'(counted);
    end
  end
  `MXE_ASSERT(counters_add_up, (&f_add_up) && (live[63:0] == gen_partial[7].sum_q))
`endif
endmodule
`default_nettype wire
