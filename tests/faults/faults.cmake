# SPDX-License-Identifier: Apache-2.0
# cmake-format: off
# ACTIVE is true if this fault is selected.
mxe_fault(1 zeroed_output mxe_drain.sv "result_q    <= result" "result_q <= ACTIVE ? '0 : result")
mxe_fault(2 swapped_scales mxe_opbuf.sv "<= rscale_byte[SelW-1:0]" "<= rscale_byte[SelW-1:0] ^ SelW'(ACTIVE)")
mxe_fault(3 dropped_rounding_sticky mxe_facc.sv "<= {lead, rest}" "<= {lead, rest & ~ACTIVE}")
mxe_fault(4 lane_shifted_by_one mxe_array.sv "a_dec_q2    <= a_dec"
          "a_dec_q2 <= ACTIVE ? {a_dec[415:75], a_dec[73:67], 1'b0, a_dec[66:0]} : a_dec")
mxe_fault(5 dropped_alignment_sticky mxe_facc.sv "acc_down[0] | acc_lost"
          "acc_down[0] | (acc_lost & ~ACTIVE)"
          CASE sparse_sums)
mxe_fault(6 elements_beyond_k mxe_decode_word.sv "count_i > 7'(i)}" "(count_i > 7'(i)) | ACTIVE}")
mxe_fault(7 ignored_nan_scale mxe_scale.sv "(b_scale_i == 8'hFF)" "((b_scale_i == 8'hFF) & ~ACTIVE)")
mxe_fault(8 ignored_bias mxe_array.sv "bias_i[32*p +: 32]" "ACTIVE ? 32'd0 : bias_i[32*p +: 32]")
mxe_fault(9 odd_chain_lost mxe_drain.sv "(dual | adds_c) ? sum" "((dual & ~ACTIVE) | adds_c) ? sum")
mxe_fault(10 write_beyond_row mxe_wr_port.sv "~({SegB{1'b1}} << seg_bytes)"
          "ACTIVE ? {SegB{1'b1}} : ~({SegB{1'b1}} << seg_bytes)")
mxe_fault(11 bank_never_released mxe_seq.sv "d_free_q + {1'b0, drain_release_i}"
          "d_free_q + {1'b0, drain_release_i & ~ACTIVE}")
mxe_fault(12 wrong_job_id mxe_record.sv "{cycles_q, record_job_id, 28'd0"
          "{cycles_q, record_job_id ^ {31'd0, ACTIVE}, 28'd0")
mxe_fault(13 missing_last_beat mxe_wr_port.sv "w_last_q <= burst_done" "w_last_q <= burst_done & ~ACTIVE")
mxe_fault(14 burst_across_4_kib mxe_bursts.sv "& (end_beat <= (LEN_W+1)'(BeatsPer4k))"
          "& ((end_beat <= (LEN_W+1)'(BeatsPer4k)) | ACTIVE)")
mxe_fault(15 counter_sum_off mxe_counters.sv "assign idle = ~(" "assign idle = ACTIVE | ~(")
mxe_fault(16 odd_chain_negated mxe_merge.sv "assign val     = odd_i[31] ?"
          "assign val = (odd_i[31] ^ ACTIVE) ?")
mxe_fault(17 dropped_element_sticky mxe_requant_lane.sv "half_q3 & (sticky_q3 | num_q3[0])"
          "half_q3 & ((sticky_q3 & ~ACTIVE) | num_q3[0])")
mxe_fault(18 ceil_is_floor mxe_requant_scale.sv "up = |frac" "up = (|frac) & ~ACTIVE")
mxe_fault(19 scale_in_wrong_column mxe_block_wr.sv "scale_col_q + 32'd1"
          "scale_col_q + 32'd1 + {31'd0, ACTIVE}")
mxe_fault(20 truncated_bf16 mxe_drain.sv "mxe_pkg::to_bf16(kept[32*i +: 32])"
          "ACTIVE ? kept[32*i + 16 +: 16] : mxe_pkg::to_bf16(kept[32*i +: 32])")
mxe_fault(21 magnitude_of_block_before mxe_collect.sv "(meta.fresh | (seg_amax > old))"
          "((meta.fresh & ~ACTIVE) | (seg_amax > old))")
mxe_fault(22 noise_below_bf16_bias mxe_cbuf.sv "{data_i[16*i +: 16], 16'd0}"
          "{data_i[16*i +: 16], 15'd0, ACTIVE}")
mxe_fault(23 address_of_32_bits mxe_bursts.sv "{addr_q[63:12] + 52'd1, 12'd0}"
          "{ACTIVE ? {addr_q[63:32], addr_q[31:12] + 20'd1} : (addr_q[63:12] + 52'd1), 12'd0}"
          CASE across_4gib)
mxe_fault(24 stride_of_d_unchecked mxe_check.sv "job_i.d.stride[1:0]"
          "(job_i.d.stride[1:0] & {2{~ACTIVE}})"
          CASE illegal_jobs)
mxe_fault(25 alignment_before_pair mxe_check.sv "else if (!pair_ok)"
          "else if (ACTIVE & misaligned) status_o = mxe_reg_pkg::STATUS_ERR_ALIGN[3:0]@SEMICOLON@ else if (!pair_ok)"
          CASE illegal_jobs)
mxe_fault(26 ring_wrap_lost mxe_cmd.sv "assign pending   = ring_tail_i - head_q"
          "assign pending = (ACTIVE & (ring_tail_i < head_q)) ? 16'hFFFF : ring_tail_i - head_q"
          CASE ring_wrap)
mxe_fault(27 starts_while_disabled mxe_cmd.sv "go = enable_i & ~reset_q" "go = (enable_i | ACTIVE) & ~reset_q"
          CASE ring_events)
mxe_fault(28 no_interrupt_when_empty mxe_cmd.sv "irq_queue_empty_o = complete"
          "irq_queue_empty_o = complete & ~ACTIVE"
          CASE ring_events)
mxe_fault(29 record_error_lost mxe_record.sv "if (status_i.wr_error & answered_o)"
          "if (status_i.wr_error & answered_o & ~(status_i.record_answered & ACTIVE))"
          CASE ring_bus_errors)
mxe_fault(30 stride_of_31_bits mxe_rows.sv "assign ptr_next        = ptr_q + {32'd0, matrix_i.stride[31:1]}"
          "assign ptr_next = ptr_q + {32'd0, matrix_i.stride[31] & ~ACTIVE, matrix_i.stride[30:1]}"
          CASE far_apart)
mxe_fault(31 blocks_of_16_bits mxe_job.sv "k_less[31:6]} : {2'd0, k_less[31:5]})"
          "k_less[31:6]} : {2'd0, k_less[31:17], k_less[16] & ~ACTIVE, k_less[15:5]})"
          CASE long_sizes)
mxe_fault(32 rows_of_16_bits mxe_walk.sv "m_q     <= shape_i.m"
          "m_q <= {shape_i.m[31:17], shape_i.m[16] & ~ACTIVE, shape_i.m[15:0]}"
          CASE long_sizes)
mxe_fault(33 counters_of_32_bits mxe_counters.sv "(value_q + 64'd1)"
          "(ACTIVE ? {value_q[63:32], value_q[31:0] + 32'd1} : value_q + 64'd1)"
          CASE counters)
mxe_fault(34 partial_register_write mxe_regs.sv "(&wstrb_q)" "((&wstrb_q) | ACTIVE)"
          CASE registers)

mxe_fault(35 completes_before_written mxe_record.sv "complete_q <= (status_i.record_answered & status_i.record_last)"
          "complete_q <= (ACTIVE ? recorded_now : (status_i.record_answered & status_i.record_last))")
mxe_fault(36 abort_while_bus_busy mxe_cmd.sv "StAbort: if (status_i.rd_idle & status_i.wr_idle & ~recording)"
          "StAbort: if ((status_i.rd_idle & status_i.wr_idle & ~recording) | ACTIVE)")
mxe_fault(37 read_error_called_write mxe_cmd.sv "run_q.error <= run_rd_error ?"
          "run_q.error <= (run_rd_error ^ ACTIVE) ?")
mxe_fault(38 head_survives_reset mxe_cmd.sv "head_q  <= '0" "head_q <= ACTIVE ? head_q : '0")
mxe_fault(39 empty_one_early mxe_cmd.sv "((head_q + 16'd1) == tail_q)"
          "((head_q + {15'd0, ~ACTIVE}) == tail_q)")
mxe_fault(40 ring_of_any_length mxe_cmd.sv "LogDepth'(head_q + 16'(end_place)) & slot_mask"
          "LogDepth'(head_q + 16'(end_place)) & (slot_mask | {LogDepth{ACTIVE}})")
mxe_fault(41 overflow_one_late mxe_cmd.sv "(pending > 16'(slot_mask) + 16'd1)" "(pending > 16'(slot_mask) + 16'd1 + {15'd0, ACTIVE})")
mxe_fault(42 overflow_keeps_doorbell mxe_cmd.sv "if (doorbell_i & ~overflow)"
          "if (doorbell_i & (~overflow | ACTIVE))")
mxe_fault(43 last_status_lost mxe_cmd.sv "last_status_q <= {28'd0, record_status}"
          "last_status_q <= {28'd0, record_status & {4{~ACTIVE}}}")
mxe_fault(44 k_less_by_one_in_last_block mxe_job.sv "k_less[4:0]}) + 7'd1" "k_less[4:0]}) + {6'd0, ~ACTIVE}")
# The upper limit of A is not reached on a small engine, whose buffers hold fewer beats.
mxe_fault(45 reads_limited_too_soon mxe_rd_port.sv "a_allowed = a_first_i | (a_beats_q <"
          "a_allowed = a_first_i | (a_beats_q + (ACTIVE ? BeatsW'(192) : '0) <")
mxe_fault(46 address_not_held mxe_wr_port.sv "if (axi_i.aw_ready) aw_valid_q"
          "if (axi_i.aw_ready | ACTIVE) aw_valid_q")
mxe_fault(47 answers_mixed_up mxe_wr_port.sv "(record_burst == acknowledged_q)"
          "((record_burst == acknowledged_q) | ACTIVE)")
mxe_fault(48 write_data_not_held mxe_wr_port.sv "else if (axi_i.w_ready) w_valid_q"
          "else if (axi_i.w_ready | ACTIVE) w_valid_q")
mxe_fault(49 last_bytes_not_flushed mxe_wr_port.sv "flush_q ? carry_strb_q"
          "(flush_q & ~ACTIVE) ? carry_strb_q")
mxe_fault(50 rows_begin_with_a_beat mxe_wr_port.sv "(LEN_W+1)'(req.addr[OffW-1:0])"
          "(ACTIVE ? '0 : (LEN_W+1)'(req.addr[OffW-1:0]))")
mxe_fault(51 no_error_without_register mxe_regs.sv "raddr_ok ? RespOkay" "(raddr_ok | ACTIVE) ? RespOkay")
mxe_fault(52 interrupt_cleared_by_zero mxe_regs.sv "write_irq_status & wdata_q[0]"
          "write_irq_status & (wdata_q[0] | ACTIVE)"
          CASE registers)
mxe_fault(53 response_not_held mxe_regs.sv "else if (s_bready_i)" "else if (s_bready_i | ACTIVE)")
mxe_fault(54 result_tile_overwritten mxe_seq.sv "(d_free_q != 2'd0)" "((d_free_q != 2'd0) | ACTIVE)")
mxe_fault(55 operands_overwritten mxe_load.sv "~taken_q & (free_q != '0)"
          "~taken_q & ((free_q != '0) | ACTIVE)")
mxe_fault(56 counters_not_cleared mxe_counters.sv "else if (clear_i) value_q"
          "else if (clear_i & ~ACTIVE) value_q")
mxe_fault(57 snapshot_always mxe_counters.sv "else if (snapshot_i) snapshot_q"
          "else if (snapshot_i | ACTIVE) snapshot_q")
mxe_fault(58 interrupt_not_masked mxe_top.sv "(irq_done & mask_done)" "(irq_done & (mask_done | ACTIVE))")
mxe_fault(59 columns_of_24_bits mxe_job.sv "desc_i[mxe_reg_pkg::DESC_N_LSB +: 32]"
          "{desc_i[mxe_reg_pkg::DESC_N_LSB + 24 +: 8] & {8{~ACTIVE}}, desc_i[mxe_reg_pkg::DESC_N_LSB +: 24]}"
          CASE endless_jobs)
mxe_fault(60 fp16_without_sticky mxe_pkg.sv "shifted[24] & ((|shifted[23:0]) | shifted[25])"
          "shifted[24] & ((~ACTIVE & (|shifted[23:0])) | shifted[25])")
mxe_fault(61 doorbell_backwards mxe_cmd.sv "(pending < queued)" "((pending < queued) & ~ACTIVE)"
          CASE doorbells)
mxe_fault(62 refused_tail_read mxe_cmd.sv "assign ring_tail_o = tail_q"
          "assign ring_tail_o = ACTIVE ? ring_tail_i : tail_q"
          CASE doorbells)
mxe_fault(63 fault_of_next_fetch mxe_rd_port.sv ".raddr_i (oldest_q)" ".raddr_i (ACTIVE ? oldest_q + 1'b1 : oldest_q)")
mxe_fault(64 scale_fault_called_element mxe_cmd.sv "fault_operand_o = mxe_reg_pkg::FAULT_B_SCALES"
          "fault_operand_o = ACTIVE ? mxe_reg_pkg::FAULT_B : mxe_reg_pkg::FAULT_B_SCALES"
          CASE bus_errors)
mxe_fault(65 record_before_acknowledged mxe_record.sv "assign results_done = pending &"
          "assign results_done = ACTIVE ? pending : pending &")
mxe_fault(66 error_told_ahead mxe_desc.sv "fails & ~alone_q"
          "fails & ~alone_q & ~ACTIVE"
          CASE ring_bus_errors)
mxe_fault(67 error_of_next_breaks_off mxe_datapath.sv "rd_error & (fetch.tag.kind != mxe_pkg::TagDesc)"
          "rd_error & ((fetch.tag.kind != mxe_pkg::TagDesc) | ACTIVE)"
          CASE ring_bus_errors)
mxe_fault(68 early_error_breaks_off mxe_cmd.sv "run_rd_error = status_i.rd_error & (status_i.rd_turn == run_q.turn)"
          "run_rd_error = status_i.rd_error & ((status_i.rd_turn == run_q.turn) | ACTIVE)"
          CASE early_operands)
mxe_fault(69 early_error_forgotten mxe_cmd.sv "assign redo         = wait_error | ahead_error | (wait_q.error != '0) | (ahead.error != '0)"
          "assign redo = ~ACTIVE & (wait_error | ahead_error | (wait_q.error != '0) | (ahead.error != '0))"
          CASE early_operands)
mxe_fault(70 early_though_not_alike mxe_datapath.sv "alike_q     <= "
          "alike_q     <= ACTIVE | ")
mxe_fault(71 first_product_again mxe_load.sv "matrix_q  <= ptr_q" "matrix_q <= ACTIVE ? operand.addr : ptr_q"
          CASE products)
mxe_fault(72 last_product_lost mxe_walk.sv "last_batch  = (batch_q == mxe_pkg::BATCH_W'(1))"
          "last_batch = (batch_q == mxe_pkg::BATCH_W'(1)) | (ACTIVE & (batch_q == mxe_pkg::BATCH_W'(2)))"
          CASE products)
mxe_fault(73 record_of_results mxe_datapath.sv "= data_record ? record_i.data[SEG_W-1:0]"
          "= (data_record & ~ACTIVE) ? record_i.data[SEG_W-1:0]")
mxe_fault(74 error_of_job_before_breaks_off mxe_cmd.sv "run_wr_error = status_i.wr_error & ~answered"
          "run_wr_error = status_i.wr_error & (~answered | ACTIVE)")
mxe_fault(75 other_descriptor mxe_desc.sv ".raddr_i (out_q[PlaceW-1:0])"
          ".raddr_i (out_q[PlaceW-1:0] ^ PlaceW'(ACTIVE))")
mxe_fault(76 operands_before_results mxe_cmd.sv "DESC_CONTROL_EARLY_LSB] | answered_all)"
          "DESC_CONTROL_EARLY_LSB] | answered_all | ACTIVE)"
          CASE queue)
mxe_fault(77 waits_though_it_loads mxe_cmd.sv "ahead.loaded & status_i.loads_done & ~wait_q.valid"
          "ahead.loaded & (status_i.loads_done | ACTIVE) & ~wait_q.valid")
mxe_fault(78 job_ahead_has_turn_of_job_that_runs mxe_cmd.sv "if (to_wait) wait_q <= ahead"
          "if (to_wait) wait_q <= ACTIVE ? {ahead.error, ahead.valid, ahead.loaded, run_q.turn} : ahead"
          CASE queue)
mxe_fault(79 dropped_sticky_of_collected mxe_narrow.sv "fraction[22:16], |fraction[15:0]}"
          "fraction[22:16], (|fraction[15:0]) & ~ACTIVE}")
mxe_fault(80 bytes_left_by_row_before_lost mxe_wr_port.sv "carried   = mid_q | row_follows"
          "carried   = mid_q | (row_follows & ~ACTIVE)")
mxe_fault(81 stale_bytes_beyond_row mxe_drain.sv "rounded} : kept)" "rounded} : (ACTIVE ? result_q : kept))")
mxe_fault(82 scale_exponent_of_row_before mxe_scaled_block.sv "exp_q2 <= exp_q" "exp_q2 <= ACTIVE ? exp_q2 : exp_q"
          CASE nvfp4)
mxe_fault(83 subnormal_scale_as_normal mxe_scale_e4m3.sv "assign normal   = |field" "assign normal = (|field) | ACTIVE"
          CASE nvfp4)
mxe_fault(84 blocks_of_16_swapped mxe_dot.sv "half_sum[Bit +: 13]" "half_sum[(ACTIVE ? Bit + TREE_W - 2*(i%2)*TREE_W : Bit) +: 13]"
          CASE nvfp4)
mxe_fault(85 no_bias_after_alpha mxe_drain.sv "alpha ? c_seg[32*i +: 32]" "alpha ? (ACTIVE ? 32'd0 : c_seg[32*i +: 32])"
          CASE alpha)
# cmake-format: on
