# SPDX-License-Identifier: Apache-2.0
"""A job in memory: random operands, its descriptor, and the expected memory after its end."""
import random
import re
import struct

import reference

FILL = 0xA5  # initial value of memory


def constants(header):
    with open(header, encoding="utf-8") as file:
        text = file.read()
    found = re.findall(r"#define (MXE_\w+) +(?:UINT32_C\()?(0x[0-9a-fA-F]+|\d+)u?\b", text)
    return {name: int(value, 0) for name, value in found}


class Job:
    """A job; place() puts its parts from `base` on, with gaps between rows, at odd addresses where that is allowed."""

    def __init__(self, regs, seed, format_a, format_b, out_format, shape, dual):
        self.regs = regs
        self.job_id = 0x1000 + seed
        self.formats = (format_a, format_b, out_format)
        self.shape = shape
        self.dual = dual and all(reference.FORMATS[f].bits == 4 for f in (format_a, format_b))
        self.random = random.Random(seed)
        self.words = {}
        self.operands = []  # (address, bytes)
        self.expected = []  # (address, bytes) of results
        self.moved = {}  # descriptor words that a test changed
        self.end = 0

    def place(self, base):
        m, n, k = self.shape
        format_a, format_b, out_format = self.formats
        self.end = base
        a = self._operand("A", format_a, m, k)
        b = self._operand("B", format_b, n, k)
        rows, scales = reference.results(reference.matmul(a, b, self.dual), out_format)
        aligned = {"FP32": 4, "BF16": 2}.get(out_format, 1)
        self.expected += self._rows("D", rows, aligned)
        self.expected += self._rows("D_SCALE", scales, 1)
        return self

    def _operand(self, name, element_format, rows, k):
        """Adds random codes without specials and scales from 2^-7 to 2^7; returns rows of (scale code, numbers)."""
        element = reference.FORMATS[element_format]
        finite = [c for c, v in enumerate(element.codes) if v is not None]
        blocks = (k + reference.BLOCK - 1) // reference.BLOCK
        codes = [[self.random.choice(finite) for _ in range(k)] for _ in range(rows)]
        scales = [[self.random.randint(120, 134) for _ in range(blocks)] for _ in range(rows)]
        self.operands += self._rows(name, [reference.pack(row, element.bits) for row in codes], 1)
        self.operands += self._rows(name + "_SCALE", [bytes(row) for row in scales], 1)
        return [[(scale, [element.codes[c] for c in row[32 * i:32 * i + 32]])
                 for i, scale in enumerate(row_scales)]
                for row, row_scales in zip(codes, scales)]

    def _rows(self, name, rows, aligned):
        stride = len(rows[0]) + aligned * self.random.randint(0, 5)
        stride += -stride % aligned
        address = self.end + self.random.randint(1, 40)
        address += -address % aligned
        self.words[name + "_ADDR"] = address
        self.words[name + "_STRIDE"] = stride
        self.end = address + stride * len(rows)
        return [(address + stride * i, row) for i, row in enumerate(rows)]

    def descriptor(self):
        value = self.regs
        format_a, format_b, out_format = self.formats
        control = (value["MXE_FORMAT_" + format_a] << value["MXE_DESC_CONTROL_FMT_A_SHIFT"] |
                   value["MXE_FORMAT_" + format_b] << value["MXE_DESC_CONTROL_FMT_B_SHIFT"] |
                   value["MXE_OUT_" + out_format] << value["MXE_DESC_CONTROL_OUT_FMT_SHIFT"])
        m, n, k = self.shape
        words = {"JOB_ID": self.job_id, "CONTROL": control, "M": m, "N": n, "K": k,
                 **self.words, **self.moved}
        image = bytearray(value["MXE_DESC_SIZE"])
        for name, word in words.items():
            form = "<Q" if name.endswith("_ADDR") else "<I"
            struct.pack_into(form, image, value["MXE_DESC_" + name], word)
        return bytes(image)

    def record(self, status):
        """The completion record without its cycle counts."""
        return struct.pack("<II", self.regs["MXE_STATUS_" + status], self.job_id)
