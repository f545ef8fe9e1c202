// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_tree, inside its module.
  logic [WIDTH-1:0]     f_sum;
  logic [CUT-1:0]       f_low;
  logic [WIDTH-CUT-1:0] f_high;
  always_comb begin
    f_sum  = '0;
    f_low  = '0;
    f_high = '0;
    for (int i = 0; i < WORDS; i++) begin
      f_sum  = f_sum + x_i[WIDTH*i +: WIDTH];
      f_low  = f_low + x_i[WIDTH*i +: CUT];
      f_high = f_high + x_i[WIDTH*i + CUT +: WIDTH - CUT];
    end
    for (int i = 0; i < Adders; i++) begin
      f_sum  = f_sum + WIDTH'(ones_i[2*i]);
      f_low  = f_low + CUT'(ones_i[2*i]);
      f_high = f_high + (WIDTH-CUT)'(ones_i[2*i+1]);
    end
  end
  always_comb begin
    tree_sum  : assert (cut_i || ((sum_o + carry_o) == f_sum));
    tree_low  : assert (!cut_i || ((sum_o[CUT-1:0] + carry_o[CUT-1:0]) == f_low));
    tree_high : assert (!cut_i || ((sum_o[WIDTH-1:CUT] + carry_o[WIDTH-1:CUT]) == f_high));
  end
