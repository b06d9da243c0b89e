//===- GlobalMemory.cpp - tiles in strided buffers ------------------------===//

#include "GlobalMemory.h"

#include <cstring>

using namespace mlir;
using namespace mlir::smx;
using namespace mlir::smx::gpuhost;
using ::smx::reference::DType;

template <typename Stored>
static Stored readAs(const char *address) {
  Stored value;
  std::memcpy(&value, address, sizeof(value));
  return value;
}
template <typename Stored>
static void writeAs(char *address, Stored value) {
  std::memcpy(address, &value, sizeof(value));
}

Slot mlir::smx::gpuhost::loadElement(DType dtype, const char *address) {
  switch (dtype) {
  case DType::F64:
    return floatSlot(readAs<double>(address));
  case DType::F32:
    return floatSlot(readAs<float>(address));
  case DType::F16:
    return floatSlot(::smx::reference::fromF16Bits(readAs<uint16_t>(address)));
  case DType::BF16:
    return floatSlot(::smx::reference::fromBF16Bits(readAs<uint16_t>(address)));
  case DType::F8E4M3FN:
    return floatSlot(
        ::smx::reference::fromF8E4M3FNBits(readAs<uint8_t>(address)));
  case DType::I1:
    return intSlot(readAs<uint8_t>(address) != 0);
  case DType::U8:
  case DType::I8:
    return intSlot(readAs<int8_t>(address));
  case DType::I32:
    return intSlot(readAs<int32_t>(address));
  case DType::I64:
    return intSlot(readAs<int64_t>(address));
  }
  llvm_unreachable("all types are listed");
}

void mlir::smx::gpuhost::storeElement(DType dtype, char *address, Slot value) {
  switch (dtype) {
  case DType::F64:
    return writeAs(address, value.f);
  case DType::F32:
    return writeAs(address, static_cast<float>(value.f));
  case DType::F16:
    return writeAs(address, ::smx::reference::toF16Bits(value.f));
  case DType::BF16:
    return writeAs(address, ::smx::reference::toBF16Bits(value.f));
  case DType::F8E4M3FN:
    return writeAs(address, ::smx::reference::toF8E4M3FNBits(value.f));
  case DType::I1:
  case DType::U8:
  case DType::I8:
    return writeAs(address, static_cast<int8_t>(value.i));
  case DType::I32:
    return writeAs(address, static_cast<int32_t>(value.i));
  case DType::I64:
    return writeAs(address, value.i);
  }
  llvm_unreachable("all types are listed");
}

/// The places of the tile that are read or written along each of its two
/// dimensions.
static std::pair<int64_t, int64_t> findExtents(const WindowOperands &operands) {
  auto extent = [&](unsigned d) {
    if (d >= operands.valid.size())
      return operands.shape[d];
    return std::clamp<int64_t>(operands.valid[d], 0, operands.shape[d]);
  };
  return {extent(0), extent(1)};
}

/// An error if a row of the memory, as far as it is in the window, does not
/// start at a multiple of what was promised. Rows of memory are the columns of
/// a tile that runs along the fastest dimension with its own rows. Buffers
/// themselves start at multiples of everything.
static llvm::Error checkAlignment(Operation *op, const Window &window,
                                  ArrayRef<int64_t> dims, int64_t aligned) {
  if (aligned == 0)
    return llvm::Error::success();
  const int64_t width = byteWidth(window.memory->dtype);
  const int64_t fastest = static_cast<int64_t>(window.memory->sizes.size()) - 1;
  const bool isTransposed = !dims.empty() && dims[0] == fastest;
  const int64_t count = isTransposed ? window.columns : window.rows,
                stride = isTransposed ? window.columnStride : window.rowStride;
  for (int64_t r = 0; r < std::min<int64_t>(count, 2); ++r) {
    const int64_t start = (window.first + r * stride) * width;
    if (start % aligned != 0)
      return errorAt(op, "promises rows at multiples of " + Twine(aligned) +
                             " bytes, but row " + Twine(r) +
                             " of the tile starts at byte " + Twine(start));
  }
  return llvm::Error::success();
}

llvm::Expected<Window>
mlir::smx::gpuhost::findWindow(Operation *op, StringRef does,
                               const WindowOperands &operands) {
  const Memory &memory = *operands.memory;
  if (memory.allocation->freed)
    return errorAt(op, does + " memory after its deallocation");
  Window window;
  window.memory = operands.memory;
  std::tie(window.rows, window.columns) = findExtents(operands);
  if (window.rows == 0 || window.columns == 0)
    return window;

  SmallVector<int64_t, 4> last(operands.offsets);
  const int64_t counts[] = {window.rows, window.columns};
  for (auto [d, memoryDim] : llvm::enumerate(operands.dims))
    if (memoryDim >= 0)
      last[memoryDim] += counts[d] - 1;
  window.first = memory.offset;
  for (auto [d, size] : llvm::enumerate(memory.sizes)) {
    for (int64_t index : {operands.offsets[d], last[d]})
      if (index < 0 || index >= size)
        return errorAt(op, does + " index " + Twine(index) + " of dimension " +
                               Twine(d) + ", whose extent is " + Twine(size));
    window.first += operands.offsets[d] * memory.strides[d];
  }
  auto strideOf = [&](unsigned d) -> int64_t {
    return d < operands.dims.size() && operands.dims[d] >= 0
               ? memory.strides[operands.dims[d]]
               : 0;
  };
  window.rowStride = strideOf(0);
  window.columnStride = strideOf(1);

  // Sizes and strides of the caller may promise more than there is.
  for (int64_t r : {int64_t(0), window.rows - 1})
    for (int64_t c : {int64_t(0), window.columns - 1}) {
      const int64_t place =
          window.first + r * window.rowStride + c * window.columnStride;
      if (place < 0 || place >= memory.allocation->capacity)
        return errorAt(op, does + " element " + Twine(place) +
                               " of a buffer of " +
                               Twine(memory.allocation->capacity));
    }
  if (llvm::Error error =
          checkAlignment(op, window, operands.dims, operands.aligned))
    return error;
  return window;
}

llvm::Error mlir::smx::gpuhost::checkEngineAddresses(Operation *op,
                                                     const Window &window,
                                                     const Twine &engine) {
  if (window.rows == 0 || window.columns == 0)
    return llvm::Error::success();
  const int64_t width = byteWidth(window.memory->dtype);
  const int64_t start = window.first * width, stride = window.rowStride * width;
  if (start % 16 != 0 || (window.rows > 1 && stride % 16 != 0))
    return errorAt(op, "copies rows from byte " + Twine(start) +
                           " at a distance of " + Twine(stride) + " bytes; " +
                           engine + " needs multiples of 16");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static llvm::Error raceAt(Operation *op, StringRef does, const Window &window,
                          int64_t r, int64_t c, StringRef did) {
  return errorAt(op, does + " element [" + Twine(r) + ", " + Twine(c) +
                         "] of its tile, element " + Twine(window.place(r, c)) +
                         " of the buffer, which another block of the launch " +
                         did + ": nothing orders the two");
}

llvm::Error mlir::smx::gpuhost::readWindow(Operation *op, const Window &window,
                                           const Group &group, bool isFloat,
                                           int64_t columns,
                                           std::vector<Slot> &elements) {
  std::fill(elements.begin(), elements.end(),
            isFloat ? floatSlot(0.0) : intSlot(0));
  if (window.rows == 0 || window.columns == 0)
    return llvm::Error::success();
  LaunchAccesses *accesses = window.memory->allocation->accesses.get();
  for (int64_t r = 0; r < window.rows; ++r)
    for (int64_t c = 0; c < window.columns; ++c) {
      elements[r * columns + c] =
          loadElement(window.memory->dtype, window.address(r, c));
      if (!accesses || group.cluster == 0)
        continue;
      const int64_t place = window.place(r, c);
      const uint32_t writer =
          accesses->writer[place].load(std::memory_order_relaxed);
      if (writer != 0 && writer != group.cluster &&
          !group.awaited.contains(writer))
        return raceAt(op, "reads", window, r, c, "writes");
      uint32_t reader = 0;
      if (!accesses->reader[place].compare_exchange_strong(
              reader, group.cluster, std::memory_order_relaxed) &&
          reader != group.cluster)
        accesses->reader[place].store(LaunchAccesses::several,
                                      std::memory_order_relaxed);
    }
  return llvm::Error::success();
}

llvm::Error mlir::smx::gpuhost::writeWindow(Operation *op, const Window &window,
                                            const Group &group, int64_t columns,
                                            ArrayRef<Slot> elements) {
  if (window.rows == 0 || window.columns == 0)
    return llvm::Error::success();
  const int64_t width = byteWidth(window.memory->dtype);
  LaunchAccesses *accesses = window.memory->allocation->accesses.get();
  for (int64_t r = 0; r < window.rows; ++r)
    for (int64_t c = 0; c < window.columns; ++c) {
      char bytes[8];
      storeElement(window.memory->dtype, bytes, elements[r * columns + c]);
      char *address = window.address(r, c);
      if (accesses && group.cluster != 0) {
        const int64_t place = window.place(r, c);
        const uint32_t reader =
            accesses->reader[place].load(std::memory_order_relaxed);
        if (reader != 0 && reader != group.cluster)
          return raceAt(op, "writes", window, r, c, "reads");
        const uint32_t writer = accesses->writer[place].exchange(
            group.cluster, std::memory_order_relaxed);
        if (writer != 0 && writer != group.cluster) {
          if (std::memcmp(bytes, address, width) != 0)
            return raceAt(op, "writes", window, r, c,
                          "writes with another value");
          continue;
        }
      }
      std::memcpy(address, bytes, width);
    }
  return llvm::Error::success();
}
