// SPDX-License-Identifier: Apache-2.0
// Command processor: takes descriptors from the ring and runs their jobs in order. While a job
// runs, mxe_desc reads the next descriptors, and mxe_record waits for the write acknowledgements of
// earlier jobs and writes their records. When all operands of a job have been requested, the
// loaders may start early with the next job, if its descriptor allows it (EARLY); when that job
// waits, with the one after it. A bus error or a soft reset aborts the running job: requests stop,
// outstanding beats return and are dropped, and the blocks are cleared.
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
  output logic                     req_valid_o,
  input  logic                     req_ready_i,
  output logic [63:0]              req_addr_o,
  output logic [LEN_W-1:0]         req_bytes_o,
  output logic [TAG_W-1:0]         req_tag_o,
  input  logic                     word_valid_i,
  input  logic [1:0]               word_index_i,
  input  logic [mxe_pkg::DESC_PLACE_W-1:0] word_place_i,
  input  logic [255:0]             word_data_i,
  input  logic                     word_last_i,
  output logic                     rec_valid_o,
  input  logic                     rec_ready_i,
  output logic [63:0]              rec_addr_o,
  output logic [LEN_W-1:0]         rec_bytes_o,
  output logic                     rec_data_valid_o,
  input  logic                     rec_data_ready_i,
  output logic [SEG_W-1:0]         rec_data_o,
  output logic                     start_o,
  output logic                     loaded_o,       // the job's loaders were started early
  output logic                     load_start_o,
  output logic                     load_early_o,   // ahead_o's operands, early
  output logic                     load_ahead_o,   // the loaders use ahead_o, else job_o
  output logic [mxe_pkg::TURN_W-1:0] load_turn_o,
  input  logic                     loads_done_i,   // the loaders have issued all requests
  output mxe_pkg::job_t            ahead_o,        // job at the output of mxe_desc
  input  logic                     alike_i,
  output logic                     run_o,
  output mxe_pkg::job_t            job_o,          // stable while a job runs
  output logic                     halt_o,
  output logic                     clear_o,
  input  logic                     job_done_i,
  input  logic                     rd_error_i,     // read error of an operand
  input  logic [mxe_pkg::TURN_W-1:0] rd_turn_i,
  input  logic                     desc_error_i,
  input  logic [mxe_pkg::DESC_PLACE_W-1:0] desc_error_place_i,
  input  logic                     wr_error_i,
  input  logic                     result_begins_i,
  input  logic                     result_answered_i,
  input  logic                     record_answered_i,
  input  logic                     record_last_i,
  // capture address and kind of the last read error, of the next write error
  output logic                     rd_fault_o,
  output logic                     wr_fault_watch_o,
  output logic                     fault_write_o,
  output logic [3:0]               fault_operand_o,
  output logic [15:0]              fault_index_o,
  input  logic [2:0]               rd_fault_kind_i,
  input  logic                     wr_fault_scale_i,
  input  logic                     rd_idle_i,
  input  logic                     wr_idle_i       // also no row is partly handed over
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

  state_e           state_q;
  logic [15:0]      head_q, tail_q;
  logic [15:0]      next_q;          // ring index of the next job to run
  logic [DescW-1:0] desc_q;          // the running job
  logic [DescW-1:0] wait_desc_q;     // the waiting job; all its operands have been requested
  logic             wait_q;
  logic             wait_loaded_q;   // the waiting job's operands have been requested early
  logic [3:0]       status_q;
  logic             reset_q;
  logic             ends_q;          // the aborted work belongs to the running job
  logic             early_q;         // operands of the job in mxe_desc have been requested
  logic             redo_q;          // an early read failed: repeat all early reads
  logic             loaded_q;        // operands of the running job were requested early
  logic             ahead_q;         // the loaders work on the job in or just from mxe_desc
  logic [mxe_pkg::TURN_W-1:0] load_turn_q, wait_turn_q, run_turn_q;
  logic [63:0]      cycles_q;
  logic [31:0]      last_job_q, last_status_q;

  logic             reading, ready, begins, unread, end_job, recording, complete;
  logic             take, take_legal, take_waiting, to_wait;
  logic [DescW-1:0] desc_ahead;
  logic [3:0]       desc_status, end_status, record_status;
  logic [31:0]      record_job_id;

  // Slot indices have the width for the largest ring; doorbells of a larger ring are refused.
  logic [LogDepth-1:0] slot_mask;
  logic [15:0]         queued, pending;
  logic                overflow;
  assign slot_mask = ~({LogDepth{1'b1}} << ring_size_log2_i);
  assign queued    = tail_q - head_q;
  assign pending   = ring_tail_i - head_q;
  // pending < queued would remove submitted entries.
  assign overflow  = (ring_size_log2_i > 5'(LogDepth)) | (pending > 16'(slot_mask) + 16'd1) |
                     (pending < queued) | reset_q;
  logic [15:0]         fetch_index, end_place;
  logic [LogDepth-1:0] slot, fetch_slot;
  assign slot       = LogDepth'(head_q + end_place) & slot_mask;
  assign fetch_slot = LogDepth'(fetch_index) & slot_mask;

  assign ring_head_o = head_q;
  assign ring_tail_o = tail_q;
  assign empty_o     = (head_q == tail_q);
  // A descriptor waiting for CTRL.enable does not make the engine busy.
  assign busy_o      = (state_q != StIdle) | recording | reading | ((ready | wait_q) & enable_i);
  assign resetting_o = reset_q;
  assign irq_ring_overflow_o = doorbell_i & overflow;

  logic go;
  logic running, settled, desc_watch;
  assign go = enable_i & ~reset_q;
  assign running = (state_q == StSetup) | (state_q == StStart) | (state_q == StRun);
`ifdef FORMAL
  logic [15:0] f_out, f_jobs;
`endif
  mxe_desc #(
    .TREE_W   (TREE_W),
    .FP4_DUAL (FP4_DUAL),
    .LEN_W    (LEN_W),
    .TAG_W    (TAG_W)
  ) u_desc (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .begin_i       (go & (fetch_index != tail_q) & ((state_q == StIdle) | running)),
    .alone_i       ((state_q == StIdle) & ~wait_q & ~recording),
    .next_o        (fetch_index),
    .addr_i        (ring_base_i + 64'({fetch_slot, 7'd0})),
    .drop_i        (halt_o),
    .clear_i       (state_q == StReset),
    .take_i        (take | to_wait),
    .begins_o      (begins),
    .empty_o       (unread),
`ifdef FORMAL
    .f_out_o       (f_out),
`endif
    .reading_o     (reading),
    .ready_o       (ready),
    .desc_o        (desc_ahead),
    .status_o      (desc_status),
    .job_o         (ahead_o),
    .settled_o     (settled),
    .req_valid_o   (req_valid_o),
    .req_ready_i   (req_ready_i),
    .req_addr_o    (req_addr_o),
    .req_bytes_o   (req_bytes_o),
    .req_tag_o     (req_tag_o),
    .word_valid_i  (word_valid_i),
    .word_place_i  (word_place_i),
    .word_index_i  (word_index_i),
    .word_data_i   (word_data_i),
    .word_last_i   (word_last_i),
    .error_i       (desc_error_i),
    .error_place_i (desc_error_place_i),
    .fault_watch_o (desc_watch)
  );

  mxe_job #(.FP4_DUAL(FP4_DUAL)) u_job (.clk_i(clk_i), .desc_i(desc_q), .job_o(job_o));

  // Read errors of other turns belong to the next jobs; acknowledgements with `answered` belong to
  // earlier jobs.
  logic run_wr_error, run_rd_error, early_error, redo, broken, run_done, answered, room;
  assign run_rd_error = rd_error_i & (rd_turn_i == run_turn_q);
  assign early_error  = rd_error_i & (rd_turn_i != run_turn_q);
  assign redo         = (early_q | wait_loaded_q) & (redo_q | early_error);
  assign run_wr_error = wr_error_i & ~answered;
  assign broken       = run_rd_error | run_wr_error | reset_q;
  assign run_done     = (state_q == StRun) & ~broken & job_done_i & room;

  // A legal job starts when the previous one is computed, an illegal one ends when it is complete.
  logic may_take, legal, legal_q, next_may_run;
  assign may_take     = ready & go & ~redo;
  assign legal        = (desc_status == mxe_reg_pkg::STATUS_OK[3:0]);
  assign next_may_run = (state_q == StIdle) | run_done;
  assign take_waiting = wait_q & go & ~redo & next_may_run;
  assign take_legal   = ~wait_q & may_take & legal & next_may_run;
  assign take         = take_legal |
                        (~wait_q & may_take & ~legal & ~early_q & (state_q == StIdle) & ~recording);
  // When all its operands have been requested, the job moves to the waiting slot.
  assign to_wait      = (state_q == StRun) & ~broken & ~run_done & ~wait_q & may_take & early_q &
                        loads_done_i;

  // Starts the loaders early. The next job's operands need not wait for results of earlier jobs,
  // and must fit into the buffers together with those of the running and the waiting job. An abort
  // needs no check here, because it clears everything.
  logic load_early;
  assign load_early   = run_o & ~(job_done_i & room) & ready & go & legal_q & settled &
                        desc_ahead[mxe_reg_pkg::DESC_CONTROL_EARLY_LSB] & alike_i & loads_done_i &
                        ~early_q & (wait_loaded_q ? ~(redo_q | early_error) : ~wait_q);
  assign load_early_o = load_early;
  assign load_start_o = load_early | (start_o & ~loaded_q);
  // Idle loaders may select either job.
  assign load_ahead_o = ahead_q | (run_o & loads_done_i);
  assign load_turn_o  = load_turn_q;
  assign loaded_o     = loaded_q;

  // A job without EARLY may read results of earlier jobs, so it starts after their acknowledgement.
  logic answered_all, waiting;
  assign start_o = (state_q == StStart) &
                   (loaded_q | desc_q[mxe_reg_pkg::DESC_CONTROL_EARLY_LSB] | answered_all);
  assign run_o   = (state_q == StRun);
  assign halt_o  = (state_q == StAbort) | (state_q == StClear);
  assign clear_o = (state_q == StClear);

  logic        ends, ended_watch;
  logic [15:0] ended_place;
  assign end_job    = run_done | (clear_o & ends_q) | (take & ~legal);
  assign end_status = run_done ? mxe_reg_pkg::STATUS_OK[3:0] : clear_o ? status_q : desc_status;
  mxe_record #(
    .SEG_W (SEG_W),
    .LEN_W (LEN_W)
  ) u_record (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .end_i            (end_job),
    .end_status_i     (end_status),
    .end_job_id_i     ((state_q == StIdle) ? desc_ahead[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32]
                                           : desc_q[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32]),
    .room_o           (room),
`ifdef FORMAL
    .f_jobs_o         (f_jobs),
`endif
    .ends_o           (ends),
    .place_o          (end_place),
    .addr_i           (ring_base_i + 64'({slot, 7'd0})),
    .cycles_i         (cycles_q),
    .rec_valid_o      (rec_valid_o),
    .rec_ready_i      (rec_ready_i),
    .rec_addr_o       (rec_addr_o),
    .rec_bytes_o      (rec_bytes_o),
    .rec_data_valid_o (rec_data_valid_o),
    .rec_data_ready_i (rec_data_ready_i),
    .rec_data_o       (rec_data_o),
    .result_begins_i  (result_begins_i),
    .result_answered_i(result_answered_i),
    .record_answered_i(record_answered_i),
    .record_last_i    (record_last_i),
    .wr_error_i       (wr_error_i),
    .answered_o       (answered),
    .fault_watch_o    (ended_watch),
    .fault_place_o    (ended_place),
    .busy_o           (recording),
    .waiting_o        (waiting),
    .answered_all_o   (answered_all),
    .complete_o       (complete),
    .status_o         (record_status),
    .job_id_o         (record_job_id)
  );

  // ---------------------------------------------------------------- bus errors
  // Reports the first error of a job that determines its status. The report belongs to the latest
  // job with an error: errors of earlier jobs no longer change it.
  logic        ended_counts;
  logic        fault_any_q, fault_write_q, fault_record_q;
  logic        fault_open_q;   // the job with the error is not complete
  logic [15:0] fault_index_q, ended_index;
  logic [PlaceW-1:0] fault_place;
  logic        ended_before;   // the new error belongs to an earlier job
  logic        run_fault, desc_fault, ended_fault;
  assign run_fault    = (running & run_rd_error) | ((state_q == StRun) & run_wr_error);
  assign desc_fault   = desc_watch & desc_error_i;
  assign ended_index  = head_q + ended_place;
  // Both indices count from the oldest incomplete job.
  assign fault_place  = PlaceW'(fault_index_q - head_q);
  assign ended_before = (ended_place[PlaceW-1:0] < fault_place);
  assign ended_counts = ended_watch & ~(fault_open_q & ended_before);
  assign ended_fault  = ended_counts & wr_error_i & ~run_fault;
  // Descriptor errors reach the read port one cycle after the beat, as operand errors do.
  logic desc_fault_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) desc_fault_q <= 1'b0;
    else desc_fault_q <= desc_fault;
  end
  assign rd_fault_o       = desc_fault_q | (running & run_rd_error);
  assign wr_fault_watch_o = ended_counts | ((state_q == StRun) & ~answered);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fault_open_q   <= 1'b0;
      fault_any_q    <= 1'b0;
      fault_write_q  <= 1'b0;
      fault_record_q <= 1'b0;
      fault_index_q  <= '0;
    end else begin
      if (run_fault | desc_fault | ended_fault) begin
        fault_any_q    <= 1'b1;
        fault_open_q   <= 1'b1;
        fault_write_q  <= ended_fault | (run_fault & ~run_rd_error);
        fault_record_q <= ended_fault & record_answered_i;
        fault_index_q  <= run_fault ? (next_q - 16'd1) : desc_fault ? head_q : ended_index;
      end else if ((complete & (head_q == fault_index_q)) | (state_q == StReset)) begin
        fault_open_q <= 1'b0;
      end
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
      next_q        <= '0;
      status_q      <= '0;
      reset_q       <= 1'b0;
      ends_q        <= 1'b0;
      cycles_q      <= '0;
      last_job_q    <= '0;
      last_status_q <= '0;
    end else begin
      if (soft_reset_i) reset_q <= 1'b1;
      if (doorbell_i & ~overflow) tail_q <= ring_tail_i;
      if (take | take_waiting) next_q <= next_q + 16'd1;
      // A job's cycles start at the end of the previous job, at its own fetch, or when the engine
      // was enabled, whichever is latest.
      if (ends | ((state_q == StIdle) & ~enable_i & ~waiting)) cycles_q <= 64'd1;
      else if (begins & unread & ~wait_q & (state_q == StIdle) & ~waiting) cycles_q <= RecordClocks;
      else cycles_q <= cycles_q + 64'd1;
      if (complete) begin
        head_q        <= head_q + 16'd1;
        last_job_q    <= record_job_id;
        last_status_q <= {28'd0, record_status};
      end
      case (state_q)
        StIdle: begin
          ends_q <= 1'b0;
          if (take_waiting | take_legal) state_q <= StSetup;
          else if (redo | (reset_q & (early_q | wait_loaded_q))) state_q <= StAbort;
          else if (reset_q & ~recording & ~reading) state_q <= StReset;
        end
        StSetup, StStart: begin
          // Errors of operands requested early now belong to this job.
          if (run_rd_error) begin
            status_q <= mxe_reg_pkg::STATUS_ERR_READ[3:0];
            ends_q   <= 1'b1;
            state_q  <= StAbort;
          end else begin
            state_q <= start_o ? StRun : StStart;
          end
        end
        StRun: begin
          if (broken) begin
            ends_q   <= 1'b1;
            status_q <= run_rd_error ? mxe_reg_pkg::STATUS_ERR_READ[3:0]
                      : run_wr_error ? mxe_reg_pkg::STATUS_ERR_WRITE[3:0]
                                     : mxe_reg_pkg::STATUS_ERR_ABORTED[3:0];
            state_q  <= StAbort;
          end else if (run_done) begin
            ends_q  <= 1'b0;
            state_q <= (take_waiting | take_legal) ? StSetup : redo ? StAbort : StIdle;
          end
        end
        // Records of earlier jobs are written first.
        StAbort: if (rd_idle_i & wr_idle_i & ~recording) state_q <= StClear;
        StClear: state_q <= StIdle;
        StReset: begin
          head_q  <= '0;
          tail_q  <= '0;
          next_q  <= '0;
          reset_q <= 1'b0;
          state_q <= StIdle;
        end
        default: state_q <= StIdle;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    legal_q <= legal;  // registered: the descriptor has been ready for at least one cycle
    if (take_waiting | take_legal) desc_q <= take_waiting ? wait_desc_q : desc_ahead;
    if (to_wait) wait_desc_q <= desc_ahead;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wait_q        <= 1'b0;
      wait_loaded_q <= 1'b0;
      early_q       <= 1'b0;
      redo_q        <= 1'b0;
      loaded_q      <= 1'b0;
      ahead_q       <= 1'b0;
      load_turn_q   <= '0;
      wait_turn_q   <= '0;
      run_turn_q    <= '0;
    end else if (clear_o) begin
      wait_loaded_q <= 1'b0;
      early_q       <= 1'b0;
      redo_q        <= 1'b0;
      loaded_q      <= 1'b0;
      ahead_q       <= 1'b0;
      run_turn_q    <= load_turn_q;
    end else begin
      if (load_start_o) load_turn_q <= load_turn_q + mxe_pkg::TURN_W'(1);
      if (load_early) early_q <= 1'b1;
      else if (take_legal | to_wait) early_q <= 1'b0;
      if ((early_q | wait_loaded_q) & early_error) redo_q <= 1'b1;
      if (take_waiting) loaded_q <= wait_loaded_q;
      else if (take_legal) loaded_q <= early_q;
      if (to_wait) begin
        wait_q        <= 1'b1;
        wait_loaded_q <= 1'b1;
        wait_turn_q   <= load_turn_q;
      end else if (take_waiting | (state_q == StReset)) begin
        wait_q        <= 1'b0;
        wait_loaded_q <= 1'b0;
      end
      if (load_early) ahead_q <= 1'b1;
      else if (to_wait | ((start_o | halt_o) & ~early_q)) ahead_q <= 1'b0;
      if (take_waiting & wait_loaded_q) run_turn_q <= wait_turn_q;
      else if (take_legal & early_q) run_turn_q <= load_turn_q;
      else if (start_o & ~loaded_q) run_turn_q <= load_turn_q + mxe_pkg::TURN_W'(1);
    end
  end

  `MXE_STATE_NAMES(state_e)
  `MXE_ASSERT(cmd_state_known, state_q <= StReset)
  `MXE_ASSERT(cmd_ring_not_overfull, (tail_q - head_q) <= 16'(QUEUE_DEPTH))
  `MXE_ASSERT(cmd_job_submitted, (state_q == StIdle) || (state_q == StReset) || (head_q != tail_q))
  `MXE_ASSERT(cmd_early_is_ready, !early_q || ready)
  `MXE_ASSERT(cmd_forgets_early, !halt_o || ends_q || early_q || wait_loaded_q)
  `MXE_ASSERT(cmd_early_after_waiting, !early_q || wait_loaded_q || !wait_q)
  `MXE_ASSERT(cmd_waiting_is_there, !wait_loaded_q || wait_q)
  `MXE_ASSERT(cmd_fault_in_flight, !fault_open_q ||
              (16'(fault_index_q - head_q) <= 16'(mxe_pkg::RECORDS)))
  `MXE_ASSERT(cmd_reset_at_rest, (state_q != StReset) || (!reading && !recording && !early_q))
  `MXE_ASSERT(cmd_next_submitted, (next_q - head_q) <= (tail_q - head_q))
  `MXE_ASSERT(cmd_descriptor_submitted, !(ready || wait_q) || (next_q != tail_q))
  // Operands that may be results of earlier jobs are read after all acknowledgements.
  `MXE_ASSERT(cmd_reads_what_was_written, !load_start_o || load_early ||
              desc_q[mxe_reg_pkg::DESC_CONTROL_EARLY_LSB] || answered_all)
  `MXE_ASSERT(cmd_ends_in_order, !end_job || run_done || !recording)
`ifdef FORMAL
  `MXE_FORMAL_START
  // Ring order: complete, computed or running, waiting or ready, read, submitted.
  logic [15:0] f_taken, f_seen, f_asked, f_submitted;
  assign f_taken     = next_q - head_q;
  assign f_seen      = f_out - head_q;
  assign f_asked     = fetch_index - head_q;
  assign f_submitted = tail_q - head_q;
  `MXE_ASSERT(cmd_jobs_in_order, f_taken == f_jobs + 16'(running || (halt_o && ends_q)))
  `MXE_ASSERT(cmd_seen_in_order, f_seen == f_taken + 16'(wait_q) + 16'(ready))
  `MXE_ASSERT(cmd_asked_in_order, (f_seen <= f_asked) &&
              (f_asked <= f_submitted) && (!req_valid_o || (f_asked != f_submitted)))
  `MXE_ASSERT(cmd_clears_at_rest, !clear_o || !recording)
  // A doorbell advances the tail by at most the free entries, or has no effect but overflow.
  logic        f_doorbell_q, f_overflow_q, f_reset_q, f_reset_pending_q, f_complete_q, f_past_q;
  logic [15:0] f_head_q, f_tail_q, f_asked_q, f_entries_q;
  always_ff @(posedge clk_i) begin
    f_past_q     <= rst_ni;
    f_doorbell_q <= doorbell_i;
    f_overflow_q <= irq_ring_overflow_o;
    f_reset_q    <= (state_q == StReset);
    f_complete_q <= complete;
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
  // A ring that has become smaller than its contents accepts no doorbell.
  `MXE_ASSERT(cmd_doorbell_forward, !(f_past_q && f_doorbell_q && !f_overflow_q && !f_reset_q) ||
              (!f_reset_pending_q && (f_entries_q >= (f_tail_q - f_head_q)) &&
               (f_forward <= f_free)))
  `MXE_ASSERT(cmd_doorbell_refused, !(f_past_q && f_doorbell_q && f_overflow_q) || f_reset_q ||
              (f_entries_q < (f_tail_q - f_head_q)) || (f_forward > f_free) || f_reset_pending_q ||
              (f_entries_q == '0))
`endif
endmodule
`default_nettype wire
