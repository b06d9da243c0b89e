"""Binds the function of numbers.mlir by integration/gpu/kernel.py, on a driver that only writes down what it is asked.

Usage: bind_numbers.py <source> <tools>
"""
import struct
import sys
from pathlib import Path

sys.path[:0] = [str(Path(sys.argv[1], "test", "Integration", "Inputs"))]
from loader import Kernel, Recorder, Tensor, compile_image, driver, is_refused  # noqa: E402


def bits(form, value):
    return int.from_bytes(struct.pack(form, value), "little")


class Loading(Recorder):
    unloaded = 0

    def cuModuleLoadDataEx(self, handle, *_):
        handle._obj.value = 1
        return 0

    def cuModuleUnload(self, handle):
        self.unloaded += handle.value
        return 0


def main():
    driver._library = recorder = Loading()
    text = Path(__file__).with_name("numbers.mlir").read_text()
    x, y = (Tensor(base, (8, 64), (64, 1), "f32") for base in (0x10000, 0x20000))
    with Kernel(*compile_image(sys.argv[2], text, "sm_90", 0)) as kernel:
        kernel.bind(x, 0.5, 1.5, y)()
        parameters = recorder.launches[-1]["parameters"]
        print("parameters", sum(p & 0xFFFFFFFF == bits("<f", 0.5) for p in parameters), parameters.count(bits("<d", 1.5)))
        kernel.bind(x, 2, 1, y)()
        print("whole numbers", recorder.launches[-1]["parameters"].count(bits("<d", 1)))
        print("double:", is_refused(kernel, x, 1e300, 1.5, y))
        print("tensor:", is_refused(kernel, x, x, 1.5, y))
        print("number:", is_refused(kernel, 0.5, 0.5, 1.5, y))
        print("type:", is_refused(kernel, Tensor(x.address, x.sizes, x.strides, "bf16"), 0.5, 1.5, y))
        print("unknown type:", is_refused(kernel, x, 0.5, 1.5, Tensor(y.address, y.sizes, y.strides, "int16")))
        print("innermost:", is_refused(kernel, Tensor(x.address, x.sizes, (128, 2)), 0.5, 1.5, y))
    print("unloaded", recorder.unloaded)


main()
