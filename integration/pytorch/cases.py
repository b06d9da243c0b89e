"""The registry of PyTorch functions that become fixtures, and their seeded inputs."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True)
class Spec:
    """Shape and kind of one input; `dynamic` lists the axes exported as `?`."""

    shape: tuple[int, ...]
    dtype: torch.dtype = torch.float32
    kind: str = "normal"
    dynamic: tuple[int, ...] = ()

    def make(self, generator: torch.Generator) -> torch.Tensor:
        if self.kind == "keep":
            return keep_mask(self.shape, generator)
        if self.kind == "keep_empty_row":
            mask = keep_mask(self.shape, generator)
            mask[..., 1, :] = False
            return mask
        if self.kind == "keep_but_last":
            mask = keep_mask(self.shape, generator)
            mask[..., -1] = False
            return mask
        if self.kind == "additive":
            zeros = torch.zeros(self.shape, dtype=self.dtype)
            keep = keep_mask(self.shape, generator)
            return zeros.masked_fill(~keep, torch.finfo(self.dtype).min)
        if self.kind == "class":
            return torch.randint(0, 5, self.shape, generator=generator)
        # A spread of 2 makes rows uneven enough that a swapped axis or a lost
        # rescale is far outside every tolerance.
        values = 2 * torch.randn(self.shape, generator=generator, dtype=torch.float32)
        if self.kind == "wide":
            # Rows whose exponentials leave float32 unless their own maximum is taken off.
            values[1] += 120
            values[2] -= 120
            values[3, -1] += 150
        if self.kind == "special":
            values[1] = -torch.inf
            values[2, ::3] = -torch.inf
            values[3, 5] = torch.inf
            values[4, 7] = torch.nan
        return values.to(self.dtype)


def keep_mask(shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    """A boolean mask (true = attend) of density 3/4 that keeps a key in every row."""
    mask = torch.rand(shape, generator=generator) < 0.75
    mask[..., 0] = True
    return mask


@dataclass(frozen=True)
class Case:
    """One fixture.

    `raises` names the op that the raise pass is expected to find: "attention",
    "softmax", "log_softmax", "logsumexp", "layer_norm", "rms_norm", "cross_entropy",
    or "none" where a match would be wrong.
    """

    name: str
    function: Callable
    inputs: tuple[Spec, ...]
    raises: str
    note: str

    @property
    def module_name(self) -> str:
        return "".join(word.capitalize() for word in self.name.split("-"))

    def module(self) -> torch.nn.Module:
        function = self.function

        class Wrapped(torch.nn.Module):
            def forward(self, *args):
                return function(*args)

        Wrapped.__name__ = self.module_name
        return Wrapped().eval()

    def make_inputs(self) -> tuple[torch.Tensor, ...]:
        # Seeded by name: adding a case leaves the data of the others alone.
        generator = torch.Generator().manual_seed(zlib.crc32(self.name.encode()))
        return tuple(spec.make(generator) for spec in self.inputs)

    def dynamic_shapes(self):
        if not any(spec.dynamic for spec in self.inputs):
            return None
        axes = [{a: torch.export.Dim.AUTO for a in s.dynamic} for s in self.inputs]
        # One tuple, since the wrapper's only parameter is *args.
        return (tuple(axes),)


CASES: dict[str, Case] = {}


def case(name: str, *inputs: Spec, raises: str) -> Callable:
    """Registers a function under a fixture name; its docstring is the note."""

    def register(function: Callable) -> Callable:
        if name in CASES:
            raise ValueError(f"two cases are named '{name}'")
        note = " ".join((function.__doc__ or "").split())
        CASES[name] = Case(name, function, inputs, raises, note)
        return function

    return register


def tensor(*shape: int, dtype=torch.float32, kind="normal", dynamic=()) -> Spec:
    return Spec(shape, dtype, kind, dynamic)
