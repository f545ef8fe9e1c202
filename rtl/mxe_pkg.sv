// SPDX-License-Identifier: Apache-2.0
// Facts shared by every block: element formats, datapath geometry and the tags of read requests.
`default_nettype none
package mxe_pkg;
  // ---------------------------------------------------------------- element formats
  // The codes are those of the descriptor's fmt_a and fmt_b fields.
  localparam int unsigned FmtW = 3;
  localparam logic [FmtW-1:0] FmtE2M1 = 3'd0;
  localparam logic [FmtW-1:0] FmtE1M2 = 3'd1;
  localparam logic [FmtW-1:0] FmtE2M3 = 3'd2;
  localparam logic [FmtW-1:0] FmtE3M2 = 3'd3;
  localparam logic [FmtW-1:0] FmtE4M3 = 3'd4;
  localparam logic [FmtW-1:0] FmtE5M2 = 3'd5;
  localparam logic [FmtW-1:0] FmtInt8 = 3'd6;

  localparam int unsigned LANES = 32;        // elements of one block, multipliers of one PE
  localparam int unsigned WORD_W = 8 * LANES; // one operand word: an 8-bit container per lane

  // A decoded lane: {grp[2:0], mag[7:0], sign[1:0]}. NaN, Inf and zero travel beside the lanes, one
  // bit each per lane: {nan, inf, zero}, LANES bits each.
  localparam int unsigned DEC_W = 13;
  localparam int unsigned FLAG_W = 3 * LANES;

  // Position of the odd block's products when two 4-bit blocks share one tree, and the width of
  // one 4-bit block sum (32 products of at most 12 * 12).
  localparam int unsigned PACK_POS = 20;
  localparam int unsigned DUAL_SUM_W = 14;

  // A magnitude as far as the scale of a block depends on it: the exponent field of binary32, eight
  // bits of the fraction, and whether there is more.
  localparam int unsigned AMAX_W = 17;

  // ---------------------------------------------------------------- pipeline depths (clocks)
  // Stages between the A buffer's read request and the accumulator's read request:
  // decode, multiply, tree 1, tree 2, combine.
  localparam int unsigned DOT_LAT = 5;
  // Stages of the accumulator after its read request: align, add, magnitude, coarse and fine
  // normalise, round. A row may return to its accumulator after ACC_LAT + 1 clocks.
  localparam int unsigned ACC_LAT = 6;
  localparam int unsigned MIN_PASS = ACC_LAT + 1;

  // Bits for K in blocks of 32.
  localparam int unsigned BLOCKS_W = 28;

  // Row fetches that may be under way on the read channel.
  localparam int unsigned RD_OUTSTANDING = 32;
  // Row fetches under way beyond which A has to wait, so that B is not stuck behind it.
  localparam int unsigned RD_A_OUTSTANDING = 6;
  // Stages of the requantiser after the read request: read, normalise, place, shift, round.
  localparam int unsigned REQUANT_LAT = 5;
  // Encoded rows between the requantiser and the write port.
  localparam int unsigned REQUANT_FIFO = 4;
  // Rows accepted by the write channel and not yet sent.
  localparam int unsigned WR_QUEUE = 4;

  // ---------------------------------------------------------------- memory port
  // What every burst carries. One id, so that the answers of a channel come in order. Normal,
  // non-cacheable, non-bufferable memory: the answer to a write comes from where the data ends up,
  // which the order of results, record and interrupt rests on. Unprivileged, non-secure data: the
  // least rights that there are.
  localparam logic [3:0] AxiId = 4'd0;
  localparam logic [3:0] AxiCache = 4'b0010;
  localparam logic [2:0] AxiProt = 3'b010;

  // ---------------------------------------------------------------- read tags
  localparam int unsigned TagKindW = 3;
  localparam logic [TagKindW-1:0] TagDesc = 3'd0;
  localparam logic [TagKindW-1:0] TagAElem = 3'd1;
  localparam logic [TagKindW-1:0] TagAScale = 3'd2;
  localparam logic [TagKindW-1:0] TagBElem = 3'd3;
  localparam logic [TagKindW-1:0] TagBScale = 3'd4;
  localparam logic [TagKindW-1:0] TagBias = 3'd5;
  // A tag is {kind, bank, index of the row or column, last fetch of its bank}.
  function automatic int unsigned tag_w(input int unsigned rows);
    tag_w = TagKindW + 1 + $clog2(rows) + 1;
  endfunction

  // Bits for the bytes of a row in memory, as far as it is fetched or written at a time, and for the
  // beats of 4 KiB: for operand words of 32 bytes, rows of C and D, a descriptor.
  function automatic int unsigned len_w(input int unsigned chunk_words, input int unsigned num_pe,
                                        input int unsigned mem_w);
    int unsigned most;
    most = (4 * num_pe > 128) ? 4 * num_pe : 128;
    if (32 * chunk_words > most) most = 32 * chunk_words;
    if (4096 / (mem_w / 8) > most) most = 4096 / (mem_w / 8);
    len_w = $clog2(most + 1);
  endfunction

  // ---------------------------------------------------------------- functions of the formats
  function automatic logic fmt_is4(input logic [FmtW-1:0] f);
    fmt_is4 = (f == FmtE2M1) | (f == FmtE1M2);
  endfunction

  function automatic logic fmt_is6(input logic [FmtW-1:0] f);
    fmt_is6 = (f == FmtE2M3) | (f == FmtE3M2);
  endfunction

  // Weight of a format's integer lsb: value = integer * 2^lsb.
  function automatic logic signed [5:0] fmt_lsb(input logic [FmtW-1:0] f);
    case (f)
      FmtE2M1: fmt_lsb = -6'sd1;
      FmtE1M2: fmt_lsb = -6'sd2;
      FmtE2M3: fmt_lsb = -6'sd3;
      FmtE3M2: fmt_lsb = -6'sd4;
      FmtE4M3: fmt_lsb = -6'sd9;
      FmtE5M2: fmt_lsb = -6'sd16;
      default: fmt_lsb = -6'sd6;
    endcase
  endfunction

  // The upper half of a binary32 number, rounded to nearest even. NaNs, which all are 0x7FC00000
  // here, and infinities stay what they are.
  function automatic logic [15:0] to_bf16(input logic [31:0] x);
    to_bf16 = x[31:16] + {15'd0, x[15] & ((|x[14:0]) | x[16])};
  endfunction

  // Exponent of a format's largest number.
  function automatic logic [3:0] fmt_emax(input logic [FmtW-1:0] f);
    case (f)
      FmtE2M1: fmt_emax = 4'd2;
      FmtE2M3: fmt_emax = 4'd2;
      FmtE3M2: fmt_emax = 4'd4;
      FmtE4M3: fmt_emax = 4'd8;
      FmtE5M2: fmt_emax = 4'd15;
      default: fmt_emax = 4'd0;
    endcase
  endfunction

  // Exponent of a format's smallest normal number, negated. Integers count as one binade whose
  // numbers below 1 are subnormal.
  function automatic logic [3:0] fmt_emin_neg(input logic [FmtW-1:0] f);
    case (f)
      FmtE3M2: fmt_emin_neg = 4'd2;
      FmtE4M3: fmt_emin_neg = 4'd6;
      FmtE5M2: fmt_emin_neg = 4'd14;
      default: fmt_emin_neg = 4'd0;
    endcase
  endfunction

  // Bits of a format's numbers below the leading one.
  function automatic logic [2:0] fmt_mantissa(input logic [FmtW-1:0] f);
    case (f)
      FmtE2M1: fmt_mantissa = 3'd1;
      FmtE2M3: fmt_mantissa = 3'd3;
      FmtE4M3: fmt_mantissa = 3'd3;
      FmtInt8: fmt_mantissa = 3'd6;
      default: fmt_mantissa = 3'd2;
    endcase
  endfunction

  // Code of a format's largest number.
  function automatic logic [7:0] fmt_max_code(input logic [FmtW-1:0] f);
    case (f)
      FmtE2M1: fmt_max_code = 8'h07;
      FmtE1M2: fmt_max_code = 8'h07;
      FmtE2M3: fmt_max_code = 8'h1F;
      FmtE3M2: fmt_max_code = 8'h1F;
      FmtE4M3: fmt_max_code = 8'h7E;
      FmtE5M2: fmt_max_code = 8'h7B;
      default: fmt_max_code = 8'h7F;
    endcase
  endfunction

  // Bytes of one operand word in memory: one block, or two blocks when both operands are 4-bit
  // and run at the dual rate.
  function automatic logic [5:0] word_bytes(input logic [FmtW-1:0] f, input logic dual);
    if (dual) word_bytes = 6'd32;
    else if (fmt_is4(f)) word_bytes = 6'd16;
    else if (fmt_is6(f)) word_bytes = 6'd24;
    else word_bytes = 6'd32;
  endfunction

  // Bytes of a row of k elements (k < 2^32).
  function automatic logic [31:0] row_bytes(input logic [FmtW-1:0] f, input logic [31:0] k);
    logic [34:0] bits;
    if (fmt_is4(f)) bits = {1'b0, k, 2'b00};
    else if (fmt_is6(f)) bits = {1'b0, k, 2'b00} + {2'b00, k, 1'b0};
    else bits = {k, 3'b000};
    bits = bits + 35'd7;
    row_bytes = bits[34:3];
  endfunction

  // Two's complement bits of the exact sum of 32 products, as a class: 42, 56 or 70.
  function automatic logic [6:0] pair_tree_w(input logic [FmtW-1:0] a, input logic [FmtW-1:0] b);
    if ((a == FmtE5M2) & (b == FmtE5M2)) pair_tree_w = 7'd70;
    else if (((a == FmtE5M2) & ~fmt_is4(b)) | ((b == FmtE5M2) & ~fmt_is4(a))) pair_tree_w = 7'd56;
    else pair_tree_w = 7'd42;
  endfunction

`ifndef SYNTHESIS
  // Whether an operand word of count elements is zero behind them, but for the unused bits of its
  // last byte, which are in the place of one more element. Only 4-bit words are dual.
  function automatic logic zero_beyond(input logic [WORD_W-1:0] word, input logic [FmtW-1:0] f,
                                       input logic dual, input logic [6:0] count);
    logic [6:0] places;
    places = count + {6'd0, (fmt_is4(f) & count[0]) | (fmt_is6(f) & (|count[1:0]))};
    zero_beyond = fmt_is4(f) | ~dual;
    for (int unsigned i = 0; i < LANES; i++) begin
      if ((7'(i) >= places) && (word[8*i +: 4] != 4'd0)) zero_beyond = 1'b0;
      if ((7'(dual ? LANES + i : i) >= places) && (word[8*i+4 +: 4] != 4'd0)) zero_beyond = 1'b0;
    end
  endfunction
`endif
endpackage
`default_nettype wire
