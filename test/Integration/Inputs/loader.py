"""The Python loader of integration/gpu on a driver that only writes down what it is asked: loader.py SOURCE TOOLS."""

import ctypes
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(sys.argv[1], "integration", "gpu")))
import driver  # noqa: E402
import works  # noqa: E402
from kernel import Kernel, Tensor, compile_image, evaluate  # noqa: E402


class Recorder:
    """libcuda, as far as a launch goes: every call succeeds and every attribute is 0."""

    def __init__(self):
        self.launches, self.maps = [], []

    def __getattr__(self, name):
        return lambda *arguments: 0

    def cuTensorMapEncodeTiled(self, place, dtype, rank, address, sizes, strides, box, steps, interleave, swizzle, promotion, fill):
        self.maps.append([address.value, dtype, list(sizes), list(strides)[:rank - 1], list(box), swizzle])
        ctypes.memset(place, len(self.maps), 128)
        return 0

    def cuLaunchKernelEx(self, config, function, parameters, extra):
        config = config._obj
        self.launches.append({"grid": list(config.grid), "block": list(config.block), "shared": config.shared_bytes,
                              "stream": config.stream,
                              "attributes": [(a.id, a.values[0]) for a in config.attributes[:config.attribute_count]],
                              "parameters": [ctypes.c_uint64.from_address(p).value for p in parameters]})
        return 0


def is_refused(kernel, *tensors):
    try:
        kernel.bind(*tensors)
    except ValueError as reason:
        return str(reason)
    return "taken"


def numbers():
    """Where Python's arithmetic is not that of 64 bits."""
    def of(opcode, *values):
        return evaluate([["constant", v] for v in values] + [[opcode, *range(len(values))]], [])[-1]

    least = -(2**63)
    print("add", of("add", 2**63 - 1, 1) == least)
    print("div", of("div", -7, 2), of("div", 7, 0), of("div", least, -1))
    print("rem", of("rem", -7, 2), of("rem", least, -1), of("rem", 5, 0))
    print("rounded", of("floordiv", -7, 2), of("ceildiv", -7, 2), of("floordiv", least, -1))
    print("unsigned", of("divu", -1, 2) == 2**63 - 1, of("ltu", -1, 2), of("maxu", -1, 5), of("minu", -1, 5))
    print("shifts", of("shl", 1, 64), of("shr", -5, 99), of("shru", -1, 63), of("shl", 1, 63) == least)
    print("extended", evaluate([["constant", 200], ["sext", 0, 8], ["zext", 1, 8]], [])[1:])


def launch(tools):
    driver._library = recorder = Recorder()
    ptx, manifest = compile_image(tools, works.row_text("softmax", ("?", 4096), "bf16", 1), "sm_90a")
    kernel = Kernel(ptx, manifest)
    x, y = (Tensor(base, (1000, 4096), (5000, 1)) for base in (0x10000000, 0x20000000))
    kernel.bind(x, y)(0x77)
    [launched] = recorder.launches
    parameters = launched["parameters"]
    print("parameters", len(parameters) == len(re.findall(rb"^\s*\.param", ptx, re.M)))
    print("addresses", [parameters.count(tensor.address) for tensor in (x, y)])
    print("sizes and strides", parameters.count(1000), parameters.count(4096), parameters.count(5000))
    print("stream", hex(launched["stream"]))
    kernel.bind(Tensor(0, (0, 4096), (4096, 1)), Tensor(0, (0, 4096), (4096, 1)))()
    print("launches for no rows", len(recorder.launches) - 1)
    print("address:", is_refused(kernel, Tensor(x.address + 2, x.sizes, x.strides), y))
    print("stride:", is_refused(kernel, Tensor(x.address, x.sizes, (4097, 1)), y))
    print("shape:", is_refused(kernel, Tensor(x.address, (1000, 4095), (4096, 1)), y))
    print("output:", is_refused(kernel, x, Tensor(y.address, (999, 4096), (4096, 1))))
    print("count:", is_refused(kernel, x))


def tensor_maps(tools):
    """Keys and values of 3 heads that lie inside of the sequence; and of one, and of none."""
    driver._library = recorder = Recorder()
    dynamic = (1, "?", "?", 64)
    ptx, manifest = compile_image(tools, works.attention_text(dynamic, dynamic, "bf16"), "sm_90a")
    kernel = Kernel(ptx, manifest)

    def bind(heads, keys):
        recorder.maps.clear()
        q, out = (Tensor(base, (1, heads, 100, 64), (6400 * heads, 64, 64 * heads, 1)) for base in (0x10000, 0x40000))
        k, v = (Tensor(base, (1, heads, keys, 64), (keys * 64 * heads, 64, 64 * heads, 1)) for base in (0x20000, 0x30000))
        kernel.bind(q, k, v, out)()
        return sorted(recorder.maps)

    for of_memory in bind(heads=3, keys=200):
        print("map", hex(of_memory[0]), *of_memory[1:])
    parameters = recorder.launches[-1]["parameters"]
    print("parameters of maps", [hex(value) for value in parameters[-len(recorder.maps):]])
    print("one head", bind(heads=1, keys=200)[0][3])
    print("no keys", [of_memory[:3:2] for of_memory in bind(heads=3, keys=0)])
    try:
        bind(heads=3, keys=(1 << 31) + 1)
    except ValueError as refusal:
        print("many keys:", refusal)


def launch_order(tools):
    """The kernel that merges parts may be launched while the one that makes them ends."""
    driver._library = recorder = Recorder()
    work = works.DECODE[0]
    kernel = Kernel(*compile_image(tools, work.text, "sm_90"))
    sizes = work.query_shape, work.key_shape, work.key_shape, work.query_shape

    def strides(shape):
        return tuple(math.prod(shape[dim + 1:]) for dim in range(len(shape)))

    kernel.bind(*(Tensor(0x10000 * (place + 1), shape, strides(shape)) for place, shape in enumerate(sizes)))()
    print("attributes of launches", [of_launch["attributes"] for of_launch in recorder.launches])


if __name__ == "__main__":
    numbers()
    launch_order(Path(sys.argv[2]))
    launch(Path(sys.argv[2]))
    tensor_maps(Path(sys.argv[2]))
