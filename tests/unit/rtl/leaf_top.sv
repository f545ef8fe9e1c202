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
  output logic [31:0]        merged_o
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
  mxe_dot #(.TREE_W(70)) u_dot70 (.clk_i, .dual_i, .a_i(a), .b_i(b), .sum_o(dot70_o));
  mxe_dot #(.TREE_W(56)) u_dot56 (.clk_i, .dual_i, .a_i(a), .b_i(b), .sum_o(dot56_o));
  mxe_dot #(.TREE_W(42)) u_dot42 (.clk_i, .dual_i, .a_i(a), .b_i(b), .sum_o(dot42_o));
  mxe_facc #(.WIDTH(70)) u_facc70 (.clk_i, .sum_i(sum_i), .exp_i, .nan_i(1'b0), .pinf_i(1'b0),
                                   .ninf_i(1'b0), .acc_i, .acc_o(acc70_o));
  mxe_facc #(.WIDTH(42)) u_facc42 (.clk_i, .sum_i(sum_i[41:0]), .exp_i, .nan_i(1'b0),
                                   .pinf_i(1'b0), .ninf_i(1'b0), .acc_i, .acc_o(acc42_o));
  mxe_facc #(.WIDTH(14)) u_facc14 (.clk_i, .sum_i(sum_i[13:0]), .exp_i, .nan_i(1'b0),
                                   .pinf_i(1'b0), .ninf_i(1'b0), .acc_i, .acc_o(acc14_o));
  mxe_merge u_merge (.clk_i, .even_i(acc_i), .odd_i, .sum_o(merged_o));
endmodule
`default_nettype wire
