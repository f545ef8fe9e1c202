// SPDX-License-Identifier: Apache-2.0
// Dot-product array: decodes the broadcast A word once, delays the sequencer's control to the
// stages that use it and contains NUM_PE processing elements.
// Stages, in cycles after the row request (stage 0): 1 the A word leaves its buffer and is decoded,
// 2 multiply, 3 tree 1, 4 tree 2, 5 combine (and accumulator and bias read), 6 to 11 accumulate.
`include "mxe_assert.svh"
`default_nettype none
module mxe_array #(
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ROWS      = 32,
  parameter int unsigned ACC_TILES = 4,
  parameter int unsigned TREE_W    = 70,
  parameter bit          FP4_DUAL  = 1'b1,
  parameter int unsigned ROW_AW    = $clog2(ROWS),
  parameter int unsigned TILE_AW   = (ACC_TILES > 1) ? $clog2(ACC_TILES) : 1,
  parameter int unsigned FEED_COLS = mxe_pkg::feed_cols(NUM_PE),
  parameter int unsigned VecW      = mxe_pkg::LANES * mxe_pkg::DEC_W
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
  input  logic [15:0]                              a_scale_i,
  // B words from the feeder: PE p uses part p % FEED_COLS
  input  logic [NUM_PE-1:0]                        b_load_i,
  input  logic [FEED_COLS*VecW-1:0]                b_dec_i,
  input  logic [FEED_COLS*mxe_pkg::FLAG_W-1:0]     b_flags_i,
  input  logic [FEED_COLS*16-1:0]                  b_scale_i,
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
  localparam int unsigned Stages = 1 + mxe_pkg::DOT_LAT + mxe_pkg::ACC_LAT - 1;
  localparam int unsigned S5 = mxe_pkg::DOT_LAT - 1;
  localparam int unsigned S11 = Stages - 1;

  // ---------------------------------------------------------------- control pipeline
  // ctl_q[CtlW*s +: CtlW] belongs to stage s + 1; stage 0 is the row issue itself.
  typedef struct packed {
    logic               bank;
    logic               last_row;
    logic               last;
    logic               first;
    logic [ROW_AW-1:0]  row;
    logic [TILE_AW-1:0] tile;
    logic               pass_start;
  } ctl_t;
  ctl_t                   ctl_in, ctl0, ctl5, ctl11;
  localparam int unsigned CtlW = $bits(ctl_in);
  logic [CtlW*Stages-1:0] ctl_q;
  logic [Stages-1:0]      valid_q;
  assign ctl_in = {bank_i, last_row_i, last_i, first_i, row_i, tile_i, pass_start_i};
  assign ctl0   = ctl_q[0 +: CtlW];
  assign ctl5   = ctl_q[CtlW*S5 +: CtlW];
  assign ctl11  = ctl_q[CtlW*S11 +: CtlW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
    end else if (clear_i) begin
      valid_q <= '0;
    end else begin
      valid_q <= {valid_q[Stages-2:0], row_valid_i};
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

  // ---------------------------------------------------------------- stages 5, 6 and 11
  logic [AccAw-1:0] acc_raddr, acc_waddr;
  if (ACC_TILES > 1) begin : gen_tiles
    assign acc_raddr = {ctl5.row, ctl5.tile};
    assign acc_waddr = {ctl11.row, ctl11.tile};
  end else begin : gen_tile
    assign acc_raddr = ctl5.row;
    assign acc_waddr = ctl11.row;
  end

  assign bias_re_o   = valid_q[S5] & ctl5.first & job_i.c.en;
  assign bias_row_o  = ctl5.row;
  assign bias_done_o = bias_re_o & ctl5.last_row;

  assign res_valid_o = valid_q[S11] & ctl11.last;
  assign res_bank_o  = ctl11.bank;
  assign res_row_o   = ctl11.row;
  assign res_last_o  = ctl11.last_row;

  for (genvar p = 0; p < NUM_PE; p++) begin : gen_pe
    mxe_pe #(
      .TREE_W    (TREE_W),
      .FP4_DUAL  (FP4_DUAL),
      .ACC_DEPTH (1 << AccAw)
    ) u_pe (
      .clk_i       (clk_i),
      .dual_i      (job_i.dual),
      .b_load_i    (b_load_i[p]),
      .b_dec_i     (b_dec_i[VecW*(p%FEED_COLS) +: VecW]),
      .b_flags_i   (b_flags_i[mxe_pkg::FLAG_W*(p%FEED_COLS) +: mxe_pkg::FLAG_W]),
      .b_scale_i   (b_scale_i[16*(p%FEED_COLS) +: 16]),
      .b_swap_i    (b_swap),
      .a_dec_i     (a_dec_q2),
      .a_flags_i   (a_flags_q2),
      .exp_even_i  (exp_even_q2),
      .exp_odd_i   (exp_odd_q2),
      .a_nan_i     (a_nan_q2),
      .acc_re_i    (valid_q[S5]),
      .acc_raddr_i (acc_raddr),
      .acc_first_i (ctl5.first),
      .init_i      (bias_i[32*p +: 32]),
      .acc_we_i    (valid_q[S11]),
      .acc_waddr_i (acc_waddr),
      .even_o      (res_even_o[32*p +: 32]),
      .odd_o       (res_odd_o[32*p +: 32])
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
