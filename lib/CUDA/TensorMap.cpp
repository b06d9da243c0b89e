//===- TensorMap.cpp - check and encode tensor maps -----------------------===//

#include "smx/CUDA/TensorMap.h"

#include "Context.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"

using namespace smx::cuda;
using namespace smx::cuda::detail;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static constexpr int64_t maxRank = 5;
static constexpr int64_t maxBox = 256;
/// The alignment of addresses, strides and the box's rows, in bytes.
static constexpr int64_t alignment = 16;
/// The driver takes 2^32, but a copy's coordinates are signed and of 32 bits.
static constexpr int64_t maxSize = int64_t(1) << 31;
static constexpr int64_t strideEnd = int64_t(1) << 40;

int64_t smx::cuda::byteWidth(MapElement element) {
  switch (element) {
  case MapElement::U8:
    return 1;
  case MapElement::U16:
  case MapElement::F16:
  case MapElement::BF16:
    return 2;
  case MapElement::U32:
  case MapElement::I32:
  case MapElement::F32:
  case MapElement::TF32:
    return 4;
  case MapElement::U64:
  case MapElement::I64:
  case MapElement::F64:
    return 8;
  }
  llvm_unreachable("every element type has a width");
}

bool smx::cuda::isFloat(MapElement element) {
  switch (element) {
  case MapElement::F16:
  case MapElement::F32:
  case MapElement::F64:
  case MapElement::BF16:
  case MapElement::TF32:
    return true;
  default:
    return false;
  }
}

/// CUtensorMapDataType.
static int driverType(MapElement element) {
  switch (element) {
  case MapElement::U8:
    return 0;
  case MapElement::U16:
    return 1;
  case MapElement::U32:
    return 2;
  case MapElement::I32:
    return 3;
  case MapElement::U64:
    return 4;
  case MapElement::I64:
    return 5;
  case MapElement::F16:
    return 6;
  case MapElement::F32:
    return 7;
  case MapElement::F64:
    return 8;
  case MapElement::BF16:
    return 9;
  case MapElement::TF32:
    return 11;
  }
  llvm_unreachable("every element type has a number");
}

/// Bytes that a row of the box may have.
static int64_t swizzleSpan(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return maxBox * byteWidth(MapElement::U64);
  case Swizzle::B32:
    return 32;
  case Swizzle::B64:
    return 64;
  case Swizzle::B128:
    return 128;
  }
  llvm_unreachable("every swizzle has a span");
}

static Error ruleError(const Twine &text) {
  return createStringError("a tensor map " + text);
}

static Error checkSizesAndStrides(const TensorMapSpec &spec) {
  int64_t rank = spec.sizes.size();
  int64_t width = byteWidth(spec.element);
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t size = spec.sizes[dim], stride = spec.strides[dim];
    if (size < 1 || size > maxSize)
      return ruleError("has sizes from 1 to 2^31 elements; dimension " +
                       Twine(dim) + " has " + Twine(size));
    // The stride of a single element is never used.
    if (size == 1)
      continue;
    if (dim == rank - 1) {
      if (stride != width)
        return ruleError("has its last dimension without gaps, a stride of " +
                         Twine(width) + " bytes; the stride is " +
                         Twine(stride));
      continue;
    }
    if (stride < 0 || stride >= strideEnd || stride % alignment)
      return ruleError("has strides that are multiples of 16 bytes below 2^40; "
                       "the stride of dimension " +
                       Twine(dim) + " is " + Twine(stride));
  }
  return Error::success();
}

static Error checkBox(const TensorMapSpec &spec) {
  for (auto [dim, extent] : llvm::enumerate(spec.box))
    if (extent < 1 || extent > maxBox)
      return ruleError("has box extents from 1 to 256 elements; dimension " +
                       Twine(dim) + " has " + Twine(extent));
  int64_t rowBytes = spec.box.back() * byteWidth(spec.element);
  if (rowBytes % alignment)
    return ruleError("has box rows of a multiple of 16 bytes; there are " +
                     Twine(rowBytes) + " (" + Twine(spec.box.back()) +
                     " elements)");
  int64_t span = swizzleSpan(spec.swizzle);
  if (rowBytes > span)
    return ruleError("with a swizzle of " + Twine(span) +
                     " bytes has box rows of at most that; there are " +
                     Twine(rowBytes) + ": cut the box into panels of " +
                     Twine(span / byteWidth(spec.element)) + " elements");
  return Error::success();
}

Error smx::cuda::checkTensorMap(const TensorMapSpec &spec) {
  int64_t rank = spec.sizes.size();
  if (rank < 1 || rank > maxRank)
    return ruleError("has 1 to 5 dimensions; there are " + Twine(rank));
  if (spec.strides.size() != spec.sizes.size() ||
      spec.box.size() != spec.sizes.size())
    return ruleError(
        "has as many strides and box extents as sizes; there are " +
        Twine(spec.strides.size()) + " strides, " + Twine(spec.box.size()) +
        " box extents and " + Twine(rank) + " sizes");
  if (spec.address == 0 || spec.address % alignment)
    return ruleError("has a base address that is a multiple of 16; it is 0x" +
                     Twine::utohexstr(spec.address));
  if (Error error = checkSizesAndStrides(spec))
    return error;
  if (Error error = checkBox(spec))
    return error;
  if (spec.outOfBounds == OutOfBounds::Nan && !isFloat(spec.element))
    return ruleError("fills with NaN only where elements are floats; use "
                     "OutOfBounds::Zero");
  return Error::success();
}

Expected<TensorMap> TensorMap::encode(const Device &device,
                                      const TensorMapSpec &spec) {
  if (!device.info().hasTensorMaps)
    return createStringError(device.info().describe() +
                             " has no tensor maps; they need sm_90 or newer");
  if (Error error = checkTensorMap(spec))
    return error;

  // The driver wants the innermost dimension first, and no stride for it.
  size_t rank = spec.sizes.size();
  uint64_t sizes[maxRank], strides[maxRank] = {};
  uint32_t box[maxRank], elementStrides[maxRank];
  for (size_t i = 0; i < rank; ++i) {
    size_t dim = rank - 1 - i;
    sizes[i] = spec.sizes[dim];
    box[i] = static_cast<uint32_t>(spec.box[dim]);
    elementStrides[i] = 1;
    if (i > 0)
      strides[i - 1] = spec.sizes[dim] == 1 ? alignment : spec.strides[dim];
  }

  // The last three enumerations count as the driver's do.
  TensorMap map;
  map.ordinal = device.ordinal();
  Context &context = *device.context();
  if (Error error = context.call(
          "can not encode a tensor map", "cuTensorMapEncodeTiled", [&] {
            return context.api().tensorMapEncodeTiled(
                map.opaque.data(), driverType(spec.element),
                static_cast<uint32_t>(rank),
                reinterpret_cast<void *>(spec.address), sizes, strides, box,
                elementStrides, /*interleave=*/0,
                static_cast<int>(spec.swizzle),
                static_cast<int>(spec.promotion),
                static_cast<int>(spec.outOfBounds));
          }))
    return error;
  return map;
}
