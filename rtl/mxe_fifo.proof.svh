// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_fifo, inside its module.
  `MXE_FORMAL_START
  assign f_count_o = count_q;

  // Follows one arbitrary word from entry to exit: it must leave unchanged, directly after the
  // words that entered before it.
  (* anyseq *) logic f_pick;
  logic             f_inside_q;
  logic [PtrW:0]    f_ahead_q;
  logic [WIDTH-1:0] f_word_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_inside_q <= 1'b0;
    end else if (clear_i) begin
      f_inside_q <= 1'b0;
    end else if (f_inside_q) begin
      if (pop) f_inside_q <= (f_ahead_q != '0);
    end else begin
      f_inside_q <= f_pick & push;
    end
  end
  always_ff @(posedge clk_i) begin
    if (f_inside_q) f_ahead_q <= f_ahead_q - (PtrW+1)'(pop);
    else f_ahead_q <= count_q - (PtrW+1)'(pop);
    if (!f_inside_q) f_word_q <= data_i;
  end

  logic [PtrW-1:0] f_place;
  assign f_place = rptr_q + f_ahead_q[PtrW-1:0];
  `MXE_ASSERT(fifo_pointers_agree, (wptr_q - rptr_q) == count_q[PtrW-1:0])
  `MXE_ASSERT(fifo_no_overflow, !(push && (count_q == (PtrW+1)'(DEPTH))))
  `MXE_ASSERT(fifo_no_underflow, !(pop && (count_q == '0)))
  `MXE_ASSERT(fifo_word_kept, !f_inside_q || ((f_ahead_q < count_q) && (mem[f_place] == f_word_q)))
  `MXE_ASSERT(fifo_word_in_order, !(f_inside_q && (f_ahead_q == '0)) ||
              (valid_o && (data_o == f_word_q)))
