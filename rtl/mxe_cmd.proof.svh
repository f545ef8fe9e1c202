// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_cmd, inside its module.
  `MXE_FORMAL_START
  // Ring order: complete, computed or running, waiting or ahead, read, submitted.
  logic [15:0] f_seen, f_asked, f_submitted;
  assign f_seen      = f_out - head_q;
  assign f_asked     = fetch_index - head_q;
  assign f_submitted = tail_q - head_q;
  `MXE_ASSERT(cmd_seen_in_order, f_out == next_index + 16'(wait_q.valid) + 16'(ahead.valid))
  `MXE_ASSERT(cmd_asked_in_order, (f_seen <= f_asked) &&
              (f_asked <= f_submitted) && (!req_o.valid || (f_asked != f_submitted)))
  `MXE_ASSERT(cmd_clears_at_rest, !clear || !recording)
  // A doorbell advances the tail by at most the free entries, or has no effect but overflow.
  logic        f_doorbell_q, f_overflow_q, f_reset_q, f_reset_pending_q, f_complete_q, f_past_q;
  logic [15:0] f_head_q, f_tail_q, f_asked_q, f_entries_q;
  always_ff @(posedge clk_i) begin
    f_past_q     <= rst_ni;
    f_doorbell_q <= doorbell_i;
    f_overflow_q <= irq_ring_overflow_o;
    f_reset_q    <= (state_q == StReset);
    f_complete_q <= complete;
    f_reset_pending_q <= reset_q;
    f_head_q     <= head_q;
    f_tail_q     <= tail_q;
    f_asked_q    <= ring_tail_i;
    f_entries_q  <= (32'd1 << ring_size_log2_i) > 32'(QUEUE_DEPTH) ? 16'd0
                                                                  : 16'd1 << ring_size_log2_i;
  end
  logic [15:0] f_forward, f_free;
  assign f_forward = f_asked_q - f_tail_q;
  assign f_free    = f_entries_q - (f_tail_q - f_head_q);
  `MXE_ASSERT(cmd_reset_empties, !(f_past_q && f_reset_q) || ((head_q == '0) && (tail_q == '0)))
  `MXE_ASSERT(cmd_tail_by_doorbell, !f_past_q || f_reset_q ||
              (tail_q == ((f_doorbell_q && !f_overflow_q) ? f_asked_q : f_tail_q)))
  `MXE_ASSERT(cmd_head_by_completion, !f_past_q || f_reset_q ||
              (head_q == (f_complete_q ? (f_head_q + 16'd1) : f_head_q)))
  // A ring that has become smaller than its contents accepts no doorbell.
  `MXE_ASSERT(cmd_doorbell_forward, !(f_past_q && f_doorbell_q && !f_overflow_q && !f_reset_q) ||
              (!f_reset_pending_q && (f_entries_q >= (f_tail_q - f_head_q)) &&
               (f_forward <= f_free)))
  `MXE_ASSERT(cmd_doorbell_refused, !(f_past_q && f_doorbell_q && f_overflow_q) || f_reset_q ||
              (f_entries_q < (f_tail_q - f_head_q)) || (f_forward > f_free) || f_reset_pending_q ||
              (f_entries_q == '0))
