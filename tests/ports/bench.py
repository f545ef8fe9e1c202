# SPDX-License-Identifier: Apache-2.0
"""The engine with cocotbext-axi's AXI4-Lite master and AXI4 slave; each channel pauses at random."""
import logging
import random
from types import SimpleNamespace

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout
from cocotbext.axi import (
    AddressSpace,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiProt,
    AxiResp,
    AxiSlave,
    MemoryRegion,
    axi_channels,
    axil_channels,
)
from job import FILL

MEMORY_BYTES = 1 << 15  # accesses beyond it get an error response
RING = 0x100
CLOCK_NS = 10
TIMEOUT_CLOCKS = 400_000

# The valid pin of each channel that the engine drives, and its payload pins.
PAYLOAD = {
    "m_arvalid_o": ["arid", "araddr", "arlen", "arsize", "arburst", "arlock", "arcache", "arprot",
                    "arqos", "arregion"],
    "m_awvalid_o": ["awid", "awaddr", "awlen", "awsize", "awburst", "awlock", "awcache", "awprot",
                    "awqos", "awregion"],
    "m_wvalid_o": ["wdata", "wstrb", "wlast"],
    "s_rvalid_o": ["rdata", "rresp"],
    "s_bvalid_o": ["bresp"],
}
HANDSHAKES = ["s_awready_o", "s_wready_o", "s_arready_o", "m_rready_o", "m_bready_o", "irq_o"]
# Attributes of every burst, from docs/architecture.md.
ATTRIBUTES = {"id": 0, "burst": 1, "lock": 0, "cache": 0b0010, "prot": 0b010, "qos": 0, "region": 0}


def bus_view(dut, prefix, channels):
    """The pins of a bus by their names in AXI, without a suffix. cocotb's own search among all signals of a module would
    find Verilator's copies of the pins, and writing a copy has no effect."""
    view = SimpleNamespace(_name=dut._name, _log=dut._log)
    for name in dir(channels):
        channel = getattr(channels, name)
        for signal in getattr(channel, "_signals", []) + getattr(channel, "_optional_signals", []):
            for suffix in ("_i", "_o", ""):
                handle = getattr(dut, f"{prefix}_{signal}{suffix}", None)
                if handle is not None:
                    setattr(view, f"{prefix}_{signal}", handle)
    return view


def pauses(seed):
    """Yields whether a channel pauses, per cycle: with a chance of 0, 20, 50 or 90 % in periods of 1 to 60 cycles."""
    chance = random.Random(seed)
    while True:
        likely = chance.choice([0, 0.2, 0.5, 0.9])
        for _ in range(chance.randint(1, 60)):
            yield chance.random() < likely


class Bench:
    def __init__(self, dut, regs, seed):
        logging.getLogger("cocotb.mxe_top").setLevel(logging.WARNING)  # otherwise it logs every burst
        self.dut = dut
        self.regs = regs
        self.random = random.Random(seed)
        self.memory = MemoryRegion(MEMORY_BYTES)
        self.memory[0:MEMORY_BYTES] = bytes([FILL]) * MEMORY_BYTES
        self.tail = 0
        space = AddressSpace()
        space.register_region(self.memory, 0)
        cocotb.start_soon(Clock(dut.clk_i, CLOCK_NS, units="ns").start())
        register_bus = AxiLiteBus.from_prefix(bus_view(dut, "s", axil_channels), "s")
        memory_bus = AxiBus.from_prefix(bus_view(dut, "m", axi_channels), "m")
        self.registers = AxiLiteMaster(register_bus, dut.clk_i, dut.rst_ni,
                                       reset_active_level=False)
        self.slave = AxiSlave(memory_bus, dut.clk_i, dut.rst_ni, target=space,
                              reset_active_level=False)
        for side in (self.registers, self.slave):
            for half, channels in ((side.write_if, ("aw", "w", "b")), (side.read_if, ("ar", "r"))):
                for channel in channels:
                    getattr(half, channel + "_channel").set_pause_generator(
                        pauses(self.random.random()))

    async def reset(self, four_valued):
        self.dut.rst_ni.value = 0
        await ClockCycles(self.dut.clk_i, 4)
        await FallingEdge(self.dut.clk_i)
        if four_valued:
            cocotb.start_soon(self.watch_for_unknown())
        self.dut.rst_ni.value = 1
        await self.write("IRQ_MASK", self.regs["MXE_IRQ_MASK_QUEUE_EMPTY_MASK"])
        await self.write("RING_SIZE_LOG2", 1)
        await self.write("RING_BASE_LO", RING)
        await self.write("CTRL", self.regs["MXE_CTRL_ENABLE_MASK"])

    def rights(self):
        return AxiProt(self.random.randrange(8))

    async def write(self, register, value):
        answer = await self.registers.write(self.regs["MXE_REG_" + register],
                                            value.to_bytes(4, "little"), prot=self.rights())
        assert answer.resp == AxiResp.OKAY, f"write of {register}: {answer.resp!r}"

    async def read(self, register):
        answer = await self.registers.read(self.regs["MXE_REG_" + register], 4, prot=self.rights())
        assert answer.resp == AxiResp.OKAY, f"read of {register}: {answer.resp!r}"
        return int.from_bytes(answer.data, "little")

    async def run(self, jobs, statuses):
        """Runs up to two jobs from the ring. Then only their records and the results of those with status OK are new."""
        places = []
        for job in jobs:
            for address, data in job.operands:
                self.memory[address:address + len(data)] = data
            place = RING + self.regs["MXE_DESC_SIZE"] * (self.tail % 2)
            self.memory[place:place + self.regs["MXE_DESC_SIZE"]] = job.descriptor()
            places.append(place)
            self.tail += 1
        expected = bytearray(self.memory[0:MEMORY_BYTES])
        await self.write("RING_TAIL", self.tail)
        if not self.dut.irq_o.value:
            await with_timeout(RisingEdge(self.dut.irq_o), TIMEOUT_CLOCKS * CLOCK_NS, "ns")
        for job, status, place in zip(jobs, statuses, places):
            if status == "OK":
                for address, data in job.expected:
                    expected[address:address + len(data)] = data
            record = job.record(status)
            at = place + self.regs["MXE_DESC_STATUS"]
            expected[at:at + len(record)] = record
            clocks = place + self.regs["MXE_DESC_CYCLES"]
            expected[clocks:clocks + 8] = self.memory[clocks:clocks + 8]
            assert 0 < int.from_bytes(expected[clocks:clocks + 8], "little") < TIMEOUT_CLOCKS
        self.compare(expected)
        assert await self.read("RING_HEAD") == self.tail
        assert await self.read("LAST_STATUS") == self.regs["MXE_STATUS_" + statuses[-1]]
        await self.write("IRQ_STATUS", 0xF)

    def compare(self, expected):
        found = bytes(self.memory[0:MEMORY_BYTES])
        wrong = [a for a in range(MEMORY_BYTES) if found[a] != expected[a]]
        assert not wrong, (f"{len(wrong)} bytes of memory differ, the first at {wrong[0]:#x}: "
                           f"{found[wrong[0]]:#04x}, expected {expected[wrong[0]]:#04x}")

    def check_attributes(self):
        for channel in ("ar", "aw"):
            for name, value in ATTRIBUTES.items():
                pin = getattr(self.dut, f"m_{channel}{name}_o")
                assert pin.value == value, f"{pin._name} is {pin.value}, expected {value:#b}"

    async def watch_for_unknown(self):
        """From now on fails if a handshake, the interrupt, or the payload of a valid pin that is 1 is unknown."""
        while True:
            for name in HANDSHAKES + list(PAYLOAD):
                self.known(name)
            for valid, payload in PAYLOAD.items():
                if getattr(self.dut, valid).value == 1:
                    for name in payload:
                        self.known(f"{valid[0]}_{name}_o")
            await FallingEdge(self.dut.clk_i)

    def known(self, name):
        bits = getattr(self.dut, name).value.binstr
        assert not set(bits) - {"0", "1"}, f"{name} is unknown: {bits}"
