// SPDX-License-Identifier: Apache-2.0
// Four lanes and the lower part of the adder tree: registered carry-save sum of their products, with
// the missing ones of two of them; ones_o has those of the other two. Latency two cycles: multiply,
// tree 1.
`default_nettype none
module mxe_quad #(
  parameter int unsigned WIDTH = 70
) (
  input  logic                        clk_i,
  input  logic                        dual_i,
  input  logic [4*mxe_pkg::DEC_W-1:0] a_i,
  input  logic [4*mxe_pkg::DEC_W-1:0] b_i,
  output logic [WIDTH-1:0]            sum_o,
  output logic [WIDTH-1:0]            carry_o,
  output logic [3:0]                  ones_o
);
  for (genvar i = 0; i < 4; i++) begin : gen_lane
    logic [WIDTH-1:0] product;
    logic [1:0]       ones;
    mxe_lane #(.WIDTH(WIDTH)) u_lane (
      .clk_i     (clk_i),
      .dual_i    (dual_i),
      .a_i       (a_i[mxe_pkg::DEC_W*i +: mxe_pkg::DEC_W]),
      .b_i       (b_i[mxe_pkg::DEC_W*i +: mxe_pkg::DEC_W]),
      .product_o (product),
      .ones_o    (ones)
    );
  end

  logic [WIDTH-1:0] sum3, carry3, sum, carry, sum_q, carry_q;
  logic [3:0]       ones_q;
  mxe_csa #(.WIDTH(WIDTH)) u_three (
    .cut_i   (dual_i),
    .ones_i  (gen_lane[0].ones),
    .a_i     (gen_lane[0].product),
    .b_i     (gen_lane[1].product),
    .c_i     (gen_lane[2].product),
    .sum_o   (sum3),
    .carry_o (carry3)
  );
  mxe_csa #(.WIDTH(WIDTH)) u_four (
    .cut_i   (dual_i),
    .ones_i  (gen_lane[1].ones),
    .a_i     (gen_lane[3].product),
    .b_i     (sum3),
    .c_i     (carry3),
    .sum_o   (sum),
    .carry_o (carry)
  );
  always_ff @(posedge clk_i) begin
    sum_q   <= sum;
    carry_q <= carry;
    ones_q  <= {gen_lane[3].ones, gen_lane[2].ones};
  end
  assign sum_o   = sum_q;
  assign carry_o = carry_q;
  assign ones_o  = ones_q;
endmodule
`default_nettype wire
