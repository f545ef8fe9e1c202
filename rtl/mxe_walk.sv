// SPDX-License-Identifier: Apache-2.0
// The loop nest of a job, one step at a time. From the outside in:
//   batch   a product of the job
//   stripe  ROWS rows of D
//   group   ACC_TILES column tiles that share one A chunk
//   chunk   CHUNK_WORDS operand words of K, up to eight times as many (mxe_pkg::chunk_shift)
//   tile    NUM_PE columns of D
//   slab    SLAB_WORDS operand words of K
// The last two stripes, groups (unless wide), chunks and slabs share their remainder about evenly:
// a short one would leave too little time to load the next. Example: 33 rows, ROWS = 32: 17 + 16.
// Each block that follows the nest (loaders, feeder, drain) has its own walker; WALK_* = 0 disables
// a level that it does not need. A wide tile is two neighbouring tiles (ACC_TILES is even then)
// with slabs of half the length; a long slab is twice as long (mxe_pkg::slab_words).
`include "mxe_assert.svh"
`default_nettype none
module mxe_walk #(
  parameter int unsigned ROWS        = 32,
  parameter int unsigned NUM_PE      = 8,
  parameter int unsigned ACC_TILES   = 4,
  parameter int unsigned CHUNK_WORDS = 32,
  parameter int unsigned SLAB_WORDS  = 8,
  parameter bit          WALK_CHUNK  = 1'b1,
  parameter bit          WALK_TILE   = 1'b1,
  parameter bit          WALK_SLAB   = 1'b1,
  parameter int unsigned TILE_AW     = (ACC_TILES > 1) ? $clog2(ACC_TILES) : 1,
  parameter int unsigned ROWS_W      = $clog2(ROWS + 1),
  parameter int unsigned COLS_W      = $clog2(2 * NUM_PE + 1),
  parameter int unsigned WORDS_W     = $clog2((CHUNK_WORDS << mxe_pkg::CHUNK_SHIFT_MAX) + 1)
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            clear_i,
  input  logic            start_i,
  input  mxe_pkg::shape_t shape_i,
  output logic            valid_o,
  input  logic            take_i,    // advance to the next step
  output mxe_pkg::step_t  step_o
`ifdef FORMAL
  ,
  output logic [31:0]     f_columns_left_o  // columns from this tile on
`endif
);
  localparam int unsigned GroupCols = NUM_PE * ACC_TILES;
  localparam int unsigned KW = mxe_pkg::BLOCKS_W;
  logic [KW-1:0] chunk_most;
  assign chunk_most = KW'(CHUNK_WORDS) << shape_i.chunk_shift;

  logic                         valid_q;
  logic [mxe_pkg::BATCH_W-1:0]  batch_q;   // products remaining, including this one
  logic [31:0]                  m_q;       // rows remaining, including this stripe
  logic [31:0]                  group_q;   // columns remaining, including this group
  logic [31:0]                  n_q;       // columns remaining, including this tile
  logic [mxe_pkg::BLOCKS_W-1:0] k_q;  // words remaining, including this chunk
  logic [WORDS_W-1:0]           slab_q;    // words of the chunk remaining, including this slab
  logic [TILE_AW-1:0]           tile_q;

  // Size of the next part: `most`, except that the last two parts split the remainder evenly.
  // Halves of K are rounded up to a multiple of two words, so that few words start inside a beat.
  // Example: 44 words, most 32 -> 22, 22; 42 words -> 22, 20.
  function automatic logic [WORDS_W-1:0] half_of(input logic [WORDS_W:0] left);
    half_of = {(left[WORDS_W:2] + (WORDS_W-1)'(left[1:0] != 2'd0)), 1'b0};
  endfunction
  function automatic logic [WORDS_W-1:0] words_now(input logic [KW-1:0] left,
                                                   input logic [KW-1:0] most);
    if (left <= most) words_now = left[WORDS_W-1:0];
    else if (left >= (most << 1)) words_now = most[WORDS_W-1:0];
    else words_now = half_of(left[WORDS_W:0]);
  endfunction

  logic [WORDS_W-1:0] slab_most, slab_now;
  logic [COLS_W-1:0]  tile_cols;   // of a full tile
  assign slab_most = WORDS_W'(mxe_pkg::slab_words(SLAB_WORDS, CHUNK_WORDS, shape_i.wide,
                                                   shape_i.long_slabs));
  assign slab_now  = words_now(KW'(slab_q), KW'(slab_most));
  assign tile_cols = shape_i.wide ? COLS_W'(2 * NUM_PE) : COLS_W'(NUM_PE);

  // Tiles of this group, at most. The last two groups of a stripe share the remaining columns
  // evenly, in whole tiles, unless tiles are wide. Example, ACC_TILES = 4: 6 remaining tiles ->
  // 3 + 3; wide: 4 + 2.
  localparam int unsigned TilesW = $clog2(ACC_TILES + 1);
  logic [TilesW-1:0] tiles;
  logic [TilesW:0]   tiles_left;
  assign tiles_left = (TilesW+1)'((group_q + 32'(NUM_PE - 1)) >> $clog2(NUM_PE));
  assign tiles      = ((group_q <= 32'(GroupCols)) | (group_q >= 32'(2 * GroupCols)) |
                       shape_i.wide) ? TilesW'(ACC_TILES) : TilesW'((tiles_left + (TilesW+1)'(1)) >> 1);

  logic last_slab, last_tile, last_chunk, last_group, last_stripe, last_batch;
  assign last_slab   = !WALK_SLAB || (slab_q <= slab_most);
  assign last_tile   = !WALK_TILE || (n_q <= 32'(tile_cols)) ||
                       ((TilesW'(tile_q) | TilesW'(shape_i.wide)) == tiles - TilesW'(1));
  assign last_chunk  = !WALK_CHUNK || (k_q <= chunk_most);
  assign last_group  = shape_i.skip_group || (group_q <= 32'(GroupCols));
  assign last_stripe = (m_q <= 32'(ROWS));
  assign last_batch  = (batch_q == mxe_pkg::BATCH_W'(1));

  logic next_slab, next_tile, next_chunk, next_group, next_stripe, next_batch;
  assign next_slab   = ~last_slab;
  assign next_tile   = last_slab & ~last_tile;
  assign next_chunk  = last_slab & last_tile & ~last_chunk;
  assign next_group  = last_slab & last_tile & last_chunk & ~last_group;
  assign next_stripe = last_slab & last_tile & last_chunk & last_group & ~last_stripe;
  assign next_batch  = last_slab & last_tile & last_chunk & last_group & last_stripe & ~last_batch;

  logic [ROWS_W-1:0]  rows;
  logic [COLS_W-1:0]  cols;
  logic [WORDS_W-1:0] words, chunk_words;
  assign rows        = last_stripe ? m_q[ROWS_W-1:0]
                     : (m_q >= 32'(2 * ROWS)) ? ROWS_W'(ROWS)
                                              : ROWS_W'((m_q[ROWS_W:0] + (ROWS_W+1)'(1)) >> 1);
  assign cols        = (n_q <= 32'(tile_cols)) ? n_q[COLS_W-1:0] : tile_cols;
  assign chunk_words = words_now(k_q, chunk_most);
  assign words       = WALK_SLAB ? slab_now : chunk_words;

  assign valid_o            = valid_q;
  assign step_o.rows        = (mxe_pkg::ROW_W+1)'(rows);
  assign step_o.cols        = mxe_pkg::COLS_W'(cols);
  assign step_o.tile        = mxe_pkg::TILE_W'(tile_q);
  assign step_o.words       = (mxe_pkg::WORD_AW+1)'(words);
  assign step_o.chunk_words = (mxe_pkg::WORD_AW+1)'(chunk_words);
  assign step_o.first_k     = !WALK_CHUNK ||
                              ((k_q == shape_i.k_words) && (!WALK_SLAB || (slab_q == chunk_words)));
  assign step_o.last_k      = last_chunk & last_slab;
  // If K is a single chunk, A is kept for all groups of the stripe.
  assign step_o.last_use    = last_slab & last_tile & ((shape_i.k_words > chunk_most) | last_group);
  assign step_o.next_slab   = next_slab;
  assign step_o.next_tile   = next_tile;
  assign step_o.next_chunk  = next_chunk;
  assign step_o.next_group  = next_group;
  assign step_o.next_stripe = next_stripe;
  assign step_o.next_batch  = next_batch;

  logic [KW-1:0]      k_next;
  logic [31:0]        group_next;
  logic [WORDS_W:0]   k_after_full;  // words remaining after a full chunk
  logic [WORDS_W-1:0] first_chunk, second_chunk;
  assign k_next       = k_q - KW'(chunk_words);
  assign k_after_full = k_q[WORDS_W:0] - chunk_most[WORDS_W:0];
  // Equal to words_now(k_next, chunk_most), without waiting for the subtraction.
  assign second_chunk = (k_q >= (chunk_most << 1) + chunk_most) ? chunk_most[WORDS_W-1:0]
                      : (k_q > (chunk_most << 1)) ? half_of(k_after_full)
                                                  : k_next[WORDS_W-1:0];
  assign group_next   = group_q - (32'(tiles) << $clog2(NUM_PE));
  assign first_chunk  = words_now(shape_i.k_words, chunk_most);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      batch_q <= '0;
      m_q     <= '0;
      group_q <= '0;
      n_q     <= '0;
      k_q     <= '0;
      slab_q  <= '0;
      tile_q  <= '0;
    end else if (clear_i) begin
      valid_q <= 1'b0;
    end else if (start_i) begin
      valid_q <= 1'b1;
      batch_q <= shape_i.batch;
      m_q     <= shape_i.m;
      group_q <= shape_i.n;
      n_q     <= shape_i.n;
      k_q     <= shape_i.k_words;
      slab_q  <= first_chunk;
      tile_q  <= '0;
    end else if (valid_q & take_i) begin
      if (next_slab) begin
        slab_q <= slab_q - slab_now;
      end else if (next_tile) begin
        tile_q <= tile_q + (shape_i.wide ? TILE_AW'(2) : TILE_AW'(1));
        n_q    <= n_q - 32'(tile_cols);
        slab_q <= chunk_words;
      end else if (next_chunk) begin
        tile_q <= '0;
        n_q    <= group_q;
        k_q    <= k_next;
        slab_q <= second_chunk;
      end else if (next_group) begin
        tile_q  <= '0;
        group_q <= group_next;
        n_q     <= group_next;
        k_q     <= shape_i.k_words;
        slab_q  <= first_chunk;
      end else if (next_stripe | next_batch) begin
        tile_q  <= '0;
        m_q     <= next_batch ? shape_i.m : (m_q - 32'(rows));
        batch_q <= next_batch ? (batch_q - mxe_pkg::BATCH_W'(1)) : batch_q;
        group_q <= shape_i.n;
        n_q     <= shape_i.n;
        k_q     <= shape_i.k_words;
        slab_q  <= first_chunk;
      end else begin
        valid_q <= 1'b0;
      end
    end
  end

  `MXE_REQUIRE(walk_job_not_empty, !start_i || ((shape_i.m != '0) && (shape_i.n != '0) &&
               (shape_i.k_words != '0) && (shape_i.batch != '0)))
  `MXE_ASSERT(walk_one_level, $onehot0({next_slab, next_tile, next_chunk, next_group, next_stripe,
                                        next_batch}))
  `MXE_ASSERT(walk_rows_in_range, !valid_q || ((rows != '0) && (32'(rows) <= ROWS)))
  `MXE_ASSERT(walk_cols_in_range, !valid_q || ((cols != '0) && (32'(cols) <= 32'(tile_cols))))
  `MXE_ASSERT(walk_words_in_range, !valid_q ||
              (32'(words) - 32'd1 < (WALK_SLAB ? 32'(slab_most) : 32'(chunk_most))))
  `MXE_ASSERT(walk_tile_in_range, 32'(tile_q) < ACC_TILES)
`ifndef SYNTHESIS
  mxe_pkg::shape_t f_shape_q;
  always_ff @(posedge clk_i) if (start_i) f_shape_q <= shape_i;
  `MXE_REQUIRE(walk_job_stable, !valid_q || (shape_i == f_shape_q))
  `MXE_REQUIRE(walk_wide_tiles_pair_up, !shape_i.wide || (ACC_TILES > 1))
`endif
`ifdef FORMAL
`include "mxe_walk.proof.svh"
`endif
endmodule
`default_nettype wire
