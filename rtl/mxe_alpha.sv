// SPDX-License-Identifier: Apache-2.0
// Multiplies a result by the factor of its job: RNE_fp32(alpha * x), subnormals kept. An exact zero is
// +0; a product that underflows keeps its sign. Latency ALPHA_LAT = 5 cycles: normalise, multiply, add,
// align, round.
`default_nettype none
module mxe_alpha (
  input  logic        clk_i,
  input  logic [31:0] alpha_i,   // stable during a job
  input  logic [31:0] x_i,
  output logic [31:0] product_o
);
  typedef enum logic [1:0] { SpecNone, SpecNan, SpecInf, SpecZero } spec_e;

  // Leading zeros of a significand of 24 bits, 24 for zero.
  function automatic logic [4:0] leading_zeros(input logic [23:0] sig);
    leading_zeros = 5'd24;
    for (int i = 0; i < 24; i++) if (sig[i]) leading_zeros = 5'd23 - 5'(i);
  endfunction

  // ---------------------------------------------------------------- factor, constant in a job
  // Significands are normalised to 24 bits; the exponent of a subnormal number becomes at most 0.
  logic [23:0]        a_sig, a_norm_q;
  logic [4:0]         a_zeros;
  logic signed [9:0]  a_exp_q;
  logic               a_sign_q, a_nan_q, a_inf_q, a_zero_q;
  assign a_sig   = {|alpha_i[30:23], alpha_i[22:0]};
  assign a_zeros = leading_zeros(a_sig);
  always_ff @(posedge clk_i) begin
    a_norm_q <= a_sig << a_zeros;
    a_exp_q  <= $signed({2'b00, alpha_i[30:23]}) + $signed({9'd0, ~a_sig[23]}) -
                $signed({5'd0, a_zeros});
    a_sign_q <= alpha_i[31];
    a_nan_q  <= (&alpha_i[30:23]) & (|alpha_i[22:0]);
    a_inf_q  <= (&alpha_i[30:23]) & ~(|alpha_i[22:0]);
    a_zero_q <= (a_sig == '0);
  end

  // ---------------------------------------------------------------- stage 1: normalise
  logic [23:0]        sig, norm_q1;
  logic [4:0]         zeros;
  logic               x_special, x_nan, x_inf, x_zero;
  logic signed [10:0] exp_q1;   // of the product in [1, 4), biased by 2 * 127
  logic               sign_q1;
  spec_e              spec_q1;
  assign sig       = {|x_i[30:23], x_i[22:0]};
  assign zeros     = leading_zeros(sig);
  assign x_special = &x_i[30:23];
  assign x_nan     = x_special & (|x_i[22:0]);
  assign x_inf     = x_special & ~(|x_i[22:0]);
  assign x_zero    = (sig == '0);
  always_ff @(posedge clk_i) begin
    norm_q1 <= sig << zeros;
    exp_q1  <= $signed({3'd0, x_i[30:23]}) + $signed({10'd0, ~sig[23]}) - $signed({6'd0, zeros}) +
               $signed({a_exp_q[9], a_exp_q});
    sign_q1 <= x_i[31] ^ a_sign_q;
    spec_q1 <= (x_nan | a_nan_q | (x_inf & a_zero_q) | (x_zero & a_inf_q)) ? SpecNan
               : (x_inf | a_inf_q) ? SpecInf : (x_zero | a_zero_q) ? SpecZero : SpecNone;
  end

  // ---------------------------------------------------------------- stages 2 and 3: multiply, add
  logic [35:0]        low_q2, high_q2;
  logic [47:0]        product_q3;
  logic signed [10:0] exp_q2, exp_q3;
  logic               sign_q2, sign_q3;
  spec_e              spec_q2, spec_q3;
  always_ff @(posedge clk_i) begin
    low_q2     <= {12'd0, norm_q1} * {24'd0, a_norm_q[11:0]};
    high_q2    <= {12'd0, norm_q1} * {24'd0, a_norm_q[23:12]};
    product_q3 <= {high_q2, 12'd0} + {12'd0, low_q2};
    exp_q2     <= exp_q1;
    exp_q3     <= exp_q2;
    sign_q2    <= sign_q1;
    sign_q3    <= sign_q2;
    spec_q2    <= spec_q1;
    spec_q3    <= spec_q2;
  end

  // ---------------------------------------------------------------- stage 4: align
  // Significand and round bit (25 bits), sticky bit. A subnormal result is shifted right, so that its
  // lsb is 2^-149.
  logic               two;      // the product is in [2, 4)
  logic [24:0]        lead, shifted;
  logic               rest, lost;
  logic signed [10:0] be, under;
  logic [4:0]         shift;
  logic [24:0]        sig_q4;
  logic               rest_q4, sub_q4, sign_q4;
  logic signed [10:0] be_q4;
  spec_e              spec_q4;
  assign two     = product_q3[47];
  assign lead    = two ? product_q3[47:23] : product_q3[46:22];
  assign rest    = (|product_q3[21:0]) | (two & product_q3[22]);
  assign be      = exp_q3 - 11'sd127 + $signed({10'd0, two});
  assign under   = 11'sd1 - be;
  assign shift   = under[10] ? 5'd0 : ((|under[9:5]) ? 5'd31 : under[4:0]);
  assign shifted = lead >> shift;
  assign lost    = |(lead & ~(25'h1FF_FFFF << shift));
  always_ff @(posedge clk_i) begin
    sig_q4  <= shifted;
    rest_q4 <= rest | lost;
    be_q4   <= be;
    sub_q4  <= ~under[10] & (|under);
    sign_q4 <= sign_q3;
    spec_q4 <= spec_q3;
  end

  // ---------------------------------------------------------------- stage 5: round
  logic        inc, overflow;
  logic [24:0] rounded;
  logic [7:0]  be_final;
  assign inc      = sig_q4[0] & (rest_q4 | sig_q4[1]);
  assign rounded  = {1'b0, sig_q4[24:1]} + {24'd0, inc};
  assign be_final = sub_q4 ? {7'd0, rounded[23]} : (rounded[24] ? be_q4[7:0] + 8'd1 : be_q4[7:0]);
  assign overflow = ~sub_q4 & ((be_q4 >= 11'sd255) | ((be_q4 == 11'sd254) & rounded[24]));
  always_ff @(posedge clk_i) begin
    if (spec_q4 == SpecNan) product_o <= 32'h7FC0_0000;
    else if ((spec_q4 == SpecInf) | ((spec_q4 == SpecNone) & overflow))
      product_o <= {sign_q4, 8'hFF, 23'd0};
    else if (spec_q4 == SpecZero) product_o <= 32'd0;
    else product_o <= {sign_q4, be_final, rounded[22:0]};
  end
endmodule
`default_nettype wire
