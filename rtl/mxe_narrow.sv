// SPDX-License-Identifier: Apache-2.0
// Reduces an FP32 result to the bits that can change its element (mxe_pkg::narrow_t). An element
// has at most seven bits from the leading one on, plus a round bit; all bits below are ORed into a
// sticky bit. Subnormals are normalised (leading one at bit 23), so that they lose no relevant bit.
`default_nettype none
module mxe_narrow (
  input  logic [31:0]                  x_i,
  output logic [mxe_pkg::NARROW_W-1:0] narrow_o
);
  // left shifts by 16, 8, 4, 2, 1
  logic [23:0] s16, s8, s4, s2, s1, sig;
  logic        z16, z8, z4, z2, z1;
  logic [4:0]  zeros;
  assign s16   = {1'b0, x_i[22:0]};
  assign z16   = ~(|s16[23:8]);
  assign s8    = z16 ? {s16[7:0], 16'd0} : s16;
  assign z8    = ~(|s8[23:16]);
  assign s4    = z8 ? {s8[15:0], 8'd0} : s8;
  assign z4    = ~(|s4[23:20]);
  assign s2    = z4 ? {s4[19:0], 4'd0} : s4;
  assign z2    = ~(|s2[23:22]);
  assign s1    = z2 ? {s2[21:0], 2'd0} : s2;
  assign z1    = ~s1[23];
  assign sig   = z1 ? {s1[22:0], 1'b0} : s1;
  assign zeros = {z16, z8, z4, z2, z1};

  logic        subnormal;
  logic [8:0]  exponent;
  logic [22:0] fraction;
  assign subnormal = (x_i[30:23] == 8'd0);
  assign exponent  = subnormal ? (9'd1 - {4'd0, zeros}) : {1'b0, x_i[30:23]};
  assign fraction  = subnormal ? sig[22:0] : x_i[22:0];
  assign narrow_o  = {x_i[31], exponent, fraction[22:16], |fraction[15:0]};

  logic unused_lead;  // of a subnormal, clear only for zero, which the exponent shows
  assign unused_lead = sig[23];
endmodule
`default_nettype wire
