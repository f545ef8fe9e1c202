# SPDX-License-Identifier: Apache-2.0
"""Jobs through the pins of mxe_top, driven by cocotbext-axi. Started by run.py."""
import os

import cocotb
from bench import MEMORY_BYTES, RING, Bench
from cocotbext.axi import AxiResp
from job import Job, constants

SEED = int(os.environ.get("MXE_PORTS_SEED", "1"))
FOUR_VALUED = "MXE_PORTS_FOUR_VALUED" in os.environ
REGS = constants(os.environ["MXE_PORTS_HEADER"])

# Operands, results, M x N x K: most sizes end within a tile, a block and a beat.
RTL_JOBS = [
    ("MXFP8_E4M3", "MXFP8_E4M3", "FP32", (9, 7, 70)),
    ("MXFP8_E5M2", "MXFP6_E3M2", "BF16", (3, 13, 33)),
    ("MXFP4_E2M1", "MXFP4_E1M2", "FP32", (5, 6, 150)),
    ("MXINT8", "MXFP6_E2M3", "MXFP6_E2M3", (4, 37, 40)),
    ("MXFP4_E2M1", "MXFP8_E4M3", "MXFP4_E2M1", (10, 33, 1)),
    ("MXFP6_E3M2", "MXINT8", "MXFP8_E4M3", (1, 32, 64)),
]
NETLIST_JOBS = [
    ("MXFP8_E4M3", "MXFP4_E2M1", "FP32", (3, 2, 37)),
    ("MXFP4_E1M2", "MXFP4_E2M1", "BF16", (2, 3, 70)),
    ("MXINT8", "MXFP6_E3M2", "MXFP8_E4M3", (2, 33, 5)),
]
FIRST_PART = RING + 2 * REGS["MXE_DESC_SIZE"]


async def start(dut):
    bench = Bench(dut, REGS, SEED)
    await bench.reset(FOUR_VALUED)
    dual = bool(await bench.read("FEATURES") & REGS["MXE_FEATURES_FP4_DUAL_MASK"])
    jobs = [Job(REGS, 10 * SEED + i, *job, dual)
            for i, job in enumerate(NETLIST_JOBS if FOUR_VALUED else RTL_JOBS)]
    return bench, jobs


@cocotb.test()
async def jobs_write_what_the_definition_says(dut):
    bench, jobs = await start(dut)
    while jobs:
        some = [jobs.pop(0) for _ in range(min(2, len(jobs)))]
        end = FIRST_PART
        for job in some:
            end = job.place(end).end
        assert end <= MEMORY_BYTES
        await bench.run(some, ["OK"] * len(some))
    bench.check_attributes()


@cocotb.test(skip=FOUR_VALUED)  # the netlist simulates slowly
async def a_bus_error_ends_its_job_and_no_other(dut):
    bench, jobs = await start(dut)
    bad_read, bad_write, good = jobs[0], jobs[1], jobs[2]
    for job in (bad_read, bad_write, good):
        job.place(FIRST_PART)
    bad_read.moved["B_ADDR"] = MEMORY_BYTES - 4
    await bench.run([bad_read], ["ERR_READ"])
    bad_write.moved["D_ADDR"] = MEMORY_BYTES + 0x100
    await bench.run([bad_write], ["ERR_WRITE"])
    await bench.run([good], ["OK"])
    bench.check_attributes()


@cocotb.test()
async def the_registers_refuse_what_is_not_there(dut):
    bench, _ = await start(dut)
    assert await bench.read("ID") == REGS["MXE_ID_RESET"]
    for address in (0x800, 0xFFC):
        assert (await bench.registers.read(address, 4)).resp == AxiResp.SLVERR
    assert (await bench.registers.write(REGS["MXE_REG_ID"], bytes(4))).resp == AxiResp.SLVERR
    half = await bench.registers.write(REGS["MXE_REG_RING_BASE_LO"], b"\xff\xff")
    assert half.resp == AxiResp.SLVERR
    assert await bench.read("RING_BASE_LO") == RING
    bench.check_attributes()
