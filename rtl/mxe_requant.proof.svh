// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_requant, inside its module.
  `MXE_FORMAL_START
  `MXE_ASSERT(requant_banks, (3'(f_held_q) == f_lasts + 3'(full_q)) && (f_held_q <= 2'd2))

  // Every place for an encoded row is free, being filled, or holds a row waiting for the writer.
  logic [2:0] f_under_way;
  always_comb begin
    f_under_way = 3'(seg_q != '0);
    for (int i = 0; i < Lat; i++) begin
      f_under_way = f_under_way + {2'd0, valid_q[i] & meta_q[MetaW*i + MetaW - 1]};
    end
  end
  `MXE_ASSERT(requant_places_exact, 5'(credit_q) + 5'(f_under_way) + 5'(f_rows) == 5'(Depth))
  logic [3:0] f_to_ask, f_to_send;  // requests and data that the queued rows still need
  assign f_to_ask  = {f_places, 1'b0} - 4'(write_o.row.scale);
  assign f_to_send = {f_rows, 1'b0} - 4'(f_data_scale);
  `MXE_REQUIRE(requant_asks_first, !(write_o.data_valid && data_ready_i) || (f_to_ask < f_to_send))
  `MXE_ASSERT(requant_asks_ahead, (f_to_ask <= f_to_send) && (!write_o.row.scale || (f_places != '0)) &&
              (!f_data_scale || (f_rows != '0)))

  // Reads every segment of every row of every block once and in order.
  localparam int unsigned ColsW = $clog2(COLS + 1);
  logic [ColsW-1:0]  f_before_q, f_here;  // columns before this block and in it
  logic [ROWS_W-1:0] f_row_q;
  logic [5:0]        f_col_q;
  logic              f_row_ends, f_block_ends;
  assign f_here       = (cols_i - f_before_q > ColsW'(32)) ? ColsW'(32) : cols_i - f_before_q;
  assign f_row_ends   = (32'(f_col_q) + LANES_OUT >= 32'(f_here));
  assign f_block_ends = f_row_ends & (f_row_q + ROWS_W'(1) == rows_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_before_q <= '0;
      f_row_q    <= '0;
      f_col_q    <= '0;
    end else if (clear_i) begin
      f_before_q <= '0;
      f_row_q    <= '0;
      f_col_q    <= '0;
    end else if (read) begin
      f_col_q <= f_row_ends ? '0 : (f_col_q + 6'(LANES_OUT));
      if (f_row_ends) f_row_q <= f_block_ends ? '0 : (f_row_q + ROWS_W'(1));
      if (f_block_ends) begin
        f_before_q <= (f_before_q + f_here == cols_i) ? '0 : (f_before_q + ColsW'(32));
      end
    end
  end
  `MXE_ASSERT(requant_in_order, !active || ((32'(row_q) == 32'(f_row_q)) &&
              (32'(rseg) * LANES_OUT == 32'(f_before_q) + 32'(f_col_q))))
  `MXE_ASSERT(requant_within, !active || ((f_row_q < rows_i) && (f_before_q < cols_i) &&
              (32'(f_col_q) < 32'(f_here))))
  `MXE_ASSERT(requant_left, !active || ((32'(cols) == 32'(f_here)) && (f_before_q[4:0] == '0)))
  `MXE_ASSERT(requant_goes_on, !f_reading_q || active)
  `MXE_ASSERT(requant_starts_at_first, f_reading_q || ((row_q == '0) && (rseg == '0) &&
              (f_row_q == '0) && (f_col_q == '0) && (f_before_q == '0)))
  `MXE_ASSERT(requant_read_all, read_o == (read & f_block_ends &
              (f_before_q + f_here == cols_i)))

  // Segments reach the packer in order, with a byte count of 1 to 32.
  logic [InBlockW-1:0] f_next_q, f_expected;
  logic                f_in_order;
  meta_t               f_stage;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_next_q <= '0;
    else if (clear_i) f_next_q <= '0;
    else if (out_valid) f_next_q <= out.last ? '0 : (out.seg + InBlockW'(1));
  end
  always_comb begin
    f_expected = f_next_q;
    f_in_order = 1'b1;
    for (int i = Lat - 1; i >= 0; i--) begin
      f_stage = meta_q[MetaW*i +: MetaW];
      if (valid_q[i]) begin
        if ((f_stage.seg != f_expected) || (f_stage.bytes == '0) || (f_stage.bytes > 6'd32) ||
            (~f_stage.last & (f_stage.seg == '1))) f_in_order = 1'b0;
        f_expected = f_stage.last ? '0 : (f_stage.seg + InBlockW'(1));
      end
    end
    if (seg_q != f_expected) f_in_order = 1'b0;
  end
  `MXE_ASSERT(requant_segments_in_order, f_in_order)

  // One arbitrary element of a row: the code of its lane is at its position in the packed row.
  (* anyconst *) logic [InBlockW-1:0] f_seg;
  (* anyconst *) logic [4:0]          f_lane;
  logic [3:0] f_bits;
  logic [7:0] f_code, f_code_q, f_mask;
  logic       f_pick;
  logic [8:0] f_place;
  assign f_bits  = result_i.fmt.is4 ? 4'd4 : result_i.fmt.is6 ? 4'd6 : 4'd8;
  assign f_mask  = 8'((9'd1 << f_bits) - 9'd1);
  assign f_place = 9'(f_bits) * (9'(f_seg) * 9'(LANES_OUT) + 9'(f_lane));
  assign f_pick  = out_valid & (out.seg == f_seg);
  assign f_code  = f_pick ? (8'(codes >> {f_lane, 3'd0}) & f_mask) : f_code_q;
  always_ff @(posedge clk_i) f_code_q <= f_code;
  `MXE_REQUIRE(requant_lane_exists, 32'(f_lane) < LANES_OUT)
  `MXE_ASSERT(requant_packed, !out_valid || (out.seg < f_seg) ||
              ((8'(pack_d >> f_place) & f_mask) == f_code))
  `MXE_ASSERT(requant_kept, (f_next_q == '0) || (f_next_q <= f_seg) ||
              ((8'(256'(pack_q) >> f_place) & f_mask) == f_code_q))
  `MXE_ASSERT(requant_nothing_beyond, (f_next_q == '0) ||
              ((256'(pack_q) >> (9'(f_next_q) * 9'(LANES_OUT) * 9'(f_bits))) == '0))
