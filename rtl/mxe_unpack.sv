// SPDX-License-Identifier: Apache-2.0
// Unpacker: turns the read beats of each row fetch into words, dropping the bytes before the row's
// start and zero filling after its end. A byte queue holds what does not fill a word yet; one word
// leaves per clock: an operand word (16, 24 or 32 bytes), 8 scale bytes, or 32 bytes of bias or
// descriptor.
`include "mxe_assert.svh"
`default_nettype none
module mxe_unpack #(
  parameter int unsigned MEM_W = 256
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,
  input  logic                        drop_i,        // aborting: accept beats and forget them
  input  logic [5:0]                  a_word_bytes_i,
  input  logic [5:0]                  b_word_bytes_i,
  // row fetches under way, oldest first
  input  logic                        fetch_valid_i,
  output logic                        fetch_ready_o,
  input  logic [$clog2(MEM_W/8)-1:0]  fetch_offset_i,
  input  logic [mxe_pkg::LenW-1:0]    fetch_bytes_i,
  input  logic [mxe_pkg::TagW-1:0]    fetch_tag_i,
  // AXI4 read data channel
  input  logic                        m_rvalid_i,
  output logic                        m_rready_o,
  input  logic [MEM_W-1:0]            m_rdata_i,
  // words
  output logic                        word_valid_o,
  output logic [mxe_pkg::TagW-1:0]    word_tag_o,
  output logic [mxe_pkg::LenW-1:0]    word_index_o,  // within the row fetch
  output logic [255:0]                word_data_o,
  output logic                        word_last_o    // last word of the row fetch
);
  localparam int unsigned MemB = MEM_W / 8;
  localparam int unsigned OffW = $clog2(MemB);
  localparam int unsigned WordB = 32;
  localparam int unsigned QueueB = MemB + WordB;
  localparam int unsigned CntW = $clog2(QueueB + 1);
  localparam int unsigned LenW = mxe_pkg::LenW;
  localparam int unsigned TagW = mxe_pkg::TagW;

  // ---------------------------------------------------------------- words out
  logic [8*QueueB-1:0] queue_q;
  logic [CntW-1:0]     count_q;      // bytes in the queue
  logic                active_q;     // a row fetch is being unpacked
  logic [LenW-1:0]     left_q;       // its bytes still to leave
  logic [LenW-1:0]     index_q;
  logic [TagW-1:0]     tag_q;
  logic [5:0]          size_q;       // bytes of its words

  logic [5:0] emit_bytes;
  logic       emit, emit_done;
  assign emit_bytes = (left_q < LenW'(size_q)) ? left_q[5:0] : size_q;
  assign emit       = active_q & (count_q >= CntW'(emit_bytes));
  assign emit_done  = emit & (left_q <= LenW'(size_q));

  assign word_valid_o = emit;
  assign word_tag_o   = tag_q;
  assign word_index_o = index_q;
  assign word_last_o  = emit_done;
  for (genvar i = 0; i < WordB; i++) begin : gen_byte
    assign word_data_o[8*i +: 8] = (6'(i) < emit_bytes) ? queue_q[8*i +: 8] : 8'd0;
  end

  // ---------------------------------------------------------------- beats in
  logic            mid_q;         // the row fetch at the head has had its first beat
  logic [LenW-1:0] beats_q;       // its beats still to come
  logic [LenW:0]   span;
  logic [LenW-1:0] beats;
  assign span  = {1'b0, fetch_bytes_i} + (LenW+1)'(fetch_offset_i) + (LenW+1)'(MemB - 1);
  assign beats = mid_q ? beats_q : LenW'(span >> OffW);

  logic [CntW-1:0] kept;          // bytes that stay in the queue this clock
  logic            room, beat;
  assign kept = emit_done ? '0 : (emit ? (count_q - CntW'(emit_bytes)) : count_q);
  assign room = mid_q ? (kept <= CntW'(WordB)) : (~active_q | emit_done);
  assign m_rready_o    = drop_i | (fetch_valid_i & room);
  assign beat          = m_rvalid_i & m_rready_o & ~drop_i;
  assign fetch_ready_o = beat & (beats == LenW'(1));

  logic [8*QueueB-1:0] queue_kept, arriving;
  logic [5:0]          word_size;
  assign queue_kept = emit ? (queue_q >> {emit_bytes, 3'b000}) : queue_q;
  assign arriving   = mid_q ? ({{(8*WordB){1'b0}}, m_rdata_i} << {kept, 3'b000})
                            : ({{(8*WordB){1'b0}}, m_rdata_i} >> {fetch_offset_i, 3'b000});

  logic [8*QueueB-1:0] keep_mask;
  assign keep_mask = ~({(8*QueueB){1'b1}} << {kept, 3'b000});

  always_comb begin
    case (fetch_tag_i[TagW-1 -: mxe_pkg::TagKindW])
      mxe_pkg::TagAElem:  word_size = a_word_bytes_i;
      mxe_pkg::TagBElem:  word_size = b_word_bytes_i;
      mxe_pkg::TagAScale: word_size = 6'd8;
      mxe_pkg::TagBScale: word_size = 6'd8;
      default:            word_size = 6'd32;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      mid_q    <= 1'b0;
      count_q  <= '0;
      left_q   <= '0;
      index_q  <= '0;
      beats_q  <= '0;
      tag_q    <= '0;
      size_q   <= '0;
    end else if (clear_i) begin
      active_q <= 1'b0;
      mid_q    <= 1'b0;
      count_q  <= '0;
    end else begin
      if (emit) begin
        left_q  <= left_q - LenW'(emit_bytes);
        index_q <= index_q + LenW'(1);
      end
      count_q <= kept;
      if (emit_done) active_q <= 1'b0;
      if (beat) begin
        beats_q <= beats - LenW'(1);
        mid_q   <= (beats != LenW'(1));
        if (mid_q) begin
          count_q <= kept + CntW'(MemB);
        end else begin
          count_q  <= CntW'(MemB) - CntW'(fetch_offset_i);
          active_q <= 1'b1;
          left_q   <= fetch_bytes_i;
          index_q  <= '0;
          tag_q    <= fetch_tag_i;
          size_q   <= word_size;
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (beat) queue_q <= mid_q ? ((queue_kept & keep_mask) | arriving) : arriving;
    else queue_q <= queue_kept;
  end

  `MXE_ASSERT(unpack_queue_in_range, count_q <= CntW'(QueueB))
  `MXE_ASSERT(unpack_beats_used_up, !emit_done || !mid_q || drop_i)
`ifndef SYNTHESIS
  // Fetches wait unchanged and are not empty.
  logic            f_wait_q;
  logic [OffW-1:0] f_offset_q;
  logic [LenW-1:0] f_bytes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= 1'b0;
    else f_wait_q <= fetch_valid_i & ~fetch_ready_o & ~clear_i;
  end
  always_ff @(posedge clk_i) begin
    f_offset_q <= fetch_offset_i;
    f_bytes_q  <= fetch_bytes_i;
  end
  `MXE_REQUIRE(unpack_fetch_stable, !f_wait_q || (fetch_valid_i && (fetch_offset_i == f_offset_q) &&
               (fetch_bytes_i == f_bytes_q)))
  `MXE_REQUIRE(unpack_fetch_not_empty, !fetch_valid_i || (fetch_bytes_i != '0))
  `MXE_REQUIRE(unpack_word_bytes, ((a_word_bytes_i == 6'd16) || (a_word_bytes_i == 6'd24) ||
               (a_word_bytes_i == 6'd32)) && ((b_word_bytes_i == 6'd16) ||
               (b_word_bytes_i == 6'd24) || (b_word_bytes_i == 6'd32)))
  // Dropped beats belong to an abort, which ends with a clear.
  logic f_dropping_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_dropping_q <= 1'b0;
    else f_dropping_q <= ~clear_i & (drop_i | f_dropping_q);
  end
  `MXE_REQUIRE(unpack_drop_until_clear, !f_dropping_q || drop_i)

`endif
`ifdef FORMAL
  `MXE_FORMAL_START
  // The bytes of the fetch that have not arrived are within the beats still to come.
  logic [LenW+OffW:0] f_to_come, f_have;
  assign f_to_come = mid_q ? ((LenW+OffW+1)'(beats_q) << OffW) : '0;
  assign f_have    = (LenW+OffW+1)'(count_q);
  `MXE_ASSERT(unpack_no_byte_missing, !active_q || drop_i || f_dropping_q ||
              ((LenW+OffW+1)'(left_q) <= f_have + f_to_come))
  `MXE_ASSERT(unpack_no_beat_too_many, !(active_q && mid_q) || drop_i || f_dropping_q ||
              ((LenW+OffW+1)'(left_q) + (LenW+OffW+1)'(MemB) > f_have + f_to_come))
  `MXE_ASSERT(unpack_mid_is_active, !mid_q || drop_i || f_dropping_q ||
              (active_q && (beats_q != '0) && fetch_valid_i))
  `MXE_ASSERT(unpack_word_not_empty, !word_valid_o || (emit_bytes != '0))
  `MXE_ASSERT(unpack_no_underflow, !emit || (count_q >= CntW'(emit_bytes)))
  `MXE_ASSERT(unpack_left_not_empty, !active_q || ((left_q != '0) && (size_q != '0) &&
              (size_q <= 6'd32)))
  `MXE_ASSERT(unpack_beat_only_for_fetch, !beat || fetch_valid_i)
`endif
endmodule
`default_nettype wire
