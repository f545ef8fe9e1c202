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

  // An accumulator that passes alone is aligned as if above sum's lsb; zero may have any position.
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
  logic [24:0] next_up, rounded;  // computed without waiting for inc
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
  // These assertions together prove that acc_o is acc + sum * 2^exp rounded to the nearest binary32
  // number, ties to even. Each stage is proven from the registers of the stage before, for all
  // values that the previous stage can produce.
  logic [1:0] f_age_q = 2'd0;  // cycles since the start, up to 3
  always_ff @(posedge clk_i) if (f_age_q != 2'd3) f_age_q <= f_age_q + 2'd1;

  // Align. The window holds acc at its position; bits below the window are ORed into its lowest
  // bit. If acc is too far above sum it passes alone: sum is less than a quarter of its last place.
  logic signed [24:0]     f_acc_val_q;
  logic signed [10:0]     f_place, f_place_q;
  logic signed [9:0]      f_acc_exp_q;
  logic                   f_alone_q, f_zero_q;
  logic signed [WIDTH-1:0] f_sum_q;
  logic signed [WinW-1:0] f_up;    // acc shifted left
  logic signed [88:0]     f_down;  // acc shifted right, 64 bits higher
  logic [5:0]             f_by;
  logic [WinW-1:0]        f_below;
  logic [1:0]             f_lost_q;  // bits of acc were shifted out: stages 1 and 2
  assign f_place = acc_alone ? 11'(FRAC)
                             : ($signed({3'b000, acc_field}) - {exp_i[9], exp_i} + PlaceOffset);
  always_ff @(posedge clk_i) begin
    f_acc_val_q <= acc_val;
    f_acc_exp_q <= acc_exp;
    f_place_q   <= f_place;
    f_alone_q   <= acc_alone;
    f_zero_q    <= acc_zero;
    f_sum_q     <= sum_i;
    f_lost_q    <= {f_lost_q[0], f_place[10] & ~acc_zero};
  end
  assign f_up    = {{(WinW-25){f_acc_val_q[24]}}, f_acc_val_q} << f_place_q[6:0];
  assign f_by    = (f_place_q < -11'sd40) ? 6'd40 : (6'd0 - f_place_q[5:0]);
  assign f_down  = $signed({f_acc_val_q, 64'd0}) >>> f_by;
  assign f_below = {{(WinW-25){f_down[88]}}, f_down[88:65], f_down[64] | (|f_down[63:0])};

  logic signed [WinW-1:0]  f_win_q, f_total_q;
  logic signed [WIDTH-1:0] f_term_q;
  logic [3:0]              f_lz_q;
  logic [2:0]              f_zeros_q;
  logic signed [9:0]       f_exp_q1, f_exp_q2, f_exp_q3, f_exp_q4;
  logic                    f_sign_q3, f_sign_q4;
  always_ff @(posedge clk_i) begin
    f_win_q    <= acc_win_q1;
    f_term_q   <= sum_q1;
    f_total_q  <= total_q2;
    f_lz_q     <= lz_q4;
    f_zeros_q  <= zeros[2:0];
    f_exp_q1   <= exp_q1;
    f_exp_q2   <= exp_q2;
    f_exp_q3   <= exp_q3;
    f_exp_q4   <= exp_q4;
    f_sign_q3  <= sign_q3;
    f_sign_q4  <= sign_q4;
  end

  // Normalise. A stage's magnitude, including its lowest bit, is the register plus the missing one
  // of a complemented negative total, unless sticky bits are set. It must equal the magnitude
  // shifted left by the same number of positions.
  logic [WinW-1:0] f_abs;
  logic [128:0]    f_wide;
  logic [128:40]   f_kept3, f_kept_q3, f_coarse;
  logic [128:96]   f_kept4, f_kept_q4, f_fine;
  logic [128:103]  f_kept5;
  logic            f_rest_q3, f_rest_q4, f_z64_q, f_mag_q, f_norm_q;
  assign f_abs    = f_total_q[WinW-1] ? -f_total_q : f_total_q;
  assign f_wide   = {1'b0, f_abs, {(NormW-WinW){1'b0}}} << {z64_q3, 6'd0};
  assign f_kept3  = {1'b0, mag_q3} + 89'(sign_q3 & ~rest_q3);
  assign f_kept4  = {1'b0, norm_q4} + 33'(sign_q4 & ~rest_q4);
  assign f_kept5  = {1'b0, sig_q5[25:1]} + 26'(sign_q5 & ~sig_q5[0]);
  assign f_coarse = f_kept_q3 << {lz_q4[2:0], 3'd0};
  assign f_fine   = f_kept_q4 << f_zeros_q;
  always_ff @(posedge clk_i) begin
    f_kept_q3 <= f_kept3;
    f_kept_q4 <= f_kept4;
    f_rest_q3 <= rest_q3;
    f_rest_q4 <= rest_q4;
    f_z64_q   <= z64_q3;
    f_mag_q   <= (mag_q3 != '0);
    f_norm_q  <= (|norm_q4[127:120]);
  end

  // Round. The magnitude is in quarters of the result's last place, with a sticky lowest bit. The
  // last place of a subnormal result is 2^shift_q5 times as large.
  logic [58:0] f_sig, f_result, f_half;
  assign f_sig    = {32'd0, f_kept5, sig_q5[0]};
  assign f_result = {32'd0, rounded, 2'd0} << shift_q5;
  assign f_half   = 59'd2 << shift_q5;

  logic [1:0] f_spec;
  logic [1:0] f_spec_q;
  logic [7:0] f_special_q;
  assign f_spec = (nan_i | acc_nan | ((pinf_i | acc_pinf) & (ninf_i | acc_ninf))) ? SpecNan
                : (pinf_i | acc_pinf) ? SpecPinf : (ninf_i | acc_ninf) ? SpecNinf : SpecNone;
  always_ff @(posedge clk_i) begin
    f_spec_q    <= f_spec;
    f_special_q <= {spec_q4, spec_q3, spec_q2, spec_q1};
  end

  logic [32:0] f_number;       // result with unbounded exponent, if normal
  logic        too_far_kept_q; // sum is less than a quarter of acc's last place
  localparam bit Folds = (FRAC >= 27);  // else the instantiating module guarantees a normalised sum
  always_ff @(posedge clk_i) begin
    if (f_age_q != 2'd0) begin
      facc_zero    : assert (!f_zero_q || (acc_win_q1 == '0));
      facc_up      : assert (f_zero_q || f_place_q[10] ||
                             ((f_place_q <= MaxPlace) && (acc_win_q1 == f_up)));
      facc_below   : assert (f_zero_q || !f_place_q[10] || (acc_win_q1 == f_below));
      facc_window  : assert (acc_win_q1[WinW-1] == acc_win_q1[WinW-2]);
      facc_sum     : assert (sum_q1 == (f_alone_q ? '0 : f_sum_q));
      facc_weight  : assert (f_zero_q ||
                             ({exp_q1[9], exp_q1} + f_place_q - 11'(FRAC) ==
                              {f_acc_exp_q[9], f_acc_exp_q}));
      facc_alone   : assert (f_zero_q || (f_sum_q == '0) || !f_alone_q || too_far_kept_q);
      facc_add     : assert (!f_age_q[1] ||
                             ({total_q2[WinW-1], total_q2} ==
                              {{28{f_term_q[WIDTH-1]}}, f_term_q, {FRAC{1'b0}}} +
                              {f_win_q[WinW-1], f_win_q}));
      facc_abs     : assert ((f_kept3 == f_wide[128:40]) && (rest_q3 == (|f_wide[39:0])) &&
                             (sign_q3 == f_total_q[WinW-1]));
      facc_some    : assert ((|mag_q3[127:64]) == (f_total_q != '0));
      // The sticky bit lies below the round bit.
      facc_lost_q1 : assert (!Folds || !f_lost_q[0] ||
                             ((sum_q1 != '0) && ((&acc_win_q1[WinW-1:24]) |
                                                 ~(|acc_win_q1[WinW-1:24]))));
      facc_lost_q2 : assert (!Folds || !f_age_q[1] || !f_lost_q[1] ||
                             (~(&total_q2[WinW-1:26]) && (|total_q2[WinW-1:26])));
      facc_coarse  : assert ((f_kept4 == f_coarse[128:96]) &&
                             (rest_q4 == (f_rest_q3 | (|f_coarse[95:40]))));
      facc_leading : assert (!f_age_q[1] || ((|norm_q4[127:120]) == f_mag_q));
      facc_fine    : assert ((f_kept5 == f_fine[128:103]) &&
                             (sig_q5[0] == (f_rest_q4 | (|f_fine[102:96]))));
      facc_top     : assert ((sig_q5[25] == f_norm_q) && (zero_q5 == ~sig_q5[25]));
      facc_biased  : assert (be_q5 == {f_exp_q4[9], f_exp_q4} + 11'(WinW - 1 - FRAC + 127 - BIAS) -
                                      {4'd0, f_lz_q, f_zeros_q});
      facc_shift   : assert ((sub_q5 == (be_q5 <= 11'sd0)) &&
                             (shift_q5 == (~sub_q5 ? 5'd0 : (be_q5 < -11'sd30) ? 5'd31
                                                          : (5'd1 - be_q5[4:0]))));
      facc_beside  : assert ((exp_q2 == f_exp_q1) && (exp_q3 == f_exp_q2) &&
                             (exp_q4 == f_exp_q3) && (sign_q4 == f_sign_q3) &&
                             (lz_q4[3] == f_z64_q) &&
                             (sign_q5 == f_sign_q4));
      facc_special : assert ({spec_q5, spec_q4, spec_q3, spec_q2, spec_q1} ==
                             {f_special_q, f_spec_q});
      facc_nearest : assert ((f_result + f_half >= f_sig) && (f_sig + f_half >= f_result));
      facc_tie     : assert (~rounded[0] || ((f_result + f_half != f_sig) &&
                                             (f_sig + f_half != f_result)));
      // Exponent and fraction together number the values of one sign in order.
      facc_result  : assert ((spec_q5 != SpecNone) || zero_q5 || (acc_o[31] == sign_q5));
      facc_number  : assert ((spec_q5 != SpecNone) || zero_q5 ||
                             ({2'd0, acc_o[30:0]} ==
                              (sub_q5 ? {8'd0, rounded}
                               : (f_number >= 33'h7F80_0000) ? 33'h7F80_0000 : f_number)));
      facc_plain   : assert (((spec_q5 != SpecNan) || (acc_o == 32'h7FC0_0000)) &&
                             ((spec_q5 != SpecPinf) || (acc_o == 32'h7F80_0000)) &&
                             ((spec_q5 != SpecNinf) || (acc_o == 32'hFF80_0000)) &&
                             ((spec_q5 != SpecNone) || !zero_q5 || (acc_o == '0)));
    end
  end
  logic signed [WinW+1:0] f_term;
  assign f_number = ({22'd0, be_q5} << 23) + {8'd0, rounded} - 33'h080_0000;
  assign f_term   = {{29{sum_i[WIDTH-1]}}, sum_i, {FRAC{1'b0}}};
  always_ff @(posedge clk_i) begin
    too_far_kept_q <= (($signed({3'b000, acc_field}) - {exp_i[9], exp_i} + PlaceOffset) >=
                       11'(WIDTH + FRAC + 1)) && (f_term <= (WinW+2)'(1) <<< (WIDTH - 1 + FRAC)) &&
                      (f_term >= -((WinW+2)'(1) <<< (WIDTH - 1 + FRAC)));
  end
`endif
endmodule
`default_nettype wire
