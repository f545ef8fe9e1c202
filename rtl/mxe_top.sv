// SPDX-License-Identifier: Apache-2.0
// MXE: the matrix engine. Registers behind AXI4-Lite, data through one AXI4 master, a level
// interrupt. docs/architecture.md has the block diagram.
`include "mxe_assert.svh"
`default_nettype none
module mxe_top #(
  parameter int unsigned NUM_PE      = 8,     // columns of C computed at a time
  parameter int unsigned ROWS        = 32,    // rows of C held by each PE
  parameter int unsigned ACC_TILES   = 4,     // column tiles that share one A chunk
  parameter int unsigned TREE_W      = 70,    // bits of a block sum: 42, 56 or 70
  parameter bit          FP4_DUAL    = 1'b1,  // 4-bit pairs at twice the rate
  parameter int unsigned A_SLAB_K    = 1024,  // 8-bit elements of K in an A chunk
  parameter int unsigned B_BUF_K     = 256,   // 8-bit elements of K in a B slab
  parameter int unsigned MEM_W       = 256,   // bits of the memory port
  parameter int unsigned QUEUE_DEPTH = 16,    // most descriptors in the ring
  parameter int unsigned MAX_BURST   = 16     // most beats in an AXI burst
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // registers
  input  logic               s_awvalid_i,
  output logic               s_awready_o,
  input  logic [11:0]        s_awaddr_i,
  input  logic [2:0]         s_awprot_i,
  input  logic               s_wvalid_i,
  output logic               s_wready_o,
  input  logic [31:0]        s_wdata_i,
  input  logic [3:0]         s_wstrb_i,
  output logic               s_bvalid_o,
  input  logic               s_bready_i,
  output logic [1:0]         s_bresp_o,
  input  logic               s_arvalid_i,
  output logic               s_arready_o,
  input  logic [11:0]        s_araddr_i,
  input  logic [2:0]         s_arprot_i,
  output logic               s_rvalid_o,
  input  logic               s_rready_i,
  output logic [31:0]        s_rdata_o,
  output logic [1:0]         s_rresp_o,
  // memory
  output logic               m_arvalid_o,
  input  logic               m_arready_i,
  output logic [3:0]         m_arid_o,
  output logic [63:0]        m_araddr_o,
  output logic [7:0]         m_arlen_o,
  output logic [2:0]         m_arsize_o,
  output logic [1:0]         m_arburst_o,
  output logic               m_arlock_o,
  output logic [3:0]         m_arcache_o,
  output logic [2:0]         m_arprot_o,
  output logic [3:0]         m_arqos_o,
  output logic [3:0]         m_arregion_o,
  input  logic               m_rvalid_i,
  output logic               m_rready_o,
  input  logic [3:0]         m_rid_i,
  input  logic [MEM_W-1:0]   m_rdata_i,
  input  logic [1:0]         m_rresp_i,
  input  logic               m_rlast_i,
  output logic               m_awvalid_o,
  input  logic               m_awready_i,
  output logic [3:0]         m_awid_o,
  output logic [63:0]        m_awaddr_o,
  output logic [7:0]         m_awlen_o,
  output logic [2:0]         m_awsize_o,
  output logic [1:0]         m_awburst_o,
  output logic               m_awlock_o,
  output logic [3:0]         m_awcache_o,
  output logic [2:0]         m_awprot_o,
  output logic [3:0]         m_awqos_o,
  output logic [3:0]         m_awregion_o,
  output logic               m_wvalid_o,
  input  logic               m_wready_i,
  output logic [MEM_W-1:0]   m_wdata_o,
  output logic [MEM_W/8-1:0] m_wstrb_o,
  output logic               m_wlast_o,
  input  logic               m_bvalid_i,
  output logic               m_bready_o,
  input  logic [3:0]         m_bid_i,
  input  logic [1:0]         m_bresp_i,
  output logic               irq_o
);
  // ---------------------------------------------------------------- parameters allowed
  if ((NUM_PE < 1) || (NUM_PE > 64) || ((NUM_PE & (NUM_PE - 1)) != 0)) begin : gen_bad_num_pe
    $error("NUM_PE must be a power of two from 1 to 64");
  end
  if ((ROWS < 8) || (ROWS > 256) || ((ROWS & (ROWS - 1)) != 0) ||
      (ROWS < NUM_PE)) begin : gen_bad_rows
    $error("ROWS must be a power of two from 8 to 256, at least NUM_PE");
  end
  if ((ACC_TILES < 1) || (ACC_TILES > 16) ||
      ((ACC_TILES & (ACC_TILES - 1)) != 0)) begin : gen_bad_acc
    $error("ACC_TILES must be a power of two from 1 to 16");
  end
  if ((TREE_W != 42) && (TREE_W != 56) && (TREE_W != 70)) begin : gen_bad_tree
    $error("TREE_W must be 42, 56 or 70");
  end
  if ((B_BUF_K < 32) || (A_SLAB_K < B_BUF_K) || (A_SLAB_K > 16384) ||
      ((A_SLAB_K & (A_SLAB_K - 1)) != 0) || ((B_BUF_K & (B_BUF_K - 1)) != 0)) begin : gen_bad_k
    $error("A_SLAB_K and B_BUF_K must be powers of two, 32 <= B_BUF_K <= A_SLAB_K <= 16384");
  end
  if ((MEM_W != 64) && (MEM_W != 128) && (MEM_W != 256) && (MEM_W != 512)) begin : gen_bad_mem
    $error("MEM_W must be 64, 128, 256 or 512");
  end
  if ((QUEUE_DEPTH < 2) || (QUEUE_DEPTH > 256) ||
      ((QUEUE_DEPTH & (QUEUE_DEPTH - 1)) != 0)) begin : gen_bad_queue
    $error("QUEUE_DEPTH must be a power of two from 2 to 256");
  end
  if ((MAX_BURST < 1) || (MAX_BURST > 256) ||
      ((MAX_BURST & (MAX_BURST - 1)) != 0)) begin : gen_bad_burst
    $error("MAX_BURST must be a power of two from 1 to 256");
  end

  if (mxe_pkg::LANES != 32) begin : gen_bad_lanes
    $error("LANES is the size of an MX block: 32");
  end

  localparam int unsigned LANES = mxe_pkg::LANES;
  localparam int unsigned ChunkWords = A_SLAB_K / LANES;
  localparam int unsigned SlabWords = B_BUF_K / LANES;
  localparam int unsigned LenW = mxe_pkg::len_w(ChunkWords, NUM_PE, MEM_W);
  localparam int unsigned TagW = mxe_pkg::tag_w(ROWS);
  localparam int unsigned RowAw = $clog2(ROWS);
  localparam int unsigned ColsW = $clog2(NUM_PE + 1);
  localparam int unsigned PeAw = (NUM_PE > 1) ? $clog2(NUM_PE) : 1;
  localparam int unsigned TileAw = (ACC_TILES > 1) ? $clog2(ACC_TILES) : 1;
  localparam int unsigned ChunkAw = (ChunkWords > 1) ? $clog2(ChunkWords) : 1;
  localparam int unsigned SegAw = (NUM_PE > 8) ? $clog2(NUM_PE / 8) : 1;
  localparam int unsigned SlabAw = (SlabWords > 1) ? $clog2(SlabWords) : 1;
  // Words of a fetch: those of an A chunk, a row of C, a descriptor.
  localparam int unsigned RowIdxW = (SegAw > 2) ? SegAw : 2;
  localparam int unsigned IdxW = (ChunkAw > RowIdxW) ? ChunkAw : RowIdxW;
  localparam int unsigned LanesOut = (NUM_PE < MEM_W / 32) ? NUM_PE : (MEM_W / 32);
  localparam int unsigned SegW = 32 * LanesOut;

  // ---------------------------------------------------------------- registers
  logic        enable, soft_reset, counter_clear, counter_snapshot;
  logic        busy, empty, resetting;
  logic        irq_done_set, irq_error_set, irq_queue_empty_set, irq_ring_overflow_set;
  logic        irq_done, irq_error, irq_queue_empty, irq_ring_overflow;
  logic        mask_done, mask_error, mask_queue_empty, mask_ring_overflow;
  logic [31:0] ring_base_lo, ring_base_hi, last_job, last_status;
  logic [4:0]  ring_size_log2;
  logic [15:0] ring_tail, ring_head;
  logic        doorbell;
  logic [64*mxe_reg_pkg::COUNTERS-1:0] counts;

  mxe_regs u_regs (
    .clk_i                          (clk_i),
    .rst_ni                         (rst_ni),
    .s_awvalid_i                    (s_awvalid_i),
    .s_awready_o                    (s_awready_o),
    .s_awaddr_i                     (s_awaddr_i),
    .s_wvalid_i                     (s_wvalid_i),
    .s_wready_o                     (s_wready_o),
    .s_wdata_i                      (s_wdata_i),
    .s_wstrb_i                      (s_wstrb_i),
    .s_bvalid_o                     (s_bvalid_o),
    .s_bready_i                     (s_bready_i),
    .s_bresp_o                      (s_bresp_o),
    .s_arvalid_i                    (s_arvalid_i),
    .s_arready_o                    (s_arready_o),
    .s_araddr_i                     (s_araddr_i),
    .s_rvalid_o                     (s_rvalid_o),
    .s_rready_i                     (s_rready_i),
    .s_rdata_o                      (s_rdata_o),
    .s_rresp_o                      (s_rresp_o),
    .num_pe_value_i                 (32'(NUM_PE)),
    .rows_value_i                   (32'(ROWS)),
    .acc_tiles_value_i              (32'(ACC_TILES)),
    .tree_w_value_i                 (32'(TREE_W)),
    .a_slab_k_value_i               (32'(A_SLAB_K)),
    .b_buf_k_value_i                (32'(B_BUF_K)),
    .mem_w_value_i                  (32'(MEM_W)),
    .queue_depth_value_i            (32'(QUEUE_DEPTH)),
    .max_burst_value_i              (32'(MAX_BURST)),
    .features_fp4_dual_i            (FP4_DUAL),
    .features_bf16_i                (1'b1),
    .features_mx_out_i              (1'b1),
    .ctrl_enable_o                  (enable),
    .ctrl_soft_reset_o              (soft_reset),
    .ctrl_counter_clear_o           (counter_clear),
    .ctrl_counter_snapshot_o        (counter_snapshot),
    .status_busy_i                  (busy),
    .status_empty_i                 (empty),
    .status_resetting_i             (resetting),
    .irq_status_done_set_i          (irq_done_set),
    .irq_status_done_o              (irq_done),
    .irq_status_error_set_i         (irq_error_set),
    .irq_status_error_o             (irq_error),
    .irq_status_queue_empty_set_i   (irq_queue_empty_set),
    .irq_status_queue_empty_o       (irq_queue_empty),
    .irq_status_ring_overflow_set_i (irq_ring_overflow_set),
    .irq_status_ring_overflow_o     (irq_ring_overflow),
    .irq_mask_done_o                (mask_done),
    .irq_mask_error_o               (mask_error),
    .irq_mask_queue_empty_o         (mask_queue_empty),
    .irq_mask_ring_overflow_o       (mask_ring_overflow),
    .ring_base_lo_value_o           (ring_base_lo),
    .ring_base_hi_value_o           (ring_base_hi),
    .ring_size_log2_value_o         (ring_size_log2),
    .ring_tail_tail_o               (ring_tail),
    .ring_tail_tail_swmod_o         (doorbell),
    .ring_head_head_i               (ring_head),
    .last_job_value_i               (last_job),
    .last_status_value_i            (last_status),
    .counters_i                     (counts)
  );

  logic irq_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) irq_q <= 1'b0;
    else irq_q <= (irq_done & mask_done) | (irq_error & mask_error) |
                  (irq_queue_empty & mask_queue_empty) | (irq_ring_overflow & mask_ring_overflow);
  end
  assign irq_o = irq_q;

  // ---------------------------------------------------------------- command processor
  logic            start, run, halt, clear, job_done;
  mxe_pkg::job_t   job;
  logic            rd_error, wr_error, rd_idle, wr_idle;
  logic [3:0]      req_valid, req_ready;
  logic [4*64-1:0] req_addr;
  logic [4*LenW-1:0] req_bytes;
  logic [4*TagW-1:0] req_tag;
  logic            rec_valid, rec_ready, rec_data_valid, rec_data_ready;
  logic [63:0]     rec_addr;
  logic [LenW-1:0] rec_bytes;
  logic [SegW-1:0] rec_data;

  logic            word_valid, word_last;
  logic [TagW-1:0] word_tag;
  logic [IdxW-1:0] word_index;
  logic [255:0]    word_data;
  logic            kind_desc, kind_ae, kind_as, kind_be, kind_bs, kind_bias;
  mxe_pkg::tag_t   tag;
  logic [RowAw-1:0] tag_index;
  assign {tag_index, tag} = word_tag;
  assign kind_desc = word_valid & (tag.kind == mxe_pkg::TagDesc);
  assign kind_ae   = word_valid & (tag.kind == mxe_pkg::TagAElem);
  assign kind_as   = word_valid & (tag.kind == mxe_pkg::TagAScale);
  assign kind_be   = word_valid & (tag.kind == mxe_pkg::TagBElem);
  assign kind_bs   = word_valid & (tag.kind == mxe_pkg::TagBScale);
  assign kind_bias = word_valid & (tag.kind == mxe_pkg::TagBias);

  mxe_cmd #(
    .TREE_W      (TREE_W),
    .FP4_DUAL    (FP4_DUAL),
    .QUEUE_DEPTH (QUEUE_DEPTH),
    .SEG_W       (SegW),
    .LEN_W       (LenW),
    .TAG_W       (TagW)
  ) u_cmd (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .enable_i            (enable),
    .soft_reset_i        (soft_reset),
    .ring_base_i         ({ring_base_hi, ring_base_lo}),
    .ring_size_log2_i    (ring_size_log2),
    .ring_tail_i         (ring_tail),
    .doorbell_i          (doorbell),
    .ring_head_o         (ring_head),
    .last_job_o          (last_job),
    .last_status_o       (last_status),
    .busy_o              (busy),
    .empty_o             (empty),
    .resetting_o         (resetting),
    .irq_done_o          (irq_done_set),
    .irq_error_o         (irq_error_set),
    .irq_queue_empty_o   (irq_queue_empty_set),
    .irq_ring_overflow_o (irq_ring_overflow_set),
    .req_valid_o         (req_valid[0]),
    .req_ready_i         (req_ready[0]),
    .req_addr_o          (req_addr[63:0]),
    .req_bytes_o         (req_bytes[LenW-1:0]),
    .req_tag_o           (req_tag[TagW-1:0]),
    .word_valid_i        (kind_desc),
    .word_index_i        (word_index[1:0]),
    .word_data_i         (word_data),
    .word_last_i         (word_last),
    .rec_valid_o         (rec_valid),
    .rec_ready_i         (rec_ready),
    .rec_addr_o          (rec_addr),
    .rec_bytes_o         (rec_bytes),
    .rec_data_valid_o    (rec_data_valid),
    .rec_data_ready_i    (rec_data_ready),
    .rec_data_o          (rec_data),
    .start_o             (start),
    .run_o               (run),
    .job_o               (job),
    .halt_o              (halt),
    .clear_o             (clear),
    .job_done_i          (job_done),
    .rd_error_i          (rd_error),
    .wr_error_i          (wr_error),
    .rd_idle_i           (rd_idle),
    .wr_idle_i           (wr_idle)
  );

  // ---------------------------------------------------------------- loaders
  logic a_release, b_release, c_release;

  mxe_load_bias #(
    .ROWS      (ROWS),
    .NUM_PE    (NUM_PE),
    .ACC_TILES (ACC_TILES),
    .LEN_W     (LenW),
    .TAG_W     (TagW)
  ) u_load_bias (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .clear_i     (clear),
    .start_i     (start),
    .job_i       (job),
    .req_valid_o (req_valid[1]),
    .req_ready_i (req_ready[1]),
    .req_addr_o  (req_addr[64*1 +: 64]),
    .req_bytes_o (req_bytes[LenW*1 +: LenW]),
    .req_tag_o   (req_tag[TagW*1 +: TagW]),
    .release_i   (c_release)
  );

  mxe_load #(
    .OPERAND_A   (1'b0),
    .ROWS        (ROWS),
    .NUM_PE      (NUM_PE),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (ChunkWords),
    .SLAB_WORDS  (SlabWords),
    .LEN_W       (LenW),
    .TAG_W       (TagW)
  ) u_load_b (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .start_i        (start),
    .job_i          (job),
    .req_valid_o    (req_valid[2]),
    .req_ready_i    (req_ready[2]),
    .req_addr_o     (req_addr[64*2 +: 64]),
    .req_bytes_o    (req_bytes[LenW*2 +: LenW]),
    .req_tag_o      (req_tag[TagW*2 +: TagW]),
    .release_i      (b_release)
  );

  mxe_load #(
    .OPERAND_A   (1'b1),
    .ROWS        (ROWS),
    .NUM_PE      (NUM_PE),
    .ACC_TILES   (ACC_TILES),
    .CHUNK_WORDS (ChunkWords),
    .SLAB_WORDS  (SlabWords),
    .LEN_W       (LenW),
    .TAG_W       (TagW)
  ) u_load_a (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .start_i        (start),
    .job_i          (job),
    .req_valid_o    (req_valid[3]),
    .req_ready_i    (req_ready[3]),
    .req_addr_o     (req_addr[64*3 +: 64]),
    .req_bytes_o    (req_bytes[LenW*3 +: LenW]),
    .req_tag_o      (req_tag[TagW*3 +: TagW]),
    .release_i      (a_release)
  );

  // ---------------------------------------------------------------- read port and unpacker
  logic                       fetch_ready;
  logic [$clog2(MEM_W/8)-1:0] fetch_offset;
  logic [LenW-1:0]            fetch_bytes;
  logic [TagW-1:0]            fetch_tag;
  logic                       rd_beat;
  assign rd_beat  = m_rvalid_i & m_rready_o;
  assign rd_error = rd_beat & m_rresp_i[1];

  mxe_rd_port #(
    .MEM_W     (MEM_W),
    .MAX_BURST (MAX_BURST),
    .LEN_W     (LenW),
    .TAG_W     (TagW)
  ) u_rd_port (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .halt_i         (halt),
    .clear_i        (clear),
    .req_valid_i    (req_valid),
    .req_ready_o    (req_ready),
    .req_addr_i     (req_addr),
    .req_bytes_i    (req_bytes),
    .req_tag_i      (req_tag),
    .m_arvalid_o    (m_arvalid_o),
    .m_arready_i    (m_arready_i),
    .m_araddr_o     (m_araddr_o),
    .m_arlen_o      (m_arlen_o),
    .beat_i         (rd_beat),
    .beat_last_i    (m_rlast_i),
    .fetch_ready_i  (fetch_ready),
    .fetch_offset_o (fetch_offset),
    .fetch_bytes_o  (fetch_bytes),
    .fetch_tag_o    (fetch_tag),
    .idle_o         (rd_idle)
  );
  assign m_arid_o     = mxe_pkg::AxiId;
  assign m_arsize_o   = 3'($clog2(MEM_W / 8));
  assign m_arburst_o  = 2'b01;
  assign m_arlock_o   = 1'b0;
  assign m_arcache_o  = mxe_pkg::AxiCache;
  assign m_arprot_o   = mxe_pkg::AxiProt;
  assign m_arqos_o    = 4'd0;
  assign m_arregion_o = 4'd0;
  `MXE_REQUIRE(top_rid_is_ours, !m_rvalid_i || (m_rid_i == m_arid_o))

  mxe_unpack #(
    .MEM_W (MEM_W),
    .LEN_W (LenW),
    .TAG_W (TagW),
    .IDX_W (IdxW)
  ) u_unpack (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .drop_i         (halt),
    .a_word_bytes_i (job.a.word_bytes),
    .b_word_bytes_i (job.b.word_bytes),
    .fetch_ready_o  (fetch_ready),
    .fetch_offset_i (fetch_offset),
    .fetch_bytes_i  (fetch_bytes),
    .fetch_tag_i    (fetch_tag),
    .m_rvalid_i     (m_rvalid_i),
    .m_rready_o     (m_rready_o),
    .m_rdata_i      (m_rdata_i),
    .word_valid_o   (word_valid),
    .word_tag_o     (word_tag),
    .word_index_o   (word_index),
    .word_data_o    (word_data),
    .word_last_o    (word_last)
  );

  // ---------------------------------------------------------------- operand and bias buffers
  logic [1:0]                 a_full, b_full, c_full;
  logic                       a_re, a_bank, b_re, b_bank, c_re, c_bank_q;
  logic [RowAw-1:0]           a_row, c_row;
  logic [ChunkAw-1:0]         a_word;
  logic [PeAw-1:0]            b_line;
  logic [SlabAw-1:0]          b_word;
  logic [mxe_pkg::WORD_W-1:0] a_data, b_data;
  logic [15:0]                a_scale, b_scale;
  logic [NUM_PE*32-1:0]       c_data;

  mxe_opbuf #(.LINES(ROWS), .WORDS(ChunkWords)) u_abuf (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .fmt_i          (job.a.fmt),
    .dual_i         (job.dual),
    .elem_valid_i   (kind_ae),
    .scale_valid_i  (kind_as),
    .bank_i         (tag.bank),
    .line_i         (tag_index),
    .index_i        (word_index[ChunkAw-1:0]),
    .data_i         (word_data),
    .last_i         (tag.last & word_last),
    .re_i           (a_re),
    .rbank_i        (a_bank),
    .rline_i        (a_row),
    .rword_i        (a_word),
    .rword_o        (a_data),
    .rscale_o       (a_scale),
    .release_i      (a_release),
    .release_bank_i (a_bank),
    .full_o         (a_full)
  );

  mxe_opbuf #(.LINES(NUM_PE), .WORDS(SlabWords)) u_bbuf (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .clear_i        (clear),
    .fmt_i          (job.b.fmt),
    .dual_i         (job.dual),
    .elem_valid_i   (kind_be),
    .scale_valid_i  (kind_bs),
    .bank_i         (tag.bank),
    .line_i         (tag_index[PeAw-1:0]),
    .index_i        (word_index[SlabAw-1:0]),
    .data_i         (word_data),
    .last_i         (tag.last & word_last),
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
    .bf16_i    (job.c.bf16),
    .valid_i   (kind_bias),
    .bank_i    (tag.bank),
    .row_i     (tag_index),
    .index_i   (word_index[SegAw-1:0]),
    .data_i    (word_data),
    .last_i    (tag.last & word_last),
    .re_i      (c_re),
    .rbank_i   (c_bank_q),
    .rrow_i    (job.c.one_row ? '0 : c_row),
    .rdata_o   (c_data),
    .release_i (c_release),
    .full_o    (c_full)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) c_bank_q <= 1'b0;
    else if (clear) c_bank_q <= 1'b0;
    else if (c_release) c_bank_q <= ~c_bank_q;
  end

  // ---------------------------------------------------------------- feeder and sequencer
  logic [NUM_PE-1:0]                  load;
  logic [LANES*mxe_pkg::DEC_W-1:0]    b_dec;
  logic [mxe_pkg::FLAG_W-1:0]         b_flags;
  logic [15:0]                        b_scale_fed;
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
    .SLAB_WORDS  (SlabWords)
  ) u_feed (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .clear_i       (clear),
    .start_i       (start),
    .job_i         (job),
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
    .run_i           (run),
    .bias_en_i       (job.c.en),
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

  // ---------------------------------------------------------------- array
  logic                 res_valid, res_bank, res_last, array_empty;
  logic [RowAw-1:0]     res_row;
  logic [NUM_PE*32-1:0] res_even, res_odd;

  mxe_array #(
    .NUM_PE    (NUM_PE),
    .ROWS      (ROWS),
    .ACC_TILES (ACC_TILES),
    .TREE_W    (TREE_W),
    .FP4_DUAL  (FP4_DUAL)
  ) u_array (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (clear),
    .job_i        (job),
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
    .bias_done_o  (c_release),
    .bias_i       (c_data),
    .res_valid_o  (res_valid),
    .res_bank_o   (res_bank),
    .res_row_o    (res_row),
    .res_last_o   (res_last),
    .res_even_o   (res_even),
    .res_odd_o    (res_odd),
    .empty_o      (array_empty)
  );

  // ---------------------------------------------------------------- drain and write port
  logic                            drain_req, drain_half, wr_req_ready, drain_data, wr_data_ready;
  logic [63:0]                     drain_addr;
  logic [LenW-1:0]                 drain_bytes;
  logic [SegW-1:0]                 drain_word;
  logic [$clog2(LanesOut+1)-1:0]   nan_count, over_count;
  logic                            drain_done;

  mxe_drain #(
    .NUM_PE    (NUM_PE),
    .ROWS      (ROWS),
    .ACC_TILES (ACC_TILES),
    .FP4_DUAL  (FP4_DUAL),
    .LANES_OUT (LanesOut),
    .LEN_W     (LenW)
  ) u_drain (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .clear_i      (clear),
    .halt_i       (halt),
    .start_i      (start),
    .job_i        (job),
    .res_valid_i  (res_valid),
    .res_bank_i   (res_bank),
    .res_row_i    (res_row),
    .res_last_i   (res_last),
    .res_even_i   (res_even),
    .res_odd_i    (res_odd),
    .release_o    (drain_release),
    .req_valid_o  (drain_req),
    .req_ready_i  (wr_req_ready & ~rec_valid),
    .req_addr_o   (drain_addr),
    .req_bytes_o  (drain_bytes),
    .req_half_o   (drain_half),
    .data_valid_o (drain_data),
    .data_ready_i (wr_data_ready & ~rec_data_valid),
    .data_o       (drain_word),
    .nan_count_o  (nan_count),
    .over_count_o (over_count),
    .done_o       (drain_done)
  );

  // The completion record goes out when no row is left, so the two never compete.
  assign rec_ready      = wr_req_ready;
  assign rec_data_ready = wr_data_ready;
  assign wr_error       = m_bvalid_i & m_bready_o & m_bresp_i[1];

  mxe_wr_port #(
    .MEM_W     (MEM_W),
    .MAX_BURST (MAX_BURST),
    .SEG_W     (SegW),
    .LEN_W     (LenW),
    .HALF_ROWS (NUM_PE > LanesOut)
  ) u_wr_port (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .req_valid_i  (rec_valid | drain_req),
    .req_ready_o  (wr_req_ready),
    .req_addr_i   (rec_valid ? rec_addr : drain_addr),
    .req_bytes_i  (rec_valid ? rec_bytes : drain_bytes),
    .req_half_i   (drain_half & ~rec_valid),
    .data_valid_i (rec_data_valid | drain_data),
    .data_ready_o (wr_data_ready),
    .data_i       (rec_data_valid ? rec_data : drain_word),
    .m_awvalid_o  (m_awvalid_o),
    .m_awready_i  (m_awready_i),
    .m_awaddr_o   (m_awaddr_o),
    .m_awlen_o    (m_awlen_o),
    .m_wvalid_o   (m_wvalid_o),
    .m_wready_i   (m_wready_i),
    .m_wdata_o    (m_wdata_o),
    .m_wstrb_o    (m_wstrb_o),
    .m_wlast_o    (m_wlast_o),
    .m_bvalid_i   (m_bvalid_i),
    .m_bready_o   (m_bready_o),
    .idle_o       (wr_idle)
  );
  assign m_awid_o     = mxe_pkg::AxiId;
  assign m_awsize_o   = 3'($clog2(MEM_W / 8));
  assign m_awburst_o  = 2'b01;
  assign m_awlock_o   = 1'b0;
  assign m_awcache_o  = mxe_pkg::AxiCache;
  assign m_awprot_o   = mxe_pkg::AxiProt;
  assign m_awqos_o    = 4'd0;
  assign m_awregion_o = 4'd0;
  `MXE_REQUIRE(top_bid_is_ours, !m_bvalid_i || (m_bid_i == m_awid_o))

  // Nothing is left to load when all has been used.
  assign job_done = feed_done & array_empty & drain_done & wr_idle;

  // ---------------------------------------------------------------- counters
  // As wide as the widest: bytes of a beat, two blocks of every column.
  localparam int unsigned BytesW = $clog2(MEM_W / 8 + 1);
  localparam int unsigned AmountW = (BytesW > ColsW + 1) ? BytesW : (ColsW + 1);
  logic [ColsW-1:0] pass_cols_q;
  logic             odd_present;
  always_ff @(posedge clk_i) if (pass_start) pass_cols_q <= pass_cols;
  assign odd_present = (count > 7'(LANES));

  logic [ColsW-1:0] cols_now;
  assign cols_now = pass_start ? pass_cols : pass_cols_q;

  logic [BytesW-1:0] strobes;
  always_comb begin
    strobes = '0;
    for (int i = 0; i < MEM_W / 8; i++) strobes = strobes + BytesW'(m_wstrb_o[i]);
  end

  // What a clock adds to each counter, and those to which it may add more than one.
  logic [mxe_reg_pkg::COUNTERS*AmountW-1:0]   amounts;
  localparam logic [mxe_reg_pkg::COUNTERS-1:0] Sums =
      (1 << mxe_reg_pkg::COUNTER_BYTES_READ) | (1 << mxe_reg_pkg::COUNTER_BYTES_WRITTEN) |
      (1 << mxe_reg_pkg::COUNTER_BLOCKS) | (1 << mxe_reg_pkg::COUNTER_NAN_RESULTS) |
      (1 << mxe_reg_pkg::COUNTER_SATURATIONS);
  always_comb begin
    amounts = '0;
    amounts[AmountW*mxe_reg_pkg::COUNTER_MAC_ACTIVE]    = row_valid;
    amounts[AmountW*mxe_reg_pkg::COUNTER_STALL_A]       = stall_a;
    amounts[AmountW*mxe_reg_pkg::COUNTER_STALL_B]       = stall_b;
    amounts[AmountW*mxe_reg_pkg::COUNTER_STALL_C]       = stall_c;
    amounts[AmountW*mxe_reg_pkg::COUNTER_STALL_DRAIN]   = stall_drain;
    amounts[AmountW*mxe_reg_pkg::COUNTER_STALL_LATENCY] = stall_latency;
    amounts[AmountW*mxe_reg_pkg::COUNTER_DUAL_CYCLES]   = row_valid & job.dual;
    if (rd_beat)
      amounts[AmountW*mxe_reg_pkg::COUNTER_BYTES_READ +: AmountW] = AmountW'(MEM_W / 8);
    if (m_wvalid_o & m_wready_i)
      amounts[AmountW*mxe_reg_pkg::COUNTER_BYTES_WRITTEN +: AmountW] = AmountW'(strobes);
    if (row_valid)
      amounts[AmountW*mxe_reg_pkg::COUNTER_BLOCKS +: AmountW] =
          odd_present ? AmountW'({cols_now, 1'b0}) : AmountW'(cols_now);
    amounts[AmountW*mxe_reg_pkg::COUNTER_NAN_RESULTS +: AmountW] = AmountW'(nan_count);
    amounts[AmountW*mxe_reg_pkg::COUNTER_SATURATIONS +: AmountW] = AmountW'(over_count);
  end

  mxe_counters #(.AMOUNT_W(AmountW), .SUMS(Sums)) u_counters (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .enable_i   (enable),
    .clear_i    (counter_clear),
    .snapshot_i (counter_snapshot),
    .amounts_i  (amounts),
    .snapshot_o (counts)
  );

  `MXE_ASSERT(done_means_all_loaded, !(run && job_done) || ((req_valid == '0) && rd_idle))

`ifndef SYNTHESIS
  // ---------------------------------------------------------------- between the blocks
  // How long what is fetched and written can be, which decides what the ports have to count.
  localparam int unsigned DescB = mxe_reg_pkg::DESC_W / 8;
  `MXE_ASSERT(top_desc_bytes, !req_valid[0] || (req_bytes[LenW-1:0] == LenW'(DescB)))
  `MXE_ASSERT(top_bias_bytes, !req_valid[1] || (32'(req_bytes[LenW*1 +: LenW]) <= 4 * NUM_PE))
  mxe_pkg::tag_t f_b_tag, f_a_tag;
  assign f_b_tag = req_tag[TagW*2 +: mxe_pkg::TAG_T_W];
  assign f_a_tag = req_tag[TagW*3 +: mxe_pkg::TAG_T_W];
  `MXE_ASSERT(top_b_bytes, !req_valid[2] || (32'(req_bytes[LenW*2 +: LenW]) <=
              ((f_b_tag.kind == mxe_pkg::TagBScale)
               ? 2 * SlabWords : 32 * SlabWords)))
  `MXE_ASSERT(top_a_bytes, !req_valid[3] || (32'(req_bytes[LenW*3 +: LenW]) <=
              ((f_a_tag.kind == mxe_pkg::TagAScale)
               ? 2 * ChunkWords : 32 * ChunkWords)))
  logic          f_fetch_used;
  mxe_pkg::tag_t f_fetch_tag;
  logic [31:0]   f_most;
  assign f_fetch_used = rd_beat & ~halt;
  assign f_fetch_tag  = fetch_tag[mxe_pkg::TAG_T_W-1:0];
  always_comb begin
    case (f_fetch_tag.kind)
      mxe_pkg::TagDesc:   f_most = 32'(DescB);
      mxe_pkg::TagBias:   f_most = 32'(4 * NUM_PE);
      mxe_pkg::TagBElem:  f_most = 32'(32 * SlabWords);
      mxe_pkg::TagBScale: f_most = 32'(2 * SlabWords);
      mxe_pkg::TagAElem:  f_most = 32'(32 * ChunkWords);
      mxe_pkg::TagAScale: f_most = 32'(2 * ChunkWords);
      default:            f_most = 32'd0;
    endcase
  end
  `MXE_ASSERT(top_fetch_bytes, !f_fetch_used || (32'(fetch_bytes) <= f_most))
  logic [31:0] f_words;
  always_comb begin
    case (tag.kind)
      mxe_pkg::TagDesc:   f_words = 32'(DescB / 32);
      mxe_pkg::TagBias:   f_words = 32'((4 * NUM_PE + 31) / 32);
      mxe_pkg::TagBElem:  f_words = 32'(SlabWords);
      mxe_pkg::TagBScale: f_words = 32'((2 * SlabWords + 7) / 8);
      mxe_pkg::TagAElem:  f_words = 32'(ChunkWords);
      mxe_pkg::TagAScale: f_words = 32'((2 * ChunkWords + 7) / 8);
      default:            f_words = 32'd0;
    endcase
  end
  `MXE_ASSERT(top_words, !word_valid || (32'(word_index) < f_words))
  // Rows of C or D of one tile, a row of one MX block, or a record.
  `MXE_ASSERT(top_row_bytes, !drain_req || (32'(drain_bytes) <=
              ((4 * NUM_PE > 32) ? 4 * NUM_PE : 32)))
  `MXE_ASSERT(top_half_row_bytes, !(drain_req && drain_half) || (32'(drain_bytes) <= 2 * NUM_PE))
  `MXE_ASSERT(top_record_bytes, !rec_valid || (rec_bytes == LenW'(16)))
  // Passes are of the array's size.
  `MXE_ASSERT(top_pass_size, !pass_valid || ((pass_rows != '0) && (32'(pass_rows) <= ROWS) &&
              (pass_cols != '0) && (32'(pass_cols) <= NUM_PE)))
  `MXE_ASSERT(top_tail, !run || (job.tail_count != '0))
`endif
endmodule
`default_nettype wire
