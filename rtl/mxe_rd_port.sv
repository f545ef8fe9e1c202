// SPDX-License-Identifier: Apache-2.0
// Read port: arbitrates requests for row fetches (priority bias, B, A, descriptor, unless A goes
// before B) and splits each into AXI INCR bursts that respect MAX_BURST and the 4 KiB rule. It
// passes the tags in order to the unpacker. Reads return in order (one AXI id).
`include "mxe_assert.svh"
`default_nettype none
module mxe_rd_port #(
  parameter int unsigned MEM_W     = 256,
  parameter int unsigned MAX_BURST = 16,
  parameter int unsigned LEN_W     = 16,  // bits of a row fetch's byte count
  parameter int unsigned TAG_W     = 13
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          halt_i,
  input  logic                          clear_i,  // cancel all requests; nothing may be outstanding
  // Index 0: descriptor, 1: bias, 2: B, 3: A. Descriptors have the lowest priority.
  input  logic [3:0]                    req_valid_i,
  output logic [3:0]                    req_ready_o,
  input  logic [4*64-1:0]               req_addr_i,
  input  logic [4*LEN_W-1:0]            req_bytes_i,
  input  logic [4*TAG_W-1:0]            req_tag_i,
  input  logic                          a_first_i,  // A has priority over B and no limit of beats
  output mxe_pkg::axi_addr_t            ar_o,
  input  logic                          ar_ready_i,
  input  logic                          beat_i,
  input  logic                          beat_last_i,
  // outstanding row fetches, oldest first
  input  logic                          fetch_ready_i,   // the last beat of the oldest is accepted
  output logic [$clog2(MEM_W/8)-1:0]    fetch_offset_o,  // offset of the first byte within its beat
  output logic [LEN_W-1:0]              fetch_bytes_o,
  output logic [TAG_W-1:0]              fetch_tag_o,
  // Address and kind of the last beat with an error before fault_i, valid one cycle later.
  input  logic                          error_i,
  input  logic                          fault_i,
  output logic [63:0]                   fault_addr_o,
  output logic [2:0]                    fault_kind_o,
  output logic                          idle_o
);
  localparam int unsigned MemB = MEM_W / 8;
  localparam int unsigned OffW = $clog2(MemB);
  localparam int unsigned Outstanding = mxe_pkg::rd_outstanding(MEM_W);
  localparam int unsigned UnderWayW = $clog2(Outstanding) + 1;
  localparam int unsigned BeatsW = LEN_W + $clog2(Outstanding);

  // A is fetched early and in long rows, so its outstanding beats are limited to keep the latency
  // of the next B slab low, unless A has priority. Outstanding beats of B do not count towards the
  // limit: a stripe of few rows may need the next A row right after them.
  logic                 a_allowed;
  logic [UnderWayW-1:0] under_way_q, under_way_d;
  logic [BeatsW-1:0]    a_beats_q;                 // outstanding beats of A
  assign a_allowed = a_first_i | (a_beats_q < BeatsW'(mxe_pkg::RD_A_BEATS));
  // Beats touched by `length` bytes. Example: offset 30, 4 bytes, 32-byte beats -> 2 beats.
  function automatic logic [LEN_W-1:0] beats_of(input logic [OffW-1:0] first,
                                                input logic [LEN_W-1:0] length);
    logic [LEN_W:0] span;
    span = {1'b0, length} + (LEN_W+1)'(first) + (LEN_W+1)'(MemB - 1);
    beats_of = LEN_W'(span >> OffW);
  endfunction
  logic [4*LEN_W-1:0] req_beats;
  for (genvar i = 0; i < 4; i++) begin : gen_beats
    assign req_beats[LEN_W*i +: LEN_W] = beats_of(req_addr_i[64*i +: OffW],
                                                  req_bytes_i[LEN_W*i +: LEN_W]);
  end
  logic             b_waits;
  assign b_waits = a_first_i & req_valid_i[3] & a_allowed;
  logic [3:0]       grant;
  logic [63:0]      addr;
  logic [LEN_W-1:0] bytes, beats;
  logic [TAG_W-1:0] tag;
  always_comb begin
    grant = 4'b0000;
    addr  = req_addr_i[63:0];
    bytes = req_bytes_i[LEN_W-1:0];
    beats = req_beats[LEN_W-1:0];
    tag   = req_tag_i[TAG_W-1:0];
    if (req_valid_i[1]) begin
      grant = 4'b0010;
      addr  = req_addr_i[64*1 +: 64];
      bytes = req_bytes_i[LEN_W*1 +: LEN_W];
      beats = req_beats[LEN_W*1 +: LEN_W];
      tag   = req_tag_i[TAG_W*1 +: TAG_W];
    end else if (req_valid_i[2] & ~b_waits) begin
      grant = 4'b0100;
      addr  = req_addr_i[64*2 +: 64];
      bytes = req_bytes_i[LEN_W*2 +: LEN_W];
      beats = req_beats[LEN_W*2 +: LEN_W];
      tag   = req_tag_i[TAG_W*2 +: TAG_W];
    end else if (req_valid_i[3] & a_allowed) begin
      grant = 4'b1000;
      addr  = req_addr_i[64*3 +: 64];
      bytes = req_bytes_i[LEN_W*3 +: LEN_W];
      beats = req_beats[LEN_W*3 +: LEN_W];
      tag   = req_tag_i[TAG_W*3 +: TAG_W];
    end else if (req_valid_i[0]) begin
      grant = 4'b0001;
    end
  end

  logic             busy, last_burst, ar_fire, accept, fifo_ready, bursts_full;
  logic             ar_valid;
  logic [63:0]      ar_addr;
  logic [LEN_W-1:0] burst;
  mxe_bursts #(
    .MEM_W     (MEM_W),
    .MAX_BURST (MAX_BURST),
    .LEN_W     (LEN_W)
  ) u_split (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .start_i (accept),
    .addr_i  (addr),
    .beats_i (beats),
    .valid_o (busy),
    .take_i  (ar_fire),
    .drop_i  (halt_i),
    .addr_o  (ar_addr),
    .beats_o (burst),
    .last_o  (last_burst)
  );
  assign ar_valid   = busy & ~bursts_full;
  assign ar_o.valid = ar_valid;
  assign ar_o.addr  = ar_addr;
  assign ar_o.len   = 8'(burst - LEN_W'(1));
  assign ar_fire    = ar_valid & ar_ready_i;

  // A row fetch is accepted while no fetch is being split or the last burst of one is issued.
  assign accept      = (|grant) & fifo_ready & ~halt_i & (~busy | (ar_fire & last_burst));
  assign req_ready_o = accept ? grant : 4'b0000;

  logic fetch_valid;
`ifdef FORMAL
  logic [UnderWayW-1:0] f_fetches;
`endif
  mxe_fifo #(
    .WIDTH (OffW + LEN_W + TAG_W),
    .DEPTH (Outstanding),
    .HEAD  (1'b1)
  ) u_fetches (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (accept),
    .ready_o (fifo_ready),
    .data_i  ({addr[OffW-1:0], bytes, tag}),
    .valid_o (fetch_valid),
    .ready_i (fetch_ready_i),
    .data_o  ({fetch_offset_o, fetch_bytes_o, fetch_tag_o})
`ifdef FORMAL
    ,
    .f_count_o (f_fetches)
`endif
  );

  assign under_way_d = under_way_q + UnderWayW'(accept) - UnderWayW'(fetch_ready_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) under_way_q <= '0;
    else if (clear_i) under_way_q <= '0;
    else under_way_q <= under_way_d;
  end
  mxe_pkg::tag_t    oldest_tag;
  logic             oldest_is_a;
  logic             a_in, a_out;
  logic [BeatsW-1:0] a_beats_in, a_beats_out;
  assign oldest_tag  = fetch_tag_o[mxe_pkg::TAG_T_W-1:0];
  assign oldest_is_a = (oldest_tag.kind == mxe_pkg::TagAElem) |
                       (oldest_tag.kind == mxe_pkg::TagAScale);
  assign a_in        = accept & grant[3];
  assign a_out       = fetch_ready_i & oldest_is_a;
  assign a_beats_in  = BeatsW'(req_beats[LEN_W*3 +: LEN_W]);
  assign a_beats_out = BeatsW'(beats_of(fetch_offset_o, fetch_bytes_o));
  // a_in and a_out are late in the cycle, so each case has its own sum.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) a_beats_q <= '0;
    else if (clear_i) a_beats_q <= '0;
    else if (a_in & a_out) a_beats_q <= a_beats_q + a_beats_in - a_beats_out;
    else if (a_in) a_beats_q <= a_beats_q + a_beats_in;
    else if (a_out) a_beats_q <= a_beats_q - a_beats_out;
  end

  // Start addresses of outstanding fetches and received beats of the oldest, for error reports.
  localparam int unsigned PlaceW = $clog2(Outstanding);
  logic [PlaceW-1:0] accepted_q, oldest_q;
  logic [LEN_W-1:0]  came_q, error_came_q;
  logic [63:OffW]    error_first, fault_addr_q;
  logic [2:0]        error_kind_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      accepted_q <= '0;
      oldest_q   <= '0;
      came_q     <= '0;
    end else if (clear_i) begin
      accepted_q <= '0;
      oldest_q   <= '0;
      came_q     <= '0;
    end else begin
      if (accept) accepted_q <= accepted_q + PlaceW'(1);
      if (fetch_ready_i) oldest_q <= oldest_q + PlaceW'(1);
      if (fetch_ready_i) came_q <= '0;
      else if (beat_i) came_q <= came_q + LEN_W'(1);
    end
  end
  mxe_ram #(.WIDTH(64 - OffW), .DEPTH(Outstanding)) u_addresses (
    .clk_i   (clk_i),
    .we_i    (accept),
    .waddr_i (accepted_q),
    .wdata_i (addr[63:OffW]),
    .re_i    (error_i),
    .raddr_i (oldest_q),
    .rdata_o (error_first)
  );
  always_ff @(posedge clk_i) begin
    if (error_i) begin
      error_came_q <= came_q;
      error_kind_q <= oldest_tag.kind;
    end
    if (fault_i) begin
      fault_addr_q <= error_first + (64-OffW)'(error_came_q);
      fault_kind_o <= error_kind_q;
    end
  end
  assign fault_addr_o = {fault_addr_q, {OffW{1'b0}}};

  // Outstanding bursts. If RD_BURSTS are outstanding, further ones wait.
  logic [11:0] bursts_q;
  assign bursts_full = (bursts_q == 12'(mxe_pkg::RD_BURSTS));
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) bursts_q <= '0;
    else bursts_q <= bursts_q + {11'd0, ar_fire} - {11'd0, beat_i & beat_last_i};
  end
  assign idle_o = (bursts_q == '0) & ~busy;

`ifndef SYNTHESIS
  logic               ar_wait_q;
  mxe_pkg::axi_addr_t ar_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ar_wait_q <= 1'b0;
      ar_q      <= '0;
    end else begin
      ar_wait_q <= ar_valid & ~ar_ready_i;
      ar_q      <= ar_o;
    end
  end
  `MXE_ASSERT(ar_stable, !ar_wait_q || (ar_o == ar_q))
  `MXE_ASSERT(ar_len_in_range, !ar_valid || (32'(ar_o.len) < 32'(MAX_BURST)))
  `MXE_ASSERT(rd_one_grant, $onehot0(req_ready_o))
  `MXE_ASSERT(rd_grant_requested, (req_ready_o & ~req_valid_i) == 4'd0)
  `MXE_ASSERT(rd_grant_priority, !(req_ready_o[0] && (|req_valid_i[2:1])) &&
              !(req_ready_o[3] && (req_valid_i[1] || (req_valid_i[2] && !a_first_i))) &&
              !(req_ready_o[2] && (req_valid_i[1] || b_waits)))
  `MXE_ASSERT(rd_a_leaves_room, !req_ready_o[3] || a_first_i ||
              (a_beats_q < BeatsW'(mxe_pkg::RD_A_BEATS)))
  `MXE_ASSERT(rd_beats_of_fetches, (under_way_q != '0) || (a_beats_q == '0))
  `MXE_ASSERT(rd_addresses_in_step, (accepted_q - oldest_q) == under_way_q[PlaceW-1:0])
  `MXE_REQUIRE(rd_error_of_fetch, !error_i || (beat_i && fetch_valid))
  `MXE_REQUIRE(rd_fetch_expected, !fetch_ready_i || fetch_valid)
  `MXE_REQUIRE(rd_beat_expected, !beat_i || (bursts_q != '0))
  mxe_pkg::tag_t f_a_tag;
  assign f_a_tag = req_tag_i[TAG_W*3 +: mxe_pkg::TAG_T_W];
  // A request is stable until it is accepted or until halt_i.
  logic [3:0]         f_wait_q;
  logic [4*64-1:0]    f_addr_q;
  logic [4*LEN_W-1:0] f_bytes_q;
  logic [4*TAG_W-1:0] f_tag_q;
  logic [3:0]         f_kept, f_some;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= '0;
    else f_wait_q <= (clear_i | halt_i) ? 4'd0 : (req_valid_i & ~req_ready_o);
  end
  always_ff @(posedge clk_i) begin
    f_addr_q  <= req_addr_i;
    f_bytes_q <= req_bytes_i;
    f_tag_q   <= req_tag_i;
  end
  for (genvar i = 0; i < 4; i++) begin : gen_request
    assign f_some[i] = (req_bytes_i[LEN_W*i +: LEN_W] != '0);
    assign f_kept[i] = req_valid_i[i] & (f_addr_q[64*i +: 64] == req_addr_i[64*i +: 64]) &
                       (f_bytes_q[LEN_W*i +: LEN_W] == req_bytes_i[LEN_W*i +: LEN_W]) &
                       (f_tag_q[TAG_W*i +: TAG_W] == req_tag_i[TAG_W*i +: TAG_W]);
  end
  `MXE_REQUIRE(rd_request_stable, (f_wait_q & ~f_kept) == 4'd0)
  `MXE_REQUIRE(rd_request_3_is_a, !req_valid_i[3] ||
               (f_a_tag.kind == mxe_pkg::TagAElem) || (f_a_tag.kind == mxe_pkg::TagAScale))
  `MXE_REQUIRE(rd_request_not_empty, (req_valid_i & ~f_some) == 4'd0)
  // Upper bound: bursts of all outstanding fetches and of the one being split.
  localparam int unsigned MostBeats = (1 << LEN_W) / MemB + 1;
  localparam int unsigned LongestBurst = mxe_pkg::longest_burst(MEM_W, MAX_BURST);
  localparam int unsigned MostBursts = (Outstanding + 1) * (MostBeats / LongestBurst + 2);
  `MXE_ASSERT(rd_bursts_of_fetches, 32'(bursts_q) <= MostBursts)
`endif
`ifdef FORMAL
`include "mxe_rd_port.proof.svh"
`endif
endmodule
`default_nettype wire
