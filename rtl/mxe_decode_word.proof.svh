// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_decode_word, inside its module.
  // mxe_array and mxe_feed require this of their words.
  always_comb begin
    decode_format : assume (mxe_pkg::is_fmt_row(fmt_i));
    decode_zero_beyond : assume (mxe_pkg::zero_beyond(word_i, fmt_i.is4, fmt_i.is6, dual_i,
                                                      count_i));
  end
