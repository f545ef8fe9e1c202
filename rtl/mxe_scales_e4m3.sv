// SPDX-License-Identifier: Apache-2.0
// Decodes the UE4M3 scales of an operand word: those of four blocks of 16 at the dual rate, else two.
`default_nettype none
module mxe_scales_e4m3 (
  input  logic        dual_i,
  input  logic [31:0] codes_i,
  output logic [31:0] scales_o,  // see mxe_scale_e4m3
  output logic        nan_o
);
  logic [3:0] nan;
  for (genvar i = 0; i < 4; i++) begin : gen_scale
    mxe_scale_e4m3 u_scale (
      .code_i  (codes_i[8*i +: 8]),
      .scale_o (scales_o[8*i +: 8]),
      .nan_o   (nan[i])
    );
  end
  assign nan_o = (|nan[1:0]) | (dual_i & (|nan[3:2]));
endmodule
`default_nettype wire
