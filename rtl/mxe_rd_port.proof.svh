// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_rd_port, inside its module.
  `MXE_FORMAL_START
  `MXE_ASSERT(rd_under_way_exact, under_way_q == f_fetches)
  `MXE_ASSERT(rd_under_way_in_range, under_way_q <= UnderWayW'(Outstanding))
  `MXE_ASSERT(rd_bursts_no_overflow, !(ar_fire && (&bursts_q)))
