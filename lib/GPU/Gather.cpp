//===- Gather.cpp - reads at computed places ------------------------------===//

#include "smx/GPU/SmxGpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace mlir::smx::gpu;

LogicalResult GatherOp::verify() { // P19, P4
  auto memory = cast<MemRefType>(getSource().getType());
  auto tile = cast<RankedTensorType>(getTile().getType());
  if (int64_t(getIndices().size()) != memory.getRank())
    return emitOpError("expected one index per dimension of the memref, ")
           << memory.getRank() << ", got " << getIndices().size();
  RankedTensorType index = tile.clone(IndexType::get(getContext()));
  for (Value operand : getIndices())
    if (operand.getType() != index)
      return emitOpError("expected indices of type ")
             << index << ", got " << operand.getType();
  if (memory.getElementType() != tile.getElementType())
    return emitOpError("expected a memref and a tile of one element type, got ")
           << memory.getElementType() << " and " << tile.getElementType();
  return success();
}

/// The type of the indices follows from that of the result.
ParseResult GatherOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand source;
  SmallVector<OpAsmParser::UnresolvedOperand> indices;
  MemRefType memory;
  RankedTensorType tile;
  if (parser.parseOperand(source) ||
      parser.parseOperandList(indices, OpAsmParser::Delimiter::Square))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("again")))
    result.addAttribute(getAgainAttrName(result.name),
                        parser.getBuilder().getUnitAttr());
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(memory) || parser.parseArrow() ||
      parser.parseType(tile) ||
      parser.resolveOperand(source, memory, result.operands) ||
      parser.resolveOperands(indices,
                             tile.clone(parser.getBuilder().getIndexType()),
                             result.operands))
    return failure();
  result.addTypes(tile);
  return success();
}

void GatherOp::print(OpAsmPrinter &printer) {
  printer << " " << getSource() << "[" << getIndices() << "]"
          << (getAgain() ? " again" : "");
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                /*elidedAttrs=*/{getAgainAttrName()});
  printer << " : " << getSource().getType() << " -> " << getTile().getType();
}
