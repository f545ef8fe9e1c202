// SPDX-License-Identifier: Apache-2.0
// Command processor: takes descriptors from the ring and runs their jobs in order. Three slots hold
// the next jobs: run (the running job), wait (all its operands have been requested) and ahead (the
// oldest descriptor of mxe_desc). A job advances from ahead to wait to run, or from ahead to run.
//
// While a job runs, mxe_desc reads the next descriptors, and mxe_record waits for the write
// acknowledgements of earlier jobs and writes their records. When all operands of the running and
// the waiting job have been requested, the loaders may read the operands of the job ahead early, if
// its descriptor allows it (EARLY). A bus error or a soft reset aborts the running job: requests
// stop, outstanding beats return and are dropped, and the blocks are cleared. Early reads are
// dropped, too, and issued again later.
`include "mxe_assert.svh"
`default_nettype none
module mxe_cmd #(
  parameter int unsigned TREE_W      = 70,
  parameter bit          FP4_DUAL    = 1'b1,
  parameter bit          NVFP4       = 1'b1,
  parameter int unsigned QUEUE_DEPTH = 16,
  parameter int unsigned SEG_W       = 256
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,
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
  output mxe_pkg::fetch_t          req_o,
  input  logic                     req_ready_i,
  input  mxe_pkg::word_t           word_i,
  output mxe_pkg::write_t          record_o,
  input  logic                     row_ready_i,
  input  logic                     data_ready_i,
  output mxe_pkg::control_t        control_o,
  output mxe_pkg::load_t           load_o,
  output mxe_pkg::job_t            job_o,          // stable while a job runs
  output mxe_pkg::job_t            ahead_o,        // job at the output of mxe_desc
  input  mxe_pkg::status_t         status_i,
  output mxe_pkg::watch_t          watch_o,
  input  mxe_pkg::fault_t          fault_i,
  output logic [3:0]               fault_operand_o,
  output logic [15:0]              fault_index_o
);
  typedef enum logic [2:0] {
    StIdle,
    StSetup,     // derived sizes settle
    StStart,
    StRun,
    StAbort,     // wait until nothing is outstanding
    StClear,
    StReset
  } state_e;

  localparam int unsigned LogDepth = $clog2(QUEUE_DEPTH);
  localparam int unsigned DescW = mxe_reg_pkg::DESC_STATUS_LSB;
  localparam int unsigned PlaceW = $clog2(mxe_pkg::RECORDS + 1);  // counts incomplete jobs
  // Cycles from the end of a job to its record request, which count for that job.
  localparam logic [63:0] RecordClocks = 64'd3;

  // A slot without its descriptor; 0: empty. Hexadecimal digits: error; 8 valid + 4 loaded + turn.
  // Example: 0x0E is a job of turn 2 with early reads, 0x8E the same after an error of such a read.
  typedef struct packed {
    logic [3:0]                 error;   // status of an abort or of a failed early read; 0: none
    logic                       valid;   // a job is in the slot
    logic                       loaded;  // its operands were requested early
    logic [mxe_pkg::TURN_W-1:0] turn;    // low bits of its ring index; in the tags of its reads
  } slot_t;

  // First bus error of a job.
  typedef struct packed {
    logic        any;     // there was an error since reset
    logic        open;    // its job is not complete
    logic        write;
    logic        record;  // of the completion record
    logic [15:0] index;   // ring index of its job
  } first_t;

  state_e           state_q;
  slot_t            run_q, wait_q, ahead;
  logic             ahead_loaded_q;  // mxe_desc holds the other fields of ahead
  logic [3:0]       ahead_error_q;
  logic [DescW-1:0] run_desc_q, wait_desc_q, ahead_desc;
  logic [15:0]      head_q, tail_q;
  logic             reset_q;
  first_t           fault_q;
  logic [63:0]      cycles_q;
  logic [31:0]      last_job_q, last_status_q;

  slot_t             next_job;  // advances to run
  logic              to_run, to_wait, refuse, load_early, abort;
  logic              reading, begins, unread, end_job, recording, complete;
  logic              ahead_valid;
  logic [mxe_pkg::TURN_W-1:0] ahead_turn;
  logic [3:0]        desc_status, end_status, record_status;
  logic [31:0]       record_job_id;
  logic [PlaceW-1:0] jobs, end_place;  // jobs in mxe_record; those before the one that ends
  assign ahead    = {ahead_error_q, ahead_valid, ahead_loaded_q,
                     ahead_turn & {mxe_pkg::TURN_W{ahead_valid}}};
  assign next_job = wait_q.valid ? wait_q : ahead;

  // Ring entries have indices of LogDepth bits; doorbells of a ring with more entries are refused.
  logic [LogDepth-1:0] slot_mask;
  logic [15:0]         queued, pending;
  logic                overflow;
  assign slot_mask = ~({LogDepth{1'b1}} << ring_size_log2_i);
  assign queued    = tail_q - head_q;
  assign pending   = ring_tail_i - head_q;
  // pending < queued would remove submitted entries.
  assign overflow  = (ring_size_log2_i > 5'(LogDepth)) | (pending > 16'(slot_mask) + 16'd1) |
                     (pending < queued) | reset_q;
  logic [15:0]         fetch_index;
  logic [LogDepth-1:0] end_slot, fetch_slot;
  assign end_slot   = LogDepth'(head_q + 16'(end_place)) & slot_mask;
  assign fetch_slot = LogDepth'(fetch_index) & slot_mask;

  assign ring_head_o = head_q;
  assign ring_tail_o = tail_q;
  assign empty_o     = (head_q == tail_q);
  // A descriptor waiting for CTRL.enable does not make the engine busy.
  assign busy_o      = (state_q != StIdle) | recording | reading | (next_job.valid & enable_i);
  assign resetting_o = reset_q;
  assign irq_ring_overflow_o = doorbell_i & overflow;

  logic go;
  logic start, run, halt, clear;
  logic running, loadable, desc_fault;
  assign go = enable_i & ~reset_q;
  assign running = (state_q == StSetup) | (state_q == StStart) | (state_q == StRun);
`ifdef FORMAL
  logic [15:0] f_out;
`endif
  mxe_desc #(
    .TREE_W   (TREE_W),
    .FP4_DUAL (FP4_DUAL),
    .NVFP4    (NVFP4)
  ) u_desc (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .begin_i       (go & (fetch_index != tail_q) & ((state_q == StIdle) | running)),
    .alone_i       ((state_q == StIdle) & ~wait_q.valid & ~recording),
    .next_o        (fetch_index),
    .addr_i        (ring_base_i + 64'({fetch_slot, 7'd0})),
    .drop_i        (halt),
    .clear_i       (state_q == StReset),
    .take_i        ((to_run & ~wait_q.valid) | to_wait | refuse),
    .begins_o      (begins),
    .empty_o       (unread),
`ifdef FORMAL
    .f_out_o       (f_out),
`endif
    .reading_o     (reading),
    .ready_o       (ahead_valid),
    .turn_o        (ahead_turn),
    .desc_o        (ahead_desc),
    .status_o      (desc_status),
    .job_o         (ahead_o),
    .loadable_o    (loadable),
    .req_o         (req_o),
    .req_ready_i   (req_ready_i),
    .word_i        (word_i),
    .error_i       (status_i.desc_error),
    .error_place_i (status_i.desc_error_place),
    .fault_o       (desc_fault)
  );

  mxe_job #(.FP4_DUAL(FP4_DUAL), .NVFP4(NVFP4)) u_job (
    .clk_i  (clk_i),
    .desc_i (run_desc_q),
    .job_o  (job_o)
  );

  // A read error belongs to the slot of its turn. A response to a write belongs to an earlier job
  // (answered) or to the running one.
  logic run_wr_error, run_rd_error, wait_error, ahead_error, redo, broken, run_done, answered, room;
  assign run_rd_error = status_i.rd_error & (status_i.rd_turn == run_q.turn);
  assign wait_error   = status_i.rd_error & (status_i.rd_turn == wait_q.turn) & wait_q.loaded;
  assign ahead_error  = status_i.rd_error & (status_i.rd_turn == ahead.turn) & ahead.loaded;
  // An early read failed: all early reads are dropped and issued again.
  assign redo         = wait_error | ahead_error | (wait_q.error != '0) | (ahead.error != '0);
  assign run_wr_error = status_i.wr_error & ~answered;
  assign broken       = run_rd_error | run_wr_error | reset_q;
  assign run_done     = (state_q == StRun) & ~broken & status_i.job_done & room;
  assign abort        = (running & run_rd_error) | ((state_q == StRun) & broken);

  // The next job starts when the running one has been computed. A job whose descriptor is illegal
  // is refused when all earlier jobs are complete.
  logic advances, legal;
  assign advances = go & ~redo;
  assign legal    = (desc_status == mxe_reg_pkg::STATUS_OK[3:0]);
  assign to_run   = advances & ((state_q == StIdle) | run_done) &
                    (wait_q.valid | (ahead.valid & legal));
  assign refuse   = advances & ~wait_q.valid & ahead.valid & ~ahead.loaded & ~legal &
                    (state_q == StIdle) & ~recording;
  // The job ahead waits when all its operands have been requested.
  assign to_wait  = advances & ahead.loaded & status_i.loads_done & ~wait_q.valid & (state_q == StRun) &
                    ~broken & ~run_done;

  // Starts the loaders early. The operands of the job ahead need not wait for results of earlier
  // jobs, and must fit into the buffers together with those of the running and the waiting job.
  assign load_early   = advances & loadable & ahead.valid & ~ahead.loaded & status_i.loads_done &
                        (wait_q.loaded | ~wait_q.valid) & run & ~(status_i.job_done & room) & status_i.alike &
                        ahead_desc[mxe_reg_pkg::DESC_CONTROL_EARLY_LSB];
  assign load_o.early = load_early;
  assign load_o.start = load_early | (start & ~run_q.loaded);
  // While the sizes in job_o settle, the loaders continue with ahead_o, which mxe_desc holds for
  // two more cycles. Idle loaders may select either job.
  assign load_o.ahead = ahead.loaded | (run_q.loaded & running & ~run) |
                        (run & status_i.loads_done);
  assign load_o.turn  = ahead.loaded ? ahead.turn : run_q.turn;

  // A job without EARLY may read results of earlier jobs, so it starts after their acknowledgement.
  logic answered_all, results_pending;
  assign start = (state_q == StStart) &
                 (run_q.loaded | run_desc_q[mxe_reg_pkg::DESC_CONTROL_EARLY_LSB] | answered_all);
  assign run   = (state_q == StRun);
  assign halt  = (state_q == StAbort) | (state_q == StClear);
  assign clear = (state_q == StClear);
  assign control_o = {start, run_q.loaded, run, halt, clear};

  logic              ends, ended_watch;
  logic [PlaceW-1:0] ended_place;
  assign end_job    = run_done | (clear & run_q.valid) | refuse;
  assign end_status = run_done ? mxe_reg_pkg::STATUS_OK[3:0]
                    : clear  ? run_q.error : desc_status;
  mxe_record #(
    .SEG_W (SEG_W)
  ) u_record (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .end_i            (end_job),
    .end_status_i     (end_status),
    .end_job_id_i     ((state_q == StIdle) ? ahead_desc[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32]
                                           : run_desc_q[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32]),
    .room_o           (room),
    .jobs_o           (jobs),
    .ends_o           (ends),
    .place_o          (end_place),
    .addr_i           (ring_base_i + 64'({end_slot, 7'd0})),
    .cycles_i         (cycles_q),
    .write_o          (record_o),
    .row_ready_i      (row_ready_i),
    .data_ready_i     (data_ready_i),
    .status_i         (status_i),
    .answered_o       (answered),
    .fault_watch_o    (ended_watch),
    .fault_place_o    (ended_place),
    .busy_o           (recording),
    .waiting_o        (results_pending),
    .answered_all_o   (answered_all),
    .complete_o       (complete),
    .status_o         (record_status),
    .job_id_o         (record_job_id)
  );

  // ---------------------------------------------------------------- bus errors
  // Reports the first error of a job that determines its status. The report belongs to the latest
  // job with an error: later errors of earlier jobs do not change it.
  logic              ended_counts;
  logic [PlaceW-1:0] reported_place, fault_place;  // incomplete jobs before the job with the error
  logic              run_fault, ended_fault;
  assign run_fault      = (running & run_rd_error) | ((state_q == StRun) & run_wr_error);
  assign reported_place = PlaceW'(fault_q.index - head_q);
  assign ended_counts   = ended_watch & ~(fault_q.open & (ended_place < reported_place));
  assign ended_fault    = ended_counts & status_i.wr_error & ~run_fault;
  assign fault_place    = run_fault ? jobs : desc_fault ? '0 : ended_place;
  assign watch_o.rd_fault       = desc_fault | (running & run_rd_error);
  assign watch_o.wr_fault_watch = ended_counts | ((state_q == StRun) & ~answered);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_q <= '0;
    end else if (run_fault | desc_fault | ended_fault) begin
      fault_q.any    <= 1'b1;
      fault_q.open   <= 1'b1;
      fault_q.write  <= ended_fault | (run_fault & ~run_rd_error);
      fault_q.record <= ended_fault & status_i.record_answered;
      fault_q.index  <= head_q + 16'(fault_place);
    end else if ((complete & (head_q == fault_q.index)) | (state_q == StReset)) begin
      fault_q.open <= 1'b0;
    end
  end
  assign watch_o.write = fault_q.write;
  assign fault_index_o = fault_q.index;
  always_comb begin
    if (!fault_q.any) begin
      fault_operand_o = mxe_reg_pkg::FAULT_NONE;
    end else if (!fault_q.write) begin
      case (fault_i.rd_kind)
        mxe_pkg::TagAElem:  fault_operand_o = mxe_reg_pkg::FAULT_A;
        mxe_pkg::TagAScale: fault_operand_o = mxe_reg_pkg::FAULT_A_SCALES;
        mxe_pkg::TagBElem:  fault_operand_o = mxe_reg_pkg::FAULT_B;
        mxe_pkg::TagBScale: fault_operand_o = mxe_reg_pkg::FAULT_B_SCALES;
        mxe_pkg::TagBias:   fault_operand_o = mxe_reg_pkg::FAULT_C;
        default:            fault_operand_o = mxe_reg_pkg::FAULT_DESCRIPTOR;
      endcase
    end else if (fault_q.record) begin
      fault_operand_o = mxe_reg_pkg::FAULT_RECORD;
    end else begin
      fault_operand_o = fault_i.wr_scale ? mxe_reg_pkg::FAULT_D_SCALES : mxe_reg_pkg::FAULT_D;
    end
  end

  logic failed;
  assign failed = (record_status != mxe_reg_pkg::STATUS_OK[3:0]);
  assign irq_done_o        = complete & ~failed;
  assign irq_error_o       = complete & failed;
  assign irq_queue_empty_o = complete & ((head_q + 16'd1) == tail_q);
  assign last_job_o        = last_job_q;
  assign last_status_o     = last_status_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q       <= StIdle;
      head_q        <= '0;
      tail_q        <= '0;
      reset_q       <= 1'b0;
      cycles_q      <= '0;
      last_job_q    <= '0;
      last_status_q <= '0;
    end else begin
      if (soft_reset_i) reset_q <= 1'b1;
      if (doorbell_i & ~overflow) tail_q <= ring_tail_i;
      // A job's cycles start at the end of the previous job, at its descriptor's fetch, or when the
      // engine was enabled, whichever is latest.
      if (ends | ((state_q == StIdle) & ~enable_i & ~results_pending)) cycles_q <= 64'd1;
      else if (begins & unread & ~wait_q.valid & (state_q == StIdle) & ~results_pending)
        cycles_q <= RecordClocks;
      else cycles_q <= cycles_q + 64'd1;
      if (complete) begin
        head_q        <= head_q + 16'd1;
        last_job_q    <= record_job_id;
        last_status_q <= {28'd0, record_status};
      end
      case (state_q)
        StIdle: begin
          if (to_run) state_q <= StSetup;
          else if (redo | (reset_q & (ahead.loaded | wait_q.loaded))) state_q <= StAbort;
          else if (reset_q & ~recording & ~reading) state_q <= StReset;
        end
        // A job with early reads can be aborted before it starts.
        StSetup, StStart: state_q <= abort ? StAbort : start ? StRun : StStart;
        StRun: begin
          if (abort) state_q <= StAbort;
          else if (run_done) state_q <= to_run ? StSetup : redo ? StAbort : StIdle;
        end
        // Records of earlier jobs are written first.
        StAbort: if (status_i.rd_idle & status_i.wr_idle & ~recording) state_q <= StClear;
        StClear: state_q <= StIdle;
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

  // The slots: errors, early reads, then the advance of at most one job. A slot that advances holds
  // no error, because redo prevents it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      run_q          <= '0;
      wait_q         <= '0;
      ahead_loaded_q <= 1'b0;
      ahead_error_q  <= '0;
    end else if (clear) begin
      run_q          <= '0;
      wait_q.loaded  <= 1'b0;
      wait_q.error   <= '0;
      ahead_loaded_q <= 1'b0;
      ahead_error_q  <= '0;
    end else begin
      if (abort) begin
        run_q.error <= run_rd_error ? mxe_reg_pkg::STATUS_ERR_READ[3:0]
                     : run_wr_error ? mxe_reg_pkg::STATUS_ERR_WRITE[3:0]
                                    : mxe_reg_pkg::STATUS_ERR_ABORTED[3:0];
      end
      if (wait_error) wait_q.error <= mxe_reg_pkg::STATUS_ERR_READ[3:0];
      if (ahead_error) ahead_error_q <= mxe_reg_pkg::STATUS_ERR_READ[3:0];
      if (load_early) ahead_loaded_q <= 1'b1;
      // The advance.
      if (to_run) run_q <= next_job;
      else if (run_done) run_q <= '0;
      if (to_wait) wait_q <= ahead;
      else if (to_run | (state_q == StReset)) wait_q <= '0;
      if (to_wait | (to_run & ~wait_q.valid)) ahead_loaded_q <= 1'b0;
    end
  end
  // Descriptors need no reset.
  always_ff @(posedge clk_i) begin
    if (to_run) run_desc_q <= wait_q.valid ? wait_desc_q : ahead_desc;
    if (to_wait) wait_desc_q <= ahead_desc;
  end

  `MXE_STATE_NAMES(state_e)
`ifndef SYNTHESIS
  logic [15:0] next_index;  // ring index of next_job
  assign next_index = head_q + 16'(jobs) + 16'(run_q.valid);
`endif
  `MXE_ASSERT(cmd_state_known, state_q <= StReset)
  `MXE_ASSERT(cmd_ring_not_overfull, (tail_q - head_q) <= 16'(QUEUE_DEPTH))
  `MXE_ASSERT(cmd_job_submitted, (state_q == StIdle) || (state_q == StReset) || (head_q != tail_q))
  `MXE_ASSERT(cmd_empty_slot_is_zero, (run_q.valid || (run_q == '0)) &&
              (wait_q.valid || (wait_q == '0)) && (ahead.valid || (ahead == '0)))
  `MXE_ASSERT(cmd_early_after_waiting, !ahead.loaded || wait_q.loaded || !wait_q.valid)
  `MXE_ASSERT(cmd_error_of_early_read, ((ahead.error == '0) || ahead.loaded) &&
              ((wait_q.error == '0) || wait_q.loaded))
  `MXE_ASSERT(cmd_abort_has_reason, halt ? (run_q.valid == (run_q.error != '0))
                                           : ((run_q.valid == running) && (run_q.error == '0)))
  `MXE_ASSERT(cmd_cancels_early_reads, !halt || run_q.valid || ahead.loaded || wait_q.loaded)
  `MXE_ASSERT(cmd_fault_in_flight, !fault_q.open ||
              (16'(fault_q.index - head_q) <= 16'(mxe_pkg::RECORDS)))
  `MXE_ASSERT(cmd_reset_at_rest, (state_q != StReset) ||
              (!reading && !recording && !ahead.loaded && !wait_q.loaded))
  `MXE_ASSERT(cmd_turn_of_run, !run_q.valid || (run_q.turn == mxe_pkg::TURN_W'(head_q + 16'(jobs))))
  `MXE_ASSERT(cmd_turn_of_next, !next_job.valid || (next_job.turn == mxe_pkg::TURN_W'(next_index)))
  `MXE_ASSERT(cmd_turn_of_ahead, !(wait_q.valid && ahead.valid) ||
              (ahead.turn == wait_q.turn + mxe_pkg::TURN_W'(1)))
  `MXE_ASSERT(cmd_next_submitted, 16'(next_index - head_q) <= (tail_q - head_q))
  `MXE_ASSERT(cmd_descriptor_submitted, !next_job.valid || (next_index != tail_q))
  // Operands that may be results of earlier jobs are read after all acknowledgements.
  `MXE_ASSERT(cmd_reads_what_was_written, !load_o.start || load_early ||
              run_desc_q[mxe_reg_pkg::DESC_CONTROL_EARLY_LSB] || answered_all)
  `MXE_ASSERT(cmd_ends_in_order, !end_job || run_done || !recording)
`ifdef FORMAL
`include "mxe_cmd.proof.svh"
`endif
endmodule
`default_nettype wire
