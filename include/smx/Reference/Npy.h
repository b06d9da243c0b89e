//===- Npy.h - NumPy's array files -----------------------------*- C++ -*-===//
//
// Reads and writes .npy files. Files are not trusted: a header is checked
// against the size of the file before anything is allocated, and every error
// names the file, what is wrong with it and what would work.
//
// Read: versions 1 to 3; C and Fortran order; little-endian f8, f4, f2, i8, i4,
// i1, u1, b1, and V2 as bf16 (what ml_dtypes writes). Written: version 1, C
// order. Not read: big-endian, complex, structured and object arrays, several
// arrays in one file.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_NPY_H
#define SMX_REFERENCE_NPY_H

#include "smx/Reference/Result.h"
#include "smx/Reference/Tensor.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace smx::reference {

/// Elements as they lie in memory: little-endian, row-major, byteWidth(dtype)
/// each.
struct NpyArray {
  DType dtype = DType::F64;
  Shape shape;
  std::vector<std::byte> bytes;

  /// Every element as a double; i64 beyond 2^53 is rounded.
  Tensor toTensor() const;
  /// Every element rounded to `dtype` (see roundTo).
  static NpyArray fromTensor(const Tensor &tensor, DType dtype);
};

/// Reads a file.
Result<NpyArray> readNpy(const std::string &path);
/// Reads the content of a file; `name` is what errors call it.
Result<NpyArray> parseNpy(std::span<const std::byte> content,
                          const std::string &name);

/// The content of a file.
std::vector<std::byte> toNpyBytes(const NpyArray &array);

} // namespace smx::reference

#endif // SMX_REFERENCE_NPY_H
