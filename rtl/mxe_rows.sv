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
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               clear_i,
  input  logic               start_i,
  input  mxe_pkg::matrix_t   matrix_i,
  output logic               valid_o,
  input  logic               take_i,    // advance to the next row
  output mxe_pkg::tile_row_t row_o
);
  mxe_pkg::shape_t shape;
  mxe_pkg::step_t  at;
  logic            last_row;
  assign shape.batch       = matrix_i.batch;
  assign shape.m           = matrix_i.m;
  assign shape.n           = matrix_i.n;
  assign shape.k_words     = mxe_pkg::BLOCKS_W'(1);
  assign shape.skip_group  = 1'b0;
  assign shape.wide        = 1'b0;
  assign shape.long_slabs  = 1'b0;
  assign shape.chunk_shift = '0;
`ifdef FORMAL
  logic [31:0] f_columns_left;
`endif
  mxe_walk #(
    .ROWS        (ROWS),
    .NUM_PE      (NUM_PE),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (1),
    .SLAB_WORDS  (1),
    .COLS_W      (COLS_W),
    .WALK_CHUNK  (1'b0),
    .WALK_TILE   (1'b1),
    .WALK_SLAB   (1'b0)
  ) u_walk (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .start_i (start_i),
    .shape_i (shape),
    .valid_o (valid_o),
    .take_i  (take_i & last_row),
    .step_o  (at)
`ifdef FORMAL
    ,
    .f_columns_left_o (f_columns_left)
`endif
  );
  logic next_columns;  // the next step has the same rows
  assign next_columns = at.next_tile | at.next_group;

  // In units of two bytes: first row of the stripe, current row, tile's offset within a row.
  logic [63:1]       stripe_q, ptr_q, ptr_next;
  logic [33:1]       col_q;  // up to 2^32 columns of four bytes
  logic [ROW_AW-1:0] row_q;
  assign ptr_next        = ptr_q + {32'd0, matrix_i.stride[31:1]};
  assign last_row        = matrix_i.one_row |
                           ({1'b0, row_q} == at.rows[ROW_AW:0] - (ROW_AW+1)'(1));
  assign row_o.addr      = {ptr_q + {30'd0, col_q}, 1'b0};
  assign row_o.cols      = at.cols;
  assign row_o.row       = mxe_pkg::ROW_W'(row_q);
  assign row_o.last_row  = last_row;
  assign row_o.last_tile = ~next_columns;

  always_ff @(posedge clk_i) begin
    if (start_i) begin
      stripe_q <= matrix_i.addr[63:1];
      ptr_q    <= matrix_i.addr[63:1];
      col_q    <= '0;
      row_q    <= '0;
    end else if (valid_o & take_i) begin
      if (!last_row) begin
        row_q <= row_q + ROW_AW'(1);
        ptr_q <= ptr_next;
      end else begin
        row_q <= '0;
        if (next_columns) begin
          ptr_q <= stripe_q;
          col_q <= col_q + (matrix_i.two_bytes ? 33'(NUM_PE) : 33'(NUM_PE * 2));
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
  assign f_columns_end = (f_col_q + 32'(at.cols) == f_n_q);
  always_ff @(posedge clk_i) begin
    if (start_i) begin
      f_row_q       <= '0;
      f_row_at_q    <= '0;
      f_stripe_q    <= '0;
      f_stripe_at_q <= '0;
      f_col_q       <= '0;
      f_n_q         <= matrix_i.n;
      f_addr_q      <= {matrix_i.addr[63:1], 1'b0};
      f_stride_q    <= {matrix_i.stride[31:1], 1'b0};
      f_two_bytes_q <= matrix_i.two_bytes;
      f_one_row_q   <= matrix_i.one_row;
    end else if (valid_o & take_i) begin
      if (!last_row) begin
        f_row_q    <= f_row_q + 32'd1;
        f_row_at_q <= f_row_at_q + 64'(f_stride_q);
      end else if (!f_columns_end) begin
        f_col_q    <= f_col_q + 32'(at.cols);
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
  assign f_kept = (matrix_i.n == f_n_q) && (matrix_i.stride[31:1] == f_stride_q[31:1]) &&
                  (matrix_i.two_bytes == f_two_bytes_q) && (matrix_i.one_row == f_one_row_q);
  `MXE_REQUIRE(rows_one_for_all, !start_i || !matrix_i.one_row || (matrix_i.stride[31:1] == '0))
  `MXE_REQUIRE(rows_job_stable, !valid_o || f_kept)
  `MXE_ASSERT(rows_address, !valid_o ||
              (row_o.addr == f_addr_q + f_row_at_q + (64'(f_col_q) << (f_two_bytes_q ? 1 : 2))))
  // Each row is one stride after the previous one. Proofs omit the multiplication.
`ifndef FORMAL
  `MXE_ASSERT(rows_row_offset, !valid_o || (f_row_at_q == 64'(f_row_q) * 64'(f_stride_q)))
`endif
`endif
`ifdef FORMAL
`include "mxe_rows.proof.svh"
`endif
endmodule
`default_nettype wire
