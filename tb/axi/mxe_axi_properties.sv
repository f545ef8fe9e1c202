// SPDX-License-Identifier: Apache-2.0
// The rules of AXI4 and AXI4-Lite at the pins of mxe_top, as concurrent assertions for simulators and formal tools. It has
// no outputs; mxe_axi_bind.sv binds it to every mxe_top. m_* and s_* name the port, as in mxe_top.
//   engine_*       rules that the engine keeps
//   environment_*  rules that the interconnect, the memory and the processor keep; with MXE_AXI_ASSUME, which a formal
//                  tool defines, these are assumptions
// Some rules of the engine are stronger than AXI4: all bursts have id 0, length and size have limits, and no beat of write
// data is earlier than the address of its burst. docs/integration.md lists them.
`ifdef MXE_AXI_ASSUME
`define MXE_AXI_ENVIRONMENT(name, property_text) name : assume property (disable iff (!rst_ni) property_text);
`else
`define MXE_AXI_ENVIRONMENT(name, property_text) name : assert property (disable iff (!rst_ni) property_text);
`endif
`define MXE_AXI_ENGINE(name, property_text) name : assert property (disable iff (!rst_ni) property_text);
`default_nettype none
module mxe_axi_properties #(
  parameter int unsigned MEM_W        = 256,
  parameter int unsigned MAX_BURST    = 16,
  parameter int unsigned READ_BURSTS  = 4095,  // outstanding at most
  parameter int unsigned WRITE_BURSTS = 256
) (
  input logic               clk_i,
  input logic               rst_ni,
  input logic               s_awvalid_i,
  input logic               s_awready_o,
  input logic [11:0]        s_awaddr_i,
  input logic [2:0]         s_awprot_i,
  input logic               s_wvalid_i,
  input logic               s_wready_o,
  input logic [31:0]        s_wdata_i,
  input logic [3:0]         s_wstrb_i,
  input logic               s_bvalid_o,
  input logic               s_bready_i,
  input logic [1:0]         s_bresp_o,
  input logic               s_arvalid_i,
  input logic               s_arready_o,
  input logic [11:0]        s_araddr_i,
  input logic [2:0]         s_arprot_i,
  input logic               s_rvalid_o,
  input logic               s_rready_i,
  input logic [31:0]        s_rdata_o,
  input logic [1:0]         s_rresp_o,
  input logic               m_arvalid_o,
  input logic               m_arready_i,
  input logic [3:0]         m_arid_o,
  input logic [63:0]        m_araddr_o,
  input logic [7:0]         m_arlen_o,
  input logic [2:0]         m_arsize_o,
  input logic [1:0]         m_arburst_o,
  input logic               m_arlock_o,
  input logic [3:0]         m_arcache_o,
  input logic [2:0]         m_arprot_o,
  input logic [3:0]         m_arqos_o,
  input logic [3:0]         m_arregion_o,
  input logic               m_rvalid_i,
  input logic               m_rready_o,
  input logic [3:0]         m_rid_i,
  input logic [MEM_W-1:0]   m_rdata_i,
  input logic [1:0]         m_rresp_i,
  input logic               m_rlast_i,
  input logic               m_awvalid_o,
  input logic               m_awready_i,
  input logic [3:0]         m_awid_o,
  input logic [63:0]        m_awaddr_o,
  input logic [7:0]         m_awlen_o,
  input logic [2:0]         m_awsize_o,
  input logic [1:0]         m_awburst_o,
  input logic               m_awlock_o,
  input logic [3:0]         m_awcache_o,
  input logic [2:0]         m_awprot_o,
  input logic [3:0]         m_awqos_o,
  input logic [3:0]         m_awregion_o,
  input logic               m_wvalid_o,
  input logic               m_wready_i,
  input logic [MEM_W-1:0]   m_wdata_o,
  input logic [MEM_W/8-1:0] m_wstrb_o,
  input logic               m_wlast_o,
  input logic               m_bvalid_i,
  input logic               m_bready_o,
  input logic [3:0]         m_bid_i,
  input logic [1:0]         m_bresp_i
);
  default clocking at_clock @(posedge clk_i);
  endclocking

  localparam int unsigned MemB = MEM_W / 8;
  localparam int unsigned ReadAw = $clog2(READ_BURSTS + 1);
  localparam int unsigned WriteAw = $clog2(WRITE_BURSTS + 1);

  // ---------------------------------------------------------------- master port: outstanding bursts
  logic ar_fire, r_fire, r_end, aw_fire, w_fire, w_end, b_fire, aw_new;
  assign ar_fire = m_arvalid_o & m_arready_i;
  assign r_fire  = m_rvalid_i & m_rready_o;
  assign r_end   = r_fire & m_rlast_i;
  assign aw_fire = m_awvalid_o & m_awready_i;
  assign w_fire  = m_wvalid_o & m_wready_i;
  assign w_end   = w_fire & m_wlast_o;
  assign b_fire  = m_bvalid_i & m_bready_o;

  // Lengths of the outstanding reads, oldest first, and the received beats of the oldest.
  logic [7:0]        read_len [0:(1<<ReadAw)-1];
  logic [ReadAw-1:0] read_in_q, read_out_q;
  logic [ReadAw:0]   reads_q;
  logic [7:0]        read_beat_q;
  always_ff @(posedge clk_i) if (ar_fire) read_len[read_in_q] <= m_arlen_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_in_q   <= '0;
      read_out_q  <= '0;
      reads_q     <= '0;
      read_beat_q <= '0;
    end else begin
      if (ar_fire) read_in_q <= read_in_q + ReadAw'(1);
      if (r_end) read_out_q <= read_out_q + ReadAw'(1);
      if (r_fire) read_beat_q <= m_rlast_i ? 8'd0 : read_beat_q + 8'd1;
      reads_q <= reads_q + (ReadAw+1)'(ar_fire) - (ReadAw+1)'(r_end);
    end
  end

  // Lengths of the write bursts from the cycle after AWVALID rises until their last beat. `begun_q` counts bursts whose
  // last beat was not accepted, `addressed_q` accepted addresses and `written_q` accepted last beats without response.
  logic [7:0]         write_len [0:(1<<WriteAw)-1];
  logic [WriteAw-1:0] write_in_q, write_out_q;
  logic [WriteAw:0]   begun_q, addressed_q, written_q;
  logic [7:0]         write_beat_q;
  logic               aw_waits_q;
  assign aw_new = m_awvalid_o & ~aw_waits_q;
  always_ff @(posedge clk_i) if (aw_new) write_len[write_in_q] <= m_awlen_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_in_q   <= '0;
      write_out_q  <= '0;
      begun_q      <= '0;
      addressed_q  <= '0;
      written_q    <= '0;
      write_beat_q <= '0;
      aw_waits_q   <= 1'b0;
    end else begin
      aw_waits_q <= m_awvalid_o & ~m_awready_i;
      if (aw_new) write_in_q <= write_in_q + WriteAw'(1);
      if (w_end) write_out_q <= write_out_q + WriteAw'(1);
      if (w_fire) write_beat_q <= m_wlast_o ? 8'd0 : write_beat_q + 8'd1;
      begun_q     <= begun_q + (WriteAw+1)'(aw_new) - (WriteAw+1)'(w_end);
      addressed_q <= addressed_q + (WriteAw+1)'(aw_fire) - (WriteAw+1)'(b_fire);
      written_q   <= written_q + (WriteAw+1)'(w_end) - (WriteAw+1)'(b_fire);
    end
  end

  // The beat that would be transferred is the last one of its burst.
  logic r_last_due, w_last_due;
  assign r_last_due = (read_beat_q == read_len[read_out_q]);
  assign w_last_due = (write_beat_q == write_len[write_out_q]);

  // ---------------------------------------------------------------- master port: the engine
  `MXE_AXI_ENGINE(engine_ar_stable, m_arvalid_o && !m_arready_i |=> m_arvalid_o && $stable({
      m_arid_o, m_araddr_o, m_arlen_o, m_arsize_o, m_arburst_o, m_arlock_o, m_arcache_o, m_arprot_o, m_arqos_o,
      m_arregion_o}))
  `MXE_AXI_ENGINE(engine_aw_stable, m_awvalid_o && !m_awready_i |=> m_awvalid_o && $stable({
      m_awid_o, m_awaddr_o, m_awlen_o, m_awsize_o, m_awburst_o, m_awlock_o, m_awcache_o, m_awprot_o, m_awqos_o,
      m_awregion_o}))
  `MXE_AXI_ENGINE(engine_w_stable, m_wvalid_o && !m_wready_i |=>
                  m_wvalid_o && $stable({m_wdata_o, m_wstrb_o, m_wlast_o}))
  `MXE_AXI_ENGINE(engine_ar_within_4k, m_arvalid_o |->
                  32'(m_araddr_o[11:0]) + MemB * (32'(m_arlen_o) + 1) <= 32'd4096)
  `MXE_AXI_ENGINE(engine_aw_within_4k, m_awvalid_o |->
                  32'(m_awaddr_o[11:0]) + MemB * (32'(m_awlen_o) + 1) <= 32'd4096)
  `MXE_AXI_ENGINE(engine_ar_length, m_arvalid_o |-> 32'(m_arlen_o) < MAX_BURST)
  `MXE_AXI_ENGINE(engine_aw_length, m_awvalid_o |-> 32'(m_awlen_o) < MAX_BURST)
  `MXE_AXI_ENGINE(engine_ar_aligned, m_arvalid_o |-> m_araddr_o[$clog2(MemB)-1:0] == '0)
  `MXE_AXI_ENGINE(engine_aw_aligned, m_awvalid_o |-> m_awaddr_o[$clog2(MemB)-1:0] == '0)
  // Id 0, INCR, full beats, no lock, cache 0b0010, prot 0b010, no QoS, no region.
  `MXE_AXI_ENGINE(engine_ar_attributes, m_arvalid_o |-> {m_arid_o, m_arburst_o, m_arsize_o, m_arlock_o, m_arcache_o,
                  m_arprot_o, m_arqos_o, m_arregion_o} ==
                  {4'd0, 2'b01, 3'($clog2(MemB)), 1'b0, 4'b0010, 3'b010, 4'd0, 4'd0})
  `MXE_AXI_ENGINE(engine_aw_attributes, m_awvalid_o |-> {m_awid_o, m_awburst_o, m_awsize_o, m_awlock_o, m_awcache_o,
                  m_awprot_o, m_awqos_o, m_awregion_o} ==
                  {4'd0, 2'b01, 3'($clog2(MemB)), 1'b0, 4'b0010, 3'b010, 4'd0, 4'd0})
  `MXE_AXI_ENGINE(engine_w_after_address, m_wvalid_o |-> begun_q != '0)
  `MXE_AXI_ENGINE(engine_w_last, m_wvalid_o && begun_q != '0 |-> m_wlast_o == w_last_due)
  `MXE_AXI_ENGINE(engine_b_ready, m_bready_o)
  `MXE_AXI_ENGINE(engine_reads_limited, 32'(reads_q) <= READ_BURSTS)
  `MXE_AXI_ENGINE(engine_writes_limited, 32'(addressed_q) <= WRITE_BURSTS && 32'(written_q) <= WRITE_BURSTS)
  // All VALID are low while the reset is asserted.
  engine_quiet_in_reset : assert property (
      !rst_ni |-> !m_arvalid_o && !m_awvalid_o && !m_wvalid_o && !s_bvalid_o && !s_rvalid_o);

  // ---------------------------------------------------------------- master port: its environment
  `MXE_AXI_ENVIRONMENT(environment_r_stable, m_rvalid_i && !m_rready_o |=>
                       m_rvalid_i && $stable({m_rid_i, m_rdata_i, m_rresp_i, m_rlast_i}))
  `MXE_AXI_ENVIRONMENT(environment_r_expected, m_rvalid_i |-> reads_q != '0)
  `MXE_AXI_ENVIRONMENT(environment_r_last, m_rvalid_i && reads_q != '0 |-> m_rlast_i == r_last_due)
  `MXE_AXI_ENVIRONMENT(environment_r_id, m_rvalid_i |-> m_rid_i == 4'd0)
  `MXE_AXI_ENVIRONMENT(environment_b_expected, m_bvalid_i |-> addressed_q != '0 && written_q != '0)
  `MXE_AXI_ENVIRONMENT(environment_b_id, m_bvalid_i |-> m_bid_i == 4'd0)

  // ---------------------------------------------------------------- slave port
  // Accesses without a response: at most one address and one data word of a write, one address of a read, and one more
  // of each while their response waits.
  logic [1:0] s_addressed_q, s_written_q, s_reads_q;
  logic       s_aw_fire, s_w_fire, s_b_fire, s_ar_fire, s_r_fire;
  assign s_aw_fire = s_awvalid_i & s_awready_o;
  assign s_w_fire  = s_wvalid_i & s_wready_o;
  assign s_b_fire  = s_bvalid_o & s_bready_i;
  assign s_ar_fire = s_arvalid_i & s_arready_o;
  assign s_r_fire  = s_rvalid_o & s_rready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      s_addressed_q <= '0;
      s_written_q   <= '0;
      s_reads_q     <= '0;
    end else begin
      s_addressed_q <= s_addressed_q + 2'(s_aw_fire) - 2'(s_b_fire);
      s_written_q   <= s_written_q + 2'(s_w_fire) - 2'(s_b_fire);
      s_reads_q     <= s_reads_q + 2'(s_ar_fire) - 2'(s_r_fire);
    end
  end
  `MXE_AXI_ENGINE(engine_s_b_stable, s_bvalid_o && !s_bready_i |=> s_bvalid_o && $stable(s_bresp_o))
  `MXE_AXI_ENGINE(engine_s_r_stable, s_rvalid_o && !s_rready_i |=> s_rvalid_o && $stable({s_rdata_o, s_rresp_o}))
  `MXE_AXI_ENGINE(engine_s_b_expected, s_bvalid_o |-> s_addressed_q != '0 && s_written_q != '0)
  `MXE_AXI_ENGINE(engine_s_r_expected, s_rvalid_o |-> s_reads_q != '0)
  `MXE_AXI_ENGINE(engine_s_limited, s_addressed_q != 2'd3 && s_written_q != 2'd3 && s_reads_q != 2'd3)
  // OKAY or SLVERR.
  `MXE_AXI_ENGINE(engine_s_b_response, s_bvalid_o |-> !s_bresp_o[0])
  `MXE_AXI_ENGINE(engine_s_r_response, s_rvalid_o |-> !s_rresp_o[0])
  `MXE_AXI_ENVIRONMENT(environment_s_aw_stable, s_awvalid_i && !s_awready_o |=>
                       s_awvalid_i && $stable({s_awaddr_i, s_awprot_i}))
  `MXE_AXI_ENVIRONMENT(environment_s_w_stable, s_wvalid_i && !s_wready_o |=>
                       s_wvalid_i && $stable({s_wdata_i, s_wstrb_i}))
  `MXE_AXI_ENVIRONMENT(environment_s_ar_stable, s_arvalid_i && !s_arready_o |=>
                       s_arvalid_i && $stable({s_araddr_i, s_arprot_i}))
endmodule
`default_nettype wire
