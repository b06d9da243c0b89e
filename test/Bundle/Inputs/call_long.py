"""Calls attention with more keys than the coordinates of a tensor copy reach; prints what it is told.

Usage: call_long.py <library>
"""
import ctypes
import sys

from bundle_library import BF16, open_library, tensor


def main():
    library, runtime = open_library(sys.argv[1])
    keys = (1 << 31) + 1
    # None of it is touched.
    query, key = (tensor(0x10000, (1, 8, rows, 64), (8 * rows * 64, rows * 64, 64, 1), BF16) for rows in (512, keys))
    assert library.attention(runtime, ctypes.byref(query), ctypes.byref(key), ctypes.byref(key), ctypes.byref(query), None) != 0
    print(ctypes.string_at(library.smx_error(runtime)).decode())
    library.smx_close(runtime)


main()
