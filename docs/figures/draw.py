#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of the pages: docs/figures/NAME.svg for each function below.

  docs/figures/draw.py           writes the files
  docs/figures/draw.py --check   compares them with the drawings; exit status 1 if one differs
"""
import pathlib
import sys

from svg import Drawing

HERE = pathlib.Path(__file__).resolve().parent
RTL = "../../rtl/{}.sv"


def engine():
    """The blocks of the engine and the data between them. Each block links to its page, each module to its file."""
    page = "../architecture.md"
    d = Drawing(960, 812, "Block diagram of the engine; each name is a link")
    d.box(70, 10, 820, 792, "frame")
    d.text(84, 30, "top", "name", f"{page}#parameters")
    d.row(120, 30, ["mxe_top"], RTL)

    d.block(90, 50, 190, 76, "registers", ["AXI4-Lite, 4 KiB"], "../registers.md#mxe-registers")
    d.row(100, 112, ["mxe_regs"], RTL)
    d.block(90, 142, 190, 62, "counters", (), "../registers.md#mxe-registers")
    d.row(100, 190, ["mxe_counters"], RTL)
    d.block(370, 50, 500, 94, "command processor",
            ["reads descriptors, checks and starts jobs, writes records"], f"{page}#from-job-to-job", "mark")
    d.row(380, 110, ["mxe_cmd", "mxe_desc", "mxe_check", "mxe_job", "mxe_record"], RTL)
    d.text(380, 132, "up to nine jobs in flight", "dim")
    d.arrow((10, 84), (90, 84), both=True)
    d.text(8, 72, "AXI4-Lite", "dim")
    d.arrow((280, 84), (370, 84))
    d.text(294, 76, "doorbell", "dim")
    d.arrow((870, 72), (952, 72))
    d.text(896, 62, "interrupt", "dim")

    d.box(84, 220, 792, 570, "frame")
    d.text(98, 240, "datapath", "name", f"{page}#block-diagram")
    d.row(170, 240, ["mxe_datapath", "mxe_datapath_checks"], RTL)
    d.arrow((480, 144), (480, 220))
    d.text(490, 184, "job, start", "dim")
    d.arrow((700, 220), (700, 144))
    d.text(710, 184, "descriptors, job done", "dim")

    d.block(100, 262, 264, 78, "loaders", ["request rows of A, B and bias"], f"{page}#order-of-computation")
    d.row(110, 328, ["mxe_load", "mxe_load_bias", "mxe_rows"], RTL)
    d.block(420, 262, 190, 78, "loop nest", ["in every block that follows it"], f"{page}#order-of-computation")
    d.row(430, 328, ["mxe_walk"], RTL)
    d.block(640, 262, 220, 78, "sequencer", ["issues a row per cycle"], f"{page}#pipeline", "mark")
    d.row(650, 328, ["mxe_seq"], RTL)

    d.block(100, 368, 264, 78, "read port", ["arbiter, bursts, alignment"], f"{page}#reads")
    d.row(110, 434, ["mxe_rd_port", "mxe_bursts", "mxe_unpack"], RTL)
    d.arrow((220, 340), (220, 368))
    d.arrow((100, 392), (12, 392))
    d.text(8, 384, "AXI4 AR", "dim")
    d.arrow((12, 428), (100, 428))
    d.text(8, 420, "AXI4 R", "dim")

    d.block(420, 368, 240, 96, "buffers",
            ["A: 2 chunks, B: B_BANKS slabs,", "bias: 2 tiles"], f"{page}#order-of-computation")
    d.row(430, 452, ["mxe_opbuf", "mxe_expand", "mxe_cbuf"], RTL)
    d.arrow((364, 407), (420, 407))
    d.text(372, 399, "words", "dim")
    d.block(700, 386, 160, 78, "feeder", ["decodes 2 columns of B"], f"{page}#pipeline")
    d.row(710, 452, ["mxe_feed"], RTL)
    d.arrow((660, 425), (700, 425))
    d.text(668, 417, "B", "dim")
    d.arrow((780, 386), (780, 340))
    d.text(790, 366, "passes", "dim")

    d.box(100, 496, 760, 138, "mark")
    d.text(110, 516, "array", "name", f"{page}#pipeline")
    d.row(156, 516, ["mxe_array", "mxe_pe"], RTL)
    d.text(290, 516, "NUM_PE processing elements, one row of A and 32 products each per cycle", "dim")
    d.block(112, 528, 150, 92, "element decode", ["A once, for all PEs"], f"{page}#arithmetic")
    d.row(122, 588, ["mxe_decode"], RTL)
    d.row(122, 606, ["mxe_decode_word"], RTL)
    d.block(282, 528, 250, 92, "dot product", ["exact sum of 32 products"], f"{page}#arithmetic")
    d.row(292, 584, ["mxe_dot", "mxe_quad", "mxe_lane"], RTL)
    d.row(292, 599, ["mxe_tree", "mxe_csa", "mxe_scaled_sum"], RTL)
    d.row(292, 614, ["mxe_scaled_block"], RTL)
    d.block(552, 528, 120, 92, "scale unit", ["XA + XB"], f"{page}#arithmetic")
    d.row(562, 584, ["mxe_scale"], RTL)
    d.row(562, 599, ["mxe_scales_e4m3"], RTL)
    d.row(562, 614, ["mxe_scale_e4m3"], RTL)
    d.block(692, 528, 156, 92, "accumulator", ["FP32, one rounding"], f"{page}#arithmetic")
    d.row(702, 588, ["mxe_facc"], RTL)
    d.arrow((262, 574), (282, 574))
    d.arrow((672, 574), (692, 574))
    d.arrow((480, 464), (480, 496))
    d.text(490, 484, "A, bias", "dim")
    d.arrow((800, 464), (800, 496))
    d.text(734, 484, "B words", "dim")
    d.arrow((680, 340), (680, 496))
    d.text(644, 484, "rows", "dim")

    d.block(590, 662, 270, 62, "drain", (), f"{page}#pipeline")
    d.text(646, 682, "2 tiles; joins the two chains", "dim")
    d.row(600, 699, ["mxe_drain", "mxe_merge"], RTL)
    d.row(600, 715, ["mxe_alpha", "mxe_factor"], RTL)
    d.arrow((770, 634), (770, 662))
    d.text(780, 654, "results", "dim")
    d.block(300, 654, 250, 128, "requantiser", ["MX results: scale, codes"], f"{page}#arithmetic")
    d.row(310, 712, ["mxe_requant", "mxe_collect"], RTL)
    d.row(310, 730, ["mxe_amax", "mxe_narrow"], RTL)
    d.row(310, 748, ["mxe_requant_scale"], RTL)
    d.row(310, 766, ["mxe_requant_lane", "mxe_block_wr"], RTL)
    d.arrow((590, 690), (550, 690))
    d.block(100, 678, 150, 78, "write port", ["strobes, bursts"], f"{page}#writes")
    d.row(110, 744, ["mxe_wr_port"], RTL)
    d.arrow((300, 716), (250, 716))
    d.arrow((640, 724), (640, 794), (175, 794), (175, 756))
    d.text(650, 772, "FP32, BF16, FP16 rows", "dim")
    d.arrow((100, 716), (12, 716))
    d.text(8, 708, "AXI4 AW, W", "dim")
    return d


LEVELS = [
    ("batch", "a product of the job", "1 product"),
    ("stripe", "ROWS rows of D", "12 stripes of 32 rows"),
    ("group", "ACC_TILES tiles: they share an A chunk", "24 groups of 32 columns"),
    ("chunk", "A_SLAB_K / 32 words of K per row", "1 chunk of 24 words"),
    ("tile", "NUM_PE columns of D", "4 tiles of 8 columns"),
    ("slab", "B_BUF_K / 32 words of K per column", "2 slabs of 12 words"),
    ("word = pass", "32 elements of K, 64 at the dual rate", "12 passes"),
    ("row", "one cycle: each PE adds one block", "32 rows"),
]


def nest():
    """The loops of a job, and the parts of A, B and D that each level covers."""
    d = Drawing(960, 400, "Loop nest of a job")
    for number, (name, meaning, example) in enumerate(LEVELS):
        x, y = 10 + 14 * number, 30 + 44 * number
        d.box(x, y, 520 - x, 384 - y, "mark" if number % 2 else "")
        d.text(x + 10, y + 20, name, "name")
        d.text(x + 10, y + 36, meaning, "dim")
        d.text(506, y + 28, example, "dim", anchor="end")
    d.text(506, 18, "on base: M = 384, N = 768, K = 768, 8-bit operands", "dim", anchor="end")

    # A [M][K] left of D [M][N], B [N][K] above D.
    d.box(560, 190, 110, 160)
    d.box(560, 222, 110, 32, "mark")
    d.text(566, 212, "A [M][K]", "name")
    d.text(566, 243, "chunk of a stripe", "dim")
    d.box(720, 30, 220, 110)
    d.box(790, 30, 60, 110, "mark")
    d.box(790, 30, 15, 55, "mark2")
    d.text(726, 52, "B [N][K]", "name")
    d.text(858, 62, "slab:", "dim")
    d.text(858, 78, "a tile's B", "dim")
    d.box(720, 190, 220, 160)
    d.box(720, 222, 220, 32, "")
    d.box(790, 222, 60, 32, "mark")
    d.box(790, 222, 15, 32, "mark2")
    d.text(726, 212, "D [M][N]", "name")
    d.text(726, 243, "stripe", "dim")
    d.text(810, 243, "group", "dim")
    d.text(786, 272, "tile: NUM_PE columns", "dim")
    d.arrow((670, 238), (720, 238))
    d.arrow((820, 140), (820, 190))
    d.text(560, 370, "K runs to the right in A", "dim")
    d.text(720, 370, "K runs down in B, N to the right in D", "dim")
    return d


def product():
    """The path of a product through reference, model and RTL."""
    d = Drawing(960, 430, "Path of a product through reference, model and RTL")
    d.block(330, 10, 300, 62, "A and B as numbers", ["float32, float16, bfloat16: .npy, .safetensors"])
    d.arrow((480, 72), (480, 96))
    d.block(330, 96, 300, 62, "quantizer", ["elements and E8M0 scales, rules of a preset"],
            "../numerics.md#quantizing-which-preset", "mark2")
    d.arrow((480, 158), (480, 172), (150, 172), (150, 190))
    d.arrow((480, 158), (480, 190))
    d.arrow((480, 172), (810, 172), (810, 190))
    d.block(20, 190, 260, 132, "reference", ["golden GEMM in C++: one exact", "sum and one rounding per block"],
            "../numerics.md#dot-products-and-matrix-products", "mark")
    d.text(30, 270, "model/numerics", "code", "../../model/numerics")
    d.text(30, 290, "no time", "dim")
    d.block(340, 190, 600, 58, "driver in C", ["descriptor in a ring, doorbell, interrupt"], "../driver.md")
    d.text(700, 210, "sw/driver", "code", "../../sw/driver")
    d.arrow((480, 248), (480, 264))
    d.arrow((810, 248), (810, 264))
    d.block(340, 264, 270, 58, "model", ["SystemC: results and cycles"], "../model.md", "mark")
    d.text(480, 284, "model/engine", "code", "../../model/engine")
    d.block(670, 264, 270, 58, "RTL", ["SystemVerilog in Verilator"], "../architecture.md", "mark")
    d.text(860, 284, "rtl", "code", "../../rtl")
    d.arrow((150, 322), (150, 364))
    d.arrow((480, 322), (480, 364))
    d.arrow((810, 322), (810, 364))
    d.block(20, 364, 920, 56, "results: compared byte for byte", ["cycles and counters: model = RTL"],
            "../assurance.md#comparisons")
    return d


def stack():
    """The layers of software from a program to the engine, for firmware and for Linux."""
    d = Drawing(960, 470, "Software stack of firmware and of Linux")
    d.text(20, 24, "firmware: mxe run", "name", "../firmware.md")
    d.text(500, 24, "Linux: mxe linux", "name", "../linux.md")

    d.block(20, 40, 430, 58, "program", ["for example digits.c, the same file on both sides"])
    d.block(20, 122, 430, 58, "C driver", ["mxe_submit, mxe_wait, callbacks"], "../driver.md", "mark")
    d.text(300, 142, "sw/driver", "code", "../../sw/driver")
    d.block(20, 204, 430, 58, "runtime", ["start-up, port of the driver, interrupt handler"], "../firmware.md")
    d.text(300, 224, "sw/firmware/runtime", "code", "../../sw/firmware/runtime")
    d.block(20, 286, 430, 58, "RISC-V processor", ["Unicorn, rv32 or rv64; UART, timer, interrupts"], "../firmware.md")
    d.text(300, 306, "model/platform/soc", "code", "../../model/platform/soc")

    d.block(500, 40, 440, 58, "program", ["the same calls of the driver"])
    d.block(500, 122, 210, 58, "libmxe", ["ioctls of a DRM device"], "../linux-driver.md#libmxe")
    d.text(580, 142, "sw/linux/lib", "code", "../../sw/linux/lib")
    d.block(500, 204, 440, 58, "mxe.ko", ["DRM accel driver around the C driver"], "../linux-driver.md", "mark")
    d.text(760, 224, "sw/linux/module", "code", "../../sw/linux/module")
    d.block(500, 286, 440, 58, "PCI function of User-mode Linux", ["memory by mmap, accesses by sockets"],
            "../linux.md")
    d.text(776, 306, "model/platform/pci", "code", "../../model/platform/pci")
    d.box(490, 112, 460, 158, "frame")
    d.text(730, 144, "Linux 6.12, a process", "dim")

    for x in (235, 605):
        for y in (98, 180, 262):
            d.arrow((x, y), (x, y + 24))
        d.arrow((x, 344), (x, 390))
    d.text(245, 370, "registers, memory, interrupt: one simulated clock", "dim")
    d.block(20, 390, 920, 62, "engine: model or RTL", ["the same bytes, cycles and nanoseconds"], "../model.md",
            "mark2")
    d.text(700, 410, "model/engine", "code", "../../model/engine")
    d.text(820, 410, "rtl", "code", "../../rtl")
    return d


def overview():
    """MXE on one picture, for the README."""
    d = Drawing(920, 320, "Overview of MXE")
    d.block(20, 10, 200, 62, "networks", ["PyTorch, ONNX, .safetensors"])
    d.block(260, 10, 190, 62, "shapes", ["M, N, K of each layer"])
    d.block(490, 10, 190, 62, "random jobs", ["seeds, directed cases"])
    d.block(720, 10, 180, 62, "software", ["firmware, Linux"])
    d.block(20, 100, 200, 62, "quantize", ["formats, presets"], "../numerics.md", "mark2")
    d.block(260, 100, 190, 62, "explore, estimate", ["cycles, area, energy"], "../exploration.md", "mark2")
    d.block(490, 100, 190, 62, "co-simulate", ["every byte and cycle"], "../verification.md", "mark2")
    d.block(720, 100, 180, 62, "driver in C", ["no OS, no heap"], "../driver.md", "mark2")
    d.block(20, 200, 270, 62, "reference", ["C++: the right result"], "../numerics.md", "mark")
    d.block(330, 200, 270, 62, "model", ["SystemC: results and cycles"], "../model.md", "mark")
    d.block(640, 200, 260, 62, "RTL", ["SystemVerilog: the hardware"], "../architecture.md", "mark")
    for x in (120, 355, 585, 810):
        d.arrow((x, 72), (x, 100))
    d.arrow((120, 162), (120, 200))
    d.arrow((400, 162), (400, 200))
    d.arrow((560, 162), (560, 200))
    d.arrow((660, 162), (660, 200))
    d.arrow((780, 162), (780, 180), (585, 180), (585, 200))
    d.arrow((820, 162), (820, 200))
    d.arrow((290, 224), (330, 224), both=True)
    d.arrow((600, 224), (640, 224), both=True)
    d.text(460, 296, "the same results, bit for bit; model and RTL also take the same cycles", "dim", anchor="middle")
    return d


FIGURES = (engine, nest, product, stack, overview)


def main():
    status = 0
    for figure in FIGURES:
        path = HERE / f"{figure.__name__}.svg"
        text = figure().written()
        if sys.argv[1:] == ["--check"]:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                print(f"{path}: differs from docs/figures/draw.py, which writes it", file=sys.stderr)
                status = 1
        else:
            path.write_text(text, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main())
