// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_rd_port, inside its module.
  `MXE_FORMAL_START
  logic [7:0]  f_len_q;
  logic [11:0] f_bursts_q;
  always_ff @(posedge clk_i) begin
    f_len_q    <= m_arlen_o;
    f_bursts_q <= bursts_q;
  end
  `MXE_ASSERT(rd_under_way_exact, under_way_q == f_fetches)
  `MXE_ASSERT(rd_under_way_in_range, under_way_q <= UnderWayW'(Outstanding))
  `MXE_ASSERT(rd_bursts_no_overflow, !(ar_fire && (&bursts_q)))
  `MXE_ASSERT(ar_length_stable, !ar_wait_q || (m_arlen_o == f_len_q))
