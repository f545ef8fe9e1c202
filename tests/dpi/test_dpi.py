#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The library of tb/dpi from Python: small results that are easy to compute by hand, and an error for each bad input."""
import ctypes
import math
import os
import random
import struct
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["MXE_SOURCE"], "tb", "dpi"))
import mxe_dpi

DPI = mxe_dpi.Dpi(os.environ["MXE_DPI"])
ONE, SCALE_ONE = 0x38, 0x7F  # 1 in E4M3 and in E8M0
NAN = 0x7FC00000


def bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def floats(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))


class Results(unittest.TestCase):
    def test_quantizes_and_decodes(self):
        x = [1.0, -0.5, 6.0, 0.25] + [0.0] * 28
        codes, scales, tensor_scale = DPI.quantize("format=mxfp4_e2m1", [bits(v) for v in x], 1)
        self.assertEqual((codes[:4], scales, tensor_scale), (b"\x02\x09\x07\x00", b"\x7f", bits(1.0)))
        values = DPI.decode("format=mxfp4_e2m1", codes, scales)
        self.assertEqual(values[:3], [bits(1.0), bits(-0.5), bits(6.0)])

    def test_switches_of_the_quantizer(self):
        x = [bits(v) for v in [7.0] + [0.0] * 31]
        scales = [DPI.quantize(f"format=mxfp4_e2m1 scale_rule={rule}", x, 1)[1] for rule in ("floor", "rceil")]
        self.assertEqual(scales, [b"\x7f", b"\x80"])
        self.assertEqual(len(DPI.quantize("format=mxfp4_e2m1 block_size=16", x, 2)[1]), 2)
        codes, scales, tensor_scale = DPI.quantize("format=nvfp4", x, 2)
        self.assertEqual((codes[0], scales[0]), (7, 0x7E))
        self.assertAlmostEqual(struct.unpack("<f", struct.pack("<I", tensor_scale))[0] * 448 * 6, 7, places=5)

    def test_packs_rows(self):
        codes = bytes([1, 2, 3, 4, 5] * 2)
        packed = DPI.pack("rows=2 k=5 format=mxfp6_e2m3", codes, 8)
        self.assertEqual(packed[:4], (1 | 2 << 6 | 3 << 12 | 4 << 18 | 5 << 24 | 0 << 30).to_bytes(4, "little"))
        self.assertEqual(DPI.unpack("rows=2 k=5 format=mxfp6_e2m3", packed, 10), codes)

    def test_a_step_is_exact(self):
        acc, total, exponent, special = DPI.step("k=2", [ONE, ONE], [SCALE_ONE], [ONE, ONE], [SCALE_ONE + 1], bits(0.5))
        self.assertEqual((acc, total * 2.0 ** exponent, special), (bits(4.5), 4.0, 0))
        acc, total, exponent, special = DPI.step("k=1", [ONE], [0xFF], [ONE], [SCALE_ONE])
        self.assertEqual((acc, special), (NAN, 1))
        acc, _, _, special = DPI.step("k=1 format_a=mxfp8_e5m2", [0xFC], [SCALE_ONE], [ONE], [SCALE_ONE])
        self.assertEqual((acc, special), (0xFF800000, 3))
        acc, total, exponent, _ = DPI.step("k=64 format_a=nvfp4 format_b=nvfp4", [2] * 64, [0x38, 0x40, 0x01, 0x30],
                                           [3] * 64, [0x38] * 4)
        self.assertEqual((total * 2.0 ** exponent, exponent), (24 * (1 + 2 + 2 ** -9 + 0.5), -20))
        self.assertEqual(acc, bits(24 * (1 + 2 + 2 ** -9 + 0.5)))

    def test_steps_and_merge_make_a_gemm(self):
        draw = random.Random(5)
        for dual in (0, 1):
            a, b = ([draw.randrange(16) for _ in range(128)] for _ in range(2))
            scales = [draw.randrange(120, 134) for _ in range(8)]
            acc = [bits(0.75), 0]
            for i in range(4):
                chain = i % 2 if dual else 0
                acc[chain] = DPI.step("k=32 format_a=mxfp4_e2m1 format_b=mxfp4_e2m1", a[32 * i:32 * i + 32], scales[i:i + 1],
                                      b[32 * i:32 * i + 32], scales[4 + i:5 + i], acc[chain])[0]
            result = DPI.merge(*acc) if dual else acc[0]
            d, _ = DPI.gemm(f"k=128 format_a=mxfp4_e2m1 format_b=mxfp4_e2m1 bias=row dual={dual}", a, scales[:4], b,
                            scales[4:], [bits(0.75)])
            self.assertEqual(d, result.to_bytes(4, "little"))

    def test_epilogue_is_the_end_of_a_gemm(self):
        draw = random.Random(6)
        a, b = ([draw.randrange(0x70) for _ in range(3 * 40)] for _ in range(2))
        job = "m=3 n=3 k=40 format_a=mxint8 format_b=mxint8"
        operands = (a, [127] * 6, b, [127] * 6)
        sums = [bits(v) for v in floats(DPI.gemm(job, *operands)[0])]
        for words, c in (("results=bf16", []), ("results=mxfp6_e3m2 rule=ceil", []),
                         ("results=fp16 alpha=0.375 bias=row bias_format=bf16", [bits(v) for v in (1.5, -2.0, 8.0)]),
                         ("alpha=0xbf000000 bias=full", [bits(i) for i in range(9)])):
            self.assertEqual(DPI.epilogue(f"{job} {words}", sums, c), DPI.gemm(f"{job} {words}", *operands, c), words)

    def test_requantizes(self):
        x = [bits(7.0), bits(-1.0)]
        self.assertEqual(DPI.requantize("k=2 format=mxfp4_e2m1", x, 1), (b"\x07\x0a", b"\x7f", 1))
        self.assertEqual(DPI.requantize("k=2 format=mxfp4_e2m1 rule=rceil", x, 1)[1:], (b"\x80", 0))
        self.assertEqual(DPI.requantize("k=2", [bits(math.inf), 0], 1), (b"\0\0", b"\xff", 0))

    def test_image_and_descriptor(self):
        job = "m=2 n=1 k=3 format_a=mxfp4_e2m1 bias=row address=0x1000 a_stride=16 d_addr=0x1800"
        image = DPI.image(job, 9, [1, 2, 3, 4, 5, 6], [126, 128], [ONE] * 3, [SCALE_ONE], [bits(2.0)])
        self.assertEqual(image[:128], DPI.descriptor(job, 9))
        self.assertEqual(struct.unpack_from("<I", image)[0], 9)
        address, stride, rows, row_bytes = DPI.place(job, "a")
        self.assertEqual((stride, rows, row_bytes), (16, 2, 2))
        start = address - 0x1000
        self.assertEqual((image[start:start + 2], image[start + 16:start + 18]), (b"\x21\x03", b"\x54\x06"))
        self.assertEqual(DPI.place(job, "d")[0], 0x1800)
        self.assertEqual(len(image), 0x800 + 8)
        c = DPI.place(job, "c")
        self.assertEqual((c[1], image[c[0] - 0x1000:][:4]), (0, struct.pack("<f", 2.0)))

    def test_check_names_the_rule(self):
        self.assertEqual(DPI.check("base", "m=4 n=8 k=64"), ("MXE_OK", ""))
        self.assertEqual(DPI.check("base", "k=0"), ("MXE_ERR_SHAPE", "job->m, job->n and job->k must be at least 1"))
        self.assertEqual(DPI.check("base", "d_addr=0x1002")[0], "MXE_ERR_ALIGN")
        nvfp4 = "format_a=nvfp4 format_b=nvfp4"
        self.assertEqual(DPI.check("small", nvfp4)[0], "MXE_OK")
        self.assertEqual(DPI.check("small NVFP4=0", nvfp4)[0], "MXE_ERR_PAIR")

    def test_compare(self):
        def fp32(*values):
            return struct.pack(f"<{len(values)}I", *values), b""
        job = "m=2 n=2"
        want = fp32(bits(1.0), 0, bits(-2.5), NAN)
        self.assertEqual(DPI.compare(job, fp32(bits(1.0), 0, bits(-2.5), 0xFFC12345), want), "")
        self.assertEqual(DPI.compare(job, fp32(bits(1.0), 0, bits(-2.0), NAN), want),
                         "1 of 4 outputs differ; the first is D[1][0]: -2 (0xc0000000) instead of -2.5 (0xc0200000)")
        self.assertIn("D[0][1]: -0 (0x80000000) instead of 0 (0x00000000)",
                      DPI.compare(job, fp32(bits(1.0), 0x80000000, bits(-2.5), NAN), want))
        bf16 = "n=2 results=bf16"
        self.assertEqual(DPI.compare(bf16, (b"\xc0\x7f\x80\x3f", b""), (b"\x81\x7f\x80\x3f", b"")), "")
        mx = "n=2 results=mxfp8_e4m3"
        self.assertIn("D[0][1]: 2 (0x40000000) instead of 1 (0x3f800000)",
                      DPI.compare(mx, (b"\x38\x40", b"\x7f"), (b"\x38\x38", b"\x7f")))
        self.assertEqual(DPI.compare(mx, (b"\0\0", b"\x7f"), (b"\0\0", b"\0")),
                         "values agree, but scales of D[0][0]: 0x7f (127) instead of 0x00 (0)")
        self.assertEqual(DPI.compare(mx, (b"\0\x7f", b"\xff"), (b"\0\0", b"\xff")),
                         "values agree, but bytes of D[0][1]: 0x7f (127) instead of 0x00 (0)")


class BadInput(unittest.TestCase):
    def refused(self, message, function, *arguments):
        with self.assertRaises(ValueError) as raised:
            function(*arguments)
        self.assertIn(message, str(raised.exception))
        self.assertRegex(str(raised.exception), r"^mxe_dpi_\w+: .*(allowed|only for|nearest|lists all|must be|at most)")
        self.assertNotIn("\n", str(raised.exception))

    def gemm(self, job, a=(ONE,), a_scales=(SCALE_ONE,), b=(ONE,), b_scales=(SCALE_ONE,), c=()):
        return DPI.gemm(job, list(a), list(a_scales), list(b), list(b_scales), list(c))

    def test_texts(self):
        for job, message in (
                (None, "the text is null"), ("m", "'m' (allowed: words NAME=VALUE)"),
                ("m=1 m=1", "'m' occurs twice"), ("q=1", "unknown word 'q' (allowed: m, n, k, batch"),
                ("m=-1", "m=-1 (allowed: 0 to 4294967295)"), ("m=5000000000", "m=5000000000"), ("k=0x", "k=0x"),
                ("format_a=mxfp5", "unknown format 'mxfp5' (allowed: nvfp4, mxfp4_e2m1"), ("block_b=8", "blocks of 8"),
                ("format_a=nvfp4 block_a=32", "nvfp4 has blocks of 16"), ("results=fp64", "fp64"), ("rule=up", "up"),
                ("overflow=wrap", "overflow 'wrap'"), ("bias=column", "bias=column (allowed: none, row, full)"),
                ("bias_format=fp16", "bias_format=fp16"), ("alpha=two", "alpha=two"), ("alpha=0x123456789", "alpha=0x1"),
                ("dual=yes", "dual=yes (allowed: 1, 0)"), ("accumulate=fast", "accumulation 'fast'"),
                ("d_stride=0x100000000", "d_stride"), ("address=-4", "address=-4")):
            self.refused(message, DPI.count, job, "a")
        self.refused("part 'e' (allowed: a, a_scales", DPI.count, "", "e")
        self.refused("part 'e' (allowed: a, b, c", DPI.place, "", "e")
        self.refused("too large", DPI.count, "batch=65535 m=4000000000 k=4000000000", "a")

    def test_arrays(self):
        self.refused("mxe_dpi_gemm: a has 2 elements (allowed: 1)", self.gemm, "", [ONE, ONE])
        self.refused("b_scales has 0 elements (allowed: 1)", self.gemm, "", [ONE], [0], [ONE], [])
        self.refused("c has 0 elements (allowed: 1)", self.gemm, "bias=row")
        self.refused("c[0] is 0x3f800001", self.gemm, "bias=row bias_format=bf16", [1], [1], [1], [1], [0x3F800001])
        self.refused("a[0] is 0x10 (allowed in mxfp4_e2m1: 0x0 to 0xf)", self.gemm, "format_a=mxfp4_e2m1", [16])
        self.refused("m, n, k or batch is 0", self.gemm, "k=0", [], [], [], [])
        self.refused("allowed in a step of these formats: m=1 n=1, k from 1 to 32", DPI.step, "k=33", [0] * 33, [0, 0],
                     [0] * 33, [0, 0])
        self.refused("scales has 2 elements (allowed: 1)", DPI.quantize, "", [0] * 32, 2)
        self.refused("more than 8 bits", DPI.quantize, "format=e5m7", [0] * 32, 1)
        self.refused("unknown", DPI.quantize, "format=mxint8 preset=none", [0] * 32, 1)
        self.refused("D is at 0x1000", DPI.image, "d_addr=0x1000", 0, [1], [1], [1], [1])
        self.refused("unknown configuration", DPI.check, "huge", "")
        self.refused("NVFP4", DPI.check, "base NVFP4=2", "")

    def test_null_pointers(self):
        library = ctypes.CDLL(os.environ["MXE_DPI"])
        for name, arguments in (("count", 3), ("place", 6), ("check", 4)):
            function = getattr(library, "mxe_dpi_" + name)
            function.restype = ctypes.c_char_p
            self.assertIn(b" is null (allowed", function(*[None] * arguments))
            self.assertIn(b" is null (allowed", function(*([b"base"] if name == "check" else []), b"", *[None] * (arguments - 1)))
        library.mxe_dpi_gemm.restype = ctypes.c_char_p
        one = ctypes.c_size_t(1)
        self.assertIn(b"a is null (allowed: an array of 1)",
                      library.mxe_dpi_gemm(b"", None, one, None, one, None, one, None, one, None, ctypes.c_size_t(0),
                                           (ctypes.c_uint8 * 4)(), ctypes.c_size_t(4), None, ctypes.c_size_t(0)))


if __name__ == "__main__":
    unittest.main()
