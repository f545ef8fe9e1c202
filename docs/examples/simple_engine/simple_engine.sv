// SPDX-License-Identifier: Apache-2.0
// The simplest engine with the interface of MXE (docs/bring-your-own-rtl.md). The pins
// are those of mxe_top and the register file is MXE's. All other logic is independent.
`default_nettype none
module simple_engine #(
  parameter int unsigned QUEUE_DEPTH = 16,  // maximum entries of the ring
  parameter int unsigned MAX_BURST   = 4    // maximum beats of an AXI burst
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // registers
  input  logic        s_awvalid_i,
  output logic        s_awready_o,
  input  logic [11:0] s_awaddr_i,
  input  logic [2:0]  s_awprot_i,
  input  logic        s_wvalid_i,
  output logic        s_wready_o,
  input  logic [31:0] s_wdata_i,
  input  logic [3:0]  s_wstrb_i,
  output logic        s_bvalid_o,
  input  logic        s_bready_i,
  output logic [1:0]  s_bresp_o,
  input  logic        s_arvalid_i,
  output logic        s_arready_o,
  input  logic [11:0] s_araddr_i,
  input  logic [2:0]  s_arprot_i,
  output logic        s_rvalid_o,
  input  logic        s_rready_i,
  output logic [31:0] s_rdata_o,
  output logic [1:0]  s_rresp_o,
  // memory
  output logic        m_arvalid_o,
  input  logic        m_arready_i,
  output logic [3:0]  m_arid_o,
  output logic [63:0] m_araddr_o,
  output logic [7:0]  m_arlen_o,
  output logic [2:0]  m_arsize_o,
  output logic [1:0]  m_arburst_o,
  output logic        m_arlock_o,
  output logic [3:0]  m_arcache_o,
  output logic [2:0]  m_arprot_o,
  output logic [3:0]  m_arqos_o,
  output logic [3:0]  m_arregion_o,
  input  logic        m_rvalid_i,
  output logic        m_rready_o,
  input  logic [3:0]  m_rid_i,
  input  logic [63:0] m_rdata_i,
  input  logic [1:0]  m_rresp_i,
  input  logic        m_rlast_i,
  output logic        m_awvalid_o,
  input  logic        m_awready_i,
  output logic [3:0]  m_awid_o,
  output logic [63:0] m_awaddr_o,
  output logic [7:0]  m_awlen_o,
  output logic [2:0]  m_awsize_o,
  output logic [1:0]  m_awburst_o,
  output logic        m_awlock_o,
  output logic [3:0]  m_awcache_o,
  output logic [2:0]  m_awprot_o,
  output logic [3:0]  m_awqos_o,
  output logic [3:0]  m_awregion_o,
  output logic        m_wvalid_o,
  input  logic        m_wready_i,
  output logic [63:0] m_wdata_o,
  output logic [7:0]  m_wstrb_o,
  output logic        m_wlast_o,
  input  logic        m_bvalid_i,
  output logic        m_bready_o,
  input  logic [3:0]  m_bid_i,
  input  logic [1:0]  m_bresp_i,
  output logic        irq_o
);
  // ---------------------------------------------------------------- registers
  logic        enable, soft_reset, counter_clear, counter_snapshot;
  logic        busy, empty, resetting;
  logic        irq_done_set, irq_error_set, irq_queue_empty_set, irq_ring_overflow_set;
  logic        irq_done, irq_error, irq_queue_empty, irq_ring_overflow;
  logic        mask_done, mask_error, mask_queue_empty, mask_ring_overflow;
  logic [31:0] ring_base_lo, ring_base_hi, last_job, last_status;
  logic [4:0]  ring_size_log2;
  logic [15:0] ring_tail, ring_tail_used, ring_head;
  logic        doorbell;
  logic [64*mxe_reg_pkg::COUNTERS-1:0] counts;  // values for software

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
    .num_pe_value_i                 (32'd1),
    .rows_value_i                   (32'd8),
    .acc_tiles_value_i              (32'd1),
    .tree_w_value_i                 (32'd70),
    .a_slab_k_value_i               (32'd32),
    .b_buf_k_value_i                (32'd32),
    .b_banks_value_i                (32'd2),
    .mem_w_value_i                  (32'd64),
    .queue_depth_value_i            (32'(QUEUE_DEPTH)),
    .max_burst_value_i              (32'(MAX_BURST)),
    .features_fp4_dual_i            (1'b0),
    .features_nvfp4_i               (1'b0),
    .features_bf16_i                (1'b1),
    .features_mx_out_i              (1'b0),
    .features_long_blocks_i         (1'b0),
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
    .fault_addr_lo_value_i          ('0),
    .fault_addr_hi_value_i          ('0),
    .fault_info_operand_i           ('0),
    .fault_info_write_i             ('0),
    .fault_info_index_i             ('0),
    .counters_i                     (counts)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) irq_o <= 1'b0;
    else irq_o <= (irq_done & mask_done) | (irq_error & mask_error) |
                  (irq_queue_empty & mask_queue_empty) | (irq_ring_overflow & mask_ring_overflow);
  end

  // ---------------------------------------------------------------- the engine
  logic mac_active, stall_a, stall_b, stall_c, stall_drain, stall_latency, block, nan_result;

  simple_control #(.QUEUE_DEPTH(QUEUE_DEPTH), .MAX_BURST(MAX_BURST)) u_control (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .enable_i            (enable),
    .soft_reset_i        (soft_reset),
    .ring_base_i         ({ring_base_hi, ring_base_lo}),
    .ring_size_log2_i    (ring_size_log2),
    .doorbell_i          (doorbell),
    .ring_tail_i         (ring_tail),
    .ring_head_o         (ring_head),
    .ring_tail_o         (ring_tail_used),
    .busy_o              (busy),
    .empty_o             (empty),
    .resetting_o         (resetting),
    .irq_done_o          (irq_done_set),
    .irq_error_o         (irq_error_set),
    .irq_queue_empty_o   (irq_queue_empty_set),
    .irq_ring_overflow_o (irq_ring_overflow_set),
    .last_job_o          (last_job),
    .last_status_o       (last_status),
    .mac_active_o        (mac_active),
    .stall_a_o           (stall_a),
    .stall_b_o           (stall_b),
    .stall_c_o           (stall_c),
    .stall_drain_o       (stall_drain),
    .stall_latency_o     (stall_latency),
    .block_o             (block),
    .nan_result_o        (nan_result),
    .m_arvalid_o         (m_arvalid_o),
    .m_arready_i         (m_arready_i),
    .m_araddr_o          (m_araddr_o),
    .m_arlen_o           (m_arlen_o),
    .m_rvalid_i          (m_rvalid_i),
    .m_rready_o          (m_rready_o),
    .m_rdata_i           (m_rdata_i),
    .m_rerror_i          (m_rresp_i[1]),
    .m_rlast_i           (m_rlast_i),
    .m_awvalid_o         (m_awvalid_o),
    .m_awready_i         (m_awready_i),
    .m_awaddr_o          (m_awaddr_o),
    .m_wvalid_o          (m_wvalid_o),
    .m_wready_i          (m_wready_i),
    .m_wdata_o           (m_wdata_o),
    .m_wstrb_o           (m_wstrb_o),
    .m_bvalid_i          (m_bvalid_i),
    .m_bready_o          (m_bready_o),
    .m_berror_i          (m_bresp_i[1])
  );
  // Beats of 8 bytes; a write has one.
  assign m_arsize_o  = 3'd3;
  assign m_arburst_o = 2'd1;
  assign m_awlen_o   = 8'd0;
  assign m_awsize_o  = 3'd3;
  assign m_awburst_o = 2'd1;
  assign m_wlast_o   = 1'b1;
  // One id; non-cacheable, non-bufferable memory; unprivileged, non-secure data; no quality of
  // service, no regions, no exclusive access.
  assign {m_arid_o, m_arlock_o, m_arcache_o, m_arprot_o, m_arqos_o, m_arregion_o} =
      {4'd0, 1'b0, 4'b0010, 3'b010, 4'd0, 4'd0};
  assign {m_awid_o, m_awlock_o, m_awcache_o, m_awprot_o, m_awqos_o, m_awregion_o} =
      {4'd0, 1'b0, 4'b0010, 3'b010, 4'd0, 4'd0};

  // ---------------------------------------------------------------- counters
  localparam int unsigned Counters = mxe_reg_pkg::COUNTERS;
  logic [Counters-1:0][7:0] amount;
  logic                     idle;
  assign idle = ~(mac_active | stall_a | stall_b | stall_c | stall_drain | stall_latency);
  always_comb begin
    amount = '0;
    amount[mxe_reg_pkg::COUNTER_TOTAL]         = 8'd1;
    amount[mxe_reg_pkg::COUNTER_MAC_ACTIVE]    = 8'(mac_active);
    amount[mxe_reg_pkg::COUNTER_STALL_A]       = 8'(stall_a);
    amount[mxe_reg_pkg::COUNTER_STALL_B]       = 8'(stall_b);
    amount[mxe_reg_pkg::COUNTER_STALL_C]       = 8'(stall_c);
    amount[mxe_reg_pkg::COUNTER_STALL_DRAIN]   = 8'(stall_drain);
    amount[mxe_reg_pkg::COUNTER_STALL_LATENCY] = 8'(stall_latency);
    amount[mxe_reg_pkg::COUNTER_IDLE]          = 8'(idle);
    amount[mxe_reg_pkg::COUNTER_BLOCKS]        = 8'(block);
    amount[mxe_reg_pkg::COUNTER_NAN_RESULTS]   = 8'(nan_result);
    if (m_rvalid_i & m_rready_o) amount[mxe_reg_pkg::COUNTER_BYTES_READ] = 8'd8;
    if (m_wvalid_o & m_wready_i)
      amount[mxe_reg_pkg::COUNTER_BYTES_WRITTEN] = 8'($countones(m_wstrb_o));
  end

  logic [64*Counters-1:0] live_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      live_q <= '0;
      counts <= '0;
    end else begin
      for (int i = 0; i < Counters; i++) begin
        if (counter_clear) live_q[64*i +: 64] <= '0;
        else if (enable) live_q[64*i +: 64] <= live_q[64*i +: 64] + 64'(amount[i]);
      end
      if (counter_snapshot) counts <= live_q;
    end
  end
endmodule
`default_nettype wire
