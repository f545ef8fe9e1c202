// SPDX-License-Identifier: Apache-2.0
// Counts the ones missing from the complemented negative products of mxe_lane and provides them as
// one word of the tree. At the dual rate, negative odd products lack theirs at bit PACK_POS, and
// negative even products lack their sign extension: one less at PACK_POS. Latency two cycles, as
// mxe_quad.
`default_nettype none
module mxe_negatives #(
  parameter int unsigned WIDTH = 70
) (
  input  logic                      clk_i,
  input  logic                      dual_i,
  input  logic [mxe_pkg::LANES-1:0] even_i,
  input  logic [mxe_pkg::LANES-1:0] odd_i,
  output logic [WIDTH-1:0]          lack_o
);
  localparam int unsigned CountW = $clog2(mxe_pkg::LANES + 1);
  localparam int unsigned OddW   = CountW + 1;
  localparam int unsigned Quads  = mxe_pkg::LANES / 4;

  for (genvar i = 0; i < Quads; i++) begin : gen_quad
    logic [2:0] even_q1, odd_q1;
    always_ff @(posedge clk_i) begin
      even_q1 <= (3'(even_i[4*i]) + 3'(even_i[4*i+1])) + (3'(even_i[4*i+2]) + 3'(even_i[4*i+3]));
      odd_q1  <= (3'(odd_i[4*i]) + 3'(odd_i[4*i+1])) + (3'(odd_i[4*i+2]) + 3'(odd_i[4*i+3]));
    end
  end
  logic [CountW-1:0] even, odd, even_q2;
  logic [OddW-1:0]   odd_q2;
  assign even = ((CountW'(gen_quad[0].even_q1) + CountW'(gen_quad[1].even_q1)) +
                 (CountW'(gen_quad[2].even_q1) + CountW'(gen_quad[3].even_q1))) +
                ((CountW'(gen_quad[4].even_q1) + CountW'(gen_quad[5].even_q1)) +
                 (CountW'(gen_quad[6].even_q1) + CountW'(gen_quad[7].even_q1)));
  assign odd  = ((CountW'(gen_quad[0].odd_q1) + CountW'(gen_quad[1].odd_q1)) +
                 (CountW'(gen_quad[2].odd_q1) + CountW'(gen_quad[3].odd_q1))) +
                ((CountW'(gen_quad[4].odd_q1) + CountW'(gen_quad[5].odd_q1)) +
                 (CountW'(gen_quad[6].odd_q1) + CountW'(gen_quad[7].odd_q1)));
  always_ff @(posedge clk_i) begin
    even_q2 <= even;
    odd_q2  <= dual_i ? (OddW'(odd) - OddW'(even)) : '0;
  end
  assign lack_o = {{(WIDTH-mxe_pkg::PACK_POS-OddW){odd_q2[OddW-1]}}, odd_q2,
                   {(mxe_pkg::PACK_POS-CountW){1'b0}}, even_q2};

`ifdef FORMAL
`include "mxe_negatives.proof.svh"
`endif
endmodule
`default_nettype wire
