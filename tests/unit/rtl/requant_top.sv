// SPDX-License-Identifier: Apache-2.0
`default_nettype none
module requant_top (
  input  logic        clk_i,
  input  logic [2:0]  fmt_i,
  // scale of a block
  input  logic [30:0] amax_i,
  input  logic [1:0]  rule_i,
  output logic [7:0]  scale_o,
  // one element, 4 cycles; the scale one cycle after x
  input  logic        special_i,
  input  logic [31:0] x_i,
  input  logic [7:0]  scale_i,
  output logic [7:0]  code_o,
  output logic        over_o,
  // largest magnitude of eight, 3 cycles
  input  logic [255:0] group_i,
  output logic [mxe_pkg::AMAX_W-1:0] amax8_o
);
  mxe_pkg::fmt_info_t fmt;
  assign fmt = mxe_pkg::fmt_info(fmt_i);
  mxe_requant_scale u_scale (
    .amax_i({amax_i[30:15], |amax_i[14:0]}), .fmt_i(fmt), .rule_i, .scale_o
  );
  logic [mxe_pkg::NARROW_W-1:0] narrow;
  mxe_narrow u_narrow (.x_i, .narrow_o(narrow));
  mxe_requant_lane u_lane (
    .clk_i, .fmt_i(fmt), .special_i, .x_i(narrow), .scale_i, .code_o, .over_o
  );
  mxe_amax #(.LANES(8)) u_amax (.clk_i, .x_i(group_i), .amax_o(amax8_o));
endmodule
`default_nettype wire
