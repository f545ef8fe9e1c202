// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_desc, inside its module.
  `MXE_FORMAL_START
  assign f_out_o = out_q;
  `MXE_ASSERT(desc_asked_in_order, (16'(held_q) + 16'(flying_q) <= 16'(next_q - out_q)) &&
              (16'(next_q - out_q) <= 16'(Depth) - 16'(ask_q)))
  `MXE_ASSERT(desc_forgets_what_is_asked, !forget_q || ask_q || (flying_q != '0))
  `MXE_ASSERT(desc_alone, !alone_q || ((held_q == '0) && !ready_q && (ask_q || (flying_q != '0))))
