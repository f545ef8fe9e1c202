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

  logic            valid [4];
  mxe_pkg::step_t  step [4], at;
  for (genvar i = 0; i < 4; i++) begin : gen_walk
    mxe_pkg::shape_t shape;
    assign shape = {batch_i, m_i, n_i, mxe_pkg::BLOCKS_W'(kw_i), skip_group_i, wide_i && (sel_i == 2'(i)), long_i,
                    mxe_pkg::chunk_shift(Rows[i], m_i)};
    mxe_walk #(
      .ROWS(Rows[i]), .NUM_PE(NumPe[i]), .ACC_TILES(Tiles[i]), .CHUNK_WORDS(Chunk[i]),
      .SLAB_WORDS(Slab[i]), .WALK_TILE(Inner[i]), .WALK_SLAB(Inner[i])
    ) u_walk (
      .clk_i, .rst_ni, .clear_i(1'b0), .start_i(start_i && (sel_i == 2'(i))), .shape_i(shape),
      .valid_o(valid[i]), .take_i(step_i && (sel_i == 2'(i))), .step_o(step[i])
    );
  end
  assign at            = step[sel_i];
  assign valid_o       = valid[sel_i];
  assign rows_o        = 16'(at.rows);
  assign cols_o        = 16'(at.cols);
  assign tile_o        = 16'(at.tile);
  assign words_o       = 16'(at.words);
  assign chunk_words_o = 16'(at.chunk_words);
  assign first_k_o     = at.first_k;
  assign last_k_o      = at.last_k;
  assign last_use_o    = at.last_use;
  assign next_o        = {at.next_batch, at.next_stripe, at.next_group, at.next_chunk, at.next_tile,
                          at.next_slab};
endmodule
`default_nettype wire
