// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_seq, inside its module.
  `MXE_FORMAL_START
  // One row per cycle starting with row 0; passes of an arbitrary tile keep their distance.
  (* anyconst *) logic [TILE_AW-1:0] f_tile;
  logic [ROWS_W-1:0] f_next_row_q, f_since_q;  // cycles since its last start, up to MIN_PASS
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_next_row_q <= '0;
      f_since_q    <= ROWS_W'(mxe_pkg::MIN_PASS);
    end else if (clear_i) begin
      f_next_row_q <= '0;
      f_since_q    <= ROWS_W'(mxe_pkg::MIN_PASS);
    end else begin
      if (row_valid_o) f_next_row_q <= last_row_o ? '0 : (row + ROWS_W'(1));
      if (start && (pass_tile_i == f_tile)) f_since_q <= ROWS_W'(1);
      else if (f_since_q != ROWS_W'(mxe_pkg::MIN_PASS)) f_since_q <= f_since_q + ROWS_W'(1);
    end
  end
  `MXE_ASSERT(seq_drain_banks_add_up, (d_free_q + f_drain_q == 2'd2) && (f_drain_q <= 2'd2))
  `MXE_ASSERT(seq_rows_in_order, !row_valid_o || (row == f_next_row_q))
  `MXE_ASSERT(seq_row_within_pass, !row_valid_o || (row < rows))
  `MXE_ASSERT(seq_pass_distance, !start || (pass_tile_i != f_tile) ||
              (f_since_q == ROWS_W'(mxe_pkg::MIN_PASS)))
  `MXE_ASSERT(seq_ready_only_if_valid, !pass_ready_o || pass_valid_i)
  `MXE_ASSERT(seq_release_last_row, !a_release_o || (row_valid_o && last_row_o))
  `MXE_ASSERT(seq_cycle_in_pass, !busy_q || ((cycle_q != '0) && (cycle_q < rows_q) &&
              (rows_q <= ROWS_W'(ROWS))))
  `MXE_ASSERT(seq_next_row_known, f_next_row_q == (busy_q ? cycle_q : '0))
  `MXE_ASSERT(seq_bank_held, !busy_q || f_a_kept_q[a_bank_q])
  logic f_recent_known;
  always_comb begin
    f_recent_known = (f_since_q != '0) && (f_since_q <= ROWS_W'(mxe_pkg::MIN_PASS));
    for (int unsigned i = 0; i < Recent; i++) begin
      if (recent_q[i] & (recent_tile_q[TILE_AW*i +: TILE_AW] == f_tile)) begin
        if (f_since_q > ROWS_W'(i + 1)) f_recent_known = 1'b0;
      end else if (f_since_q == ROWS_W'(i + 1)) begin
        f_recent_known = 1'b0;
      end
    end
  end
  `MXE_ASSERT(seq_recent_known, f_recent_known)
