// SPDX-License-Identifier: Apache-2.0
// Upper part of the adder tree: the sum of eight values, modulo 2^WIDTH.
`default_nettype none
module mxe_tree #(
  parameter int unsigned WIDTH = 42
) (
  input  logic [WIDTH-1:0] x0_i,
  input  logic [WIDTH-1:0] x1_i,
  input  logic [WIDTH-1:0] x2_i,
  input  logic [WIDTH-1:0] x3_i,
  input  logic [WIDTH-1:0] x4_i,
  input  logic [WIDTH-1:0] x5_i,
  input  logic [WIDTH-1:0] x6_i,
  input  logic [WIDTH-1:0] x7_i,
  output logic [WIDTH-1:0] sum_o
);
  assign sum_o = ((x0_i + x1_i) + (x2_i + x3_i)) + ((x4_i + x5_i) + (x6_i + x7_i));
endmodule
`default_nettype wire
