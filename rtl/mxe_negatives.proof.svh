// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_negatives, inside its module.
  logic [1:0]                f_age_q = 2'd0;
  logic [mxe_pkg::LANES-1:0] f_even_q1, f_odd_q1, f_even_q2, f_odd_q2;
  logic                      f_dual_q;
  logic [WIDTH-1:0]          f_even, f_odd;
  always_ff @(posedge clk_i) begin
    if (f_age_q != 2'd2) f_age_q <= f_age_q + 2'd1;
    f_even_q1 <= even_i;
    f_odd_q1  <= odd_i;
    f_even_q2 <= f_even_q1;
    f_odd_q2  <= f_odd_q1;
    f_dual_q  <= dual_i;
  end
  always_comb begin
    f_even = '0;
    f_odd  = '0;
    for (int i = 0; i < mxe_pkg::LANES; i++) begin
      f_even = f_even + WIDTH'(f_even_q2[i]);
      f_odd  = f_odd + WIDTH'(f_odd_q2[i]);
    end
  end
  always_comb begin
    if (f_age_q == 2'd2) begin
      negatives_lack : assert (lack_o == f_even + (f_dual_q ? ((f_odd - f_even) << mxe_pkg::PACK_POS) : '0));
    end
  end
