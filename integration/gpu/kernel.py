"""Loads what `softmax-compile --emit=ptx|cubin --manifest` wrote, and calls it on device memory.

    kernel = Kernel.compile("build/dev/bin", text, chip="sm_90", alignment=16)
    call = kernel.bind(q, k, v, out)     # PyTorch tensors, or Tensor(address, sizes, strides); inputs, then outputs
    call(stream)                         # a CUstream, 0 for the default one; does not wait
    kernel.close()                       # unloads it, when the device is done with it; so does leaving `with kernel:`

All index arithmetic is done by `bind`, so that a call is only launches. Arguments that the manifest does not allow
raise ValueError. PyTorch is not needed.
"""

import ctypes
import json
import pathlib
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass

import driver


@dataclass
class Tensor:
    """Device memory as a tensor; strides in elements. Without a type, any is taken."""

    address: int
    sizes: tuple
    strides: tuple
    dtype: str = ""

    @staticmethod
    def of(value):
        if isinstance(value, (Tensor, int, float)):
            return value
        dtype = str(value.dtype).removeprefix("torch.")
        return Tensor(value.data_ptr(), tuple(value.shape), tuple(value.stride()), DTYPES.get(dtype, dtype))


# As PyTorch and as manifests name them.
DTYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "f8E4M3FN", "bool": "i1",
          "int8": "i8", "uint8": "u8", "int32": "i32", "int64": "i64"}
BYTES = "i8", "u8"


def is_same_memory(given, wanted):
    """Whether elements of one type can be read as another: bytes hold what has no type of its own."""
    return given in ("", wanted) or (given in BYTES and wanted in (*BYTES, "f8E4M3FN"))


# Of struct, for floats that are no tensors.
FLOATS = {"f64": "<d", "f32": "<f", "f16": "<e"}


def number_of(value, spec, place):
    """What a kernel gets of an argument that is no tensor: an integer, or the bits of a float."""
    if spec["kind"] == "integer":
        if not isinstance(value, int):
            raise ValueError(f"argument {place} is {value!r}; the kernel takes an integer")
        return value
    if not isinstance(value, (int, float)):
        raise ValueError(f"argument {place} is {value!r}; the kernel takes a number")
    if spec["dtype"] not in FLOATS:
        raise ValueError(f"argument {place} is a number of type {spec['dtype']}; this loader passes {', '.join(FLOATS)}")
    try:
        return int.from_bytes(struct.pack(FLOATS[spec["dtype"]], value), "little")
    except OverflowError:
        raise ValueError(f"argument {place} is {value!r}, which {spec['dtype']} does not reach") from None


# Of a tensor map of no elements.
ANY_ADDRESS = 128


def wrap(value, bits=64):
    """The low bits, as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value):
    return value & ((1 << 64) - 1)


def divided(a, b, rounding):
    """A quotient, "down", "up" or to "zero"; 0 where it is not a number of 64 bits."""
    if b == 0 or (a == -1 << 63 and b == -1):
        return 0
    down, rest = divmod(a, b)
    return down + (rest != 0 and (rounding == "up" or (rounding == "zero" and (a < 0) != (b < 0))))


OPERATIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: divided(a, b, "zero"),
    "rem": lambda a, b: a - divided(a, b, "zero") * b if b not in (0, -1) else 0,
    "floordiv": lambda a, b: divided(a, b, "down"),
    "ceildiv": lambda a, b: divided(a, b, "up"),
    "divu": lambda a, b: unsigned(a) // unsigned(b) if b else 0,
    "remu": lambda a, b: unsigned(a) % unsigned(b) if b else 0,
    "ceildivu": lambda a, b: -(-unsigned(a) // unsigned(b)) if b else 0,
    "min": min,
    "max": max,
    "minu": lambda a, b: min(a, b, key=unsigned),
    "maxu": lambda a, b: max(a, b, key=unsigned),
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": lambda a, b: a << b if 0 <= b < 64 else 0,
    "shr": lambda a, b: a >> (b if 0 <= b < 64 else 63),
    "shru": lambda a, b: unsigned(a) >> b if 0 <= b < 64 else 0,
    "eq": lambda a, b: int(a == b),
    "ne": lambda a, b: int(a != b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "ltu": lambda a, b: int(unsigned(a) < unsigned(b)),
    "leu": lambda a, b: int(unsigned(a) <= unsigned(b)),
    "select": lambda c, a, b: a if c else b,
}


def evaluate(program, arguments):
    """All numbers of a manifest's function, for arguments that are Tensors and integers."""
    numbers = []
    for opcode, *operands in program:
        if opcode == "size":
            value = arguments[operands[0]].sizes[operands[1]]
        elif opcode == "stride":
            value = arguments[operands[0]].strides[operands[1]]
        elif opcode == "integer":
            value = arguments[operands[0]]
        elif opcode == "constant":
            value = operands[0]
        elif opcode == "sext":
            value = wrap(numbers[operands[0]], operands[1])
        elif opcode == "zext":
            value = numbers[operands[0]] & ((1 << operands[1]) - 1)
        else:
            value = OPERATIONS[opcode](*(numbers[i] for i in operands))
        numbers.append(wrap(value))
    return numbers


class Kernel:
    """One function of an image, loaded into the current context (see driver.use_device)."""

    def __init__(self, image, manifest, name=None):
        if manifest["version"] != 2:
            raise ValueError(f"the manifest has version {manifest['version']}; this loader reads version 2")
        names = [function["name"] for function in manifest["functions"]]
        name = name or names[0]
        if name not in names:
            raise ValueError(f"the image has no function '{name}'; it has {', '.join(names)}")
        self.function = manifest["functions"][names.index(name)]
        self.image = image
        start = time.perf_counter()
        self.module = driver.Module(image)
        self.kernels = {launch["kernel"]: self.module.function(launch["kernel"]) for launch in self.function["launches"]}
        self.load_ms = (time.perf_counter() - start) * 1e3

    @classmethod
    def compile(cls, tools, text, chip, alignment=16, flags=()):
        return cls(*compile_image(tools, text, chip, alignment, flags))

    def close(self):
        self.module.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def bind(self, *values):
        """A call of the function on these arguments; keeps its scratch memory, but not the arguments' memory."""
        arguments = self._check([Tensor.of(value) for value in values])
        numbers = evaluate(self.function["numbers"], arguments)
        for assertion in self.function["assertions"]:
            if not numbers[assertion["holds"]]:
                raise ValueError(assertion["message"])
        for place, (spec, argument) in enumerate(zip(self.function["arguments"], arguments)):
            for dim, number in enumerate(spec.get("extents", ())):
                if number >= 0 and argument.sizes[dim] != numbers[number]:
                    raise ValueError(f"argument {place} has {argument.sizes[dim]} elements along dimension {dim}; "
                                     f"it must have {numbers[number]}")
        scratch = [driver.Buffer(numbers[wanted["bytes"]]) for wanted in self.function["scratch"]]
        return Call([self._launch(launch, numbers, arguments, scratch) for launch in self.function["launches"]], scratch)

    def _check(self, arguments):
        """The arguments, numbers as kernels get them."""
        specs, alignment = self.function["arguments"], self.function["alignment"]
        if len(specs) != len(arguments):
            raise ValueError(f"'{self.function['name']}' takes {len(specs)} arguments; there are {len(arguments)}")
        for place, (spec, argument) in enumerate(zip(specs, arguments)):
            if spec["kind"] != "tensor":
                arguments[place] = number_of(argument, spec, place)
                continue
            if not isinstance(argument, Tensor):
                raise ValueError(f"argument {place} is {argument!r}; the kernel takes a tensor of {spec['dtype']}")
            if not is_same_memory(argument.dtype, spec["dtype"]):
                raise ValueError(f"argument {place} has elements of type {argument.dtype}; the kernel takes {spec['dtype']}")
            sizes = spec["sizes"]
            if len(sizes) != len(argument.sizes) or any(s not in (-1, n) for s, n in zip(sizes, argument.sizes)):
                raise ValueError(f"argument {place} is {list(argument.sizes)}; the kernel takes {sizes}")
            if sizes and argument.sizes[-1] > 1 and argument.strides[-1] != 1:
                raise ValueError(f"argument {place} has a stride of {argument.strides[-1]} elements in its innermost dimension; "
                                 f"the kernel takes 1")
            if alignment and spec.get("aligned", True) and 0 not in argument.sizes and sizes:
                steps = [stride * spec["bytes"] for stride, size in zip(argument.strides[:-1], sizes) if size != 1]
                if any(value % alignment for value in [argument.address, *steps]):
                    raise ValueError(f"argument {place} is not aligned to {alignment} bytes, which the kernel was "
                                     f"compiled for; alignment 0 takes any address and stride")
        return arguments

    def _launch(self, launch, numbers, arguments, scratch):
        grid = [numbers[n] for n in launch["grid"]]
        if 0 in grid:
            return None
        kernel = self.kernels[launch["kernel"]]
        pieces = []
        for parameter in launch["parameters"]:
            kind, index = parameter["kind"], parameter.get("index")
            if kind == "tensor_map":
                memory = (arguments if parameter["memory"] == "argument" else scratch)[index]
                address = memory.address + numbers[parameter["offset"]] if numbers[parameter["elements"]] else ANY_ADDRESS
                chosen = [[numbers[n] for n in parameter[key]] for key in ("sizes", "strides")]
                piece = driver.tensor_map(address, parameter["dtype"], *chosen, parameter["box"], parameter["swizzle"])
            else:
                value = (arguments[index].address if kind == "argument" else scratch[index].address
                         if kind == "scratch" else numbers[index])
                piece = (value & ((1 << 64) - 1)).to_bytes(8, "little")[:parameter["bytes"]]
            # Tensor maps must lie on 64 bytes.
            pieces.append((ctypes.c_uint8 * (len(piece) + 63))())
            place = (ctypes.addressof(pieces[-1]) + 63) & ~63
            ctypes.memmove(place, piece, len(piece))
        places = (ctypes.c_void_p * len(pieces))(*[(ctypes.addressof(piece) + 63) & ~63 for piece in pieces])
        config = kernel.configure(grid, launch["threads"], launch["cluster"], launch["shared_bytes"],
                                  launch.get("overlaps_previous", False))
        return kernel, config, places, pieces


class Call:
    """A function with its arguments. Not for two threads at once: the stream is a part of it."""

    def __init__(self, launches, scratch):
        self.launches, self.scratch = [launch for launch in launches if launch], scratch

    def __call__(self, stream=0):
        for kernel, config, parameters, _ in self.launches:
            kernel.launch(config, parameters, stream)


def compile_image(tools, text, chip, alignment=16, flags=(), form="ptx"):
    """The image, PTX or a cubin, and the manifest of a module, by softmax-compile; RuntimeError with its words if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        image, manifest = pathlib.Path(folder, "image"), pathlib.Path(folder, "manifest.json")
        done = subprocess.run(
            [pathlib.Path(tools, "softmax-compile"), "-", f"--emit={form}", f"--chip={chip}", f"--alignment={alignment}",
             "-o", image, f"--manifest={manifest}", f"--reproducer-dir={folder}", *flags],
            input=text, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(done.stderr.strip() or f"softmax-compile ended with {done.returncode}")
        # The driver reads PTX up to a zero byte.
        return image.read_bytes() + b"\0", json.loads(manifest.read_text())
