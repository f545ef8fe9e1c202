// SPDX-License-Identifier: Apache-2.0
// The RTL's sources in compile order, one per line; the only such list. CMake, scripts/area and
// packages.py (mxe.core, Bender.yml) read it. Tools read it with -F, which makes paths relative to
// this file: verilator --lint-only --top-module mxe_top -F rtl/mxe.f
+incdir+.
mxe_pkg.sv
mxe_reg_pkg.sv
// memories and queues
mxe_ram.sv
mxe_fifo.sv
// arithmetic
mxe_decode4.sv
mxe_decode.sv
mxe_decode_word.sv
mxe_csa.sv
mxe_lane.sv
mxe_quad.sv
mxe_tree.sv
mxe_scale_e4m3.sv
mxe_scales_e4m3.sv
mxe_scaled_block.sv
mxe_scaled_sum.sv
mxe_dot.sv
mxe_scale.sv
mxe_facc.sv
mxe_pe.sv
mxe_array.sv
// operands
mxe_walk.sv
mxe_rows.sv
mxe_load.sv
mxe_load_bias.sv
mxe_bursts.sv
mxe_rd_port.sv
mxe_expand.sv
mxe_unpack.sv
mxe_opbuf.sv
mxe_cbuf.sv
mxe_feed.sv
mxe_seq.sv
// results
mxe_merge.sv
mxe_factor.sv
mxe_alpha.sv
mxe_amax.sv
mxe_narrow.sv
mxe_collect.sv
mxe_requant_scale.sv
mxe_requant_lane.sv
mxe_block_wr.sv
mxe_requant.sv
mxe_drain.sv
mxe_wr_port.sv
mxe_datapath_checks.sv
mxe_datapath.sv
// control
mxe_regs.sv
mxe_job.sv
mxe_check.sv
mxe_desc.sv
mxe_record.sv
mxe_cmd.sv
mxe_counters.sv
mxe_top.sv
