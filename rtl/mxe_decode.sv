// SPDX-License-Identifier: Apache-2.0
// Element decode of one lane: an 8-bit container to sign, 8-bit magnitude and radix-16 group,
//   value = (-1)^sign * mag * 16^grp * 2^lsb(format).
// With dual_i the container holds two 4-bit elements (low nibble: even block, high nibble: odd
// block) and both magnitudes share mag, 4 bits each. Lanes beyond K arrive with keep_i low and
// decode to zero.
`default_nettype none
module mxe_decode (
  input  logic [7:0]                 code_i,
  input  logic [mxe_pkg::FmtW-1:0]   fmt_i,
  input  logic                       dual_i,
  input  logic [1:0]                 keep_i,  // {odd block's element, even block's element}
  output logic [mxe_pkg::DEC_W-1:0]  dec_o,   // {grp, mag, sign}
  output logic                       nan_o,
  output logic                       inf_o,
  output logic                       zero_o   // the value is zero (not for NaN and Inf)
);
  // One 4-bit element as an integer below 16: E2M1 in halves, E1M2 in quarters.
  logic [3:0] nib_lo, nib_hi;
  logic       is_e1m2;
  assign is_e1m2 = (fmt_i == mxe_pkg::FmtE1M2);

  mxe_decode4 u_lo (.code_i(code_i[2:0]), .e1m2_i(is_e1m2), .mag_o(nib_lo));
  mxe_decode4 u_hi (.code_i(code_i[6:4]), .e1m2_i(is_e1m2), .mag_o(nib_hi));

  // Single element of 6 or 8 bits: exponent field and significand with its hidden bit.
  logic       sign, nan, inf;
  logic [4:0] exp;
  logic [3:0] sig;
  always_comb begin
    sign = code_i[7];
    exp  = 5'd0;
    sig  = 4'd0;
    nan  = 1'b0;
    inf  = 1'b0;
    case (fmt_i)
      mxe_pkg::FmtE2M3: begin
        sign = code_i[5];
        exp  = {3'd0, code_i[4:3]};
        sig  = {|code_i[4:3], code_i[2:0]};
      end
      mxe_pkg::FmtE3M2: begin
        sign = code_i[5];
        exp  = {2'd0, code_i[4:2]};
        sig  = {1'b0, |code_i[4:2], code_i[1:0]};
      end
      mxe_pkg::FmtE4M3: begin
        exp = {1'b0, code_i[6:3]};
        sig = {|code_i[6:3], code_i[2:0]};
        nan = &code_i[6:0];
      end
      mxe_pkg::FmtE5M2: begin
        exp = code_i[6:2];
        sig = {1'b0, |code_i[6:2], code_i[1:0]};
        nan = (&code_i[6:2]) & (|code_i[1:0]);
        inf = (&code_i[6:2]) & ~(|code_i[1:0]);
      end
      default: ;
    endcase
  end

  // The binade above the subnormals: two bits shift the magnitude, the rest is the group.
  logic [4:0] binade;
  logic [7:0] fp_mag, int_mag;
  assign binade  = (exp == 5'd0) ? 5'd0 : (exp - 5'd1);
  assign fp_mag  = {4'd0, sig} << binade[1:0];
  assign int_mag = code_i[7] ? (8'd0 - code_i) : code_i;

  logic [7:0] mag;
  logic [2:0] grp;
  logic [1:0] signs;
  always_comb begin
    grp   = 3'd0;
    mag   = fp_mag;
    signs = {1'b0, sign};
    if (mxe_pkg::fmt_is4(fmt_i)) begin
      mag   = {dual_i ? nib_hi : 4'd0, nib_lo};
      signs = {code_i[7], code_i[3]};
    end else if (fmt_i == mxe_pkg::FmtInt8) begin
      mag = int_mag;
    end else begin
      grp = binade[4:2];
    end
    if (!keep_i[0]) mag[3:0] = 4'd0;
    if (!(dual_i ? keep_i[1] : keep_i[0])) mag[7:4] = 4'd0;
  end

  assign dec_o  = {grp, mag, signs};
  assign nan_o  = nan & keep_i[0];
  assign inf_o  = inf & keep_i[0];
  assign zero_o = (mag == 8'd0) | ~keep_i[0];
endmodule
`default_nettype wire
