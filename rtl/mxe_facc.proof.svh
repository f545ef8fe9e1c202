// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_facc, inside its module.
  // These assertions together prove that acc_o is acc + sum * 2^exp rounded to the nearest binary32
  // number, ties to even. Each stage is proven from the registers of the stage before, for all
  // values that the previous stage can produce.
  logic [1:0] f_age_q = 2'd0;  // cycles since the start, up to 3
  always_ff @(posedge clk_i) if (f_age_q != 2'd3) f_age_q <= f_age_q + 2'd1;

  // Align. The window holds acc at its position; bits below the window are ORed into its lowest
  // bit. If acc is too far above sum it passes alone: |sum| is at most 1/4 of acc's last place.
  logic signed [24:0]     f_acc_val_q;
  logic signed [10:0]     f_place, f_place_q;
  logic signed [9:0]      f_acc_exp_q;
  logic                   f_alone_q, f_zero_q;
  logic signed [WIDTH-1:0] f_sum_q;
  logic signed [WinW-1:0] f_up;    // acc shifted left
  logic signed [88:0]     f_down;  // acc shifted right, 64 bits higher
  logic [5:0]             f_by;
  logic [WinW-1:0]        f_below;
  logic [1:0]             f_lost_q;  // acc's lsb was below the window: stages 1 and 2
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
  logic        too_far_kept_q; // |sum| is at most 1/4 of acc's last place
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
