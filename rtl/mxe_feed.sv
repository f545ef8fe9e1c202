// SPDX-License-Identifier: Apache-2.0
// Feeder: walks the loop nest word by word along K, reads the B words of a tile's columns from the
// B buffer, decodes COLS columns per cycle and loads them into the shadow registers of the PEs.
// Each complete set of B words is offered to the sequencer as a pass while the previous pass runs.
// A wide tile consists of two tiles whose passes alternate word by word, so that rows wait less for
// their accumulators; the slabs of the two tiles are in two banks.
`include "mxe_assert.svh"
`default_nettype none
module mxe_feed #(
  parameter int unsigned NUM_PE      = 8,
  parameter int unsigned ROWS        = 32,
  parameter int unsigned ACC_TILES   = 4,
  parameter int unsigned CHUNK_WORDS = 32,
  parameter int unsigned SLAB_WORDS  = 8,
  parameter int unsigned BANKS       = 2,     // banks without splitting
  parameter bit          CAN_SPLIT   = 1'b0,  // a bank can serve as two
  parameter bit          NVFP4       = 1'b1,
  parameter int unsigned BANK_AW     = $clog2(CAN_SPLIT ? 2 * BANKS : BANKS),
  parameter int unsigned PE_AW       = (NUM_PE > 1) ? $clog2(NUM_PE) : 1,
  parameter int unsigned TILE_AW     = (ACC_TILES > 1) ? $clog2(ACC_TILES) : 1,
  parameter int unsigned CHUNK_AW    = $clog2(CHUNK_WORDS << mxe_pkg::CHUNK_SHIFT_MAX),
  parameter int unsigned SLAB_AW     = (SLAB_WORDS > 1) ? $clog2(SLAB_WORDS) : 1,
  parameter int unsigned WORD_AW     = SLAB_AW + 1,
  parameter int unsigned ROWS_W      = $clog2(ROWS + 1),
  parameter int unsigned COLS        = mxe_pkg::feed_cols(NUM_PE),
  parameter int unsigned COLS_W      = $clog2(NUM_PE + 1),
  parameter int unsigned VecW        = mxe_pkg::LANES * mxe_pkg::DEC_W,
  parameter int unsigned SCALES_W    = NVFP4 ? 32 : 16,
  parameter int unsigned SCALE_W     = mxe_pkg::b_scale_w(NVFP4)
) (
  input  logic                                     clk_i,
  input  logic                                     rst_ni,
  input  logic                                     clear_i,
  input  logic                                     start_i,
  input  logic                                     chain_i,       // see mxe_load
  input  mxe_pkg::job_t                            job_i,
  input  logic                                     wide_i,        // see mxe_walk
  input  logic                                     long_i,
  input  logic [mxe_pkg::CHUNK_SHIFT_W-1:0]        chunk_shift_i,
  input  logic [(1<<BANK_AW)-1:0]                  b_full_i,
  output logic                                     b_re_o,
  output logic [BANK_AW-1:0]                       b_bank_o,
  output logic [PE_AW-1:0]                         b_line_o,
  output logic [WORD_AW-1:0]                       b_word_o,
  output logic                                     b_release_o,
  input  logic [COLS*mxe_pkg::WORD_W-1:0]          b_data_i,
  input  logic [COLS*SCALES_W-1:0]                 b_scale_i,
  // shadow registers: PE p uses part p % COLS
  output logic [NUM_PE-1:0]                        load_o,
  output logic [COLS*VecW-1:0]                     dec_o,
  output logic [COLS*mxe_pkg::FLAG_W-1:0]          flags_o,
  output logic [COLS*SCALE_W-1:0]                  scale_o,       // see mxe_pe
  output logic                                     pass_valid_o,
  input  logic                                     pass_ready_i,
  output logic [ROWS_W-1:0]                        pass_rows_o,
  output logic [COLS_W-1:0]                        pass_cols_o,
  output logic [TILE_AW-1:0]                       pass_tile_o,
  output logic [CHUNK_AW-1:0]                      pass_word_o,   // within the A chunk
  output logic [6:0]                               pass_count_o,
  output logic                                     pass_first_o,
  output logic                                     pass_last_o,
  output logic                                     pass_a_done_o, // last pass that uses the A chunk
  output logic                                     wait_b_o,
  output logic                                     done_o
);
  logic            valid, step;
  mxe_pkg::shape_t shape;
  mxe_pkg::step_t  at;
  assign shape.batch       = job_i.batch;
  assign shape.m           = job_i.m;
  assign shape.n           = job_i.n;
  assign shape.k_words     = job_i.k_words;
  assign shape.skip_group  = 1'b0;
  assign shape.wide        = wide_i;
  assign shape.long_slabs  = long_i;
  assign shape.chunk_shift = chunk_shift_i;
  mxe_walk #(
    .ROWS        (ROWS),
    .NUM_PE      (NUM_PE),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (CHUNK_WORDS),
    .SLAB_WORDS  (SLAB_WORDS)
  ) u_walk (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .start_i (start_i),
    .shape_i (shape),
    .valid_o (valid),
    .take_i  (step),
    .step_o  (at)
  );
  localparam int unsigned WordsW = $clog2((CHUNK_WORDS << mxe_pkg::CHUNK_SHIFT_MAX) + 1);
  localparam int unsigned WideW = $clog2(2 * NUM_PE + 1);
  logic [WideW-1:0]  wide_cols;
  logic [WordsW-1:0] words;
  assign wide_cols = at.cols[WideW-1:0];
  assign words     = at.words[WordsW-1:0];

  logic [BANK_AW-1:0]  bank_q, bank;   // bank of the first tile, of the current tile
  logic [PE_AW-1:0]    col_q;
  logic [WORD_AW-1:0]  word_q;
  logic [CHUNK_AW-1:0] slab_base_q;    // first word of the slab within the chunk
  logic                half_q, last_half;  // of a wide tile: the second tile; the last tile
  logic [COLS_W-1:0]   cols;
  logic                last_word, last_col, read;
  assign last_half  = half_q | (wide_cols <= WideW'(NUM_PE));
  assign cols       = half_q ? COLS_W'(wide_cols - WideW'(NUM_PE))
                    : last_half ? COLS_W'(wide_cols) : COLS_W'(NUM_PE);
  function automatic logic [BANK_AW-1:0] bank_after(input logic [BANK_AW-1:0] last);
    bank_after = last + BANK_AW'(1);
    if (CAN_SPLIT & ~wide_i) bank_after = bank_after & BANK_AW'(BANKS - 1);
  endfunction
  assign bank       = half_q ? bank_after(bank_q) : bank_q;
  assign last_word = (WordsW'(word_q) + WordsW'(1) == words);
  assign last_col  = ((COLS_W+1)'(col_q) + (COLS_W+1)'(COLS) >= {1'b0, cols});
  // The shadows become free in the cycle in which the sequencer starts a pass: a word read in this
  // cycle arrives when the PEs take over the old one.
  logic free;
  assign free      = ~pass_valid_o | pass_ready_i;
  assign read      = valid & free & b_full_i[bank];
  assign step      = read & last_col & last_word & last_half;
  assign wait_b_o  = valid & ~pass_valid_o & ~b_full_i[bank];
  assign done_o    = ~valid & ~pass_valid_o;

  assign b_re_o      = read;
  assign b_bank_o    = bank;
  assign b_line_o    = col_q;
  assign b_word_o    = word_q;
  assign b_release_o = read & last_col & last_word;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      bank_q      <= '0;
      col_q       <= '0;
      word_q      <= '0;
      slab_base_q <= '0;
      half_q      <= 1'b0;
    end else if (clear_i) begin
      bank_q      <= '0;
      col_q       <= '0;
      word_q      <= '0;
      slab_base_q <= '0;
      half_q      <= 1'b0;
    end else if (start_i) begin
      if (!chain_i) bank_q <= '0;
    end else if (read) begin
      col_q <= last_col ? '0 : (col_q + PE_AW'(COLS));
      if (last_col) half_q <= ~last_half;
      if (last_col & last_half) word_q <= last_word ? '0 : (word_q + WORD_AW'(1));
      if (step) begin
        bank_q      <= bank_after(bank);
        slab_base_q <= at.next_slab ? (slab_base_q + CHUNK_AW'(words)) : '0;
      end
    end
  end

  logic              load_q;
  logic [PE_AW-1:0]  load_col_q;
  logic [COLS_W-1:0] load_cols_q;
  logic [6:0]        count, count_q;
  assign count = (at.last_k & last_word) ? job_i.tail_count
               : (job_i.dual ? 7'(2 * mxe_pkg::LANES) : 7'(mxe_pkg::LANES));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) load_q <= 1'b0;
    else load_q <= read;
  end
  always_ff @(posedge clk_i) begin
    load_col_q  <= col_q;
    load_cols_q <= cols;
    count_q     <= count;
  end
  for (genvar p = 0; p < NUM_PE; p++) begin : gen_load
    assign load_o[p] = load_q & (load_col_q == PE_AW'(p - p % COLS)) & (COLS_W'(p) < load_cols_q);
  end
  for (genvar c = 0; c < COLS; c++) begin : gen_decode
    mxe_decode_word u_decode_b (
      .word_i  (b_data_i[mxe_pkg::WORD_W*c +: mxe_pkg::WORD_W]),
      .fmt_i   (job_i.b.fmt),
      .dual_i  (job_i.dual),
      .count_i (count_q),
      .dec_o   (dec_o[VecW*c +: VecW]),
      .flags_o (flags_o[mxe_pkg::FLAG_W*c +: mxe_pkg::FLAG_W])
    );
  end
  if (NVFP4) begin : gen_nvfp4
    for (genvar c = 0; c < COLS; c++) begin : gen_col
      logic [31:0] scales;
      logic        nan;
      mxe_scales_e4m3 u_scales (
        .dual_i   (job_i.dual),
        .codes_i  (b_scale_i[SCALES_W*c +: SCALES_W]),
        .scales_o (scales),
        .nan_o    (nan)
      );
      assign scale_o[SCALE_W*c +: SCALE_W] = job_i.nvfp4 ? {nan, scales}
                                                         : {1'b0, b_scale_i[SCALES_W*c +: SCALES_W]};
    end
  end else begin : gen_mx
    assign scale_o = b_scale_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pass_valid_o <= 1'b0;
    end else if (clear_i) begin
      pass_valid_o <= 1'b0;
    end else if (read & last_col) begin
      pass_valid_o <= 1'b1;
    end else if (pass_ready_i) begin
      pass_valid_o <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (read & last_col) begin
      pass_rows_o   <= at.rows[ROWS_W-1:0];
      pass_cols_o   <= cols;
      pass_tile_o   <= at.tile[TILE_AW-1:0] | TILE_AW'(half_q);
      pass_word_o   <= slab_base_q + CHUNK_AW'(word_q);
      pass_count_o  <= count;
      pass_first_o  <= at.first_k & (word_q == '0);
      pass_last_o   <= at.last_k & last_word;
      pass_a_done_o <= at.last_use & last_word & last_half;
    end
  end

  `MXE_REQUIRE(feed_ready_only_if_valid, !pass_ready_i || pass_valid_o)
  `MXE_REQUIRE(feed_starts_idle, !start_i || done_o)
  `MXE_ASSERT(feed_ends_at_start, valid || ((col_q == '0) && (word_q == '0) && !half_q))
  `MXE_ASSERT(feed_second_tile_is_there, !half_q || (wide_cols > WideW'(NUM_PE)))
  `MXE_ASSERT(feed_col_of_several, 32'(col_q) % COLS == 0)
  `MXE_ASSERT(feed_col_within_tile, !valid || (32'(col_q) < 32'(cols)))
  `MXE_ASSERT(feed_word_within_slab, !valid || (32'(word_q) < 32'(words)))
  `MXE_ASSERT(feed_reads_full_bank, !(b_re_o || b_release_o) || b_full_i[b_bank_o])
`ifndef SYNTHESIS
  // The decoded columns are neighbours, starting at a multiple of COLS.
  logic [NUM_PE-1:0] f_neighbours;
  assign f_neighbours = NUM_PE'((1 << COLS) - 1) << load_col_q;
  `MXE_ASSERT(feed_neighbours, (load_o & ~f_neighbours) == '0)
  `MXE_ASSERT(feed_from_whole, 32'(load_col_q) % COLS == 0)
`endif
  `MXE_REQUIRE(feed_format, !load_q || mxe_pkg::is_fmt_row(job_i.b.fmt))
`ifndef SYNTHESIS
  logic f_zero_beyond;
  always_comb begin
    f_zero_beyond = 1'b1;
    for (int unsigned c = 0; c < COLS; c++) begin
      if ((32'(load_col_q) + c < 32'(load_cols_q)) &&
          !mxe_pkg::zero_beyond(b_data_i[mxe_pkg::WORD_W*c +: mxe_pkg::WORD_W], job_i.b.fmt.is4,
                                job_i.b.fmt.is6, job_i.dual, count_q)) begin
        f_zero_beyond = 1'b0;
      end
    end
  end
  `MXE_REQUIRE(feed_zero_beyond, !load_q || f_zero_beyond)
`endif
`ifdef FORMAL
`include "mxe_feed.proof.svh"
`endif
endmodule
`default_nettype wire
