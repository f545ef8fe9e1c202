// SPDX-License-Identifier: Apache-2.0
// Entry point of a program: sets gp and sp, clears .bss, calls main(argc, argv) with the a0 and a1
// that the platform has set, and passes its result to soc_exit().
  .section .init, "ax"
  .globl _start
  .type _start, @function
_start:
  .option push
  .option norelax
  la gp, __global_pointer$
  .option pop
  la sp, __stack_end
  la t0, __bss_begin
  la t1, __bss_end
  addi t2, t1, -32
  j 2f
1: // eight words per iteration: .bss may be large
  .set word, 0
  .rept 8
  sw zero, word(t0)
  .set word, word + 4
  .endr
  addi t0, t0, 32
2:
  bgeu t2, t0, 1b
  j 4f
3:
  sw zero, 0(t0)
  addi t0, t0, 4
4:
  bltu t0, t1, 3b
  call main
  tail soc_exit
  .size _start, . - _start
