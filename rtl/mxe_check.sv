// SPDX-License-Identifier: Apache-2.0
// Legality of a descriptor: STATUS_OK or the first rule it breaks.
`default_nettype none
module mxe_check #(
  parameter int unsigned TREE_W = 70
) (
  input  logic [mxe_reg_pkg::DESC_STATUS_LSB-1:0] desc_i,
  output logic [3:0] status_o
);
  logic [3:0]  fmt_a, fmt_b, out_fmt;
  logic [31:0] m, n, k;
  assign fmt_a   = desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_A_LSB +: 4];
  assign fmt_b   = desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_B_LSB +: 4];
  assign out_fmt = desc_i[mxe_reg_pkg::DESC_CONTROL_OUT_FMT_LSB +: 4];
  assign m       = desc_i[mxe_reg_pkg::DESC_M_LSB +: 32];
  assign n       = desc_i[mxe_reg_pkg::DESC_N_LSB +: 32];
  assign k       = desc_i[mxe_reg_pkg::DESC_K_LSB +: 32];

  logic pair_ok;
  assign pair_ok = (mxe_pkg::pair_tree_w(fmt_a[2:0], fmt_b[2:0]) <= 7'(TREE_W));

  // Addresses and strides of C and D are multiples of their numbers' size; MX elements are bytes.
  logic       out_mx, out_ok, misaligned;
  logic [1:0] c_low, d_low, c_mask, d_mask;
  assign out_mx = (out_fmt >= mxe_reg_pkg::OUT_MXFP4_E2M1) & (out_fmt <= mxe_reg_pkg::OUT_MXINT8);
  assign out_ok = out_mx | (out_fmt == mxe_reg_pkg::OUT_FP32) | (out_fmt == mxe_reg_pkg::OUT_BF16);
  assign c_low  = desc_i[mxe_reg_pkg::DESC_C_ADDR_LSB +: 2] |
                  desc_i[mxe_reg_pkg::DESC_C_STRIDE_LSB +: 2];
  assign d_low  = desc_i[mxe_reg_pkg::DESC_D_ADDR_LSB +: 2] |
                  desc_i[mxe_reg_pkg::DESC_D_STRIDE_LSB +: 2];
  assign c_mask = desc_i[mxe_reg_pkg::DESC_CONTROL_BIAS_BF16_LSB] ? 2'b01 : 2'b11;
  assign d_mask = out_mx ? 2'b00 : (out_fmt == mxe_reg_pkg::OUT_BF16) ? 2'b01 : 2'b11;
  assign misaligned = |((c_low & c_mask) | (d_low & d_mask));

  always_comb begin
    status_o = mxe_reg_pkg::STATUS_OK[3:0];
    if (|(desc_i & mxe_reg_pkg::DESC_RESERVED_MASK[mxe_reg_pkg::DESC_STATUS_LSB-1:0]))
      status_o = mxe_reg_pkg::STATUS_ERR_DESCRIPTOR[3:0];
    else if ((m == 32'd0) | (n == 32'd0) | (k == 32'd0))
      status_o = mxe_reg_pkg::STATUS_ERR_SHAPE[3:0];
    else if ((fmt_a > mxe_reg_pkg::FORMAT_MXINT8) | (fmt_b > mxe_reg_pkg::FORMAT_MXINT8))
      status_o = mxe_reg_pkg::STATUS_ERR_FORMAT[3:0];
    else if (!pair_ok)
      status_o = mxe_reg_pkg::STATUS_ERR_PAIR[3:0];
    else if (!out_ok)
      status_o = mxe_reg_pkg::STATUS_ERR_OUT_FORMAT[3:0];
    else if (misaligned)
      status_o = mxe_reg_pkg::STATUS_ERR_ALIGN[3:0];
  end
endmodule
`default_nettype wire
