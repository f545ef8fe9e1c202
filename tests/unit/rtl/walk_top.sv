// SPDX-License-Identifier: Apache-2.0
// Test top: the loop nest of four engines. `sel_i` selects the one that starts, steps and drives the outputs.
`default_nettype none
module walk_top (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic [1:0]  sel_i,
  input  logic        start_i,
  input  logic        step_i,
  input  logic [15:0] batch_i,
  input  logic [31:0] m_i,
  input  logic [31:0] n_i,
  input  logic [27:0] kw_i,
  input  logic        skip_group_i,
  input  logic        wide_i,
  input  logic        long_i,
  output logic        valid_o,
  output logic [15:0] rows_o,
  output logic [15:0] cols_o,
  output logic [15:0] tile_o,
  output logic [15:0] words_o,
  output logic [15:0] chunk_words_o,
  output logic        first_k_o,
  output logic        last_k_o,
  output logic        last_use_o,
  output logic [5:0]  next_o  // slab, tile, chunk, group, stripe, batch; slab is bit 0
);
  // The engines of kEngines in test_rtl_walk.cpp.
  localparam int unsigned Rows   [4] = '{8, 8, 16, 32};
  localparam int unsigned NumPe  [4] = '{2, 1, 2, 8};
  localparam int unsigned Tiles  [4] = '{4, 1, 2, 4};
  localparam int unsigned Chunk  [4] = '{4, 2, 4, 32};
  localparam int unsigned Slab   [4] = '{2, 1, 4, 16};
  localparam bit          Inner  [4] = '{1'b1, 1'b1, 1'b0, 1'b1};  // walks tiles and slabs

  logic        valid [4], first_k [4], last_k [4], last_use [4];
  logic [15:0] rows [4], cols [4], tile [4], words [4], chunk_words [4];
  logic [5:0]  next [4];
  for (genvar i = 0; i < 4; i++) begin : gen_walk
    localparam int unsigned TileW  = (Tiles[i] > 1) ? $clog2(Tiles[i]) : 1;
    localparam int unsigned RowsW  = $clog2(Rows[i] + 1);
    localparam int unsigned ColsW  = $clog2(2 * NumPe[i] + 1);
    localparam int unsigned WordsW = $clog2((Chunk[i] << mxe_pkg::CHUNK_SHIFT_MAX) + 1);
    logic [RowsW-1:0]  rows_w;
    logic [ColsW-1:0]  cols_w;
    logic [TileW-1:0]  tile_w;
    logic [WordsW-1:0] words_w, chunk_words_w;
    mxe_walk #(
      .ROWS(Rows[i]), .NUM_PE(NumPe[i]), .ACC_TILES(Tiles[i]), .CHUNK_WORDS(Chunk[i]),
      .SLAB_WORDS(Slab[i]), .WALK_TILE(Inner[i]), .WALK_SLAB(Inner[i])
    ) u_walk (
      .clk_i, .rst_ni, .clear_i(1'b0), .start_i(start_i && (sel_i == 2'(i))), .batch_i, .m_i, .n_i,
      .kw_i, .skip_group_i, .wide_i(wide_i && (sel_i == 2'(i))), .long_i,
      .chunk_shift_i(mxe_pkg::chunk_shift(Rows[i], m_i)),
      .valid_o(valid[i]), .step_i(step_i && (sel_i == 2'(i))), .rows_o(rows_w), .cols_o(cols_w),
      .tile_o(tile_w), .words_o(words_w), .chunk_words_o(chunk_words_w), .first_k_o(first_k[i]),
      .last_k_o(last_k[i]), .last_use_o(last_use[i]), .next_slab_o(next[i][0]),
      .next_tile_o(next[i][1]), .next_chunk_o(next[i][2]), .next_group_o(next[i][3]),
      .next_stripe_o(next[i][4]), .next_batch_o(next[i][5])
    );
    assign rows[i]        = 16'(rows_w);
    assign cols[i]        = 16'(cols_w);
    assign tile[i]        = 16'(tile_w);
    assign words[i]       = 16'(words_w);
    assign chunk_words[i] = 16'(chunk_words_w);
  end
  assign valid_o       = valid[sel_i];
  assign rows_o        = rows[sel_i];
  assign cols_o        = cols[sel_i];
  assign tile_o        = tile[sel_i];
  assign words_o       = words[sel_i];
  assign chunk_words_o = chunk_words[sel_i];
  assign first_k_o     = first_k[sel_i];
  assign last_k_o      = last_k[sel_i];
  assign last_use_o    = last_use[sel_i];
  assign next_o        = next[sel_i];
endmodule
`default_nettype wire
