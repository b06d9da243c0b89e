//===- NpyHeader.h - the header of a .npy file -----------------*- C++ -*-===//
//
// A header is `\x93NUMPY`, two bytes of version, the length of the rest (2
// bytes in version 1, 4 later), and a Python dictionary: {'descr': '<f4',
// 'fortran_order': False, 'shape': (2, 3), }.
//
//===----------------------------------------------------------------------===//
#ifndef SMX_REFERENCE_NPYHEADER_H
#define SMX_REFERENCE_NPYHEADER_H

#include "smx/Reference/Result.h"
#include "smx/Reference/Tensor.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace smx::reference {

struct NpyHeader {
  DType dtype = DType::F64;
  bool fortranOrder = false;
  Shape shape;
  /// Bytes from the start of the file to the first element.
  size_t dataOffset = 0;
};

/// `prefix` is the start of the file: at least the header, if the file has one.
/// Messages do not name the file.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> prefix);

/// A complete version 1 header in C order, padded so that the data starts at a
/// multiple of 64.
std::string makeNpyHeader(DType dtype, const Shape &shape);

/// Bytes the elements take; nothing if they can not be counted.
std::optional<int64_t> npyDataBytes(const NpyHeader &header);

/// More header than this is refused. The arrays read here need about 100 bytes.
inline constexpr size_t maxNpyHeaderBytes = 65536;

} // namespace smx::reference

#endif // SMX_REFERENCE_NPYHEADER_H
