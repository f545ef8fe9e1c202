// SPDX-License-Identifier: Apache-2.0
// Decodes one element: 8-bit container to sign, 8-bit magnitude and radix-16 group,
// value = (-1)^sign * mag * 16^grp * 2^lsb(format).
// With dual_i the container holds two 4-bit elements (low nibble: even block, high nibble: odd
// block), and mag holds two magnitudes of 4 bits. An element with keep_i low has magnitude 0.
`default_nettype none
module mxe_decode (
  input  logic [7:0]                 code_i,
  input  mxe_pkg::fmt_info_t         fmt_i,
  input  logic                       dual_i,
  input  logic [1:0]                 keep_i,  // element is within K: {odd block, even block}
  output mxe_pkg::dec_t              dec_o,
  output logic                       nan_o,
  output logic                       inf_o,
  output logic                       zero_o   // the value is zero; low for NaN and infinity
);
  // Only mask bits in which the formats differ are read: 4, 6 or 8 bits; formats with NaN have 8
  // bits, special codes have ones in bits 6 to 2; floats have 1 to 3 mantissa bits.
  logic       sign;
  logic [6:0] code;
  logic [4:0] exponent;
  logic [2:0] man;
  logic [3:0] sig;
  assign sign = (code_i[7] & fmt_i.sign_mask[7]) | (code_i[5] & fmt_i.sign_mask[5]) |
                (code_i[3] & fmt_i.sign_mask[3]);
  assign code = {code_i[6:3] & fmt_i.mag_mask[6:3], code_i[2:0]};
  always_comb begin
    case (fmt_i.man_bits[1:0])
      2'd1: begin
        exponent = code[5:1];
        man      = {2'b00, code[0]};
        sig      = {2'b00, |exponent, man[0]};
      end
      2'd2: begin
        exponent = code[6:2];
        man      = {1'b0, code[1:0]};
        sig      = {1'b0, |exponent, man[1:0]};
      end
      default: begin
        exponent = {1'b0, code[6:3]};
        man      = code[2:0];
        sig      = {|exponent, man};
      end
    endcase
  end

  logic special, is_nan, is_inf;
  assign special = fmt_i.has_nan & (&code_i[6:2]) & (&(code_i[1:0] | ~fmt_i.special_mask[1:0]));
  assign is_inf = special & fmt_i.has_inf & (man == 3'd0);
  assign is_nan = special & ~is_inf;

  // Binades above the subnormals: bits 1:0 shift the magnitude, bits 4:2 are the group.
  logic [4:0] binade;
  logic [7:0] fp_mag, int_mag;
  assign binade  = (exponent == 5'd0) ? 5'd0 : (exponent - 5'd1);
  assign fp_mag  = {4'd0, sig} << binade[1:0];
  assign int_mag = code_i[7] ? (8'd0 - code_i) : code_i;

  logic [3:0] nib_hi;
  mxe_decode4 u_hi (.code_i(code_i[6:4]), .man2_i(fmt_i.man_bits[1]), .mag_o(nib_hi));

  logic [7:0] mag;
  logic [2:0] grp;
  assign grp = fmt_i.is_int ? 3'd0 : binade[4:2];
  always_comb begin
    mag = fmt_i.is_int ? int_mag : fp_mag;
    if (dual_i) mag[7:4] = nib_hi;
    if (!keep_i[0]) mag[3:0] = 4'd0;
    if (!(dual_i ? keep_i[1] : keep_i[0])) mag[7:4] = 4'd0;
  end

  assign dec_o.grp  = grp;
  assign dec_o.mag  = mag;
  assign dec_o.sign = {fmt_i.is4 & code_i[7], sign};
  assign nan_o  = is_nan & keep_i[0];
  assign inf_o  = is_inf & keep_i[0];
  assign zero_o = (mag == 8'd0) | ~keep_i[0];
endmodule
`default_nettype wire
