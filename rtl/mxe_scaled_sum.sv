// SPDX-License-Identifier: Apache-2.0
// The scaled blocks of one step of NVFP4: BLOCKS blocks of 16 products of E2M1 elements, each times
// both of its UE4M3 scales, in units of 2^-20. Their sum is exact in TERM_W bits. Latency two
// cycles.
`default_nettype none
module mxe_scaled_sum #(
  parameter int unsigned BLOCKS = 4,
  parameter int unsigned TERM_W = mxe_pkg::SCALED_SUM_W
) (
  input  logic                     clk_i,
  // per block: see mxe_scaled_block
  input  logic [13*BLOCKS-1:0]     sum_i,
  input  logic [13*BLOCKS-1:0]     carry_i,
  input  logic [2*BLOCKS-1:0]      ones_i,
  input  logic [8*BLOCKS-1:0]      a_scale_i,
  input  logic [8*BLOCKS-1:0]      b_scale_i,
  output logic [TERM_W*BLOCKS-1:0] terms_o
);
  for (genvar i = 0; i < BLOCKS; i++) begin : gen_block
    logic [47:0] term;
    mxe_scaled_block u_block (
      .clk_i     (clk_i),
      .sum_i     (sum_i[13*i +: 13]),
      .carry_i   (carry_i[13*i +: 13]),
      .ones_i    (ones_i[2*i +: 2]),
      .a_scale_i (a_scale_i[8*i +: 8]),
      .b_scale_i (b_scale_i[8*i +: 8]),
      .term_o    (term)
    );
    assign terms_o[TERM_W*i +: TERM_W] = {{(TERM_W-48){term[47]}}, term};
  end
endmodule
`default_nettype wire
