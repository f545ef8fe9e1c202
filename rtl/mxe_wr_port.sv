// SPDX-License-Identifier: Apache-2.0
// Write port: writes rows of bytes to any address. Each row is split into AXI INCR bursts
// (MAX_BURST, 4 KiB rule). Its data arrives in segments of SEG_W bits and is shifted onto the beats
// with byte strobes. A burst's data does not wait until its address is accepted. Rows are results
// or completion records. Rows that are contiguous in memory may be joined: the beat in which one
// ends and the next starts is written once, together with the next row.
`include "mxe_assert.svh"
`default_nettype none
module mxe_wr_port #(
  parameter int unsigned MEM_W     = 256,
  parameter int unsigned MAX_BURST = 16,
  parameter int unsigned SEG_W     = 256,
  parameter int unsigned LEN_W     = 16,   // bits of a row's byte count
  parameter int unsigned ROW_BYTES = (1 << LEN_W) - 1,  // bytes of the longest row
  parameter bit          HALF_ROWS = 1'b1, // half-full rows may have several segments
  parameter int unsigned RECORD_BURSTS = 4  // bursts of records outstanding at most
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  mxe_pkg::write_t          write_i,
  output logic                     row_ready_o,
  output logic                     data_ready_o,
  output logic                     data_record_o, // the next data accepted is of a record
  input  mxe_pkg::axi_in_t         axi_i,
  output mxe_pkg::axi_write_t      axi_o,
  // Address and scale bit of the burst acknowledged at fault_i, valid from the next cycle on.
  input  logic                     fault_i,
  output logic [63:0]              fault_addr_o,
  output logic                     fault_scale_o,
  // a burst of results starts or is acknowledged; a burst of a record (its last) is acknowledged
  output logic                     result_begins_o,
  output logic                     result_answered_o,
  output logic                     record_answered_o,
  output logic                     record_last_o,
  output logic                     sent_o,
  output logic                     idle_o         // sent, and all bursts acknowledged
);
  localparam int unsigned MemB = MEM_W / 8;
  localparam int unsigned OffW = $clog2(MemB);
  localparam int unsigned SegB = SEG_W / 8;
  localparam int unsigned WideB = MemB + SegB;
  localparam int unsigned FillW = $clog2(WideB + 1);
  localparam int unsigned LongestBurst = mxe_pkg::longest_burst(MEM_W, MAX_BURST);
  localparam int unsigned BeatW = (LongestBurst > 1) ? $clog2(LongestBurst) : 1;

  // The bits of a row that this engine needs.
  mxe_pkg::row_t    req;
  logic [LEN_W-1:0] req_bytes;
  assign req       = write_i.row;
  assign req_bytes = req.bytes[LEN_W-1:0];

  // ---------------------------------------------------------------- address channel
  logic             splitting;
  logic             scale_q;
  logic             record_q;
  logic             last_burst;
  logic [63:0]      burst_addr;
  logic [LEN_W-1:0] burst;
  logic             aw_valid_q;
  logic [63:0]      aw_addr_q;
  logic [7:0]       aw_len_q;
  logic             bursts_full, rows_ready, bursts_ready, can_accept, accept, emit_burst;

  // Beats touched; if the row joins the next one, beats filled (may be 0). Neither waits for
  // req.joins.
  logic [LEN_W:0]   req_off, span, filled;
  logic [LEN_W-1:0] beats;
  assign req_off = (LEN_W+1)'(req.addr[OffW-1:0]);
  assign span    = {1'b0, req_bytes} + req_off + (LEN_W+1)'(MemB - 1);
  assign filled  = {1'b0, req_bytes} + req_off;
  assign beats   = req.joins ? LEN_W'(filled >> OffW) : LEN_W'(span >> OffW);
  mxe_bursts #(
    .MEM_W     (MEM_W),
    .MAX_BURST (MAX_BURST),
    .LEN_W     (LEN_W)
  ) u_split (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .start_i (accept & (beats != '0)),
    .addr_i  (req.addr),
    .beats_i (beats),
    .valid_o (splitting),
    .take_i  (emit_burst),
    .drop_i  (1'b0),
    .addr_o  (burst_addr),
    .beats_o (burst),
    .last_o  (last_burst)
  );
  assign emit_burst  = splitting & bursts_ready & ~bursts_full & (~aw_valid_q | axi_i.aw_ready);
  assign can_accept  = ~splitting | (emit_burst & last_burst);
  assign row_ready_o = rows_ready & can_accept;
  assign accept      = req.valid & row_ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      scale_q    <= 1'b0;
      record_q   <= 1'b0;
      aw_valid_q <= 1'b0;
      aw_addr_q  <= '0;
      aw_len_q   <= '0;
    end else begin
      if (axi_i.aw_ready) aw_valid_q <= 1'b0;
      if (emit_burst) begin
        aw_valid_q <= 1'b1;
        aw_addr_q  <= burst_addr;
        aw_len_q   <= 8'(burst - LEN_W'(1));
      end
      if (accept) begin
        scale_q  <= req.scale;
        record_q <= req.record;
      end
    end
  end
  assign axi_o.aw.valid = aw_valid_q;
  assign axi_o.aw.addr  = aw_addr_q;
  assign axi_o.aw.len   = aw_len_q;

  // Rows and bursts whose data has not been sent completely.
  localparam int unsigned LeftW = $clog2(ROW_BYTES + 1);
  localparam int unsigned RowsW = (HALF_ROWS ? 1 : 0) + 3 + OffW + LeftW;
  logic             row_valid, row_done, row_half, row_joins, row_follows;
  logic             burst_valid, burst_done;
  logic [RowsW-1:0] row;
  logic [OffW-1:0]  row_off;
  logic [LeftW-1:0] row_bytes;
  logic [BeatW-1:0] burst_len;  // beats of the burst minus one
  mxe_fifo #(.WIDTH(RowsW), .DEPTH(mxe_pkg::WR_QUEUE)) u_rows (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (1'b0),
    .valid_i (req.valid & can_accept),
    .ready_o (rows_ready),
    .data_i  (RowsW'({req.half, req.joins, req.follows, req.record, req.addr[OffW-1:0],
                      LeftW'(req_bytes)})),
    .valid_o (row_valid),
    .ready_i (row_done),
    .data_o  (row)
  );
  assign row_half  = HALF_ROWS & row[RowsW-1];
  assign row_joins   = row[LeftW + OffW + 2];
  assign row_follows = row[LeftW + OffW + 1];
  assign data_record_o = row[LeftW + OffW];
  assign row_off   = row[LeftW +: OffW];
  assign row_bytes = row[LeftW-1:0];
  mxe_fifo #(.WIDTH(BeatW), .DEPTH(mxe_pkg::WR_QUEUE)) u_bursts (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (1'b0),
    .valid_i (emit_burst),
    .ready_o (bursts_ready),
    .data_i  (BeatW'(burst - LEN_W'(1))),
    .valid_o (burst_valid),
    .ready_i (burst_done),
    .data_o  (burst_len)
  );

  // ---------------------------------------------------------------- data channel
  logic              mid_q;       // the row's first, not its last segment was taken
  logic              flush_q;     // only the row's carried bytes remain
  logic [LeftW-1:0]  left_q;      // bytes of the row not yet taken
  logic [8*MemB-1:0] carry_q;     // bytes of an incomplete beat
  logic [MemB-1:0]   carry_strb_q;
  logic [FillW-1:0]  fill_q;
  logic [BeatW-1:0]  beat_q;      // beats sent of the burst
  logic              w_valid_q, w_last_q;
  logic [8*MemB-1:0] w_data_q;
  logic [MemB-1:0]   w_strb_q;

  logic [LeftW-1:0] left;
  logic [FillW-1:0] full, seg_bytes, start, fill;
  localparam int unsigned SpillW = ((FillW > LeftW) ? FillW : LeftW) + 1;
  logic             last_seg, make_beat, fills, spill, carried, can_send, take, send;
  assign left      = mid_q ? left_q : row_bytes;
  assign start     = mid_q ? fill_q : FillW'(row_off);
  assign full      = row_half ? FillW'(SegB / 2) : FillW'(SegB);
  assign last_seg  = (LEN_W'(left) <= LEN_W'(full));
  assign seg_bytes = last_seg ? FillW'(left) : full;
  assign fill      = start + seg_bytes;
  // Both sums are computed without waiting for last_seg.
  assign fills     = last_seg ? ((SpillW'(start) + SpillW'(left)) >= SpillW'(MemB))
                              : (start + full >= FillW'(MemB));
  assign make_beat = (last_seg & ~row_joins) | fills;
  assign spill     = last_seg & ~row_joins & ((SpillW'(start) + SpillW'(left)) > SpillW'(MemB));
  assign carried   = mid_q | row_follows;
  assign can_send  = burst_valid & (~w_valid_q | axi_i.w_ready);
  assign take      = row_valid & ~flush_q & write_i.data_valid & (~make_beat | can_send);
  assign send      = (take & make_beat) | (flush_q & can_send);
  assign data_ready_o = row_valid & ~flush_q & (~make_beat | can_send);
  assign row_done  = (take & last_seg & ~spill) | (flush_q & can_send);
  assign burst_done = send & (beat_q == burst_len);

  logic [8*WideB-1:0] wide;
  logic [WideB-1:0]   wide_strb;
  logic [8*MemB-1:0]  carry;
  logic [MemB-1:0]    carry_strb;
  logic [SegB-1:0]    seg_strb;
  assign seg_strb  = ~({SegB{1'b1}} << seg_bytes);
  assign carry_strb = carried ? carry_strb_q : {MemB{1'b0}};
  // Carried bytes without strobe are zero, as is a segment beyond its row's last byte.
  for (genvar i = 0; i < MemB; i++) begin : gen_carry
    assign carry[8*i +: 8] = carry_strb[i] ? carry_q[8*i +: 8] : 8'd0;
  end
  assign wide      = {{(8*SegB){1'b0}}, carry} |
                     ({{(8*MemB){1'b0}}, write_i.data[SEG_W-1:0]} << {start, 3'b000});
  assign wide_strb = {{SegB{1'b0}}, carry_strb} |
                     ({{MemB{1'b0}}, seg_strb} << start);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mid_q        <= 1'b0;
      flush_q      <= 1'b0;
      left_q       <= '0;
      carry_strb_q <= '0;
      fill_q       <= '0;
      beat_q       <= '0;
      w_valid_q    <= 1'b0;
      w_last_q     <= 1'b0;
    end else begin
      if (take) begin
        mid_q        <= ~last_seg;
        flush_q      <= spill;
        left_q       <= left - LeftW'(seg_bytes);
        fill_q       <= (fill >= FillW'(MemB)) ? (fill - FillW'(MemB)) : fill;
        carry_strb_q <= make_beat ? MemB'(wide_strb >> MemB) : wide_strb[MemB-1:0];
      end else if (flush_q & can_send) begin
        flush_q <= 1'b0;
      end
      if (send) begin
        beat_q   <= burst_done ? '0 : (beat_q + BeatW'(1));
        w_last_q <= burst_done;
      end
      if (send) w_valid_q <= 1'b1;
      else if (axi_i.w_ready) w_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (take) carry_q <= make_beat ? (8*MemB)'(wide >> (8*MemB)) : wide[8*MemB-1:0];
    if (send) begin
      w_data_q <= flush_q ? carry_q : wide[8*MemB-1:0];
      w_strb_q <= flush_q ? carry_strb_q : wide_strb[MemB-1:0];
    end
  end
  assign axi_o.w_valid = w_valid_q;
  assign axi_o.w_data  = mxe_pkg::AXI_W'(w_data_q);
  assign axi_o.w_strb  = (mxe_pkg::AXI_W/8)'(w_strb_q);
  assign axi_o.w_last  = w_last_q;

  // ---------------------------------------------------------------- responses
  localparam int unsigned BurstsAw = $clog2(mxe_pkg::WR_OUTSTANDING);
  logic [BurstsAw:0] bursts_q;
  logic              acknowledged;
  assign axi_o.b_ready = 1'b1;
  assign acknowledged = axi_i.b_valid;
  assign bursts_full = (bursts_q == (BurstsAw+1)'(mxe_pkg::WR_OUTSTANDING));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bursts_q <= '0;
    else bursts_q <= bursts_q + (BurstsAw+1)'(emit_burst) - (BurstsAw+1)'(acknowledged);
  end

  // Burst addresses in order, for error reports.
  logic [BurstsAw-1:0] emitted_q, acknowledged_q;
  logic [63:OffW]      fault_beat;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      emitted_q      <= '0;
      acknowledged_q <= '0;
    end else begin
      if (emit_burst) emitted_q <= emitted_q + BurstsAw'(1);
      if (acknowledged) acknowledged_q <= acknowledged_q + BurstsAw'(1);
    end
  end
  mxe_ram #(.WIDTH(64 - OffW + 1), .DEPTH(mxe_pkg::WR_OUTSTANDING)) u_addresses (
    .clk_i   (clk_i),
    .we_i    (emit_burst),
    .waddr_i (emitted_q),
    .wdata_i ({scale_q, burst_addr[63:OffW]}),
    .re_i    (fault_i),
    .raddr_i (acknowledged_q),
    .rdata_o ({fault_scale_o, fault_beat})
  );
  assign fault_addr_o = {fault_beat, {OffW{1'b0}}};
  assign sent_o = ~splitting & ~row_valid;
  assign idle_o = sent_o & (bursts_q == '0);

  // Indices of the bursts that belong to records, in order.
  logic                record_valid, record_here, record_room;
  logic [BurstsAw-1:0] record_burst;
  mxe_fifo #(.WIDTH(BurstsAw + 1), .DEPTH(RECORD_BURSTS)) u_records (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (1'b0),
    .valid_i (emit_burst & record_q),
    .ready_o (record_room),
    .data_i  ({last_burst, emitted_q}),
    .valid_o (record_valid),
    .ready_i (record_answered_o),
    .data_o  ({record_last_o, record_burst})
  );
  assign record_here       = record_valid & (record_burst == acknowledged_q);
  assign record_answered_o = acknowledged & record_here;
  assign result_answered_o = acknowledged & ~record_here;
  assign result_begins_o   = emit_burst & ~record_q;
  `MXE_REQUIRE(wr_records_counted, !(emit_burst && record_q) || record_room)
`ifndef SYNTHESIS
  logic        aw_wait_q, w_wait_q;
  logic [63:0] aw_hold_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      aw_wait_q <= 1'b0;
      w_wait_q  <= 1'b0;
      aw_hold_q <= '0;
    end else begin
      aw_wait_q <= aw_valid_q & ~axi_i.aw_ready;
      w_wait_q  <= w_valid_q & ~axi_i.w_ready;
      aw_hold_q <= aw_addr_q;
    end
  end
  `MXE_ASSERT(aw_stable, !aw_wait_q || (aw_valid_q && (aw_addr_q == aw_hold_q)))
  `MXE_ASSERT(w_stable, !w_wait_q || w_valid_q)
  `MXE_ASSERT(aw_within_4k, !aw_valid_q ||
              ((32'(aw_addr_q[11:OffW]) + 32'(aw_len_q) + 32'd1) <= 4096 / MemB))
  `MXE_ASSERT(wr_addresses_in_step, (emitted_q - acknowledged_q) == bursts_q[BurstsAw-1:0])
  `MXE_REQUIRE(wr_fault_acknowledged, !fault_i || acknowledged)
  `MXE_REQUIRE(b_expected, !axi_i.b_valid || (bursts_q != '0))
  `MXE_REQUIRE(wr_half_row_fits, HALF_ROWS || !(req.valid && req.half) ||
               (32'(req_bytes) <= SegB / 2))
  `MXE_REQUIRE(wr_row_not_empty, !req.valid || (req_bytes != '0))
  `MXE_REQUIRE(wr_row_not_too_long, !req.valid || (32'(req_bytes) <= ROW_BYTES))
  // A segment is zero beyond its row, and lanes without strobe are zero.
  logic [MEM_W-1:0] f_lanes;
  for (genvar i = 0; i < MemB; i++) begin : gen_lanes
    assign f_lanes[8*i +: 8] = {8{w_strb_q[i]}};
  end
  `MXE_REQUIRE(wr_zero_beyond, !(write_i.data_valid && row_valid && !flush_q) ||
               ((write_i.data[SEG_W-1:0] >> {seg_bytes, 3'b000}) == '0))
  `MXE_ASSERT(w_masked_lanes_zero, !w_valid_q || ((w_data_q & ~f_lanes) == '0))
  logic            f_joins_q;  // the last row joins the next one
  logic [OffW-1:0] f_end_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_joins_q <= 1'b0;
      f_end_q   <= '0;
    end else if (accept) begin
      f_joins_q <= req.joins;
      f_end_q   <= req.addr[OffW-1:0] + OffW'(req_bytes);
    end
  end
  `MXE_REQUIRE(wr_follows_the_row_before, !(req.valid && req.follows) ||
               (f_joins_q && !req.record && (req.addr[OffW-1:0] == f_end_q)))
  `MXE_REQUIRE(wr_records_are_not_joined, !(req.valid && req.record) || !req.joins)
`endif
`ifdef FORMAL
`include "mxe_wr_port.proof.svh"
`endif
endmodule
`default_nettype wire
