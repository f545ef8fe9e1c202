// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_record, inside its module.
  `MXE_FORMAL_START
  `MXE_ASSERT(record_written_has_ended, (state_q == StIdle) || (recorded_q != answered_q))
  `MXE_ASSERT(record_complete_is_written, !complete_q || (out_q != recorded_q))
