// SPDX-License-Identifier: Apache-2.0
// One function for each fault. Its label marks the instruction that causes it, never the first of a block.

  .macro begin name
  .balign 4
  .globl run_\name
  .type run_\name, @function
run_\name:
  .endm
  .macro culprit name
  .globl fault_\name
  .type fault_\name, @function
fault_\name:
  .endm

  .text
begin read
  lui a1, 0x20000
  addi a2, a1, 16
  culprit read
  lw a0, 12(a1)
  ret
begin read_short
  lui s0, 0x20000
  lw a0, 0(sp)
  culprit read_short
  c.lw a0, 68(s0)
  ret
begin read_below
  lui a1, 0x20000
  sw a1, -8(sp)
  culprit read_below
  lbu a0, -1(a1)
  ret
begin write
  li a1, 64
  sw a1, -16(sp)
  culprit write
  sb a0, -24(a1)
  ret
begin write_short
  lui sp, 0x20000
  li a1, 1
  culprit write_short
  c.swsp a1, 196(sp)
  ret
begin write_wide
  lui s0, 0x20000
  li a1, 1
  culprit write_wide
#if __riscv_xlen == 64
  c.sd a1, 200(s0)
#else
  c.sw a1, 100(s0)
#endif
  ret
begin atomic
  lui a1, 0x20000
  li a2, 1
  culprit atomic
  amoadd.w a0, a2, (a1)
  ret
begin misaligned
  addi a1, sp, -14
  li a2, 1
  culprit misaligned
  amoadd.w a0, a2, (a1)
  ret
begin illegal
  li a0, 1
  culprit illegal
  .word 0xffffffff
  ret
begin illegal_short
  li a0, 1
  culprit illegal_short
  .half 0
  ret
begin ebreak
  li a0, 1
  culprit ebreak
  .option push
  .option norvc
  ebreak
  .option pop
  ret
begin ebreak_short
  li a0, 1
  culprit ebreak_short
  c.ebreak
  ret
begin ecall
  li a0, 1
  culprit ecall
  ecall
  ret
begin deadlock
  li a0, 1
  culprit deadlock
  wfi
  ret
begin loop
  li a0, 1
  culprit loop
  j fault_loop
begin timer_write
  lui a1, 0x10002
  li a2, 1
  culprit timer_write
  sw a2, 0(a1)
  ret
begin uart_byte
  lui a1, 0x10000
  li a2, 65
  culprit uart_byte
  sb a2, 0(a1)
  ret
begin engine_read
  lui a1, 0x10002
  li a0, 1
  culprit engine_read
  lw a0, -4(a1)
  ret
begin engine_write
  lui a1, 0x10001
  li a0, 1
  culprit engine_write
  sw a0, 0(a1)
  ret
begin jump
  lui a1, 0x30000
  jr a1
