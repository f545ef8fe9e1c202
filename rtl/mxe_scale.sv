// SPDX-License-Identifier: Apache-2.0
// Scale unit of one PE and one block: adds the E8M0 exponents XA and XB and detects special blocks.
// The lsb of the block sum weighs 2^(XA + XB - 254 + lsbA + lsbB). exp_base_i is XA - 254 + lsbA +
// lsbB + EXP_BIAS, which is equal for all PEs.
`default_nettype none
module mxe_scale (
  input  logic signed [9:0]          exp_base_i,
  input  logic                       a_nan_i,
  input  logic [7:0]                 b_scale_i,
  input  logic [mxe_pkg::LANES-1:0]  a_neg_i,
  input  logic [mxe_pkg::FLAG_W-1:0] a_flags_i,  // {nan, inf, zero}
  input  logic [mxe_pkg::LANES-1:0]  b_neg_i,
  input  logic [mxe_pkg::FLAG_W-1:0] b_flags_i,
  output logic signed [9:0]          exp_o,
  output logic                       nan_o,
  output logic                       pinf_o,
  output logic                       ninf_o
);
  localparam int unsigned L = mxe_pkg::LANES;
  logic [L-1:0] a_nan, a_inf, a_zero, b_nan, b_inf, b_zero;
  assign {a_nan, a_inf, a_zero} = a_flags_i;
  assign {b_nan, b_inf, b_zero} = b_flags_i;

  logic [L-1:0] is_nan, is_inf, neg;
  assign is_nan = a_nan | b_nan | (a_inf & b_zero) | (a_zero & b_inf);
  assign is_inf = a_inf | b_inf;
  assign neg    = a_neg_i ^ b_neg_i;

  assign exp_o  = exp_base_i + $signed({2'b00, b_scale_i});
  assign nan_o  = a_nan_i | (b_scale_i == 8'hFF) | (|is_nan);
  assign pinf_o = |(is_inf & ~neg);
  assign ninf_o = |(is_inf & neg);
endmodule
`default_nettype wire
