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
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  // job: products; rows, columns and operand words along K of each
  input  logic               start_i,
  input  logic [mxe_pkg::BATCH_W-1:0] batch_i,
  input  logic [31:0]        m_i,
  input  logic [31:0]        n_i,
  input  logic [mxe_pkg::BLOCKS_W-1:0] kw_i,
  input  logic               skip_group_i,  // all groups reuse the loaded operand: do not walk them
  input  logic               wide_i,
  input  logic               long_i,
  input  logic [mxe_pkg::CHUNK_SHIFT_W-1:0] chunk_shift_i,
  output logic               valid_o,
  input  logic               step_i,
  output logic [ROWS_W-1:0]  rows_o,
  output logic [COLS_W-1:0]  cols_o,
  output logic [TILE_AW-1:0] tile_o,
  output logic [WORDS_W-1:0] words_o,       // words of the innermost K level walked
  output logic [WORDS_W-1:0] chunk_words_o,
  output logic               first_k_o,
  output logic               last_k_o,
  output logic               last_use_o,    // last step that uses the current A chunk
  // level that the next step advances; at most one is set, none at the end of the job
  output logic               next_slab_o,
  output logic               next_tile_o,
  output logic               next_chunk_o,
  output logic               next_group_o,
  output logic               next_stripe_o,
  output logic               next_batch_o
`ifdef FORMAL
  ,
  output logic [31:0]        f_columns_left_o  // columns from this tile on
`endif
);
  localparam int unsigned GroupCols = NUM_PE * ACC_TILES;
  localparam int unsigned KW = mxe_pkg::BLOCKS_W;
  logic [KW-1:0] chunk_most;
  assign chunk_most = KW'(CHUNK_WORDS) << chunk_shift_i;

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
  assign slab_most = WORDS_W'(mxe_pkg::slab_words(SLAB_WORDS, CHUNK_WORDS, wide_i, long_i));
  assign slab_now  = words_now(KW'(slab_q), KW'(slab_most));
  assign tile_cols = wide_i ? COLS_W'(2 * NUM_PE) : COLS_W'(NUM_PE);

  // Tiles of this group, at most. The last two groups of a stripe share the remaining columns
  // evenly, in whole tiles, unless tiles are wide. Example, ACC_TILES = 4: 6 remaining tiles ->
  // 3 + 3; wide: 4 + 2.
  localparam int unsigned TilesW = $clog2(ACC_TILES + 1);
  logic [TilesW-1:0] tiles;
  logic [TilesW:0]   tiles_left;
  assign tiles_left = (TilesW+1)'((group_q + 32'(NUM_PE - 1)) >> $clog2(NUM_PE));
  assign tiles      = ((group_q <= 32'(GroupCols)) | (group_q >= 32'(2 * GroupCols)) | wide_i)
                      ? TilesW'(ACC_TILES) : TilesW'((tiles_left + (TilesW+1)'(1)) >> 1);

  logic last_slab, last_tile, last_chunk, last_group, last_stripe, last_batch;
  assign last_slab   = !WALK_SLAB || (slab_q <= slab_most);
  assign last_tile   = !WALK_TILE || (n_q <= 32'(tile_cols)) ||
                       ((TilesW'(tile_q) | TilesW'(wide_i)) == tiles - TilesW'(1));
  assign last_chunk  = !WALK_CHUNK || (k_q <= chunk_most);
  assign last_group  = skip_group_i || (group_q <= 32'(GroupCols));
  assign last_stripe = (m_q <= 32'(ROWS));
  assign last_batch  = (batch_q == mxe_pkg::BATCH_W'(1));

  assign next_slab_o   = ~last_slab;
  assign next_tile_o   = last_slab & ~last_tile;
  assign next_chunk_o  = last_slab & last_tile & ~last_chunk;
  assign next_group_o  = last_slab & last_tile & last_chunk & ~last_group;
  assign next_stripe_o = last_slab & last_tile & last_chunk & last_group & ~last_stripe;
  assign next_batch_o  = last_slab & last_tile & last_chunk & last_group & last_stripe & ~last_batch;

  assign valid_o = valid_q;
  assign rows_o  = last_stripe ? m_q[ROWS_W-1:0]
                 : (m_q >= 32'(2 * ROWS)) ? ROWS_W'(ROWS)
                                          : ROWS_W'((m_q[ROWS_W:0] + (ROWS_W+1)'(1)) >> 1);
  assign cols_o  = (n_q <= 32'(tile_cols)) ? n_q[COLS_W-1:0] : tile_cols;
  assign tile_o  = tile_q;
  assign chunk_words_o = words_now(k_q, chunk_most);
  assign words_o    = WALK_SLAB ? slab_now : chunk_words_o;
  assign first_k_o  = !WALK_CHUNK ||
                      ((k_q == kw_i) && (!WALK_SLAB || (slab_q == chunk_words_o)));
  assign last_k_o   = last_chunk & last_slab;
  // If K is a single chunk, A is kept for all groups of the stripe.
  assign last_use_o = last_slab & last_tile & ((kw_i > chunk_most) | last_group);

  logic [KW-1:0]      k_next;
  logic [31:0]        group_next;
  logic [WORDS_W:0]   k_after_full;  // words remaining after a full chunk
  logic [WORDS_W-1:0] first_chunk, second_chunk;
  assign k_next       = k_q - KW'(chunk_words_o);
  assign k_after_full = k_q[WORDS_W:0] - chunk_most[WORDS_W:0];
  // Equal to words_now(k_next, chunk_most), without waiting for the subtraction.
  assign second_chunk = (k_q >= (chunk_most << 1) + chunk_most) ? chunk_most[WORDS_W-1:0]
                      : (k_q > (chunk_most << 1)) ? half_of(k_after_full)
                                                  : k_next[WORDS_W-1:0];
  assign group_next   = group_q - (32'(tiles) << $clog2(NUM_PE));
  assign first_chunk  = words_now(kw_i, chunk_most);

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
      batch_q <= batch_i;
      m_q     <= m_i;
      group_q <= n_i;
      n_q     <= n_i;
      k_q     <= kw_i;
      slab_q  <= first_chunk;
      tile_q  <= '0;
    end else if (valid_q & step_i) begin
      if (next_slab_o) begin
        slab_q <= slab_q - slab_now;
      end else if (next_tile_o) begin
        tile_q <= tile_q + (wide_i ? TILE_AW'(2) : TILE_AW'(1));
        n_q    <= n_q - 32'(tile_cols);
        slab_q <= chunk_words_o;
      end else if (next_chunk_o) begin
        tile_q <= '0;
        n_q    <= group_q;
        k_q    <= k_next;
        slab_q <= second_chunk;
      end else if (next_group_o) begin
        tile_q  <= '0;
        group_q <= group_next;
        n_q     <= group_next;
        k_q     <= kw_i;
        slab_q  <= first_chunk;
      end else if (next_stripe_o | next_batch_o) begin
        tile_q  <= '0;
        m_q     <= next_batch_o ? m_i : (m_q - 32'(rows_o));
        batch_q <= next_batch_o ? (batch_q - mxe_pkg::BATCH_W'(1)) : batch_q;
        group_q <= n_i;
        n_q     <= n_i;
        k_q     <= kw_i;
        slab_q  <= first_chunk;
      end else begin
        valid_q <= 1'b0;
      end
    end
  end

  `MXE_REQUIRE(walk_job_not_empty, !start_i || ((m_i != '0) && (n_i != '0) && (kw_i != '0) &&
               (batch_i != '0)))
  `MXE_ASSERT(walk_one_level, $onehot0({next_slab_o, next_tile_o, next_chunk_o, next_group_o,
                                        next_stripe_o, next_batch_o}))
  `MXE_ASSERT(walk_rows_in_range, !valid_q || ((rows_o != '0) && (32'(rows_o) <= ROWS)))
  `MXE_ASSERT(walk_cols_in_range, !valid_q || ((cols_o != '0) && (32'(cols_o) <= 32'(tile_cols))))
  `MXE_ASSERT(walk_words_in_range, !valid_q ||
              (32'(words_o) - 32'd1 < (WALK_SLAB ? 32'(slab_most) : 32'(chunk_most))))
  `MXE_ASSERT(walk_tile_in_range, 32'(tile_q) < ACC_TILES)
`ifndef SYNTHESIS
  logic [mxe_pkg::BATCH_W-1:0]  f_batch_q;
  logic [31:0]                  f_m_q, f_n_q;
  logic [mxe_pkg::BLOCKS_W-1:0] f_kw_q;
  logic                         f_skip_q, f_wide_q, f_long_q;
  logic [mxe_pkg::CHUNK_SHIFT_W-1:0] f_chunk_shift_q;
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      f_batch_q <= batch_i;
      f_m_q    <= m_i;
      f_n_q    <= n_i;
      f_kw_q   <= kw_i;
      f_skip_q <= skip_group_i;
      f_wide_q <= wide_i;
      f_long_q <= long_i;
      f_chunk_shift_q <= chunk_shift_i;
    end
  end
  `MXE_REQUIRE(walk_job_stable, !valid_q || ((batch_i == f_batch_q) && (m_i == f_m_q) && (n_i == f_n_q) &&
               (kw_i == f_kw_q) && (skip_group_i == f_skip_q) && (wide_i == f_wide_q) &&
               (long_i == f_long_q) && (chunk_shift_i == f_chunk_shift_q)))
  `MXE_REQUIRE(walk_wide_tiles_pair_up, !wide_i || (ACC_TILES > 1))
`endif
`ifdef FORMAL
`include "mxe_walk.proof.svh"
`endif
endmodule
`default_nettype wire
