// SPDX-License-Identifier: Apache-2.0
// Drain: stores finished tiles in two banks, reads them row by row, LANES_OUT results at a time,
// and merges the two chains of the dual rate. With ALPHA, it multiplies the results and adds C, which
// waits in the bias buffer until the tile's first segment is read. Reading may start one cycle after a tile's first row,
// because the array delivers a row per cycle and the drain never reads faster. FP32, BF16 and FP16
// results go to the write port, one write per row; a tile's rows are joined if D has no gaps
// between them. MX results go to the requantiser.
`include "mxe_assert.svh"
`default_nettype none
module mxe_drain #(
  parameter int unsigned NUM_PE    = 8,
  parameter int unsigned ROWS      = 32,
  parameter int unsigned ACC_TILES = 4,
  parameter bit          FP4_DUAL  = 1'b1,
  parameter bit          NVFP4     = 1'b1,
  parameter int unsigned LANES_OUT = 8,
  parameter int unsigned ROW_AW    = $clog2(ROWS)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic                           clear_i,
  input  logic                           halt_i,      // finish the current row, start no other
  input  logic                           start_i,
  input  mxe_pkg::job_t                  job_i,
  input  logic                           res_valid_i,
  input  logic                           res_bank_i,
  input  logic [ROW_AW-1:0]              res_row_i,
  input  logic                           res_last_i,  // for assertions
  input  logic [NUM_PE*32-1:0]           res_even_i,
  input  logic [NUM_PE*32-1:0]           res_odd_i,
  output logic                           release_o,
  // C of a job with ALPHA: the row is valid one cycle after the request
  input  logic [1:0]                     c_full_i,
  output logic                           c_re_o,
  output logic [ROW_AW-1:0]              c_row_o,
  input  logic                           c_next_i,     // bank of the next tile
  output logic                           c_release_o,  // the last row of a tile was requested
  input  logic [NUM_PE*32-1:0]           c_data_i,
  output mxe_pkg::write_t                write_o,
  input  logic                           row_ready_i,
  input  logic                           data_ready_i,
  output logic [$clog2(LANES_OUT+1)-1:0] nan_count_o,  // NaN results in this cycle
  output logic [$clog2(LANES_OUT+1)-1:0] over_count_o,
  output logic                           done_o
);
  localparam int unsigned Segs = NUM_PE / LANES_OUT;
  localparam int unsigned SegW = LANES_OUT * 32;
  localparam int unsigned SegAw = (Segs > 1) ? $clog2(Segs) : 1;
  localparam int unsigned PairW = FP4_DUAL ? 64 : 32;
  localparam int unsigned CntW = $clog2(LANES_OUT + 1);
  localparam int unsigned FifoDepth = 16;
  localparam int unsigned MergeLat = mxe_pkg::ACC_LAT - 1;

  localparam int unsigned StageCols = (NUM_PE > 32) ? NUM_PE : 32;
  localparam int unsigned StageSegAw = $clog2(StageCols / LANES_OUT);
  localparam int unsigned StageColsW = $clog2(StageCols + 1);

  logic out_mx, two_bytes, dual, alpha, adds_c;
  assign out_mx   = job_i.d.mx;
  assign two_bytes = job_i.d.two_bytes;
  assign dual     = job_i.dual & ~job_i.nvfp4;
  assign alpha    = NVFP4 & job_i.alpha_en;
  assign adds_c   = alpha & job_i.c.en;

  logic [NUM_PE*PairW-1:0] tile_wdata, tile_rdata;
  for (genvar p = 0; p < NUM_PE; p++) begin : gen_pair
    assign tile_wdata[PairW*p +: 32] = res_even_i[32*p +: 32];
    if (FP4_DUAL) begin : gen_odd
      assign tile_wdata[PairW*p + 32 +: 32] = res_odd_i[32*p +: 32];
    end
  end
  logic [1:0]        tiles_q;
  logic              res_first;
  logic              bank_q, issue;
  logic [ROW_AW-1:0] row;       // row of the tile that is read
  mxe_ram #(.WIDTH(NUM_PE * PairW), .DEPTH(2 * ROWS)) u_tile (
    .clk_i   (clk_i),
    .we_i    (res_valid_i),
    .waddr_i ({res_bank_i, res_row_i}),
    .wdata_i (tile_wdata),
    .re_i    (issue),
    .raddr_i ({bank_q, row}),
    .rdata_o (tile_rdata)
  );
  assign res_first = res_valid_i & (res_row_i == '0);

  logic                        valid, last_row, row_step, last_seg;
  logic [$clog2(NUM_PE+1)-1:0] cols;
  logic [6:0]                  seg_first;
  logic [SegAw-1:0]            seg_q;
  mxe_pkg::matrix_t            matrix;
  mxe_pkg::tile_row_t          at;
  assign matrix.batch     = job_i.batch;
  assign matrix.m         = job_i.m;
  assign matrix.n         = job_i.n;
  assign matrix.addr      = job_i.d.addr;
  assign matrix.stride    = job_i.d.stride;
  assign matrix.two_bytes = two_bytes;
  assign matrix.one_row   = 1'b0;
  mxe_rows #(.ROWS(ROWS), .NUM_PE(NUM_PE), .ACC_TILES(ACC_TILES)) u_rows (
    .clk_i    (clk_i),
    .rst_ni   (rst_ni),
    .clear_i  (clear_i),
    .start_i  (start_i),
    .matrix_i (matrix),
    .valid_o  (valid),
    .take_i   (row_step),
    .row_o    (at)
  );
  assign cols     = at.cols[$clog2(NUM_PE+1)-1:0];
  assign row      = at.row[ROW_AW-1:0];
  assign last_row = at.last_row;

  // FP32, BF16 and FP16: the first segment of a row is read together with the row's write request.
  // MX: no segment is read while both banks of the requantiser are complete and unread.
  logic       have, c_ready, seg_start, direct_req;
  logic [1:0] held_q;  // complete banks not yet read
  logic [4:0] credit_q;
  assign seg_first   = 7'(seg_q) * 7'(LANES_OUT);
  assign last_seg    = (seg_first + 7'(LANES_OUT) >= 7'(cols));
  assign seg_start   = (seg_q == '0);
  assign have        = valid & (tiles_q != 2'd0) & c_ready &
                       (out_mx ? (held_q != 2'd2) : (credit_q != 5'd0));
  assign direct_req  = have & seg_start & ~halt_i & ~out_mx;
  assign issue       = have & (seg_start ? ((row_ready_i | out_mx) & ~halt_i) : 1'b1);
  assign row_step    = issue & last_seg;
  assign release_o   = row_step & last_row;

  // The bank of C of the tile that is read. A bank that the last tile but one used is full until its
  // rows have been requested.
  logic       c_bank_q;
  logic [1:0] c_used_q;
  assign c_ready = ~adds_c | (c_full_i[c_bank_q] & ~c_used_q[c_bank_q]);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      c_bank_q <= 1'b0;
      c_used_q <= 2'b00;
    end else if (clear_i) begin
      c_bank_q <= 1'b0;
      c_used_q <= 2'b00;
    end else begin
      c_used_q <= (c_used_q & c_full_i) | ({2{release_o & adds_c}} & {c_bank_q, ~c_bank_q});
      if (start_i) c_bank_q <= c_next_i;
      else if (release_o & adds_c) c_bank_q <= ~c_bank_q;
    end
  end

  // Rows of one tile are joined if they follow each other in memory without a gap.
  logic        contiguous_q, joining_q, joins;
  logic [31:0] row_bytes;
  assign row_bytes = two_bytes ? {job_i.n[30:0], 1'b0} : {job_i.n[29:0], 2'b00};
  assign joins     = contiguous_q & ~last_row;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      contiguous_q <= 1'b0;
      joining_q    <= 1'b0;
    end else begin
      if (start_i)
        contiguous_q <= ~out_mx & (job_i.n <= 32'(NUM_PE)) & (job_i.d.stride == row_bytes);
      if (halt_i | clear_i) joining_q <= 1'b0;  // no further row follows
      else if (direct_req & row_ready_i) joining_q <= joins;
    end
  end

  logic direct_valid, data_fire;
  assign data_fire = direct_valid & data_ready_i;
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
      tiles_q  <= tiles_q + {1'b0, res_first} - {1'b0, release_o};
      credit_q <= credit_q + {4'd0, data_fire} - {4'd0, issue & ~out_mx};
      if (issue) seg_q <= last_seg ? '0 : (seg_q + SegAw'(1));
      if (release_o) bank_q <= ~bank_q;
    end
  end

  // ---------------------------------------------------------------- columns collected for MX
  // The attributes of a complete bank of the requantiser are kept until it has been read.
  logic [StageColsW-1:0] col_q;
  logic                  block_done, stage_full, stage_read;
  typedef struct packed {
    logic                  cols_end;
    logic [ROW_AW:0]       rows;
    logic [StageColsW-1:0] cols;
  } stage_t;
  stage_t                stage, stage_in;
  localparam int unsigned StageW = $bits(stage);
  logic [2*StageW-1:0]   stages_q;
  logic                  stage_wbank_q, stage_rbank_q;
  logic [StageSegAw-1:0] stage_seg;
  assign block_done = at.last_tile | (32'(col_q) + NUM_PE == StageCols);
  assign stage_seg  = StageSegAw'(32'(col_q) / LANES_OUT) + StageSegAw'(seg_q);
  assign stage_full = release_o & out_mx & block_done;
  assign stage_in   = {at.last_tile, {1'b0, row} + (ROW_AW+1)'(1), col_q + StageColsW'(cols)};
  assign stage      = stage_rbank_q ? stages_q[StageW +: StageW] : stages_q[0 +: StageW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q        <= 2'd0;
      col_q         <= '0;
      stage_wbank_q <= 1'b0;
      stage_rbank_q <= 1'b0;
    end else if (clear_i) begin
      held_q        <= 2'd0;
      col_q         <= '0;
      stage_wbank_q <= 1'b0;
      stage_rbank_q <= 1'b0;
    end else begin
      if (release_o) col_q <= block_done ? '0 : (col_q + StageColsW'(NUM_PE));
      held_q        <= held_q + {1'b0, stage_full} - {1'b0, stage_read};
      stage_wbank_q <= stage_wbank_q ^ stage_full;
      stage_rbank_q <= stage_rbank_q ^ stage_read;
    end
  end
  always_ff @(posedge clk_i) begin
    if (stage_full & ~stage_wbank_q) stages_q[0 +: StageW] <= stage_in;
    if (stage_full & stage_wbank_q) stages_q[StageW +: StageW] <= stage_in;
  end

  // ---------------------------------------------------------------- merge, segment by segment
  // Attributes of a segment.
  typedef struct packed {
    logic                  last;
    logic [ROW_AW-1:0]     row;
    logic [StageSegAw-1:0] seg;
    logic [LANES_OUT-1:0]  keep;
  } meta_t;
  logic                  read_q;
  logic [SegAw-1:0]      read_seg_q;
  logic [LANES_OUT-1:0]  keep;
  meta_t                 meta_q;
  localparam int unsigned MetaW = $bits(meta_q);
  for (genvar i = 0; i < LANES_OUT; i++) begin : gen_keep
    assign keep[i] = (seg_first + 7'(i) < 7'(cols));
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_q <= 1'b0;
    else if (clear_i) read_q <= 1'b0;
    else read_q <= issue;
  end
  always_ff @(posedge clk_i) begin
    read_seg_q <= seg_q;
    meta_q     <= {release_o & block_done, row, stage_seg, keep};
  end

  logic [LANES_OUT*PairW-1:0] pairs;
  assign pairs = tile_rdata[32'(read_seg_q) * (LANES_OUT * PairW) +: LANES_OUT * PairW];

  logic                    merged_valid;
  meta_t                   merged_meta;
  logic [LANES_OUT*32-1:0] result;
  if (FP4_DUAL || NVFP4) begin : gen_late
    // Cycles after the tile's RAM: the merge of two chains, or ALPHA and then the sum with C.
    localparam int unsigned Late = MergeLat + (NVFP4 ? mxe_pkg::ALPHA_LAT : 0);
    localparam int unsigned AlphaLat = NVFP4 ? mxe_pkg::ALPHA_LAT : 1;
    // The last stages, which add C, stay empty in other jobs, so that the next job finds none in them.
    logic [Late-1:0]       late_q, late_d, late_used;
    logic [Late*MetaW-1:0] late_meta_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) late_q <= '0;
      else if (clear_i) late_q <= '0;
      else late_q <= late_d;
    end
    assign late_used = adds_c ? '1 : Late'((1 << MergeLat) - 1);
    assign late_d    = {late_q[Late-2:0], read_q & (dual | alpha)} & late_used;
    always_ff @(posedge clk_i) late_meta_q <= {late_meta_q[(Late-1)*MetaW-1:0], meta_q};

    logic [LANES_OUT*32-1:0] product, c_seg;
    if (NVFP4) begin : gen_alpha
      mxe_pkg::factor_t factor, factor_q;
      mxe_factor u_factor (.x_i(job_i.alpha), .factor_o(factor));
      always_ff @(posedge clk_i) factor_q <= factor;
      for (genvar i = 0; i < LANES_OUT; i++) begin : gen_product
        mxe_alpha u_alpha (
          .clk_i     (clk_i),
          .factor_i  (factor_q),
          .x_i       (pairs[PairW*i +: 32]),
          .product_o (product[32*i +: 32])
        );
      end

      // C is requested in the cycle before the products are valid.
      typedef struct packed {
        logic              last;  // of the tile
        logic [ROW_AW-1:0] row;
        logic [SegAw-1:0]  seg;
      } place_t;
      localparam int unsigned PlaceW = 1 + ROW_AW + SegAw;
      logic [AlphaLat*PlaceW-1:0] places_q;
      logic [PlaceW-1:0]          place;
      logic [SegAw-1:0]           seg_q6;
      always_ff @(posedge clk_i) begin
        places_q <= {places_q[(AlphaLat-1)*PlaceW-1:0], release_o, row, seg_q};
        seg_q6   <= place[SegAw-1:0];
      end
      assign place       = places_q[(AlphaLat-1)*PlaceW +: PlaceW];
      assign c_re_o      = late_q[AlphaLat-2] & adds_c;
      assign c_row_o     = place[SegAw +: ROW_AW];
      assign c_release_o = c_re_o & place[PlaceW-1];
      assign c_seg       = c_data_i[32'(seg_q6) * (LANES_OUT * 32) +: LANES_OUT * 32];
    end else begin : gen_no_alpha
      assign product     = '0;
      assign c_seg       = '0;
      assign c_re_o      = 1'b0;
      assign c_row_o     = '0;
      assign c_release_o = 1'b0;
      logic unused_c;
      assign unused_c = &{1'b0, c_data_i};
    end

    always_comb begin
      if (adds_c) begin
        merged_valid = late_q[Late-1];
        merged_meta  = late_meta_q[(Late-1)*MetaW +: MetaW];
      end else if (alpha) begin
        merged_valid = late_q[AlphaLat-1];
        merged_meta  = late_meta_q[(AlphaLat-1)*MetaW +: MetaW];
      end else if (dual) begin
        merged_valid = late_q[MergeLat-1];
        merged_meta  = late_meta_q[(MergeLat-1)*MetaW +: MetaW];
      end else begin
        merged_valid = read_q;
        merged_meta  = meta_q;
      end
    end
    for (genvar i = 0; i < LANES_OUT; i++) begin : gen_lane
      logic [31:0] odd, sum;
      if (FP4_DUAL) begin : gen_odd
        assign odd = alpha ? c_seg[32*i +: 32] : pairs[PairW*i + 32 +: 32];
      end else begin : gen_c
        assign odd = c_seg[32*i +: 32];
        logic unused_odd;
        assign unused_odd = &{1'b0, res_odd_i};
      end
      mxe_merge u_merge (
        .clk_i  (clk_i),
        .even_i (alpha ? product[32*i +: 32] : pairs[PairW*i +: 32]),
        .odd_i  (odd),
        .sum_o  (sum)
      );
      assign result[32*i +: 32] = (dual | adds_c) ? sum : alpha ? product[32*i +: 32]
                                                                : pairs[PairW*i +: 32];
    end
  end else begin : gen_pass
    assign merged_valid = read_q;
    assign merged_meta  = meta_q;
    assign result       = pairs;
    assign c_re_o       = 1'b0;
    assign c_row_o      = '0;
    assign c_release_o  = 1'b0;
    logic unused_dual;
    assign unused_dual = &{1'b0, dual, res_odd_i, c_data_i};
  end

  logic                    push_q;
  logic [LANES_OUT*32-1:0] result_q;
  meta_t                   push_meta_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) push_q <= 1'b0;
    else if (clear_i) push_q <= 1'b0;
    else push_q <= merged_valid;
  end
  always_ff @(posedge clk_i) begin
    result_q    <= result;
    push_meta_q <= merged_meta;
  end

  // FP32 unchanged, or two-byte numbers packed into the lower half of a segment. Absent columns are
  // zero: their bytes reach the bus in lanes without strobe.
  logic [LANES_OUT*32-1:0] kept;
  logic [LANES_OUT*16-1:0] rounded;
  for (genvar i = 0; i < LANES_OUT; i++) begin : gen_out
    assign kept[32*i +: 32] = push_meta_q.keep[i] ? result_q[32*i +: 32] : 32'd0;
    assign rounded[16*i +: 16] = job_i.d.fp16 ? mxe_pkg::to_fp16(kept[32*i +: 32])
                                              : mxe_pkg::to_bf16(kept[32*i +: 32]);
  end

  logic                    fifo_ready;
  logic [LANES_OUT*32-1:0] direct_data;
  mxe_fifo #(.WIDTH(LANES_OUT * 32), .DEPTH(FifoDepth)) u_out (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .clear_i (clear_i),
    .valid_i (push_q & ~out_mx),
    .ready_o (fifo_ready),
    .data_i  (two_bytes ? {{(LANES_OUT*16){1'b0}}, rounded} : kept),
    .valid_o (direct_valid),
    .ready_i (data_ready_i),
    .data_o  (direct_data)
  );

  mxe_pkg::write_t block;
  logic            block_idle;
  mxe_requant #(
    .NUM_PE    (NUM_PE),
    .ROWS      (ROWS),
    .LANES_OUT (LANES_OUT)
  ) u_requant (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear_i),
    .halt_i         (halt_i),
    .start_i        (start_i),
    .result_i       (job_i.d),
    .valid_i        (push_q & out_mx),
    .row_i          (push_meta_q.row),
    .seg_i          (push_meta_q.seg),
    .last_i         (push_meta_q.last),
    .data_i         (kept),
    .rows_i         (stage.rows),
    .cols_i         (stage.cols),
    .end_i          (stage.cols_end),
    .read_o         (stage_read),
    .write_o        (block),
    .row_ready_i    (row_ready_i),
    .data_ready_i   (data_ready_i),
    .over_count_o   (over_count_o),
    .idle_o         (block_idle)
  );

  // A job uses only one of the two paths.
  localparam int unsigned RowBytesW = $clog2(((NUM_PE > 8) ? 4 * NUM_PE : 32) + 1);
  logic [RowBytesW-1:0] bytes;
  logic [SegW-1:0]      data;
  assign bytes = out_mx    ? block.row.bytes[RowBytesW-1:0]
               : two_bytes ? RowBytesW'({cols, 1'b0}) : RowBytesW'({cols, 2'b00});
  assign data = out_mx ? block.data[SegW-1:0] : direct_data;
  assign write_o.row.valid   = direct_req | block.row.valid;
  assign write_o.row.addr    = out_mx ? block.row.addr : at.addr;
  assign write_o.row.bytes   = mxe_pkg::BYTES_W'(bytes);
  assign write_o.row.half    = two_bytes;
  assign write_o.row.scale   = out_mx & block.row.scale;
  assign write_o.row.record  = 1'b0;
  assign write_o.row.joins   = joins;
  assign write_o.row.follows = joining_q;  // a joined row waits for the next one
  assign write_o.data_valid  = direct_valid | block.data_valid;
  assign write_o.data        = mxe_pkg::AXI_W'(data);

  always_comb begin
    nan_count_o = '0;
    for (int i = 0; i < LANES_OUT; i++) begin
      // The only NaN that occurs is 0x7FC00000.
      if (push_q & push_meta_q.keep[i] & (&result_q[32*i+22 +: 9]))
        nan_count_o = nan_count_o + CntW'(1);
    end
  end

  assign done_o     = ~valid & (credit_q == 5'(FifoDepth)) & (held_q == 2'd0) & block_idle;

  `MXE_ASSERT(drain_fifo_has_room, !push_q || fifo_ready)
  `MXE_ASSERT(drain_tiles_in_range, tiles_q <= 2'd2)
  `MXE_ASSERT(drain_held_in_range, held_q <= 2'd2)
  `MXE_REQUIRE(drain_reads_collected, !stage_read || (held_q != 2'd0))
  `MXE_ASSERT(drain_cols_in_range, !valid || ((cols != '0) && (32'(cols) <= NUM_PE)))
  // mxe_check rejects misaligned descriptors.
  `MXE_REQUIRE(drain_d_aligned, !(valid && !out_mx) || (!job_i.d.addr[0] && !job_i.d.stride[0] &&
               (two_bytes || (!job_i.d.addr[1] && !job_i.d.stride[1]))))
`ifndef SYNTHESIS
  // The array writes tiles to alternating banks, one row per cycle, as many rows as u_rows counts.
  localparam int unsigned ComeW = ROW_AW + 1;
  logic               f_mid_q;
  logic               f_bank_in_q;      // bank of the tile being received, or of the next
  logic               f_whole;
  logic [2*ComeW-1:0] f_come_q;         // rows received of each bank's tile
  logic [ComeW-1:0]   f_come, f_rows;   // rows received: of the incoming tile, of that being read
  assign f_whole = (tiles_q == 2'd2) || ((tiles_q == 2'd1) && !f_mid_q);
  assign f_come  = f_bank_in_q ? f_come_q[ComeW +: ComeW] : f_come_q[0 +: ComeW];
  assign f_rows  = bank_q ? f_come_q[ComeW +: ComeW] : f_come_q[0 +: ComeW];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      f_mid_q     <= 1'b0;
      f_bank_in_q <= 1'b0;
      f_come_q    <= '0;
    end else if (clear_i) begin
      f_mid_q     <= 1'b0;
      f_bank_in_q <= 1'b0;
      f_come_q    <= '0;
    end else begin
      if (release_o & ~bank_q) f_come_q[0 +: ComeW] <= '0;
      if (release_o & bank_q) f_come_q[ComeW +: ComeW] <= '0;
      if (res_valid_i) begin
        f_mid_q     <= ~res_last_i;
        f_bank_in_q <= f_bank_in_q ^ res_last_i;
        if (f_bank_in_q) f_come_q[ComeW +: ComeW] <= f_come + ComeW'(1);
        else f_come_q[0 +: ComeW] <= f_come + ComeW'(1);
      end
    end
  end
  // If D has no gaps, every row of a tile but the last joins the next row.
  logic f_halt_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) f_halt_q <= 1'b0;
    else f_halt_q <= halt_i & ~clear_i;
  end
  logic f_mx_q;
  always_ff @(posedge clk_i) if (start_i) f_mx_q <= out_mx;
  `MXE_REQUIRE(drain_no_start_while_walking, !start_i || !valid)
  `MXE_REQUIRE(drain_job_stable, !valid || (out_mx == f_mx_q))
  `MXE_ASSERT(drain_joins_numbers, !valid || !contiguous_q || !f_mx_q)
  `MXE_REQUIRE(drain_halt_until_clear, !f_halt_q || halt_i)
  `MXE_ASSERT(drain_joins_in_order, f_halt_q ||
              (joining_q == (valid && contiguous_q && (seg_start ? (row != '0) : !last_row))))
  `MXE_REQUIRE(drain_bank_free, !res_first || (tiles_q != 2'd2))
  `MXE_REQUIRE(drain_rows_follow, res_valid_i
               ? (({1'b0, res_row_i} == (f_mid_q ? f_come : '0)) && (res_bank_i == f_bank_in_q))
               : !f_mid_q)
  `MXE_REQUIRE(drain_rows_as_many, !f_whole || !valid ||
               (last_row == ({1'b0, row} + ComeW'(1) == f_rows)))
  `MXE_REQUIRE(drain_no_row_beyond, f_whole || !valid || !last_row || (tiles_q == 2'd0) ||
               ({1'b0, row} >= f_rows))
  `MXE_ASSERT(drain_reads_what_came, !issue || ({1'b0, row} < f_rows))
`endif
`ifdef FORMAL
`include "mxe_drain.proof.svh"
`endif
endmodule
`default_nettype wire
