// SPDX-License-Identifier: Apache-2.0
// The proof of mxe_ram, inside its module.
  // Follows one arbitrary word: a read returns the value written last and holds it.
  (* anyconst *) logic [ADDR_W-1:0] f_addr;
  logic             f_written_q = 1'b0;  // f_word_q is valid
  logic             f_read_q = 1'b0;     // rdata_q is that word
  logic [WIDTH-1:0] f_word_q, f_read_word_q;
  always_ff @(posedge clk_i) begin
    if (we_i && (waddr_i == f_addr)) begin
      f_written_q <= 1'b1;
      f_word_q    <= wdata_i;
    end
    if (re_i) begin
      f_read_q      <= f_written_q & (raddr_i == f_addr);
      f_read_word_q <= f_word_q;
    end
    ram_address_in_range : assume ((32'(f_addr) < DEPTH) && (32'(waddr_i) < DEPTH));
    ram_word_kept : assert (!f_written_q || (mem[f_addr] == f_word_q));
    ram_word_read : assert (!f_read_q || (rdata_o == f_read_word_q));
  end
