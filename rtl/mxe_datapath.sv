// SPDX-License-Identifier: Apache-2.0
// Datapath: loaders, read port, unpacker, buffers, feeder, sequencer, array, drain and write port.
// See the block diagram in docs/architecture.md.
`include "mxe_assert.svh"
`default_nettype none
module mxe_datapath #(
  parameter int unsigned NUM_PE    = 8,     // NUM_PE to MAX_BURST: see mxe_top
  parameter int unsigned ROWS      = 32,
  parameter int unsigned ACC_TILES = 4,
  parameter int unsigned TREE_W    = 70,
  parameter bit          FP4_DUAL  = 1'b1,
  parameter bit          NVFP4     = 1'b1,
  parameter int unsigned A_SLAB_K  = 1024,
  parameter int unsigned B_BUF_K   = 256,
  parameter int unsigned B_BANKS   = 4,
  parameter int unsigned MEM_W     = 256,
  parameter int unsigned MAX_BURST = 16,
  parameter int unsigned LEN_W     = 11,    // bits of a row's byte count
  parameter int unsigned TAG_W     = 10,
  parameter int unsigned SEG_W     = 256,   // bits written per cycle
  parameter int unsigned AMOUNT_W  = 6      // bits of a counter increment
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  mxe_pkg::control_t  control_i,
  input  mxe_pkg::load_t     load_i,
  input  mxe_pkg::job_t      job_i,
  input  mxe_pkg::job_t      ahead_i,
  output mxe_pkg::status_t   status_o,
  input  mxe_pkg::fetch_t    desc_req_i,
  output logic               desc_ready_o,
  output mxe_pkg::word_t     word_o,        // of any kind
  input  mxe_pkg::write_t    record_i,
  output logic               row_ready_o,   // for the record
  output logic               data_ready_o,
  input  mxe_pkg::watch_t    watch_i,
  output mxe_pkg::fault_t    fault_o,
  input  mxe_pkg::axi_in_t   axi_i,
  output mxe_pkg::axi_out_t  axi_o,
  output logic [mxe_reg_pkg::COUNTERS*AMOUNT_W-1:0] amounts_o
);
  localparam int unsigned LANES = mxe_pkg::LANES;
  localparam int unsigned ChunkWords = A_SLAB_K / LANES;
  // Rounded up, so that an illegal B_BUF_K still elaborates up to its error message.
  localparam int unsigned SlabWords = (B_BUF_K + LANES - 1) / LANES;
  localparam int unsigned RowAw = $clog2(ROWS);
  localparam int unsigned ColsW = $clog2(NUM_PE + 1);
  localparam int unsigned PeAw = (NUM_PE > 1) ? $clog2(NUM_PE) : 1;
  localparam int unsigned TileAw = (ACC_TILES > 1) ? $clog2(ACC_TILES) : 1;
  localparam int unsigned ChunkAw = $clog2(ChunkWords << mxe_pkg::CHUNK_SHIFT_MAX);
  // Bits of a word index within a line of the A buffer.
  localparam int unsigned AWordW = ((ChunkWords > 1) ? $clog2(ChunkWords) : 1) +
                                   mxe_pkg::CHUNK_SHIFT_MAX;
  localparam int unsigned SlabAw = (SlabWords > 1) ? $clog2(SlabWords) : 1;
  localparam int unsigned SegPe = mxe_pkg::FP32_PER_WORD;
  localparam int unsigned SegAw = (NUM_PE > SegPe) ? $clog2(NUM_PE / SegPe) : 1;
  localparam int unsigned RowIdxW = (SegAw > 2) ? SegAw : 2;
  localparam int unsigned IdxW = (AWordW > RowIdxW) ? AWordW : RowIdxW;
  localparam int unsigned LanesOut = SEG_W / 32;
  // A port wider than an operand word passes elements on two words at a time, if the lines of both
  // buffers have more than one word, also when a bank serves as two.
  localparam bit TwoWords = (MEM_W > mxe_pkg::WORD_W) && (ChunkWords > 1) && (SlabWords > 2);
  localparam int unsigned WordScales = NVFP4 ? 4 : 2;  // most scales of an operand word
  localparam int unsigned ScalesW = 8 * WordScales;
  localparam int unsigned FedScaleW = mxe_pkg::b_scale_w(NVFP4);
  localparam int unsigned WordsOutW = TwoWords ? 2 * mxe_pkg::WORD_W : mxe_pkg::WORD_W;
  // Longest written row, in bytes: FP32 results of a tile or a block of 8-bit elements.
  localparam int unsigned LongestRow = (NUM_PE > 8) ? 4 * NUM_PE : 32;

  logic start, halt, clear;
  assign start = control_i.start;
  assign halt  = control_i.halt;
  assign clear = control_i.clear;

  mxe_pkg::fetch_t  bias_req, b_req, a_req;
  logic [3:0]       req_ready;  // of {A, B, bias, descriptor}
  assign desc_ready_o = req_ready[0];

  mxe_pkg::word_t   word;
  mxe_pkg::tag_t    tag;
  logic [WordsOutW-1:0] word_data;
  logic             kind_ae, kind_as, kind_be, kind_bs, kind_bias;
  assign tag       = word.tag;
  assign kind_ae   = word.valid & (tag.kind == mxe_pkg::TagAElem);
  assign kind_as   = word.valid & (tag.kind == mxe_pkg::TagAScale);
  assign kind_be   = word.valid & (tag.kind == mxe_pkg::TagBElem);
  assign kind_bs   = word.valid & (tag.kind == mxe_pkg::TagBScale);
  assign kind_bias = word.valid & (tag.kind == mxe_pkg::TagBias);
  assign word_data = word.data[WordsOutW-1:0];
  assign word_o    = word;

  logic a_release, b_release, c_release, a_busy, b_busy, c_busy;
  logic a_chunk, b_chunk;
  mxe_pkg::job_t load_job;
  assign load_job            = load_i.ahead ? ahead_i : job_i;
  assign status_o.loads_done = ~(a_busy | b_busy | c_busy);

  mxe_load_bias #(
    .ROWS      (ROWS),
    .NUM_PE    (NUM_PE),
    .ACC_TILES (ACC_TILES)
  ) u_load_bias (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear),
    .start_i     (load_i.start),
    .turn_i      (load_i.turn),
    .job_i       (load_job),
    .req_o       (bias_req),
    .req_ready_i (req_ready[1]),
    .release_i   (c_release),
    .busy_o      (c_busy)
  );

  // A pass over fewer rows than MIN_PASS waits for its accumulators. If the job has so few rows and
  // the B words of a pass take fewer than MIN_PASS beats, two tiles alternate passes (wide). With
  // 4-bit B at the single rate, two operand words share a buffer word: see mxe_pkg::slab_words
  // (long_slab).
  localparam bit CanBeWide = (ACC_TILES > 1) && (SlabWords > 1);
  localparam int unsigned WideBytes = (mxe_pkg::MIN_PASS * (MEM_W / 8) - 1) / NUM_PE;
  logic wide_now, wide_ahead, wide, long_slab;
  assign wide_now   = CanBeWide & (job_i.m < 32'(mxe_pkg::MIN_PASS)) &
                      (32'(job_i.b.word_bytes) <= WideBytes);
  assign wide_ahead = CanBeWide & (ahead_i.m < 32'(mxe_pkg::MIN_PASS)) &
                      (32'(ahead_i.b.word_bytes) <= WideBytes);
  logic [mxe_pkg::CHUNK_SHIFT_W-1:0] chunk_shift_now, chunk_shift_ahead, chunk_shift;
  assign chunk_shift_now   = mxe_pkg::chunk_shift(ROWS, job_i.m);
  assign chunk_shift_ahead = mxe_pkg::chunk_shift(ROWS, ahead_i.m);
  logic alike_q;
  assign status_o.alike = alike_q;
  // job_i is stable for a cycle before it starts, ahead_i before it may be requested early.
  always_ff @(posedge clk_i) begin
    wide        <= wide_now;
    long_slab   <= job_i.b.fmt.is4 & ~job_i.dual;
    chunk_shift <= chunk_shift_now;
    // Buffers, unpacker and feeder have one setting at a time: formats, scales, bias, wide,
    // chunk_shift.
    alike_q     <= (ahead_i.a.fmt == job_i.a.fmt) & (ahead_i.b.fmt == job_i.b.fmt) &
                   (ahead_i.nvfp4 == job_i.nvfp4) & (ahead_i.a.coarse == job_i.a.coarse) &
                   (ahead_i.b.coarse == job_i.b.coarse) &
                   (ahead_i.c.en == job_i.c.en) & (ahead_i.c.last == job_i.c.last) & (ahead_i.c.bf16 == job_i.c.bf16) &
                   (ahead_i.c.one_row == job_i.c.one_row) & (wide_ahead == wide_now) &
                   (chunk_shift_ahead == chunk_shift_now);
  end

  logic                       a_claim, b_claim;
  logic [mxe_pkg::BANK_W-1:0] a_claim_bank, b_claim_bank;
  logic [1:0]                 a_behind, b_behind;
  logic                       unused_banks;
  assign unused_banks = &{1'b0, a_claim_bank, b_claim_bank};
  mxe_load #(
    .OPERAND_A   (1'b0),
    .BANKS       (B_BANKS),
    .CAN_SPLIT   (CanBeWide),
    .ROWS        (ROWS),
    .NUM_PE      (NUM_PE),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (ChunkWords),
    .SLAB_WORDS  (SlabWords)
  ) u_load_b (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .start_i        (load_i.start),
    .chain_i        (load_i.early),
    .turn_i         (load_i.turn),
    .job_i          (load_job),
    .wide_i         (wide),
    .long_i         (long_slab),
    .chunk_shift_i  (chunk_shift),
    .req_o          (b_req),
    .req_ready_i    (req_ready[2]),
    .release_i      (b_release),
    .chunk_o        (b_chunk),
    .claim_o        (b_claim),
    .claim_bank_o   (b_claim_bank),
    .claim_behind_o (b_behind),
    .busy_o         (b_busy)
  );

  mxe_load #(
    .OPERAND_A   (1'b1),
    .ROWS        (ROWS),
    .NUM_PE      (NUM_PE),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (ChunkWords),
    .SLAB_WORDS  (SlabWords)
  ) u_load_a (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .start_i        (load_i.start),
    .chain_i        (load_i.early),
    .turn_i         (load_i.turn),
    .job_i          (load_job),
    .wide_i         (1'b0),
    .long_i         (1'b0),
    .chunk_shift_i  (chunk_shift),
    .req_o          (a_req),
    .req_ready_i    (req_ready[3]),
    .release_i      (a_release),
    .chunk_o        (a_chunk),
    .claim_o        (a_claim),
    .claim_bank_o   (a_claim_bank),
    .claim_behind_o (a_behind),
    .busy_o         (a_busy)
  );

  // A pass needs the whole A chunk and one B slab. After the first slab has been requested, the
  // chunk has priority over further slabs.
  localparam int unsigned AheadW = $clog2(2 * B_BANKS) + 2;
  logic [AheadW-1:0] chunks_ahead_q;  // requested A chunks minus requested first B slabs; signed
  logic              a_first;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) chunks_ahead_q <= '0;
    else if (clear) chunks_ahead_q <= '0;
    else if (a_chunk & ~b_chunk) chunks_ahead_q <= chunks_ahead_q + AheadW'(1);
    else if (b_chunk & ~a_chunk) chunks_ahead_q <= chunks_ahead_q - AheadW'(1);
  end
  assign a_first = chunks_ahead_q[AheadW-1];
  `MXE_ASSERT(chunks_ahead_in_range,
              (chunks_ahead_q + AheadW'(2 * B_BANKS)) <= AheadW'(4 * B_BANKS))

  mxe_pkg::pending_t fetch;
  logic              fetch_ready, rd_beat, rd_error, rd_error_q;
  logic [mxe_pkg::TURN_W-1:0] rd_turn_q;
  assign rd_beat  = axi_i.r_valid & axi_o.r_ready;
  assign rd_error = rd_beat & axi_i.r_error;
  // r_ready is late in the cycle, so errors of operands are registered.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rd_error_q <= 1'b0;
    else rd_error_q <= rd_error & (fetch.tag.kind != mxe_pkg::TagDesc);
  end
  always_ff @(posedge clk_i) rd_turn_q <= fetch.tag.turn;
  assign status_o.rd_error         = rd_error_q;
  assign status_o.rd_turn          = rd_turn_q;
  assign status_o.desc_error       = rd_error & (fetch.tag.kind == mxe_pkg::TagDesc);
  assign status_o.desc_error_place = fetch.tag.bank[mxe_pkg::DESC_PLACE_W-1:0];

  logic [63:0] rd_fault_addr, wr_fault_addr;
  assign fault_o.addr = watch_i.write ? wr_fault_addr : rd_fault_addr;

  mxe_rd_port #(
    .MEM_W     (MEM_W),
    .MAX_BURST (MAX_BURST),
    .LEN_W     (LEN_W),
    .TAG_W     (TAG_W)
  ) u_rd_port (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .halt_i         (halt),
    .clear_i        (clear),
    .desc_req_i     (desc_req_i),
    .bias_req_i     (bias_req),
    .b_req_i        (b_req),
    .a_req_i        (a_req),
    .ready_o        (req_ready),
    .a_first_i      (a_first),
    .ar_o           (axi_o.ar),
    .ar_ready_i     (axi_i.ar_ready),
    .beat_i         (rd_beat),
    .beat_last_i    (axi_i.r_last),
    .fetch_ready_i  (fetch_ready),
    .fetch_o        (fetch),
    .error_i        (rd_error),
    .fault_i        (watch_i.rd_fault),
    .fault_addr_o   (rd_fault_addr),
    .fault_kind_o   (fault_o.rd_kind),
    .idle_o         (status_o.rd_idle)
  );

  mxe_unpack #(
    .MEM_W    (MEM_W),
    .LEN_W    (LEN_W),
    .TAG_W    (TAG_W),
    .IDX_W    (IdxW),
    .A_SCALES ((WordScales * ChunkWords < 32) ? WordScales * ChunkWords : 32),
    .TWO_WORDS(TwoWords)
  ) u_unpack (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .drop_i         (halt),
    .a_is6_i        (job_i.a.fmt.is6),
    .b_is6_i        (job_i.b.fmt.is6),
    .fetch_ready_o  (fetch_ready),
    .fetch_i        (fetch),
    .m_rvalid_i     (axi_i.r_valid),
    .m_rready_o     (axi_o.r_ready),
    .m_rdata_i      (axi_i.r_data[MEM_W-1:0]),
    .word_o         (word)
  );

  localparam int unsigned BBankAw = $clog2(CanBeWide ? 2 * B_BANKS : B_BANKS);
  logic [1:0]                 a_full, c_full;
  logic [(1<<BBankAw)-1:0]    b_full;
  logic                       a_re, a_bank, b_re, c_re, c_bank_q;
  logic [BBankAw-1:0]         b_bank;
  logic [RowAw-1:0]           a_row, c_row;
  // C: read by the array or, with ALPHA, by the drain
  logic                       array_c_release, drain_c_re, drain_c_release;
  logic [RowAw-1:0]           drain_c_row;
  assign c_release = array_c_release | drain_c_release;
  logic [ChunkAw-1:0]         a_word;
  logic [PeAw-1:0]            b_line;
  logic [SlabAw:0]            b_word;
  logic [AWordW:0]            a_read_word;
  logic [mxe_pkg::WORD_W-1:0] a_data;
  logic [ScalesW-1:0]         a_scale;
  // data of the FeedCols columns that are fed per cycle
  localparam int unsigned FeedCols = mxe_pkg::feed_cols(NUM_PE);
  logic [FeedCols*mxe_pkg::WORD_W-1:0] b_data;
  logic [FeedCols*ScalesW-1:0]         b_scale;
  logic [NUM_PE*32-1:0]       c_data;

  assign a_read_word = (AWordW+1)'(a_word);
  mxe_opbuf #(.LINES(ROWS), .WORDS(ChunkWords), .CAN_LEND(1'b1), .TWO_WORDS(TwoWords),
              .NVFP4(NVFP4)) u_abuf (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .fmt_i          (job_i.a.fmt),
    .dual_i         (job_i.dual),
    .scale_shift_i  (job_i.scale_shift),
    .coarse_i       (job_i.a.coarse),
    .claim_i        (a_claim),
    .claim_bank_i   (a_claim_bank[0]),
    .claim_behind_i (a_behind),
    .split_i        (1'b0),
    .chunk_shift_i  (chunk_shift),
    .elem_valid_i   (kind_ae),
    .scale_valid_i  (kind_as),
    .bank_i         (tag.bank[0]),
    .line_i         (tag.index[RowAw-1:0]),
    .index_i        (word.index[AWordW-1:0]),
    .data_i         (word_data),
    .last_i         (tag.last & word.last),
    .re_i           (a_re),
    .rbank_i        (a_bank),
    .rline_i        (a_row),
    .rword_i        (a_read_word),
    .rword_o        (a_data),
    .rscale_o       (a_scale),
    .release_i      (a_release),
    .release_bank_i (a_bank),
    .full_o         (a_full)
  );

  mxe_opbuf #(.BANKS(B_BANKS), .LINES(NUM_PE), .WORDS(SlabWords), .READ_LINES(FeedCols),
              .CAN_SPLIT(CanBeWide), .TWO_WORDS(TwoWords), .NVFP4(NVFP4)) u_bbuf (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .fmt_i          (job_i.b.fmt),
    .dual_i         (job_i.dual),
    .scale_shift_i  (job_i.scale_shift),
    .coarse_i       (job_i.b.coarse),
    .claim_i        (b_claim),
    .claim_bank_i   (b_claim_bank[BBankAw-1:0]),
    .claim_behind_i (b_behind),
    .split_i        (wide),
    .chunk_shift_i  ('0),
    .elem_valid_i   (kind_be),
    .scale_valid_i  (kind_bs),
    .bank_i         (tag.bank[BBankAw-1:0]),
    .line_i         (tag.index[PeAw-1:0]),
    .index_i        (word.index[SlabAw-1:0]),
    .data_i         (word_data),
    .last_i         (tag.last & word.last),
    .re_i           (b_re),
    .rbank_i        (b_bank),
    .rline_i        (b_line),
    .rword_i        (b_word),
    .rword_o        (b_data),
    .rscale_o       (b_scale),
    .release_i      (b_release),
    .release_bank_i (b_bank),
    .full_o         (b_full)
  );

  mxe_cbuf #(.NUM_PE(NUM_PE), .ROWS(ROWS)) u_cbuf (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .clear_i   (clear),
    .bf16_i    (job_i.c.bf16),
    .valid_i   (kind_bias),
    .bank_i    (tag.bank[0]),
    .row_i     (tag.index[RowAw-1:0]),
    .index_i   (word.index[SegAw-1:0]),
    .data_i    (word.data[255:0]),
    .last_i    (tag.last & word.last),
    .re_i      (c_re | drain_c_re),
    .rbank_i   (c_bank_q),
    .rrow_i    (job_i.c.one_row ? '0 : job_i.c.last ? drain_c_row : c_row),
    .rdata_o   (c_data),
    .release_i (c_release),
    .full_o    (c_full)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) c_bank_q <= 1'b0;
    else if (clear) c_bank_q <= 1'b0;
    else if (c_release) c_bank_q <= ~c_bank_q;
  end

  logic [NUM_PE-1:0]                  load;
  logic [FeedCols*LANES*mxe_pkg::DEC_W-1:0] b_dec;
  logic [FeedCols*mxe_pkg::FLAG_W-1:0]      b_flags;
  logic [FeedCols*FedScaleW-1:0]            b_scale_fed;
  logic                               pass_valid, pass_ready, pass_first, pass_last, pass_a_done;
  logic [RowAw:0]                     pass_rows;
  logic [ColsW-1:0]                   pass_cols;
  logic [TileAw-1:0]                  pass_tile;
  logic [ChunkAw-1:0]                 pass_word;
  logic [6:0]                         pass_count;
  logic                               feed_wait_b, feed_done;

  mxe_feed #(
    .NUM_PE      (NUM_PE),
    .ROWS        (ROWS),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (ChunkWords),
    .SLAB_WORDS  (SlabWords),
    .BANKS       (B_BANKS),
    .CAN_SPLIT   (CanBeWide),
    .NVFP4       (NVFP4)
  ) u_feed (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear),
    .start_i       (start),
    .chain_i       (control_i.loaded),
    .job_i         (job_i),
    .wide_i        (wide),
    .long_i        (long_slab),
    .chunk_shift_i (chunk_shift),
    .b_full_i      (b_full),
    .b_re_o        (b_re),
    .b_bank_o      (b_bank),
    .b_line_o      (b_line),
    .b_word_o      (b_word),
    .b_release_o   (b_release),
    .b_data_i      (b_data),
    .b_scale_i     (b_scale),
    .load_o        (load),
    .dec_o         (b_dec),
    .flags_o       (b_flags),
    .scale_o       (b_scale_fed),
    .pass_valid_o  (pass_valid),
    .pass_ready_i  (pass_ready),
    .pass_rows_o   (pass_rows),
    .pass_cols_o   (pass_cols),
    .pass_tile_o   (pass_tile),
    .pass_word_o   (pass_word),
    .pass_count_o  (pass_count),
    .pass_first_o  (pass_first),
    .pass_last_o   (pass_last),
    .pass_a_done_o (pass_a_done),
    .wait_b_o      (feed_wait_b),
    .done_o        (feed_done)
  );

  logic               row_valid, pass_start, first, last, last_row, drain_bank, drain_release;
  logic [RowAw-1:0]   row;
  logic [TileAw-1:0]  tile;
  logic [6:0]         count;
  logic               stall_a, stall_b, stall_c, stall_drain, stall_latency;

  mxe_seq #(
    .ROWS        (ROWS),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (ChunkWords)
  ) u_seq (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .clear_i         (clear),
    .run_i           (control_i.run),
    .bias_en_i       (job_i.c.en & ~job_i.c.last),
    .pass_valid_i    (pass_valid),
    .pass_ready_o    (pass_ready),
    .pass_rows_i     (pass_rows),
    .pass_tile_i     (pass_tile),
    .pass_word_i     (pass_word),
    .pass_count_i    (pass_count),
    .pass_first_i    (pass_first),
    .pass_last_i     (pass_last),
    .pass_a_done_i   (pass_a_done),
    .feed_wait_b_i   (feed_wait_b),
    .feed_done_i     (feed_done),
    .a_full_i        (a_full),
    .a_re_o          (a_re),
    .a_bank_o        (a_bank),
    .a_row_o         (a_row),
    .a_word_o        (a_word),
    .a_release_o     (a_release),
    .c_full_i        (c_full),
    .c_skip_i        (drain_c_release),
    .drain_release_i (drain_release),
    .row_valid_o     (row_valid),
    .row_o           (row),
    .tile_o          (tile),
    .pass_start_o    (pass_start),
    .first_o         (first),
    .last_o          (last),
    .last_row_o      (last_row),
    .drain_bank_o    (drain_bank),
    .count_o         (count),
    .stall_a_o       (stall_a),
    .stall_b_o       (stall_b),
    .stall_c_o       (stall_c),
    .stall_drain_o   (stall_drain),
    .stall_latency_o (stall_latency)
  );

  logic                 res_valid, res_bank, res_last, array_empty;
  logic [RowAw-1:0]     res_row;
  logic [NUM_PE*32-1:0] res_even, res_odd;

  mxe_array #(
    .NUM_PE    (NUM_PE),
    .ROWS      (ROWS),
    .ACC_TILES (ACC_TILES),
    .TREE_W    (TREE_W),
    .FP4_DUAL  (FP4_DUAL),
    .NVFP4     (NVFP4)
  ) u_array (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (clear),
    .job_i        (job_i),
    .row_valid_i  (row_valid),
    .row_i        (row),
    .tile_i       (tile),
    .pass_start_i (pass_start),
    .first_i      (first),
    .last_i       (last),
    .last_row_i   (last_row),
    .bank_i       (drain_bank),
    .count_i      (count),
    .a_word_i     (a_data),
    .a_scale_i    (a_scale),
    .b_load_i     (load),
    .b_dec_i      (b_dec),
    .b_flags_i    (b_flags),
    .b_scale_i    (b_scale_fed),
    .bias_re_o    (c_re),
    .bias_row_o   (c_row),
    .bias_done_o  (array_c_release),
    .bias_i       (job_i.c.last ? '0 : c_data),
    .res_valid_o  (res_valid),
    .res_bank_o   (res_bank),
    .res_row_o    (res_row),
    .res_last_o   (res_last),
    .res_even_o   (res_even),
    .res_odd_o    (res_odd),
    .empty_o      (array_empty)
  );

  mxe_pkg::write_t                 drained, write;
  logic                            wr_row_ready, wr_data_ready, record_first, data_record;
  logic [$clog2(LanesOut+1)-1:0]   nan_count, over_count;
  logic                            drain_done;

  mxe_drain #(
    .NUM_PE    (NUM_PE),
    .ROWS      (ROWS),
    .ACC_TILES (ACC_TILES),
    .FP4_DUAL  (FP4_DUAL),
    .NVFP4     (NVFP4),
    .LANES_OUT (LanesOut)
  ) u_drain (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (clear),
    .halt_i       (halt),
    .start_i      (start),
    .job_i        (job_i),
    .res_valid_i  (res_valid),
    .res_bank_i   (res_bank),
    .res_row_i    (res_row),
    .res_last_i   (res_last),
    .res_even_i   (res_even),
    .res_odd_i    (res_odd),
    .release_o    (drain_release),
    .c_full_i     (c_full),
    .c_re_o       (drain_c_re),
    .c_row_o      (drain_c_row),
    .c_next_i     (c_bank_q),
    .c_release_o  (drain_c_release),
    .c_data_i     (c_data),
    .write_o      (drained),
    .row_ready_i  (wr_row_ready & ~record_first),
    .data_ready_i (wr_data_ready & ~data_record),
    .nan_count_o  (nan_count),
    .over_count_o (over_count),
    .done_o       (drain_done)
  );

  // Records have priority over results, except between joined rows.
  logic             wr_error, wr_sent;
  logic [LEN_W-1:0] write_bytes;
  logic [SEG_W-1:0] write_data;
  assign record_first      = record_i.row.valid & ~drained.row.follows;
  assign row_ready_o       = wr_row_ready & ~drained.row.follows;
  assign data_ready_o      = wr_data_ready & data_record;
  assign write.row.valid   = record_first | drained.row.valid;
  assign write.row.addr    = record_first ? record_i.row.addr : drained.row.addr;
  assign write.row.bytes   = mxe_pkg::BYTES_W'(write_bytes);
  assign write.row.half    = drained.row.half & ~record_first;
  assign write.row.scale   = drained.row.scale & ~record_first;
  assign write.row.record  = record_first;
  assign write.row.joins   = drained.row.joins & ~record_first;
  assign write.row.follows = drained.row.follows & ~record_first;
  assign write.data_valid  = data_record ? record_i.data_valid : drained.data_valid;
  assign write.data        = mxe_pkg::AXI_W'(write_data);
  // Only the bits that this engine needs are selected.
  assign write_bytes = record_first ? record_i.row.bytes[LEN_W-1:0] : drained.row.bytes[LEN_W-1:0];
  assign write_data  = data_record ? record_i.data[SEG_W-1:0] : drained.data[SEG_W-1:0];

  assign wr_error          = axi_i.b_valid & axi_o.wr.b_ready & axi_i.b_error;
  assign status_o.wr_error = wr_error;

  mxe_wr_port #(
    .MEM_W     (MEM_W),
    .MAX_BURST (MAX_BURST),
    .SEG_W     (SEG_W),
    .LEN_W     (LEN_W),
    .ROW_BYTES (LongestRow),
    .HALF_ROWS (NUM_PE > LanesOut),
    .RECORD_BURSTS (mxe_pkg::RECORDS * (((MEM_W < 128) && (MAX_BURST == 1)) ? 2 : 1))
  ) u_wr_port (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .write_i      (write),
    .row_ready_o  (wr_row_ready),
    .data_ready_o (wr_data_ready),
    .data_record_o(data_record),
    .axi_i        (axi_i),
    .axi_o        (axi_o.wr),
    .fault_i      (wr_error & watch_i.wr_fault_watch),
    .fault_addr_o (wr_fault_addr),
    .fault_scale_o(fault_o.wr_scale),
    .result_begins_o   (status_o.result_begins),
    .result_answered_o (status_o.result_answered),
    .record_answered_o (status_o.record_answered),
    .record_last_o     (status_o.record_last),
    .sent_o       (wr_sent),
    .idle_o       (status_o.wr_idle)
  );

  // All operands have been used and all results sent. Write responses may be outstanding.
  logic job_done;
  assign status_o.job_done = job_done;
  assign job_done = feed_done & array_empty & drain_done & wr_sent;

  localparam int unsigned BytesW = $clog2(MEM_W / 8 + 1);
  logic [ColsW-1:0] pass_cols_q;
  logic             odd_present;
  always_ff @(posedge clk_i) if (pass_start) pass_cols_q <= pass_cols;
  assign odd_present = (count > 7'(LANES));

  logic [ColsW-1:0] cols_now;
  assign cols_now = pass_start ? pass_cols : pass_cols_q;

  logic [MEM_W/8-1:0] strb;
  logic [BytesW-1:0]  strobes;
  assign strb = axi_o.wr.w_strb[MEM_W/8-1:0];
  always_comb begin
    strobes = '0;
    for (int i = 0; i < MEM_W / 8; i++) strobes = strobes + BytesW'(strb[i]);
  end

  always_comb begin
    amounts_o = '0;
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_MAC_ACTIVE]    = row_valid;
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_STALL_A]       = stall_a;
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_STALL_B]       = stall_b;
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_STALL_C]       = stall_c;
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_STALL_DRAIN]   = stall_drain;
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_STALL_LATENCY] = stall_latency;
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_DUAL_CYCLES]   = row_valid & job_i.dual;
    if (rd_beat)
      amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_BYTES_READ +: AMOUNT_W] = AMOUNT_W'(MEM_W / 8);
    if (axi_o.wr.w_valid & axi_i.w_ready)
      amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_BYTES_WRITTEN +: AMOUNT_W] = AMOUNT_W'(strobes);
    if (row_valid)
      amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_BLOCKS +: AMOUNT_W] =
          odd_present ? AMOUNT_W'({cols_now, 1'b0}) : AMOUNT_W'(cols_now);
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_NAN_RESULTS +: AMOUNT_W] = AMOUNT_W'(nan_count);
    amounts_o[AMOUNT_W*mxe_reg_pkg::COUNTER_SATURATIONS +: AMOUNT_W] = AMOUNT_W'(over_count);
  end

  `MXE_ASSERT(done_means_all_loaded, !(control_i.run && job_done) || load_i.ahead ||
              !(a_req.valid || b_req.valid || bias_req.valid))

`ifndef SYNTHESIS
  mxe_datapath_checks #(
    .NUM_PE      (NUM_PE),
    .ROWS        (ROWS),
    .CHUNK_WORDS (ChunkWords),
    .SLAB_WORDS  (SlabWords),
    .WORD_SCALES (WordScales)
  ) u_checks (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .run_i         (control_i.run),
    .job_i         (job_i),
    .desc_req_i    (desc_req_i),
    .bias_req_i    (bias_req),
    .b_req_i       (b_req),
    .a_req_i       (a_req),
    .fetch_used_i  (rd_beat & ~halt),
    .fetch_i       (fetch),
    .word_i        (word),
    .results_i     (drained.row),
    .record_i      (record_i.row),
    .pass_valid_i  (pass_valid),
    .pass_rows_i   (pass_rows),
    .pass_cols_i   (pass_cols)
  );
`endif
endmodule
`default_nettype wire
