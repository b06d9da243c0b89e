//===- Npy.cpp - NumPy's array files --------------------------------------===//
#include "smx/Reference/Npy.h"
#include "NpyHeader.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

namespace smx::reference {

static_assert(std::endian::native == std::endian::little,
              "elements are copied as they lie in files");

template <typename T>
static T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
static void store(std::byte *to, T value) {
  std::memcpy(to, &value, sizeof value);
}

static double loadElement(DType dtype, const std::byte *from) {
  switch (dtype) {
  case DType::F64:
    return load<double>(from);
  case DType::F32:
    return load<float>(from);
  case DType::F16:
    return fromF16Bits(load<uint16_t>(from));
  case DType::BF16:
    return fromBF16Bits(load<uint16_t>(from));
  case DType::F8E4M3FN:
    return fromF8E4M3FNBits(load<uint8_t>(from));
  case DType::I1:
    return load<uint8_t>(from) != 0;
  case DType::I8:
    return load<int8_t>(from);
  case DType::U8:
    return load<uint8_t>(from);
  case DType::I32:
    return load<int32_t>(from);
  case DType::I64:
    return static_cast<double>(load<int64_t>(from));
  }
  return 0;
}

static void storeElement(DType dtype, double x, std::byte *to) {
  switch (dtype) {
  case DType::F64:
    return store(to, x);
  case DType::F32:
    return store(to, static_cast<float>(x));
  case DType::F16:
    return store(to, toF16Bits(x));
  case DType::BF16:
    return store(to, toBF16Bits(x));
  case DType::F8E4M3FN:
    return store(to, toF8E4M3FNBits(x));
  case DType::I1:
    return store<uint8_t>(to, x != 0);
  case DType::I8:
    return store(to, static_cast<int8_t>(roundTo(dtype, x)));
  case DType::U8:
    return store(to, static_cast<uint8_t>(roundTo(dtype, x)));
  case DType::I32:
    return store(to, static_cast<int32_t>(roundTo(dtype, x)));
  case DType::I64: {
    // The largest i64 is no double: the one it rounds to, 2^63, must not be
    // cast.
    const double whole = roundTo(dtype, x);
    return store(to, whole >= 0x1p63 ? std::numeric_limits<int64_t>::max()
                                     : static_cast<int64_t>(whole));
  }
  }
}

Tensor NpyArray::toTensor() const {
  Tensor tensor(shape);
  const int64_t width = byteWidth(dtype);
  assert(static_cast<int64_t>(bytes.size()) == tensor.size() * width &&
         "bytes fill the shape");
  for (int64_t n = 0; n < tensor.size(); ++n)
    tensor[n] = loadElement(dtype, bytes.data() + n * width);
  return tensor;
}

NpyArray NpyArray::fromTensor(const Tensor &tensor, DType dtype) {
  const int64_t width = byteWidth(dtype);
  NpyArray array{dtype, tensor.shape(),
                 std::vector<std::byte>(tensor.size() * width)};
  for (int64_t n = 0; n < tensor.size(); ++n)
    storeElement(dtype, tensor[n], array.bytes.data() + n * width);
  return array;
}

/// Column-major bytes to row-major ones: element (i0, i1, ..) lies at i0 + n0 *
/// (i1 + n1 * ..).
static std::vector<std::byte> toRowMajor(const std::vector<std::byte> &from,
                                         const Shape &shape, int64_t width) {
  std::vector<std::byte> to(from.size());
  Shape index(shape.size(), 0);
  for (size_t offset = 0; offset < from.size(); offset += width) {
    int64_t source = 0;
    for (size_t d = shape.size(); d-- > 0;)
      source = source * shape[d] + index[d];
    std::memcpy(to.data() + offset, from.data() + source * width, width);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return to;
}

static Failure failureIn(const std::string &name, const std::string &message) {
  return {name + ": " + message};
}

/// The bytes of the elements, once they are known to be exactly what the file
/// still has.
static Result<int64_t> checkedDataBytes(const NpyHeader &header,
                                        uint64_t fileBytes) {
  const std::string what = "shape " + toString(header.shape) + " of " +
                           std::string(nameOf(header.dtype));
  std::optional<int64_t> wanted = npyDataBytes(header);
  if (!wanted)
    return Failure{
        what + " has more bytes than can be counted; the header is corrupt"};
  const uint64_t have = fileBytes - header.dataOffset;
  if (have < static_cast<uint64_t>(*wanted))
    return Failure{"the data is cut off: " + what + " needs " +
                   std::to_string(*wanted) + " bytes, the file has " +
                   std::to_string(have) + "; save it again"};
  if (have > static_cast<uint64_t>(*wanted))
    return Failure{what + " needs " + std::to_string(*wanted) +
                   " bytes, the file has " + std::to_string(have) +
                   "; save one array per file"};
  return *wanted;
}

static NpyArray makeArray(const NpyHeader &header,
                          std::vector<std::byte> bytes) {
  if (header.fortranOrder && header.shape.size() > 1)
    bytes = toRowMajor(bytes, header.shape, byteWidth(header.dtype));
  return {header.dtype, header.shape, std::move(bytes)};
}

Result<NpyArray> parseNpy(std::span<const std::byte> content,
                          const std::string &name) {
  Result<NpyHeader> header = parseNpyHeader(content);
  if (!header)
    return failureIn(name, header.message());
  Result<int64_t> wanted = checkedDataBytes(*header, content.size());
  if (!wanted)
    return failureIn(name, wanted.message());
  std::span<const std::byte> data = content.subspan(header->dataOffset);
  return makeArray(*header, std::vector<std::byte>(data.begin(), data.end()));
}

Result<NpyArray> readNpy(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return failureIn(path, "is a directory; expected a .npy file");
  const uint64_t fileBytes = std::filesystem::file_size(path, error);
  if (error)
    return failureIn(path, "can not be read: " + error.message());
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return failureIn(path,
                     "can not be opened: " + std::string(std::strerror(errno)));

  // Only as much as a header may have: the size of the elements is checked
  // before they are read.
  std::vector<std::byte> prefix(
      std::min<uint64_t>(fileBytes, maxNpyHeaderBytes + 16));
  if (!file.read(reinterpret_cast<char *>(prefix.data()), prefix.size()))
    return failureIn(path, "can not be read to the end of its header");
  Result<NpyHeader> header = parseNpyHeader(prefix);
  if (!header)
    return failureIn(path, header.message());
  Result<int64_t> wanted = checkedDataBytes(*header, fileBytes);
  if (!wanted)
    return failureIn(path, wanted.message());

  std::vector<std::byte> bytes(*wanted);
  file.seekg(static_cast<std::streamoff>(header->dataOffset));
  if (!file.read(reinterpret_cast<char *>(bytes.data()), bytes.size()))
    return failureIn(path, "can not be read to its end");
  return makeArray(*header, std::move(bytes));
}

std::vector<std::byte> toNpyBytes(const NpyArray &array) {
  const std::string header = makeNpyHeader(array.dtype, array.shape);
  std::vector<std::byte> content(header.size() + array.bytes.size());
  std::memcpy(content.data(), header.data(), header.size());
  std::copy(array.bytes.begin(), array.bytes.end(),
            content.begin() + header.size());
  return content;
}

} // namespace smx::reference
