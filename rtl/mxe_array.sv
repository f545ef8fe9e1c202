// SPDX-License-Identifier: Apache-2.0
// Dot-product array: decodes the broadcast A word once, delays the sequencer's control to the
// stages that use it and contains NUM_PE processing elements.
// Stages, in cycles after the row request (stage 0): 1 the A word leaves its buffer and is decoded,
// 2 multiply, 3 tree 1, 4 tree 2, 5 combine (and accumulator and bias read), 6 to 11 accumulate. Rows
// of an NVFP4 job have two more stages (SCALED_LAT) before combine, and the scales enter in stage 4.
`include "mxe_assert.svh"
`default_nettype none
module mxe_array #(
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ROWS      = 32,
  parameter int unsigned ACC_TILES = 4,
  parameter int unsigned TREE_W    = 70,
  parameter bit          FP4_DUAL  = 1'b1,
  parameter bit          NVFP4     = (TREE_W >= mxe_pkg::SCALED_SUM_W),
  parameter int unsigned ROW_AW    = $clog2(ROWS),
  parameter int unsigned TILE_AW   = (ACC_TILES > 1) ? $clog2(ACC_TILES) : 1,
  parameter int unsigned FEED_COLS = mxe_pkg::feed_cols(NUM_PE),
  parameter int unsigned VecW      = mxe_pkg::LANES * mxe_pkg::DEC_W,
  parameter int unsigned SCALES_W  = NVFP4 ? 32 : 16,
  parameter int unsigned SCALE_W   = mxe_pkg::b_scale_w(NVFP4)
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  input  logic                                     clear_i,
  input  mxe_pkg::job_t                            job_i,
  // row issue, stage 0
  input  logic                                     row_valid_i,
  input  logic [ROW_AW-1:0]                        row_i,
  input  logic [TILE_AW-1:0]                       tile_i,
  input  logic                                     pass_start_i,
  input  logic                                     first_i,
  input  logic                                     last_i,
  input  logic                                     last_row_i,
  input  logic                                     bank_i,
  // for an assertion: elements of the A word within K; beyond, see mxe_pkg::zero_beyond
  input  logic [6:0]                               count_i,
  // A word, stage 1
  input  logic [mxe_pkg::WORD_W-1:0]               a_word_i,
  input  logic [SCALES_W-1:0]                      a_scale_i,
  // B words from the feeder: PE p uses part p % FEED_COLS
  input  logic [NUM_PE-1:0]                        b_load_i,
  input  logic [FEED_COLS*VecW-1:0]                b_dec_i,
  input  logic [FEED_COLS*mxe_pkg::FLAG_W-1:0]     b_flags_i,
  input  logic [FEED_COLS*SCALE_W-1:0]             b_scale_i,
  // bias row: requested in stage 5, used in stage 6, zero if not requested
  output logic                                     bias_re_o,
  output logic [ROW_AW-1:0]                        bias_row_o,
  output logic                                     bias_done_o, // last row of a tile requested
  input  logic [NUM_PE*32-1:0]                     bias_i,
  output logic                                     res_valid_o,
  output logic                                     res_bank_o,
  output logic [ROW_AW-1:0]                        res_row_o,
  output logic                                     res_last_o,
  output logic [NUM_PE*32-1:0]                     res_even_o,
  output logic [NUM_PE*32-1:0]                     res_odd_o,
  output logic                                     empty_o
);
  localparam int unsigned AccAw = (ACC_TILES > 1) ? (ROW_AW + TILE_AW) : ROW_AW;
  localparam int unsigned More = NVFP4 ? mxe_pkg::SCALED_LAT : 0;
  localparam int unsigned S5 = mxe_pkg::DOT_LAT - 1;
  localparam int unsigned S11 = S5 + mxe_pkg::ACC_LAT;
  localparam int unsigned Stages = S11 + More + 1;

  // ---------------------------------------------------------------- control pipeline
  // ctl_q[CtlW*s +: CtlW] belongs to stage s + 1; stage 0 is the row issue itself. The array is empty
  // between jobs with different numbers of stages.
  typedef struct packed {
    logic               bank;
    logic               last_row;
    logic               last;
    logic               first;
    logic [ROW_AW-1:0]  row;
    logic [TILE_AW-1:0] tile;
    logic               pass_start;
  } ctl_t;
  ctl_t                   ctl_in, ctl0, ctl_swap, ctl5, ctl11;
  localparam int unsigned CtlW = $bits(ctl_in);
  logic [CtlW*Stages-1:0] ctl_q;
  logic [Stages-1:0]      valid_q, valid_d;
  logic                   nvfp4, valid5, valid11;
  assign nvfp4  = NVFP4 & job_i.nvfp4;
  assign ctl_in = {bank_i, last_row_i, last_i, first_i, row_i, tile_i, pass_start_i};
  assign ctl0   = ctl_q[0 +: CtlW];
  assign ctl_swap = ctl_q[CtlW*More +: CtlW];  // takes over the scales of NVFP4
  assign ctl5   = nvfp4 ? ctl_q[CtlW*(S5+More) +: CtlW] : ctl_q[CtlW*S5 +: CtlW];
  assign ctl11  = nvfp4 ? ctl_q[CtlW*(S11+More) +: CtlW] : ctl_q[CtlW*S11 +: CtlW];
  assign valid5  = nvfp4 ? valid_q[S5+More] : valid_q[S5];
  assign valid11 = nvfp4 ? valid_q[S11+More] : valid_q[S11];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
    end else begin
      valid_q <= valid_d;
    end
  end
  for (genvar s = 0; s < Stages; s++) begin : gen_valid
    if (s == 0) begin : gen_first
      assign valid_d[s] = row_valid_i;
    end else if (s <= S11) begin : gen_row
      assign valid_d[s] = valid_q[s-1];
    end else begin : gen_more
      assign valid_d[s] = valid_q[s-1] & nvfp4;
    end
  end
  always_ff @(posedge clk_i) ctl_q <= {ctl_q[CtlW*(Stages-1)-1:0], ctl_in};
  assign empty_o = (valid_q == '0);

  logic [VecW-1:0]            a_dec, a_dec_q2;
  logic [mxe_pkg::FLAG_W-1:0] a_flags, a_flags_q2;
  mxe_decode_word u_decode_a (
    .word_i  (a_word_i),
    .fmt_i   (job_i.a.fmt),
    .dual_i  (job_i.dual),
    .count_i (7'(2 * mxe_pkg::LANES)),
    .dec_o   (a_dec),
    .flags_o (a_flags)
  );

  logic signed [5:0] lsb_a, lsb_b;
  assign lsb_a = job_i.a.fmt.lsb;
  assign lsb_b = job_i.b.fmt.lsb;
  logic signed [9:0] exp_offset, exp_even_q2, exp_odd_q2;
  logic [1:0]        a_nan_q2;
  assign exp_offset = {{4{lsb_a[5]}}, lsb_a} + {{4{lsb_b[5]}}, lsb_b}
                    + (10'(mxe_pkg::EXP_BIAS) - 10'sd254);
  always_ff @(posedge clk_i) begin
    a_dec_q2    <= a_dec;
    a_flags_q2  <= a_flags;
    exp_even_q2 <= exp_offset + $signed({2'b00, a_scale_i[7:0]});
    exp_odd_q2  <= exp_offset + $signed({2'b00, a_scale_i[15:8]});
    a_nan_q2    <= {a_scale_i[15:8] == 8'hFF, a_scale_i[7:0] == 8'hFF};
  end

  // PEs switch to the new B words so that the pass's first row meets them in stage 2.
  logic b_swap;
  assign b_swap = valid_q[0] & ctl0.pass_start;

  // The scales in the PEs: with the elements, or SCALED_LAT cycles later.
  logic [NUM_PE-1:0]            scale_load;
  logic [FEED_COLS*SCALE_W-1:0] b_scale;
  logic                         scale_swap;
  logic [31:0]                  a_nv_scale;
  logic signed [9:0]            exp_even;
  logic [1:0]                   a_nan;
  if (NVFP4) begin : gen_nvfp4
    logic [31:0]                  scales, scales_q2, scales_q3, scales_q4;
    logic                         nan, nan_q2, nan_q3, nan_q4;
    logic [NUM_PE-1:0]            load_q1, load_q2;
    logic [FEED_COLS*SCALE_W-1:0] b_scale_q1, b_scale_q2;
    mxe_scales_e4m3 u_scales_a (
      .dual_i   (job_i.dual),
      .codes_i  (a_scale_i),
      .scales_o (scales),
      .nan_o    (nan)
    );
    always_ff @(posedge clk_i) begin
      scales_q2  <= scales & {32{nvfp4}};
      scales_q3  <= scales_q2;
      scales_q4  <= scales_q3;
      nan_q2     <= nan;
      nan_q3     <= nan_q2;
      nan_q4     <= nan_q3;
      load_q1    <= b_load_i;
      load_q2    <= load_q1;
      b_scale_q1 <= b_scale_i;
      b_scale_q2 <= b_scale_q1;
    end
    assign scale_load = nvfp4 ? load_q2 : b_load_i;
    assign b_scale    = nvfp4 ? b_scale_q2 : b_scale_i;
    assign scale_swap = nvfp4 ? (valid_q[More] & ctl_swap.pass_start) : b_swap;
    assign a_nv_scale = scales_q4;
    assign exp_even   = nvfp4 ? 10'(mxe_pkg::SCALED_EXP) : exp_even_q2;
    assign a_nan      = nvfp4 ? {1'b0, nan_q4} : a_nan_q2;
  end else begin : gen_mx
    assign scale_load = b_load_i;
    assign b_scale    = b_scale_i;
    assign scale_swap = b_swap;
    assign a_nv_scale = '0;
    assign exp_even   = exp_even_q2;
    assign a_nan      = a_nan_q2;
  end

  // ---------------------------------------------------------------- stages 5, 6 and 11
  logic [AccAw-1:0] acc_raddr, acc_waddr;
  if (ACC_TILES > 1) begin : gen_tiles
    assign acc_raddr = {ctl5.row, ctl5.tile};
    assign acc_waddr = {ctl11.row, ctl11.tile};
  end else begin : gen_tile
    assign acc_raddr = ctl5.row;
    assign acc_waddr = ctl11.row;
  end

  assign bias_re_o   = valid5 & ctl5.first & job_i.c.en & ~job_i.c.last;
  assign bias_row_o  = ctl5.row;
  assign bias_done_o = bias_re_o & ctl5.last_row;

  assign res_valid_o = valid11 & ctl11.last;
  assign res_bank_o  = ctl11.bank;
  assign res_row_o   = ctl11.row;
  assign res_last_o  = ctl11.last_row;

  for (genvar p = 0; p < NUM_PE; p++) begin : gen_pe
    mxe_pe #(
      .TREE_W    (TREE_W),
      .FP4_DUAL  (FP4_DUAL),
      .NVFP4     (NVFP4),
      .ACC_DEPTH (1 << AccAw)
    ) u_pe (
      .clk_i          (clk_i),
      .dual_i         (job_i.dual),
      .nvfp4_i        (nvfp4),
      .b_load_i       (b_load_i[p]),
      .b_dec_i        (b_dec_i[VecW*(p%FEED_COLS) +: VecW]),
      .b_flags_i      (b_flags_i[mxe_pkg::FLAG_W*(p%FEED_COLS) +: mxe_pkg::FLAG_W]),
      .b_swap_i       (b_swap),
      .b_scale_load_i (scale_load[p]),
      .b_scale_i      (b_scale[SCALE_W*(p%FEED_COLS) +: SCALE_W]),
      .b_scale_swap_i (scale_swap),
      .a_dec_i        (a_dec_q2),
      .a_flags_i      (a_flags_q2),
      .a_scale_i      (a_nv_scale),
      .exp_even_i     (exp_even),
      .exp_odd_i      (exp_odd_q2),
      .a_nan_i        (a_nan),
      .acc_re_i       (valid5),
      .acc_raddr_i    (acc_raddr),
      .acc_first_i    (ctl5.first),
      .init_i         (bias_i[32*p +: 32]),
      .acc_we_i       (valid11),
      .acc_waddr_i    (acc_waddr),
      .even_o         (res_even_o[32*p +: 32]),
      .odd_o          (res_odd_o[32*p +: 32])
    );
  end

`ifndef SYNTHESIS
  logic [6:0] f_count_q1;
  logic       f_bias_q6;
  always_ff @(posedge clk_i) begin
    f_count_q1 <= count_i;
    f_bias_q6  <= bias_re_o;
  end
  `MXE_REQUIRE(array_format, !valid_q[0] || mxe_pkg::is_fmt_row(job_i.a.fmt))
  `MXE_REQUIRE(array_zero_beyond, !valid_q[0] ||
               mxe_pkg::zero_beyond(a_word_i, job_i.a.fmt.is4, job_i.a.fmt.is6, job_i.dual,
                                    f_count_q1))
  `MXE_REQUIRE(array_bias_as_requested, f_bias_q6 || (bias_i == '0))
`endif
  // A word of zeros decodes to zeros, including the signs.
  `MXE_ASSERT(array_zero_decodes_to_zero, (a_word_i != '0) || (a_dec == '0))
endmodule
`default_nettype wire
