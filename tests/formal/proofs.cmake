# SPDX-License-Identifier: Apache-2.0
# Proofs by temporal induction: module and options of prove.py, then the faults that the proof must find (a text that
# occurs once in the module, and its faulty replacement). `;` is not allowed.

# mxe_proof(<name> <module> <options>...)
function(mxe_proof name module)
  set(command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/prove.py --yosys ${MXE_YOSYS} --include
              ${MXE_RTL_INCLUDE} --module ${module} ${ARGN})
  set(MXE_PROOF_COMMAND ${command} PARENT_SCOPE)
  set(MXE_PROOF_NAME ${name} PARENT_SCOPE)
  add_test(NAME formal.${name} COMMAND ${command} -- ${MXE_RTL_SOURCES})
  set_tests_properties(formal.${name} PROPERTIES LABELS formal TIMEOUT 150)
endfunction()

# mxe_proof_fault(<name> <correct> <faulty>): a fault for the preceding proof.
function(mxe_proof_fault name correct faulty)
  set(test formal.${MXE_PROOF_NAME}.${name})
  add_test(NAME ${test} COMMAND ${MXE_PROOF_COMMAND} --steps 14 --fault ${correct} ${faulty} -- ${MXE_RTL_SOURCES})
  set_tests_properties(${test} PROPERTIES LABELS formal TIMEOUT 150)
endfunction()

# cmake-format: off
mxe_proof(ram mxe_ram --parameter WIDTH=4 --parameter DEPTH=8)
mxe_proof_fault(wrong_place "mem[waddr_i] <= wdata_i"
                "mem[waddr_i ^ {{(ADDR_W-1){1'b0}}, re_i}] <= wdata_i")

mxe_proof(fifo mxe_fifo --parameter WIDTH=4 --parameter DEPTH=4)
mxe_proof_fault(overflow "(count_q != (PtrW+1)'(DEPTH))" "1'b1")
mxe_proof_fault(underflow "assign valid_o = (count_q != '0)" "assign valid_o = 1'b1")
mxe_proof_fault(count_both "+ {{PtrW{1'b0}}, push} - {{PtrW{1'b0}}, pop}"
                "+ {{PtrW{1'b0}}, push} - {{PtrW{1'b0}}, pop & ~push}")
mxe_proof_fault(order "assign data_o = mem[rptr_q]" "assign data_o = mem[wptr_q]")
mxe_proof(fifo_deep mxe_fifo --parameter WIDTH=2 --parameter DEPTH=32)
mxe_proof(fifo_head mxe_fifo --parameter WIDTH=4 --parameter DEPTH=4 --parameter HEAD=1)
mxe_proof_fault(head "last ? data_i : mem[rptr_next]" "mem[rptr_next]")

mxe_proof(opbuf mxe_opbuf --parameter BANKS=4 --free mxe_ram --passed-through expand_format)
mxe_proof_fault(release "<= (full_q | set) & ~unset" "<= full_q | set")
mxe_proof(opbuf_two_words mxe_opbuf --parameter BANKS=4 --parameter TWO_WORDS=1 --free mxe_ram
          --passed-through expand_format)

foreach(mem_w 64 512)
  mxe_proof(bursts_${mem_w} mxe_bursts --parameter MEM_W=${mem_w})
endforeach()
mxe_proof_fault(boundary "(end_beat <= (LEN_W+1)'(BeatsPer4k))" "1'b1")
mxe_proof_fault(dropped_too_late "~last_q & ~drop_i" "~last_q | drop_i")

# Simulation checks that no beats of A are outstanding when no fetch is queued.
foreach(mem_w 64 256)
  mxe_proof(rd_port_${mem_w} mxe_rd_port --parameter MEM_W=${mem_w} --proven mxe_fifo
            --proven mxe_bursts --free mxe_ram --not-proven rd_beats_of_fetches)
endforeach()
mxe_proof_fault(priority "if (bias_req_i.valid) begin" "if (bias_req_i.valid & ~b_req_i.valid) begin")
mxe_proof_fault(no_request "assign ready_o     = accept ? grant : 4'b0000"
                "assign ready_o = accept ? (grant | {3'b000, halt_i | busy}) : 4'b0000")
mxe_proof_fault(a_first "b_req_i.valid & ~b_waits" "b_req_i.valid")
mxe_proof_fault(accepted_too_soon "(~busy | (ar_fire & last_burst))"
                "(~busy | ar_fire)")
mxe_proof_fault(count "UnderWayW'(accept) - UnderWayW'(fetch_ready_i)"
                "UnderWayW'(accept & ~fetch_ready_i) - UnderWayW'(fetch_ready_i)")

mxe_proof(wr_port mxe_wr_port --parameter MEM_W=64 --parameter SEG_W=64 --proven mxe_fifo --proven mxe_bursts
          --free mxe_ram)
mxe_proof_fault(accepted_too_soon "can_accept  = ~splitting | (emit_burst & last_burst)"
                "can_accept  = ~splitting | last_burst")
mxe_proof_fault(address_drops "if (axi_i.aw_ready) aw_valid_q <= 1'b0" "aw_valid_q <= 1'b0")
mxe_proof_fault(data_changes "can_send  = burst_valid & (~w_valid_q | axi_i.w_ready)"
                "can_send  = burst_valid & (~w_valid_q | axi_i.w_ready | data_valid_i)")
mxe_proof_fault(last "w_last_q <= burst_done" "w_last_q <= burst_done ^ axi_i.w_ready")
mxe_proof_fault(carried_bytes "carry_strb[i] ? carry_q[8*i +: 8] : 8'd0" "carry_q[8*i +: 8]")
mxe_proof_fault(flushed_bytes "flush_q ? carry_q :" "flush_q ? wide[8*MemB-1:0] :")
mxe_proof(wr_port_narrow mxe_wr_port --parameter MEM_W=64 --parameter SEG_W=32 --parameter HALF_ROWS=0
          --proven mxe_fifo --proven mxe_bursts --free mxe_ram)

mxe_proof(unpack_narrow mxe_unpack --parameter MEM_W=64)
mxe_proof(unpack_two_words mxe_unpack --parameter MEM_W=128 --parameter TWO_WORDS=1)
mxe_proof_fault(second_word_kept "SizeW'(b_is6_i ? 24 : 32) << TWO_WORDS" "SizeW'(b_is6_i ? 24 : 96)")
mxe_proof(unpack mxe_unpack)
mxe_proof_fault(room "(count_q <= CntW'(WordB))" "(count_q <= CntW'(MemB + WordB))")
mxe_proof_fault(offset "count_q  <= CntW'(MemB) - CntW'(fetch_offset)" "count_q  <= CntW'(MemB)")
mxe_proof_fault(last_beat "mid_q   <= ~last_beat" "mid_q   <= (beats > LEN_W'(2))")
mxe_proof_fault(underflow "emit      = active_q & (count_q >= CntW'(word_q))"
                "emit      = active_q")

mxe_proof(walk_tiny mxe_walk --parameter ROWS=8 --parameter NUM_PE=1 --parameter ACC_TILES=1
          --parameter CHUNK_WORDS=1 --parameter SLAB_WORDS=1)
mxe_proof(walk mxe_walk)
mxe_proof_fault(ragged_rows "ROWS_W'((m_q[ROWS_W:0] + (ROWS_W+1)'(1)) >> 1)" "m_q[ROWS_W-1:0]")
mxe_proof_fault(last_column "(n_q <= 32'(tile_cols)) ||" "(n_q < 32'(tile_cols)) ||")

# Simulation checks row addresses: row number times stride needs a multiplication.
set(rows_options --parameter ROWS=8 --parameter NUM_PE=2 --parameter ACC_TILES=2 --proven mxe_walk
                 --passed-through walk_job_not_empty --passed-through walk_job_stable)
mxe_proof(rows mxe_rows ${rows_options})
mxe_proof_fault(size "33'(NUM_PE) : 33'(NUM_PE * 2)" "33'(NUM_PE) : 33'(NUM_PE)")
mxe_proof_fault(tile_row "ptr_q <= stripe_q" "ptr_q <= ptr_next")
mxe_proof_fault(stride "{32'd0, matrix_i.stride[31:1]}" "{33'd0, matrix_i.stride[31:2]}")
mxe_proof_fault(group "next_columns = at.next_tile | at.next_group" "next_columns = at.next_tile")

# Simulation checks the position of a fetch within its row, which depends on the job's sizes.
set(load_options --proven mxe_walk --passed-through walk_job_not_empty
                 --passed-through walk_job_stable --not-proven load_fetch_not_empty)
mxe_proof(load_a mxe_load --parameter OPERAND_A=1 ${load_options})
mxe_proof(load_b mxe_load --parameter BANKS=4 ${load_options})
mxe_proof_fault(bank "bank_q  <= bank_after(bank_q, banks_q)" "bank_q  <= bank_q")
mxe_proof_fault(free "+ (BankAw+1)'(release_i)" "+ (BankAw+1)'(release_i | claim)")

mxe_proof(seq mxe_seq)
mxe_proof_fault(distance "if (recent_q[i] & (recent_tile_q[TILE_AW*i +: TILE_AW] == pass_tile_i)) acc" "if ((i + 1 < Recent) & recent_q[i] & (recent_tile_q[TILE_AW*i +: TILE_AW] == pass_tile_i)) acc")
mxe_proof_fault(drain "d_free_q <= d_free_q + {1'b0, drain_release_i}"
                "d_free_q <= d_free_q + {1'b0, drain_release_i & ~start}")
mxe_proof_fault(early_release "& last_row_o & (busy_q ? a_done_q" "& (busy_q ? a_done_q")
mxe_proof_fault(two_causes "stall_latency_o = 1'b0" "stall_latency_o = feed_done_i & run_i")
mxe_proof_fault(row_skipped "assign row          = busy_q ? cycle_q : '0"
                "assign row          = busy_q ? cycle_q + ROWS_W'(1) : '0")

mxe_proof(feed mxe_feed --parameter BANKS=4 --proven mxe_walk --passed-through walk_job_not_empty
          --passed-through walk_job_stable --free mxe_decode_word)
mxe_proof_fault(empty_bank "valid & free & b_full_i[bank]" "valid & free")
mxe_proof_fault(bank "bank_q      <= bank_after(bank)" "bank_q      <= bank_q")
mxe_proof_fault(short_pass "if (read & last_col) begin\n      pass_valid_o <= 1'b1"
                "if (read) begin\n      pass_valid_o <= 1'b1")
mxe_proof_fault(pass_overtaken "free      = ~pass_valid_o | pass_ready_i" "free      = 1'b1")

# The ring; descriptors have any contents. Assumed: jobs have results, and their bursts have begun when they end
# (datapath); memory only responds to requested writes. Simulation checks that the fault registers name an unfinished
# job.
mxe_proof(cmd mxe_cmd --free mxe_job --free mxe_check --free mxe_ram --passed-through record_all_begun
          --passed-through record_answer_expected --not-proven record_waits_for_answers
          --not-proven cmd_fault_in_flight)
mxe_proof_fault(taken_back "(pending < queued) |" "1'b0 |")
mxe_proof_fault(overfull "(pending > 16'(slot_mask) + 16'd1)" "(pending > 16'(slot_mask) + 16'd2)")
mxe_proof_fault(reset_doorbell "(pending < queued) | reset_q" "(pending < queued)")
mxe_proof_fault(fetch_beyond_tail "go & (fetch_index != tail_q)" "go")
mxe_proof_fault(two_records "(state_q == StIdle) & ~recording" "(state_q == StIdle)")
mxe_proof_fault(refused_counts "if (doorbell_i & ~overflow) tail_q" "if (doorbell_i) tail_q")

# No reset. Simulation checks exhaustively that a lane's rows add up to the product.
mxe_proof(csa mxe_csa --parameter CUT=3 --parameter WIDTH=8)
mxe_proof_fault(carry "(a_i & b_i) | (c_i & half)" "(a_i & b_i) | (c_i & a_i)")
mxe_proof_fault(one "ones_i[0]}" "1'b0}")
mxe_proof_fault(not_cut "cut_i ? ones_i[1] : majority[CUT-1]" "majority[CUT-1] | (cut_i & ones_i[1])")

mxe_proof(tree mxe_tree --parameter CUT=2 --parameter WIDTH=4 --parameter WORDS=5)
mxe_proof_fault(word_twice ".c_i     (gen_word[3*i+2].x)" ".c_i     (gen_word[3*i+1].x)")
mxe_proof_fault(one_twice "ones_i[2*i +: 2]" "ones_i[0 +: 2]")

mxe_proof(lane mxe_lane)
mxe_proof_fault(zeros_for_ones "{FarW{flip[PackW-1]}}" "{FarW{1'b0}}")
mxe_proof_fault(odd_sign "dual_i ? neg_q[1] : neg_q[0]" "neg_q[0]")

mxe_proof(scale_e4m3 mxe_scale_e4m3)
mxe_proof_fault(subnormal "normal ? (field - 4'd1) : 4'd0" "field - 4'd1")
mxe_proof_fault(largest "code_i[7] | (&code_i[6:0])" "code_i[7]")

# Simulation multiplies every sum by every scale (Leaves.EverySumTimesEveryScale).
mxe_proof(scaled_block mxe_scaled_block --steps 3 --not-proven block_product)
mxe_proof_fault(two_ones "ones_i[1]}" "1'b0}")
mxe_proof_fault(shift "exp_q2 <= exp_q" "exp_q2 <= {1'b0, exp_q[3:0]}")

# Without a reset: registers start with any value.
mxe_proof(facc mxe_facc --parameter BIAS=123)
mxe_proof_fault(sticky "acc_down[0] | acc_lost" "acc_down[0]")
mxe_proof_fault(tie "(shifted[0] & (shifted_rest | shifted[1]))" "(shifted[0] & shifted_rest)")
mxe_proof_fault(missing_one "(shifted[0] | (~shifted_rest & shifted[1]))"
                "(shifted[0] & (shifted_rest | shifted[1]))")
mxe_proof_fault(zeros_for_ones "{n64[63:0], {24{sign}}}" "{n64[63:0], 24'd0}")
mxe_proof_fault(too_near "11'(WIDTH + 1 + FRAC)" "11'(WIDTH - 1 + FRAC)")
mxe_proof_fault(subnormal "5'd31 : under[4:0])" "5'd31 : (under[4:0] - 5'd1))")
mxe_proof_fault(overflow "(be_q5 >= 11'sd255)" "(be_q5 > 11'sd255)")
mxe_proof_fault(invalid "(pinf & ninf)" "1'b0")

# Proves which tiles, rows and segments are read, and when; simulation checks their contents.
mxe_proof(drain mxe_drain --parameter NUM_PE=4 --parameter LANES_OUT=2 --parameter ROWS=4
          --parameter ACC_TILES=2 --proven mxe_fifo --proven mxe_rows --proven mxe_walk
          --passed-through rows_job_stable --passed-through rows_one_for_all
          --passed-through walk_job_not_empty --passed-through walk_job_stable --free mxe_merge
          --free mxe_alpha --free mxe_factor --free mxe_requant --free mxe_ram --not-proven drain_fifo_has_room)
mxe_proof_fault(halt "& ~halt_i) : 1'b1)" ") : 1'b1)")
mxe_proof_fault(release "assign release_o   = row_step & last_row" "assign release_o   = row_step")
mxe_proof_fault(no_tile "valid & (tiles_q != 2'd0) & c_ready" "valid & c_ready")
mxe_proof_fault(too_late "assign res_first = res_valid_i & (res_row_i == '0)"
                "assign res_first = res_valid_i & res_last_i")
mxe_proof_fault(third_bank "(held_q != 2'd2)" "1'b1")
mxe_proof_fault(joins_beyond_the_tile "contiguous_q & ~last_row" "contiguous_q")

# Simulation checks the encoding of a lane, and so that absent columns are zero.
mxe_proof(requant mxe_requant --parameter NUM_PE=64 --parameter ROWS=2 --proven mxe_fifo
          --free mxe_requant_lane --free mxe_requant_scale --free mxe_amax --free mxe_narrow
          --free mxe_ram --not-proven block_row_size --not-proven block_zero_beyond)
mxe_proof_fault(early "full_q + {1'b0, full}" "full_q + {1'b0, full | last_i}")
mxe_proof_fault(wrong_bank "assign read_o     = read & last_seg & last_row & last_block" "assign read_o     = read & last_seg & last_row")
mxe_proof_fault(credit "{2'd0, read & first_seg}" "{2'd0, read & last_seg}")

mxe_proof(counters mxe_counters)
mxe_proof_fault(sum "(i == Idle) ? idle" "(i == Idle) ? (idle & ~amounts_i[AMOUNT_W*mxe_reg_pkg::COUNTER_DUAL_CYCLES])")
mxe_proof_fault(gate "assign value_d = (enable_i & " "assign value_d = ((enable_i | (i == 3)) & ")
# cmake-format: on
