"""Calls the function of numbers.mlir in a shared library made from a bundle's header, on rows (0, 1, ...).

Usage: call_numbers.py <library>
"""
import ctypes
import math
import sys

from bundle_library import open_library, tensor


def main():
    library, runtime = open_library(sys.argv[1])
    rows, columns = 8, 64
    x = (ctypes.c_float * (rows * columns))(*(i % columns for i in range(rows * columns)))
    size, addresses = ctypes.c_size_t(ctypes.sizeof(x)), [ctypes.c_uint64() for _ in range(2)]
    for address in addresses:
        assert library.smx_allocate(runtime, size, ctypes.byref(address)) == 0
    assert library.smx_upload(runtime, addresses[0], x, size) == 0
    given, result = (tensor(address.value, (rows, columns), (columns, 1)) for address in addresses)
    failed = library.scaled(runtime, ctypes.byref(given), ctypes.c_float(0.5), ctypes.c_double(1.5), ctypes.byref(result), None)
    assert failed == 0, ctypes.string_at(library.smx_error(runtime))
    assert library.smx_download(runtime, x, addresses[1], size) == 0
    print("log of the ratio of neighbours: %.3f" % math.log(x[columns - 1] / x[columns - 2]))


main()
