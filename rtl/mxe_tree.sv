// SPDX-License-Identifier: Apache-2.0
// Upper part of the adder tree: the sum of eight unsigned values, modulo 2^SUM_W.
`default_nettype none
module mxe_tree #(
  parameter int unsigned WIDTH = 42,
  parameter int unsigned SUM_W = WIDTH  // at least WIDTH
) (
  input  logic [WIDTH-1:0] x0_i,
  input  logic [WIDTH-1:0] x1_i,
  input  logic [WIDTH-1:0] x2_i,
  input  logic [WIDTH-1:0] x3_i,
  input  logic [WIDTH-1:0] x4_i,
  input  logic [WIDTH-1:0] x5_i,
  input  logic [WIDTH-1:0] x6_i,
  input  logic [WIDTH-1:0] x7_i,
  output logic [SUM_W-1:0] sum_o
);
  assign sum_o = ((SUM_W'(x0_i) + SUM_W'(x1_i)) + (SUM_W'(x2_i) + SUM_W'(x3_i))) +
                 ((SUM_W'(x4_i) + SUM_W'(x5_i)) + (SUM_W'(x6_i) + SUM_W'(x7_i)));
endmodule
`default_nettype wire
