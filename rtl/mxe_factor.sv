// SPDX-License-Identifier: Apache-2.0
// A binary32 number as a factor of mxe_alpha: the leading one of its significand moves to the top.
`default_nettype none
module mxe_factor (
  input  logic [31:0]      x_i,
  output mxe_pkg::factor_t factor_o
);
  logic [23:0]       sig;
  logic [4:0]        zeros;  // above the leading one, 24 for zero
  logic signed [9:0] exponent;
  logic              special;
  assign sig     = {|x_i[30:23], x_i[22:0]};
  assign special = &x_i[30:23];
  always_comb begin
    zeros = 5'd24;
    for (int i = 0; i < 24; i++) if (sig[i]) zeros = 5'd23 - 5'(i);
  end
  assign exponent = $signed({2'b00, x_i[30:23]}) + $signed({9'd0, ~sig[23]}) -
                    $signed({5'd0, zeros});
  assign factor_o.sig      = sig << zeros;
  assign factor_o.exponent = exponent;
  assign factor_o.sign     = x_i[31];
  assign factor_o.is_nan   = special & (|x_i[22:0]);
  assign factor_o.is_inf   = special & ~(|x_i[22:0]);
  assign factor_o.is_zero  = (sig == '0);
endmodule
`default_nettype wire
