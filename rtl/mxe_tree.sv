// SPDX-License-Identifier: Apache-2.0
// Adder tree over 32 values, modulo 2^WIDTH. The sums of four are registered.
`default_nettype none
module mxe_tree #(
  parameter int unsigned WIDTH = 42
) (
  input  logic                            clk_i,
  input  logic [mxe_pkg::LANES*WIDTH-1:0] x_i,
  output logic [WIDTH-1:0]                sum_o
);
  localparam int unsigned GROUPS = mxe_pkg::LANES / 4;

  logic [GROUPS*WIDTH-1:0] quad_q;
  for (genvar i = 0; i < GROUPS; i++) begin : gen_quad
    logic [WIDTH-1:0] lower, upper;
    assign lower = x_i[(4*i)*WIDTH +: WIDTH] + x_i[(4*i+1)*WIDTH +: WIDTH];
    assign upper = x_i[(4*i+2)*WIDTH +: WIDTH] + x_i[(4*i+3)*WIDTH +: WIDTH];
    always_ff @(posedge clk_i) quad_q[i*WIDTH +: WIDTH] <= lower + upper;
  end

  logic [WIDTH-1:0] s0, s1, s2, s3;
  assign s0 = quad_q[0*WIDTH +: WIDTH] + quad_q[1*WIDTH +: WIDTH];
  assign s1 = quad_q[2*WIDTH +: WIDTH] + quad_q[3*WIDTH +: WIDTH];
  assign s2 = quad_q[4*WIDTH +: WIDTH] + quad_q[5*WIDTH +: WIDTH];
  assign s3 = quad_q[6*WIDTH +: WIDTH] + quad_q[7*WIDTH +: WIDTH];
  assign sum_o = (s0 + s1) + (s2 + s3);
endmodule
`default_nettype wire
