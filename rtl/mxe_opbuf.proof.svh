// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_opbuf, inside its module.
  `MXE_FORMAL_START
  logic [MostBanks-1:0] f_last_written_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_last_written_q <= '0;
    else if (clear_i) f_last_written_q <= '0;
    else begin
      if ((elem_valid_i | scale_valid_i) & last_i) f_last_written_q[bank_i] <= 1'b1;
      if (release_i) f_last_written_q[release_bank_i] <= 1'b0;
    end
  end
  `MXE_ASSERT(opbuf_full_exact, full_q == f_last_written_q)
