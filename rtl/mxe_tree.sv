// SPDX-License-Identifier: Apache-2.0
// Upper part of the adder tree: the sum of the eight groups of four lanes, modulo 2^WIDTH.
`default_nettype none
module mxe_tree #(
  parameter int unsigned WIDTH = 42
) (
  input  logic [mxe_pkg::LANES/4*WIDTH-1:0] x_i,
  output logic [WIDTH-1:0]                  sum_o
);
  for (genvar i = 0; i < mxe_pkg::LANES / 4; i++) begin : gen_term
    logic [WIDTH-1:0] x;
    assign x = x_i[WIDTH*i +: WIDTH];
  end
  // One expression, which synthesis may add as it likes.
  assign sum_o = ((gen_term[0].x + gen_term[1].x) + (gen_term[2].x + gen_term[3].x)) +
                 ((gen_term[4].x + gen_term[5].x) + (gen_term[6].x + gen_term[7].x));
endmodule
`default_nettype wire
