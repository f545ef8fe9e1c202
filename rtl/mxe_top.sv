// SPDX-License-Identifier: Apache-2.0
// MXE, the matrix engine: registers (AXI4-Lite), data (one AXI4 master), level interrupt. Contains
// the registers, the counters and the command processor; the rest is in mxe_datapath. Block
// diagram: docs/architecture.md.
`include "mxe_assert.svh"
`default_nettype none
module mxe_top #(
`include "mxe_parameters.svh"
) (
  input  logic               clk_i,
  input  logic               rst_ni,
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
`include "mxe_parameter_checks.svh"
  if (mxe_pkg::LANES != 32) begin : gen_bad_lanes
    $error("LANES must be 32, the size of an MX block");
    mxe_error_LANES_must_be_32_the_size_of_an_MX_block u_stop ();
  end

  localparam int unsigned LenW = mxe_pkg::len_w(A_SLAB_K / mxe_pkg::LANES, NUM_PE, MEM_W);
  localparam int unsigned TagW = mxe_pkg::tag_w(ROWS);
  localparam int unsigned SegW = (32 * NUM_PE < MEM_W) ? 32 * NUM_PE : MEM_W;
  // Hand-overs between the blocks have the same widths in all engines.
  if ((NUM_PE >= (1 << (mxe_pkg::COLS_W - 1))) || (ROWS > (1 << mxe_pkg::ROW_W)) ||
      (ACC_TILES > (1 << mxe_pkg::TILE_W)) || (MEM_W > mxe_pkg::AXI_W) || (LenW > mxe_pkg::BYTES_W) ||
      (((A_SLAB_K / mxe_pkg::LANES) << mxe_pkg::CHUNK_SHIFT_MAX) > (1 << mxe_pkg::WORD_AW)))
  begin : gen_bad_widths
    $error("a parameter does not fit into the widths of mxe_pkg");
    mxe_error_a_parameter_does_not_fit_into_the_widths_of_mxe_pkg u_stop ();
  end

  // The sum of a step of NVFP4 needs a wider tree than the narrowest.
  localparam bit Nvfp4 = (NVFP4 != 0) && (TREE_W >= mxe_pkg::SCALED_SUM_W);

  // Largest counter increment: bytes of a beat, or two blocks of every column.
  localparam int unsigned BytesW = $clog2(MEM_W / 8 + 1);
  localparam int unsigned BlocksW = $clog2(NUM_PE + 1) + 1;
  localparam int unsigned AmountW = (BytesW > BlocksW) ? BytesW : BlocksW;

  logic        enable, soft_reset, counter_clear, counter_snapshot;
  logic        busy, empty, resetting;
  logic        irq_done_set, irq_error_set, irq_queue_empty_set, irq_ring_overflow_set;
  logic        irq_done, irq_error, irq_queue_empty, irq_ring_overflow;
  logic        mask_done, mask_error, mask_queue_empty, mask_ring_overflow;
  logic [31:0] ring_base_lo, ring_base_hi, last_job, last_status;
  logic [4:0]  ring_size_log2;
  logic [15:0] ring_tail, ring_tail_used, ring_head;
  logic        doorbell;
  logic [3:0]  fault_operand;
  logic [15:0] fault_index;
  logic [63:0] fault_addr_shown;
  mxe_pkg::watch_t watch;
  mxe_pkg::fault_t fault;
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
`include "mxe_parameter_ports.svh"
    .features_bf16_i                (1'b1),
    .features_mx_out_i              (1'b1),
    .features_long_blocks_i         (1'b1),
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
    .ring_tail_tail_i               (ring_tail_used),
    .ring_tail_tail_o               (ring_tail),
    .ring_tail_tail_swmod_o         (doorbell),
    .ring_head_head_i               (ring_head),
    .last_job_value_i               (last_job),
    .last_status_value_i            (last_status),
    .fault_addr_lo_value_i          (fault_addr_shown[31:0]),
    .fault_addr_hi_value_i          (fault_addr_shown[63:32]),
    .fault_info_operand_i           (fault_operand),
    .fault_info_write_i             (watch.write),
    .fault_info_index_i             (fault_index),
    .counters_i                     (counts)
  );

  logic irq_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) irq_q <= 1'b0;
    else irq_q <= (irq_done & mask_done) | (irq_error & mask_error) |
                  (irq_queue_empty & mask_queue_empty) | (irq_ring_overflow & mask_ring_overflow);
  end
  assign irq_o = irq_q;

  mxe_pkg::job_t     job, ahead;
  mxe_pkg::control_t control;
  mxe_pkg::load_t    load;
  mxe_pkg::status_t  status;
  mxe_pkg::fetch_t   desc_req;
  mxe_pkg::word_t    word;
  mxe_pkg::write_t   record;
  logic              desc_ready, row_ready, data_ready;
  assign fault_addr_shown = (fault_operand == mxe_reg_pkg::FAULT_NONE) ? 64'd0 : fault.addr;

  mxe_cmd #(
    .TREE_W      (TREE_W),
    .FP4_DUAL    (1'(FP4_DUAL)),
    .NVFP4       (Nvfp4),
    .QUEUE_DEPTH (QUEUE_DEPTH),
    .SEG_W       (SegW)
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
    .ring_tail_o         (ring_tail_used),
    .last_job_o          (last_job),
    .last_status_o       (last_status),
    .busy_o              (busy),
    .empty_o             (empty),
    .resetting_o         (resetting),
    .irq_done_o          (irq_done_set),
    .irq_error_o         (irq_error_set),
    .irq_queue_empty_o   (irq_queue_empty_set),
    .irq_ring_overflow_o (irq_ring_overflow_set),
    .req_o               (desc_req),
    .req_ready_i         (desc_ready),
    .word_i              (word),
    .record_o            (record),
    .row_ready_i         (row_ready),
    .data_ready_i        (data_ready),
    .control_o           (control),
    .load_o              (load),
    .job_o               (job),
    .ahead_o             (ahead),
    .status_i            (status),
    .watch_o             (watch),
    .fault_i             (fault),
    .fault_operand_o     (fault_operand),
    .fault_index_o       (fault_index)
  );

  logic [mxe_reg_pkg::COUNTERS*AmountW-1:0] amounts;
  mxe_pkg::axi_in_t  axi_in;
  mxe_pkg::axi_out_t axi_out;
  mxe_datapath #(
    .NUM_PE    (NUM_PE),
    .ROWS      (ROWS),
    .ACC_TILES (ACC_TILES),
    .TREE_W    (TREE_W),
    .FP4_DUAL  (1'(FP4_DUAL)),
    .NVFP4     (Nvfp4),
    .A_SLAB_K  (A_SLAB_K),
    .B_BUF_K   (B_BUF_K),
    .B_BANKS   (B_BANKS),
    .MEM_W     (MEM_W),
    .MAX_BURST (MAX_BURST),
    .LEN_W     (LenW),
    .TAG_W     (TagW),
    .SEG_W     (SegW),
    .AMOUNT_W  (AmountW)
  ) u_datapath (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .control_i    (control),
    .load_i       (load),
    .job_i        (job),
    .ahead_i      (ahead),
    .status_o     (status),
    .desc_req_i   (desc_req),
    .desc_ready_o (desc_ready),
    .word_o       (word),
    .record_i     (record),
    .row_ready_o  (row_ready),
    .data_ready_o (data_ready),
    .watch_i      (watch),
    .fault_o      (fault),
    .axi_i        (axi_in),
    .axi_o        (axi_out),
    .amounts_o    (amounts)
  );

  assign axi_in.ar_ready = m_arready_i;
  assign axi_in.r_valid  = m_rvalid_i;
  assign axi_in.r_data   = mxe_pkg::AXI_W'(m_rdata_i);
  assign axi_in.r_error  = m_rresp_i[1];
  assign axi_in.r_last   = m_rlast_i;
  assign axi_in.aw_ready = m_awready_i;
  assign axi_in.w_ready  = m_wready_i;
  assign axi_in.b_valid  = m_bvalid_i;
  assign axi_in.b_error  = m_bresp_i[1];
  assign m_arvalid_o     = axi_out.ar.valid;
  assign m_araddr_o      = axi_out.ar.addr;
  assign m_arlen_o       = axi_out.ar.len;
  assign m_rready_o      = axi_out.r_ready;
  assign m_awvalid_o     = axi_out.wr.aw.valid;
  assign m_awaddr_o      = axi_out.wr.aw.addr;
  assign m_awlen_o       = axi_out.wr.aw.len;
  assign m_wvalid_o      = axi_out.wr.w_valid;
  assign m_wdata_o       = axi_out.wr.w_data[MEM_W-1:0];
  assign m_wstrb_o       = axi_out.wr.w_strb[MEM_W/8-1:0];
  assign m_wlast_o       = axi_out.wr.w_last;
  assign m_bready_o      = axi_out.wr.b_ready;

  // Attributes of all bursts.
  assign m_arid_o     = mxe_pkg::AxiId;
  assign m_arsize_o   = 3'($clog2(MEM_W / 8));
  assign m_arburst_o  = 2'b01;
  assign m_arlock_o   = 1'b0;
  assign m_arcache_o  = mxe_pkg::AxiCache;
  assign m_arprot_o   = mxe_pkg::AxiProt;
  assign m_arqos_o    = 4'd0;
  assign m_arregion_o = 4'd0;
  `MXE_REQUIRE(top_rid_is_ours, !m_rvalid_i || (m_rid_i == m_arid_o))

  assign m_awid_o     = mxe_pkg::AxiId;
  assign m_awsize_o   = 3'($clog2(MEM_W / 8));
  assign m_awburst_o  = 2'b01;
  assign m_awlock_o   = 1'b0;
  assign m_awcache_o  = mxe_pkg::AxiCache;
  assign m_awprot_o   = mxe_pkg::AxiProt;
  assign m_awqos_o    = 4'd0;
  assign m_awregion_o = 4'd0;
  `MXE_REQUIRE(top_bid_is_ours, !m_bvalid_i || (m_bid_i == m_awid_o))

  // Counters that may grow by more than one per cycle.
  localparam logic [mxe_reg_pkg::COUNTERS-1:0] Sums =
      (1 << mxe_reg_pkg::COUNTER_BYTES_READ) | (1 << mxe_reg_pkg::COUNTER_BYTES_WRITTEN) |
      (1 << mxe_reg_pkg::COUNTER_BLOCKS) | (1 << mxe_reg_pkg::COUNTER_NAN_RESULTS) |
      (1 << mxe_reg_pkg::COUNTER_SATURATIONS);

  mxe_counters #(.AMOUNT_W(AmountW), .SUMS(Sums)) u_counters (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .enable_i   (enable),
    .clear_i    (counter_clear),
    .snapshot_i (counter_snapshot),
    .amounts_i  (amounts),
    .snapshot_o (counts)
  );
endmodule
`default_nettype wire
