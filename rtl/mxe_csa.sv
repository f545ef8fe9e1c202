// SPDX-License-Identifier: Apache-2.0
// Carry-save adder: three words become two with the same sum modulo 2^WIDTH, without carry chains.
`default_nettype none
module mxe_csa #(
  parameter int unsigned WIDTH = 70
) (
  input  logic [WIDTH-1:0] a_i,
  input  logic [WIDTH-1:0] b_i,
  input  logic [WIDTH-1:0] c_i,
  output logic [WIDTH-1:0] sum_o,
  output logic [WIDTH-1:0] carry_o
);
  logic [WIDTH-1:0] half, majority;
  assign half     = a_i ^ b_i;
  assign majority = (a_i & b_i) | (c_i & half);
  assign sum_o    = half ^ c_i;
  assign carry_o  = {majority[WIDTH-2:0], 1'b0};

  logic unused_carry;
  assign unused_carry = &{1'b0, majority[WIDTH-1]};

`ifdef FORMAL
  always_comb csa_sum : assert ((sum_o + carry_o) == (a_i + b_i + c_i));
`endif
endmodule
`default_nettype wire
