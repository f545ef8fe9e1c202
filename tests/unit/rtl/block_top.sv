// SPDX-License-Identifier: Apache-2.0
// Test top: the arithmetic blocks of the RTL. Each has its own pins; the test reads inner signals.
`default_nettype none
module block_top (
  input  logic              clk_i,
  input  logic [2:0]        fmt_a_i,
  input  logic [2:0]        fmt_b_i,
  input  logic              dual_i,
  input  logic              nvfp4_i,
  // a row of a pass, in processing elements with the widest and the narrowest tree
  input  logic [255:0]      a_word_i,
  input  logic [255:0]      b_word_i,
  input  logic [6:0]        b_count_i,
  input  logic [31:0]       a_scale_i,
  input  logic [31:0]       b_scale_i,
  input  logic [31:0]       init_i,
  output logic [31:0]       even70_o,
  output logic [31:0]       odd70_o,
  output logic [31:0]       even42_o,
  output logic [31:0]       odd42_o,
  // join of two chains
  input  logic [31:0]       even_i,
  input  logic [31:0]       odd_i,
  output logic [31:0]       merged_o,
  // requantiser: a segment, its scale, its first code
  input  logic [2:0]        fmt_d_i,
  input  logic [1:0]        rule_i,
  input  logic              special_i,
  input  logic [255:0]      x_i,
  output logic [7:0]        scale_o,
  output logic [7:0]        code_o,
  output logic              over_o
);
  localparam int unsigned VecW = mxe_pkg::LANES * mxe_pkg::DEC_W;
  mxe_pkg::fmt_info_t fmt_a, fmt_b, fmt_d;
  assign fmt_a = mxe_pkg::fmt_info(fmt_a_i);
  assign fmt_b = mxe_pkg::fmt_info(fmt_b_i);
  assign fmt_d = mxe_pkg::fmt_info(fmt_d_i);

  logic [VecW-1:0]            a_dec, b_dec;
  logic [mxe_pkg::FLAG_W-1:0] a_flags, b_flags;
  mxe_decode_word u_decode_a (
    .word_i(a_word_i), .fmt_i(fmt_a), .dual_i, .count_i(7'd64), .dec_o(a_dec), .flags_o(a_flags)
  );
  mxe_decode_word u_decode_b (
    .word_i(b_word_i), .fmt_i(fmt_b), .dual_i, .count_i(b_count_i), .dec_o(b_dec),
    .flags_o(b_flags)
  );

  logic signed [5:0] lsb_a, lsb_b;
  logic signed [9:0] exp_offset, exp_mx, exp_even, exp_odd;
  logic [1:0]        a_nan;
  logic [31:0]       a_scales, b_scales;
  logic              a_nv_nan, b_nv_nan;
  logic [32:0]       b_scale;
  assign lsb_a      = fmt_a.lsb;
  assign lsb_b      = fmt_b.lsb;
  assign exp_offset = {{4{lsb_a[5]}}, lsb_a} + {{4{lsb_b[5]}}, lsb_b}
                      + (10'(mxe_pkg::EXP_BIAS) - 10'sd254);
  assign exp_mx     = exp_offset + $signed({2'b00, a_scale_i[7:0]});
  assign exp_even   = nvfp4_i ? 10'(mxe_pkg::SCALED_EXP) : exp_mx;
  assign exp_odd    = exp_offset + $signed({2'b00, a_scale_i[15:8]});
  assign a_nan      = nvfp4_i ? {1'b0, a_nv_nan}
                              : {a_scale_i[15:8] == 8'hFF, a_scale_i[7:0] == 8'hFF};
  mxe_scales_e4m3 u_scales_a (
    .dual_i, .codes_i(a_scale_i), .scales_o(a_scales), .nan_o(a_nv_nan)
  );
  mxe_scales_e4m3 u_scales_b (
    .dual_i, .codes_i(b_scale_i), .scales_o(b_scales), .nan_o(b_nv_nan)
  );
  assign b_scale = nvfp4_i ? {b_nv_nan, b_scales} : {1'b0, b_scale_i};

  // Each accumulation starts at init_i, the one of the odd chain at zero.
  mxe_pe #(.TREE_W(70), .NVFP4(1'b1), .ACC_DEPTH(2)) u_pe70 (
    .clk_i, .dual_i, .nvfp4_i, .b_load_i(1'b1), .b_dec_i(b_dec), .b_flags_i(b_flags),
    .b_swap_i(1'b1), .b_scale_load_i(1'b1), .b_scale_i(b_scale), .b_scale_swap_i(1'b1),
    .a_dec_i(a_dec), .a_flags_i(a_flags), .a_scale_i(nvfp4_i ? a_scales : 32'd0), .exp_even_i(exp_even),
    .exp_odd_i(exp_odd), .a_nan_i(a_nan), .acc_re_i(1'b0), .acc_raddr_i(1'b0), .acc_first_i(1'b1),
    .init_i, .acc_we_i(1'b0), .acc_waddr_i(1'b0), .even_o(even70_o), .odd_o(odd70_o)
  );
  mxe_pe #(.TREE_W(42), .ACC_DEPTH(2)) u_pe42 (
    .clk_i, .dual_i, .nvfp4_i(1'b0), .b_load_i(1'b1), .b_dec_i(b_dec), .b_flags_i(b_flags),
    .b_swap_i(1'b1), .b_scale_load_i(1'b1), .b_scale_i(b_scale_i[15:0]), .b_scale_swap_i(1'b1),
    .a_dec_i(a_dec), .a_flags_i(a_flags), .a_scale_i('0), .exp_even_i(exp_mx),
    .exp_odd_i(exp_odd), .a_nan_i(a_nan), .acc_re_i(1'b0), .acc_raddr_i(1'b0), .acc_first_i(1'b1),
    .init_i, .acc_we_i(1'b0), .acc_waddr_i(1'b0), .even_o(even42_o), .odd_o(odd42_o)
  );

  mxe_merge u_merge (.clk_i, .even_i, .odd_i, .sum_o(merged_o));

  logic [mxe_pkg::AMAX_W-1:0] amax;
  mxe_amax #(.LANES(8)) u_amax (.clk_i, .x_i, .amax_o(amax));
  mxe_requant_scale u_requant_scale (.amax_i(amax), .fmt_i(fmt_d), .rule_i, .scale_o);
  logic [mxe_pkg::NARROW_W-1:0] narrow;
  mxe_narrow u_narrow (.x_i(x_i[31:0]), .narrow_o(narrow));
  mxe_requant_lane u_requant_lane (
    .clk_i, .fmt_i(fmt_d), .special_i, .x_i(narrow), .scale_i(scale_o), .code_o, .over_o
  );
endmodule
`default_nettype wire
