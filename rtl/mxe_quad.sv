// SPDX-License-Identifier: Apache-2.0
// Four lanes and the lower part of the adder tree: the registered sum of their four products, in
// the two limbs of mxe_lane (hi_o is meaningful for HI_W > 1). Two clocks: multiply, tree 1.
`default_nettype none
module mxe_quad #(
  parameter int unsigned LO_W     = 36,
  parameter int unsigned HI_W     = 34,
  parameter int unsigned LO_SUM_W = 41  // room for the unsigned sum of 32 low limbs
) (
  input  logic                        clk_i,
  input  logic                        dual_i,
  input  logic [4*mxe_pkg::DEC_W-1:0] a_i,
  input  logic [4*mxe_pkg::DEC_W-1:0] b_i,
  output logic [LO_SUM_W-1:0]         lo_o,
  output logic [HI_W-1:0]             hi_o
);
  for (genvar i = 0; i < 4; i++) begin : gen_lane
    logic [LO_W-1:0] lo;
    logic [HI_W-1:0] hi;
    mxe_lane #(
      .LO_W (LO_W),
      .HI_W (HI_W)
    ) u_lane (
      .clk_i  (clk_i),
      .dual_i (dual_i),
      .a_i    (a_i[mxe_pkg::DEC_W*i +: mxe_pkg::DEC_W]),
      .b_i    (b_i[mxe_pkg::DEC_W*i +: mxe_pkg::DEC_W]),
      .lo_o   (lo),
      .hi_o   (hi)
    );
  end

  logic [LO_SUM_W-1:0] lo_q;
  logic [HI_W-1:0]     hi_q;
  always_ff @(posedge clk_i) begin
    lo_q <= (LO_SUM_W'(gen_lane[0].lo) + LO_SUM_W'(gen_lane[1].lo)) +
            (LO_SUM_W'(gen_lane[2].lo) + LO_SUM_W'(gen_lane[3].lo));
    hi_q <= (gen_lane[0].hi + gen_lane[1].hi) + (gen_lane[2].hi + gen_lane[3].hi);
  end
  assign lo_o = lo_q;
  assign hi_o = hi_q;
endmodule
`default_nettype wire
