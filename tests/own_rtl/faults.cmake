# SPDX-License-Identifier: Apache-2.0
# cmake-format: off
mxe_fault(1 dropped_sticky simple_mac.sv "sticky = (" "sticky = ~ACTIVE & (")
mxe_fault(2 infinity_times_zero simple_mac.sv "(a_inf & (b == '0))" "(a_inf & (b == '0) & ~ACTIVE)")
mxe_fault(3 ignored_nan_scale simple_mac.sv "(scale_b_i == 8'hff)" "((scale_b_i == 8'hff) & ~ACTIVE)")
mxe_fault(4 overflow_wraps simple_mac.sv "if (code > 34'h7f800000)"
          "if ((code > 34'h7f800000) & ~ACTIVE)")
mxe_fault(5 bf16_ties_up simple_control.sv "acc[15] & (acc[16]" "acc[15] & (ACTIVE | acc[16]")
mxe_fault(6 elements_beyond_k simple_control.sv "last_block ? left[5:0]" "(last_block & ~ACTIVE) ? left[5:0]")
mxe_fault(7 first_row_of_bias simple_control.sv "place(c_addr, c_stride, row_q"
          "place(c_addr, c_stride, ACTIVE ? 32'd0 : row_q")
mxe_fault(8 odd_address_accepted simple_control.sv "c_addr[0] | c_stride[0]"
          "c_addr[0] | (c_stride[0] & ~ACTIVE)")
mxe_fault(9 mx_results_allowed simple_control.sv "!= mxe_reg_pkg::OUT_FP32) & ~bf16"
          "!= mxe_reg_pkg::OUT_FP32) & ~bf16 & ~ACTIVE")
mxe_fault(10 aborted_is_ok simple_control.sv "status_q <= mxe_reg_pkg::STATUS_ERR_ABORTED[3:0]"
          "status_q <= ACTIVE ? mxe_reg_pkg::STATUS_OK[3:0] : mxe_reg_pkg::STATUS_ERR_ABORTED[3:0]")
mxe_fault(11 endless_block simple_control.sv "if (step_q + 6'd1 == count)"
          "if ((step_q + 6'd1 == count) & ~(ACTIVE & (count == 6'd17)))")
mxe_fault(12 no_error_interrupt simple_engine.sv "(irq_error & mask_error)"
          "(irq_error & mask_error & ~ACTIVE)")
mxe_fault(13 blocks_not_counted simple_engine.sv "8'(block)" "8'(block & ~ACTIVE)")
mxe_fault(14 burst_across_4_kib simple_control.sv "if (10'(burst) > beats_to_4k)"
          "if ((10'(burst) > beats_to_4k) & ~ACTIVE)")
mxe_fault(16 data_withdrawn simple_control.sv "(data_done_q | m_wready_i)) state_q"
          "(data_done_q | m_wready_i | ACTIVE)) state_q")
mxe_fault(17 write_beyond_row simple_control.sv "(bf16 ? 8'h03 : 8'h0f)" "((bf16 & ~ACTIVE) ? 8'h03 : 8'h0f)")
mxe_fault(18 read_error_ignored simple_control.sv "if (error_q | m_rerror_i)"
          "if ((error_q | m_rerror_i) & ~ACTIVE)")
mxe_fault(19 write_error_ignored simple_control.sv "if (m_berror_i) status_q"
          "if (m_berror_i & ~ACTIVE) status_q")
# cmake-format: on
