//===- DenseCopies.cpp - tensors without a unit stride --------------------===//

#include "DenseCopies.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>
#include <new>

using namespace smx;

/// What the memory of a copy is a multiple of, in bytes.
static constexpr int64_t copyAlignment = 256;

llvm::Expected<void *> HostMemory::allocate(int64_t bytes) {
  void *memory = ::operator new(static_cast<size_t>(bytes),
                                std::align_val_t(copyAlignment), std::nothrow);
  if (memory)
    return memory;
  return llvm::createStringError(
      "no memory for the copy of a tensor with a stride in its innermost "
      "dimension: " +
      llvm::Twine(bytes) + " bytes");
}

llvm::Error HostMemory::release(void *memory) {
  ::operator delete(memory, std::align_val_t(copyAlignment));
  return llvm::Error::success();
}

llvm::Error HostMemory::copy(const RowCopy &copy) {
  for (int64_t row = 0; row < copy.rows; ++row)
    std::memcpy(static_cast<char *>(copy.to) + row * copy.toPitch,
                static_cast<const char *>(copy.from) + row * copy.fromPitch,
                static_cast<size_t>(copy.rowBytes));
  return llvm::Error::success();
}

bool smx::hasUnitStride(const TensorView &view) {
  return view.elementCount() == 0 || view.rank() == 0 ||
         view.sizes.back() == 1 || view.strides.back() == 1;
}

DenseCopies::DenseCopies(llvm::ArrayRef<TensorView> given, size_t inputs)
    : given(given), inputs(inputs) {
  for (const TensorView &view : given)
    dense.push_back(hasUnitStride(view)
                        ? view
                        : TensorView(reinterpret_cast<void *>(copyAlignment),
                                     view.dtype, view.sizes));
}

/// Copies all elements of `from` to `to`, of which one is row-major.
static llvm::Error copyElements(TensorMemory &memory, const TensorView &from,
                                const TensorView &to) {
  const int64_t width = reference::byteWidth(from.dtype),
                length = from.sizes.back();
  const int64_t fromPitch = from.strides.back() * width,
                toPitch = to.strides.back() * width;
  // Pitches of a copy are at least as wide as what it copies: of elements that
  // stand still or run backwards each is a copy.
  const bool isOne = fromPitch >= width && toPitch >= width;
  for (int64_t row = 0, rows = from.elementCount() / length; row < rows;
       ++row) {
    int64_t fromOffset = 0, toOffset = 0, rest = row;
    for (int64_t dim = from.rank() - 2; dim >= 0; --dim) {
      fromOffset += rest % from.sizes[dim] * from.strides[dim] * width;
      toOffset += rest % from.sizes[dim] * to.strides[dim] * width;
      rest /= from.sizes[dim];
    }
    RowCopy copy;
    copy.rowBytes = width;
    copy.rows = isOne ? length : 1;
    copy.fromPitch = isOne ? fromPitch : width;
    copy.toPitch = isOne ? toPitch : width;
    for (int64_t i = 0; i < (isOne ? 1 : length); ++i) {
      copy.from =
          static_cast<const char *>(from.data) + fromOffset + i * fromPitch;
      copy.to = static_cast<char *>(to.data) + toOffset + i * toPitch;
      if (llvm::Error error = memory.copy(copy))
        return error;
    }
  }
  return llvm::Error::success();
}

llvm::Error DenseCopies::around(TensorMemory &memory,
                                llvm::function_ref<llvm::Error()> run) {
  llvm::SmallVector<void *, 4> owned;
  auto work = [&]() -> llvm::Error {
    for (auto [i, view] : llvm::enumerate(given)) {
      if (hasUnitStride(view))
        continue;
      llvm::Expected<void *> address = memory.allocate(
          view.elementCount() * reference::byteWidth(view.dtype));
      if (!address)
        return address.takeError();
      owned.push_back(*address);
      dense[i].data = *address;
      if (i < inputs)
        if (llvm::Error error = copyElements(memory, view, dense[i]))
          return error;
    }
    if (llvm::Error error = run())
      return error;
    for (size_t i = inputs; i < given.size(); ++i)
      if (!hasUnitStride(given[i]))
        if (llvm::Error error = copyElements(memory, dense[i], given[i]))
          return error;
    return llvm::Error::success();
  };
  llvm::Error error = work();
  for (void *address : owned)
    error = llvm::joinErrors(std::move(error), memory.release(address));
  return error;
}
