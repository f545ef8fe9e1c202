// SPDX-License-Identifier: Apache-2.0
// Splits a row of bytes into bursts of at most MAX_BURST beats that do not cross 4 KiB. Example: 40
// beats within one 4 KiB page, MAX_BURST = 16: 16 + 16 + 8.
`include "mxe_assert.svh"
`default_nettype none
module mxe_bursts #(
  parameter int unsigned MEM_W     = 256,
  parameter int unsigned MAX_BURST = 16,
  parameter int unsigned LEN_W     = 16  // bits of a row's beat count
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  // start a row; allowed while idle or while the last burst of the previous row is taken
  input  logic             start_i,
  input  logic [63:0]      addr_i,
  input  logic [LEN_W-1:0] beats_i,  // beats to request
  output logic             valid_o,
  input  logic             take_i,
  input  logic             drop_i,   // with take_i: cancel the rest of the row
  output logic [63:0]      addr_o,
  output logic [LEN_W-1:0] beats_o,
  output logic             last_o    // last burst of the row
);
  localparam int unsigned OffW = $clog2(MEM_W / 8);
  localparam int unsigned BeatsPer4k = 4096 / (MEM_W / 8);
  localparam int unsigned MaxBeats = mxe_pkg::longest_burst(MEM_W, MAX_BURST);

  logic             valid_q, last_q;
  logic [63:0]      addr_q;
  logic [LEN_W-1:0] left_q;  // beats of the row from the current burst on

  // A burst other than the row's last ends after MaxBeats or at the 4 KiB boundary.
  logic [12-OffW:0] place_next;
  logic             to_4k;
  logic [LEN_W-1:0] most, left_next;
  logic [63:0]      addr_next;
  assign place_next = {1'b0, addr_q[11:OffW]} + (13-OffW)'(MaxBeats);
  assign to_4k      = place_next[12-OffW];
  assign most       = to_4k ? (LEN_W'(BeatsPer4k) - LEN_W'(addr_q[11:OffW])) : LEN_W'(MaxBeats);
  assign addr_next  = to_4k ? {addr_q[63:12] + 52'd1, 12'd0}
                            : {addr_q[63:12], place_next[11-OffW:0], {OffW{1'b0}}};
  assign left_next  = left_q - most;
  // True if `left` beats starting at `place` within the 4 KiB page fit into one burst.
  function automatic logic one_burst(input logic [LEN_W-1:0] left, input logic [11-OffW:0] place);
    logic [LEN_W:0] end_beat;  // beats from the page's start to the row's end
    end_beat  = {1'b0, left} + (LEN_W+1)'(place);
    one_burst = (left <= LEN_W'(MaxBeats)) & (end_beat <= (LEN_W+1)'(BeatsPer4k));
  endfunction

  assign valid_o = valid_q;
  assign addr_o  = addr_q;
  assign beats_o = last_q ? left_q : most;
  assign last_o  = last_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      last_q  <= 1'b0;
      addr_q  <= '0;
      left_q  <= '0;
    end else if (start_i) begin
      valid_q <= 1'b1;
      last_q  <= one_burst(beats_i, addr_i[11:OffW]);
      addr_q  <= {addr_i[63:OffW], {OffW{1'b0}}};
      left_q  <= beats_i;
    end else if (take_i) begin
      valid_q <= ~last_q & ~drop_i;
      last_q  <= one_burst(left_next, addr_next[11:OffW]);
      addr_q  <= addr_next;
      left_q  <= left_next;
    end
  end

  `MXE_REQUIRE(bursts_take_expected, !take_i || valid_q)
  `MXE_REQUIRE(bursts_start_free, !start_i || !valid_q || (take_i && last_q))
  `MXE_REQUIRE(bursts_row_not_empty, !start_i || (beats_i != '0))
  `MXE_ASSERT(bursts_within_4k, !valid_q ||
              ((32'(addr_q[11:OffW]) + 32'(beats_o)) <= 32'(BeatsPer4k)))
  `MXE_ASSERT(bursts_length_in_range, !valid_q || ((beats_o != '0) && (32'(beats_o) <= MAX_BURST)))
`ifdef FORMAL
`include "mxe_bursts.proof.svh"
`endif
endmodule
`default_nettype wire
