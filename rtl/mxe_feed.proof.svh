// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_feed, inside its module.
  `MXE_FORMAL_START
  // A pass is stable until it is taken, and no column is read meanwhile. A set of B words is read
  // COLS columns at a time, starting with the first.
  logic               f_wait_q, f_first_q, f_last_q, f_step_q;
  logic [BANK_AW-1:0] f_bank_q;
  logic [ROWS_W-1:0]  f_rows_q;
  logic [COLS_W-1:0]  f_cols_q;
  logic [TILE_AW-1:0] f_tile_q;
  logic [6:0]         f_count_q;
  logic [COLS_W-1:0]  f_loaded_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_wait_q   <= 1'b0;
      f_step_q   <= 1'b0;
      f_loaded_q <= '0;
    end else begin
      f_wait_q <= pass_valid_o & ~pass_ready_i & ~clear_i;
      f_step_q <= step & ~clear_i & ~start_i;
      if (clear_i) f_loaded_q <= '0;
      else if (b_re_o) f_loaded_q <= (f_loaded_q + COLS_W'(COLS) >= cols) ? '0
                                     : f_loaded_q + COLS_W'(COLS);
    end
  end
  always_ff @(posedge clk_i) begin
    f_bank_q  <= bank;
    f_rows_q  <= pass_rows_o;
    f_cols_q  <= pass_cols_o;
    f_tile_q  <= pass_tile_o;
    f_count_q <= pass_count_o;
    f_first_q <= pass_first_o;
    f_last_q  <= pass_last_o;
  end
  `MXE_ASSERT(feed_pass_stable, !f_wait_q || (pass_valid_o && (pass_rows_o == f_rows_q) &&
              (pass_cols_o == f_cols_q) && (pass_tile_o == f_tile_q) &&
              (pass_count_o == f_count_q) && (pass_first_o == f_first_q) &&
              (pass_last_o == f_last_q)))
  `MXE_ASSERT(feed_waits_for_pass, !pass_valid_o || pass_ready_i || (!b_re_o && !b_release_o))
  `MXE_ASSERT(feed_columns_in_order, COLS_W'(col_q) == f_loaded_q)
  `MXE_ASSERT(feed_pass_is_whole, !pass_valid_o || (col_q == '0))
  `MXE_ASSERT(feed_banks_in_turn, !f_step_q || (bank_q == bank_after(f_bank_q)))
