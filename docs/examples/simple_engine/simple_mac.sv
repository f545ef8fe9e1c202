// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the simple engine: adds one product of elements per cycle to an exact integer sum, and each
// block's sum to an FP32 accumulator, in exact fixed point with one rounding.
`default_nettype none
module simple_mac (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [3:0]  fmt_a_i,
  input  logic [3:0]  fmt_b_i,
  input  logic        load_i,     // loads init_i into the accumulator
  input  logic [31:0] init_i,
  input  logic        clear_i,    // starts a block
  input  logic        step_i,     // multiplies a pair of elements
  input  logic [7:0]  a_i,
  input  logic [7:0]  b_i,
  input  logic        add_i,      // adds the block to the accumulator
  input  logic [7:0]  scale_a_i,
  input  logic [7:0]  scale_b_i,
  output logic [31:0] acc_o
);
  localparam logic [31:0] Nan = 32'h7fc00000;

  // ---------------------------------------------------------------- elements
  // Sign, exponent field, mantissa field and the mantissa's width of a floating-point code.
  function automatic logic [10:0] fields(input logic [3:0] fmt, input logic [7:0] code);
    case (fmt)
      mxe_reg_pkg::FORMAT_MXFP4_E2M1: fields = {code[3], 3'd0, code[2:1], 2'd0, code[0], 2'd1};
      mxe_reg_pkg::FORMAT_MXFP4_E1M2: fields = {code[3], 4'd0, code[2], 1'd0, code[1:0], 2'd2};
      mxe_reg_pkg::FORMAT_MXFP6_E2M3: fields = {code[5], 3'd0, code[4:3], code[2:0], 2'd3};
      mxe_reg_pkg::FORMAT_MXFP6_E3M2: fields = {code[5], 2'd0, code[4:2], 1'd0, code[1:0], 2'd2};
      mxe_reg_pkg::FORMAT_MXFP8_E4M3: fields = {code[7], 1'd0, code[6:3], code[2:0], 2'd3};
      default:                        fields = {code[7], code[6:2], 1'd0, code[1:0], 2'd2};
    endcase
  endfunction

  // An element is an integer times a power of two that depends only on the format.
  function automatic logic signed [33:0] integer_of(input logic [3:0] fmt, input logic [7:0] code);
    logic        sign;
    logic [4:0]  exponent;
    logic [2:0]  mantissa;
    logic [1:0]  width;
    logic [33:0] magnitude;
    {sign, exponent, mantissa, width} = fields(fmt, code);
    magnitude = 34'(mantissa);
    if (exponent != 5'd0) magnitude = ((34'd1 << width) | magnitude) << (exponent - 5'd1);
    if (fmt == mxe_reg_pkg::FORMAT_MXINT8) integer_of = 34'(signed'(code));
    else integer_of = sign ? -$signed(magnitude) : $signed(magnitude);
  endfunction

  // The negative exponent of that power.
  function automatic logic [4:0] point_of(input logic [3:0] fmt);
    case (fmt)
      mxe_reg_pkg::FORMAT_MXFP4_E2M1: point_of = 5'd1;
      mxe_reg_pkg::FORMAT_MXFP4_E1M2: point_of = 5'd2;
      mxe_reg_pkg::FORMAT_MXFP6_E2M3: point_of = 5'd3;
      mxe_reg_pkg::FORMAT_MXFP6_E3M2: point_of = 5'd4;
      mxe_reg_pkg::FORMAT_MXFP8_E4M3: point_of = 5'd9;
      mxe_reg_pkg::FORMAT_MXFP8_E5M2: point_of = 5'd16;
      default:                        point_of = 5'd6;
    endcase
  endfunction

  function automatic logic is_nan(input logic [3:0] fmt, input logic [6:0] code);
    is_nan = ((fmt == mxe_reg_pkg::FORMAT_MXFP8_E4M3) & (code == 7'h7f)) |
             ((fmt == mxe_reg_pkg::FORMAT_MXFP8_E5M2) & (code > 7'h7c));
  endfunction

  function automatic logic is_inf(input logic [3:0] fmt, input logic [6:0] code);
    is_inf = (fmt == mxe_reg_pkg::FORMAT_MXFP8_E5M2) & (code == 7'h7c);
  endfunction

  // ---------------------------------------------------------------- the block
  logic signed [79:0] sum_q;            // 32 products of at most 64 bits
  logic               nan_q, plus_inf_q, minus_inf_q;
  logic signed [33:0] a, b;
  logic               a_inf, b_inf, minus;
  assign a     = integer_of(fmt_a_i, a_i);
  assign b     = integer_of(fmt_b_i, b_i);
  assign a_inf = is_inf(fmt_a_i, a_i[6:0]);
  assign b_inf = is_inf(fmt_b_i, b_i[6:0]);
  assign minus = a[33] ^ b[33];

  always_ff @(posedge clk_i) begin
    if (clear_i) begin
      sum_q       <= '0;
      nan_q       <= 1'b0;
      plus_inf_q  <= 1'b0;
      minus_inf_q <= 1'b0;
    end else if (step_i) begin
      if (a_inf | b_inf) begin
        plus_inf_q  <= plus_inf_q | ~minus;
        minus_inf_q <= minus_inf_q | minus;
      end else begin
        sum_q <= sum_q + 80'(a) * 80'(b);
      end
      nan_q <= nan_q | is_nan(fmt_a_i, a_i[6:0]) | is_nan(fmt_b_i, b_i[6:0]) |
               (a_inf & (b == '0)) | (b_inf & (a == '0));
    end
  end

  // ---------------------------------------------------------------- the accumulator
  // Fixed point: bit 0 weighs 2^-286, the smallest product of scales and elements; the
  // largest block sum ends below bit 577.
  localparam int unsigned W = 640;
  localparam int unsigned Least = 286 - 149;  // bit of the smallest FP32 number, 2^-149

  function automatic logic signed [W-1:0] fixed_of(input logic [31:0] x);
    logic [W-1:0] magnitude;
    magnitude = W'({x[30:23] != 8'd0, x[22:0]});
    magnitude = magnitude << (Least + ((x[30:23] == 8'd0) ? 32'd0 : 32'(x[30:23]) - 32'd1));
    fixed_of = x[31] ? -$signed(magnitude) : $signed(magnitude);
  endfunction

  // Rounds to the nearest FP32 number, ties to even.
  function automatic logic [31:0] round(input logic signed [W-1:0] x);
    logic [W-1:0] magnitude;
    int unsigned  top, cut;
    int unsigned  exponent;  // exponent field - 1; the leading one adds 1
    logic [33:0]  code;
    logic         half, sticky;
    magnitude = x[W-1] ? -x : x;
    top = 0;  // index of the leading one
    for (int i = 9; i >= 0; i--) begin
      if ((magnitude >> (top + (1 << i))) != '0) top = top + (1 << i);
    end
    cut = (top > Least + 23) ? (top - 23) : Least;  // index of the last kept bit
    half   = magnitude[cut - 1];
    sticky = ((magnitude << (W + 1 - cut)) != '0);
    // A carry out of the mantissa increments the exponent, as rounding requires.
    exponent = cut - Least;
    code = magnitude[cut +: 34] + {exponent[10:0], 23'd0};
    code = code + {33'd0, half & (sticky | code[0])};
    if (code > 34'h7f800000) code = 34'h7f800000;
    round = {x[W-1] & (magnitude != '0), code[30:0]};
  endfunction

  logic [31:0]         acc_q;
  logic signed [W-1:0] total;
  logic                acc_nan, acc_inf, plus_inf, minus_inf;
  assign acc_nan   = (acc_q[30:0] > 31'h7f800000);
  assign acc_inf   = (acc_q[30:0] == 31'h7f800000);
  assign plus_inf  = plus_inf_q | (acc_inf & ~acc_q[31]);
  assign minus_inf = minus_inf_q | (acc_inf & acc_q[31]);
  // The shift is 0 for the smallest scales and the finest format, E5M2: 2^(0 + 0 - 254 - 16 - 16).
  assign total = fixed_of(acc_q) +
                 (W'(sum_q) <<< (32'(scale_a_i) + 32'(scale_b_i) + 32'd32 -
                                 32'(point_of(fmt_a_i)) - 32'(point_of(fmt_b_i))));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      acc_q <= '0;
    end else if (load_i) begin
      acc_q <= init_i;
    end else if (add_i) begin
      if (nan_q | acc_nan | (scale_a_i == 8'hff) | (scale_b_i == 8'hff) | (plus_inf & minus_inf))
        acc_q <= Nan;
      else if (plus_inf | minus_inf) acc_q <= {minus_inf, 31'h7f800000};
      else acc_q <= round(total);
    end
  end
  assign acc_o = acc_q;
endmodule
`default_nettype wire
