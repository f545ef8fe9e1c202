// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_unpack, inside its module.
  `MXE_FORMAL_START
  // The missing bytes of the fetch fit into its outstanding beats.
  logic [LEN_W+OffW:0] f_left, f_to_come, f_have;
  assign f_left    = (LEN_W+OffW+1)'(word_q) + (LEN_W+OffW+1)'(rest_q);
  assign f_to_come = mid_q ? ((LEN_W+OffW+1)'(beats_q) << OffW) : '0;
  assign f_have    = (LEN_W+OffW+1)'(count_q);
  `MXE_ASSERT(unpack_no_byte_missing, !active_q || drop_i || f_dropping_q ||
              (f_left <= f_have + f_to_come))
  `MXE_ASSERT(unpack_no_beat_too_many, !(active_q && mid_q) || drop_i || f_dropping_q ||
              (f_left + (LEN_W+OffW+1)'(MemB) > f_have + f_to_come))
  `MXE_ASSERT(unpack_mid_is_active, !mid_q || drop_i || f_dropping_q ||
              (active_q && (beats_q != '0)))
  `MXE_ASSERT(unpack_word_not_empty, !emit || (word_q != '0))
  `MXE_ASSERT(unpack_no_underflow, !emit || (count_q >= CntW'(word_q)))
  // Only the last output of a row may be incomplete.
  `MXE_ASSERT(unpack_word_in_range, !active_q || ((word_q != '0) && (word_q <= size_q) &&
              (size_q <= SizeW'(WordB)) && ((word_q == size_q) || (rest_q == '0))))
  logic [8*QueueB-1:0] f_beyond;
  assign f_beyond = queue_q >> {count_q, 3'b000};
  `MXE_ASSERT(unpack_zero_beyond, !active_q || (f_beyond == '0))
