// SPDX-License-Identifier: Apache-2.0
// Unpacker: converts the read beats of each row fetch into words. It drops the bytes before the
// row's start and fills with zeros after its end. A byte queue holds incomplete words. One word
// leaves per cycle: 24 bytes of a 6-bit operand, A_SCALES scales of A, or 32 bytes of anything
// else. 32 bytes of elements are one operand word, or two with 4-bit elements at the single rate.
// With TWO_WORDS (needs a port wider than 32 bytes), elements leave two words at a time; the second
// one is zero if absent.
`include "mxe_assert.svh"
`default_nettype none
module mxe_unpack #(
  parameter int unsigned MEM_W = 256,
  parameter int unsigned LEN_W = 16,  // bits of a row fetch's byte count
  parameter int unsigned TAG_W = 13,
  parameter int unsigned IDX_W = 13,  // bits of a word's index in its row
  parameter int unsigned A_SCALES = 32,
  parameter bit          TWO_WORDS = 1'b0,
  parameter int unsigned OUT_W = TWO_WORDS ? 512 : 256
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,
  input  logic                        drop_i,        // abort: accept and discard beats
  input  logic                        a_is6_i,
  input  logic                        b_is6_i,
  // outstanding row fetches, oldest first; one exists whenever a beat arrives
  output logic                        fetch_ready_o,
  input  mxe_pkg::pending_t           fetch_i,
  input  logic                        m_rvalid_i,
  output logic                        m_rready_o,
  input  logic [MEM_W-1:0]            m_rdata_i,
  output mxe_pkg::word_t              word_o
);
  localparam int unsigned MemB = MEM_W / 8;
  localparam int unsigned OffW = $clog2(MemB);
  localparam int unsigned WordB = OUT_W / 8;
  localparam int unsigned SizeW = $clog2(WordB + 1);
  localparam int unsigned QueueB = MemB + WordB;
  localparam int unsigned CntW = $clog2(QueueB + 1);

  logic [OffW-1:0]             fetch_offset;
  logic [LEN_W-1:0]            fetch_bytes;
  logic [mxe_pkg::TAG_T_W-1:0] fetch_tag;
  assign fetch_offset = fetch_i.offset[OffW-1:0];
  assign fetch_bytes  = fetch_i.bytes[LEN_W-1:0];
  assign fetch_tag    = fetch_i.tag;

  logic [8*QueueB-1:0] queue_q;      // zero beyond its bytes
  logic [CntW-1:0]     count_q;
  logic                active_q;     // a row fetch is being unpacked
  logic [SizeW-1:0]    word_q;       // bytes of the row in its next output
  logic [LEN_W-1:0]    rest_q;
  logic [IDX_W-1:0]    index_q;
  logic [TAG_W-1:0]    tag_q;
  logic [SizeW-1:0]    size_q;       // bytes of a full output (one or two words)

  logic emit, emit_done;
  assign emit      = active_q & (count_q >= CntW'(word_q));
  assign emit_done = emit & (rest_q == '0);

  logic [OUT_W-1:0] word_data;
  assign word_o.valid = emit;
  assign word_o.tag   = mxe_pkg::TAG_T_W'(tag_q);
  assign word_o.index = mxe_pkg::WORD_AW'(index_q);
  assign word_o.last  = (rest_q == '0);
  assign word_o.data  = mxe_pkg::AXI_W'(word_data);
  logic [8*WordB-1:0] front;  // head of the queue, zero beyond this output
  for (genvar i = 0; i < WordB; i++) begin : gen_byte
    assign front[8*i +: 8] = (SizeW'(i) < word_q) ? queue_q[8*i +: 8] : 8'd0;
  end
  if (TWO_WORDS) begin : gen_two
    // The words of a 6-bit pair (24 bytes each) also leave 32 bytes apart.
    logic six;
    assign six       = (size_q == SizeW'(48));
    assign word_data = six ? {64'd0, front[8*24 +: 8*24], 64'd0, front[0 +: 8*24]} : front;
  end else begin : gen_one
    assign word_data = front;
  end

  // Next output: of the same row or, when that is complete, the first of the next row.
  logic [SizeW-1:0] word_size, next_size, next_word;
  logic [LEN_W-1:0] next_bytes;
  logic             first_beat, row_ends;
  assign row_ends   = ~active_q | (rest_q == '0);
  assign next_size  = row_ends ? word_size : size_q;
  assign next_bytes = row_ends ? fetch_bytes : rest_q;
  assign next_word  = (next_bytes < LEN_W'(next_size)) ? next_bytes[SizeW-1:0] : next_size;

  logic             mid_q;        // the oldest row fetch has received its first, not its last beat
  logic [LEN_W-1:0] beats_q;
  logic [LEN_W:0]   span;
  logic [LEN_W-1:0] beats;
  assign span  = {1'b0, fetch_bytes} + (LEN_W+1)'(fetch_offset) + (LEN_W+1)'(MemB - 1);
  assign beats = mid_q ? beats_q : LEN_W'(span >> OffW);
  logic last_beat;
  assign last_beat = mid_q ? (beats_q == LEN_W'(1))
                   : ({1'b0, fetch_bytes} + (LEN_W+1)'(fetch_offset) <= (LEN_W+1)'(MemB));

  logic [CntW-1:0] kept;
  logic            room, beat;
  assign kept = emit ? (count_q - CntW'(word_q)) : count_q;
  // With mid_q, equivalent to kept <= WordB, without waiting for the subtraction.
  assign room = mid_q ? ((count_q <= CntW'(WordB)) |
                         (emit & ((CntW+1)'(count_q) <= (CntW+1)'(WordB) + (CntW+1)'(word_q))))
                      : (~active_q | emit_done);
  assign m_rready_o    = drop_i | room;
  assign beat          = m_rvalid_i & room & ~drop_i;
  assign first_beat    = beat & ~mid_q;
  assign fetch_ready_o = beat & last_beat;

  logic [8*QueueB-1:0] queue_kept, arriving;
  assign queue_kept = emit ? (queue_q >> {word_q, 3'b000}) : queue_q;
  assign arriving   = mid_q ? ({{(8*WordB){1'b0}}, m_rdata_i} << {kept, 3'b000})
                            : ({{(8*WordB){1'b0}}, m_rdata_i} >> {fetch_offset, 3'b000});

  always_comb begin
    case (fetch_i.tag.kind)
      mxe_pkg::TagAElem:  word_size = SizeW'(a_is6_i ? 24 : 32) << TWO_WORDS;
      mxe_pkg::TagBElem:  word_size = SizeW'(b_is6_i ? 24 : 32) << TWO_WORDS;
      mxe_pkg::TagAScale: word_size = SizeW'(A_SCALES);
      default:            word_size = SizeW'(32);
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      mid_q    <= 1'b0;
      count_q  <= '0;
      word_q   <= '0;
      rest_q   <= '0;
      index_q  <= '0;
      beats_q  <= '0;
      tag_q    <= '0;
      size_q   <= '0;
    end else if (clear_i) begin
      active_q <= 1'b0;
      mid_q    <= 1'b0;
      count_q  <= '0;
    end else begin
      if (emit | first_beat) begin
        word_q  <= next_word;
        rest_q  <= next_bytes - LEN_W'(next_word);
        index_q <= first_beat ? '0 : (index_q + IDX_W'(1));
      end
      count_q <= kept;
      if (emit_done) active_q <= 1'b0;
      if (beat) begin
        beats_q <= beats - LEN_W'(1);
        mid_q   <= ~last_beat;
        if (mid_q) begin
          count_q <= kept + CntW'(MemB);
        end else begin
          count_q  <= CntW'(MemB) - CntW'(fetch_offset);
          active_q <= 1'b1;
          tag_q    <= fetch_tag[TAG_W-1:0];
          size_q   <= word_size;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    // The first beat of a row replaces the remainder of the previous row.
    queue_q <= (first_beat ? '0 : queue_kept) | (beat ? arriving : '0);
  end

  `MXE_ASSERT(unpack_queue_in_range, count_q <= CntW'(QueueB))
  `MXE_ASSERT(unpack_beats_used_up, !emit_done || !mid_q || drop_i)
  `MXE_REQUIRE(unpack_fetch_not_empty, !first_beat || (fetch_bytes != '0))
`ifndef SYNTHESIS
  // Beats are dropped only during an abort, which ends with clear_i.
  logic f_dropping_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_dropping_q <= 1'b0;
    else f_dropping_q <= ~clear_i & (drop_i | f_dropping_q);
  end
  `MXE_REQUIRE(unpack_drop_until_clear, !f_dropping_q || drop_i)

`endif
`ifdef FORMAL
`include "mxe_unpack.proof.svh"
`endif
endmodule
`default_nettype wire
