// SPDX-License-Identifier: Apache-2.0
// Checks a descriptor: returns STATUS_OK or the first rule that it violates.
`default_nettype none
module mxe_check #(
  parameter int unsigned TREE_W = 70
) (
  input  logic [mxe_reg_pkg::DESC_STATUS_LSB-1:0] desc_i,
  input  mxe_pkg::job_t                           job_i,    // decoded from desc_i
  output logic [3:0]                              status_o
);
  // Unused upper bits of the format fields; they must be zero.
  localparam int unsigned FmtTop = mxe_reg_pkg::DESC_CONTROL_FMT_A_W - mxe_pkg::FmtW;
  logic [FmtTop-1:0] fmt_a_top, fmt_b_top;
  logic              fmt_ok, pair_ok, mx, alpha_ok;
  assign fmt_a_top = desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_A_LSB + mxe_pkg::FmtW +: FmtTop];
  assign fmt_b_top = desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_B_LSB + mxe_pkg::FmtW +: FmtTop];
  assign fmt_ok    = job_i.a.fmt.valid & job_i.b.fmt.valid & (fmt_a_top == '0) & (fmt_b_top == '0);
  // Both operands have E8M0 scales of blocks of at least 32, or both are NVFP4.
  assign mx        = (desc_i[mxe_reg_pkg::DESC_CONTROL_SCALE_A_LSB +: 2] == mxe_reg_pkg::SCALE_E8M0) &
                     (desc_i[mxe_reg_pkg::DESC_CONTROL_SCALE_B_LSB +: 2] == mxe_reg_pkg::SCALE_E8M0) &
                     (desc_i[mxe_reg_pkg::DESC_CONTROL_BLOCK_A_LSB +: 2] != mxe_reg_pkg::BLOCK_OF_16) &
                     (desc_i[mxe_reg_pkg::DESC_CONTROL_BLOCK_B_LSB +: 2] != mxe_reg_pkg::BLOCK_OF_16);
  // ALPHA only with one chain of sums, and if the engine has it.
  assign alpha_ok  = ~desc_i[mxe_reg_pkg::DESC_CONTROL_ALPHA_EN_LSB] |
                     (job_i.alpha_en & (job_i.nvfp4 | ~job_i.dual));
  assign pair_ok   = alpha_ok &
                     (job_i.nvfp4 |
                      (mx & (mxe_pkg::pair_tree_w(job_i.a.fmt.mag_bits, job_i.b.fmt.mag_bits) <=
                             7'(TREE_W))));

  // Addresses and strides of C (also without bias) and D must be multiples of their number size: 4
  // or 2 bytes. MX elements may have any address.
  logic       out_ok, misaligned;
  logic [3:0] out_fmt;
  logic [1:0] c_low, d_low, c_mask, d_mask;
  assign out_fmt = desc_i[mxe_reg_pkg::DESC_CONTROL_OUT_FMT_LSB +: 4];
  assign out_ok  = job_i.d.mx ? job_i.d.fmt.valid
                              : (job_i.d.two_bytes | (out_fmt == mxe_reg_pkg::OUT_FP32));
  assign c_low   = job_i.c.addr[1:0] | job_i.c.stride[1:0];
  assign d_low   = job_i.d.addr[1:0] | job_i.d.stride[1:0];
  assign c_mask  = job_i.c.bf16 ? 2'b01 : 2'b11;
  assign d_mask  = job_i.d.mx ? 2'b00 : job_i.d.two_bytes ? 2'b01 : 2'b11;
  assign misaligned = |((c_low & c_mask) | (d_low & d_mask));

  logic [31:0] k;
  assign k = desc_i[mxe_reg_pkg::DESC_K_LSB +: 32];
  always_comb begin
    status_o = mxe_reg_pkg::STATUS_OK[3:0];
    if (|(desc_i & mxe_reg_pkg::DESC_RESERVED_MASK[mxe_reg_pkg::DESC_STATUS_LSB-1:0]))
      status_o = mxe_reg_pkg::STATUS_ERR_DESCRIPTOR[3:0];
    else if ((job_i.m == 32'd0) | (job_i.n == 32'd0) | (k == 32'd0))
      status_o = mxe_reg_pkg::STATUS_ERR_SHAPE[3:0];
    else if (!fmt_ok)
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
