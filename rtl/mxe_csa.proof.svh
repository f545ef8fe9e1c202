// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_csa, inside its module.
  always_comb begin
    csa_sum : assert (cut_i || ((sum_o + carry_o) == (a_i + b_i + c_i + WIDTH'(ones_i[0]))));
    csa_low : assert (!cut_i || ((sum_o[CUT-1:0] + carry_o[CUT-1:0]) ==
                      (a_i[CUT-1:0] + b_i[CUT-1:0] + c_i[CUT-1:0] + CUT'(ones_i[0]))));
    csa_high : assert (!cut_i || ((sum_o[WIDTH-1:CUT] + carry_o[WIDTH-1:CUT]) ==
                       (a_i[WIDTH-1:CUT] + b_i[WIDTH-1:CUT] + c_i[WIDTH-1:CUT] +
                        (WIDTH-CUT)'(ones_i[1]))));
  end
