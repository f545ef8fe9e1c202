// SPDX-License-Identifier: Apache-2.0
// Carry-save adder: three words become two with the same sum modulo 2^WIDTH, without carry chains.
// The lowest bit of the carry word is free: it adds one more 1 (ones_i[0]). With cut_i, the numbers
// from bit CUT on are added separately from those below, and ones_i[1] is added at bit CUT.
`default_nettype none
module mxe_csa #(
  parameter int unsigned WIDTH = 70,
  parameter int unsigned CUT   = mxe_pkg::PACK_POS
) (
  input  logic             cut_i,
  input  logic [1:0]       ones_i,
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
  assign carry_o  = {majority[WIDTH-2:CUT], cut_i ? ones_i[1] : majority[CUT-1], majority[CUT-2:0],
                     ones_i[0]};

  logic unused_carry;
  assign unused_carry = &{1'b0, majority[WIDTH-1]};

`ifdef FORMAL
`include "mxe_csa.proof.svh"
`endif
endmodule
`default_nettype wire
