// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_wr_port, inside its module.
  `MXE_FORMAL_START
  logic [MEM_W-1:0] f_carried_lanes;
  for (genvar i = 0; i < MemB; i++) begin : gen_carried_lanes
    assign f_carried_lanes[8*i +: 8] = {8{carry_strb_q[i]}};
  end
  `MXE_ASSERT(wr_flushes_zeros, !flush_q || ((carry_q & ~f_carried_lanes) == '0))
  logic [7:0]       f_aw_len_q;
  logic [MEM_W-1:0] f_data_q;
  logic [MemB-1:0]  f_strb_q;
  logic             f_last_q;
  always_ff @(posedge clk_i) begin
    f_aw_len_q <= aw_len_q;
    f_data_q   <= w_data_q;
    f_strb_q   <= w_strb_q;
    f_last_q   <= w_last_q;
  end
  `MXE_ASSERT(aw_length_stable, !aw_wait_q || (aw_len_q == f_aw_len_q))
  `MXE_ASSERT(w_data_stable, !w_wait_q || ((w_data_q == f_data_q) && (w_strb_q == f_strb_q) &&
              (w_last_q == f_last_q)))
  `MXE_ASSERT(aw_len_in_range, !aw_valid_q || (32'(aw_len_q) < 32'(MAX_BURST)))
  `MXE_ASSERT(wr_bursts_no_overflow, bursts_q <= (BurstsAw+1)'(mxe_pkg::WR_OUTSTANDING))
  // w_last is set exactly on the burst's last beat.
  `MXE_ASSERT(w_last_exact, !w_valid_q || (w_last_q == (beat_q == '0)))
  `MXE_ASSERT(w_beat_within_burst, (beat_q == '0) || (burst_valid && (beat_q <= burst_len)))
