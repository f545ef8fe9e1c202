// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_rows, inside its module.
  `MXE_FORMAL_START
  `MXE_ASSERT(rows_kept_even, !valid_o || (!f_addr_q[0] && !f_stride_q[0]))
  `MXE_ASSERT(rows_within_tile, !valid_o || f_one_row_q || ({1'b0, row_q} < at.rows[ROW_AW:0]))
  `MXE_ASSERT(rows_place_in_tile, !valid_o || f_one_row_q || (f_row_q == f_stripe_q + 32'(row_q)))
  `MXE_ASSERT(rows_stripe, !valid_o || ({stripe_q, 1'b0} == f_addr_q + f_stripe_at_q))
  `MXE_ASSERT(rows_pointer, !valid_o || ({ptr_q, 1'b0} == f_addr_q + f_row_at_q))
  `MXE_ASSERT(rows_column, !valid_o ||
              (34'({col_q, 1'b0}) == (34'(f_col_q) << (f_two_bytes_q ? 1 : 2))))
  `MXE_ASSERT(rows_columns_left, !valid_o || (f_col_q == f_n_q - f_columns_left))
