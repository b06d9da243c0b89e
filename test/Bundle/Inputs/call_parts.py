"""Calls the attention of a shared library made from the header of parts.mlir, with queries of 0: rows are the mean of the values.

Usage: call_parts.py <library>
"""
import ctypes
import struct
import sys

from bundle_library import BF16, open_library, tensor

QUERIES, KEYS, COLUMNS = 300, 2400, 64


def bits(value):
    """Of a number that bf16 has."""
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


def number(pattern):
    return struct.unpack("<f", struct.pack("<I", pattern << 16))[0]


def main():
    library, runtime = open_library(sys.argv[1])

    def on_device(rows, value):
        """A tensor of value(row) in all columns."""
        host = (ctypes.c_uint16 * (rows * COLUMNS))(*(bits(value(i // COLUMNS)) for i in range(rows * COLUMNS)))
        address = ctypes.c_uint64()
        size = ctypes.c_size_t(ctypes.sizeof(host))
        assert library.smx_allocate(runtime, size, ctypes.byref(address)) == 0
        assert library.smx_upload(runtime, address, host, size) == 0
        sizes, strides = (1, 1, rows, COLUMNS), (rows * COLUMNS, rows * COLUMNS, COLUMNS, 1)
        return tensor(address.value, sizes, strides, BF16)

    # 3 of the first half of the keys, 5 of the rest: a part that is missing, or counts twice, is another mean.
    tensors = [on_device(QUERIES, lambda row: 0.0), on_device(KEYS, lambda row: 1.0), on_device(KEYS, lambda row: 3.0 if row < KEYS // 2 else 5.0),
               on_device(QUERIES, lambda row: 100.0)]
    out = (ctypes.c_uint16 * (QUERIES * COLUMNS))()
    for call in range(2):
        failed = library.attention(runtime, *map(ctypes.byref, tensors), None)
        assert failed == 0, ctypes.string_at(library.smx_error(runtime))
    assert library.smx_download(runtime, out, ctypes.c_uint64(tensors[-1].data), ctypes.c_size_t(ctypes.sizeof(out))) == 0
    print(len(out), "elements,", sum(number(pattern) != 4 for pattern in out), "wrong")
    for one in tensors:
        assert library.smx_release(runtime, ctypes.c_uint64(one.data)) == 0
    library.smx_close(runtime)


main()
