# SPDX-License-Identifier: Apache-2.0
# cmake-format: off
mxe_fault(1 strobes_beyond_row mxe_wr_port.sv "~({SegB{1'b1}} << seg_bytes)" "{SegB{1'b1}}")
# cmake-format: on
