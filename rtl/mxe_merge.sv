// SPDX-License-Identifier: Apache-2.0
// Merges the two accumulator chains of the dual rate: RNE_fp32(even + odd), using the fused
// accumulator with the odd chain as its sum. Latency ACC_LAT - 1 cycles.
`default_nettype none
module mxe_merge (
  input  logic        clk_i,
  input  logic [31:0] even_i,
  input  logic [31:0] odd_i,
  output logic [31:0] sum_o
);
  logic               special;
  logic [23:0]        sig;
  logic signed [24:0] val;
  logic [7:0]         field;
  assign special = &odd_i[30:23];
  assign sig     = {odd_i[30:23] != 8'd0, odd_i[22:0]};
  assign val     = odd_i[31] ? (25'sd0 - $signed({1'b0, sig})) : $signed({1'b0, sig});
  assign field   = (odd_i[30:23] == 8'd0) ? 8'd1 : odd_i[30:23];

  // The exponent field itself: BIAS = 150 makes it comparable with the accumulator's.
  mxe_facc #(.WIDTH(25), .FRAC(3), .BIAS(150)) u_facc (
    .clk_i  (clk_i),
    .sum_i  (val),
    .exp_i  ($signed({2'b00, field})),
    .nan_i  (special & (|odd_i[22:0])),
    .pinf_i (special & ~(|odd_i[22:0]) & ~odd_i[31]),
    .ninf_i (special & ~(|odd_i[22:0]) & odd_i[31]),
    .acc_i  (even_i),
    .acc_o  (sum_o)
  );
endmodule
`default_nettype wire
