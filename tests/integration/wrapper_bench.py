# SPDX-License-Identifier: Apache-2.0
"""The wrapper mxe_axi, whose ports cocotbext-axi connects by their names, with the reference of docs/dpi.md. Started by
tests/ports/run.py. mxe_axi_properties.sv observes the pins."""
import logging
import os
import random

import cocotb
import mxe_dpi
from bench import bus_view
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, Timer, with_timeout
from cocotbext.axi import AxiBus, AxiLiteBus, AxiLiteMaster, AxiRam, AxiResp, axi_channels, axil_channels
from job import constants

REGS = constants(os.environ["MXE_PORTS_HEADER"])
MEMORY_BYTES = 1 << 16
IMAGE = 0x1000
CLOCK_NS = 10
TIMEOUT_CLOCKS = 200_000
IDLE = REGS["MXE_STATUS_EMPTY_MASK"]  # STATUS of an engine without work
VALIDS = ["m_axi_arvalid", "m_axi_awvalid", "m_axi_wvalid", "s_axi_bvalid", "s_axi_rvalid"]
JOBS = ["m=9 n=3 k=70", "m=3 n=5 k=33 format_a=mxfp8_e5m2 format_b=mxfp6_e3m2 results=bf16 bias=row",
        "m=5 n=6 k=150 format_a=mxfp4_e2m1 format_b=mxfp4_e1m2 results=fp16",
        "m=4 n=37 k=40 format_a=mxint8 format_b=mxint8 results=mxfp6_e2m3 rule=rceil",
        "m=2 n=4 k=64 format_a=nvfp4 format_b=nvfp4 alpha=0.375 bias=full", "m=2 n=2 k=32 batch=3"]


class Bench:
    def __init__(self, dut):
        logging.getLogger("cocotb.mxe_axi").setLevel(logging.WARNING)  # otherwise it logs every burst
        self.dut = dut
        self.dpi = mxe_dpi.Dpi(os.environ["MXE_DPI"])
        self.random = random.Random(int(os.environ["RANDOM_SEED"]))
        self.addresses, self.writes = [], 0  # of outstanding reads, oldest first; number of outstanding writes
        self.start_clock()
        register_bus = AxiLiteBus.from_prefix(bus_view(dut, "s_axi", axil_channels), "s_axi")
        memory_bus = AxiBus.from_prefix(bus_view(dut, "m_axi", axi_channels), "m_axi")
        self.registers = AxiLiteMaster(register_bus, dut.clk, dut.rst_n, reset_active_level=False)
        self.memory = AxiRam(memory_bus, dut.clk, dut.rst_n, reset_active_level=False, size=MEMORY_BYTES)
        cocotb.start_soon(self.count_bursts())

    @property
    def reads(self):
        return len(self.addresses)

    def start_clock(self):
        self.clock = cocotb.start_soon(Clock(self.dut.clk, CLOCK_NS, units="ns").start())

    async def count_bursts(self):
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            if not dut.rst_n.value:
                self.addresses, self.writes = [], 0
                continue
            if dut.m_axi_arvalid.value & dut.m_axi_arready.value:
                self.addresses.append(dut.m_axi_araddr.value.integer)
            if dut.m_axi_rvalid.value & dut.m_axi_rready.value & dut.m_axi_rlast.value:
                self.addresses.pop(0)
            self.writes += dut.m_axi_awvalid.value & dut.m_axi_awready.value
            self.writes -= dut.m_axi_bvalid.value & dut.m_axi_bready.value

    async def reset(self):
        await FallingEdge(self.dut.clk)
        self.dut.rst_n.value = 0
        await ClockCycles(self.dut.clk, 4)
        await FallingEdge(self.dut.clk)
        assert not any(getattr(self.dut, name).value for name in VALIDS)
        self.dut.rst_n.value = 1
        await ClockCycles(self.dut.clk, 2)
        await self.write("IRQ_MASK", REGS["MXE_IRQ_MASK_QUEUE_EMPTY_MASK"])
        await self.write("RING_BASE_LO", IMAGE)
        await self.write("CTRL", REGS["MXE_CTRL_ENABLE_MASK"])

    async def write(self, register, value):
        answer = await self.registers.write(REGS["MXE_REG_" + register], value.to_bytes(4, "little"))
        assert answer.resp == AxiResp.OKAY, register

    async def read(self, register):
        answer = await self.registers.read(REGS["MXE_REG_" + register], 4)
        assert answer.resp == AxiResp.OKAY, register
        return int.from_bytes(answer.data, "little")

    def draw(self, job, part, most):
        return [self.random.randrange(most) for _ in range(self.dpi.count(job, part))]

    def operands(self, job):
        """Codes without NaN, scales near 1, and a bias of numbers that BF16 has."""
        codes = {"mxfp4": 16, "nvfp4": 16, "mxfp6": 64, "mxint": 256}
        most = [next((codes[name] for name in codes if f"format_{side}={name}" in job), 0x70) for side in "ab"]
        near_one = 0x30 if "nvfp4" in job else 120
        scales = [[near_one + s for s in self.draw(job, part, 16)] for part in ("a_scales", "b_scales")]
        bias = [0x3F000000 + (c << 16) for c in self.draw(job, "c", 256)] if "bias" in job else []
        return self.draw(job, "a", most[0]), scales[0], self.draw(job, "b", most[1]), scales[1], bias

    async def begin(self, text):
        """Writes a job to memory and rings the doorbell. Returns its text, and its expected results."""
        job = f"{text} address={IMAGE}"
        assert self.dpi.check(os.environ["MXE_ENGINE"], job) == ("MXE_OK", "")
        operands = self.operands(job)
        expected = self.dpi.gemm(job, *operands)
        self.memory.write(0, bytes(MEMORY_BYTES))
        self.memory.write(IMAGE, self.dpi.image(job, 7, *operands))
        await self.write("RING_TAIL", (await self.read("RING_HEAD") + 1) & 0xFFFF)
        return job, expected

    async def until_outstanding(self, clocks):
        """Returns in a cycle with an outstanding burst, `clocks` cycles later or more."""
        await ClockCycles(self.dut.clk, clocks)
        for _ in range(1000):
            if self.reads + self.writes > 0:
                return
            await RisingEdge(self.dut.clk)
        raise AssertionError("no burst is outstanding")

    def results(self, job, part):
        address, stride, rows, row_bytes = self.dpi.place(job, part)
        return b"".join(self.memory.read(address + i * stride, row_bytes) for i in range(rows))

    async def run(self, text):
        job, expected = await self.begin(text)
        if not self.dut.irq.value:
            await with_timeout(RisingEdge(self.dut.irq), TIMEOUT_CLOCKS * CLOCK_NS, "ns")
        assert await self.read("LAST_STATUS") == REGS["MXE_STATUS_OK"]
        assert await self.read("STATUS") == IDLE
        assert (self.reads, self.writes) == (0, 0), "bursts are outstanding in an idle engine"
        found = (self.results(job, "d"), self.results(job, "d_scale") if expected[1] else b"")
        assert not (difference := self.dpi.compare(job, found, expected)), f"{text}: {difference}"
        await self.write("IRQ_STATUS", 0xF)
        await ClockCycles(self.dut.clk, 2)
        assert not self.dut.irq.value


async def start(dut):
    bench = Bench(dut)
    await bench.reset()
    return bench


@cocotb.test()
async def jobs_equal_the_reference(dut):
    bench = await start(dut)
    for job in JOBS:
        await bench.run(job)


@cocotb.test()
async def the_clock_may_stop_while_the_engine_is_idle(dut):
    bench = await start(dut)
    for job in JOBS[:3]:
        await bench.run(job)
        await FallingEdge(dut.clk)
        bench.clock.kill()
        await Timer(1000, "ns")
        bench.start_clock()


@cocotb.test()
async def a_reset_in_mid_burst_makes_the_port_quiet(dut):
    bench = await start(dut)
    for clocks in (20, 40, 80):
        await bench.begin(JOBS[0])
        await bench.until_outstanding(clocks)
        await bench.reset()  # also of the memory
        assert await bench.read("STATUS") == IDLE
        await bench.run(JOBS[1])


@cocotb.test()
async def a_soft_reset_waits_for_outstanding_bursts(dut):
    bench = await start(dut)
    for clocks in (20, 60):
        await bench.begin(JOBS[0])
        await bench.until_outstanding(clocks)
        await bench.write("CTRL", REGS["MXE_CTRL_SOFT_RESET_MASK"])
        while await bench.read("STATUS") != IDLE:
            pass
        assert (bench.reads, bench.writes) == (0, 0)
        await bench.write("IRQ_STATUS", 0xF)
        await bench.write("CTRL", REGS["MXE_CTRL_ENABLE_MASK"])
        await bench.run(JOBS[2])


@cocotb.test()
async def busy_excludes_the_reads_of_a_job_that_waits(dut):
    """The second of two jobs is early. The engine is disabled when its reads are outstanding, and the first one ends."""
    bench = await start(dut)
    await bench.write("RING_SIZE_LOG2", 1)
    jobs = [f"m=8 n=1 k=32 address={address}" for address in (0x2000, 0x5000)]
    ring = b""
    for job, early in zip(jobs, (0, REGS["MXE_DESC_CONTROL_EARLY_MASK"])):
        operands = bench.operands(job)
        bench.memory.write(int(job.rpartition("=")[2]), bench.dpi.image(job, 1, *operands))
        descriptor = bytearray(bench.dpi.descriptor(job, 1))
        at = REGS["MXE_DESC_CONTROL"]
        control = int.from_bytes(descriptor[at:at + 4], "little") | early
        ring += bytes(descriptor[:at]) + control.to_bytes(4, "little") + bytes(descriptor[at + 4:])
    bench.memory.write(IMAGE, ring)
    channel = bench.memory.read_if.r_channel
    await bench.write("RING_TAIL", 2)
    while not (dut.m_axi_arvalid.value and dut.m_axi_araddr.value.integer >= 0x5000):
        await RisingEdge(dut.clk)
    await bench.write("CTRL", 0)
    while not bench.addresses or bench.addresses[0] < 0x5000:
        await RisingEdge(dut.clk)
    channel.pause = True
    while await bench.read("RING_HEAD") != 1:
        pass
    assert await bench.read("STATUS") == 0, "neither busy nor empty"
    assert bench.reads > 0
    channel.pause = False


@cocotb.test(skip="MXE_PLANTED" not in os.environ)
async def the_address_of_a_waiting_read_changes(dut):
    bench = await start(dut)
    del bench
    dut.s_axi_rready.value = 0
    dut.s_axi_arvalid.value = 1
    for address in range(0, 40, 4):  # the engine accepts two
        dut.s_axi_araddr.value = address
        await RisingEdge(dut.clk)
