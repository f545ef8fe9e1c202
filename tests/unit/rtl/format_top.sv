// SPDX-License-Identifier: Apache-2.0
// Test top: each element format's fields, the functions on them, and results in two bytes.
`default_nettype none
module format_top (
  input  logic [mxe_pkg::FmtW-1:0] fmt_i,
  output logic                     valid_o,
  output logic                     is_int_o,
  output logic                     is4_o,
  output logic                     is6_o,
  output logic                     has_nan_o,
  output logic                     has_inf_o,
  output logic [3:0]               bits_o,
  output logic [2:0]               exp_bits_o,
  output logic [2:0]               man_bits_o,
  output logic [7:0]               sign_mask_o,
  output logic [6:0]               mag_mask_o,
  output logic [6:0]               special_mask_o,
  output logic [7:0]               max_code_o,
  output logic [3:0]               emax_o,
  output logic [3:0]               emin_neg_o,
  output logic [5:0]               lsb_o,
  output logic [5:0]               mag_bits_o,
  // bytes of a word and of a row of k elements; a pair with another format
  output logic [5:0]               word_bytes_o,
  input  logic [31:0]              k_i,
  output logic [31:0]              row_bytes_o,
  input  logic [mxe_pkg::FmtW-1:0] other_i,
  output logic [6:0]               pair_tree_w_o,
  // a result in the two-byte formats
  input  logic [31:0]              result_i,
  output logic [15:0]              bf16_o,
  output logic [15:0]              fp16_o
);
  mxe_pkg::fmt_info_t fmt, other;
  assign fmt   = mxe_pkg::fmt_info(fmt_i);
  assign other = mxe_pkg::fmt_info(other_i);

  assign valid_o     = fmt.valid;
  assign is_int_o    = fmt.is_int;
  assign is4_o       = fmt.is4;
  assign is6_o       = fmt.is6;
  assign has_nan_o   = fmt.has_nan;
  assign has_inf_o   = fmt.has_inf;
  assign bits_o      = fmt.bits;
  assign exp_bits_o  = fmt.exp_bits;
  assign man_bits_o  = fmt.man_bits;
  assign sign_mask_o = fmt.sign_mask;
  assign mag_mask_o  = fmt.mag_mask;
  assign special_mask_o = fmt.special_mask;
  assign max_code_o  = fmt.max_code;
  assign emax_o      = fmt.emax;
  assign emin_neg_o  = fmt.emin_neg;
  assign lsb_o       = fmt.lsb;
  assign mag_bits_o  = fmt.mag_bits;

  assign word_bytes_o  = mxe_pkg::word_bytes(fmt.is4, fmt.is6, 1'b0);
  assign row_bytes_o   = mxe_pkg::row_bytes(fmt.is4, fmt.is6, k_i);
  assign pair_tree_w_o = mxe_pkg::pair_tree_w(fmt.mag_bits, other.mag_bits);

  assign bf16_o = mxe_pkg::to_bf16(result_i);
  assign fp16_o = mxe_pkg::to_fp16(result_i);
endmodule
`default_nettype wire
