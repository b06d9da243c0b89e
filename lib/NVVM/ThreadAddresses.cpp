//===- ThreadAddresses.cpp - a thread's elements of a shared tile ---------===//

#include "ThreadAddresses.h"

using namespace mlir;
using namespace mlir::smx;
using ::smx::gpu::ConstantStep;
using ::smx::gpu::Coordinate;
using ::smx::gpu::SharedTile;

SharedTile mlir::smx::sharedTileOf(gpu::SharedType type) {
  return {type.getShape()[0], type.getShape()[1],
          type.getElementType().getIntOrFloatBitWidth() / 8, type.getSwizzle()};
}

ThreadAddresses::ThreadAddresses(ThreadCode &code, gpu::SharedType type,
                                 Value base, ThreadIntegerPlace place,
                                 ::smx::gpu::PlaceBits bits)
    : code(code), tile(sharedTileOf(type)), base(code, code.addressBits(base)),
      place(place), bits(bits) {}

Value ThreadAddresses::pointer(ThreadInteger address) {
  auto type = LLVM::LLVMPointerType::get(code.getContext(), sharedSpace);
  return LLVM::IntToPtrOp::create(code, type, address.getValue());
}

Value ThreadAddresses::at(Coordinate step) {
  std::optional<ConstantStep> split = splitStep(tile, bits, step);
  if (!split)
    return pointer(
        base + swizzledOffset<ThreadInteger>(
                   tile, {place.row + step.row, place.column + step.column}));
  Value &pattern = patterns[{split->phase, split->flip}];
  if (!pattern) {
    // A tile starts at a multiple of 1024, so the flip reaches the offset
    // alone. It comes after the addition because the tile may be another one
    // in every round of a loop, and few registers should outlive a round.
    ThreadInteger first =
        base + swizzledOffset<ThreadInteger>(
                   tile, {place.row + split->phase, place.column});
    pattern = pointer(first ^ split->flip);
  }
  return code.advance(pattern, split->add);
}

Value ThreadAddresses::at(Coordinate step, ThreadIntegerPlace by) {
  return pointer(base + swizzledOffset<ThreadInteger>(
                            tile, {place.row + step.row + by.row,
                                   place.column + step.column + by.column}));
}

static unsigned alignmentOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8 *
         (vector ? vector.getNumElements() : 1);
}

Value mlir::smx::loadShared(ThreadCode &code, Type type, Value address) {
  return LLVM::LoadOp::create(code, type, address, alignmentOf(type));
}

void mlir::smx::storeShared(ThreadCode &code, Value value, Value address) {
  LLVM::StoreOp::create(code, value, address, alignmentOf(value.getType()));
}
