// SPDX-License-Identifier: Apache-2.0
// Decodes a descriptor's fields; the derived sizes are valid one cycle later.
`default_nettype none
module mxe_job #(
  parameter bit FP4_DUAL = 1'b1,
  parameter bit NVFP4    = 1'b1
) (
  input  logic                                    clk_i,
  input  logic [mxe_reg_pkg::DESC_STATUS_LSB-1:0] desc_i,
  output mxe_pkg::job_t                           job_o
);
  mxe_pkg::fmt_info_t fmt_a, fmt_b;
  logic [31:0]        k;
  logic               dual, nvfp4, alpha_en;
  assign fmt_a = mxe_pkg::fmt_info(desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_A_LSB +: mxe_pkg::FmtW]);
  assign fmt_b = mxe_pkg::fmt_info(desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_B_LSB +: mxe_pkg::FmtW]);
  assign k     = desc_i[mxe_reg_pkg::DESC_K_LSB +: 32];
  assign dual  = FP4_DUAL & fmt_a.is4 & fmt_b.is4;
  assign nvfp4 = NVFP4 &
    (desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_A_LSB +: 4] == mxe_reg_pkg::FORMAT_MXFP4_E2M1) &
    (desc_i[mxe_reg_pkg::DESC_CONTROL_FMT_B_LSB +: 4] == mxe_reg_pkg::FORMAT_MXFP4_E2M1) &
    (desc_i[mxe_reg_pkg::DESC_CONTROL_SCALE_A_LSB +: 2] == mxe_reg_pkg::SCALE_UE4M3) &
    (desc_i[mxe_reg_pkg::DESC_CONTROL_SCALE_B_LSB +: 2] == mxe_reg_pkg::SCALE_UE4M3) &
    (desc_i[mxe_reg_pkg::DESC_CONTROL_BLOCK_A_LSB +: 2] == mxe_reg_pkg::BLOCK_OF_16) &
    (desc_i[mxe_reg_pkg::DESC_CONTROL_BLOCK_B_LSB +: 2] == mxe_reg_pkg::BLOCK_OF_16);

  assign alpha_en = NVFP4 & desc_i[mxe_reg_pkg::DESC_CONTROL_ALPHA_EN_LSB];

  function automatic logic [1:0] coarse(input logic [1:0] block);
    coarse = (block == mxe_reg_pkg::BLOCK_OF_128) ? 2'd2 : (block == mxe_reg_pkg::BLOCK_OF_64) ? 2'd1 : 2'd0;
  endfunction

  // K in operand words (32 elements, 64 at the dual rate), and the elements of the last word.
  // Example, single rate: K = 80 -> 3 words, the last one with 16 elements.
  logic [31:0]                  k_less, a_row_bytes_q, b_row_bytes_q;
  logic [mxe_pkg::BLOCKS_W-1:0] k_blocks_q, k_words_q;
  logic [6:0]                   tail_count_q;
  assign k_less = k - 32'd1;
  always_ff @(posedge clk_i) begin
    a_row_bytes_q <= mxe_pkg::row_bytes(fmt_a.is4, fmt_a.is6, k);
    b_row_bytes_q <= mxe_pkg::row_bytes(fmt_b.is4, fmt_b.is6, k);
    k_blocks_q    <= (nvfp4 ? {1'b0, k_less[31:4]} : {2'd0, k_less[31:5]}) + mxe_pkg::BLOCKS_W'(1);
    k_words_q     <= (dual ? {3'd0, k_less[31:6]} : {2'd0, k_less[31:5]}) + mxe_pkg::BLOCKS_W'(1);
    tail_count_q  <= (dual ? {1'b0, k_less[5:0]} : {2'b00, k_less[4:0]}) + 7'd1;
  end

  assign job_o.a.fmt          = fmt_a;
  assign job_o.a.addr         = desc_i[mxe_reg_pkg::DESC_A_ADDR_LSB +: 64];
  assign job_o.a.stride       = desc_i[mxe_reg_pkg::DESC_A_STRIDE_LSB +: 32];
  assign job_o.a.scale_addr   = desc_i[mxe_reg_pkg::DESC_A_SCALE_ADDR_LSB +: 64];
  assign job_o.a.scale_stride = desc_i[mxe_reg_pkg::DESC_A_SCALE_STRIDE_LSB +: 32];
  assign job_o.a.word_bytes   = mxe_pkg::word_bytes(fmt_a.is4, fmt_a.is6, dual);
  assign job_o.a.row_bytes    = a_row_bytes_q;
  assign job_o.a.coarse       = coarse(desc_i[mxe_reg_pkg::DESC_CONTROL_BLOCK_A_LSB +: 2]);

  assign job_o.b.fmt          = fmt_b;
  assign job_o.b.addr         = desc_i[mxe_reg_pkg::DESC_B_ADDR_LSB +: 64];
  assign job_o.b.stride       = desc_i[mxe_reg_pkg::DESC_B_STRIDE_LSB +: 32];
  assign job_o.b.scale_addr   = desc_i[mxe_reg_pkg::DESC_B_SCALE_ADDR_LSB +: 64];
  assign job_o.b.scale_stride = desc_i[mxe_reg_pkg::DESC_B_SCALE_STRIDE_LSB +: 32];
  assign job_o.b.word_bytes   = mxe_pkg::word_bytes(fmt_b.is4, fmt_b.is6, dual);
  assign job_o.b.row_bytes    = b_row_bytes_q;
  assign job_o.b.coarse       = coarse(desc_i[mxe_reg_pkg::DESC_CONTROL_BLOCK_B_LSB +: 2]);

  assign job_o.c.en      = desc_i[mxe_reg_pkg::DESC_CONTROL_BIAS_EN_LSB];
  assign job_o.c.last    = alpha_en;
  assign job_o.c.bf16    = desc_i[mxe_reg_pkg::DESC_CONTROL_BIAS_BF16_LSB];
  assign job_o.c.one_row = (desc_i[mxe_reg_pkg::DESC_C_STRIDE_LSB +: 32] == 32'd0);
  assign job_o.c.addr    = desc_i[mxe_reg_pkg::DESC_C_ADDR_LSB +: 64];
  assign job_o.c.stride  = desc_i[mxe_reg_pkg::DESC_C_STRIDE_LSB +: 32];

  // The top bit of the output format distinguishes MX formats from FP32, BF16 and FP16.
  logic [3:0] out_fmt;
  logic       fp16;
  assign out_fmt              = desc_i[mxe_reg_pkg::DESC_CONTROL_OUT_FMT_LSB +: 4];
  assign job_o.d.mx           = out_fmt[3];
  assign fp16                 = (out_fmt == mxe_reg_pkg::OUT_FP16);
  assign job_o.d.fp16         = fp16;
  assign job_o.d.two_bytes    = fp16 | (out_fmt == mxe_reg_pkg::OUT_BF16);
  assign job_o.d.fmt          = mxe_pkg::fmt_info(out_fmt[mxe_pkg::FmtW-1:0]);
  assign job_o.d.rule         = desc_i[mxe_reg_pkg::DESC_CONTROL_OUT_RULE_LSB +: 2];
  assign job_o.d.special      = desc_i[mxe_reg_pkg::DESC_CONTROL_OUT_OVERFLOW_LSB];
  assign job_o.d.addr         = desc_i[mxe_reg_pkg::DESC_D_ADDR_LSB +: 64];
  assign job_o.d.stride       = desc_i[mxe_reg_pkg::DESC_D_STRIDE_LSB +: 32];
  assign job_o.d.scale_addr   = desc_i[mxe_reg_pkg::DESC_D_SCALE_ADDR_LSB +: 64];
  assign job_o.d.scale_stride = desc_i[mxe_reg_pkg::DESC_D_SCALE_STRIDE_LSB +: 32];

  logic [mxe_pkg::BATCH_W-1:0] batch;
  assign batch = desc_i[mxe_reg_pkg::DESC_BATCH_COUNT_LSB +: mxe_reg_pkg::DESC_BATCH_COUNT_W];
  assign job_o.batch      = (batch == '0) ? mxe_pkg::BATCH_W'(1) : batch;
  assign job_o.m          = desc_i[mxe_reg_pkg::DESC_M_LSB +: 32];
  assign job_o.n          = desc_i[mxe_reg_pkg::DESC_N_LSB +: 32];
  assign job_o.dual       = dual;
  assign job_o.nvfp4      = nvfp4;
  assign job_o.alpha_en   = alpha_en;
  assign job_o.alpha      = desc_i[mxe_reg_pkg::DESC_ALPHA_LSB +: 32];
  assign job_o.scale_shift = {1'b0, dual} + {1'b0, nvfp4};
  assign job_o.k_blocks   = k_blocks_q;
  assign job_o.k_words    = k_words_q;
  assign job_o.tail_count = tail_count_q;

  // Fields that are not part of job_t, such as the job id and the reserved fields.
  logic unused_bits;
  assign unused_bits = &{1'b0, desc_i};
endmodule
`default_nettype wire
