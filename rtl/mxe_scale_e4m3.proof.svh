// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_scale_e4m3, inside its module.
  // In units of 2^-10, a code's value is its fraction, with a leading one if normal, shifted left by
  // its exponent field (1 if subnormal).
  logic [18:0] f_value;
  assign f_value = {15'd0, scale_o[3:0]} << scale_o[7:4];
  always_comb begin
    e4m3_normal    : assert ((code_i[6:3] == 4'd0) ||
                             ({f_value[17:0], 1'b0} == ({15'd0, 1'b1, code_i[2:0]} << code_i[6:3])));
    e4m3_subnormal : assert ((code_i[6:3] != 4'd0) || (f_value == {16'd0, code_i[2:0]}));
    e4m3_nan       : assert (nan_o == (code_i >= 8'h7F));
    e4m3_exponent  : assert (nan_o || (f_value <= 19'd229376));  // 448 * 2^9
  end
