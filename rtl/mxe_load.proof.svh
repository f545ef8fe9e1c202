// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_load, inside its module.
  `MXE_FORMAL_START
  // The held banks directly precede the bank being filled; the oldest is released next.
  logic [BankAw:0]   f_held;
  logic [BankAw:0]      f_turn;
  logic [MostBanks-1:0] f_in_turn;
  always_comb begin
    f_held = '0;
    for (int unsigned i = 0; i < MostBanks; i++) f_held = f_held + (BankAw+1)'(f_held_q[i]);
    for (int unsigned i = 0; i < MostBanks; i++) begin
      f_turn       = (BankAw+1)'(i) + ((BankAw'(i) < f_next_release_q) ? banks_q : '0) -
                     {1'b0, f_next_release_q};
      f_in_turn[i] = (f_turn < f_held) & ((BankAw+1)'(i) < banks_q);
    end
  end
  `MXE_ASSERT(load_banks_add_up, (32'(free_q) + 32'(taken_q) + 32'(f_held)) == 32'(banks_q))
  `MXE_ASSERT(load_release_order, ({1'b0, f_next_release_q} + f_held == {1'b0, bank_q}) ||
              ({1'b0, f_next_release_q} + f_held == {1'b0, bank_q} + banks_q))
  `MXE_ASSERT(load_bank_exists, ({1'b0, bank_q} < banks_q) &&
              ({1'b0, f_next_release_q} < banks_q))
  `MXE_ASSERT(load_number_of_banks, (banks_q == (BankAw+1)'(BANKS)) ||
              (CAN_SPLIT && (banks_q == (BankAw+1)'(MostBanks))))
  `MXE_ASSERT(load_held_in_turn, f_held_q == f_in_turn)
  `MXE_ASSERT(load_last_index, !taken_q || ({1'b0, last_index_q} + (IndexW+1)'(1) == count))
  `MXE_ASSERT(load_half_follows, !taken_q || (half_follows_q == (two_halves & ~half_q)))
  `MXE_ASSERT(load_rows_in_range, !valid || (({1'b0, index_q} < count) && (count != '0)))
  `MXE_ASSERT(load_second_half_is_there, !half_q || (valid && two_halves))
  `MXE_ASSERT(load_taken_while_walking, !taken_q || valid)
  `MXE_ASSERT(load_fetching_is_taken, taken_q || (!scale_q && (index_q == '0)))
