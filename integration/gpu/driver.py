"""The part of the CUDA driver that kernels need, over ctypes: nothing but libcuda.so.1 is loaded.

Every call that fails raises DriverError with what was tried, the driver's name for the error and its sentence.
A device's primary context is used, so that memory and streams of PyTorch are valid here and the other way round.
"""

import ctypes
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p

# CUdevice_attribute, CUfunction_attribute, CUjit_option and CUlaunchAttributeID, as numbered in cuda.h.
CAPABILITY = 75, 76
REGISTERS, LOCAL_BYTES, STATIC_SHARED_BYTES = 4, 3, 1
MAX_DYNAMIC_SHARED_BYTES, REQUIRED_CLUSTER_WIDTH, LARGE_CLUSTERS_ALLOWED = 8, 11, 14
JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES = 5, 6
ATTRIBUTE_CLUSTER = 4
ATTRIBUTE_PROGRAMMATIC_SERIALIZATION = 6
SHARED_BYTES_WITHOUT_ASKING = 48 * 1024
PORTABLE_CLUSTER = 8


class DriverError(RuntimeError):
    """A call of the CUDA driver failed."""


class LaunchAttribute(ctypes.Structure):
    """Blocks of a cluster, or what is allowed; a union of 64 bytes."""

    _fields_ = [("id", c_int), ("pad", c_int), ("values", c_uint * 16)]


class LaunchConfig(ctypes.Structure):
    _fields_ = [("grid", c_uint * 3), ("block", c_uint * 3), ("shared_bytes", c_uint), ("stream", c_void_p),
                ("attributes", ctypes.POINTER(LaunchAttribute)), ("attribute_count", c_uint)]


_library = None


def library():
    global _library
    if _library is None:
        _library = ctypes.CDLL("libcuda.so.1")
        check(_library.cuInit(0), "can not start the CUDA driver")
    return _library


def check(status, what):
    if status == 0:
        return
    name, sentence = c_char_p(), c_char_p()
    _library.cuGetErrorName(status, byref(name))
    _library.cuGetErrorString(status, byref(sentence))
    text = ", ".join(part.value.decode() for part in (name, sentence) if part.value)
    raise DriverError(f"{what}: {text or 'error'} ({status})")


def use_device(ordinal=0):
    """Makes the device's primary context that of the calling thread."""
    cu, device, context = library(), c_int(), c_void_p()
    check(cu.cuDeviceGet(byref(device), ordinal), f"there is no CUDA device {ordinal}")
    check(cu.cuDevicePrimaryCtxRetain(byref(context), device), f"can not use CUDA device {ordinal}")
    check(cu.cuCtxSetCurrent(context), f"can not use CUDA device {ordinal}")


def chip(ordinal=0):
    """What softmax-compile calls the device; with Hopper's own instructions on a Hopper."""
    cu, device, parts = library(), c_int(), (c_int * 2)()
    check(cu.cuDeviceGet(byref(device), ordinal), f"there is no CUDA device {ordinal}")
    for part, number in enumerate(CAPABILITY):
        check(cu.cuDeviceGetAttribute(byref(parts, part * ctypes.sizeof(c_int)), number, device), "can not ask for the chip")
    return f"sm_{parts[0]}{parts[1]}" + ("a" if tuple(parts) == (9, 0) else "")


def start(chip_to_compile_for=None):
    """What a measurement begins with: random numbers of one seed, and PyTorch's context in use here. Returns the chip to compile for."""
    import torch

    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    use_device()
    return chip_to_compile_for or chip()


class Buffer:
    """Device memory, freed with the object; `byte` fills it if given."""

    def __init__(self, byte_count, byte=None):
        address = c_uint64()
        check(library().cuMemAlloc_v2(byref(address), c_size_t(max(byte_count, 1))), f"can not allocate {byte_count} bytes")
        self.address, self.byte_count = address.value, byte_count
        if byte is not None:
            check(library().cuMemsetD8_v2(c_uint64(self.address), byte, c_size_t(byte_count)), "can not fill a buffer")

    def read(self):
        """All bytes, after what the default stream had to do."""
        host = (ctypes.c_uint8 * self.byte_count)()
        check(library().cuMemcpyDtoH_v2(host, c_uint64(self.address), c_size_t(self.byte_count)), "can not read a buffer")
        return bytes(host)

    def __del__(self):
        if getattr(self, "address", 0):
            library().cuMemFree_v2(c_uint64(self.address))


def synchronize():
    check(library().cuCtxSynchronize(), "the device reported a fault")


class Function:
    """One kernel of a loaded image."""

    def __init__(self, module, name):
        self.module, self.name, self.handle = module, name, c_void_p()
        check(library().cuModuleGetFunction(byref(self.handle), module.handle, name.encode()), f"can not find kernel '{name}'")

    def attribute(self, number):
        value = c_int()
        check(library().cuFuncGetAttribute(byref(value), number, self.handle), f"can not read an attribute of '{self.name}'")
        return value.value

    def allow(self, number, value):
        check(library().cuFuncSetAttribute(self.handle, number, value), f"can not set an attribute of '{self.name}' to {value}")

    def configure(self, grid, threads, cluster, shared_bytes, overlaps_previous=False):
        """What cuLaunchKernelEx wants for these blocks; allows what has to be allowed first."""
        config = LaunchConfig((c_uint * 3)(*grid), (c_uint * 3)(threads, 1, 1), shared_bytes)
        if shared_bytes + self.attribute(STATIC_SHARED_BYTES) > SHARED_BYTES_WITHOUT_ASKING:
            self.allow(MAX_DYNAMIC_SHARED_BYTES, shared_bytes)
        if cluster > PORTABLE_CLUSTER:
            self.allow(LARGE_CLUSTERS_ALLOWED, 1)
        # Where the code fixes the cluster, a plain launch forms it.
        attributes = []
        if cluster > 1 and not self.attribute(REQUIRED_CLUSTER_WIDTH):
            attributes.append(LaunchAttribute(ATTRIBUTE_CLUSTER, 0, (c_uint * 16)(cluster, 1, 1)))
        if overlaps_previous:
            attributes.append(LaunchAttribute(ATTRIBUTE_PROGRAMMATIC_SERIALIZATION, 0, (c_uint * 16)(1)))
        if attributes:
            config.attributes = (LaunchAttribute * len(attributes))(*attributes)
            config.attribute_count = len(attributes)
        return config

    def launch(self, config, parameters, stream):
        config.stream = stream
        status = library().cuLaunchKernelEx(byref(config), self.handle, parameters, None)
        if status:
            check(status, f"can not launch kernel '{self.name}', grid {list(config.grid)}, {config.block[0]} threads, "
                          f"{config.shared_bytes} bytes of shared memory")


class Module:
    """A PTX text or a cubin, loaded into the current context until it is closed."""

    def __init__(self, image):
        self.handle, log = c_void_p(), ctypes.create_string_buffer(8192)
        options = (c_int * 2)(JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES)
        values = (c_void_p * 2)(ctypes.cast(log, c_void_p), len(log))
        status = library().cuModuleLoadDataEx(byref(self.handle), c_char_p(image), 2, options, values)
        check(status, f"can not load an image of {len(image)} bytes: {log.value.decode(errors='replace').strip()}")

    def function(self, name):
        return Function(self, name)

    def close(self):
        """Unloads it; the device must be done with its kernels."""
        if self.handle:
            check(library().cuModuleUnload(self.handle), "can not unload an image")
            self.handle = c_void_p()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def tensor_map(address, dtype, sizes, strides, box, swizzle):
    """128 bytes of a CUtensorMap; sizes innermost first, strides in bytes without the innermost one."""
    dtypes = {"u8": 0, "i8": 0, "i1": 0, "i32": 3, "i64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9, "f8E4M3FN": 0}
    swizzles = {0: 0, 32: 1, 64: 2, 128: 3}
    raw = (ctypes.c_uint8 * 192)()
    place = (ctypes.addressof(raw) + 63) & ~63  # the driver wants 64-byte alignment
    rank = len(sizes)
    if max(sizes) > 1 << 31:  # coordinates of a copy are signed and of 32 bits
        raise ValueError(f"a tensor of {max(sizes)} elements along a dimension; the copy engine reaches {1 << 31}")
    check(library().cuTensorMapEncodeTiled(
        c_void_p(place), dtypes[dtype], rank, c_void_p(address), (c_uint64 * rank)(*sizes),
        (c_uint64 * max(rank - 1, 1))(*strides), (c_uint * rank)(*box), (c_uint * rank)(*[1] * rank),
        0, swizzles[swizzle], 2, 0), f"can not describe a tensor of {sizes} with boxes of {box}")
    return ctypes.string_at(place, 128)
