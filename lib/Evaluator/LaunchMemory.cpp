//===- LaunchMemory.cpp - the memory that launches work on ----------------===//

#include "LaunchPlanBuilder.h"
#include "smx/IR/ElementBits.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::smx;
using Opcode = NumberProgram::Opcode;

FailureOr<LaunchPlan::Operand> LaunchPlanBuilder::memory(Value memref,
                                                         Operation *user) {
  while (auto cast = memref.getDefiningOp<memref::CastOp>())
    memref = cast.getSource();
  auto type = cast<MemRefType>(memref.getType());
  LaunchPlan::Operand operand;
  operand.elementBytes = elementBytes(type);
  auto add = [&](OpFoldResult value) -> LogicalResult {
    FailureOr<Number> added = number(value, user);
    if (succeeded(added))
      operand.numbers.push_back(*added);
    return added;
  };
  if (auto view = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    Value base = view.getSource();
    if (auto metadata = base.getDefiningOp<memref::ExtractStridedMetadataOp>())
      base = metadata.getSource();
    FailureOr<LaunchPlan::Operand> root = memory(base, user);
    if (failed(root))
      return failure();
    operand.kind = root->kind;
    operand.memory = root->memory;
    if (failed(add(view.getMixedOffsets()[0])))
      return failure();
    for (OpFoldResult value : llvm::concat<OpFoldResult>(
             view.getMixedSizes(), view.getMixedStrides()))
      if (failed(add(value)))
        return failure();
    return operand;
  }
  if (auto argument = dyn_cast<BlockArgument>(memref)) {
    operand.kind = LaunchPlan::Kind::Argument;
    operand.memory = argument.getArgNumber();
    operand.numbers.push_back(plan.numbers.addConstant(0));
    for (Opcode property : {Opcode::Size, Opcode::Stride})
      for (int64_t dim = 0; dim < type.getRank(); ++dim)
        operand.numbers.push_back(
            plan.numbers.add(property, argument.getArgNumber(), dim));
    return operand;
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>()) {
    operand.kind = LaunchPlan::Kind::Scratch;
    operand.memory = scratchNumbers.at(memref);
    if (failed(addContiguousLayout(operand, alloc.getMixedSizes(), user)))
      return failure();
    return operand;
  }
  if (auto get = memref.getDefiningOp<memref::GetGlobalOp>()) {
    FailureOr<unsigned> number = constant(get);
    if (failed(number))
      return failure();
    operand.kind = LaunchPlan::Kind::Constant;
    operand.memory = *number;
    if (failed(addContiguousLayout(
            operand, getAsIndexOpFoldResult(type.getContext(), type.getShape()),
            user)))
      return failure();
    return operand;
  }
  return user->emitOpError("needs memory that is neither an argument nor a "
                           "constant nor allocated by the function");
}

LogicalResult
LaunchPlanBuilder::addContiguousLayout(LaunchPlan::Operand &operand,
                                       ArrayRef<OpFoldResult> extents,
                                       Operation *user) {
  operand.numbers.push_back(plan.numbers.addConstant(0));
  SmallVector<Number> sizes, strides;
  for (OpFoldResult size : extents) {
    FailureOr<Number> added = number(size, user);
    if (failed(added))
      return failure();
    sizes.push_back(*added);
  }
  Number stride = plan.numbers.addConstant(1);
  for (Number size : llvm::reverse(sizes)) {
    strides.push_back(stride);
    stride = plan.numbers.add(Opcode::Mul, stride, size);
  }
  llvm::append_range(operand.numbers, sizes);
  llvm::append_range(operand.numbers, llvm::reverse(strides));
  return success();
}

/// The elements as they lie in memory; integers of less than a byte take one.
static std::vector<char> bytesOf(DenseElementsAttr elements) {
  std::vector<char> bytes;
  auto add = [&](const APInt &bits) {
    const size_t width = llvm::divideCeil(bits.getBitWidth(), 8);
    for (size_t byte = 0; byte < width; ++byte)
      bytes.push_back(static_cast<char>(bits.lshr(8 * byte).getRawData()[0]));
  };
  if (isa<FloatType>(elements.getElementType()))
    for (const APFloat &value : elements.getValues<APFloat>())
      add(value.bitcastToAPInt());
  else
    for (const APInt &value : elements.getValues<APInt>())
      add(value);
  return bytes;
}

/// The same of any contents that have elements; none of others.
static std::optional<std::vector<char>> bytesOf(Attribute contents) {
  if (auto elements = dyn_cast_or_null<DenseElementsAttr>(contents))
    return bytesOf(elements);
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(contents);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob || static_cast<int64_t>(blob->getData().size()) !=
                   resource.getNumElements() * elementBytes(resource.getType()))
    return std::nullopt;
  return std::vector<char>(blob->getData().begin(), blob->getData().end());
}

FailureOr<unsigned> LaunchPlanBuilder::constant(memref::GetGlobalOp get) {
  auto [place, isNew] =
      constantNumbers.try_emplace(get.getName(), plan.constants.size());
  if (!isNew)
    return place->second;
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      symbols, get.getNameAttr());
  std::optional<std::vector<char>> bytes =
      global ? bytesOf(global.getInitialValueAttr()) : std::nullopt;
  if (!bytes)
    return get.emitOpError("expected a global with dense contents");
  plan.constants.push_back({std::move(*bytes)});
  return place->second;
}
