// SPDX-License-Identifier: Apache-2.0
// Test top: the arithmetic leaves of the RTL, each with its own pins.
`default_nettype none
module leaf_top (
  input  logic               clk_i,
  // element decode of a word; each decoded lane has a slot of 16 bits
  input  logic [255:0]       word_i,
  input  logic [2:0]         fmt_i,
  input  logic               dual_i,
  input  logic [6:0]         count_i,
  output logic [511:0]       dec_o,
  output logic [95:0]        flags_o,
  // dot products of decoded words (4 cycles) and fused accumulators (5 cycles)
  input  logic [511:0]       a_i,
  input  logic [511:0]       b_i,
  output logic [69:0]        dot70_o,
  output logic [55:0]        dot56_o,
  output logic [41:0]        dot42_o,
  input  logic [69:0]        sum_i,
  input  logic signed [9:0]  exp_i,
  input  logic [31:0]        acc_i,
  output logic [31:0]        acc70_o,
  output logic [31:0]        acc42_o,
  output logic [31:0]        acc14_o,
  // join of two chains (5 cycles)
  input  logic [31:0]        odd_i,
  output logic [31:0]        merged_o,
  // a scale, and a block of 16 products times two scales (2 cycles)
  input  logic [7:0]         scale_code_i,
  output logic [7:0]         scale_o,
  output logic               scale_nan_o,
  input  logic [12:0]        block_sum_i,
  input  logic [12:0]        block_carry_i,
  input  logic [1:0]         block_ones_i,
  input  logic [15:0]        block_scales_i,
  output logic [47:0]        term_o
);
  localparam int unsigned DecW = mxe_pkg::DEC_W;
  logic [32*DecW-1:0] dec, a, b;
  for (genvar i = 0; i < 32; i++) begin : gen_slot
    assign dec_o[16*i +: 16] = 16'(dec[DecW*i +: DecW]);
    assign a[DecW*i +: DecW] = a_i[16*i +: DecW];
    assign b[DecW*i +: DecW] = b_i[16*i +: DecW];
  end
  mxe_decode_word u_decode (
    .word_i, .fmt_i(mxe_pkg::fmt_info(fmt_i)), .dual_i, .count_i, .dec_o(dec), .flags_o
  );
  mxe_dot #(.TREE_W(70)) u_dot70 (.clk_i, .dual_i, .nvfp4_i(1'b0), .a_i(a), .b_i(b),
    .a_scale_i('0), .b_scale_i('0), .sum_o(dot70_o));
  mxe_dot #(.TREE_W(56)) u_dot56 (.clk_i, .dual_i, .nvfp4_i(1'b0), .a_i(a), .b_i(b),
    .a_scale_i('0), .b_scale_i('0), .sum_o(dot56_o));
  mxe_dot #(.TREE_W(42)) u_dot42 (.clk_i, .dual_i, .nvfp4_i(1'b0), .a_i(a), .b_i(b),
    .a_scale_i('0), .b_scale_i('0), .sum_o(dot42_o));
  mxe_facc #(.WIDTH(70)) u_facc70 (.clk_i, .sum_i(sum_i), .exp_i, .nan_i(1'b0), .pinf_i(1'b0),
                                   .ninf_i(1'b0), .acc_i, .acc_o(acc70_o));
  mxe_facc #(.WIDTH(42)) u_facc42 (.clk_i, .sum_i(sum_i[41:0]), .exp_i, .nan_i(1'b0),
                                   .pinf_i(1'b0), .ninf_i(1'b0), .acc_i, .acc_o(acc42_o));
  mxe_facc #(.WIDTH(14)) u_facc14 (.clk_i, .sum_i(sum_i[13:0]), .exp_i, .nan_i(1'b0),
                                   .pinf_i(1'b0), .ninf_i(1'b0), .acc_i, .acc_o(acc14_o));
  mxe_merge u_merge (.clk_i, .even_i(acc_i), .odd_i, .sum_o(merged_o));
  mxe_scale_e4m3 u_scale (.code_i(scale_code_i), .scale_o, .nan_o(scale_nan_o));
  mxe_scaled_block u_block (
    .clk_i, .sum_i(block_sum_i), .carry_i(block_carry_i), .ones_i(block_ones_i),
    .a_scale_i(block_scales_i[15:8]), .b_scale_i(block_scales_i[7:0]), .term_o
  );
endmodule
`default_nettype wire
