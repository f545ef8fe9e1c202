// SPDX-License-Identifier: Apache-2.0
// The simple engine's only state machine: takes a job from the ring, reads its operands block by block, multiplies,
// writes the result and reports the job, without overlap. At most one burst is outstanding.
`include "mxe_assert.svh"
`default_nettype none
module simple_control #(
  parameter int unsigned QUEUE_DEPTH = 16,
  parameter int unsigned MAX_BURST   = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  // registers
  input  logic        enable_i,
  input  logic        soft_reset_i,
  input  logic [63:0] ring_base_i,
  input  logic [4:0]  ring_size_log2_i,
  input  logic        doorbell_i,
  input  logic [15:0] ring_tail_i,
  output logic [15:0] ring_head_o,
  output logic [15:0] ring_tail_o,
  output logic        busy_o,
  output logic        empty_o,
  output logic        resetting_o,
  output logic        irq_done_o,
  output logic        irq_error_o,
  output logic        irq_queue_empty_o,
  output logic        irq_ring_overflow_o,
  output logic [31:0] last_job_o,
  output logic [31:0] last_status_o,
  // counter of this cycle, increments
  output logic        mac_active_o,
  output logic        stall_a_o,
  output logic        stall_b_o,
  output logic        stall_c_o,
  output logic        stall_drain_o,
  output logic        stall_latency_o,
  output logic        block_o,
  output logic        nan_result_o,
  // memory
  output logic        m_arvalid_o,
  input  logic        m_arready_i,
  output logic [63:0] m_araddr_o,
  output logic [7:0]  m_arlen_o,
  input  logic        m_rvalid_i,
  output logic        m_rready_o,
  input  logic [63:0] m_rdata_i,
  input  logic        m_rerror_i,
  input  logic        m_rlast_i,
  output logic        m_awvalid_o,
  input  logic        m_awready_i,
  output logic [63:0] m_awaddr_o,
  output logic        m_wvalid_o,
  input  logic        m_wready_i,
  output logic [63:0] m_wdata_o,
  output logic [7:0]  m_wstrb_o,
  input  logic        m_bvalid_i,
  output logic        m_bready_o,
  input  logic        m_berror_i
);
  typedef enum logic [3:0] {
    StIdle,
    StFetch,     // select the next read
    StAddress,
    StData,
    StCheck,
    StResult,    // load the accumulator
    StMac,
    StAdd,
    StStore,     // the result is valid
    StWrite,     // send address and data
    StResponse,
    StRecord,    // the job has ended
    StComplete,
    StReset
  } state_e;

  // Reads: of the descriptor per job, of the bias per result, of the others per block. Writes.
  localparam logic [2:0] OfDesc   = 3'd0;
  localparam logic [2:0] OfBias   = 3'd1;
  localparam logic [2:0] OfA      = 3'd2;
  localparam logic [2:0] OfAScale = 3'd3;
  localparam logic [2:0] OfB      = 3'd4;
  localparam logic [2:0] OfBScale = 3'd5;
  localparam logic [1:0] ToResult = 2'd0;
  localparam logic [1:0] ToCycles = 2'd1;
  localparam logic [1:0] ToStatus = 2'd2;

  state_e        state_q;
  logic [2:0]    reading_q;
  logic [1:0]    writing_q;
  logic [1023:0] desc_q;
  logic [31:0]   row_q, column_q, block_q;
  logic [3:0]    status_q;
  logic          reset_q;
  logic [63:0]   cycles_q;
  logic [31:0]   last_job_q, last_status_q;

  // ---------------------------------------------------------------- ring
  logic [15:0] head_q, tail_q, entries;
  logic [63:0] slot;
  logic        overflow;
  assign entries  = 16'd1 << ring_size_log2_i[3:0];
  assign overflow = ((32'd1 << ring_size_log2_i) > QUEUE_DEPTH) |
                    ((ring_tail_i - head_q) > entries) |
                    ((ring_tail_i - head_q) < (tail_q - head_q)) | reset_q;
  assign slot     = ring_base_i + {41'd0, head_q & (entries - 16'd1), 7'd0};

  assign ring_head_o         = head_q;
  assign ring_tail_o         = tail_q;
  assign busy_o              = (state_q != StIdle);
  assign empty_o             = (head_q == tail_q);
  assign resetting_o         = reset_q;
  assign irq_done_o          = (state_q == StComplete) & (status_q == mxe_reg_pkg::STATUS_OK[3:0]);
  assign irq_error_o         = (state_q == StComplete) & (status_q != mxe_reg_pkg::STATUS_OK[3:0]);
  assign irq_queue_empty_o   = (state_q == StComplete) & ((head_q + 16'd1) == tail_q);
  assign irq_ring_overflow_o = doorbell_i & overflow;
  assign last_job_o          = last_job_q;
  assign last_status_o       = last_status_q;

  // ---------------------------------------------------------------- descriptor
  logic [31:0] job_id, m, n, k;
  logic [63:0] a_addr, b_addr, a_scale_addr, b_scale_addr, c_addr, d_addr;
  logic [31:0] a_stride, b_stride, a_scale_stride, b_scale_stride, c_stride, d_stride;
  logic [3:0]  fmt_a, fmt_b, out_fmt;
  logic        bias, bias_bf16, bf16;
  assign job_id         = desc_q[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32];
  assign m              = desc_q[mxe_reg_pkg::DESC_M_LSB +: 32];
  assign n              = desc_q[mxe_reg_pkg::DESC_N_LSB +: 32];
  assign k              = desc_q[mxe_reg_pkg::DESC_K_LSB +: 32];
  assign a_addr         = desc_q[mxe_reg_pkg::DESC_A_ADDR_LSB +: 64];
  assign b_addr         = desc_q[mxe_reg_pkg::DESC_B_ADDR_LSB +: 64];
  assign a_scale_addr   = desc_q[mxe_reg_pkg::DESC_A_SCALE_ADDR_LSB +: 64];
  assign b_scale_addr   = desc_q[mxe_reg_pkg::DESC_B_SCALE_ADDR_LSB +: 64];
  assign c_addr         = desc_q[mxe_reg_pkg::DESC_C_ADDR_LSB +: 64];
  assign d_addr         = desc_q[mxe_reg_pkg::DESC_D_ADDR_LSB +: 64];
  assign a_stride       = desc_q[mxe_reg_pkg::DESC_A_STRIDE_LSB +: 32];
  assign b_stride       = desc_q[mxe_reg_pkg::DESC_B_STRIDE_LSB +: 32];
  assign a_scale_stride = desc_q[mxe_reg_pkg::DESC_A_SCALE_STRIDE_LSB +: 32];
  assign b_scale_stride = desc_q[mxe_reg_pkg::DESC_B_SCALE_STRIDE_LSB +: 32];
  assign c_stride       = desc_q[mxe_reg_pkg::DESC_C_STRIDE_LSB +: 32];
  assign d_stride       = desc_q[mxe_reg_pkg::DESC_D_STRIDE_LSB +: 32];
  assign fmt_a          = desc_q[mxe_reg_pkg::DESC_CONTROL_FMT_A_LSB +: 4];
  assign fmt_b          = desc_q[mxe_reg_pkg::DESC_CONTROL_FMT_B_LSB +: 4];
  assign out_fmt        = desc_q[mxe_reg_pkg::DESC_CONTROL_OUT_FMT_LSB +: 4];
  assign bias           = desc_q[mxe_reg_pkg::DESC_CONTROL_BIAS_EN_LSB];
  assign bias_bf16      = desc_q[mxe_reg_pkg::DESC_CONTROL_BIAS_BF16_LSB];
  assign bf16           = (out_fmt == mxe_reg_pkg::OUT_BF16);

  // Status of the first broken rule.
  logic       c_misaligned, d_misaligned, several;
  logic [3:0] check;
  assign several      = desc_q[mxe_reg_pkg::DESC_BATCH_COUNT_LSB +:
                               mxe_reg_pkg::DESC_BATCH_COUNT_W] > 1;
  assign c_misaligned = c_addr[0] | c_stride[0] | (~bias_bf16 & (c_addr[1] | c_stride[1]));
  assign d_misaligned = d_addr[0] | d_stride[0] | (~bf16 & (d_addr[1] | d_stride[1]));
  always_comb begin
    check = mxe_reg_pkg::STATUS_OK[3:0];
    if (((desc_q & mxe_reg_pkg::DESC_RESERVED_MASK) != '0) | several)
      check = mxe_reg_pkg::STATUS_ERR_DESCRIPTOR[3:0];
    else if ((m == '0) | (n == '0) | (k == '0)) check = mxe_reg_pkg::STATUS_ERR_SHAPE[3:0];
    else if ((fmt_a > mxe_reg_pkg::FORMAT_MXINT8) | (fmt_b > mxe_reg_pkg::FORMAT_MXINT8))
      check = mxe_reg_pkg::STATUS_ERR_FORMAT[3:0];
    else if (desc_q[mxe_reg_pkg::DESC_CONTROL_ALPHA_EN_LSB:mxe_reg_pkg::DESC_CONTROL_SCALE_A_LSB] != '0)
      check = mxe_reg_pkg::STATUS_ERR_PAIR[3:0];  // kinds and blocks of scales, ALPHA
    else if ((out_fmt != mxe_reg_pkg::OUT_FP32) & ~bf16)
      check = mxe_reg_pkg::STATUS_ERR_OUT_FORMAT[3:0];
    else if (c_misaligned | d_misaligned) check = mxe_reg_pkg::STATUS_ERR_ALIGN[3:0];
  end

  // ---------------------------------------------------------------- reads
  function automatic logic [3:0] bits_of(input logic [3:0] fmt);
    if (fmt <= mxe_reg_pkg::FORMAT_MXFP4_E1M2) bits_of = 4'd4;
    else if (fmt <= mxe_reg_pkg::FORMAT_MXFP6_E3M2) bits_of = 4'd6;
    else bits_of = 4'd8;
  endfunction

  // Bytes of a number of elements.
  function automatic logic [7:0] bytes_of(input logic [3:0] fmt, input logic [5:0] count);
    logic [9:0] bits;
    bits     = 10'(bits_of(fmt)) * 10'(count) + 10'd7;
    bytes_of = {1'b0, bits[9:3]};
  endfunction

  function automatic logic [63:0] place(input logic [63:0] base, input logic [31:0] stride,
                                        input logic [31:0] index, input logic [63:0] offset);
    place = base + 64'(stride) * 64'(index) + offset;
  endfunction

  logic [31:0] left;         // elements of K from this block on
  logic        last_block;
  logic [5:0]  count;        // elements of this block
  assign left       = k - {block_q[26:0], 5'd0};
  assign last_block = (left <= 32'd32);
  assign count      = last_block ? left[5:0] : 6'd32;

  logic [63:0] start;
  logic [7:0]  bytes;
  always_comb begin
    case (reading_q)
      OfDesc: start = slot;
      OfBias: start = place(c_addr, c_stride, row_q, 64'(column_q) << (bias_bf16 ? 1 : 2));
      OfA: start = place(a_addr, a_stride, row_q, 64'(block_q) * 64'(bytes_of(fmt_a, 6'd32)));
      OfAScale: start = place(a_scale_addr, a_scale_stride, row_q, 64'(block_q));
      OfB: start = place(b_addr, b_stride, column_q, 64'(block_q) * 64'(bytes_of(fmt_b, 6'd32)));
      default: start = place(b_scale_addr, b_scale_stride, column_q, 64'(block_q));
    endcase
    case (reading_q)
      OfDesc: bytes = 8'd128;
      OfBias: bytes = bias_bf16 ? 8'd2 : 8'd4;
      OfA: bytes = bytes_of(fmt_a, count);
      OfB: bytes = bytes_of(fmt_b, count);
      default: bytes = 8'd1;
    endcase
  end

  // A read of up to 16 beats, as bursts of at most MAX_BURST, none across a 4 KiB boundary.
  logic [60:0]   beat_addr_q;  // of the next burst
  logic [4:0]    beats_q, burst;  // not yet requested; in the next burst
  logic [9:0]    beats_to_4k;
  logic [3:0]    beat_q;       // of the data
  logic [2:0]    offset_q;     // of the first byte
  logic          error_q;
  logic [1023:0] data_q;
  logic [255:0]  bytes_read;   // the last bytes read, first byte in bits 7:0
  assign beats_to_4k = 10'd512 - {1'b0, beat_addr_q[8:0]};
  always_comb begin
    burst = beats_q;
    if (burst > 5'(MAX_BURST)) burst = 5'(MAX_BURST);
    if (10'(burst) > beats_to_4k) burst = beats_to_4k[4:0];
  end
  assign m_arvalid_o = (state_q == StAddress);
  assign m_araddr_o  = {beat_addr_q, 3'd0};
  assign m_arlen_o   = 8'(burst) - 8'd1;
  assign m_rready_o  = (state_q == StData);
  assign bytes_read  = data_q[{4'd0, offset_q, 3'd0} +: 256];

  // ---------------------------------------------------------------- arithmetic
  logic [255:0] a_q, b_q;  // elements, the next one in the lowest bits
  logic [7:0]   a_scale_q;
  logic [5:0]   step_q;
  logic [31:0]  init, acc;
  logic [7:0]   a_mask, b_mask;
  assign a_mask = 8'hff >> (4'd8 - bits_of(fmt_a));
  assign b_mask = 8'hff >> (4'd8 - bits_of(fmt_b));
  assign init   = ~bias ? 32'd0 : bias_bf16 ? {bytes_read[15:0], 16'd0} : bytes_read[31:0];
  simple_mac u_mac (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .fmt_a_i   (fmt_a),
    .fmt_b_i   (fmt_b),
    .load_i    (state_q == StResult),
    .init_i    (init),
    .clear_i   (state_q == StFetch),
    .step_i    (state_q == StMac),
    .a_i       (a_q[7:0] & a_mask),
    .b_i       (b_q[7:0] & b_mask),
    .add_i     (state_q == StAdd),
    .scale_a_i (a_scale_q),
    .scale_b_i (bytes_read[7:0]),
    .acc_o     (acc)
  );

  // ---------------------------------------------------------------- writes
  logic [63:0] to, write_data;
  logic [31:0] result;
  logic        address_done_q, data_done_q;
  logic        acc_nan;
  assign acc_nan = (acc[30:0] > 31'h7f800000);
  // BF16: the upper half, rounded to nearest even. NaN and infinity have a zero lower half.
  assign result  = bf16 ? {2{acc[31:16] + {15'd0, acc[15] & (acc[16] | (acc[14:0] != '0))}}} : acc;
  always_comb begin
    case (writing_q)
      ToResult: to = place(d_addr, d_stride, row_q, 64'(column_q) << (bf16 ? 1 : 2));
      ToCycles: to = slot + 64'd120;
      default:  to = slot + 64'd112;
    endcase
    case (writing_q)
      ToResult: write_data = {2{result}};
      ToCycles: write_data = cycles_q;
      default:  write_data = {job_id, 28'd0, status_q};
    endcase
  end
  assign m_awvalid_o = (state_q == StWrite) & ~address_done_q;
  assign m_awaddr_o  = {to[63:3], 3'd0};
  assign m_wvalid_o  = (state_q == StWrite) & ~data_done_q;
  assign m_wdata_o   = write_data;
  assign m_wstrb_o   = (writing_q != ToResult) ? 8'hff : (bf16 ? 8'h03 : 8'h0f) << to[2:0];
  assign m_bready_o  = (state_q == StResponse);

  // ---------------------------------------------------------------- use of the cycles
  logic reads;
  assign reads           = (state_q == StFetch) | (state_q == StAddress) | (state_q == StData);
  assign mac_active_o    = (state_q == StMac);
  assign stall_a_o       = reads & ((reading_q == OfA) | (reading_q == OfAScale));
  assign stall_b_o       = reads & ((reading_q == OfB) | (reading_q == OfBScale));
  assign stall_c_o       = (reads & (reading_q == OfBias)) | (state_q == StResult);
  assign stall_drain_o   = (state_q == StStore) | ((writing_q == ToResult) &
                           ((state_q == StWrite) | (state_q == StResponse)));
  assign stall_latency_o = (state_q == StAdd);
  assign block_o         = (state_q == StAdd);
  assign nan_result_o    = (state_q == StStore) & acc_nan;

  // ---------------------------------------------------------------- state machine
  logic last_result;
  assign last_result = (row_q + 32'd1 == m) & (column_q + 32'd1 == n);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q        <= StIdle;
      reading_q      <= OfDesc;
      writing_q      <= ToResult;
      head_q         <= '0;
      tail_q         <= '0;
      status_q       <= '0;
      reset_q        <= 1'b0;
      cycles_q       <= '0;
      last_job_q     <= '0;
      last_status_q  <= '0;
      row_q          <= '0;
      column_q       <= '0;
      block_q        <= '0;
      beat_addr_q    <= '0;
      beats_q        <= '0;
      beat_q         <= '0;
      offset_q       <= '0;
      error_q        <= 1'b0;
      step_q         <= '0;
      address_done_q <= 1'b0;
      data_done_q    <= 1'b0;
    end else begin
      if (soft_reset_i) reset_q <= 1'b1;
      if (doorbell_i & ~overflow) tail_q <= ring_tail_i;
      if (writing_q == ToResult) cycles_q <= cycles_q + 64'd1;  // for the record
      case (state_q)
        StIdle: begin
          reading_q <= OfDesc;
          writing_q <= ToResult;
          cycles_q  <= '0;
          if (reset_q) state_q <= StReset;
          else if (enable_i & ~empty_o) state_q <= StFetch;
        end

        StFetch: begin
          beat_addr_q <= start[63:3];
          offset_q    <= start[2:0];
          beats_q     <= 5'((10'(start[2:0]) + 10'(bytes) + 10'd7) >> 3);
          beat_q      <= '0;
          error_q     <= 1'b0;
          state_q     <= StAddress;
          if (reset_q & (reading_q != OfDesc)) begin
            status_q <= mxe_reg_pkg::STATUS_ERR_ABORTED[3:0];
            state_q  <= StRecord;
          end else if ((reading_q == OfBias) & ~bias) begin
            state_q <= StResult;
          end
        end
        StAddress: if (m_arready_i) begin
          beat_addr_q <= beat_addr_q + 61'(burst);
          beats_q     <= beats_q - burst;
          state_q     <= StData;
        end
        StData: if (m_rvalid_i) begin
          beat_q  <= beat_q + 4'd1;
          error_q <= error_q | m_rerror_i;
          if (m_rlast_i) begin
            if (error_q | m_rerror_i) begin
              status_q <= (reading_q == OfDesc) ? mxe_reg_pkg::STATUS_ERR_FETCH[3:0]
                                                : mxe_reg_pkg::STATUS_ERR_READ[3:0];
              state_q  <= (reading_q == OfDesc) ? StComplete : StRecord;
            end else if (beats_q != '0) begin
              state_q <= StAddress;
            end else begin
              case (reading_q)
                OfDesc:   state_q <= StCheck;
                OfBias:   state_q <= StResult;
                OfBScale: state_q <= StMac;
                default: begin
                  reading_q <= reading_q + 3'd1;
                  state_q   <= StFetch;
                end
              endcase
              step_q <= '0;
            end
          end
        end

        StCheck: begin
          status_q  <= check;
          row_q     <= '0;
          column_q  <= '0;
          reading_q <= OfBias;
          state_q   <= (check == mxe_reg_pkg::STATUS_OK[3:0]) ? StFetch : StRecord;
        end
        StResult: begin
          block_q   <= '0;
          reading_q <= OfA;
          state_q   <= StFetch;
        end
        StMac: begin
          step_q <= step_q + 6'd1;
          if (step_q + 6'd1 == count) state_q <= StAdd;
        end
        StAdd: begin
          block_q   <= block_q + 32'd1;
          reading_q <= OfA;
          state_q   <= last_block ? StStore : StFetch;
        end

        StStore: state_q <= StWrite;
        StWrite: begin
          address_done_q <= address_done_q | m_awready_i;
          data_done_q    <= data_done_q | m_wready_i;
          if ((address_done_q | m_awready_i) & (data_done_q | m_wready_i)) state_q <= StResponse;
        end
        StResponse: if (m_bvalid_i) begin
          address_done_q <= 1'b0;
          data_done_q    <= 1'b0;
          state_q        <= StRecord;
          if (m_berror_i) status_q <= mxe_reg_pkg::STATUS_ERR_WRITE[3:0];
          if (writing_q == ToResult) begin
            if (~m_berror_i & ~last_result) begin
              column_q  <= (column_q + 32'd1 == n) ? 32'd0 : column_q + 32'd1;
              row_q     <= (column_q + 32'd1 == n) ? row_q + 32'd1 : row_q;
              reading_q <= OfBias;
              state_q   <= StFetch;
            end
          end else if ((writing_q == ToCycles) & ~m_berror_i) begin
            // The second half of the record, unless the first half met an error.
            writing_q <= ToStatus;
            state_q   <= StWrite;
          end else begin
            state_q <= StComplete;
          end
        end

        StRecord: begin
          writing_q <= ToCycles;
          state_q   <= StWrite;
        end
        StComplete: begin
          head_q        <= head_q + 16'd1;
          last_job_q    <= (status_q == mxe_reg_pkg::STATUS_ERR_FETCH[3:0]) ? 32'd0 : job_id;
          last_status_q <= {28'd0, status_q};
          state_q       <= StIdle;
        end
        StReset: begin
          head_q  <= '0;
          tail_q  <= '0;
          reset_q <= 1'b0;
          state_q <= StIdle;
        end
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if ((state_q == StData) & m_rvalid_i) begin
      data_q[{beat_q, 6'd0} +: 64] <= m_rdata_i;
      if (reading_q == OfDesc) desc_q[{beat_q, 6'd0} +: 64] <= m_rdata_i;
    end
    if ((state_q == StFetch) & (reading_q == OfAScale)) a_q <= bytes_read;
    if ((state_q == StFetch) & (reading_q == OfB)) a_scale_q <= bytes_read[7:0];
    if ((state_q == StFetch) & (reading_q == OfBScale)) b_q <= bytes_read;
    if (state_q == StMac) begin
      a_q <= a_q >> bits_of(fmt_a);
      b_q <= b_q >> bits_of(fmt_b);
    end
  end

  `MXE_STATE_NAMES(state_e)
endmodule
`default_nettype wire
