// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_bursts, inside its module.
  `MXE_FORMAL_START
  `MXE_ASSERT(bursts_have_beats, !valid_q || ((left_q != '0) && (beats_o <= left_q)))
  `MXE_ASSERT(bursts_last_exact, !valid_q || (last_q == one_burst(left_q, addr_q[11:OffW])))
  `MXE_ASSERT(bursts_aligned, addr_q[OffW-1:0] == '0)
