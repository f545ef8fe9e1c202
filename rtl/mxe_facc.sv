// SPDX-License-Identifier: Apache-2.0
// Fused accumulate: acc_o = RNE_fp32(acc + sum * 2^exp) with one rounding. Subnormals are kept;
// every exact zero is +0 (a negative value that underflows keeps its sign). ACC_LAT stages: align,
// add, magnitude, coarse normalise, fine normalise, round. The first five are registered, the round
// stage is combinational. A negative total is normalised as one's complement; rounding adds the
// missing one.
//
// Fixed-point window in units of sum's lsb: FRAC fraction bits below it (the lowest is a sticky
// bit), and space above it for an accumulator up to WIDTH + 1 positions higher. An accumulator
// below the window only sets the sticky bit. If it lies above the window, sum cannot change it and
// the result is the accumulator.
`default_nettype none
module mxe_facc #(
  parameter int unsigned WIDTH = 70,
  // Covers the accumulator's bits plus guard bits; 3 if sum is 0 or normalised.
  parameter int unsigned FRAC  = 27,
  parameter int unsigned BIAS  = 0  // bias of exp_i, up to 150
) (
  input  logic                    clk_i,
  input  logic signed [WIDTH-1:0] sum_i,
  input  logic signed [9:0]       exp_i,   // weight of sum's lsb, plus BIAS
  input  logic                    nan_i,
  input  logic                    pinf_i,
  input  logic                    ninf_i,
  input  logic [31:0]             acc_i,
  output logic [31:0]             acc_o
);
  localparam int unsigned WinW = WIDTH + 27 + FRAC;
  localparam int unsigned NormW = 128;               // window, left aligned for normalising
  localparam logic signed [10:0] PlaceOffset = 11'(FRAC) + 11'(BIAS) - 11'sd150;
  localparam logic signed [9:0] AccOffset = 10'sd150 - 10'(BIAS);
  localparam logic signed [10:0] MaxPlace = 11'(WIDTH + 1 + FRAC);
  typedef enum logic [1:0] { SpecNone, SpecNan, SpecPinf, SpecNinf } spec_e;

  // ---------------------------------------------------------------- stage 1: align
  logic               acc_sign, acc_special, acc_nan, acc_pinf, acc_ninf;
  logic [7:0]         acc_field;
  logic signed [9:0]  acc_exp;    // weight of acc_val's lsb, plus BIAS
  logic               acc_normal, acc_zero;
  logic signed [23:0] acc_frac;
  logic signed [24:0] acc_val;
  assign acc_sign    = acc_i[31];
  assign acc_special = &acc_i[30:23];
  assign acc_nan     = acc_special & (|acc_i[22:0]);
  assign acc_pinf    = acc_special & ~(|acc_i[22:0]) & ~acc_sign;
  assign acc_ninf    = acc_special & ~(|acc_i[22:0]) & acc_sign;
  // A subnormal is treated as exponent 0 with twice its significand, so that the exponent sums do
  // not wait for the normal/subnormal decision.
  assign acc_field   = acc_i[30:23];
  assign acc_normal  = |acc_field;
  assign acc_zero    = ~acc_normal & ~(|acc_i[22:0]);
  assign acc_exp     = $signed({2'b00, acc_field}) - AccOffset;
  // Adding the leading one of a normal number does not change the bits below it.
  assign acc_frac    = acc_sign ? (24'sd0 - $signed({1'b0, acc_i[22:0]})) : $signed({1'b0, acc_i[22:0]});
  assign acc_val     = acc_normal ? $signed({acc_sign, ~acc_frac[23], acc_frac[22:0]})
                                  : $signed({acc_frac, 1'b0});

  // Position of acc_val's lsb in the window and its negative, each computed with a single sum.
  logic signed [10:0] place, place_neg;
  logic               sum_zero, too_far;
  logic               acc_alone;  // sum is zero or too small to matter
  assign place     = $signed({3'b000, acc_field}) - {exp_i[9], exp_i} + PlaceOffset;
  assign place_neg = {exp_i[9], exp_i} - $signed({3'b000, acc_field}) - PlaceOffset;
  assign sum_zero  = (sum_i == '0);
  assign too_far   = (place > MaxPlace) & ~acc_zero;
  assign acc_alone = sum_zero | too_far;

  // An accumulator that passes alone has its lsb at sum's lsb; a zero one may have any position.
  logic       below, alone_place;
  logic [6:0] up;
  logic [4:0] down;
  assign alone_place = sum_zero | (place > MaxPlace);
  assign below = place[10];
  assign up    = place[6:0];
  assign down  = (|place_neg[10:5]) ? 5'd31 : place_neg[4:0];

  logic signed [24:0]     acc_down;
  logic                   acc_lost;
  logic signed [WinW-1:0] acc_win;
  assign acc_down = acc_val >>> down;
  assign acc_lost = |(acc_val & ~(25'h1FF_FFFF << down));
  // Left shift in two steps: by up to 31 positions, then by multiples of 32.
  logic signed [55:0]      acc_fine;
  logic signed [56+96-1:0] acc_up;
  assign acc_fine = {{31{acc_val[24]}}, acc_val} << up[4:0];
  always_comb begin
    case (up[6:5])
      2'd0:    acc_up = {{96{acc_fine[55]}}, acc_fine};
      2'd1:    acc_up = {{64{acc_fine[55]}}, acc_fine, 32'd0};
      2'd2:    acc_up = {{32{acc_fine[55]}}, acc_fine, 64'd0};
      default: acc_up = {acc_fine, 96'd0};
    endcase
  end
  always_comb begin
    if (alone_place) acc_win = {{(WinW-25-FRAC){acc_val[24]}}, acc_val, {FRAC{1'b0}}};
    else if (below)
      acc_win = {{(WinW-25){acc_down[24]}}, acc_down[24:1], acc_down[0] | acc_lost};
    else acc_win = acc_up[WinW-1:0];
  end

  logic nan, pinf, ninf;
  assign pinf = pinf_i | acc_pinf;
  assign ninf = ninf_i | acc_ninf;
  assign nan  = nan_i | acc_nan | (pinf & ninf);

  logic signed [WinW-1:0]  acc_win_q1;
  logic signed [WIDTH-1:0] sum_q1;
  logic signed [9:0]       exp_q1;
  spec_e                   spec_q1;
  always_ff @(posedge clk_i) begin
    acc_win_q1 <= acc_win;
    sum_q1     <= acc_alone ? '0 : sum_i;
    exp_q1     <= acc_alone ? acc_exp : exp_i;
    spec_q1    <= nan ? SpecNan : (pinf ? SpecPinf : (ninf ? SpecNinf : SpecNone));
  end

  // ---------------------------------------------------------------- stage 2: add
  logic signed [WinW-1:0] total_q2;
  logic signed [9:0]      exp_q2;
  spec_e                  spec_q2;
  always_ff @(posedge clk_i) begin
    total_q2 <= {{27{sum_q1[WIDTH-1]}}, sum_q1, {FRAC{1'b0}}} + acc_win_q1;
    exp_q2   <= exp_q1;
    spec_q2  <= spec_q1;
  end

  // ---------------------------------------------------------------- stage 3: magnitude
  // The total is left aligned. A negative total is complemented, which gives its magnitude minus
  // one unit infinitely far below: the bits shifted in count as ones. Leading zeros are removed in
  // steps of 64 here, of 32, 16 and 8 in stage 4, of 4, 2 and 1 in stage 5. Bits below the round
  // bit are reduced to one sticky bit of the total before complementing (rest).
  logic              sign;
  logic [NormW-1:0]  n64;
  logic [127:40]     n32;
  logic [127:40]     mag_q3;
  logic              z64, z64_q3, rest_q3, sign_q3;
  logic signed [9:0] exp_q3;
  spec_e             spec_q3;
  assign sign = total_q2[WinW-1];
  assign n64  = {total_q2, {(NormW-WinW){1'b0}}} ^ {NormW{sign}};
  assign z64  = ~(|n64[127:64]);
  assign n32  = z64 ? {n64[63:0], {24{sign}}} : n64[127:40];
  always_ff @(posedge clk_i) begin
    mag_q3  <= n32;
    rest_q3 <= ~z64 & (|(n64[39:0] ^ {40{sign}}));
    z64_q3  <= z64;
    sign_q3 <= sign;
    exp_q3  <= exp_q2;
    spec_q3 <= spec_q2;
  end

  // ---------------------------------------------------------------- stages 4 and 5: normalise
  logic [127:72]     n16;
  logic [127:88]     n8;
  logic [127:96]     n4, norm_q4;
  logic [127:100]    n2;
  logic [127:102]    n1;
  logic              z32, z16, z8, z4, z2, z1;
  logic              rest16, rest8, rest4, rest_q4;
  logic [3:0]        lz_q4;
  logic              sign_q4;
  logic signed [9:0] exp_q4;
  spec_e             spec_q4;
  assign z32    = ~(|mag_q3[127:96]);
  assign n16    = z32 ? mag_q3[95:40] : mag_q3[127:72];
  assign rest16 = ~z32 & (|(mag_q3[71:40] ^ {32{sign_q3}}));
  assign z16    = ~(|n16[127:112]);
  assign n8     = z16 ? n16[111:72] : n16[127:88];
  assign rest8  = ~z16 & (|(n16[87:72] ^ {16{sign_q3}}));
  assign z8     = ~(|n8[127:120]);
  assign n4     = z8 ? n8[119:88] : n8[127:96];
  assign rest4  = ~z8 & (|(n8[95:88] ^ {8{sign_q3}}));
  always_ff @(posedge clk_i) begin
    norm_q4 <= n4;
    rest_q4 <= rest_q3 | rest16 | rest8 | rest4;
    lz_q4   <= {z64_q3, z32, z16, z8};
    sign_q4 <= sign_q3;
    exp_q4  <= exp_q3;
    spec_q4 <= spec_q3;
  end

  logic [127:103] lead;
  logic           rest2, rest1, rest0, rest;
  assign z4    = ~(|norm_q4[127:124]);
  assign n2    = z4 ? norm_q4[123:96] : norm_q4[127:100];
  assign rest2 = ~z4 & (|(norm_q4[99:96] ^ {4{sign_q4}}));
  assign z2    = ~(|n2[127:126]);
  assign n1    = z2 ? n2[125:100] : n2[127:102];
  assign rest1 = ~z2 & (|(n2[101:100] ^ {2{sign_q4}}));
  assign z1    = ~n1[127];
  assign lead  = z1 ? n1[126:102] : n1[127:103];
  assign rest0 = ~z1 & (n1[102] ^ sign_q4);
  assign rest  = rest_q4 | rest2 | rest1 | rest0;

  logic [25:0]        sig_q5;      // 24 significand bits, round bit, sticky bit
  logic signed [10:0] be_q5;       // biased exponent of a normal result
  logic               sign_q5, zero_q5;
  spec_e              spec_q5;
  logic               sub_q5;
  logic [4:0]         shift_q5;   // right shift of a subnormal result, so that its lsb is 2^-149
  logic signed [10:0] top;        // biased exponent before subtracting leading zeros
  logic [10:0]        zeros;
  logic signed [10:0] be, under;  // shift below the normal range
  assign top   = {exp_q4[9], exp_q4} + 11'(WinW - 1 - FRAC + 127 - BIAS);
  assign zeros = {4'd0, lz_q4, z4, z2, z1};
  assign be    = top - $signed(zeros);
  assign under = $signed(zeros) - (top - 11'sd1);
  always_ff @(posedge clk_i) begin
    sig_q5   <= {lead, rest};
    zero_q5  <= ~lead[127];
    be_q5    <= be;
    sub_q5   <= ~under[10] & (|under);
    shift_q5 <= under[10] ? 5'd0 : ((|under[9:5]) ? 5'd31 : under[4:0]);
    sign_q5  <= sign_q4;
    spec_q5  <= spec_q4;
  end

  // ---------------------------------------------------------------- stage 6: round
  // A subnormal result is shifted right first, so that its lsb is 2^-149. If the complement of a
  // negative total has only ones below the round bit, adding the missing one carries into the round
  // bit: a set round bit rounds up, a clear one becomes a tie.
  logic [24:0] shifted;
  logic        shifted_rest;
  assign shifted      = sig_q5[25:1] >> shift_q5;
  assign shifted_rest = sig_q5[0] |
                        (|((sig_q5[25:1] ^ {25{sign_q5}}) & ~(25'h1FF_FFFF << shift_q5)));

  logic        inc;
  logic [24:0] next_up, rounded;  // next_up does not wait for inc
  logic [7:0]  be_final;
  logic        overflow;
  assign inc      = sign_q5 ? (shifted[0] | (~shifted_rest & shifted[1]))
                            : (shifted[0] & (shifted_rest | shifted[1]));
  assign next_up  = {1'b0, shifted[24:1]} + 25'd1;
  assign rounded  = inc ? next_up : {1'b0, shifted[24:1]};
  assign be_final = sub_q5 ? {7'd0, rounded[23]} : (rounded[24] ? be_q5[7:0] + 8'd1 : be_q5[7:0]);
  assign overflow = ~sub_q5 & ((be_q5 >= 11'sd255) | ((be_q5 == 11'sd254) & rounded[24]));

  always_comb begin
    if (spec_q5 == SpecNan)       acc_o = 32'h7FC0_0000;
    else if (spec_q5 == SpecPinf) acc_o = 32'h7F80_0000;
    else if (spec_q5 == SpecNinf) acc_o = 32'hFF80_0000;
    else if (zero_q5)             acc_o = 32'd0;
    else if (overflow) acc_o = {sign_q5, 8'hFF, 23'd0};
    else acc_o = {sign_q5, be_final, rounded[22:0]};
  end

`ifdef FORMAL
`include "mxe_facc.proof.svh"
`endif
endmodule
`default_nettype wire
