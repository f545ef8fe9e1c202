// SPDX-License-Identifier: Apache-2.0
// Drain: two banks of finished tiles. While the array computes, it reads a tile row by row, joins
// the two chains of the dual rate and passes the FP32 results, LANES_OUT at a time, to the write
// port, one write of cols * 4 bytes per row.
`include "mxe_assert.svh"
`default_nettype none
module mxe_drain #(
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ROWS      = 32,
  parameter int unsigned ACC_TILES = 4,
  parameter bit          FP4_DUAL  = 1'b1,
  parameter int unsigned LANES_OUT = 8,
  parameter int unsigned ROW_AW    = $clog2(ROWS)
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        clear_i,
  input  logic                        halt_i,      // finish the row under way, start no other
  // job
  input  logic                        start_i,
  input  logic [31:0]                 m_i,
  input  logic [31:0]                 n_i,
  input  logic [63:0]                 addr_i,
  input  logic [31:0]                 stride_i,
  input  logic                        dual_i,
  // results from the array
  input  logic                        res_valid_i,
  input  logic                        res_bank_i,
  input  logic [ROW_AW-1:0]           res_row_i,
  input  logic                        res_last_i,
  input  logic [NUM_PE*32-1:0]        res_even_i,
  input  logic [NUM_PE*32-1:0]        res_odd_i,
  output logic                        release_o,   // a bank was emptied
  // write port
  output logic                        req_valid_o,
  input  logic                        req_ready_i,
  output logic [63:0]                 req_addr_o,
  output logic [mxe_pkg::LenW-1:0]    req_bytes_o,
  output logic                        data_valid_o,
  input  logic                        data_ready_i,
  output logic [LANES_OUT*32-1:0]     data_o,
  // state
  output logic [$clog2(LANES_OUT+1)-1:0] nan_count_o, // NaN results that left the merge this clock
  output logic                        row_busy_o,
  output logic                        done_o
);
  localparam int unsigned Segs = NUM_PE / LANES_OUT;
  localparam int unsigned SegAw = (Segs > 1) ? $clog2(Segs) : 1;
  localparam int unsigned PairW = FP4_DUAL ? 64 : 32;
  localparam int unsigned CntW = $clog2(LANES_OUT + 1);
  localparam int unsigned FifoDepth = 16;
  localparam int unsigned MergeLat = mxe_pkg::ACC_LAT - 1;

  // ---------------------------------------------------------------- tile buffer
  logic [NUM_PE*PairW-1:0] tile_wdata, tile_rdata;
  for (genvar p = 0; p < NUM_PE; p++) begin : gen_pair
    assign tile_wdata[PairW*p +: 32] = res_even_i[32*p +: 32];
    if (FP4_DUAL) begin : gen_odd
      assign tile_wdata[PairW*p + 32 +: 32] = res_odd_i[32*p +: 32];
    end
  end
  logic [1:0] tiles_q;  // tiles waiting or being read
  logic       bank_q, issue;
  logic [8:0] row;
  mxe_ram #(.WIDTH(NUM_PE * PairW), .DEPTH(2 * ROWS)) u_tile (
    .clk_i   (clk_i),
    .we_i    (res_valid_i),
    .waddr_i ({res_bank_i, res_row_i}),
    .wdata_i (tile_wdata),
    .re_i    (issue),
    .raddr_i ({bank_q, row[ROW_AW-1:0]}),
    .rdata_o (tile_rdata)
  );

  // ---------------------------------------------------------------- rows
  logic       valid, last_row, row_step, last_seg;
  logic [8:0] cols, seg_first;
  logic [SegAw-1:0] seg_q;
  mxe_rows #(.ROWS(ROWS), .NUM_PE(NUM_PE), .ACC_TILES(ACC_TILES)) u_rows (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .clear_i    (clear_i),
    .start_i    (start_i),
    .m_i        (m_i),
    .n_i        (n_i),
    .addr_i     (addr_i),
    .stride_i   (stride_i),
    .one_row_i  (1'b0),
    .valid_o    (valid),
    .step_i     (row_step),
    .addr_o     (req_addr_o),
    .cols_o     (cols),
    .row_o      (row),
    .last_row_o (last_row)
  );

  // The first segment of a row goes together with the row's write request.
  logic       have, seg_start;
  logic [4:0] credit_q;
  assign seg_first   = 9'(seg_q) * 9'(LANES_OUT);
  assign last_seg    = (seg_first + 9'(LANES_OUT) >= cols);
  assign seg_start   = (seg_q == '0);
  assign have        = valid & (tiles_q != 2'd0) & (credit_q != 5'd0);
  assign req_valid_o = have & seg_start & ~halt_i;
  assign req_bytes_o = mxe_pkg::LenW'({cols, 2'b00});
  assign issue       = have & (seg_start ? (req_ready_i & ~halt_i) : 1'b1);
  assign row_step    = issue & last_seg;
  assign release_o   = row_step & last_row;

  logic data_fire;
  assign data_fire = data_valid_o & data_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tiles_q  <= 2'd0;
      bank_q   <= 1'b0;
      seg_q    <= '0;
      credit_q <= 5'(FifoDepth);
    end else if (clear_i) begin
      tiles_q  <= 2'd0;
      bank_q   <= 1'b0;
      seg_q    <= '0;
      credit_q <= 5'(FifoDepth);
    end else begin
      tiles_q  <= tiles_q + {1'b0, res_valid_i & res_last_i} - {1'b0, release_o};
      credit_q <= credit_q + {4'd0, data_fire} - {4'd0, issue};
      if (issue) seg_q <= last_seg ? '0 : (seg_q + SegAw'(1));
      if (release_o) bank_q <= ~bank_q;
    end
  end

  // ---------------------------------------------------------------- merge, segment by segment
  logic                  read_q;
  logic [SegAw-1:0]      read_seg_q;
  logic [LANES_OUT-1:0]  keep, keep_q;   // columns of the segment that exist
  for (genvar i = 0; i < LANES_OUT; i++) begin : gen_keep
    assign keep[i] = (seg_first + 9'(i) < cols);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= 1'b0;
    else if (clear_i) read_q <= 1'b0;
    else read_q <= issue;
  end
  always_ff @(posedge clk_i) begin
    read_seg_q <= seg_q;
    keep_q     <= keep;
  end

  logic [LANES_OUT*PairW-1:0] pairs;
  assign pairs = tile_rdata[32'(read_seg_q) * (LANES_OUT * PairW) +: LANES_OUT * PairW];

  logic                    push;
  logic [LANES_OUT-1:0]    push_keep;
  logic [LANES_OUT*32-1:0] result;
  if (FP4_DUAL) begin : gen_merge
    logic [MergeLat-1:0]           late_q;
    logic [MergeLat*LANES_OUT-1:0] late_keep_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) late_q <= '0;
      else if (clear_i) late_q <= '0;
      else late_q <= {late_q[MergeLat-2:0], read_q & dual_i};
    end
    always_ff @(posedge clk_i) begin
      late_keep_q <= {late_keep_q[(MergeLat-1)*LANES_OUT-1:0], keep_q};
    end
    assign push      = dual_i ? late_q[MergeLat-1] : read_q;
    assign push_keep = dual_i ? late_keep_q[(MergeLat-1)*LANES_OUT +: LANES_OUT] : keep_q;
    for (genvar i = 0; i < LANES_OUT; i++) begin : gen_lane
      logic [31:0] merged;
      mxe_merge u_merge (
        .clk_i  (clk_i),
        .even_i (pairs[PairW*i +: 32]),
        .odd_i  (pairs[PairW*i + 32 +: 32]),
        .sum_o  (merged)
      );
      assign result[32*i +: 32] = dual_i ? merged : pairs[PairW*i +: 32];
    end
  end else begin : gen_pass
    assign push      = read_q;
    assign push_keep = keep_q;
    assign result    = pairs;
    logic unused_dual;
    assign unused_dual = &{1'b0, dual_i, res_odd_i};
  end

  logic fifo_ready;
  mxe_fifo #(.WIDTH(LANES_OUT * 32), .DEPTH(FifoDepth)) u_out (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (push),
    .ready_o (fifo_ready),
    .data_i  (result),
    .valid_o (data_valid_o),
    .ready_i (data_ready_i),
    .data_o  (data_o)
  );

  always_comb begin
    nan_count_o = '0;
    for (int i = 0; i < LANES_OUT; i++) begin
      if (push & push_keep[i] & (&result[32*i+23 +: 8]) & (|result[32*i +: 23]))
        nan_count_o = nan_count_o + CntW'(1);
    end
  end

  assign row_busy_o = (seg_q != '0);
  assign done_o     = ~valid & (credit_q == 5'(FifoDepth));

  `MXE_ASSERT(drain_fifo_has_room, !push || fifo_ready)
  `MXE_ASSERT(drain_tiles_in_range, tiles_q <= 2'd2)
endmodule
`default_nettype wire
