// SPDX-License-Identifier: Apache-2.0
// Drives the pins that mxe_axi_properties observes, and a memory: legal traffic, then one violation of each rule. Before
// each it prints "planted NAME", and test_properties.py compares NAME with the assertions that fail.
`default_nettype none
module properties_bench;
  localparam int unsigned MEM_W = 64;
  logic             clk_i = 1'b0, rst_ni = 1'b0;
  logic             s_awvalid_i, s_awready_o, s_wvalid_i, s_wready_o, s_bvalid_o, s_bready_i, s_arvalid_i, s_arready_o;
  logic             s_rvalid_o, s_rready_i;
  logic [11:0]      s_awaddr_i, s_araddr_i;
  logic [2:0]       s_awprot_i, s_arprot_i;
  logic [31:0]      s_wdata_i, s_rdata_o;
  logic [3:0]       s_wstrb_i;
  logic [1:0]       s_bresp_o, s_rresp_o;
  logic             m_arvalid_o, m_arready_i, m_rvalid_i, m_rready_o, m_rlast_i, m_awvalid_o, m_awready_i, m_wvalid_o;
  logic             m_wready_i, m_wlast_o, m_bvalid_i, m_bready_o, m_arlock_o, m_awlock_o;
  logic [3:0]       m_arid_o, m_arcache_o, m_arqos_o, m_arregion_o, m_rid_i, m_awid_o, m_awcache_o, m_awqos_o;
  logic [3:0]       m_awregion_o, m_bid_i;
  logic [63:0]      m_araddr_o, m_awaddr_o;
  logic [7:0]       m_arlen_o, m_awlen_o;
  logic [2:0]       m_arsize_o, m_arprot_o, m_awsize_o, m_awprot_o;
  logic [1:0]       m_arburst_o, m_awburst_o, m_rresp_i, m_bresp_i;
  logic [MEM_W-1:0] m_rdata_i, m_wdata_o;
  logic [7:0]       m_wstrb_o;

  mxe_axi_properties #(.MEM_W(MEM_W), .MAX_BURST(16), .READ_BURSTS(3), .WRITE_BURSTS(3)) dut (.*);

  logic       we, re;
  logic [1:0] waddr, raddr;
  logic [7:0] rdata;
  mxe_ram #(.WIDTH(8), .DEPTH(4)) ram (
    .clk_i(clk_i), .we_i(we), .waddr_i(waddr), .wdata_i(8'd1), .re_i(re), .raddr_i(raddr), .rdata_o(rdata)
  );

  always #5 clk_i = ~clk_i;

  task automatic cycles(input int count);
    repeat (count) @(negedge clk_i);
  endtask

  task automatic reset;
    {s_awvalid_i, s_wvalid_i, s_bvalid_o, s_arvalid_i, s_rvalid_o} = '0;
    {s_awready_o, s_wready_o, s_bready_i, s_arready_o, s_rready_i} = '1;
    {s_awaddr_i, s_awprot_i, s_wdata_i, s_wstrb_i, s_bresp_o, s_araddr_i, s_arprot_i, s_rdata_o, s_rresp_o} = '0;
    {m_arvalid_o, m_rvalid_i, m_awvalid_o, m_wvalid_o, m_bvalid_i} = '0;
    {m_arready_i, m_rready_o, m_awready_i, m_wready_i, m_bready_o} = '1;
    {m_arid_o, m_araddr_o, m_arlen_o, m_arlock_o, m_arqos_o, m_arregion_o} = '0;
    {m_awid_o, m_awaddr_o, m_awlen_o, m_awlock_o, m_awqos_o, m_awregion_o} = '0;
    {m_arsize_o, m_arburst_o, m_arcache_o, m_arprot_o} = {3'd3, 2'b01, 4'b0010, 3'b010};
    {m_awsize_o, m_awburst_o, m_awcache_o, m_awprot_o} = {3'd3, 2'b01, 4'b0010, 3'b010};
    {m_rid_i, m_rdata_i, m_rresp_i, m_rlast_i, m_wdata_o, m_wstrb_o, m_wlast_o, m_bid_i, m_bresp_i} = '0;
    {we, re, waddr, raddr} = {2'b11, 2'd1, 2'd2};
    rst_ni = 1'b0;
    cycles(2);
    rst_ni = 1'b1;
    cycles(1);
  endtask

  task automatic planted(input string name);
    reset();
    $display("planted %s", name);
  endtask

  task automatic address_read(input logic [63:0] addr, input logic [7:0] len);
    {m_arvalid_o, m_araddr_o, m_arlen_o} = {1'b1, addr, len};
    cycles(1);
    m_arvalid_o = 1'b0;
  endtask

  task automatic beats_read(input int count);
    for (int i = 0; i < count; i++) begin
      {m_rvalid_i, m_rlast_i} = {1'b1, i == count - 1};
      cycles(1);
    end
    m_rvalid_i = 1'b0;
  endtask

  task automatic address_write(input logic [63:0] addr, input logic [7:0] len);
    {m_awvalid_o, m_awaddr_o, m_awlen_o} = {1'b1, addr, len};
    cycles(1);
    m_awvalid_o = 1'b0;
  endtask

  task automatic beats_write(input int count);
    for (int i = 0; i < count; i++) begin
      {m_wvalid_o, m_wlast_o} = {1'b1, i == count - 1};
      cycles(1);
    end
    m_wvalid_o = 1'b0;
  endtask

  task automatic respond;
    m_bvalid_i = 1'b1;
    cycles(1);
    m_bvalid_i = 1'b0;
  endtask

  task automatic legal;
    planted("none");
    address_read(64'h0FF8, 8'd0);
    address_read(64'h1000, 8'd15);
    address_read(64'hFFFF_FFFF_FFFF_FF80, 8'd15);
    cycles(3);
    beats_read(1);
    beats_read(16);
    beats_read(16);
    address_write(64'h0F80, 8'd15);
    beats_write(16);
    respond();
    m_awready_i = 1'b0;  // data before the address is accepted
    {m_awvalid_o, m_awaddr_o, m_awlen_o} = {1'b1, 64'h2000, 8'd1};
    cycles(1);
    beats_write(2);
    m_awready_i = 1'b1;
    cycles(1);
    m_awvalid_o = 1'b0;
    respond();
    {s_wvalid_i, s_wready_o} = 2'b10;
    cycles(2);
    s_wready_o = 1'b1;
    cycles(1);
    {s_wvalid_i, s_awvalid_i, s_arvalid_i} = 3'b011;
    cycles(1);
    {s_awvalid_i, s_arvalid_i, s_bvalid_o, s_rvalid_o, s_rready_i, s_bresp_o} = {5'b00110, 2'b10};
    cycles(1);
    s_bvalid_o = 1'b0;
    cycles(1);
    s_rready_i = 1'b1;
    cycles(1);
    s_rvalid_o = 1'b0;
    cycles(2);
  endtask

  task automatic master_violations;
    planted("engine_ar_stable");
    m_arready_i = 1'b0;
    {m_arvalid_o, m_araddr_o} = {1'b1, 64'h100};
    cycles(1);
    m_araddr_o = 64'h200;
    cycles(1);
    planted("engine_aw_stable");
    m_awready_i = 1'b0;
    m_awvalid_o = 1'b1;
    cycles(1);
    m_awvalid_o = 1'b0;
    cycles(1);
    planted("engine_w_stable");
    address_write(64'h0, 8'd3);
    {m_wvalid_o, m_wready_i} = 2'b10;
    cycles(1);
    m_wstrb_o = 8'h1;
    cycles(1);
    planted("engine_ar_within_4k");
    address_read(64'h0FF8, 8'd1);
    planted("engine_aw_within_4k");
    address_write(64'h0F88, 8'd15);
    planted("engine_ar_length");
    address_read(64'h0, 8'd16);
    planted("engine_aw_length");
    address_write(64'h0, 8'd16);
    planted("engine_ar_aligned");
    address_read(64'h4, 8'd0);
    planted("engine_aw_aligned");
    address_write(64'h1, 8'd0);
    planted("engine_ar_attributes");
    m_arcache_o = 4'b0011;
    address_read(64'h0, 8'd0);
    planted("engine_aw_attributes");
    m_awsize_o = 3'd2;
    address_write(64'h0, 8'd0);
    planted("engine_w_after_address");
    beats_write(1);
    planted("engine_w_last");
    address_write(64'h0, 8'd3);
    beats_write(3);
    planted("engine_b_ready");
    m_bready_o = 1'b0;
    cycles(1);
    planted("engine_reads_limited");
    repeat (4) address_read(64'h0, 8'd0);
    cycles(1);
    planted("engine_writes_limited");
    repeat (4) begin
      address_write(64'h0, 8'd0);
      beats_write(1);
    end
    cycles(1);
    planted("engine_quiet_in_reset");
    rst_ni = 1'b0;
    cycles(1);
    m_awvalid_o = 1'b1;
    cycles(1);
    m_awvalid_o = 1'b0;
  endtask

  task automatic environment_violations;
    planted("environment_r_stable");
    address_read(64'h0, 8'd3);
    {m_rvalid_i, m_rready_o} = 2'b10;
    cycles(1);
    m_rdata_i = 64'd1;
    cycles(1);
    planted("environment_r_expected");
    m_rlast_i = 1'b1;
    beats_read(1);
    planted("environment_r_last");
    address_read(64'h0, 8'd2);
    beats_read(2);
    planted("environment_r_id");
    address_read(64'h0, 8'd0);
    m_rid_i = 4'd1;
    beats_read(1);
    planted("environment_b_expected");
    address_write(64'h0, 8'd1);
    respond();  // before the data
    planted("environment_b_id");
    address_write(64'h0, 8'd0);
    beats_write(1);
    m_bid_i = 4'd2;
    respond();
  endtask

  task automatic slave_violations;
    planted("environment_s_aw_stable");
    {s_awvalid_i, s_awready_o} = 2'b10;
    cycles(1);
    s_awaddr_i = 12'h4;
    cycles(1);
    planted("environment_s_w_stable");
    {s_wvalid_i, s_wready_o} = 2'b10;
    cycles(1);
    s_wdata_i = 32'd1;
    cycles(1);
    planted("environment_s_ar_stable");
    {s_arvalid_i, s_arready_o} = 2'b10;
    cycles(1);
    s_arvalid_i = 1'b0;
    cycles(1);
    planted("engine_s_b_expected");
    s_wvalid_i = 1'b1;
    cycles(1);
    {s_wvalid_i, s_bvalid_o} = 2'b01;  // without an address
    cycles(1);
    planted("engine_s_r_expected");
    s_rvalid_o = 1'b1;
    cycles(1);
    planted("engine_s_limited");
    s_arvalid_i = 1'b1;
    cycles(4);
    planted("engine_s_b_stable");
    {s_awvalid_i, s_wvalid_i} = 2'b11;
    cycles(1);
    {s_awvalid_i, s_wvalid_i, s_bvalid_o, s_bready_i} = 4'b0010;
    cycles(1);
    s_bresp_o = 2'b10;
    cycles(1);
    planted("engine_s_r_stable");
    s_arvalid_i = 1'b1;
    cycles(1);
    {s_arvalid_i, s_rvalid_o, s_rready_i} = 3'b010;
    cycles(1);
    s_rvalid_o = 1'b0;
    cycles(1);
    planted("engine_s_b_response");
    {s_awvalid_i, s_wvalid_i} = 2'b11;
    cycles(1);
    {s_awvalid_i, s_wvalid_i, s_bvalid_o, s_bresp_o} = {3'b001, 2'b11};
    cycles(1);
    planted("engine_s_r_response");
    s_arvalid_i = 1'b1;
    cycles(1);
    {s_arvalid_i, s_rvalid_o, s_rresp_o} = {2'b01, 2'b01};
    cycles(1);
  endtask

  initial begin
    legal();
    master_violations();
    environment_violations();
    slave_violations();
    planted("ram_no_collision");
    raddr = 2'd1;
    cycles(1);
    planted("none");
    $finish;
  end
endmodule
`default_nettype wire
