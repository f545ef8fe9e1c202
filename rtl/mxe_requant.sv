// SPDX-License-Identifier: Apache-2.0
// Requantiser: converts results to an MX format along N. It collects a bank (the columns of one or
// two blocks of 32) and encodes the previous bank meanwhile: it derives the scale from the largest
// magnitude of a row's block, encodes LANES_OUT elements per cycle, and passes the packed row to
// the writer. Stages, in cycles after a segment's read request: 1 it leaves the buffer and its
// scale is derived, 2 place, 3 shift, 4 round, 5 pack.
`include "mxe_assert.svh"
`default_nettype none
module mxe_requant #(
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ROWS      = 32,
  parameter int unsigned LANES_OUT = 8,
  parameter int unsigned ROW_AW    = $clog2(ROWS),
  parameter int unsigned ROWS_W    = $clog2(ROWS + 1),
  parameter int unsigned COLS      = (NUM_PE > 32) ? NUM_PE : 32,
  parameter int unsigned SEG_AW    = $clog2(COLS / LANES_OUT)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           clear_i,
  input  logic                           halt_i,
  input  logic                           start_i,
  input  mxe_pkg::result_t               result_i,
  // a segment of a tile's row; absent columns are zero
  input  logic                           valid_i,
  input  logic [ROW_AW-1:0]              row_i,
  input  logic [SEG_AW-1:0]              seg_i,
  input  logic                           last_i,     // last segment of a bank
  input  logic [LANES_OUT*32-1:0]        data_i,
  // attributes of the bank that is read next, stable until read_o
  input  logic [ROWS_W-1:0]              rows_i,
  input  logic [$clog2(COLS+1)-1:0]      cols_i,
  input  logic                           end_i,      // last columns of the stripe
  output logic                           read_o,     // the bank was read and is free
  output mxe_pkg::write_t                write_o,
  input  logic                           row_ready_i,
  input  logic                           data_ready_i,
  output logic [$clog2(LANES_OUT+1)-1:0] over_count_o,
  output logic                           idle_o
);
  localparam int unsigned Blocks = COLS / 32;
  localparam int unsigned SegsPerBlock = 32 / LANES_OUT;
  localparam int unsigned InBlockW = $clog2(SegsPerBlock);
  localparam int unsigned CntW = $clog2(LANES_OUT + 1);
  localparam int unsigned Lat = mxe_pkg::REQUANT_LAT;
  localparam int unsigned Depth = mxe_pkg::REQUANT_FIFO;

`ifdef FORMAL
  logic [2:0] f_lasts, f_places, f_rows;
  logic       f_data_scale;
`endif
  localparam int unsigned NarrowW = mxe_pkg::NARROW_W;
  logic                         full, read;
  logic                         bank_q;  // bank being read
  logic [SEG_AW-1:0]            rseg;
  logic [ROW_AW-1:0]            row_q;
  logic [LANES_OUT*NarrowW-1:0] x;
  logic [mxe_pkg::AMAX_W-1:0]   amax;
  mxe_collect #(
    .NUM_PE    (NUM_PE),
    .ROWS      (ROWS),
    .LANES_OUT (LANES_OUT)
  ) u_collect (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (valid_i),
    .row_i   (row_i),
    .seg_i   (seg_i),
    .last_i  (last_i),
    .data_i  (data_i),
    .full_o  (full),
    .re_i    (read),
    .rbank_i (bank_q),
    .rrow_i  (row_q),
    .rseg_i  (rseg),
    .rdata_o (x),
    .ramax_o (amax)
`ifdef FORMAL
    ,
    .f_lasts_o (f_lasts)
`endif
  );

  logic [1:0]          full_q;     // complete banks not yet read
  logic                active;
  logic [InBlockW-1:0] seg_q;
  logic [2:0]          credit_q;   // free places for encoded rows
  logic [5:0]          cols;
  logic                first_seg, last_seg, last_row, last_block;
  assign first_seg  = (seg_q == '0);
  assign last_seg   = ((32'(seg_q) + 32'd1) * LANES_OUT >= 32'(cols));
  assign last_row   = (ROWS_W'(row_q) == rows_i - ROWS_W'(1));
  assign active     = (full_q != 2'd0);
  assign read       = active & (~first_seg | (credit_q != 3'd0));
  assign read_o     = read & last_seg & last_row & last_block;

  logic pop;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q   <= 2'd0;
      bank_q   <= 1'b0;
      row_q    <= '0;
      seg_q    <= '0;
      credit_q <= 3'(Depth);
    end else if (clear_i) begin
      full_q   <= 2'd0;
      bank_q   <= 1'b0;
      row_q    <= '0;
      seg_q    <= '0;
      credit_q <= 3'(Depth);
    end else begin
      credit_q <= credit_q + {2'd0, pop} - {2'd0, read & first_seg};
      full_q   <= full_q + {1'b0, full} - {1'b0, read_o};
      if (read_o) bank_q <= ~bank_q;
      if (read) begin
        seg_q <= last_seg ? '0 : (seg_q + InBlockW'(1));
        if (last_seg) row_q <= last_row ? '0 : (row_q + ROW_AW'(1));
      end
    end
  end

  if (Blocks > 1) begin : gen_blocks
    logic block_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) block_q <= 1'b0;
      else if (clear_i) block_q <= 1'b0;
      else if (read & last_seg & last_row) block_q <= ~last_block;
    end
    // 33 to 64 columns: a block of 32 and a block of 1 to 32.
    assign last_block = block_q | (32'(cols_i) <= 32);
    assign cols       = ~last_block ? 6'd32 : {cols_i[5] ^ block_q, cols_i[4:0]};
    assign rseg       = {block_q, seg_q};
  end else begin : gen_block
    assign last_block = 1'b1;
    assign cols       = cols_i;
    assign rseg       = seg_q;
  end

  // The job is stable for longer than one cycle before its first result.
  mxe_pkg::fmt_info_t fmt_q;
  always_ff @(posedge clk_i) fmt_q <= result_i.fmt;

  logic [7:0] scale, scale_q2;
  mxe_requant_scale u_scale (
    .amax_i  (amax),
    .fmt_i   (fmt_q),
    .rule_i  (result_i.rule),
    .scale_o (scale)
  );
  always_ff @(posedge clk_i) scale_q2 <= scale;

  logic [LANES_OUT*8-1:0] codes;
  logic [LANES_OUT-1:0]   over;
  for (genvar i = 0; i < LANES_OUT; i++) begin : gen_lane
    mxe_requant_lane u_lane (
      .clk_i     (clk_i),
      .fmt_i     (fmt_q),
      .special_i (result_i.special),
      .x_i       (x[NarrowW*i +: NarrowW]),
      .scale_i   (scale_q2),
      .code_o    (codes[8*i +: 8]),
      .over_o    (over[i])
    );
  end

  // Values delayed in parallel with the lanes, and the scale from stage 2 on.
  typedef struct packed {
    logic                last;
    logic                row_end;
    logic                cols_end;  // last block of the stripe
    logic [5:0]          bytes;
    logic [InBlockW-1:0] seg;
  } meta_t;
  logic [5:0] bytes;
  assign bytes = 6'(mxe_pkg::row_bytes(fmt_q.is4, fmt_q.is6, {26'd0, cols}));
  meta_t                  out;
  localparam int unsigned MetaW = $bits(out);
  logic [Lat-1:0]         valid_q;
  logic [Lat*MetaW-1:0]   meta_q;
  logic [(Lat-2)*8-1:0]   scales_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else if (clear_i) valid_q <= '0;
    else valid_q <= {valid_q[Lat-2:0], read};
  end
  always_ff @(posedge clk_i) begin
    meta_q   <= {meta_q[MetaW*(Lat-1)-1:0],
                 last_seg, last_row, end_i & last_block, bytes, seg_q};
    scales_q <= {scales_q[8*(Lat-3)-1:0], scale_q2};
  end

  logic       out_valid;
  logic [7:0] out_scale;
  assign out_valid = valid_q[Lat-1];
  assign out       = meta_q[MetaW*(Lat-1) +: MetaW];
  assign out_scale = scales_q[8*(Lat-3) +: 8];

  always_comb begin
    over_count_o = '0;
    for (int i = 0; i < LANES_OUT; i++) begin
      if (out_valid & over[i]) over_count_o = over_count_o + CntW'(1);
    end
  end

  // Packs the codes of a segment and appends them to the previous segments of the row.
  localparam int unsigned DenseW = LANES_OUT * 8;
  logic [LANES_OUT*4-1:0] dense4;
  logic [LANES_OUT*6-1:0] dense6;
  logic [DenseW-1:0]      dense;
  logic [7:0]             place_of_seg;
  for (genvar i = 0; i < LANES_OUT; i++) begin : gen_dense
    assign dense4[4*i +: 4] = codes[8*i +: 4];
    assign dense6[6*i +: 6] = codes[8*i +: 6];
  end
  always_comb begin
    if (fmt_q.is4) begin
      dense        = DenseW'(dense4);
      place_of_seg = 8'(32'(out.seg) * LANES_OUT * 4);
    end else if (fmt_q.is6) begin
      dense        = DenseW'(dense6);
      place_of_seg = 8'(32'(out.seg) * LANES_OUT * 6);
    end else begin
      dense        = codes;
      place_of_seg = 8'(32'(out.seg) * LANES_OUT * 8);
    end
  end
  logic [255:0]        pack_d;
  logic [255-DenseW:0] pack_q;  // the row's last segment need not be stored
  assign pack_d = ((out.seg == '0) ? 256'd0 : 256'(pack_q)) | (256'(dense) << place_of_seg);
  always_ff @(posedge clk_i) if (out_valid) pack_q <= pack_d[255-DenseW:0];

  // Two queues, because requests run ahead of the data.
  typedef struct packed {
    logic       row_end;
    logic       cols_end;
    logic [5:0] bytes;
  } place_t;
  typedef struct packed {
    logic [5:0]   bytes;
    logic [7:0]   scale;
    logic [255:0] elements;
  } row_t;
  logic   place_valid, place_pop, row_valid, place_ready, row_ready;
  place_t place;
  row_t   row;
  mxe_fifo #(.WIDTH($bits(place)), .DEPTH(Depth)) u_places (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (out_valid & out.last),
    .ready_o (place_ready),
    .data_i  ({out.row_end, out.cols_end, out.bytes}),
    .valid_o (place_valid),
    .ready_i (place_pop),
    .data_o  (place)
`ifdef FORMAL
    ,
    .f_count_o (f_places)
`endif
  );
  mxe_fifo #(.WIDTH($bits(row)), .DEPTH(Depth)) u_rows (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (out_valid & out.last),
    .ready_o (row_ready),
    .data_i  ({out.bytes, out_scale, pack_d}),
    .valid_o (row_valid),
    .ready_i (pop),
    .data_o  (row)
`ifdef FORMAL
    ,
    .f_count_o (f_rows)
`endif
  );

  mxe_block_wr #(.SEG_W(LANES_OUT * 32)) u_block_wr (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear_i),
    .halt_i         (halt_i),
    .start_i        (start_i),
    .result_i       (result_i),
    .place_valid_i  (place_valid),
    .place_pop_o    (place_pop),
    .row_last_i     (place.row_end),
    .cols_end_i     (place.cols_end),
    .place_bytes_i  (place.bytes),
    .row_valid_i    (row_valid),
    .row_pop_o      (pop),
    .bytes_i        (row.bytes),
    .scale_i        (row.scale),
    .elements_i     (row.elements),
    .write_o        (write_o),
    .row_ready_i    (row_ready_i),
    .data_ready_i   (data_ready_i)
`ifdef FORMAL
    ,
    .f_data_scale_o (f_data_scale)
`endif
  );
  assign idle_o = ~active & (credit_q == 3'(Depth));

  `MXE_ASSERT(requant_credit_in_range, credit_q <= 3'(Depth))
  `MXE_REQUIRE(requant_job_stands_still, !(active || (|valid_q)) || (fmt_q == result_i.fmt))
  `MXE_REQUIRE(requant_cols_in_range, !active || ((cols_i != '0) && (32'(cols_i) <= COLS)))
  `MXE_REQUIRE(requant_rows_in_range, !active || ((rows_i != '0) && (32'(rows_i) <= ROWS)))
  `MXE_ASSERT(requant_fifo_has_room, !(out_valid && out.last) || (place_ready && row_ready))
`ifndef SYNTHESIS
  logic [1:0]                f_held_q;
  logic                      f_reading_q;
  logic [ROWS_W-1:0]         f_rows_held_q;
  logic [$clog2(COLS+1)-1:0] f_cols_held_q;
  logic                      f_end_held_q;
  mxe_pkg::result_t          f_result_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_held_q    <= 2'd0;
      f_reading_q <= 1'b0;
    end else if (clear_i) begin
      f_held_q    <= 2'd0;
      f_reading_q <= 1'b0;
    end else begin
      f_held_q    <= f_held_q + {1'b0, valid_i & last_i} - {1'b0, read_o};
      f_reading_q <= active & ~read_o;
    end
  end
  always_ff @(posedge clk_i) begin
    f_rows_held_q <= rows_i;
    f_cols_held_q <= cols_i;
    f_end_held_q  <= end_i;
    f_result_q    <= result_i;
  end
  `MXE_REQUIRE(requant_waits, !((f_held_q == 2'd2) && valid_i))
  `MXE_REQUIRE(requant_stage_stable, !f_reading_q || ((rows_i == f_rows_held_q) &&
               (cols_i == f_cols_held_q) && (end_i == f_end_held_q)))
  `MXE_REQUIRE(requant_job_stable, idle_o || (result_i == f_result_q))
`endif
`ifdef FORMAL
`include "mxe_requant.proof.svh"
`endif
endmodule
`default_nettype wire
