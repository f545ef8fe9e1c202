// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_drain, inside its module.
  `MXE_FORMAL_START
  // A row is read segment by segment, starting together with its request; a tile row by row.
  logic [6:0]        f_left_q;    // unread segments of the row
  logic [ROW_AW-1:0] f_row_q;     // rows of the tile already read
  logic [1:0]        f_tiles_q;   // tiles started and not released
  logic              f_bank_q, f_release_q;
  logic [6:0]        f_segments;
  assign f_segments = (7'(cols) + 7'(LANES_OUT - 1)) / 7'(LANES_OUT);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_left_q    <= '0;
      f_row_q     <= '0;
      f_tiles_q   <= '0;
      f_release_q <= 1'b0;
    end else if (clear_i) begin
      f_left_q    <= '0;
      f_row_q     <= '0;
      f_tiles_q   <= '0;
      f_release_q <= 1'b0;
    end else begin
      if (issue) f_left_q <= (f_left_q == '0) ? f_segments - 7'd1 : f_left_q - 7'd1;
      if (start_i) f_row_q <= '0;
      else if (row_step) f_row_q <= last_row ? '0 : f_row_q + ROW_AW'(1);
      f_tiles_q   <= f_tiles_q + 2'(res_first) - 2'(release_o);
      f_release_q <= release_o;
    end
  end
  always_ff @(posedge clk_i) f_bank_q <= bank_q;
  `MXE_ASSERT(drain_row_under_way, (f_left_q == '0) == seg_start)
  `MXE_ASSERT(drain_segments_left, seg_start || (valid && (7'(seg_q) + f_left_q == f_segments)))
  `MXE_ASSERT(drain_row_is_whole, !row_step || (f_left_q == 7'd1) || (f_segments == 7'd1))
  `MXE_ASSERT(drain_request_with_row, !(direct_req && row_ready_i) || (issue && seg_start))
  `MXE_ASSERT(drain_row_with_request, !(issue && seg_start && !out_mx) || direct_req)
  `MXE_ASSERT(drain_halts_between_rows, !halt_i || !(issue && seg_start))
  `MXE_ASSERT(drain_row_ends_halted, !(have && !seg_start) || issue)
  `MXE_ASSERT(drain_rows_in_order, !valid || (row == f_row_q))
  `MXE_ASSERT(drain_reads_tiles, !issue || (f_tiles_q != '0))
  `MXE_ASSERT(drain_row_has_come, (tiles_q == 2'd0)
              ? (!valid || (row == '0))
              : ((f_rows != '0) && (!valid || ({1'b0, row} < f_rows))))
  `MXE_ASSERT(drain_next_has_come, (tiles_q != 2'd2) || (f_come_q[0 +: ComeW] != '0) &&
              (f_come_q[ComeW +: ComeW] != '0))
  `MXE_ASSERT(drain_banks_agree, (f_bank_in_q ^ bank_q) == (tiles_q[0] ^ f_mid_q))
  `MXE_ASSERT(drain_mid_is_a_tile, !f_mid_q || ((tiles_q != 2'd0) && (f_come != '0)))
  `MXE_ASSERT(drain_free_bank_empty, (tiles_q == 2'd2) || ((tiles_q == 2'd1)
              ? ((bank_q ? f_come_q[0 +: ComeW] : f_come_q[ComeW +: ComeW]) == '0)
              : (f_come_q == '0)))
  `MXE_ASSERT(drain_tiles_counted, tiles_q == f_tiles_q)
  `MXE_ASSERT(drain_bank_is_whole, !f_release_q || !valid || (row == '0))
  `MXE_ASSERT(drain_banks_in_turn, !f_release_q || (bank_q != f_bank_q))
