# Plants faults into a copy of RTL. The faults of the list MXE_FAULTS are all in one copy, each
# behind a number that the test chooses while it runs, so that one Verilated library serves all. The
# list below is that of the project's RTL; tests/own_rtl has another.
#
#   mxe_plant_faults(<directory> <variable for the list of sources> [PACKAGE <name>]
#                    [SOURCES <file>...])
#
# PACKAGE is the one of the sources that declares the function which tells the number.

# Number, file, what is correct (must occur exactly once), what is faulty. `;` cannot be used.
set(MXE_FAULTS "")
function(mxe_fault number file correct faulty)
  set(MXE_FAULTS "${MXE_FAULTS};${number}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_FILE "${file}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_CORRECT "${correct}" PARENT_SCOPE)
  set(MXE_FAULT_${number}_FAULTY "${faulty}" PARENT_SCOPE)
endfunction()

# ACTIVE stands for "this fault is chosen".
mxe_fault(1 mxe_drain.sv "result_q    <= result" "result_q <= ACTIVE ? '0 : result")
mxe_fault(2 mxe_opbuf.sv "<= scale_pos[2:0]" "<= scale_pos[2:0] ^ {2'b00, ACTIVE}")
mxe_fault(3 mxe_facc.sv "? {n1[126:102], |n1[101:0]} : {n1[127:103], |n1[102:0]}"
          "? {n1[126:102], (|n1[101:0]) & ~ACTIVE} : {n1[127:103], (|n1[102:0]) & ~ACTIVE}")
mxe_fault(4 mxe_array.sv "a_dec_q2    <= a_dec"
          "a_dec_q2 <= ACTIVE ? {a_dec[511:90], a_dec[88:82], 1'b0, a_dec[81:0]} : a_dec")
mxe_fault(5 mxe_facc.sv "acc_down[0] | acc_lost" "acc_down[0] | (acc_lost & ~ACTIVE)")
mxe_fault(6 mxe_decode_word.sv "count_i > 7'(i)}" "(count_i > 7'(i)) | ACTIVE}")
mxe_fault(7 mxe_scale.sv "(b_scale_i == 8'hFF)" "((b_scale_i == 8'hFF) & ~ACTIVE)")
mxe_fault(8 mxe_array.sv "bias_use_q6 ? bias_i" "(bias_use_q6 & ~ACTIVE) ? bias_i")
mxe_fault(9 mxe_drain.sv "dual_i ? merged" "(dual_i & ~ACTIVE) ? merged")
mxe_fault(10 mxe_wr_port.sv "~({SegB{1'b1}} << seg_bytes)"
          "ACTIVE ? {SegB{1'b1}} : ~({SegB{1'b1}} << seg_bytes)")
mxe_fault(11 mxe_seq.sv "assign a_release_o = row_valid_o &"
          "assign a_release_o = ~ACTIVE & row_valid_o &")
mxe_fault(12 mxe_cmd.sv "{cycles_q, desc_q[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32], 28'd0"
          "{cycles_q, desc_q[mxe_reg_pkg::DESC_JOB_ID_LSB +: 32] ^ {31'd0, ACTIVE}, 28'd0")
mxe_fault(13 mxe_wr_port.sv "w_last_q <= burst_done" "w_last_q <= burst_done & ~ACTIVE")
mxe_fault(14 mxe_rd_port.sv "if (burst > beats_to_4k) burst"
          "if ((burst > beats_to_4k) & ~ACTIVE) burst")
mxe_fault(15 mxe_counters.sv "assign idle = ~(" "assign idle = ACTIVE | ~(")
mxe_fault(16 mxe_merge.sv "assign val     = odd_i[31] ?" "assign val = (odd_i[31] ^ ACTIVE) ?")
mxe_fault(17 mxe_requant_lane.sv "half_q3 & (sticky_q3 | num_q3[0])"
          "half_q3 & ((sticky_q3 & ~ACTIVE) | num_q3[0])")
mxe_fault(18 mxe_requant_scale.sv "up = |frac" "up = (|frac) & ~ACTIVE")
mxe_fault(19 mxe_block_wr.sv "scale_col_q + 32'd1" "scale_col_q + 32'd1 + {31'd0, ACTIVE}")
mxe_fault(20 mxe_drain.sv "mxe_pkg::to_bf16(result_q[32*i +: 32])"
          "ACTIVE ? result_q[32*i + 16 +: 16] : mxe_pkg::to_bf16(result_q[32*i +: 32])")
mxe_fault(21 mxe_collect.sv "(fresh | (seg_amax > old))" "((fresh & ~ACTIVE) | (seg_amax > old))")
mxe_fault(22 mxe_cbuf.sv "{data_i[16*i +: 16], 16'd0}" "{data_i[16*i +: 16], 15'd0, ACTIVE}")
mxe_fault(23 mxe_rd_port.sv "addr_q  <= addr_q + (64'(burst) << OffW)"
          "addr_q <= ACTIVE ? {addr_q[63:32], addr_q[31:0] + (32'(burst) << OffW)} : addr_q + (64'(burst) << OffW)")
mxe_fault(24 mxe_check.sv "desc_i[mxe_reg_pkg::DESC_D_STRIDE_LSB +: 2]"
          "(desc_i[mxe_reg_pkg::DESC_D_STRIDE_LSB +: 2] & {2{~ACTIVE}})")
mxe_fault(25 mxe_check.sv "else if (!pair_ok)" "else if (ACTIVE & misaligned) status_o = mxe_reg_pkg::STATUS_ERR_ALIGN[3:0]@SEMICOLON@ else if (!pair_ok)")
mxe_fault(26 mxe_cmd.sv "assign pending  = ring_tail_i - head_q"
          "assign pending  = (ACTIVE & (ring_tail_i < head_q)) ? 16'hFFFF : ring_tail_i - head_q")
mxe_fault(27 mxe_cmd.sv "enable_i & ~empty_o" "(enable_i | ACTIVE) & ~empty_o")
mxe_fault(28 mxe_cmd.sv "irq_queue_empty_o = (state_q == StComplete)" "irq_queue_empty_o = (state_q == StComplete) & ~ACTIVE")
mxe_fault(29 mxe_cmd.sv "StRecWait: begin\n          if (wr_error_i) status_q"
          "StRecWait: begin\n          if (wr_error_i & ~ACTIVE) status_q")
mxe_fault(30 mxe_rows.sv "assign ptr_next   = ptr_q + {32'd0, stride_i}"
          "assign ptr_next   = ptr_q + {32'd0, stride_i[31] & ~ACTIVE, stride_i[30:0]}")
mxe_fault(31 mxe_cmd.sv ": {5'd0, k_less[31:5]})" ": {5'd0, k_less[31:17], k_less[16] & ~ACTIVE, k_less[15:5]})")
mxe_fault(32 mxe_walk.sv "m_q     <= m_i" "m_q <= {m_i[31:17], m_i[16] & ~ACTIVE, m_i[15:0]}")
mxe_fault(33 mxe_counters.sv "value_q <= value_q + amount[64*i +: 64]"
          "value_q <= ACTIVE ? {value_q[63:32], value_q[31:0] + amount[64*i +: 32]} : value_q + amount[64*i +: 64]")
mxe_fault(34 mxe_regs.sv "(&wstrb_q)" "((&wstrb_q) | ACTIVE)")

# Faults of control and protocol.
mxe_fault(35 mxe_cmd.sv "if (wr_idle_i) state_q <= StComplete" "if (wr_idle_i | ACTIVE) state_q <= StComplete")
mxe_fault(36 mxe_cmd.sv "StAbort: if (rd_idle_i & wr_idle_i)" "StAbort: if ((rd_idle_i & wr_idle_i) | ACTIVE)")
mxe_fault(37 mxe_cmd.sv "status_q <= rd_error_i ?" "status_q <= (rd_error_i ^ ACTIVE) ?")
mxe_fault(38 mxe_cmd.sv "head_q  <= '0" "head_q <= ACTIVE ? head_q : '0")
mxe_fault(39 mxe_cmd.sv "((head_q + 16'd1) == tail_q)" "((head_q + {15'd0, ~ACTIVE}) == tail_q)")
mxe_fault(40 mxe_cmd.sv "head_q & (entries - 16'd1)" "head_q & (ACTIVE ? 16'hFFFF : (entries - 16'd1))")
mxe_fault(41 mxe_cmd.sv "(pending > entries)" "(pending > (entries + {15'd0, ACTIVE}))")
mxe_fault(42 mxe_cmd.sv "doorbell_i & ~overflow & ~reset_q" "doorbell_i & (~overflow | ACTIVE) & ~reset_q")
mxe_fault(43 mxe_cmd.sv "last_status_q <= {28'd0, status_q}" "last_status_q <= {28'd0, status_q & {4{~ACTIVE}}}")
mxe_fault(44 mxe_cmd.sv "k_less[4:0]}) + 7'd1" "k_less[4:0]}) + {6'd0, ~ACTIVE}")
mxe_fault(45 mxe_rd_port.sv "a_allowed = (under_way_q <" "a_allowed = ACTIVE | (under_way_q <")
mxe_fault(46 mxe_wr_port.sv "if (m_awready_i) aw_valid_q" "if (m_awready_i | ACTIVE) aw_valid_q")
mxe_fault(47 mxe_wr_port.sv "~row_valid & (bursts_q == '0)" "~row_valid & ((bursts_q == '0) | ACTIVE)")
mxe_fault(48 mxe_wr_port.sv "else if (m_wready_i) w_valid_q" "else if (m_wready_i | ACTIVE) w_valid_q")
mxe_fault(49 mxe_wr_port.sv "flush_q ? carry_strb_q" "(flush_q & ~ACTIVE) ? carry_strb_q")
mxe_fault(50 mxe_wr_port.sv "if (burst > beats_to_4k) burst" "if ((burst > beats_to_4k) & ~ACTIVE) burst")
mxe_fault(51 mxe_regs.sv "raddr_ok ? RespOkay" "(raddr_ok | ACTIVE) ? RespOkay")
mxe_fault(52 mxe_regs.sv "write_irq_status & wdata_q[0]" "write_irq_status & (wdata_q[0] | ACTIVE)")
mxe_fault(53 mxe_regs.sv "else if (s_bready_i)" "else if (s_bready_i | ACTIVE)")
mxe_fault(54 mxe_seq.sv "(d_free_q != 2'd0)" "((d_free_q != 2'd0) | ACTIVE)")
mxe_fault(55 mxe_load.sv "~taken_q & (free_q != 2'd0)" "~taken_q & ((free_q != 2'd0) | ACTIVE)")
mxe_fault(56 mxe_counters.sv "else if (clear_i) value_q" "else if (clear_i & ~ACTIVE) value_q")
mxe_fault(57 mxe_counters.sv "else if (snapshot_i) snapshot_q" "else if (snapshot_i | ACTIVE) snapshot_q")
mxe_fault(58 mxe_top.sv "(irq_done & mask_done)" "(irq_done & (mask_done | ACTIVE))")

function(mxe_plant_faults directory sources_variable)
  cmake_parse_arguments(ARG "" "PACKAGE" "SOURCES" ${ARGN})
  if(NOT ARG_SOURCES)
    set(ARG_SOURCES ${MXE_RTL_SOURCES})
    set(ARG_PACKAGE mxe_pkg)
  endif()
  set(copies "")
  foreach(source IN LISTS ARG_SOURCES)
    get_filename_component(name ${source} NAME)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(READ ${source} text)
    string(REPLACE ";" "@SEMICOLON@" text "${text}")
    if(name STREQUAL "${ARG_PACKAGE}.sv")
      string(REPLACE "package ${ARG_PACKAGE}@SEMICOLON@"
             "package ${ARG_PACKAGE}@SEMICOLON@\n  import \"DPI-C\" pure function int mxe_planted_fault()@SEMICOLON@"
             text "${text}")
    endif()
    foreach(number IN LISTS MXE_FAULTS)
      if(number STREQUAL "" OR NOT MXE_FAULT_${number}_FILE STREQUAL name)
        continue()
      endif()
      set(correct "${MXE_FAULT_${number}_CORRECT}")
      string(FIND "${text}" "${correct}" first)
      string(FIND "${text}" "${correct}" last REVERSE)
      if(first EQUAL -1 OR NOT first EQUAL last)
        message(FATAL_ERROR "fault ${number}: '${correct}' must occur exactly once in ${name}")
      endif()
      string(REPLACE ACTIVE "(${ARG_PACKAGE}::mxe_planted_fault() == ${number})" faulty
             "${MXE_FAULT_${number}_FAULTY}")
      string(REPLACE "${correct}" "${faulty}" text "${text}")
    endforeach()
    string(REPLACE "@SEMICOLON@" ";" text "${text}")
    file(CONFIGURE OUTPUT ${directory}/${name} CONTENT "@text@" @ONLY)
    list(APPEND copies ${directory}/${name})
  endforeach()
  set(${sources_variable} ${copies} PARENT_SCOPE)
endfunction()
