// SPDX-License-Identifier: Apache-2.0
// Decodes a UE4M3 scale (unsigned E4M3, bias 7): its value is sig * 2^(exp - 9). A subnormal code
// keeps its value: 0x07 is 7 * 2^-9. Codes 0x7F and 0x80 to 0xFF are NaN.
`default_nettype none
module mxe_scale_e4m3 (
  input  logic [7:0] code_i,
  output logic [7:0] scale_o,  // {exp, sig}, 4 bits each; exp is at most 14
  output logic       nan_o
);
  logic [3:0] field, exponent;
  logic       normal;
  assign field    = code_i[6:3];
  assign normal   = |field;
  assign exponent = normal ? (field - 4'd1) : 4'd0;
  assign scale_o  = {exponent, normal, code_i[2:0]};
  assign nan_o    = code_i[7] | (&code_i[6:0]);

`ifdef FORMAL
`include "mxe_scale_e4m3.proof.svh"
`endif
endmodule
`default_nettype wire
