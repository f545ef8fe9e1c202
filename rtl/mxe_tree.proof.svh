// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_tree, inside its module.
  logic [WIDTH-1:0] f_sum;
  always_comb begin
    f_sum = '0;
    for (int i = 0; i < WORDS; i++) f_sum = f_sum + x_i[WIDTH*i +: WIDTH];
  end
  always_comb tree_sum : assert ((sum_o + carry_o) == f_sum);
