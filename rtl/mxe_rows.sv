// SPDX-License-Identifier: Apache-2.0
// Address and column count of each row of each tile of C or D (two- or four-byte numbers), in the
// array's order. Addresses and strides are even.
`include "mxe_assert.svh"
`default_nettype none
module mxe_rows #(
  parameter int unsigned ROWS      = 32,
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ACC_TILES = 4,
  parameter int unsigned ROW_AW    = $clog2(ROWS),
  parameter int unsigned COLS_W    = $clog2(NUM_PE + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              clear_i,
  input  logic              start_i,
  input  logic [mxe_pkg::BATCH_W-1:0] batch_i,
  input  logic [31:0]       m_i,
  input  logic [31:0]       n_i,
  input  logic [63:0]       addr_i,
  input  logic [31:0]       stride_i,
  input  logic              two_bytes_i, // two bytes per number, else four
  input  logic              one_row_i,   // only the first row of each tile (C is a row vector)
  output logic              valid_o,
  input  logic              step_i,
  output logic [63:0]       addr_o,
  output logic [COLS_W-1:0] cols_o,
  output logic [ROW_AW-1:0] row_o,
  output logic              last_row_o,
  output logic              last_tile_o
);
  logic                                                       next_tile, next_group;
  logic                                                       next_stripe, next_batch;
  logic [ROW_AW:0]                                            rows;
  logic [1:0]                                                 unused_next;
  localparam int unsigned WordsW = $clog2((1 << mxe_pkg::CHUNK_SHIFT_MAX) + 1);
  logic [2*WordsW-1:0]                                        unused_words;
  logic [2:0]                                                 unused_k;
  logic [($clog2(ACC_TILES) > 0 ? $clog2(ACC_TILES) : 1)-1:0] unused_tile;
  logic                                                       unused_ok;

`ifdef FORMAL
  logic [31:0] f_columns_left;
`endif
  mxe_walk #(
    .ROWS       (ROWS),
    .NUM_PE     (NUM_PE),
    .ACC_TILES  (ACC_TILES),
    .CHUNK_WORDS(1),
    .SLAB_WORDS (1),
    .COLS_W     (COLS_W),
    .WALK_CHUNK (1'b0),
    .WALK_TILE  (1'b1),
    .WALK_SLAB  (1'b0)
  ) u_walk (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear_i),
    .start_i       (start_i),
    .batch_i       (batch_i),
    .m_i           (m_i),
    .n_i           (n_i),
    .kw_i          (mxe_pkg::BLOCKS_W'(1)),
    .wide_i        (1'b0),
    .long_i        (1'b0),
    .chunk_shift_i ('0),
    .skip_group_i  (1'b0),
    .valid_o       (valid_o),
    .step_i        (step_i & last_row_o),
    .rows_o        (rows),
    .cols_o        (cols_o),
    .tile_o        (unused_tile),
    .words_o       (unused_words[0 +: WordsW]),
    .chunk_words_o (unused_words[WordsW +: WordsW]),
    .first_k_o     (unused_k[0]),
    .last_k_o      (unused_k[1]),
    .last_use_o    (unused_k[2]),
    .next_slab_o   (unused_next[0]),
    .next_tile_o   (next_tile),
    .next_chunk_o  (unused_next[1]),
    .next_group_o  (next_group),
    .next_stripe_o (next_stripe),
    .next_batch_o  (next_batch)
`ifdef FORMAL
    ,
    .f_columns_left_o (f_columns_left)
`endif
  );
  assign last_tile_o = ~(next_tile | next_group);
  assign unused_ok = &{1'b0, unused_next, unused_words, unused_k, unused_tile, next_stripe, next_batch};

  // In units of two bytes: first row of the stripe, current row, tile's offset within a row.
  logic [63:1]       stripe_q, ptr_q, ptr_next;
  logic [33:1]       col_q;  // up to 2^32 columns of four bytes
  logic              unused_odd;
  logic [ROW_AW-1:0] row_q;
  assign ptr_next   = ptr_q + {32'd0, stride_i[31:1]};
  assign addr_o     = {ptr_q + {30'd0, col_q}, 1'b0};
  assign unused_odd = &{1'b0, addr_i[0], stride_i[0]};
  assign row_o      = row_q;
  assign last_row_o = one_row_i | ({1'b0, row_q} == rows - (ROW_AW+1)'(1));

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      stripe_q <= addr_i[63:1];
      ptr_q    <= addr_i[63:1];
      col_q    <= '0;
      row_q    <= '0;
    end else if (valid_o & step_i) begin
      if (!last_row_o) begin
        row_q <= row_q + ROW_AW'(1);
        ptr_q <= ptr_next;
      end else begin
        row_q <= '0;
        if (next_tile | next_group) begin
          ptr_q <= stripe_q;
          col_q <= col_q + (two_bytes_i ? 33'(NUM_PE) : 33'(NUM_PE * 2));
        end else begin
          ptr_q    <= ptr_next;
          stripe_q <= ptr_next;
          col_q    <= '0;
        end
      end
    end
  end

`ifndef SYNTHESIS
  // Current row, first row of the stripe, first column of the tile; byte distances of the two rows
  // from row 0.
  logic [31:0] f_row_q, f_stripe_q, f_col_q;
  logic [63:0] f_row_at_q, f_stripe_at_q;
  logic        f_columns_end, f_kept;
  logic [31:0] f_n_q, f_stride_q;
  logic [63:0] f_addr_q;
  logic        f_two_bytes_q, f_one_row_q;
  assign f_columns_end = (f_col_q + 32'(cols_o) == f_n_q);
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      f_row_q       <= '0;
      f_row_at_q    <= '0;
      f_stripe_q    <= '0;
      f_stripe_at_q <= '0;
      f_col_q       <= '0;
      f_n_q         <= n_i;
      f_addr_q      <= {addr_i[63:1], 1'b0};
      f_stride_q    <= {stride_i[31:1], 1'b0};
      f_two_bytes_q <= two_bytes_i;
      f_one_row_q   <= one_row_i;
    end else if (valid_o & step_i) begin
      if (!last_row_o) begin
        f_row_q    <= f_row_q + 32'd1;
        f_row_at_q <= f_row_at_q + 64'(f_stride_q);
      end else if (!f_columns_end) begin
        f_col_q    <= f_col_q + 32'(cols_o);
        f_row_q    <= f_stripe_q;
        f_row_at_q <= f_stripe_at_q;
      end else begin
        f_col_q       <= '0;
        f_row_q       <= f_row_q + 32'd1;
        f_row_at_q    <= f_row_at_q + 64'(f_stride_q);
        f_stripe_q    <= f_row_q + 32'd1;
        f_stripe_at_q <= f_row_at_q + 64'(f_stride_q);
      end
    end
  end
  assign f_kept = (n_i == f_n_q) && (stride_i[31:1] == f_stride_q[31:1]) &&
                  (two_bytes_i == f_two_bytes_q) && (one_row_i == f_one_row_q);
  `MXE_REQUIRE(rows_one_for_all, !start_i || !one_row_i || (stride_i[31:1] == '0))
  `MXE_REQUIRE(rows_job_stable, !valid_o || f_kept)
  `MXE_ASSERT(rows_address, !valid_o ||
              (addr_o == f_addr_q + f_row_at_q + (64'(f_col_q) << (f_two_bytes_q ? 1 : 2))))
  // Each row is one stride after the previous one. Proofs omit the multiplication.
`ifndef FORMAL
  `MXE_ASSERT(rows_row_offset, !valid_o || (f_row_at_q == 64'(f_row_q) * 64'(f_stride_q)))
`endif
`endif
`ifdef FORMAL
  `MXE_FORMAL_START
  `MXE_ASSERT(rows_kept_even, !valid_o || (!f_addr_q[0] && !f_stride_q[0]))
  `MXE_ASSERT(rows_within_tile, !valid_o || f_one_row_q || ({1'b0, row_q} < rows))
  `MXE_ASSERT(rows_place_in_tile, !valid_o || f_one_row_q || (f_row_q == f_stripe_q + 32'(row_q)))
  `MXE_ASSERT(rows_stripe, !valid_o || ({stripe_q, 1'b0} == f_addr_q + f_stripe_at_q))
  `MXE_ASSERT(rows_pointer, !valid_o || ({ptr_q, 1'b0} == f_addr_q + f_row_at_q))
  `MXE_ASSERT(rows_column, !valid_o ||
              (34'({col_q, 1'b0}) == (34'(f_col_q) << (f_two_bytes_q ? 1 : 2))))
  `MXE_ASSERT(rows_columns_left, !valid_o || (f_col_q == f_n_q - f_columns_left))
`endif
endmodule
`default_nettype wire
