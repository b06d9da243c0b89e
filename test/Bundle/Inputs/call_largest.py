"""Calls the top-5 of a shared library made from the header of largest.mlir, on results whose rows start anywhere.

Usage: call_largest.py <library>
"""
import ctypes
import sys

from bundle_library import F32, I64, open_library, tensor

ROWS, COLUMNS, K = 7, 64, 5


def main():
    library, runtime = open_library(sys.argv[1])

    def on_device(values):
        address, size = ctypes.c_uint64(), ctypes.c_size_t(ctypes.sizeof(values))
        assert library.smx_allocate(runtime, size, ctypes.byref(address)) == 0
        assert library.smx_upload(runtime, address, values, size) == 0
        return address.value

    x = (ctypes.c_float * (ROWS * COLUMNS))(*(i * 29 % COLUMNS for i in range(ROWS * COLUMNS)))
    p, places = (ctypes.c_float * (ROWS * K))(), (ctypes.c_int64 * (ROWS * K))()
    source, first, second = map(on_device, (x, p, places))
    results = tensor(first, (ROWS, K), (K, 1), F32), tensor(second, (ROWS, K), (K, 1), I64)

    def call(given):
        return library.largest(runtime, ctypes.byref(given), *map(ctypes.byref, results), None)

    assert call(tensor(source, (ROWS, COLUMNS), (COLUMNS, 1))) == 0, ctypes.string_at(library.smx_error(runtime))
    assert library.smx_download(runtime, places, ctypes.c_uint64(second), ctypes.c_size_t(ctypes.sizeof(places))) == 0
    expected = [COLUMNS - 1 - k for _ in range(ROWS) for k in range(K)]
    print(sum(x[i // K * COLUMNS + place] != value for i, (place, value) in enumerate(zip(places, expected))), "wrong of", len(places))
    assert call(tensor(source + 4, (ROWS - 1, COLUMNS), (COLUMNS, 1))) != 0
    print(ctypes.string_at(library.smx_error(runtime)).decode())
    for address in (source, first, second):
        assert library.smx_release(runtime, ctypes.c_uint64(address)) == 0
    library.smx_close(runtime)


main()
