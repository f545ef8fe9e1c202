// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_scaled_block, inside its module.
  // Each stage is proven from the registers of the stage before, for sums that 16 products can have.
  logic [1:0]         f_age_q = 2'd0;  // cycles since the start, up to 2
  logic signed [12:0] f_sum, f_sum_q, f_sum_q2;
  logic [7:0]         f_sig_q, f_sig_q2;
  logic [4:0]         f_exp, f_exp_q, f_exp_q2;
  logic signed [21:0] f_product;
  logic signed [47:0] f_term;
  assign f_sum     = sum_i + carry_i + 13'(ones_i[0]) + 13'(ones_i[1]);
  assign f_exp     = {1'b0, a_scale_i[7:4]} + {1'b0, b_scale_i[7:4]};
  assign f_product = f_sum_q2 * $signed({1'b0, f_sig_q2});
  assign f_term    = 48'($signed(product_q));
  always_ff @(posedge clk_i) begin
    if (f_age_q != 2'd2) f_age_q <= f_age_q + 2'd1;
    f_sum_q  <= f_sum;
    f_sum_q2 <= sum_q;
    f_sig_q  <= {4'd0, a_scale_i[3:0]} * {4'd0, b_scale_i[3:0]};
    f_sig_q2 <= sig_q;
    f_exp_q  <= f_exp;
    f_exp_q2 <= f_exp_q;
  end
  always_comb begin
    block_sum_small : assume ((f_sum >= -13'sd2304) && (f_sum <= 13'sd2304));
    block_exp_small : assume ((a_scale_i[7:4] <= 4'd14) && (b_scale_i[7:4] <= 4'd14));
    if (f_age_q != 2'd0) begin
      block_sum : assert ((sum_q == f_sum_q) && (sig_q == f_sig_q) && (exp_q == f_exp_q));
    end
    if (f_age_q == 2'd2) begin
      block_small   : assert (f_sig_q2 <= 8'd225);
      block_product : assert (f_product == 22'($signed(product_q)));
      block_exp     : assert (exp_q2 == f_exp_q2);
      block_term    : assert ($signed(term_o) == (f_term <<< exp_q2));
    end
  end
