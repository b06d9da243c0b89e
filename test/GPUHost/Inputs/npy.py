"""Writes .npy files, without NumPy."""

import struct


def write_npy(path, descr, code, shape, values):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(
        b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
        + struct.pack(f"<{len(values)}{code}", *values)
    )
