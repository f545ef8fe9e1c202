// SPDX-License-Identifier: Apache-2.0
// Command processor: takes descriptors from the ring, checks them, runs them one after the other
// and completes each with a record in memory and an interrupt. A bus error or a soft reset aborts
// the job: requests stop, what is under way returns and is dropped, the blocks are cleared.
`include "mxe_assert.svh"
`default_nettype none
module mxe_cmd #(
  parameter int unsigned TREE_W      = 70,
  parameter bit          FP4_DUAL    = 1'b1,
  parameter int unsigned QUEUE_DEPTH = 16,
  parameter int unsigned SEG_W       = 256,
  parameter int unsigned LEN_W       = 16,
  parameter int unsigned TAG_W       = 13
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  // registers
  input  logic                     enable_i,
  input  logic                     soft_reset_i,
  input  logic [63:0]              ring_base_i,
  input  logic [4:0]               ring_size_log2_i,
  input  logic [15:0]              ring_tail_i,
  input  logic                     doorbell_i,
  output logic [15:0]              ring_head_o,
  output logic [15:0]              ring_tail_o,
  output logic [31:0]              last_job_o,
  output logic [31:0]              last_status_o,
  output logic                     busy_o,
  output logic                     empty_o,
  output logic                     resetting_o,
  output logic                     irq_done_o,
  output logic                     irq_error_o,
  output logic                     irq_queue_empty_o,
  output logic                     irq_ring_overflow_o,
  // descriptor fetch
  output logic                     req_valid_o,
  input  logic                     req_ready_i,
  output logic [63:0]              req_addr_o,
  output logic [LEN_W-1:0]         req_bytes_o,
  output logic [TAG_W-1:0]         req_tag_o,
  input  logic                     word_valid_i,   // 32 bytes of the descriptor
  input  logic [1:0]               word_index_i,
  input  logic [255:0]             word_data_i,
  input  logic                     word_last_i,
  // completion record
  output logic                     rec_valid_o,
  input  logic                     rec_ready_i,
  output logic [63:0]              rec_addr_o,
  output logic [LEN_W-1:0]         rec_bytes_o,
  output logic                     rec_data_valid_o,
  input  logic                     rec_data_ready_i,
  output logic [SEG_W-1:0]         rec_data_o,
  // job
  output logic                     start_o,
  output logic                     run_o,          // the array works on a job
  output mxe_pkg::job_t            job_o,          // stands still while a job runs
  output logic                     halt_o,
  output logic                     clear_o,
  input  logic                     job_done_i,
  // ports
  input  logic                     rd_error_i,
  input  logic                     wr_error_i,
  // the first error of a job: the ports keep where, and what is told of it is
  output logic                     fault_watch_o,
  output logic                     fault_write_o,
  output logic [3:0]               fault_operand_o,
  output logic [15:0]              fault_index_o,
  input  logic [2:0]               rd_fault_kind_i,
  input  logic                     wr_fault_scale_i,
  input  logic                     rd_idle_i,
  input  logic                     wr_idle_i       // including rows half handed over
);
  typedef enum logic [3:0] {
    StIdle,
    StFetch,     // ask for the descriptor
    StDesc,      // its words arrive
    StCheck,
    StSetup,     // derived sizes settle
    StStart,
    StRun,
    StAbort,     // wait until nothing is under way
    StClear,
    StRecord,    // ask for the completion write
    StRecData,
    StRecWait,   // until it is acknowledged
    StComplete,
    StReset
  } state_e;

  localparam int unsigned RecSegs = (SEG_W >= 128) ? 1 : (128 / SEG_W);
  localparam int unsigned LogDepth = $clog2(QUEUE_DEPTH);
  // The engine does not read the part of a descriptor that it writes.
  localparam int unsigned DescW = mxe_reg_pkg::DESC_STATUS_LSB;

  state_e           state_q;
  logic [15:0]      head_q, tail_q;
  logic [DescW-1:0] desc_q;
  logic [3:0]       status_q;
  logic             reset_q;         // a soft reset waits for the job to end
  logic             no_record_q;     // the descriptor could not be read
  logic [63:0]      cycles_q;
  logic [1:0]       seg_q;
  logic [31:0]      last_job_q, last_status_q;

  // ---------------------------------------------------------------- ring
  // Slots are counted in the bits that the largest ring needs; a larger one is refused.
  logic [LogDepth-1:0] slot_mask, slot;
  logic [15:0]         queued, pending;  // entries in use, before and after a doorbell
  logic                overflow;
  assign slot_mask = ~({LogDepth{1'b1}} << ring_size_log2_i);
  assign queued    = tail_q - head_q;
  assign pending   = ring_tail_i - head_q;
  // A smaller number would take back what was submitted, the job in flight included.
  assign overflow  = (ring_size_log2_i > 5'(LogDepth)) | (pending > 16'(slot_mask) + 16'd1) |
                     (pending < queued) | reset_q;
  assign slot      = head_q[LogDepth-1:0] & slot_mask;
  logic [63:0] slot_addr;
  assign slot_addr = ring_base_i + 64'({slot, 7'd0});

  assign ring_head_o = head_q;
  assign ring_tail_o = tail_q;
  assign empty_o     = (head_q == tail_q);
  assign busy_o      = (state_q != StIdle);
  assign resetting_o = reset_q;
  assign irq_ring_overflow_o = doorbell_i & overflow;

  // ---------------------------------------------------------------- job
  mxe_job #(.FP4_DUAL(FP4_DUAL)) u_job (.clk_i(clk_i), .desc_i(desc_q), .job_o(job_o));

  logic [3:0] check;
  mxe_check #(.TREE_W(TREE_W)) u_check (.desc_i(desc_q), .job_i(job_o), .status_o(check));

  assign start_o = (state_q == StStart);
  assign run_o   = (state_q == StRun);
  assign halt_o  = (state_q == StAbort) | (state_q == StClear);
  assign clear_o = (state_q == StClear);

  // ---------------------------------------------------------------- fetch and record
  assign req_valid_o = (state_q == StFetch);
  assign req_addr_o  = slot_addr;
  assign req_bytes_o = LEN_W'(mxe_reg_pkg::DESC_W / 8);
  assign req_tag_o   = TAG_W'({mxe_pkg::TagDesc, mxe_pkg::BANK_W'(0), 1'b1});

  logic [127:0] record;
  assign record = {cycles_q, desc_q[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32], 28'd0, status_q};
  assign rec_valid_o      = (state_q == StRecord);
  assign rec_addr_o       = slot_addr + 64'(mxe_reg_pkg::DESC_STATUS_LSB) / 64'd8;
  assign rec_bytes_o      = LEN_W'(16);
  assign rec_data_valid_o = (state_q == StRecData);
  if (RecSegs == 1) begin : gen_rec_one
    assign rec_data_o = SEG_W'(record);
  end else begin : gen_rec_parts
    // The count goes on to the number of segments, where nothing is left of the record.
    assign rec_data_o = record[32'(seg_q[$clog2(RecSegs)-1:0]) * SEG_W +: SEG_W];
  end

  // ---------------------------------------------------------------- bus errors
  // Only errors that decide how a job ends count, and the first of them.
  logic        fault_any_q, fault_write_q, fault_record_q;
  logic [15:0] fault_index_q;
  logic        writes_record, fault;
  assign writes_record = (state_q == StRecData) | (state_q == StRecWait);
  assign fault_watch_o = (state_q == StDesc) | (state_q == StRun) |
                         (writes_record & (status_q != mxe_reg_pkg::STATUS_ERR_READ[3:0]) &
                          (status_q != mxe_reg_pkg::STATUS_ERR_WRITE[3:0]));
  assign fault = fault_watch_o & (rd_error_i | wr_error_i);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_any_q    <= 1'b0;
      fault_write_q  <= 1'b0;
      fault_record_q <= 1'b0;
      fault_index_q  <= '0;
    end else if (fault) begin
      fault_any_q    <= 1'b1;
      fault_write_q  <= ~rd_error_i;
      fault_record_q <= writes_record;
      fault_index_q  <= head_q;
    end
  end
  assign fault_write_o = fault_write_q;
  assign fault_index_o = fault_index_q;
  always_comb begin
    if (!fault_any_q) begin
      fault_operand_o = mxe_reg_pkg::FAULT_NONE;
    end else if (!fault_write_q) begin
      case (rd_fault_kind_i)
        mxe_pkg::TagAElem:  fault_operand_o = mxe_reg_pkg::FAULT_A;
        mxe_pkg::TagAScale: fault_operand_o = mxe_reg_pkg::FAULT_A_SCALES;
        mxe_pkg::TagBElem:  fault_operand_o = mxe_reg_pkg::FAULT_B;
        mxe_pkg::TagBScale: fault_operand_o = mxe_reg_pkg::FAULT_B_SCALES;
        mxe_pkg::TagBias:   fault_operand_o = mxe_reg_pkg::FAULT_C;
        default:            fault_operand_o = mxe_reg_pkg::FAULT_DESCRIPTOR;
      endcase
    end else if (fault_record_q) begin
      fault_operand_o = mxe_reg_pkg::FAULT_RECORD;
    end else begin
      fault_operand_o = wr_fault_scale_i ? mxe_reg_pkg::FAULT_D_SCALES : mxe_reg_pkg::FAULT_D;
    end
  end

  // ---------------------------------------------------------------- state machine
  logic failed;
  assign failed = (status_q != mxe_reg_pkg::STATUS_OK[3:0]);
  assign irq_done_o        = (state_q == StComplete) & ~failed;
  assign irq_error_o       = (state_q == StComplete) & failed;
  assign irq_queue_empty_o = (state_q == StComplete) & ((head_q + 16'd1) == tail_q);
  assign last_job_o        = last_job_q;
  assign last_status_o     = last_status_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      head_q        <= '0;
      tail_q        <= '0;
      status_q      <= '0;
      reset_q       <= 1'b0;
      no_record_q   <= 1'b0;
      cycles_q      <= '0;
      seg_q         <= '0;
      last_job_q    <= '0;
      last_status_q <= '0;
    end else begin
      if (soft_reset_i) reset_q <= 1'b1;
      if (doorbell_i & ~overflow) tail_q <= ring_tail_i;
      cycles_q <= cycles_q + 64'd1;
      case (state_q)
        StIdle: begin
          if (reset_q) begin
            state_q <= StReset;
          end else if (enable_i & ~empty_o) begin
            state_q     <= StFetch;
            cycles_q    <= '0;
            no_record_q <= 1'b0;
          end
        end
        StFetch: if (req_ready_i) state_q <= StDesc;
        StDesc: begin
          if (rd_error_i) begin
            status_q    <= mxe_reg_pkg::STATUS_ERR_FETCH[3:0];
            no_record_q <= 1'b1;
            state_q     <= StAbort;
          end else if (word_valid_i & word_last_i) begin
            state_q <= StCheck;
          end
        end
        StCheck: begin
          status_q <= check;
          state_q  <= (check == mxe_reg_pkg::STATUS_OK[3:0]) ? StSetup : StRecord;
        end
        StSetup: state_q <= StStart;
        StStart: state_q <= StRun;
        StRun: begin
          if (rd_error_i | wr_error_i | reset_q) begin
            status_q <= rd_error_i ? mxe_reg_pkg::STATUS_ERR_READ[3:0]
                      : wr_error_i ? mxe_reg_pkg::STATUS_ERR_WRITE[3:0]
                                   : mxe_reg_pkg::STATUS_ERR_ABORTED[3:0];
            state_q  <= StAbort;
          end else if (job_done_i) begin
            state_q <= StRecord;
          end
        end
        StAbort: if (rd_idle_i & wr_idle_i) state_q <= StClear;
        StClear: state_q <= no_record_q ? StComplete : StRecord;
        StRecord: begin
          seg_q <= '0;
          if (rec_ready_i) state_q <= StRecData;
        end
        StRecData: begin
          // A record of several bursts can fail before the last of them is sent.
          if (wr_error_i) status_q <= mxe_reg_pkg::STATUS_ERR_WRITE[3:0];
          if (rec_data_ready_i) begin
            seg_q <= seg_q + 2'd1;
            if (seg_q == 2'(RecSegs - 1)) state_q <= StRecWait;
          end
        end
        StRecWait: begin
          if (wr_error_i) status_q <= mxe_reg_pkg::STATUS_ERR_WRITE[3:0];
          if (wr_idle_i) state_q <= StComplete;
        end
        StComplete: begin
          head_q        <= head_q + 16'd1;
          last_job_q    <= no_record_q ? 32'd0 : desc_q[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32];
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
    if (word_valid_i) begin
      case (word_index_i)
        2'd0:    desc_q[255:0]       <= word_data_i;
        2'd1:    desc_q[511:256]     <= word_data_i;
        2'd2:    desc_q[767:512]     <= word_data_i;
        default: desc_q[DescW-1:768] <= word_data_i[DescW-769:0];
      endcase
    end
  end

  `MXE_STATE_NAMES(state_e)
  `MXE_ASSERT(cmd_state_known, state_q <= StReset)
  `MXE_ASSERT(cmd_ring_not_overfull, (tail_q - head_q) <= 16'(QUEUE_DEPTH))
  // The job in flight is in the ring until it is complete.
  `MXE_ASSERT(cmd_job_submitted, (state_q == StIdle) || (state_q == StReset) || (head_q != tail_q))
`ifdef FORMAL
  `MXE_FORMAL_START
  // Doorbells move the tail forward, as far as the ring has entries, or change nothing and say so.
  logic        f_doorbell_q, f_overflow_q, f_reset_q, f_reset_pending_q, f_complete_q, f_past_q;
  logic [15:0] f_head_q, f_tail_q, f_asked_q, f_entries_q;
  always_ff @(posedge clk_i) begin
    f_past_q     <= rst_ni;
    f_doorbell_q <= doorbell_i;
    f_overflow_q <= irq_ring_overflow_o;
    f_reset_q    <= (state_q == StReset);
    f_complete_q <= (state_q == StComplete);
    f_reset_pending_q <= reset_q;
    f_head_q     <= head_q;
    f_tail_q     <= tail_q;
    f_asked_q    <= ring_tail_i;
    f_entries_q  <= (32'd1 << ring_size_log2_i) > 32'(QUEUE_DEPTH) ? 16'd0
                                                                  : 16'd1 << ring_size_log2_i;
  end
  logic [15:0] f_forward, f_free;
  assign f_forward = f_asked_q - f_tail_q;
  assign f_free    = f_entries_q - (f_tail_q - f_head_q);
  `MXE_ASSERT(cmd_reset_empties, !(f_past_q && f_reset_q) || ((head_q == '0) && (tail_q == '0)))
  `MXE_ASSERT(cmd_tail_by_doorbell, !f_past_q || f_reset_q ||
              (tail_q == ((f_doorbell_q && !f_overflow_q) ? f_asked_q : f_tail_q)))
  `MXE_ASSERT(cmd_head_by_completion, !f_past_q || f_reset_q ||
              (head_q == (f_complete_q ? (f_head_q + 16'd1) : f_head_q)))
  // A ring that software made smaller than what is in it takes nothing.
  `MXE_ASSERT(cmd_doorbell_forward, !(f_past_q && f_doorbell_q && !f_overflow_q && !f_reset_q) ||
              (!f_reset_pending_q && (f_entries_q >= (f_tail_q - f_head_q)) &&
               (f_forward <= f_free)))
  `MXE_ASSERT(cmd_doorbell_refused, !(f_past_q && f_doorbell_q && f_overflow_q) || f_reset_q ||
              (f_entries_q < (f_tail_q - f_head_q)) || (f_forward > f_free) || f_reset_pending_q ||
              (f_entries_q == '0))
`endif
endmodule
`default_nettype wire
