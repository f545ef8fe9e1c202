# SPDX-License-Identifier: Apache-2.0
"""The reference of MXE in Python test benches, for example of cocotb: the functions of mxe_dpi.h, which documents them.

    dpi = mxe_dpi.Dpi("build/libmxe_dpi.so")
    d, d_scales = dpi.gemm("m=1 n=1 k=2", a=b"\\x38\\x38", a_scales=b"\\x7f", b=b"\\x38\\x38", b_scales=b"\\x7f")

Bytes are bytes objects or lists of numbers, FP32 numbers lists of their bits. An error of the library is a ValueError.
"""
import ctypes


class Dpi:
    def __init__(self, library):
        self._library = ctypes.CDLL(library)

    def count(self, job, part):
        count = ctypes.c_uint64()
        self._call("count", _text(job), _text(part), ctypes.byref(count))
        return count.value

    def quantize(self, text, x, scale_count):
        """(codes, scales, tensor scale)"""
        codes, scales, tensor_scale = _bytes(len(x)), _bytes(scale_count), ctypes.c_uint32()
        self._call("quantize", _text(text), *_words(x), *codes, *scales, ctypes.byref(tensor_scale))
        return bytes(codes[0]), bytes(scales[0]), tensor_scale.value

    def decode(self, text, codes, scales):
        values = _words([0] * len(codes))
        self._call("decode", _text(text), *_bytes(codes), *_bytes(scales), *values)
        return list(values[0])

    def pack(self, text, codes, row_bytes):
        packed = _bytes(row_bytes)
        self._call("pack", _text(text), *_bytes(codes), *packed)
        return bytes(packed[0])

    def unpack(self, text, packed, count):
        codes = _bytes(count)
        self._call("unpack", _text(text), *_bytes(packed), *codes)
        return bytes(codes[0])

    def step(self, job, a, a_scales, b, b_scales, acc=0):
        """(accumulator, sum, exponent, special)"""
        acc, total = ctypes.c_uint32(acc), (ctypes.c_uint32 * 4)()
        exponent, special = ctypes.c_int(), ctypes.c_int()
        self._call("step", _text(job), *_bytes(a), *_bytes(a_scales), *_bytes(b), *_bytes(b_scales),
                   ctypes.byref(acc), total, ctypes.byref(exponent), ctypes.byref(special))
        return acc.value, int.from_bytes(bytes(total), "little", signed=True), exponent.value, special.value

    def merge(self, even, odd):
        self._library.mxe_dpi_merge.restype = ctypes.c_uint32
        return self._library.mxe_dpi_merge(ctypes.c_uint32(even), ctypes.c_uint32(odd))

    def gemm(self, job, a, a_scales, b, b_scales, c=()):
        """(D, scales of D)"""
        return self._results("gemm", job, *_bytes(a), *_bytes(a_scales), *_bytes(b), *_bytes(b_scales), *_words(c))

    def epilogue(self, job, sums, c=()):
        """(D, scales of D)"""
        return self._results("epilogue", job, *_words(sums), *_words(c))

    def requantize(self, text, x, scale_count):
        """(codes, scales, overflows)"""
        codes, scales, overflows = _bytes(len(x)), _bytes(scale_count), ctypes.c_uint64()
        self._call("requantize", _text(text), *_words(x), *codes, *scales, ctypes.byref(overflows))
        return bytes(codes[0]), bytes(scales[0]), overflows.value

    def place(self, job, part):
        """(address, stride, rows, bytes of a row)"""
        address, stride = ctypes.c_uint64(), ctypes.c_uint32()
        rows, row_bytes = ctypes.c_uint64(), ctypes.c_uint64()
        self._call("place", _text(job), _text(part), *map(ctypes.byref, (address, stride, rows, row_bytes)))
        return address.value, stride.value, rows.value, row_bytes.value

    def descriptor(self, job, job_id):
        out = _bytes(128)
        self._call("descriptor", _text(job), ctypes.c_uint32(job_id), *out)
        return bytes(out[0])

    def check(self, engine, job):
        """(status, broken rule or "")"""
        status, rule = ctypes.c_char_p(), ctypes.c_char_p()
        self._call("check", _text(engine), _text(job), ctypes.byref(status), ctypes.byref(rule))
        return status.value.decode(), rule.value.decode()

    def image(self, job, job_id, a, a_scales, b, b_scales, c=()):
        out = _bytes(self.count(job, "image"))
        self._call("image", _text(job), ctypes.c_uint32(job_id), *_bytes(a), *_bytes(a_scales), *_bytes(b),
                   *_bytes(b_scales), *_words(c), *out)
        return bytes(out[0])

    def compare(self, job, got, want):
        """The first difference of two results of gemm(), or an empty text."""
        return self._text("compare", _text(job), *_bytes(got[0]), *_bytes(got[1]), *_bytes(want[0]), *_bytes(want[1]))

    def _results(self, name, job, *arguments):
        d, d_scales = _bytes(self.count(job, "d")), _bytes(self.count(job, "d_scales"))
        self._call(name, _text(job), *arguments, *d, *d_scales)
        return bytes(d[0]), bytes(d_scales[0])

    def _text(self, name, *arguments):
        function = getattr(self._library, "mxe_dpi_" + name)
        function.restype = ctypes.c_char_p
        return function(*arguments).decode()

    def _call(self, name, *arguments):
        if error := self._text(name, *arguments):
            raise ValueError(error)


def _text(text):
    return None if text is None else text.encode()


def _array(kind, values):
    values = [0] * values if isinstance(values, int) else values
    return (kind * len(values))(*values), ctypes.c_size_t(len(values))


def _bytes(values):
    """An array and its length, of bytes or of that many zeros."""
    return _array(ctypes.c_uint8, values)


def _words(values):
    return _array(ctypes.c_uint32, values)
