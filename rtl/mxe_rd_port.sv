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
  input  mxe_pkg::fetch_t               desc_req_i,   // lowest priority
  input  mxe_pkg::fetch_t               bias_req_i,
  input  mxe_pkg::fetch_t               b_req_i,
  input  mxe_pkg::fetch_t               a_req_i,
  output logic [3:0]                    ready_o,  // of {a_req_i, b_req_i, bias_req_i, desc_req_i}
  input  logic                          a_first_i,  // A has priority over B and no limit of beats
  output mxe_pkg::axi_addr_t            ar_o,
  input  logic                          ar_ready_i,
  input  logic                          beat_i,
  input  logic                          beat_last_i,
  input  logic                          fetch_ready_i,   // the last beat of the oldest is accepted
  output mxe_pkg::pending_t             fetch_o,         // oldest outstanding row fetch
  // Address and kind of the last beat with an error before fault_i, valid one cycle later.
  input  logic                          error_i,
  input  logic                          fault_i,
  output logic [63:0]                   fault_addr_o,
  output mxe_pkg::tag_kind_e            fault_kind_o,
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
  logic [LEN_W-1:0] desc_beats, bias_beats, b_beats, a_beats;
  assign desc_beats = beats_of(desc_req_i.addr[OffW-1:0], desc_req_i.bytes[LEN_W-1:0]);
  assign bias_beats = beats_of(bias_req_i.addr[OffW-1:0], bias_req_i.bytes[LEN_W-1:0]);
  assign b_beats    = beats_of(b_req_i.addr[OffW-1:0], b_req_i.bytes[LEN_W-1:0]);
  assign a_beats    = beats_of(a_req_i.addr[OffW-1:0], a_req_i.bytes[LEN_W-1:0]);
  logic             b_waits;
  assign b_waits = a_first_i & a_req_i.valid & a_allowed;
  logic [3:0]       grant;
  mxe_pkg::fetch_t  req;
  logic [LEN_W-1:0] beats;
  always_comb begin
    grant = 4'b0000;
    req   = desc_req_i;
    beats = desc_beats;
    if (bias_req_i.valid) begin
      grant = 4'b0010;
      req   = bias_req_i;
      beats = bias_beats;
    end else if (b_req_i.valid & ~b_waits) begin
      grant = 4'b0100;
      req   = b_req_i;
      beats = b_beats;
    end else if (a_req_i.valid & a_allowed) begin
      grant = 4'b1000;
      req   = a_req_i;
      beats = a_beats;
    end else if (desc_req_i.valid) begin
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
    .addr_i  (req.addr),
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
  assign ready_o     = accept ? grant : 4'b0000;

  // A stored fetch has only the bits that this engine needs.
  localparam int unsigned StoredW = OffW + LEN_W + TAG_W;
  logic               fetch_valid;
  logic [StoredW-1:0] stored, oldest;
  logic [mxe_pkg::TAG_T_W-1:0] tag;
  assign tag            = req.tag;
  assign stored         = {req.addr[OffW-1:0], req.bytes[LEN_W-1:0], tag[TAG_W-1:0]};
  assign fetch_o.offset = ($clog2(mxe_pkg::AXI_W/8))'(oldest[StoredW-1 -: OffW]);
  assign fetch_o.bytes  = mxe_pkg::BYTES_W'(oldest[TAG_W +: LEN_W]);
  assign fetch_o.tag    = mxe_pkg::TAG_T_W'(oldest[TAG_W-1:0]);
`ifdef FORMAL
  logic [UnderWayW-1:0] f_fetches;
`endif
  mxe_fifo #(
    .WIDTH (StoredW),
    .DEPTH (Outstanding),
    .HEAD  (1'b1)
  ) u_fetches (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (accept),
    .ready_o (fifo_ready),
    .data_i  (stored),
    .valid_o (fetch_valid),
    .ready_i (fetch_ready_i),
    .data_o  (oldest)
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
  mxe_pkg::tag_kind_e oldest_kind;
  logic             oldest_is_a;
  logic             a_in, a_out;
  logic [BeatsW-1:0] a_beats_in, a_beats_out;
  assign oldest_kind = fetch_o.tag.kind;
  assign oldest_is_a = (oldest_kind == mxe_pkg::TagAElem) | (oldest_kind == mxe_pkg::TagAScale);
  assign a_in        = accept & grant[3];
  assign a_out       = fetch_ready_i & oldest_is_a;
  assign a_beats_in  = BeatsW'(a_beats);
  assign a_beats_out = BeatsW'(beats_of(oldest[StoredW-1 -: OffW], oldest[TAG_W +: LEN_W]));
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
  mxe_pkg::tag_kind_e error_kind_q;
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
    .wdata_i (req.addr[63:OffW]),
    .re_i    (error_i),
    .raddr_i (oldest_q),
    .rdata_o (error_first)
  );
  always_ff @(posedge clk_i) begin
    if (error_i) begin
      error_came_q <= came_q;
      error_kind_q <= oldest_kind;
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
  logic [3:0] f_valid;
  assign f_valid = {a_req_i.valid, b_req_i.valid, bias_req_i.valid, desc_req_i.valid};
  `MXE_ASSERT(rd_one_grant, $onehot0(ready_o))
  `MXE_ASSERT(rd_grant_requested, (ready_o & ~f_valid) == 4'd0)
  `MXE_ASSERT(rd_grant_priority, !(ready_o[0] && (|f_valid[2:1])) &&
              !(ready_o[3] && (f_valid[1] || (f_valid[2] && !a_first_i))) &&
              !(ready_o[2] && (f_valid[1] || b_waits)))
  `MXE_ASSERT(rd_a_leaves_room, !ready_o[3] || a_first_i ||
              (a_beats_q < BeatsW'(mxe_pkg::RD_A_BEATS)))
  `MXE_ASSERT(rd_beats_of_fetches, (under_way_q != '0) || (a_beats_q == '0))
  `MXE_ASSERT(rd_addresses_in_step, (accepted_q - oldest_q) == under_way_q[PlaceW-1:0])
  `MXE_REQUIRE(rd_error_of_fetch, !error_i || (beat_i && fetch_valid))
  `MXE_REQUIRE(rd_fetch_expected, !fetch_ready_i || fetch_valid)
  `MXE_REQUIRE(rd_beat_expected, !beat_i || (bursts_q != '0))
  // A request is stable until it is accepted or until halt_i.
  logic [3:0]      f_wait_q, f_kept, f_some;
  mxe_pkg::fetch_t f_desc_q, f_bias_q, f_b_q, f_a_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_wait_q <= '0;
    else f_wait_q <= (clear_i | halt_i) ? 4'd0 : (f_valid & ~ready_o);
  end
  always_ff @(posedge clk_i) begin
    f_desc_q <= desc_req_i;
    f_bias_q <= bias_req_i;
    f_b_q    <= b_req_i;
    f_a_q    <= a_req_i;
  end
  assign f_kept = {a_req_i == f_a_q, b_req_i == f_b_q, bias_req_i == f_bias_q, desc_req_i == f_desc_q};
  assign f_some = {a_req_i.bytes != '0, b_req_i.bytes != '0, bias_req_i.bytes != '0, desc_req_i.bytes != '0};
  `MXE_REQUIRE(rd_request_stable, (f_wait_q & ~f_kept) == 4'd0)
  `MXE_REQUIRE(rd_request_of_a, !a_req_i.valid || (a_req_i.tag.kind == mxe_pkg::TagAElem) ||
               (a_req_i.tag.kind == mxe_pkg::TagAScale))
  `MXE_REQUIRE(rd_request_not_empty, (f_valid & ~f_some) == 4'd0)
  // Fields are as wide as in the largest engine.
  `MXE_REQUIRE(rd_request_fits, ((desc_req_i.bytes | bias_req_i.bytes | b_req_i.bytes | a_req_i.bytes) >> LEN_W) == '0)
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
