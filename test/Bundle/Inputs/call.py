"""Calls the softmax of a shared library made from a bundle's header; prints what wrong calls are told.

Usage: call.py <library>
"""
import ctypes
import sys

from bundle_library import BF16, open_library, tensor


def main():
    library, runtime = open_library(sys.argv[1])
    rows, columns = 2, 1000
    x = (ctypes.c_float * (rows * columns))(*(i % 13 for i in range(rows * columns)))
    y = type(x)()
    addresses = [ctypes.c_uint64() for _ in range(2)]
    for address in addresses:
        assert library.smx_allocate(runtime, ctypes.c_size_t(ctypes.sizeof(x)), ctypes.byref(address)) == 0
    source, target = (address.value for address in addresses)
    assert library.smx_upload(runtime, ctypes.c_uint64(source), x, ctypes.c_size_t(ctypes.sizeof(x))) == 0

    def call(given, result):
        return library.softmax(runtime, ctypes.byref(given), ctypes.byref(result), None)

    out = tensor(target, (rows, columns), (columns, 1))
    assert call(tensor(source, (rows, columns), (columns, 1)), out) == 0
    assert library.smx_download(runtime, y, ctypes.c_uint64(target), ctypes.c_size_t(ctypes.sizeof(y))) == 0
    sums = [sum(y[row * columns:(row + 1) * columns]) for row in range(rows)]
    print("rows sum to %.3f" % max(sums, key=lambda value: abs(value - 1)))

    whole = tensor(source, (rows, columns), (columns, 1))
    for given, result in [(tensor(source, (rows, 999), (columns, 1)), out),
                          (whole, tensor(target, (3, columns), (columns, 1))),
                          (tensor(source, (rows, columns), (columns, 2)), out),
                          (tensor(source, (rows, columns), (columns, 1), BF16), out),
                          (whole, tensor(0, (rows, columns), (columns, 1))),
                          (tensor(source + 4, (rows, columns), (columns, 1)), out),
                          (whole, tensor(target, (rows, columns), (columns + 1, 1)))]:
        assert call(given, result) != 0
        print(ctypes.string_at(library.smx_error(runtime)).decode())
    for address in addresses:
        assert library.smx_release(runtime, address) == 0
    library.smx_close(runtime)


main()
