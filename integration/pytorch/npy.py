"""PyTorch tensors as .npy files; bfloat16 is ml_dtypes' type, written as '<V2'."""

from pathlib import Path

import ml_dtypes
import numpy
import torch


def to_array(tensor: torch.Tensor) -> numpy.ndarray:
    tensor = tensor.detach().contiguous()
    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def save_tensor(path: Path, tensor: torch.Tensor) -> int:
    """Writes one file and returns its size in bytes."""
    numpy.save(path, to_array(tensor), allow_pickle=False)
    return path.stat().st_size


def load_array(path: Path) -> numpy.ndarray:
    """Reads one file; bfloat16 comes back widened to float32."""
    array = numpy.load(path, allow_pickle=False)
    if array.dtype == numpy.dtype("V2"):
        return array.view(ml_dtypes.bfloat16).astype(numpy.float32)
    return array
