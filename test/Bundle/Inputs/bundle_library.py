"""A shared library made from a bundle's header, opened on the first device."""
import ctypes

F32, BF16, I64 = 1, 3, 8


class Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32),
                ("sizes", ctypes.c_int64 * 8), ("strides", ctypes.c_int64 * 8)]


def tensor(data, sizes, strides, dtype=F32):
    return Tensor(data, dtype, len(sizes), (ctypes.c_int64 * 8)(*sizes), (ctypes.c_int64 * 8)(*strides))


def open_library(path):
    """The library, and its runtime."""
    library = ctypes.CDLL(path)
    library.smx_open.restype = library.smx_error.restype = ctypes.c_void_p
    error = ctypes.create_string_buffer(256)
    runtime = ctypes.c_void_p(library.smx_open(0, error, len(error)))
    assert runtime, error.value
    return library, runtime
