//===- TileTypes.cpp - the types of per-thread code -----------------------===//

#include "KernelLowering.h"

namespace mlir::smx {

bool isRegisterTile(Type type) {
  return gpu::getLayout(type) || gpu::getSlice(type);
}

Type registerElement(Type element) {
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8)
    return IntegerType::get(element.getContext(), 8);
  return element;
}

static LLVM::LLVMStructType descriptorType(MemRefType memref) {
  MLIRContext *context = memref.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context, globalSpace);
  auto index = IntegerType::get(context, 64);
  SmallVector<Type> fields{pointer, pointer, index};
  if (int64_t rank = memref.getRank())
    fields.append(2, LLVM::LLVMArrayType::get(index, rank));
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

TileTypeConverter::TileTypeConverter(MLIRContext *context)
    : LLVMTypeConverter(context) {
  addConversion([](RankedTensorType tile) -> std::optional<Type> {
    if (!isRegisterTile(tile))
      return std::nullopt;
    return VectorType::get(gpu::getRegisterCount(tile),
                           registerElement(tile.getElementType()));
  });
  addConversion([](MemRefType memref) { return descriptorType(memref); });
  addConversion([](gpu::SharedType type) {
    return LLVM::LLVMPointerType::get(type.getContext(), sharedSpace);
  });
  addConversion([](gpu::ChannelType type) {
    auto counter = LLVM::LLVMPointerType::get(type.getContext());
    return LLVM::LLVMStructType::getLiteral(
        type.getContext(), SmallVector<Type>(channelReleases + 1, counter));
  });
  addConversion([](gpu::TokenType type) {
    return IntegerType::get(type.getContext(), 32);
  });
  addConversion([](gpu::TurnsType type) {
    return IntegerType::get(type.getContext(), 32);
  });
}

} // namespace mlir::smx
